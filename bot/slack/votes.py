"""Votes on a card: who gave theirs, how many more it takes, and from whom."""

from collections.abc import Sequence
from typing import Final, assert_never

from slack_sdk.models.blocks import RichTextElement

from bot.approvals.action import Action, Decided, Vote, ends
from bot.approvals.who import ChannelMembers, Members, MembersOf, One, Requester, UserGroup, Who
from bot.approvals.words import OR, listed, phrase, say
from bot.slack.literal import channel, enumerated, in_between, in_line, person, plain, section, worded
from bot.slack.text import mention

MOST_NAMED: Final = 8
"""People who are named; the others are counted."""
AND_MORE: Final = phrase("{before} and {count} more")
NEED: Final = 1_200
"""What a line about votes weighs at most, roughly."""
_HANDLE: Final = 40


def counted(action: Action) -> str:
    """`1 of 2`; empty where one vote is enough."""
    tally = action.tally
    if tally.needed == 1:
        return ""
    return say("{counted} of {needed}", counted=tally.counted, needed=tally.needed)


def so_far(action: Action) -> list[RichTextElement]:
    """Who voted, and who is missing, while it is open; nothing where one vote is enough."""
    if not counted(action):
        return []
    if not action.votes:
        return [section(*worded("Votes needed: ", italic=True), *_missing(action))]
    lead = [*worded("Votes: ", italic=True), plain(counted(action), bold=True), plain(say(": "))]
    return [section(*lead, *_people(action.votes), plain(say("; ")), *_missing(action))]


def given(action: Action) -> list[RichTextElement]:
    """Who voted, when nothing came of it; nothing if nobody did."""
    if not action.votes:
        return []
    people = _people(action.votes)
    return [section(*worded("{counted} approved: {people}", counted=counted(action), people=people))]


def by_whom(action: Action, decided: Decided) -> list[RichTextElement]:
    """Everybody whose vote the decision took."""
    return _people(_part_of(action, decided)) or [person(decided.by)]


def by_whom_in_words(action: Action, decided: Decided) -> str:
    """The same in mrkdwn."""
    people = [vote.by for vote in _part_of(action, decided)] or [decided.by]
    named = [mention(id) for id in people[:MOST_NAMED]]
    more = len(people) - MOST_NAMED
    return say(AND_MORE, before=say(", ").join(named), count=more) if more > 0 else listed(named)


def overruled(action: Action, decided: Decided) -> list[RichTextElement]:
    """Who had approved what was rejected or answered then; nothing if nobody had."""
    before = [vote for vote in action.votes if vote.by != decided.by] if ends(decided.decision) else []
    return [section(*worded("Approved before by {people}", people=_people(before)))] if before else []


def _part_of(action: Action, decided: Decided) -> Sequence[Vote]:
    return () if ends(decided.decision) else action.votes


def _people(votes: Sequence[Vote]) -> list[RichTextElement]:
    named = [[person(vote.by)] for vote in votes[:MOST_NAMED]]
    more = len(votes) - MOST_NAMED
    people = worded(AND_MORE, before=in_between(named), count=more) if more > 0 else enumerated(named)
    return list(people)


def _missing(action: Action) -> Sequence[RichTextElement]:
    """`1 more of @release and 1 more of Bob or Carol`; or, where any of them would do, `1 more of …`."""
    tally = action.tally
    wanted = [(more, need.approvers) for more, need in zip(tally.more, action.needs, strict=True) if more]
    if not tally.is_definite:
        wanted = [(tally.missing, tuple(dict.fromkeys(who for _, group in wanted for who in group)))]
    words = phrase("{count} more of {people}") if action.votes else phrase("{count} of {people}")
    return enumerated([worded(words, count=more, people=_any_of(group)) for more, group in wanted])


def _any_of(group: Sequence[Who]) -> Sequence[RichTextElement]:
    named = [[_who(who)] for who in group[:MOST_NAMED]]
    if more := len(group) - len(named):
        return worded("{before} or {count} others", before=in_between(named), count=more)
    return enumerated(named, OR)


def _who(who: Who) -> RichTextElement:
    match who:
        case ChannelMembers(name=name) if name:
            return plain(in_line(name, _HANDLE)[0])
        case ChannelMembers():
            return plain(say("this channel"))
        case Requester():
            return plain(say("whoever asked"))
        case Members():
            return plain(say("this workspace"))
        case One(id=id):
            return person(id)
        case UserGroup(id=id, handle=handle):
            return plain(in_line(f"@{handle or id}", _HANDLE)[0])
        case MembersOf(id=id, name=""):
            return channel(id)
        case MembersOf(name=name):
            return plain(in_line(name, _HANDLE)[0])
        case _:
            assert_never(who)
