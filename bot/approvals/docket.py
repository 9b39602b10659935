"""Decisions that arrive together are written together: one transaction, one trip to the disk for all.

A commit costs the same for one decision and for twenty. Whoever comes while a transaction is under way waits
for it with the others who came, and the first of them writes for all. Each is still judged on its own, in the
order of arrival, on rows as the ones before it left them; a refusal of one changes nothing for the others.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from bot.approvals.admission import AskAbout
from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Status
from bot.approvals.errors import Conflict, Refused, UnknownAction
from bot.approvals.hearing import owe_outcome
from bot.approvals.ids import ActionId, ApprovalId
from bot.approvals.ports import Asked, Jobs, Store, Transaction
from bot.approvals.queueing import Queue
from bot.approvals.rulings import Ruling

Rule: TypeAlias = Callable[[Asked], Ruling]
"""Judges a case, purely; raises a `Refused` or `AskAbout`."""

MOST_TOGETHER: Final = 50
"""Cases in one transaction, so that nobody waits long for the rows of others."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Case:
    id: ActionId
    rule: Rule
    verdict: asyncio.Future[Approval]


class Docket:
    """Takes cases and writes their rulings."""

    def __init__(self, store: Store, jobs: Jobs, queue: Queue) -> None:
        self._store = store
        self._queue = queue
        self._jobs = jobs
        self._waiting: list[Sequence[_Case]] = []
        self._writing = asyncio.Lock()

    async def judge(self, id: ActionId, rule: Rule) -> Approval:
        """Judge this case on the rows as they are, and write the ruling; it is on disk when this returns.

        Raises what the rule raises, `UnknownAction`, `Conflict`, or what the store says when it cannot write.
        """
        [case] = await self._decided([(id, rule)])
        return case.verdict.result()

    async def judge_all(
        self, cases: Sequence[tuple[ActionId, Rule]]
    ) -> Sequence[Approval | Refused | AskAbout]:
        """Judge these in one transaction, in order; what a rule raises stands in place of its ruling.

        Raises `Conflict`, or what the store says when it cannot write; then nothing of them is written.
        """
        verdicts: list[Approval | Refused | AskAbout] = []
        for case in await self._decided(cases):
            no = case.verdict.exception()
            if isinstance(no, Refused | AskAbout):
                verdicts.append(no)
            else:
                verdicts.append(case.verdict.result())
        return verdicts

    async def _decided(self, asked: Sequence[tuple[ActionId, Rule]]) -> Sequence[_Case]:
        loop = asyncio.get_running_loop()
        cases = [_Case(id=id, rule=rule, verdict=loop.create_future()) for id, rule in asked]
        if not cases:
            return cases
        self._waiting.append(cases)
        try:
            async with self._writing:
                if not cases[0].verdict.done():
                    await self._write_waiting()
        finally:
            if cases in self._waiting:
                self._waiting.remove(cases)
        return cases

    def _next(self) -> list[_Case]:
        """Those whose turn it is; what came together stays together."""
        taken = list(self._waiting.pop(0))
        while self._waiting and len(taken) + len(self._waiting[0]) <= MOST_TOGETHER:
            taken += self._waiting.pop(0)
        return taken

    async def _write_waiting(self) -> None:
        cases = self._next()
        try:
            async with self._store.write() as tx:
                judged = await self._judge(tx, cases)
                # Told by the commit itself: who writes may be cancelled during it, and it is written then.
                tx.on_commit(partial(_tell, judged))
        except Exception as error:
            _tell([(case, error) for case in cases])
            raise
        except BaseException:
            # Only who writes was cancelled. Nothing of the others was written, and they try again.
            _tell([(case, Conflict("who wrote for all was cancelled")) for case in cases])
            raise

    async def _judge(
        self, tx: Transaction, cases: Sequence[_Case]
    ) -> list[tuple[_Case, Approval | Exception]]:
        asked = await tx.approvals.asked([case.id for case in cases])
        changed: dict[ApprovalId, Approval] = {}
        rulings: list[Ruling] = []
        judged: list[tuple[_Case, Approval | Exception]] = []
        for case in cases:
            try:
                ruling = case.rule(_as_left(asked.get(case.id), changed))
            except (Refused, AskAbout) as no:
                judged.append((case, no))
                continue
            changed[ruling.approval.id] = ruling.approval
            rulings.append(ruling)
            judged.append((case, replace(ruling.approval, version=ruling.approval.version + 1)))
        if rulings:
            await self._write(tx, changed, rulings, {one.approval.id: one for one in asked.values()})
        return judged

    async def _write(
        self,
        tx: Transaction,
        changed: dict[ApprovalId, Approval],
        rulings: Sequence[Ruling],
        asked: dict[ApprovalId, Asked],
    ) -> None:
        await tx.approvals.save(*changed.values())
        await tx.record.append(*(ruling.event for ruling in rulings))
        settled = [one for one in changed.values() if one.state is State.SETTLED]
        for approval in settled:
            conversation = asked[approval.id].conversation
            if conversation.status in {Status.WAITING, Status.FAILED}:
                await tx.conversations.save(replace(conversation, status=Status.WORKING))
            await owe_outcome(tx, self._jobs, approval, asked[approval.id])
        await self._queue.let_on(tx, {one.conversation for one in settled if asked[one.id].queued})
        work = {owed.id: owed for ruling in rulings for owed in ruling.work}
        await self._jobs.owe(tx, *work.values())
        for timer in [id for ruling in rulings for id in ruling.cancelled]:
            await self._jobs.cancel(tx, timer)


def _tell(judged: Sequence[tuple[_Case, Approval | Exception]]) -> None:
    for case, outcome in judged:
        if case.verdict.done():
            continue
        if isinstance(outcome, Approval):
            case.verdict.set_result(outcome)
        else:
            case.verdict.set_exception(outcome)
            case.verdict.exception()  # each caller raises its own; none is "never retrieved"


def _as_left(asked: Asked | None, changed: dict[ApprovalId, Approval]) -> Asked:
    """The case on the rows as the cases before it leave them."""
    if asked is None:
        raise UnknownAction
    before = changed.get(asked.approval.id)
    return replace(asked, approval=before) if before else asked
