"""Where conversations stand, for one person's eyes: `/agent status`, and the choice of `/agent cancel`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from slack_sdk.models.blocks import (
    ActionsBlock,
    Block,
    ButtonElement,
    ConfirmObject,
    MarkdownTextObject,
    PlainTextObject,
    RichTextBlock,
    RichTextElement,
    RichTextElementParts,
    SectionBlock,
)

from bot.approvals.asked_for import AskedFor
from bot.approvals.conversation import Conversation, Status
from bot.approvals.roster import ONE_AGENT, Roster
from bot.approvals.secrets import masked_text
from bot.approvals.words import phrase, say
from bot.slack import verbs
from bot.slack.answers import LONGEST_FALLBACK
from bot.slack.buttons import button
from bot.slack.literal import date, enumerated, in_between, in_line, person, plain, section, worded
from bot.slack.message import Message, as_json, size
from bot.slack.naming import in_a_line
from bot.slack.text import breadth, clip, entities
from bot.slack.votes import AND_MORE

LARGEST: Final = 11_500
"""Characters of JSON in one message; Slack fails near 13,200."""
MOST_SHOWN: Final = 20
LONGEST_WORDS: Final = 120
"""Characters of what was asked that a line shows."""
MOST_TOOLS: Final = 3

STATES: Final = {
    Status.WORKING: phrase("the agent works"),
    Status.WAITING: phrase("waits for a decision"),
    Status.FAILED: phrase("failed; Retry stands in the thread"),
    Status.RETRYING: phrase("is tried again"),
    Status.CANCELLING: phrase("is being stopped"),
    Status.IDLE: phrase("finished"),
}
OPEN: Final = phrase("Open the thread")
MORE: Final = phrase("… and {count:,} more.")
NO_WORDS: Final = phrase("(no words)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Some conversations under one title."""

    title: str
    """A sentence of ours, in the language that is spoken."""
    shown: Sequence[AskedFor]
    stoppable: bool = True
    """Whether a Stop stands at each that is under way: at the person's own."""


def listed(
    groups: Sequence[Group], workspace_url: str, below: Sequence[str] = (), roster: Roster = ONE_AGENT
) -> Message:
    """The groups that have anything in them, one below the other, with lines in mrkdwn `below`.

    What does not fit into one message is counted.
    """
    blocks: list[Block] = []
    lines: list[str] = []
    for number, group in enumerate(groups):
        blocks.append(_titled(group.title, f"{number}.title"))
        lines.append(group.title)
        for place, one in enumerate(group.shown):
            agent = roster.label(one.conversation.realm)
            drawn = _one(one, workspace_url, f"{number}.{place}", agent, stoppable=group.stoppable)
            if place == MOST_SHOWN or size(as_json([*blocks, *drawn])) > LARGEST:
                more = say(MORE, count=len(group.shown) - place)
                blocks.append(_titled(more, f"{number}.more"))
                lines.append(more)
                break
            blocks += drawn
            lines.append(f"• {entities(_words(one))}: {_stands(one.conversation)}{in_a_line(agent)}")
    if below:
        blocks.append(_markup("\n".join(below), "below"))
        lines += below
    return Message(text=clip("\n".join(lines), LONGEST_FALLBACK), blocks=as_json(blocks))


def link_to(conversation: Conversation, workspace_url: str) -> str:
    """The address of its thread; empty until the thread has a message."""
    if not conversation.thread_ts:
        return ""
    return f"{workspace_url}archives/{conversation.channel}/p{conversation.thread_ts.replace('.', '')}"


def _one(one: AskedFor, workspace_url: str, block_id: str, agent: str, *, stoppable: bool) -> list[Block]:
    words = plain(f"“{_words(one)}”", bold=True)
    line = worded("{at}: {stands}", at=date(one.conversation.started_at), stands=_stands(one.conversation))
    if one.conversation.status is Status.WAITING and (tools := _tools(one)):
        line = worded("{stands} about {tools}", stands=line, tools=tools)
    if not stoppable:
        line = worded("Asked by {who}, {stands}", who=person(one.conversation.requester), stands=line)
    url = link_to(one.conversation, workspace_url)
    link = RichTextElementParts.Link(url=url, text=say(OPEN)) if url else ""
    line = worded("{stands}{agent}. {link}", stands=line, agent=in_a_line(agent), link=link)
    told = RichTextBlock(elements=[section(words, plain("\n"), *line)], block_id=f"{block_id}.told")
    if not stoppable or not one.may_be_stopped:
        return [told]
    return [told, ActionsBlock(elements=[_stop(one)], block_id=f"{block_id}.stop")]


def _tools(one: AskedFor) -> Sequence[RichTextElement]:
    """Those about which people are asked."""
    tools = list(dict.fromkeys(action.tool for approval in one.waiting for action in approval.open))
    named = [[plain(in_line(tool, 80)[0] or '""', code=True)] for tool in tools[:MOST_TOOLS]]
    more = len(tools) - MOST_TOOLS
    return worded(AND_MORE, before=in_between(named), count=more) if more > 0 else enumerated(named)


def _stop(one: AskedFor) -> ButtonElement:
    words = _words(one)
    element = button(verbs.STOP_OWN, say("Stop"), one.conversation.id, about=words)
    element.confirm = ConfirmObject(
        title=say("Stop the agent?"),
        text=PlainTextObject(text=say("What runs now ends; what waits is withdrawn, and none of it runs.")),
        confirm=say("Stop"),
        deny=say("Go on"),
        style="danger",
    )
    return element


def _stands(conversation: Conversation) -> str:
    return say(STATES[conversation.status])


def _words(one: AskedFor) -> str:
    return in_line(masked_text(one.words).strip(), LONGEST_WORDS, breadth)[0] or say(NO_WORDS)


def _titled(sentence: str, block_id: str) -> SectionBlock:
    return _markup(f"*{sentence}*", block_id)


def _markup(text: str, block_id: str) -> SectionBlock:
    return SectionBlock(text=MarkdownTextObject(text=clip(text, 2_800), verbatim=True), block_id=block_id)
