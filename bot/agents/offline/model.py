"""A chat model that needs no network: plans from the latest words, calls tools round by round, closes."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from bot.agents.offline.calls import Schemas
from bot.agents.offline.outcomes import How, Outcome, outcomes
from bot.agents.offline.parse import parse
from bot.agents.offline.plan import Call, Plan, ResultOf, Retry, Step
from bot.agents.offline.wording import INTRODUCTION, NOTHING_TO_RETRY, closing, help_text


class OfflineModel(BaseChatModel):
    """The stand-in. The same messages always get the same reply."""

    @property
    def _llm_type(self) -> str:
        return "offline"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,  # noqa: ARG002 - a forced choice is nothing that it can follow
        **kwargs: Any,  # noqa: ANN401 - the base class has it so
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with these tools at hand."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the base class has it so
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ANN401
    ) -> ChatResult:
        message = reply(messages, _schemas(kwargs.get("tools") or ()))
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ANN401
    ) -> ChatResult:
        return self._generate(messages, stop, None, **kwargs)


def reply(messages: Sequence[BaseMessage], schemas: Schemas) -> AIMessage:
    """The next message: the calls of the next round, or the closing words."""
    before, said, after = _split(messages)
    plan = _plan(said, schemas)
    made = sum(1 for message in after if isinstance(message, AIMessage) and message.tool_calls)
    ended = list(outcomes(after))
    rounds = (list(_calls(part, before, ended)) for part in plan.rounds)
    for index, calls in enumerate(filter(None, rounds)):
        if index == made:
            return AIMessage(content="", tool_calls=_identified(calls, said, len(messages)))
    return AIMessage(content=_closing(plan, ended, schemas, first=not _introduced(before)))


def _split(
    messages: Sequence[BaseMessage],
) -> tuple[Sequence[BaseMessage], Sequence[HumanMessage], Sequence[BaseMessage]]:
    """What was before the latest words of people, those words, and what came of them."""
    end = len(messages)
    while end and not isinstance(messages[end - 1], HumanMessage):
        end -= 1
    begin = end
    while begin and isinstance(messages[begin - 1], HumanMessage):
        begin -= 1
    said = [message for message in messages[begin:end] if isinstance(message, HumanMessage)]
    return messages[:begin], said, messages[end:]


def _plan(said: Sequence[HumanMessage], schemas: Schemas) -> Plan:
    plans = [parse(str(message.text), schemas) for message in said]
    return Plan(
        rounds=tuple(part for plan in plans for part in plan.rounds),
        not_understood=tuple(text for plan in plans for text in plan.not_understood),
    )


def _calls(
    steps: Sequence[Step], before: Sequence[BaseMessage], ended: Sequence[Outcome]
) -> Iterator[tuple[str, dict[str, Any]]]:
    for step in steps:
        match step:
            case Call(tool, arguments):
                filled = {name: _filled(value, ended) for name, value in arguments.items()}
                if None not in filled.values():
                    yield tool, filled
            case Retry(words):
                yield from _again(words, before)


def _filled(value: object, ended: Sequence[Outcome]) -> object:
    """The value; for the result of a reading that text, or None where the reading did not succeed."""
    if not isinstance(value, ResultOf):
        return value
    return next(
        (
            outcome.text
            for outcome in reversed(ended)
            if outcome.tool == "read_file" and outcome.arguments.get("path") == value.path
            if outcome.how is How.DONE
        ),
        None,
    )


def _again(words: str, before: Sequence[BaseMessage]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls of the latest turn that has such: what failed, or else expired, or else was rejected."""
    for turn in _turns_backwards(before):
        ended = [outcome for outcome in outcomes(turn) if _matches(outcome, words)]
        for how in (How.FAILED, How.EXPIRED, How.REJECTED):
            if again := [outcome for outcome in ended if outcome.how is how]:
                yield from ((outcome.tool, outcome.arguments) for outcome in again)
                return


def _turns_backwards(messages: Sequence[BaseMessage]) -> Iterator[Sequence[BaseMessage]]:
    while messages:
        before, _, after = _split(messages)
        yield after
        messages = before


def _matches(outcome: Outcome, words: str) -> bool:
    values = " ".join(map(str, outcome.arguments.values()))
    told = f"{outcome.tool} {outcome.tool.replace('_', ' ')} {values}".lower()
    noise = {"to", "the", "of", "file", "again", "it", "that", "please"}
    wanted = [word.strip(".,!\"'`") for word in words.lower().split() if word not in noise]
    return all(word in told or word.removesuffix("ing").removesuffix("e") in told for word in wanted)


def _identified(
    calls: Sequence[tuple[str, dict[str, Any]]], said: Sequence[HumanMessage], position: int
) -> list[ToolCall]:
    """Calls with ids that are the same for the same thread and unique in it."""
    place = f"{said[-1].id if said else ''}/{position}"
    return [
        ToolCall(
            name=tool,
            args=arguments,
            id=f"call_{hashlib.sha256(f'{place}/{index}'.encode()).hexdigest()[:24]}",
        )
        for index, (tool, arguments) in enumerate(calls)
    ]


def _closing(plan: Plan, ended: Sequence[Outcome], schemas: Schemas, *, first: bool) -> str:
    if ended:
        text = closing(ended, plan.not_understood)
    elif any(isinstance(step, Retry) for part in plan.rounds for step in part):
        text = NOTHING_TO_RETRY
    else:
        text = help_text(schemas, plan.not_understood)
    return f"{INTRODUCTION}\n\n{text}" if first else text


def _introduced(before: Sequence[BaseMessage]) -> bool:
    return any(isinstance(message, AIMessage) and not message.tool_calls for message in before)


def _schemas(tools: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    functions = [tool["function"] for tool in tools if "function" in tool]
    return {function["name"]: function.get("parameters") or {} for function in functions}
