"""The clean stop of a conversation, whoever wants it: a person in Slack, or an operator."""

from dataclasses import replace
from functools import partial
from typing import Final, Protocol

from bot.approvals import ids
from bot.approvals.approval import State
from bot.approvals.conversation import Conversation, Status
from bot.approvals.decision import Json
from bot.approvals.errors import Refused
from bot.approvals.filing import running, withdraw
from bot.approvals.ids import ConversationId, UserId
from bot.approvals.ports import Clock, Event, Jobs, Transaction
from bot.approvals.sayings import saying
from bot.approvals.turns import no_longer_wait
from bot.approvals.words import phrase, say

OPERATOR: Final = phrase("an operator")
"""Who does something that nobody in Slack asked for."""

UNHEARD: Final = "unheard"
"""In the record: the ids of the messages that a Stop took with it, of which one may have been on its way."""

FINISHED: Final = phrase("This is finished already, so there was nothing to stop.")
BEING_STOPPED: Final = phrase("This is being stopped already; its thread says when it is done.")


class Halting(Protocol):
    """Whatever agents run."""

    def halt(self, thread: ConversationId) -> None:
        """Let what runs in this thread end, and begin nothing more; does nothing if none is under way."""


def check_stoppable(conversation: Conversation) -> None:
    """`Refused` if a Stop would end nothing: its button stands where it stood, and two may press it."""
    match conversation.status:
        case Status.IDLE:
            raise Refused(say(FINISHED))
        case Status.CANCELLING:
            raise Refused(say(BEING_STOPPED))
        case _:
            pass


async def stop(
    tx: Transaction, jobs: Jobs, agent: Halting, conversation: Conversation, *, by: UserId | None, now: Clock
) -> None:
    """Close what is open, so that nothing that waits will run; `by` is None for an operator.

    A tool may be running at this moment: it ends, and nothing is begun after it. The loop, which holds the
    thread, closes what is left then.
    """
    note = saying("stopped by {who}", who=f"<@{by}>" if by else saying(OPERATOR))
    await tx.conversations.save(replace(conversation, status=Status.CANCELLING))
    for approval in await tx.approvals.of(conversation.id, State.WAITING):
        await withdraw(tx, jobs, approval, note, now())
    # What was said before is stopped with the rest; what is said from now on starts anew.
    kept = await tx.conversations.kept(conversation.id)
    await tx.conversations.hand_over([said.id for said in kept])
    await no_longer_wait(tx, jobs, kept)
    unheard: dict[str, Json] = {UNHEARD: [said.id for said in kept]} if kept else {}
    await tx.record.append(
        Event(kind="stopped", at=now(), conversation=conversation.id, actor=by, detail=unheard)
    )
    await jobs.owe(tx, running(conversation.id, f"stop:{ids.fresh()}"))
    tx.on_commit(partial(agent.halt, conversation.id))  # what runs in another process looks by itself
