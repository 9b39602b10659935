"""The top of a card: who asks for what, and who may decide about it until when."""

from collections import Counter
from collections.abc import Sequence
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
from bot.approvals.sayings import uttered
from bot.approvals.words import listed, phrase, say, say_many
from bot.slack import glance
from bot.slack.doubts import is_doubt
from bot.slack.literal import enumerated, in_between, in_line, person, plain, section, worded
from bot.slack.text import clip, entities, mention, moment, own_words

MOST_CALLS: Final = 3
"""Calls that are told by name in one line; the others are counted."""
AND_MORE: Final = phrase("{before} and {count:,} more")
_MOST_GROUPS: Final = 3
_QUESTION: Final = 160
"""Characters of a question."""
_DECIDERS: Final = 600
"""Characters of who may decide about one call."""


def asks(approval: Approval, requester: UserId) -> Block:
    """The line below the headline: who asks for which calls, and what these are done to."""
    calls = _calls(approval)
    asked = worded(_lead(approval, calls), who=person(requester), calls=_told(calls))
    return RichTextBlock(elements=[section(*asked)], block_id=f"{approval.version}.who")


def _told(calls: Sequence[Action]) -> Sequence[RichTextElement]:
    if len(calls) == 1:
        return _question(calls[0]) if _is_question(calls[0]) else list(glance.drawn(calls[0]))
    each = [list(glance.drawn(action)) for action in calls]
    told = enumerated(each) if len(calls) <= MOST_CALLS else _counted(calls)
    return worded("{count:,} calls: {calls}", count=len(calls), calls=told)


def _counted(calls: Sequence[Action]) -> Sequence[RichTextElement]:
    """Of many calls the tools alone; what each is done to stands below."""
    tools = Counter(action.tool for action in calls).most_common()
    each: list[Sequence[RichTextElement]] = []
    for tool, times in tools[:MOST_CALLS]:
        name = plain(in_line(tool, 60)[0] or '""', code=True)
        each.append(worded("{tool} ({times:,} times)", tool=name, times=times) if times > 1 else [name])
    more = len(tools) - len(each)
    return worded(AND_MORE, before=in_between(each), count=more) if more else enumerated(each)


def asks_in_words(approval: Approval, requester: UserId) -> str:
    """The same as the words of a sentence, escaped, for those who read or hear nothing but text."""
    calls = _calls(approval)
    told = [entities(glance.in_words(action)) for action in calls[:MOST_CALLS]]
    if len(calls) == 1 and _is_question(calls[0]):
        question = glance.told(calls[0], _QUESTION)[0].value
        told = [say("“{question}”", question=entities(question))]
    more = len(calls) - len(told)
    every = say(AND_MORE, before=say(", ").join(told), count=more) if more else listed(told)
    return say(_lead(approval, calls), who=mention(requester), calls=every)


def decides(approval: Approval) -> Block:
    """The line below: who may decide, how many votes are missing, until when, and since when it waits."""
    parts = []
    if approval.state is State.WAITING:
        parts = [*who_decides(approval), *votes_missing(approval)]
        if approval.expires_at:
            parts.append(say("Open until {when}", when=moment(approval.expires_at)))
        if approval.escalated_to:
            people = listed([mention(id) for id in sorted(approval.escalated_to)])
            parts.append(say("Called in: {people}", people=people))
    parts.append(say("Asked {when}", when=moment(approval.asked_at)))
    told = " ".join(say("{sentence}.", sentence=part) for part in parts)
    text = MarkdownTextObject(text=told, verbatim=True)
    return ContextBlock(elements=[text], block_id=f"{approval.version}.asked")


def who_decides(approval: Approval) -> list[str]:
    """By the policy's words, for all open calls or for each; nothing where nobody said so."""
    by_words: dict[str, list[str]] = {}
    for action in approval.open:
        by_words.setdefault(action.asked.briefing.deciders, []).append(action.asked.tool)
    by_words.pop("", None)
    if len(by_words) == 1 and sum(map(len, by_words.values())) == len(approval.open):
        return [say("To decide: {people}", people=_decider(words)) for words in by_words]
    told = [
        say("To decide about {tools}: {people}", tools=_those(tools), people=_decider(words))
        for words, tools in list(by_words.items())[:_MOST_GROUPS]
    ]
    more = len(by_words) - len(told)
    rules = say_many(
        "{count:,} more rule, which its call tells", "{count:,} more rules, which each call tells", more
    )
    return [*told, rules] if more > 0 else told


def votes_missing(approval: Approval) -> list[str]:
    """How many votes the one call still takes, where it takes more than one."""
    if len(approval.open) != 1 or approval.open[0].tally.needed == 1:
        return []
    missing = approval.open[0].tally.missing
    return [say_many("{count} more vote is needed", "{count} more votes are needed", missing)]


def _calls(approval: Approval) -> Sequence[Action]:
    if approval.state is State.WAITING:
        return [action.asked for action in approval.open]
    return approval.actions


def _lead(approval: Approval, calls: Sequence[Action]) -> str:
    """The sentence about `who` asked for which `calls`."""
    is_past = approval.state is not State.WAITING or is_doubt(approval)
    if len(calls) == 1 and _is_question(calls[0]):
        asks = phrase("For {who} the agent asks: {calls}")
        return phrase("For {who} the agent asked: {calls}") if is_past else asks
    return phrase("{who} asked for {calls}") if is_past else phrase("{who} asks for {calls}")


def _is_question(action: Action) -> bool:
    return action.allowed == {DecisionKind.RESPOND} and set(action.arguments) >= {"question"}


def _question(action: Action) -> list[RichTextElement]:
    words = glance.told(action, _QUESTION)
    return [plain(words[0].value, italic=words[0].ours, code=not words[0].ours)]


def _decider(words: str) -> str:
    return clip(own_words(uttered(words)), _DECIDERS)


def _those(tools: Sequence[str]) -> str:
    first, more = entities(in_line(tools[0], 60)[0]), len(tools) - 1
    return say(AND_MORE, before=first, count=more) if more else first
