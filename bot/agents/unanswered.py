"""When an expired call takes no decision that would not run it: what its agent is told instead of an answer.

LangChain takes only the decisions of its list, and a wrong one poisons the thread. A gate that allows approve
alone has none for "nobody decided". Then the interrupt is not answered: every call of the message that is
open gets what became of it as its result, nothing runs, and the agent goes on from there.
"""

from collections.abc import Mapping
from typing import Final, assert_never

from langchain_core.messages import ToolMessage

from bot.agents.cancelling import open_calls
from bot.agents.feedback import USUAL, Feedback
from bot.agents.snapshot import Snapshot
from bot.agents.wire import encodable, kind_told
from bot.approvals.approval import Action, Approval, LetThrough
from bot.approvals.decision import Approve, Edit, Reject, Respond

NOT_RUN: Final = (
    "This call did not run, because another one of the same message expired: ask again if it is needed."
)
"""For a call that nobody was asked about."""

APPROVED: Final = (
    "This call was approved, but did not run, because another one of the same request expired: "
    "ask again if it is needed."
)


def is_unanswerable(approval: Approval) -> bool:
    """Whether LangChain has no answer for this approval: something in it expired that can only be run."""
    return any(action.outcome and kind_told(action) is None for action in approval.actions)


def results(snapshot: Snapshot, approval: Approval, feedback: Feedback = USUAL) -> list[ToolMessage]:
    """A result for each call that is open, by what was decided about it."""
    told: Mapping[str, str] = {
        action.call: _told(action, feedback) for action in approval.actions if action.call
    }
    return [
        message.model_copy(update={"content": told[message.tool_call_id]})
        if message.tool_call_id in told
        else message
        for message in open_calls(snapshot, NOT_RUN)
    ]


def _told(action: Action, feedback: Feedback) -> str:
    if isinstance(action.outcome, LetThrough):
        return NOT_RUN
    if action.decided is None:
        return feedback.of_expired(action.tool)
    match action.decided.decision:
        case Approve() | Edit():
            return APPROVED
        case Reject(reason=reason):
            usual = f"Rejected by a person. {reason}".strip()
            return encodable(feedback.of_rejected(action.tool, reason) or usual)
        case Respond(message=message):
            return encodable(message)
        case _:
            assert_never(action.decided.decision)
