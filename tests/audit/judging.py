"""The trace of a whole system run, judged by agentack; what was shown is read back out of the blocks."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from agentack.engine import evaluate_events  # type: ignore[import-untyped]  # it says nothing of its types
from agentack.models import EvaluationReport, TraceEvent  # type: ignore[import-untyped]  # as above

from bot.approvals.approval import Approval, State
from bot.approvals.binding import digest
from bot.audit.trace import Tracing
from bot.store import RowsStore, reading_store
from bot.store.auditing import recorded, verified
from bot.store.chain import Link
from tests.audit.seen import Seen, seen_first


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What agentack says, and the actions about which the record cannot be complete."""

    report: EvaluationReport
    unfinished: frozenset[str]
    trace: list[dict[str, Any]]

    @property
    def faults(self) -> list[str]:
        """What is wrong: everything but that something still waits, or was left in the middle."""
        return [
            f"{one.rule_id} {one.message}"
            for one in self.report.findings
            if one.rule_id != "ACK009" or (one.action_id or "").removesuffix("/edited") not in self.unfinished
        ]


async def judged(where: str, calls: Iterable[Any] = ()) -> Judged:
    """The record in this database, whose chain has to be intact, before agentack."""
    async with reading_store(where) as store:
        return await judge(store, calls)


async def judge(store: RowsStore, calls: Iterable[Any] = ()) -> Judged:
    """The record of this store before agentack; what `calls` of Slack's Web API showed, people saw."""
    end = await verified(store)
    assert isinstance(end, Link), end
    approvals = await _approvals(store)
    seen = _digests(approvals, seen_first(calls))
    tracing = Tracing(session="a-house", shown=seen.get if calls else None)
    trace = [told async for line in recorded(store) for told in tracing.take(line.event)]
    trace += tracing.end()
    events = [TraceEvent.from_dict(told, line=number) for number, told in enumerate(trace, 1)]
    return Judged(report=evaluate_events(events), unfinished=_unfinished(approvals), trace=trace)


async def _approvals(store: RowsStore) -> list[Approval]:
    ids = {
        line.event.approval: None
        async for line in recorded(store)
        if line.event.kind == "filed" and line.event.approval
    }
    async with store.read() as tx:
        return [found for id in ids if (found := await tx.approvals.get(id))]


def _digests(approvals: list[Approval], seen: dict[str, Seen]) -> dict[str, str]:
    """By action, the digest of what people saw; as it was filed where no card of this run showed it."""
    told: dict[str, str] = {}
    for approval in approvals:
        for action in approval.actions:
            one = seen.get(action.id)
            if one is None:
                told[action.id] = action.digest
            elif one.arguments is None:
                told[action.id] = action.digest if action.digest.startswith(one.prefix) else one.prefix
            else:
                told[action.id] = digest(
                    tool=one.tool,
                    arguments=one.arguments,
                    thread=approval.conversation,
                    interrupt=approval.interrupt,
                    call=action.call,
                    referents=action.referents,
                )
    return told


def _unfinished(approvals: list[Approval]) -> frozenset[str]:
    """Those that wait, or whose agent has not gone on; and those of agents whose calls nobody can tell."""
    return frozenset(
        action.id
        for approval in approvals
        for action in approval.actions
        if approval.state in {State.WAITING, State.SETTLED} or not action.call
    )
