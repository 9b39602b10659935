"""A stage for agent tests: a model that follows a script, the real graph, the real SQLite saver."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from bot.agents.agent import Agent
from bot.agents.build import build
from bot.agents.built import BuiltAgent, GraphBuilder
from bot.agents.savers import sqlite_saver
from bot.agents.schemas import ToolSchemas
from bot.agents.threads import Threads
from bot.approvals import ports
from bot.approvals.approval import Approval
from bot.approvals.conversation import Conversation, Said
from bot.approvals.decision import Decision, Edit
from bot.approvals.filing import approval_for
from bot.approvals.ids import ChannelId, ConversationId, MessageId, UserId
from bot.approvals.lookups import edited, looked_up
from bot.approvals.referents import Referents
from bot.approvals.thread import Interrupt

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
THREAD = ConversationId("thread-1")


class Scripted(BaseChatModel):
    """Says the script's lines; which one is next is seen from the history, so a new process goes on."""

    script: list[Any]
    _seen: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def seen(self) -> list[list[BaseMessage]]:
        return self._seen

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:  # noqa: ANN401, ARG002 - the base class has it so
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:  # noqa: ANN401, ARG002
        self._seen.append(list(messages))
        spoken = sum(1 for message in messages if isinstance(message, AIMessage))
        line = self.script[spoken] if spoken < len(self.script) else AIMessage("The end.")
        if isinstance(line, Exception):
            raise line
        return ChatResult(generations=[ChatGeneration(message=line.model_copy(deep=True))])

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:  # noqa: ANN401, ARG002
        return self._generate(messages)


def calls(*told: tuple[str, dict[str, Any]], ids: Sequence[str | None] | None = None) -> AIMessage:
    """The model's message with these tool calls."""
    names = ids or [f"c{number}" for number in range(len(told))]
    return AIMessage(
        content="",
        tool_calls=[
            {"name": tool, "args": arguments, "id": id}
            for (tool, arguments), id in zip(told, names, strict=True)
        ],
    )


class Stage:
    """One agent on its saver."""

    def __init__(self, built: BuiltAgent, model: BaseChatModel) -> None:
        self.built = built
        self.model = model
        self.threads = Threads(built, recursion_limit=40)
        self.tools = ToolSchemas(built)
        self.ports: tuple[ports.Agent, ports.Tools] = (self.threads, self.tools)

    async def say(self, text: str, id: str = "m1") -> str | None:
        return await self.threads.send(THREAD, [said(text, id)])

    async def interrupt(self) -> Interrupt:
        """The one pending interrupt."""
        (interrupt,) = (await self.threads.read(THREAD)).interrupts
        return interrupt

    async def approval(self, *decisions: Decision) -> Approval:
        """The pending approval, decided so."""
        interrupt = await looked_up(self.tools, await self.interrupt())
        edits = [
            await edited(self.tools, request.tool, decision.arguments) if isinstance(decision, Edit) else None
            for request, decision in zip(interrupt.requests, decisions, strict=True)
        ]
        return self.decided(interrupt, *decisions, edits=edits)

    def decided(
        self, interrupt: Interrupt, *decisions: Decision, edits: Sequence[Referents | None] = ()
    ) -> Approval:
        approval = approval_for(
            interrupt, CONVERSATION, requesters=frozenset({UserId("U1")}), tools=self.tools, at=NOON
        )
        found = edits or [None] * len(decisions)
        for action, decision, referents in zip(approval.actions, decisions, found, strict=True):
            approval = approval.decide(action.id, decision, by=UserId("U2"), at=NOON, referents=referents)
        return approval

    async def decide(self, *decisions: Decision) -> str | None:
        return await self.threads.resume(THREAD, await self.approval(*decisions))

    async def answer(self) -> str:
        answer = (await self.threads.read(THREAD)).answer
        assert answer is not None
        return answer.text

    async def results(self) -> list[str]:
        """What the model was told of its calls."""
        state = await self.built.graph.aget_state({"configurable": {"thread_id": THREAD}})
        return [str(message.text) for message in state.values["messages"] if isinstance(message, ToolMessage)]


CONVERSATION = Conversation(
    id=THREAD, channel=ChannelId("C1"), thread_ts=None, requester=UserId("U1"), started_at=NOON
)


def said(text: str, id: str = "m1") -> Said:
    return Said(id=MessageId(id), conversation=THREAD, by=UserId("U1"), text=text, at=NOON, source=f"C1/{id}")


@asynccontextmanager
async def stage(
    folder: Path, source: Agent | GraphBuilder, script: Sequence[Any] = (), model: BaseChatModel | None = None
) -> AsyncIterator[Stage]:
    """The agent, as a process would start it on the file in this folder."""
    speaking = model or Scripted(script=list(script))
    async with sqlite_saver(folder / "bot.db") as saver:
        yield Stage(build(source, name="test", model=speaking, checkpointer=saver), speaking)
