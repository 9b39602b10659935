"""What the loop can do next for a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from bot.approvals.approval import Approval, Shape
from bot.approvals.conversation import Said
from bot.approvals.ids import ConversationId
from bot.approvals.ports import Agent

STOPPED: Final = "Stopped by a person. The tool was not run."
STOPPED_IN_DOUBT: Final = "Stopped by a person. It is not known whether this call had run."
"""What the agent is told of the calls that a Stop ends."""


@dataclass(frozen=True, slots=True)
class Send:
    """Hand over what people said."""

    messages: Sequence[Said]


@dataclass(frozen=True, slots=True)
class Resume:
    """Tell the agent a settled approval."""

    approval: Approval


@dataclass(frozen=True, slots=True)
class Proceed:
    """Go on with what was cut off or failed."""


@dataclass(frozen=True, slots=True)
class AskAgain:
    """Have the agent ask anew what it asks, as its gates are now."""


@dataclass(frozen=True, slots=True)
class Abandon:
    """End what waits, so that nothing of it runs."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rest:
    """Nothing to do until somebody says or decides something."""


Doing: TypeAlias = Send | Resume | Proceed | AskAgain | Abandon
Step: TypeAlias = Doing | Rest


def stopped(asked: Sequence[Approval]) -> Abandon:
    """The step of a Stop, while people were asked about these."""
    doubtful = any(approval.shape is Shape.IN_DOUBT for approval in asked)
    return Abandon(STOPPED_IN_DOUBT if doubtful else STOPPED)


async def take(agent: Agent, id: ConversationId, step: Doing) -> str | None:
    """Take a step: what it failed with, or None. A `Resume` raises `Stale` if it does not fit."""
    match step:
        case Send(messages=messages):
            return await agent.send(id, messages)
        case Resume(approval=approval):
            return await agent.resume(id, approval)
        case Proceed():
            return await agent.proceed(id)
        case AskAgain():
            return await agent.ask_again(id)
        case Abandon(reason=reason):
            await agent.abandon(id, reason)
            return None
        case _:
            assert_never(step)
