"""Rows from domain values and back. Pure; what is read equals what was written."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Row

from bot.approvals.approval import Action, Approval, Shape, State
from bot.approvals.asking import Asking, Remembering
from bot.approvals.briefing import Briefing
from bot.approvals.choosing import Chosen
from bot.approvals.conversation import Conversation, Said, Status
from bot.approvals.decision import DecisionKind, Json
from bot.approvals.ids import ActionId, AgentName, ConversationId, UserId
from bot.approvals.ports import Asked, Event
from bot.approvals.realm import Realm
from bot.approvals.referents import Referents
from bot.store.columns import name_text, utc_text
from bot.store.copies import copies_of
from bot.store.progress import progress_from_json, progress_to_json

Values = dict[str, Any]
"""A row to be written, by column name."""

# The module's own functions look their options up at every call; an encoder is made once.
_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_decode: Final = json.JSONDecoder().decode


def to_json(value: Json) -> str:
    """JSON text; with `NaN` and `Infinity`, which the standard lacks and tool arguments may hold."""
    return _encode(value)


def from_json(text: str) -> Any:  # noqa: ANN401 - JSON is what it is
    """The value that `to_json` wrote."""
    return _decode(text)


def conversation_values(conversation: Conversation) -> Values:
    """A conversation's row."""
    return {
        "id": conversation.id,
        "channel": conversation.channel,
        "thread_ts": conversation.thread_ts,
        "requester": conversation.requester,
        "started_at": conversation.started_at,
        "agent": conversation.realm.agent,
        "status": conversation.status.value,
        "rested_at": conversation.rested_at,
        "forgotten": conversation.forgotten,
        "following": conversation.following,
    }


def conversation_of(row: Row[Any], id: str | None = None) -> Conversation:
    """The conversation of a row; its `id` where the row's own is of something joined with it."""
    return Conversation(
        id=ConversationId(id or row.id),
        channel=row.channel,
        thread_ts=row.thread_ts,
        requester=row.requester,
        started_at=row.started_at,
        realm=realm_of(row),
        status=Status(row.status),
        rested_at=row.rested_at,
        forgotten=row.forgotten,
        following=row.following,
    )


def realm_of(row: Row[Any]) -> Realm:
    """The realm of a conversation's row, or of one that is joined with it."""
    return Realm(agent=AgentName(row.agent))


def said_values(said: Said) -> Values:
    """The row of something said; the agent has not been given it."""
    return {
        "id": said.id,
        "conversation": said.conversation,
        "by": said.by,
        "text": said.text,
        "at": said.at,
        "source": said.source,
        "handed_over": False,
    }


def said_of(row: Row[Any]) -> Said:
    """What was said, from its row."""
    return Said(
        id=row.id, conversation=row.conversation, by=row.by, text=row.text, at=row.at, source=row.source
    )


def approval_values(approval: Approval) -> Values:
    """An approval's row, without its actions."""
    requesters: list[Json] = [*sorted(approval.requesters)]
    return {
        "id": approval.id,
        "conversation": approval.conversation,
        "interrupt": approval.interrupt,
        "shape": approval.shape.value,
        "requesters": to_json(requesters),
        "card": approval.card,
        "version": approval.version,
        **progress_values(approval),
        **asking_values(approval),
    }


def asking_values(approval: Approval) -> Values:
    """Whether and since when people are asked, and until when."""
    return {
        "asked_at": approval.asked_at,
        "expires_at": approval.expires_at,
        "timers": to_json([*approval.timers]),
        "held": approval.held,
    }


def progress_values(approval: Approval) -> Values:
    """What changes in an approval's life."""
    outcomes: dict[str, Json] = {
        action.id: told for action in approval.actions if (told := progress_to_json(action))
    }
    return {
        "state": approval.state.value,
        "outcomes": to_json(outcomes),
        "note": approval.note,
        "escalated_to": to_json([*sorted(approval.escalated_to)]),
    }


def action_values(approval: Approval) -> list[Values]:
    """The rows of an approval's actions, which never change."""
    return [
        {
            "id": action.id,
            "approval": approval.id,
            "position": position,
            "message": action.message,
            "call": action.call,
            "tool": action.tool,
            "chosen": to_json(action.chosen.to_json()) if action.chosen else None,
            "request": to_json(_request_to_json(action)),
        }
        for position, action in enumerate(approval.actions)
    ]


def approvals_of(rows: Iterable[Row[Any]]) -> Sequence[Approval]:
    """The approvals of rows that are joined with their actions and ordered by both."""
    return [_approval_of(list(group)) for _, group in groupby(rows, key=attrgetter("id"))]


def asked_of(rows: Iterable[Row[Any]]) -> Mapping[ActionId, Asked]:
    """By action, from rows of approvals that are joined with actions, conversations and cards."""
    found: dict[ActionId, Asked] = {}
    for _, group in groupby(rows, key=attrgetter("id")):
        joined = list(group)
        asked = Asked(
            approval=_approval_of(joined),
            conversation=conversation_of(joined[0], joined[0].conversation),
            cards=copies_of(joined[0].cards),
            others=joined[0].others,
            queued=bool(joined[0].queued),
        )
        found |= {action.id: asked for action in asked.approval.actions}
    return found


def _approval_of(rows: Sequence[Row[Any]]) -> Approval:
    first = rows[0]
    outcomes = from_json(first.outcomes)
    return Approval(
        id=first.id,
        conversation=first.conversation,
        interrupt=first.interrupt,
        shape=Shape(first.shape),
        actions=tuple(_action_of(row, outcomes) for row in rows if row.action is not None),
        asked_at=first.asked_at,
        requesters=frozenset(map(UserId, from_json(first.requesters))),
        state=State(first.state),
        version=first.version,
        note=first.note,
        expires_at=first.expires_at,
        timers=tuple(from_json(first.timers)),
        escalated_to=frozenset(map(UserId, from_json(first.escalated_to))),
        card=first.card,
        realm=realm_of(first),
        held=first.held,
    )


def _request_to_json(action: Action) -> dict[str, Json]:
    told: dict[str, Json] = {
        "tool": action.tool,
        "arguments": dict(action.arguments),
        "description": action.description,
        "allowed": [*sorted(action.allowed)],
        "digest": action.digest,
        "call": action.call,
        "message": action.message,
        "schema": None if action.schema is None else dict(action.schema),
        "referents": action.referents.to_json() if action.referents else None,
        "briefing": action.briefing.to_json(),
    }
    if action.targets:
        told["targets"] = {tool: dict(schema) for tool, schema in action.targets.items()}
    if action.chosen:
        told["chosen"] = action.chosen.to_json()
    if action.remembering:
        told["remembering"] = [action.remembering.asking.value, action.remembering.terms]
    return told


def _action_of(row: Row[Any], outcomes: Mapping[str, Any]) -> Action:
    request, progress = from_json(row.request), outcomes.get(row.action, {})
    needs, votes, outcome = progress_from_json(progress, request["digest"])
    return Action(
        id=ActionId(row.action),
        tool=request["tool"],
        arguments=request["arguments"],
        description=request["description"],
        allowed=frozenset(map(DecisionKind, request["allowed"])),
        digest=request["digest"],
        call=request["call"],
        message=request["message"],
        schema=request["schema"],
        targets=request.get("targets", {}),
        remembering=_remembering_of(request),
        briefing=Briefing.from_json(request.get("briefing", {})),
        forgotten=progress.get("forgotten"),
        referents=Referents.from_json(request["referents"]) if request["referents"] else None,
        chosen=Chosen.from_json(request["chosen"]) if "chosen" in request else None,
        needs=needs,
        votes=votes,
        outcome=outcome,
    )


def _remembering_of(request: Mapping[str, Any]) -> Remembering | None:
    if "remembering" not in request:
        return None
    asking, terms = request["remembering"]
    return Remembering(asking=Asking(asking), terms=terms)


def event_texts(event: Event) -> dict[str, str | None]:
    """The row of a line in the record, as the database keeps it: its hash covers these very texts."""
    return {
        "kind": name_text(event.kind),
        "at": utc_text(event.at),
        "conversation": name_text(event.conversation),
        "approval": name_text(event.approval),
        "action": name_text(event.action),
        "actor": name_text(event.actor),
        "detail": to_json(dict(event.detail)),
    }


def event_of(row: Row[Any]) -> Event:
    """The line of a row."""
    return Event(
        kind=row.kind,
        at=row.at,
        conversation=row.conversation,
        approval=row.approval,
        action=row.action,
        actor=row.actor,
        detail=from_json(row.detail),
    )
