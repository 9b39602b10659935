"""Who may ask and who may decide. Pure: what it needs to know about the world is handed in."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Final, TypeAlias

from bot.approvals.errors import NotAllowed
from bot.approvals.ids import UserId
from bot.approvals.person import Person, Standing
from bot.approvals.times import NEVER


@dataclass(frozen=True, slots=True)
class ChannelMembers:
    """`channel`: the full members who are in the card's channel."""


@dataclass(frozen=True, slots=True)
class Requester:
    """`requester`: whoever asked. Of use only together with `self_approval`."""


@dataclass(frozen=True, slots=True)
class Members:
    """`members`: every full member of the workspace."""


@dataclass(frozen=True, slots=True)
class One:
    """`@name` or `U…`: one person."""

    id: UserId


Who: TypeAlias = ChannelMembers | Requester | Members | One

QUESTION: Final = "question"
"""The tool name under which a plain `interrupt("…")` is looked up in the rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What holds for one tool."""

    approvers: tuple[Who, ...]
    self_approval: bool = False
    expires_after: timedelta = NEVER
    """How long people may decide, from when they are asked."""
    remind_after: tuple[timedelta, ...] = ()
    """When the thread is reminded, each from when people are asked."""
    escalate_after: timedelta = NEVER
    """When the people in `escalate_to` are called, and may decide as well."""
    escalate_to: tuple[UserId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Terms for the tools that match a pattern; what is None comes from the defaults."""

    tools: tuple[str, ...]
    """Shell patterns: `delete_*`."""
    approvers: tuple[Who, ...] | None = None
    self_approval: bool | None = None
    expires_after: timedelta | None = None
    remind_after: tuple[timedelta, ...] | None = None
    escalate_after: timedelta | None = None
    escalate_to: tuple[UserId, ...] | None = None

    def matches(self, tool: str) -> bool:
        """Whether the tool's name fits one of the patterns."""
        return any(fnmatchcase(tool, pattern) for pattern in self.tools)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The whole policy. Nobody approves by default: there is no default for `defaults`."""

    defaults: Terms
    requesters: tuple[Who, ...] = (Members(),)
    rules: Sequence[Rule] = field(default_factory=tuple)

    @property
    def asks_for_members(self) -> bool:
        """Whether any terms name the members of the card's channel."""
        return any(ChannelMembers() in terms.approvers for terms in self.all_terms)

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


def over(defaults: Terms, rule: Rule) -> Terms:
    """The rule, key by key over the defaults."""
    said = {key.name: getattr(rule, key.name) for key in fields(Terms)}
    return replace(defaults, **{key: value for key, value in said.items() if value is not None})


_NOT_A_MEMBER: Final = {
    Standing.GUEST: "Guests cannot take part in approvals.",
    Standing.OUTSIDER: "People of another organisation cannot take part in approvals.",
    Standing.BOT: "Bots cannot take part in approvals.",
    Standing.DEACTIVATED: "A deactivated account cannot take part in approvals.",
}


def check_request(policy: Policy, person: Person) -> None:
    """Let this person start or steer the agent, or raise `NotAllowed` with the reason."""
    _check_standing(person)
    for who in policy.requesters:
        match who:
            case Members():
                return
            case One(id=id) if id == person.id:
                return
            case _:
                pass
    raise NotAllowed("You are not among the people who may ask the agent here.")


def check_decision(
    terms: Terms,
    person: Person,
    *,
    requesters: frozenset[UserId],
    in_channel: bool,
    tool: str,
    called: frozenset[UserId] = frozenset(),
) -> None:
    """Let this person decide, or raise `NotAllowed` with the reason.

    Whoever was `called` in by an escalation decides as if named as an approver, if these terms escalate to
    that person: an approval may have actions with different terms.
    """
    _check_standing(person)
    asked = person.id in requesters
    called_in = person.id in called and person.id in terms.escalate_to
    named = any(_fits(who, person, asked=asked, in_channel=in_channel) for who in terms.approvers)
    if not (named or called_in):
        raise NotAllowed(f"You are not among the people who may decide about `{tool}`.")
    if asked and not terms.self_approval:
        raise NotAllowed(f"You asked for this yourself, so somebody else has to decide about `{tool}`.")


def in_words(terms: Terms, called: frozenset[UserId] = frozenset()) -> str:
    """Who may decide, as a sentence says it: by the policy's words, without naming who is in a channel."""
    who = [_word(one) for one in terms.approvers]
    who += [f"<@{id}>" for id in terms.escalate_to if id in called]
    but = "" if terms.self_approval else ", but nobody who asked for it"
    return f"{' or '.join(dict.fromkeys(who))}{but}"


def _word(who: Who) -> str:
    match who:
        case ChannelMembers():
            return "a full member in this channel"
        case Requester():
            return "whoever asked for it"
        case Members():
            return "a full member of this workspace"
        case One(id=id):
            return f"<@{id}>"


def alone(terms: Terms, requesters: frozenset[UserId]) -> bool:
    """Whether nobody can decide where only the requesters are: in a direct message with the bot."""
    if not terms.self_approval:
        return True
    return not any(not isinstance(who, One) or who.id in requesters for who in terms.approvers)


def _check_standing(person: Person) -> None:
    if person.standing is not Standing.MEMBER:
        raise NotAllowed(_NOT_A_MEMBER[person.standing])


def _fits(who: Who, person: Person, *, asked: bool, in_channel: bool) -> bool:
    match who:
        case ChannelMembers():
            return in_channel
        case Requester():
            return asked
        case Members():
            return True
        case One(id=id):
            return id == person.id
