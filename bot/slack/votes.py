"""Votes on a card: who gave theirs, how many more it takes, and from whom."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, assert_never

from slack_sdk.models.blocks import RichTextElement

from bot.approvals.action import Action, Decided, Vote, ends
from bot.approvals.who import ChannelMembers, Members, MembersOf, One, Requester, UserGroup, Who
from bot.slack.literal import in_line, person, plain, section
from bot.slack.text import mention

MOST_NAMED: Final = 8
"""People who are named; the others are counted."""
NEED: Final = 1_200
"""What a line about votes weighs at most, roughly."""
_HANDLE: Final = 40


def counted(action: Action) -> str:
    """`1 of 2`; empty where one vote is enough."""
    tally = action.tally
    return f"{tally.counted} of {tally.needed}" if tally.needed > 1 else ""


def so_far(action: Action) -> list[RichTextElement]:
    """Who voted, and who is missing, while it is open; nothing where one vote is enough."""
    if not counted(action):
        return []
    if not action.votes:
        return [section(plain("Votes needed: ", italic=True), *_missing(action))]
    lead = [plain("Votes: ", italic=True), plain(counted(action), bold=True), plain(": ")]
    return [section(*lead, *_people(action.votes), plain("; "), *_missing(action))]


def given(action: Action) -> list[RichTextElement]:
    """Who voted, when nothing came of it; nothing if nobody did."""
    if not action.votes:
        return []
    return [section(plain(f"{counted(action)} approved: "), *_people(action.votes))]


def by_whom(action: Action, decided: Decided) -> list[RichTextElement]:
    """Everybody whose vote the decision took."""
    return _people(_part_of(action, decided)) or [person(decided.by)]


def by_whom_in_words(action: Action, decided: Decided) -> str:
    """The same in mrkdwn."""
    people = [vote.by for vote in _part_of(action, decided)] or [decided.by]
    more = f" and {len(people) - MOST_NAMED} more" if len(people) > MOST_NAMED else ""
    return ", ".join(mention(id) for id in people[:MOST_NAMED]) + more


def overruled(action: Action, decided: Decided) -> list[RichTextElement]:
    """Who had approved what was rejected or answered then; nothing if nobody had."""
    before = [vote for vote in action.votes if vote.by != decided.by] if ends(decided.decision) else []
    return [section(plain("Approved before by "), *_people(before))] if before else []


def _part_of(action: Action, decided: Decided) -> Sequence[Vote]:
    return () if ends(decided.decision) else action.votes


def _people(votes: Sequence[Vote]) -> list[RichTextElement]:
    people = list(_joined([[person(vote.by)] for vote in votes[:MOST_NAMED]], ", "))
    more = len(votes) - MOST_NAMED
    return [*people, plain(f" and {more} more")] if more > 0 else people


def _missing(action: Action) -> Iterator[RichTextElement]:
    """`1 more of @release and 1 more of Bob or Carol`; or, where any of them would do, `1 more of …`."""
    tally = action.tally
    wanted = [(more, need.approvers) for more, need in zip(tally.more, action.needs, strict=True) if more]
    if not tally.is_definite:
        wanted = [(tally.missing, tuple(dict.fromkeys(who for _, group in wanted for who in group)))]
    word = "more of" if action.votes else "of"
    yield from _joined([[plain(f"{more} {word} "), *_any_of(group)] for more, group in wanted], " and ")


def _any_of(group: Sequence[Who]) -> list[RichTextElement]:
    named = [[_who(who)] for who in group[:MOST_NAMED]]
    more = len(group) - len(named)
    return [*_joined(named, " or "), *([plain(f" or {more} others")] if more else [])]


def _who(who: Who) -> RichTextElement:
    match who:
        case ChannelMembers():
            return plain("this channel")
        case Requester():
            return plain("whoever asked")
        case Members():
            return plain("this workspace")
        case One(id=id):
            return person(id)
        case UserGroup(id=id, handle=handle):
            return plain(in_line(f"@{handle or id}", _HANDLE)[0])
        case MembersOf(id=id, name=name):
            return plain(in_line(name or id, _HANDLE)[0])
        case _:
            assert_never(who)


def _joined(parts: Iterable[list[RichTextElement]], word: str) -> Iterator[RichTextElement]:
    for number, part in enumerate(parts):
        if number:
            yield plain(word)
        yield from part
