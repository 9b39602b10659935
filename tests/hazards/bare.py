"""LangChain's approval with nothing of the bot around it: a scripted model, and tools that note what ran."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, Interrupt

from tests.agents.stage import Scripted

CONFIG: Any = {"configurable": {"thread_id": "thread-1"}}
APPROVE: Any = {"type": "approve"}
REJECT: Any = {"type": "reject"}


class Bare:
    """One agent, asked to go in one thread."""

    def __init__(
        self,
        script: Sequence[AIMessage],
        interrupt_on: Mapping[str, Any] | None = None,
        *,
        saver: BaseCheckpointSaver[Any] | None = None,
        outside: Sequence[AgentMiddleware[Any, Any, Any]] = (),
        **approval: Any,  # noqa: ANN401 - the middleware's own options
    ) -> None:
        self.ran: list[tuple[str, str]] = []
        asking = dict(interrupt_on if interrupt_on is not None else {"send": True, "wipe": True})
        self.saver = saver or InMemorySaver()
        self.graph: Any = create_agent(
            Scripted(script=list(script)),
            tools=self._tools(),
            middleware=[*outside, HumanInTheLoopMiddleware(asking, **approval)],
            checkpointer=self.saver,
        )

    def _tools(self) -> list[Any]:
        @tool
        async def send(to: str) -> str:
            """Send a letter."""
            self.ran.append(("send", to))
            return f"sent to {to}"

        @tool
        async def wipe(disk: str) -> str:
            """Wipe a disk."""
            self.ran.append(("wipe", disk))
            return f"wiped {disk}"

        return [send, wipe]

    async def go(self) -> Sequence[Interrupt]:
        """Let the model speak; what is asked then, as LangGraph orders it."""
        told = await self.graph.ainvoke({"messages": [("user", "go")]}, CONFIG, durability="sync")
        return list(told.get("__interrupt__", ()))

    async def pending(self) -> Sequence[Interrupt]:
        """What the state says that it waits for."""
        pending: Sequence[Interrupt] = (await self.graph.aget_state(CONFIG)).interrupts
        return pending

    async def decide(self, *decisions: Any) -> None:  # noqa: ANN401 - right ones and wrong ones
        """Answer the one interrupt by its id."""
        [asked] = await self.pending()
        await self.answer({asked.id: {"decisions": list(decisions)}})

    async def answer(self, told: Any) -> None:  # noqa: ANN401 - whatever somebody resumes with
        await self.graph.ainvoke(Command(resume=told), CONFIG, durability="sync")


async def changed(graph: Any, thread: str = "thread-1", **arguments: object) -> None:  # noqa: ANN401 - any graph
    """Write other arguments into the call that people are asked about, behind their backs."""
    config: Any = {"configurable": {"thread_id": thread}}
    message = (await graph.aget_state(config)).values["messages"][-1]
    [call] = message.tool_calls
    written = message.model_copy(update={"tool_calls": [{**call, "args": {**call["args"], **arguments}}]})
    await graph.aupdate_state(config, {"messages": [written]}, as_node="model")


def edit(tool: str, **arguments: str) -> Any:  # noqa: ANN401 - a decision
    return {"type": "edit", "edited_action": {"name": tool, "args": arguments}}
