"""What a policy says that never comes to anything: a rule that is silently not kept is worse than none."""

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Final, Protocol, assert_never

from bot.approvals.choosing import DECIDING
from bot.approvals.ids import UserId
from bot.approvals.places import MOST_MESSAGES, InChannel, InThread, ToApprovers
from bot.approvals.policy import (
    ChannelMembers,
    Members,
    MembersOf,
    One,
    Policy,
    Requester,
    Terms,
    UserGroup,
    Who,
)
from bot.approvals.quorum import seated
from bot.approvals.sayings import saying
from bot.approvals.times import NEVER
from bot.approvals.words import phrase
from bot.policy_names import Known

_SOMEBODY = "?"
"""Whoever asks; and, with a number, one of the many who are in a channel or in the workspace."""


class Times(Protocol):
    """What one section of the file says about times; None is what it does not say."""

    @property
    def remind_after(self) -> Sequence[timedelta] | None:
        """When the thread is reminded."""

    @property
    def escalate_after(self) -> timedelta | None:
        """When people are called in."""

    @property
    def escalate_to(self) -> Sequence[str] | None:
        """Who is called in."""


def impossible(terms: Terms, policy: Policy, known: Known) -> str | None:
    """Why people could never decide under these terms, whoever asks; None if they could."""
    if terms.by_function & DECIDING:
        return None  # a function says it, of each call; it is looked at then
    if set(terms.who) == {Requester()} and not terms.self_approval:
        return "only the requester may decide, but self_approval is false, so nobody could"
    wanted = sum(quorum.count for quorum in terms.quorums)
    most = max(_most(terms, known, {asker}) for asker in _askers(policy))
    if most >= wanted:
        return None
    if terms.require:
        return f"{wanted} votes of different people are wanted, but at most {most} can count"
    if not most:
        return f"nobody could ever decide{_but_asker(terms, known, most)}"
    them = f"there {'is' if most == 1 else 'are'} only {most}"
    return f"{wanted} approvers are wanted, but {them}{_but_asker(terms, known, most)}"


def _but_asker(terms: Terms, known: Known, most: int) -> str:
    """Why it may be fewer than are named."""
    return " besides whoever asks" if _most(terms, known, {None}) > most else ""


def _askers(policy: Policy) -> list[UserId | None]:
    """Who may ask: the people who are named, or None for somebody who is no approver."""
    named = [who.id for who in policy.requesters if isinstance(who, One)]
    return [*named] if len(named) == len(policy.requesters) else [None]


NOBODY_ELSE: Final = phrase(
    "nobody whom the policy's function named could decide it, for nobody does about their own request"
)
NEVER_ENOUGH: Final = phrase("{wanted} votes of different people are wanted, but at most {most} can count")
SHARED: Final = phrase(
    "{channel} is shared with another organisation; say `shared_channels = true` if that is meant"
)
NOT_TO_ALL: Final = phrase(
    "direct messages go to people and user groups by name, not to all of a channel or workspace"
)
TOO_MANY: Final = phrase("direct messages go to at most {most} people, and these are {count}")
"""What people are told of one call; what is wrong with a policy as it is written is told in English."""


def never_enough(terms: Terms, known: Known, requesters: frozenset[UserId]) -> str | None:
    """Why people could never decide what these have asked for; None if they could."""
    wanted = sum(quorum.count for quorum in terms.quorums)
    most = _most(terms, known, requesters)
    if most >= wanted:
        return None
    if not most:
        return saying(NOBODY_ELSE)
    return saying(NEVER_ENOUGH, wanted=wanted, most=most)


def _most(terms: Terms, known: Known, askers: Collection[UserId | None]) -> int:
    """The most votes that can count when these people ask."""
    counts = [quorum.count for quorum in terms.quorums]
    crowd = sum(counts)
    fits: dict[str, set[int]] = {}
    for position, quorum in enumerate(terms.quorums):
        for who in quorum.approvers:
            for id in _people(who, known, crowd):
                fits.setdefault(id, set()).add(position)
    barred = set() if terms.self_approval else {_SOMEBODY, *askers}
    return seated(counts, [positions for id, positions in fits.items() if id not in barred])


def _people(who: Who, known: Known, crowd: int) -> Iterator[str]:
    match who:
        case One(id=id):
            yield id
        case UserGroup(id=group):
            yield from known.members(group)
        case Requester():
            yield _SOMEBODY
        case ChannelMembers() | Members() | MembersOf():
            yield from (f"{_SOMEBODY}{number}" for number in range(crowd))


def misplaced(terms: Terms, known: Known) -> str | None:
    """Why the card could never stand where these terms want it; None if it could."""
    match terms.channel:
        case InChannel(id=id, name=name):
            if terms.shared_channels or not any(room.id == id and room.is_shared for room in known.rooms):
                return None
            return saying(SHARED, channel=name)
        case ToApprovers():
            return _too_many_messages(terms, known)
        case InThread():
            return None
        case _:
            assert_never(terms.channel)


def _too_many_messages(terms: Terms, known: Known) -> str | None:
    if any(isinstance(who, ChannelMembers | Members | MembersOf) for who in terms.who):
        return saying(NOT_TO_ALL)
    people = {id for who in terms.who for id in _people(who, known, 1)} | {*terms.escalate_to}
    if len(people) <= MOST_MESSAGES:
        return None
    return saying(TOO_MANY, most=MOST_MESSAGES, count=len(people))


def pointless(section: Times, terms: Terms) -> Iterator[tuple[str, str]]:
    """The keys of this section that would never come to anything, and why."""
    late = "is not before `expires_after`, so it would never happen"
    if section.remind_after and max(section.remind_after) >= terms.expires_after:
        yield "remind_after", late
    if section.escalate_after and NEVER != section.escalate_after >= terms.expires_after:
        yield "escalate_after", late
    if section.escalate_to and terms.escalate_after == NEVER:
        yield "escalate_to", "needs an `escalate_after`, or nobody would ever be called in"
    if section.escalate_after not in {None, NEVER} and section.escalate_to is None and not terms.escalate_to:
        yield "escalate_after", "needs an `escalate_to`, or nobody would be called in"


def never_reached(rules: Sequence[Sequence[str]], tools: Sequence[str] | None) -> Iterator[int]:
    """The rules, by position, that no tool comes to because earlier rules take all of theirs.

    `rules` are their patterns, `tools` the agent's, None where not all are known. A rule for no tool that the
    agent has is another matter.
    """
    for position, patterns in enumerate(rules):
        before = [pattern for earlier in rules[:position] for pattern in earlier]
        own = [tool for tool in tools or () if _matches(tool, patterns)]
        if all(_covered(pattern, before) for pattern in patterns) or (
            own and all(_matches(tool, before) for tool in own)
        ):
            yield position


def _matches(tool: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(tool, pattern) for pattern in patterns)


def _covered(pattern: str, before: Sequence[str]) -> bool:
    """Whether one of these takes every tool that the pattern takes, as far as the patterns alone tell."""
    return any(
        pattern == other or (not set(other) & set("?[") and fnmatchcase(pattern, other)) for other in before
    )
