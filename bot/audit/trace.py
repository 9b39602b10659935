"""The record as a trace that `agentack check` judges: what was proposed, shown, decided and run. Pure.

What our words become in that tool's: every action is a `mcp:call` whose resource is the tool and whose only
parameter is the digest, since the record holds no arguments; the approval of an action has the action's id.
Actions about one tool call have one intent. `allow` and `deny` are all it knows, so

- rejected, answered by a person, expired and withdrawn are `deny`, and the reason stands with the block;
- what nobody was asked about, because the policy lets it through or remembers an earlier approval, counts as
  asked and allowed when it was filed;
- an edit denies what was proposed, and proposes, shows and allows what the person made of it;
- a decision counts when the approval is settled, because until then it can be taken back;
- one made in time holds until it is used; one made after the deadline was over before it was made;
- another attempt at a tool that is safe to repeat, or that paused to ask people, is the same execution;
- Stop ends what was proposed before it, and the conversation may go on after it; the tool's `interrupt` ends
  a whole session. So it is said where something runs that had been stopped, and where nothing follows.

What waits for people has no decision yet, and the tool calls such a trace INCOMPLETE.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from bot.approvals.ports import Event
from bot.audit.traced import Attempt, Traced, Verdict

TraceEvent: TypeAlias = dict[str, Any]
Shown: TypeAlias = Callable[[str], str | None]
"""The digest of an action as it was shown, by the action's id."""

SCHEMA: Final = 2
"""The version of agentack's format, as of its 0.6."""

FOREVER: Final = datetime.max.replace(microsecond=0, tzinfo=UTC)

_REASONS: Final = {"reject": "rejected", "respond": "answered by a person", "edit": "edited"}


class Tracing:
    """Takes the record line by line and tells the trace. Keeps what it knows of every action."""

    def __init__(self, *, session: str, shown: Shown | None = None) -> None:
        """`shown` tells what people saw, where somebody knows better than the record."""
        self._session = session
        self._shown = shown
        self._actions: dict[str, Traced] = {}
        self._approvals: dict[str, list[str]] = {}
        self._stopped: dict[str, datetime] = {}
        self._last = datetime.min.replace(tzinfo=UTC)

    def take(self, event: Event) -> list[TraceEvent]:
        """What the trace says of this line."""
        self._last = max(self._last, event.at)
        return list(self._told(event))

    def end(self) -> Iterator[TraceEvent]:
        """The end of the trace."""
        for at in self._stopped.values():
            yield self._event("interrupt", at, reason="stopped")
        yield self._event("session_end", self._last)

    def _told(self, event: Event) -> Iterator[TraceEvent]:
        """What each kind of line becomes; of the others a trace knows nothing."""
        told: Mapping[str, Callable[[Event], Iterator[TraceEvent]]] = {
            "filed": self._filed,
            "let_through": self._let_through,
            "showing": self._requested,
            "shown": self._requested,
            "decided": self._decided,
            "voted": self._decided,
            "taken_back": self._decided,
            "expired": self._closed,
            "withdrawn": self._closed,
            "executing": self._executing,
            "resolved": self._executing,
            "executed": self._ended,
            "paused": self._ended,
            "blocked": self._blocked,
            "stopped": self._stop,
            "said": self._said,
        }
        yield from told.get(event.kind, _nothing)(event)

    def _filed(self, event: Event) -> Iterator[TraceEvent]:
        approval = self._approvals.setdefault(event.approval or "", [])
        for asked in _list(event.detail.get("actions")):
            action = Traced.of(asked, event)
            self._actions[action.id] = action
            approval.append(action.id)
            yield self._about("action_proposed", action, event.at)

    def _let_through(self, event: Event) -> Iterator[TraceEvent]:
        """Nobody is asked: what allowed it is the policy, or an approval that it has remembered."""
        if action := self._actions.get(event.action or ""):
            verdict = Verdict(allows=True, at=event.at, reason="let_through")
            self._actions[action.id] = action = replace(action, requested=True, verdict=verdict)
            yield self._about("approval_requested", action, event.at, approval_id=action.id)
            yield from self._settled(action)

    def _requested(self, event: Event) -> Iterator[TraceEvent]:
        drawn: Any = event.detail.get("actions") or {}
        for id in self._approvals.get(event.approval or "", []):
            action = self._actions[id]
            digest = self._shown(id) if self._shown else drawn.get(id)
            if action.requested or digest is None:
                continue
            self._actions[id] = replace(action, requested=True)
            yield self._about("approval_requested", action, event.at, digest=digest, approval_id=id)

    def _decided(self, event: Event) -> Iterator[TraceEvent]:
        verdict = Verdict.of(event) if event.kind == "decided" else None
        if decided := self._actions.get(event.action or ""):
            self._actions[decided.id] = replace(decided, verdict=verdict)
        ids = self._approvals.get(event.approval or "", [])
        if all(self._actions[id].verdict for id in ids):
            for id in ids:
                yield from self._settled(self._actions[id])

    def _closed(self, event: Event) -> Iterator[TraceEvent]:
        """Nobody can decide any more: what is open is denied, what was allowed and never ran is blocked."""
        for id in self._approvals.get(event.approval or "", []):
            action = self._actions[id]
            action = self._actions.get(action.edited_id, action)  # what a person made of it is what can run
            if event.kind == "withdrawn" and action.settled and not action.attempt and not action.blocked:
                yield from self._block(action, event.at, "withdrawn")
            elif not action.settled:
                verdict = action.verdict if event.kind == "expired" else None
                reason = verdict or Verdict(allows=False, at=event.at, reason=event.kind)
                yield from self._settled(replace(action, verdict=reason))

    def _settled(self, action: Traced) -> Iterator[TraceEvent]:
        verdict = action.verdict
        if verdict is None or action.settled:
            return
        self._actions[action.id] = action = replace(action, settled=True)
        in_time = action.deadline is None or verdict.at < action.deadline
        until = FOREVER if in_time else action.deadline
        yield self._decision(action, verdict, allows=verdict.allows and not verdict.edited, until=until)
        if verdict.edited:
            yield from self._block(action, verdict.at, _REASONS["edit"])
            edited = self._actions[action.edited_id] = replace(
                action,
                id=action.edited_id,
                tool=verdict.edited_tool or action.tool,
                digest=verdict.edited,
                blocked=False,
            )
            yield self._about("action_proposed", edited, verdict.at)
            yield self._about("approval_requested", edited, verdict.at, approval_id=edited.id)
            yield self._decision(edited, verdict, allows=True, until=until)
        elif not verdict.allows:
            yield from self._block(action, verdict.at, _REASONS.get(verdict.reason, verdict.reason))

    def _executing(self, event: Event) -> Iterator[TraceEvent]:
        detail, action = event.detail, self._of(event)
        if event.kind == "resolved" and (detail.get("resolution"), detail.get("by")) != ("again", "people"):
            return  # it does not run, or the tool knows that it has not run yet
        ran = str(detail.get("call_digest") or detail.get("digest"))
        if action is None:
            yield self._unasked(event, ran)
            return
        if event.kind == "resolved" and (asked := self._doubt(action)):
            ran, action = asked.digest if ran == action.digest else ran, asked
        elif action.attempt and action.attempt.goes_on(repeatable=detail.get("repeatable") is True):
            self._actions[action.id] = replace(action, attempt=Attempt.BEGUN)
            return
        self._actions[action.id] = replace(action, attempt=Attempt.BEGUN)
        if action.stopped:
            yield self._event("interrupt", action.stopped, reason="stopped")
        yield self._about("action_executed", action, event.at, digest=ran, approval_id=action.id)

    def _unasked(self, event: Event, digest: str) -> TraceEvent:
        """Something ran that nobody was asked about."""
        call = f"{event.conversation}/{event.detail.get('message')}/{event.detail.get('call')}"
        return self._event(
            "action_executed",
            event.at,
            action_id=f"unasked:{call}",
            intent_id=call,
            action=_call(str(event.detail.get("tool")), digest),
        )

    def _ended(self, event: Event) -> Iterator[TraceEvent]:
        if action := self._of(event):
            outcome = event.kind if event.kind == "paused" else event.detail.get("outcome")
            self._actions[action.id] = replace(action, attempt=Attempt.of(outcome))
        yield from ()

    def _blocked(self, event: Event) -> Iterator[TraceEvent]:
        action = self._of(event)
        if action and action.settled and not action.blocked and not action.attempt:
            yield from self._block(action, event.at, str(event.detail.get("why")))

    def _stop(self, event: Event) -> Iterator[TraceEvent]:
        """Of what was proposed before, nothing may begin any more."""
        conversation = event.conversation or ""
        self._stopped[conversation] = event.at
        for id, action in self._actions.items():
            if action.conversation == conversation and not action.attempt:
                self._actions[id] = replace(action, stopped=event.at)
        yield from ()

    def _said(self, event: Event) -> Iterator[TraceEvent]:
        self._stopped.pop(event.conversation or "", None)
        yield from ()

    def _of(self, event: Event) -> Traced | None:
        """The action that the line is about, as it was decided."""
        action = self._actions.get(event.action or "")
        return self._actions.get(action.edited_id, action) if action else None

    def _doubt(self, action: Traced) -> Traced | None:
        """The latest question whether it may run again."""
        same = (one for one in self._actions.values() if one.doubt and one.call == action.call)
        return next((one for one in reversed([*same]) if not one.attempt), None)

    def _decision(
        self, action: Traced, verdict: Verdict, *, allows: bool, until: datetime | None
    ) -> TraceEvent:
        return self._event(
            "approval_decision",
            verdict.at,
            action_id=action.id,
            approval_id=action.id,
            intent_id=action.intent,
            decision="allow" if allows else "deny",
            expires_at=_time(until) if until else None,
        )

    def _block(self, action: Traced, at: datetime, reason: str) -> Iterator[TraceEvent]:
        self._actions[action.id] = replace(action, blocked=True)
        about = {"action_id": action.id, "approval_id": action.id, "intent_id": action.intent}
        yield self._event("action_blocked", at, reason=reason, **about)

    def _about(
        self, type: str, action: Traced, at: datetime, *, digest: str | None = None, **more: str
    ) -> TraceEvent:
        told = _call(action.tool, action.digest if digest is None else digest)
        return self._event(type, at, action_id=action.id, intent_id=action.intent, action=told, **more)

    def _event(self, type: str, at: datetime, **more: Any) -> TraceEvent:  # noqa: ANN401 - JSON
        about = {name: value for name, value in more.items() if value is not None}
        return {
            "schema_version": SCHEMA,
            "type": type,
            "timestamp": _time(at),
            "session_id": self._session,
            **about,
        }


def _call(tool: str, digest: str) -> TraceEvent:
    name = tool.encode("utf-8", "backslashreplace").decode()
    return {"tool": "mcp", "operation": "call", "resource": name, "parameters": {"digest": digest}}


def _nothing(_: Event) -> Iterator[TraceEvent]:
    yield from ()


def _list(told: object) -> list[Any]:
    return told if isinstance(told, list) else []


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()
