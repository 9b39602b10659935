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
from bot.approvals.words import phrase, say
from bot.slack import verbs
from bot.slack.buttons import button

HELPFUL: Final = phrase("Helpful")
NOT_HELPFUL: Final = phrase("Not helpful")
_ABOUT: Final = phrase("answer of the agent")


def thumbs(id: PostId, *, plainly: bool = False) -> Block:
    """Up and down for this answer; as ordinary buttons where Slack does not take its own."""
    up, down = f"{Opinion.UP}:{id}", f"{Opinion.DOWN}:{id}"
    if plainly:
        return ActionsBlock(
            elements=[
                button(f"{verbs.FEEDBACK}_up", say("👍 Helpful"), up, about=say(_ABOUT)),
                button(f"{verbs.FEEDBACK}_down", say("👎 Not helpful"), down, about=say(_ABOUT)),
            ],
            block_id="feedback",
        )
    both = FeedbackButtonsElement(
        action_id=verbs.FEEDBACK,
        positive_button=FeedbackButtonObject(
            text=say(HELPFUL), value=up, accessibility_label=_heard(HELPFUL)
        ),
        negative_button=FeedbackButtonObject(
            text=say(NOT_HELPFUL), value=down, accessibility_label=_heard(NOT_HELPFUL)
        ),
    )
    return ContextActionsBlock(elements=[both], block_id="feedback")


def _heard(label: str) -> str:
    return say("{button} {about}", button=say(label), about=say(_ABOUT))
