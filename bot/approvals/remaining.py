"""Who can still decide, as a reminder says it: nobody whom it would call in vain. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, assert_never

from bot.approvals.action import Action
from bot.approvals.approval import Approval
from bot.approvals.ids import UserId
from bot.approvals.policy import BUT_NOT_WHO_ASKED, Policy, by_action
from bot.approvals.sayings import joined, reworded, saying
from bot.approvals.terms import Terms
from bot.approvals.who import (
    ChannelMembers,
    Members,
    MembersOf,
    One,
    Quorum,
    Requester,
    UserGroup,
    Who,
    one_of,
    votes,
)
from bot.approvals.words import AND, phrase

NOBODY_LEFT: Final = phrase("nobody else whom the policy names")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Matter:
    """What is the same for some open actions."""

    terms: Terms
    requesters: frozenset[UserId]
    called: frozenset[UserId]


def still_to_decide(waiting: Iterable[Approval], policy: Policy) -> str:
    """Who can still decide about what is open of these, each person and user group as a mention of Slack's.

    Not named is who has voted about everything open that has the same terms, who asked where that excludes,
    and who belongs only to a group that has given all its votes.
    """
    matters: dict[_Matter, list[Action]] = {}
    for approval in waiting:
        for action in approval.open:
            terms = policy.terms_of(action.asked)
            matter = _Matter(terms=terms, requesters=approval.requesters, called=approval.escalated_to)
            matters.setdefault(matter, []).append(action)
    return by_action(_in_words(matter, actions) for matter, actions in matters.items())


def _in_words(matter: _Matter, actions: Sequence[Action]) -> str:
    terms = matter.terms
    out = frozenset.intersection(*(frozenset(vote.by for vote in action.votes) for action in actions))
    if not terms.self_approval:
        out |= matter.requesters
    called = tuple(One(id) for id in terms.escalate_to if id in matter.called)
    quorums = [_without(out, quorum, called, terms) for quorum in _wanted(terms, actions)]
    if not all(quorum.approvers for quorum in quorums):
        return saying(NOBODY_LEFT)
    many = len(quorums) > 1
    each = ((list(dict.fromkeys(map(_one, quorum.approvers))), quorum.count) for quorum in quorums)
    who = joined(AND, [votes(people, count, many=many) for people, count in each])
    return who if terms.self_approval else saying(BUT_NOT_WHO_ASKED, who=who)


def _wanted(terms: Terms, actions: Sequence[Action]) -> Sequence[Quorum]:
    """The votes that are missing; all that it takes where it is not certain which of them are."""
    if any(action.needs != terms.needs or not action.tally.is_definite for action in actions):
        return terms.quorums
    counts = [max(more) for more in zip(*(action.tally.more for action in actions), strict=True)]
    return [replace(one, count=count) for one, count in zip(terms.quorums, counts, strict=True) if count]


def _without(out: frozenset[UserId], quorum: Quorum, called: tuple[One, ...], terms: Terms) -> Quorum:
    able = (who for who in (*quorum.approvers, *called) if not (isinstance(who, One) and who.id in out))
    return replace(quorum, approvers=tuple(who for who in able if terms.self_approval or who != Requester()))


def _one(who: Who) -> str:
    """As a mention where Slack has one; made of ids alone, so that no name can become one."""
    match who:
        case UserGroup(id=id):
            return saying("a member of {group}", group=f"<!subteam^{id}>")
        case One():
            return one_of([who])
        case ChannelMembers() | Requester() | Members() | MembersOf():
            return reworded(one_of([who]), _nobodys_mention)
        case _:
            assert_never(who)


def _nobodys_mention(name: str) -> str:
    return name.replace("<", "").replace(">", "")
