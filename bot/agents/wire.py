"""LangGraph's interrupt values in our words, and our decisions in LangChain's. Pure.

`HITLRequest`: `{"action_requests": [{name, args, description}], "review_configs": [{action_name,
allowed_decisions}]}`, answered with `{"decisions": […]}` in the same order. One about a single call, as
`per_call` asks it, says which with its `tool_call_id`. A plain text is a question, answered with a text.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, assert_never

from bot.agents.doubts import answer_to, request_from
from bot.agents.feedback import EXPIRED, Feedback, of_a_person, whole
from bot.approvals.approval import Action, Approval, Decided, Expired, LetThrough, Shape
from bot.approvals.decision import Approve, Arguments, DecisionKind, Edit, Reject, Respond, kind_of
from bot.approvals.errors import Stale
from bot.approvals.ids import InterruptId
from bot.approvals.sayings import saying
from bot.approvals.thread import ActionRequest, Interrupt
from bot.approvals.words import phrase

QUESTION: Final = "question"
"""What stands for the tool where a plain text asks."""


EXPIRED_KIND: Final = "expired"
"""The decision of a call that is asked about by itself, where nobody decided; LangChain has none for it."""

UNANSWERED: Final = "Nobody answered in time. This is not an answer: go on without one, or ask again."
"""What a plain question gets that expired."""

NOT_SHOWN: Final = phrase("The agent waits for something that cannot be shown here ({type}).")
NO_LIST: Final = phrase("The agent's request for approval has no list of actions with their decisions.")
NO_NAME: Final = phrase("Action {number} of the agent's request has no name or arguments.")
NO_DECISIONS: Final = phrase("The agent asks about `{tool}` without decisions that people can make.")


class Unreadable(ValueError):  # noqa: N818 - a state of affairs, told to people
    """An interrupt that cannot be shown for a decision; the text is one sentence."""


def interrupt_from(
    id: str, value: object, calls: Sequence[Mapping[str, Any]], message: str = ""
) -> Interrupt:
    """The interrupt with this value; `calls` are the tool calls of the model's latest message, by its id."""
    if isinstance(value, str):
        request = ActionRequest(
            tool=QUESTION,
            arguments={"question": value},
            description="",
            allowed=frozenset({DecisionKind.RESPOND}),
        )
        return Interrupt(id=InterruptId(id), shape=Shape.QUESTION, requests=(request,))
    if isinstance(value, Mapping) and "action_requests" in value:
        requests = tuple(_requests(value, calls, message))
        return Interrupt(id=InterruptId(id), shape=Shape.BATCHED, requests=requests)
    if isinstance(value, Mapping) and (doubt := request_from(value)) and is_json(doubt.arguments):
        return Interrupt(id=InterruptId(id), shape=Shape.IN_DOUBT, requests=(doubt,))
    raise Unreadable(saying(NOT_SHOWN, type=type(value).__name__))


def _requests(
    value: Mapping[Any, Any], calls: Sequence[Mapping[str, Any]], message: str
) -> Iterator[ActionRequest]:
    asked, configs = value["action_requests"], value.get("review_configs")
    if not isinstance(asked, list) or not isinstance(configs, list) or not asked:
        raise Unreadable(saying(NO_LIST))
    left = [call for call in calls if value.get("tool_call_id") in {None, call["id"]}]
    for position, request in enumerate(asked):
        match request:
            case {"name": str(tool), "args": dict(arguments)} if is_json(arguments):
                pass
            case _:
                raise Unreadable(saying(NO_NAME, number=position + 1))
        call = _take(left, tool, arguments)
        yield ActionRequest(
            tool=tool,
            arguments=arguments,
            description=str(request.get("description") or ""),
            allowed=_allowed(configs, position, tool),
            call=call,
            message=message if call else "",
        )


def _allowed(configs: list[object], position: int, tool: str) -> frozenset[DecisionKind]:
    """LangChain has one config per action; a team's own middleware may have one per tool."""
    matching = [
        config for config in configs if isinstance(config, Mapping) and config.get("action_name") == tool
    ]
    at = configs[position] if position < len(configs) else None
    config = at if at in matching else next(iter(matching), None)
    told = config.get("allowed_decisions") if isinstance(config, Mapping) else None
    if not isinstance(told, list) or not told or not set(map(str, told)) <= set(DecisionKind):
        raise Unreadable(saying(NO_DECISIONS, tool=tool))
    return frozenset(DecisionKind(kind) for kind in told)


def _take(left: list[Mapping[str, Any]], tool: str, arguments: Arguments) -> str:
    """The id of the first call that is left with this name and these arguments."""
    for call in left:
        if call["name"] == tool and call["args"] == arguments:
            left.remove(call)
            return str(call["id"] or "")
    return ""


def is_json(value: object) -> bool:
    """Whether the value is JSON all the way down; numbers that are none are not, nor what is too deep."""
    try:
        return _is_json(value)
    except RecursionError:
        return False


def _is_json(value: object) -> bool:
    match value:
        case None | bool() | int() | str():
            return True
        case float():
            return math.isfinite(value)
        case list():
            return all(map(_is_json, value))
        case dict():
            return all(isinstance(name, str) and _is_json(item) for name, item in value.items())
        case _:
            return False


def encodable(text: str) -> str:
    """The text, with half characters replaced: a checkpoint would silently keep nothing in their place."""
    return text.encode(errors="replace").decode()


def answer(approval: Approval, feedback: Feedback | None = None, *, alone: bool = False) -> object:
    """What the interrupt gets: complete and in the order of its action requests.

    `feedback` is for LangChain's own approval alone, as `feedback.Approving` has it. `alone` is for a call
    that is asked about by itself, as `per_call.ApprovingEach` does it.

    Raises `Stale` if an action has no outcome or one that it does not take; LangGraph must never see such.
    """
    match approval.shape:
        case Shape.BATCHED:
            told = _lapsed if alone else _decision
            return {"decisions": [told(action, feedback) for action in approval.actions]}
        case Shape.QUESTION:
            (action,) = approval.actions
            decision = _decision(action)
            if decision["type"] != "respond":
                raise Stale(saying("a question can only be answered"))
            return UNANSWERED if isinstance(action.outcome, Expired) else decision["message"]
        case Shape.IN_DOUBT:
            (action,) = approval.actions
            return answer_to(action)
        case _:
            assert_never(approval.shape)


def kind_told(action: Action) -> DecisionKind | None:
    """Which decision the agent is told: the one made, or for a call that expired one that does not run it.

    None if it takes no such decision: there is nothing that LangGraph could be told.
    """
    if isinstance(action.outcome, LetThrough):
        return DecisionKind.APPROVE
    if action.decided:
        return kind_of(action.decided.decision)
    harmless = (DecisionKind.REJECT, DecisionKind.RESPOND)
    return next((kind for kind in harmless if kind in action.allowed), None)


def _lapsed(action: Action, feedback: Feedback | None) -> dict[str, Any]:
    """As `_decision`, of a call whose approval can be told that it expired."""
    if not isinstance(action.outcome, Expired):
        return _decision(action, feedback)
    return {"type": EXPIRED_KIND, "message": feedback.of_expired(action.tool) if feedback else EXPIRED}


def _decision(action: Action, feedback: Feedback | None = None) -> dict[str, Any]:
    match action.outcome:
        case None:
            raise Stale(saying("`{tool}` has not been decided", tool=action.tool))
        case Decided(decision=decision):
            told = _told(action, decision, feedback)
        case Expired():
            kind = kind_told(action)
            # A plain text: what goes into a checkpoint has no types of ours.
            words = feedback.of_expired(action.tool) if feedback else EXPIRED
            alone = feedback and kind is DecisionKind.REJECT
            told = {"type": kind.value if kind else "", "message": whole(words) if alone else words}
        case LetThrough():
            told = {"type": "approve"}
        case _:
            assert_never(action.outcome)
    if told["type"] not in action.allowed:
        raise Stale(saying("`{tool}` does not take the decision {kind}", tool=action.tool, kind=told["type"]))
    return told


def _told(
    action: Action, decision: Approve | Edit | Reject | Respond, feedback: Feedback | None
) -> dict[str, Any]:
    match decision:
        case Approve():
            return {"type": "approve"}
        case Edit():
            return _edited(action, decision)
        case Reject(reason=reason):
            return _rejected(action, reason, feedback)
        case Respond(message=message):
            return {"type": "respond", "message": encodable(message)}
        case _:
            assert_never(decision)


def _edited(action: Action, edit: Edit) -> dict[str, Any]:
    if edit.tool is not None and edit.tool not in action.targets:
        raise Stale(saying("`{tool}` cannot be turned into `{other}`", tool=action.tool, other=edit.tool))
    same = edit.tool is None and dict(edit.arguments) == dict(action.arguments)
    if same and DecisionKind.APPROVE in action.allowed:
        return {"type": "approve"}  # or the model is told that it was changed
    return {"type": "edit", "edited_action": {"name": edit.tool or action.tool, "args": dict(edit.arguments)}}


def _rejected(action: Action, reason: str, feedback: Feedback | None) -> dict[str, Any]:
    words = feedback.of_rejected(action.tool, reason) if feedback else None
    if words is not None:
        return {"type": "reject", "message": whole(encodable(words))}
    return {"type": "reject", "message": of_a_person(encodable(reason))} if reason else {"type": "reject"}
