"""Asking about each call by itself, at the tool's door: what is decided runs while the others still wait.

LangChain has a mode like it, `per_call`, whose answers can neither turn a call into another tool nor say that
nobody decided. So the question here is its batched one about a single call, with that call's id:

    {"type": "tool_approval", "tool_call_id", "action_requests": [one], "review_configs": [one]}

It is answered like it, `{"decisions": [one]}`, and with one more kind of decision: `{"type": "expired"}`.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias, cast

from langchain.agents.middleware.types import AgentState, ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime, get_runtime
from langgraph.types import Command, interrupt

from bot.agents.built import Graph
from bot.agents.feedback import Approving, unwrapped
from bot.agents.snapshot import Snapshot
from bot.agents.verdicts import kept_verdict
from bot.agents.wire import EXPIRED_KIND

TYPE: Final = "tool_approval"
"""LangChain's own word for such a question."""
STEP: Final = "HumanInTheLoopMiddleware.after_model"
"""The step before the tools; in this mode it lets everything on to their doors."""

Result: TypeAlias = ToolMessage | Command[Any]
Handler: TypeAlias = Callable[[ToolCallRequest], Awaitable[Result]]


class ApprovingEach(Approving):
    """LangChain's approval, asked at each call's own door."""

    def after_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ARG002 - LangChain's
        """Nothing is asked here."""
        return None

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Handler) -> Result:
        """The tool's result, or what people said instead of it."""
        call = request.tool_call
        config = self.interrupt_on.get(call["name"])
        if config is None or not kept_verdict(request):
            return await handler(request)
        asked, review = self._create_action_and_config(call, config, request.state, get_runtime())
        question = {"type": TYPE, "tool_call_id": call["id"]}
        answer = interrupt({**question, "action_requests": [asked], "review_configs": [review]})
        (decision,) = answer["decisions"]
        if decision["type"] == EXPIRED_KIND:
            words = decision["message"]
            return ToolMessage(words, name=call["name"], tool_call_id=call["id"], status="error")
        _, said = self._process_decision(decision, call, config)
        if said is not None:
            return cast("ToolMessage", unwrapped(said))
        edited = decision.get("edited_action")
        if edited is None:
            return await handler(request)
        changed = self._apply_edit(request, edited)
        return self._annotate_edited_result(await handler(changed), changed, edited)


def asks_each(value: object) -> bool:
    """Whether an interrupt with this value asks about one call at its own door."""
    return isinstance(value, Mapping) and value.get("type") == TYPE and "tool_call_id" in value


async def leave_behind(graph: Graph, config: Any, snapshot: Snapshot) -> None:  # noqa: ANN401 - LangGraph's own type
    """Have the calls of this step that are open begin anew, with questions of other ids, when it goes on.

    To fork, as where one question is asked for all, would run again what has run beside them: so what has a
    result keeps it, and the step before the tools lets on only what has none.
    """
    results = [task.result for task in snapshot.state.tasks if isinstance(task.result, dict)]
    # All in one update, for each would let on all that has no result yet.
    kept: list[Command[Any]] = [Command(update=result) for result in results]
    await graph.aupdate_state(config, kept or None, as_node=STEP)
