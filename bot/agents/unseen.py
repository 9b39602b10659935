"""Refuses to resume with what people were not shown. Pure."""

from typing import Final

from bot.approvals.approval import Action, Approval
from bot.approvals.binding import digest
from bot.approvals.errors import Drifted, Stale
from bot.approvals.ids import ConversationId
from bot.approvals.referents import Referents
from bot.approvals.sayings import saying
from bot.approvals.thread import ActionRequest, Interrupt
from bot.approvals.words import phrase

NOT_SHOWN: Final = phrase("what the agent asks is not what was shown")


def refuse_unseen(
    thread: ConversationId, approval: Approval, interrupt: Interrupt, *, asks_each: bool
) -> None:
    """What runs is what was shown: each action is what it was when it was kept, and what is pending now.

    `Stale` if not. Where the agent `asks_each` call at its own door, that is done anew whenever another call
    goes on; then other decisions mean other gates, which is `Drifted`.
    """
    if approval.shape is not interrupt.shape or len(approval.actions) != len(interrupt.requests):
        raise Stale(saying(NOT_SHOWN))
    for action, request in zip(approval.actions, interrupt.requests, strict=True):
        if action.digest != _digest(thread, interrupt, action, action.referents):
            raise Stale(saying("what is kept of this request is not what was asked"))
        if action.digest != _digest(thread, interrupt, request, action.referents):
            raise Stale(saying(NOT_SHOWN))
        if action.allowed != request.allowed:
            raise (Drifted if asks_each else Stale)(
                saying("the decisions that `{tool}` takes are others by now", tool=action.tool)
            )


def _digest(
    thread: ConversationId,
    interrupt: Interrupt,
    asked: Action | ActionRequest,
    referents: Referents | None,
) -> str:
    return digest(
        tool=asked.tool,
        arguments=asked.arguments,
        thread=thread,
        interrupt=interrupt.id,
        call=asked.call,
        referents=referents,
    )
