"""The top of a card: who asks for what, and who may decide about it until when."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from slack_sdk.models.blocks import (
    Block,
    ContextBlock,
    MarkdownTextObject,
    RichTextBlock,
    RichTextElement,
)

from bot.approvals.approval import Action, Approval, State
from bot.approvals.decision import DecisionKind
from bot.approvals.ids import UserId
from bot.slack import glance
from bot.slack.doubts import is_doubt
from bot.slack.literal import in_line, person, plain, section
from bot.slack.text import clip, entities, mention, moment, own_words

MOST_CALLS: Final = 3
"""Calls that are told by name in one line; the others are counted."""
_MOST_GROUPS: Final = 3
_DECIDERS: Final = 600
"""Characters of who may decide about one call."""


def asks(approval: Approval, requester: UserId) -> Block:
    """The line below the headline: who asks for which calls, and what these are done to."""
    calls = _calls(approval)
    told = calls[:MOST_CALLS]
    before, after = _lead(approval, calls)
    pieces = [*([plain(before)] if before else []), person(requester), plain(after)]
    if len(calls) > 1:
        pieces.append(plain(f"{len(calls):,} calls: "))
    if len(calls) > len(told):
        return _line(approval, [*pieces, *_counted(calls)])
    for number, action in enumerate(told):
        if number:
            pieces.append(plain(" and " if number == len(calls) - 1 else ", "))
        alone = len(calls) == 1 and _is_question(action)
        pieces += _question(action) if alone else glance.drawn(action)
    return _line(approval, pieces)


def _line(approval: Approval, pieces: Sequence[RichTextElement]) -> Block:
    return RichTextBlock(elements=[section(*pieces)], block_id=f"{approval.version}.who")


def _counted(calls: Sequence[Action]) -> Iterator[RichTextElement]:
    """Of many calls the tools alone; what each is done to stands below."""
    tools = Counter(action.tool for action in calls).most_common()
    for number, (tool, times) in enumerate(tools[:MOST_CALLS]):
        yield from [plain(", ")] if number else []
        yield plain(in_line(tool, 60)[0] or '""', code=True)
        yield from [plain(f" ({times:,} times)")] if times > 1 else []
    if (more := len(tools) - MOST_CALLS) > 0:
        yield plain(f" and {more:,} more")


def asks_in_words(approval: Approval, requester: UserId) -> str:
    """The same as the words of a sentence, escaped, for those who read or hear nothing but text."""
    calls = _calls(approval)
    told = [entities(glance.in_words(action)) for action in calls[:MOST_CALLS]]
    more = len(calls) - len(told)
    listed = ", ".join(told) + (f" and {more:,} more" if more else "")
    before, after = _lead(approval, calls)
    return f"{before}{mention(requester)}{after}{listed}"


def decides(approval: Approval) -> Block:
    """The line below: who may decide, how many votes are missing, until when, and since when it waits."""
    parts = []
    if approval.state is State.WAITING:
        parts = [*who_decides(approval), *votes_missing(approval)]
        if approval.expires_at:
            parts.append(f"Open until {moment(approval.expires_at)}")
        if approval.escalated_to:
            parts.append(f"Called in: {' '.join(mention(id) for id in sorted(approval.escalated_to))}")
    parts.append(f"Asked {moment(approval.asked_at)}")
    text = MarkdownTextObject(text=f"{'. '.join(parts)}.", verbatim=True)
    return ContextBlock(elements=[text], block_id=f"{approval.version}.asked")


def who_decides(approval: Approval) -> list[str]:
    """By the policy's words, for all open calls or for each; nothing where nobody said so."""
    by_words: dict[str, list[str]] = {}
    for action in approval.open:
        by_words.setdefault(action.asked.briefing.deciders, []).append(action.asked.tool)
    by_words.pop("", None)
    if len(by_words) == 1 and sum(map(len, by_words.values())) == len(approval.open):
        return [f"To decide: {_decider(words)}" for words in by_words]
    told = [
        f"To decide about {entities(in_line(tools[0], 60)[0])}{_others(tools)}: {_decider(words)}"
        for words, tools in list(by_words.items())[:_MOST_GROUPS]
    ]
    more = len(by_words) - len(told)
    return [*told, f"{more:,} more rules, which each call tells"] if more > 0 else told


def votes_missing(approval: Approval) -> list[str]:
    """How many votes the one call still takes, where it takes more than one."""
    if len(approval.open) != 1 or approval.open[0].tally.needed == 1:
        return []
    missing = approval.open[0].tally.missing
    return [f"{missing} more vote{' is' if missing == 1 else 's are'} needed"]


def _calls(approval: Approval) -> Sequence[Action]:
    if approval.state is State.WAITING:
        return [action.asked for action in approval.open]
    return approval.actions


def _lead(approval: Approval, calls: Sequence[Action]) -> tuple[str, str]:
    """What stands before and after whoever asked."""
    is_past = approval.state is not State.WAITING or is_doubt(approval)
    if len(calls) == 1 and _is_question(calls[0]):
        return "For ", " the agent asked: " if is_past else " the agent asks: "
    return "", " asked for " if is_past else " asks for "


def _is_question(action: Action) -> bool:
    return action.allowed == {DecisionKind.RESPOND} and set(action.arguments) >= {"question"}


def _question(action: Action) -> list[RichTextElement]:
    words = glance.told(action, 160)
    return [plain(words[0].value, italic=words[0].ours, code=not words[0].ours)]


def _decider(words: str) -> str:
    return clip(own_words(words), _DECIDERS)


def _others(tools: Sequence[str]) -> str:
    return f" and {len(tools) - 1:,} more" if len(tools) > 1 else ""
