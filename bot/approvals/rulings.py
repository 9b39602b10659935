"""What a person's decision changes: the approval, a line of the record, and the work that is owed. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from bot.approvals.action import Seat
from bot.approvals.approval import Action, Approval, State
from bot.approvals.choosing import Chosen
from bot.approvals.decision import Decision, Json, kind_of
from bot.approvals.filing import redraw, thread_key
from bot.approvals.ids import ActionId, UserId
from bot.approvals.ports import Asked, Event, Work
from bot.approvals.referents import Referents
from bot.approvals.who import Quorum


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What is to be written, all of it or nothing."""

    approval: Approval
    """With its next state; its version is still the one that was read."""
    event: Event
    work: tuple[Work, ...]
    cancelled: tuple[str, ...] = ()
    """Delayed work that is not owed any more, by id."""


def decided(
    asked: Asked,
    id: ActionId,
    decision: Decision,
    *,
    by: UserId,
    at: datetime,
    seat: Seat,
    seen: str | None = None,
    referents: Referents | None = None,
    chosen: Chosen | None = None,
) -> Ruling:
    """A vote; with the resume if it was the last one missing. Raises what `Approval.decide` raises."""
    vote = partial(asked.approval.decide, id, decision, by=by, at=at)
    approval = vote(seat=seat, seen=seen, referents=referents, chosen=chosen)
    action = approval.action(id)
    detail = _detail(asked.approval.action(id), action, by, decision) | {"as": [*seat.via]}
    event = event_of("decided" if action.outcome else "voted", approval, id, by, at=at, detail=detail)
    if approval.state is not State.SETTLED:
        return Ruling(approval=approval, event=event, work=_redraw(asked))
    work = (*_redraw(asked), resume(approval))
    return Ruling(approval=approval, event=event, work=work, cancelled=approval.timers)


def taken_back(
    asked: Asked, id: ActionId, *, by: UserId, at: datetime, needs: tuple[Quorum, ...] | None = None
) -> Ruling:
    """A decision that its maker takes back. Raises what `Approval.take_back` raises."""
    approval = asked.approval.take_back(id, by=by, at=at, needs=needs)
    event = event_of("taken_back", approval, id, by, at=at)
    return Ruling(approval=approval, event=event, work=_redraw(asked))


def event_of(
    kind: str,
    approval: Approval,
    action: ActionId,
    by: UserId,
    *,
    at: datetime,
    detail: Mapping[str, Json] | None = None,
) -> Event:
    """A line of the record about one action."""
    return Event(
        kind=kind,
        at=at,
        conversation=approval.conversation,
        approval=approval.id,
        action=action,
        actor=by,
        detail=detail or {},
    )


def resume(approval: Approval) -> Work:
    """The work of telling the agent."""
    key = thread_key(approval.conversation)
    return Work(f"resume:{approval.id}", "resume", key=key, payload={"conversation": approval.conversation})


def _redraw(asked: Asked) -> tuple[Work, ...]:
    return tuple(redraw(card.post, str(asked.approval.version + asked.others + 1)) for card in asked.cards)


def _detail(before: Action, after: Action, by: UserId, decision: Decision) -> dict[str, Json]:
    """What the record keeps of a vote: kinds, digests and people, never a value."""
    detail: dict[str, Json] = {"decision": kind_of(decision).value, "digest": after.digest}
    vote = after.vote_of(by)
    if vote and after.edit:
        detail["edited_digest"] = vote.digest
        if after.asked.tool != after.tool:
            detail["edited_tool"] = after.asked.tool
    if vote and vote.referents:
        detail["referents"] = vote.referents.fingerprint
    if len(after.votes) > 1:
        detail["votes"] = [other.by for other in after.votes]
    if void := [other.by for other in before.votes if after.vote_of(other.by) is None]:
        detail["void"] = [*void]
    return detail
