"""Who may ask and who may decide. Pure: what it needs to know about the world is handed in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, assert_never

from bot.approvals.action import Action, Seat
from bot.approvals.asking import Asking
from bot.approvals.errors import NotAllowed
from bot.approvals.ids import GroupId, UserId
from bot.approvals.person import Person, Standing
from bot.approvals.quorum import tally
from bot.approvals.realm import Realm
from bot.approvals.sayings import joined, saying
from bot.approvals.terms import Rule, Terms, over
from bot.approvals.who import (
    ChannelMembers,
    Circle,
    Members,
    MembersOf,
    One,
    Quorum,
    Requester,
    UserGroup,
    Who,
    each_of,
    votes,
    written,
)
from bot.approvals.words import AND, phrase, say

__all__ = [
    "ChannelMembers",
    "Members",
    "MembersOf",
    "One",
    "Policy",
    "Quorum",
    "Requester",
    "Rule",
    "Terms",
    "UserGroup",
    "Who",
]
__all__ += ["QUESTION", "alone", "check_decision", "check_request", "in_words", "over"]


OPEN_CARDS: Final = 10
"""Cards of one conversation that are open at once, where nobody says otherwise."""

QUESTION: Final = "question"
"""The tool name under which a plain `interrupt("…")` is looked up in the rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The whole policy. Nobody approves by default: there is no default for `defaults`."""

    defaults: Terms
    requesters: tuple[Who, ...] = (Members(),)
    rules: Sequence[Rule] = field(default_factory=tuple)
    operators: tuple[Who, ...] = ()
    """Who may see all that waits, without what it asks; that lets nobody decide."""
    open_cards: int = OPEN_CARDS
    """Cards of one conversation that are open at once; what is asked beyond them waits for its turn."""

    def of(self, realm: Realm) -> "Policy":  # noqa: ARG002 - whichever it is
        """This one: it holds for all."""
        return self

    @property
    def every(self) -> "tuple[Policy, ...]":
        """This one."""
        return (self,)

    @property
    def asks_for_members(self) -> bool:
        """Whether any terms name the members of the card's channel."""
        return any(ChannelMembers() in terms.who for terms in self.all_terms)

    @property
    def remembers(self) -> bool:
        """Whether any terms have approvals remembered."""
        return any(terms.ask in {Asking.ONCE, Asking.ONCE_PER_TOOL} for terms in self.all_terms)

    @property
    def user_groups(self) -> frozenset[GroupId]:
        """The user groups that any terms name."""
        return frozenset(
            who.id for terms in self.all_terms for who in terms.who if isinstance(who, UserGroup)
        )

    @property
    def all_terms(self) -> tuple[Terms, ...]:
        """The terms of the defaults and of each rule."""
        return (self.defaults, *(over(self.defaults, rule) for rule in self.rules))

    def terms(self, tool: str) -> Terms:
        """The first matching rule, key by key over the defaults."""
        for rule in self.rules:
            if rule.matches(tool):
                return over(self.defaults, rule)
        return self.defaults

    def terms_of(self, action: Action) -> Terms:
        """What holds for this very call: its tool's terms, with what functions of the policy said of it."""
        return self.terms(action.tool).given(action.chosen)


_OTHERS_DECIDE: Final = phrase("You asked for this yourself, so somebody else has to decide about `{tool}`.")
BUT_NOT_WHO_ASKED: Final = phrase("{who}, but nobody who asked for it")
OR_ELSE: Final = phrase("{before}; or {last}")
BY_ACTION: Final = phrase("{who}, depending on the action")
_NOT_A_MEMBER: Final = {
    Standing.GUEST: phrase("Guests cannot take part in approvals."),
    Standing.OUTSIDER: phrase("People of another organisation cannot take part in approvals."),
    Standing.BOT: phrase("Bots cannot take part in approvals."),
    Standing.DEACTIVATED: phrase("A deactivated account cannot take part in approvals."),
}


def is_operator(policy: Policy, person: Person, groups: frozenset[GroupId]) -> bool:
    """Whether this person may see all that waits; `groups` are the person's user groups."""
    named = any(
        who == One(person.id) or (isinstance(who, UserGroup) and who.id in groups) for who in policy.operators
    )
    return named and person.standing is Standing.MEMBER


def check_request(policy: Policy, person: Person, circles: frozenset[Circle] = frozenset()) -> None:
    """Let this person start or steer the agent, or raise `NotAllowed` with the reason.

    `circles` are the user groups and channels of the requesters in which the person is.
    """
    _check_standing(person)
    if not any(_fits(who, person, False, False, circles) for who in policy.requesters):  # noqa: FBT003 - nothing is asked yet
        raise NotAllowed(say("You are not among the people who may ask the agent here."))


def check_decision(
    terms: Terms,
    person: Person,
    *,
    requesters: frozenset[UserId],
    in_channel: bool,
    tool: str,
    called: frozenset[UserId] = frozenset(),
    groups: frozenset[Circle] = frozenset(),
) -> Seat:
    """Let this person decide, or raise `NotAllowed` with the reason. Returns what the vote may count for.

    `groups` are the user groups, and the channels that the policy names, in which the person is. Whoever
    was `called` in by an escalation decides as if named as an approver in every quorum, if these terms
    escalate to that person: an approval may have actions with different terms.
    """
    _check_standing(person)
    asked = person.id in requesters
    found = [
        [who for who in quorum.approvers if _fits(who, person, asked, in_channel, groups)]
        for quorum in terms.quorums
    ]
    called_in = person.id in called and person.id in terms.escalate_to
    if not (any(found) or called_in):
        raise NotAllowed(say("You are not among the people who may decide about `{tool}`.", tool=tool))
    if asked and not terms.self_approval:
        raise NotAllowed(say(_OTHERS_DECIDE, tool=tool))
    via = dict.fromkeys(written(who) for each in found for who in each)
    return Seat(
        needs=terms.needs,
        fits=frozenset(at for at, each in enumerate(found) if each or called_in),
        via=("escalate_to", *via) if called_in else tuple(via),
    )


def in_words(terms: Terms, called: frozenset[UserId] = frozenset()) -> str:
    """Who may decide, as a sentence says it: by the policy's words, without naming who is in a channel."""
    more = tuple(One(id) for id in terms.escalate_to if id in called)
    many = len(terms.quorums) > 1
    each = ((each_of([*quorum.approvers, *more]), quorum.count) for quorum in terms.quorums)
    who = joined(AND, [votes(people, count, many=many) for people, count in each])
    return who if terms.self_approval else saying(BUT_NOT_WHO_ASKED, who=who)


def by_action(who: Iterable[str]) -> str:
    """Several such sentences as one, each once, for actions with different terms."""
    each = list(dict.fromkeys(who))
    every = joined(OR_ELSE, each)
    return saying(BY_ACTION, who=every) if len(each) > 1 else every


def alone(terms: Terms, requesters: frozenset[UserId]) -> bool:
    """Whether it cannot be decided where only the requesters are: in a direct message with the bot."""
    if not terms.self_approval:
        return True
    votes = [
        [
            at
            for at, quorum in enumerate(terms.quorums)
            if any(not isinstance(who, One) or who.id == person for who in quorum.approvers)
        ]
        for person in requesters
    ]
    return not tally([quorum.count for quorum in terms.quorums], votes).reached


def _check_standing(person: Person) -> None:
    if person.standing is not Standing.MEMBER:
        raise NotAllowed(say(_NOT_A_MEMBER[person.standing]))


def _fits(who: Who, person: Person, asked: bool, in_channel: bool, groups: frozenset[Circle]) -> bool:  # noqa: FBT001 - what is known of the person
    match who:
        case ChannelMembers():
            return in_channel
        case Requester():
            return asked
        case Members():
            return True
        case One(id=id):
            return id == person.id
        case UserGroup(id=id) | MembersOf(id=id):
            return id in groups
        case _:
            assert_never(who)
