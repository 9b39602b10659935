"""The Home tab: what waits, and how to start."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from slack_sdk.models.blocks import (
    Block,
    ContextBlock,
    DividerBlock,
    HeaderBlock,
    MarkdownTextObject,
    PlainTextObject,
    SectionBlock,
)
from slack_sdk.models.views import View as SlackView

from bot.approvals.approval import Approval
from bot.approvals.ids import UserId
from bot.slack import verbs
from bot.slack.buttons import link
from bot.slack.headlines import names
from bot.slack.message import View
from bot.slack.text import clip, mention, moment
from bot.slack.votes import counted

MOST_SHOWN: Final = 30
"""Approvals on the tab; a Home tab takes 100 blocks."""
HOW_TO_START: Final = (
    "Type `/agent` and what you want done, mention me in a channel, or write to me directly. "
    "When I need somebody's approval, I ask in the thread, with buttons. "
    "`/agent help` tells the rest."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An approval that waits, as the Home tab shows it."""

    approval: Approval
    requester: UserId
    link: str = ""
    """The card's address; empty if it is not shown yet."""


def home(waiting: Sequence[Waiting]) -> View:
    """The tab for one person, given what waits for them, oldest first."""
    blocks: list[Block] = [
        _header("Waiting for a decision", "waiting"),
        *(block for number, each in enumerate(waiting[:MOST_SHOWN]) for block in _one(each, number)),
    ]
    if not waiting:
        blocks.append(_text("Nothing waits for you.", "nothing"))
    if (more := len(waiting) - MOST_SHOWN) > 0:
        blocks.append(_text(f"{more:,} more wait. `/agent pending` lists them.", "more"))
    blocks += [DividerBlock(block_id="line"), _header("How to start", "how"), _text(HOW_TO_START, "start")]
    return dict(SlackView(type="home", blocks=blocks).to_dict())


def _one(waiting: Waiting, number: int) -> list[Block]:
    approval = waiting.approval
    done = len(approval.actions) - len(approval.open)
    so_far = f" ({done} of {len(approval.actions)} decided)" if done else ""
    if len(approval.actions) == 1 and (votes := counted(approval.actions[0])):
        so_far = f" ({votes})"
    asked = f"Asked by {mention(waiting.requester)}, {moment(approval.asked_at)}"
    open_it = link(verbs.OPEN, "Open", waiting.link) if waiting.link else None
    said = MarkdownTextObject(text=clip(f"*{names(approval.open)}*{so_far}", 2_500), verbatim=True)
    return [
        SectionBlock(text=said, accessory=open_it, block_id=f"waiting.{number}"),
        ContextBlock(elements=[MarkdownTextObject(text=asked, verbatim=True)], block_id=f"asked.{number}"),
    ]


def _header(text: str, block_id: str) -> HeaderBlock:
    return HeaderBlock(text=PlainTextObject(text=text, emoji=True), block_id=block_id)


def _text(text: str, block_id: str) -> SectionBlock:
    return SectionBlock(text=MarkdownTextObject(text=text, verbatim=True), block_id=block_id)
