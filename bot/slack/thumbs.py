"""The thumbs below an answer."""

from typing import Final

from slack_sdk.models.blocks import (
    ActionsBlock,
    Block,
    ContextActionsBlock,
    FeedbackButtonObject,
    FeedbackButtonsElement,
)

from bot.approvals.ids import PostId
from bot.approvals.opinions import Opinion
from bot.slack import verbs
from bot.slack.buttons import button

HELPFUL: Final = "Helpful"
NOT_HELPFUL: Final = "Not helpful"
_ABOUT: Final = "answer of the agent"


def thumbs(id: PostId, *, plainly: bool = False) -> Block:
    """Up and down for this answer; as ordinary buttons where Slack does not take its own."""
    up, down = f"{Opinion.UP}:{id}", f"{Opinion.DOWN}:{id}"
    if plainly:
        return ActionsBlock(
            elements=[
                button(f"{verbs.FEEDBACK}_up", f"👍 {HELPFUL}", up, about=_ABOUT),
                button(f"{verbs.FEEDBACK}_down", f"👎 {NOT_HELPFUL}", down, about=_ABOUT),
            ],
            block_id="feedback",
        )
    both = FeedbackButtonsElement(
        action_id=verbs.FEEDBACK,
        positive_button=FeedbackButtonObject(
            text=HELPFUL, value=up, accessibility_label=f"{HELPFUL} {_ABOUT}"
        ),
        negative_button=FeedbackButtonObject(
            text=NOT_HELPFUL, value=down, accessibility_label=f"{NOT_HELPFUL} {_ABOUT}"
        ),
    )
    return ContextActionsBlock(elements=[both], block_id="feedback")
