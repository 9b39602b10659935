"""The model's messages, made sound: what providers send is not always what people can be asked about."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage


def latest_message(messages: Sequence[BaseMessage]) -> AIMessage | None:
    """The model's latest message."""
    return next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)


def message_with(state: object, call: str | None) -> str | None:
    """The id of the latest message of the model that has this call; None if there is none."""
    messages = state.get("messages") if isinstance(state, Mapping) else getattr(state, "messages", state)
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, AIMessage) and any(known["id"] == call for known in message.tool_calls):
            return message.id
    return None


def repaired(message: AIMessage) -> AIMessage:
    """The message itself if it is sound, or a copy in which every call can be read and has its own id."""
    return with_distinct_ids(without_broken_calls(message))


def without_broken_calls(message: AIMessage) -> AIMessage:
    """Without calls whose arguments are no JSON; the text says so instead.

    Such a call never runs and so never gets a result, and with a call that has none in the history,
    providers refuse every further request.
    """
    if not message.invalid_tool_calls:
        return message
    broken = {call.get("id") for call in message.invalid_tool_calls}
    names = ", ".join(f"`{call.get('name')}`" for call in message.invalid_tool_calls)
    note = f"(A call of {names} could not be read and was dropped.)"
    content = message.content
    if isinstance(content, str):
        content = f"{content}\n\n{note}".strip()
    else:
        kept = [block for block in content if not (_is_call(block) and block.get("id") in broken)]  # type: ignore[union-attr]
        content = [*kept, {"type": "text", "text": note}]
    extra = {
        name: value
        for name, value in message.additional_kwargs.items()
        if name not in {"tool_calls", "function_call"}
    }
    return message.model_copy(
        update={"content": content, "invalid_tool_calls": [], "additional_kwargs": extra}
    )


def with_distinct_ids(message: AIMessage) -> AIMessage:
    """The message itself, or a copy in which a missing or repeated tool call id has become unique.

    With one id for two calls LangChain runs an edit of the first as the second too.
    """
    ids = [call["id"] for call in message.tool_calls]
    if all(ids) and len(set(ids)) == len(ids):
        return message
    repeated = Counter(ids)
    renamed = [
        known if known and repeated[known] == 1 else f"{known or 'call'}-{message.id}-{position}"
        for position, known in enumerate(ids)
    ]
    calls = [{**call, "id": renamed_id} for call, renamed_id in zip(message.tool_calls, renamed, strict=True)]
    return message.model_copy(
        update={"tool_calls": calls, "content": _content_with(message.content, renamed)}
    )


def _content_with(content: str | list[Any], ids: Sequence[str]) -> str | list[Any]:
    """Some providers repeat the calls as blocks of the content, in the same order."""
    if isinstance(content, str) or sum(map(_is_call, content)) != len(ids):
        return content
    fresh = iter(ids)
    return [{**block, "id": next(fresh)} if _is_call(block) else block for block in content]


def _is_call(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") in {"tool_use", "tool_call"}
