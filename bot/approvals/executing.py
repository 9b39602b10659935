"""The journal at work: asks and writes it around every gated call, each step in one transaction.

A database that is away for a moment is waited for: nobody is told that an approved call failed because of it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar, assert_never

from bot.approvals.approval import Approval
from bot.approvals.binding import fingerprint
from bot.approvals.decision import Json
from bot.approvals.errors import Conflict, Unavailable
from bot.approvals.journal import (
    Ask,
    Call,
    Execution,
    Free,
    Granted,
    Progress,
    Refuse,
    Return,
    Run,
    Step,
    action_of,
    digest_of,
    next_step,
    permission,
)
from bot.approvals.ports import Clock, Event, Store, Transaction

ATTEMPTS: Final = 3
"""How often a step is tried again when somebody else wrote the same call's entry in between."""

PATIENCE: Final = 60.0
"""Seconds after which a database that is away is not asked again."""

LONGEST_PAUSE: Final = 2.0

Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True, kw_only=True)
class Executing:
    """Fills `Journal`."""

    store: Store
    now: Clock
    patience: float = PATIENCE

    async def begin(self, call: Call, *, needs_person: bool, repeatable: bool) -> Step:
        """What is to happen to this call; an intent or a doubt is on disk when this returns.

        Raises what the store says when it cannot write; then nothing may run.
        """
        if not needs_person and await self._patiently(partial(self._is_free, call)):
            return Free()
        meant: list[Execution] = []

        async def begin() -> Step:
            async with self.store.write() as tx:
                return await self._begin(tx, call, meant, needs_person=needs_person, repeatable=repeatable)

        for attempt in range(ATTEMPTS):
            try:
                return await self._patiently(begin)
            except Conflict:
                if attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")

    async def finish(self, execution: Execution, result: Mapping[str, Json] | None) -> None:
        """It ran, and this is what the agent is given; None if that cannot be kept."""
        done = execution.move(Progress.DONE, result=result)
        outcome = "result" if result is not None else "not kept"
        trace = None if result is None else fingerprint(result)
        await self._write(done, "executed", outcome=outcome, result=trace)

    async def fail(self, execution: Execution, sentence: str) -> None:
        """It ran and raised; this is what the agent is told."""
        failed = execution.move(Progress.FAILED, result={"error": sentence})
        await self._write(failed, "executed", outcome="failed")

    async def pause(self, execution: Execution) -> None:
        """The tool itself asks people something; it starts again when they have answered."""
        await self._write(execution.move(Progress.PAUSED), "paused")

    async def ran(self, execution: Execution, result: Mapping[str, Json], *, by: str) -> Execution:
        """A doubt is gone: it ran, and this is what it returned. `by` says who knows: `people` or `tool`."""
        done = execution.move(Progress.DONE, result=result, asked=execution.asked + _asked(by))
        return await self._write(done, "resolved", resolution="ran", by=by)

    async def again(self, execution: Execution, *, by: str) -> Execution:
        """A doubt is gone: it is to run again, which it is about to."""
        again = execution.again(asked=_asked(by))
        return await self._write(again, "resolved", resolution="again", by=by)

    async def skip(self, execution: Execution) -> None:
        """A doubt is left as it is: people said that it is not to run again."""
        skipped = execution.move(Progress.SKIPPED, asked=execution.asked + 1)
        await self._write(skipped, "resolved", resolution="skip", by="people")

    async def _is_free(self, call: Call) -> bool:
        async with self.store.read() as tx:
            approval = await tx.approvals.of_call(call.conversation, call.message, call.id)
        return isinstance(permission(call, approval, needs_person=False), Free)

    async def _begin(
        self, tx: Transaction, call: Call, meant: list[Execution], *, needs_person: bool, repeatable: bool
    ) -> Step:
        """`meant` are intents of this very call of `begin` whose commit was not heard of."""
        approval = await tx.approvals.of_call(call.conversation, call.message, call.id)
        allowed = permission(call, approval, needs_person=needs_person)
        if not isinstance(allowed, Granted):
            return await self._refused(tx, call, approval, allowed, needs_person=needs_person)
        entry = await tx.executions.get(call, allowed.digest)
        if entry in meant:
            return Run(entry)  # it was written after all, and nothing has run since
        step = next_step(call, allowed, entry, repeatable=repeatable)
        match step:
            case Run(execution=execution) if entry is None:
                meant.append(execution)
                await tx.executions.add(execution)
                await tx.record.append(
                    self._event("executing", execution, **_what(call, approval, repeatable))
                )
                return step
            case Run(execution=execution):
                meant.append(replace(execution, version=execution.version + 1))
                return Run(await self._save(tx, execution, "executing", **_what(call, approval, repeatable)))
            case Ask(execution=execution) if execution != entry:
                return Ask(await self._save(tx, execution, "in_doubt"))
            case Free() | Refuse():
                return await self._refused(tx, call, approval, step, needs_person=needs_person)
            case Ask() | Return():
                return step
            case _:
                assert_never(step)

    async def _refused(
        self,
        tx: Transaction,
        call: Call,
        approval: Approval | None,
        step: Free | Refuse,
        *,
        needs_person: bool,
    ) -> Free | Refuse:
        """The same, with a line of the record if it is a refusal, or if it runs although the gate says no."""
        if isinstance(step, Free) and not needs_person:
            return step
        action = action_of(call, approval)
        detail: dict[str, Json] = {"tool": call.tool, "call": call.id, "message": call.message}
        if isinstance(step, Refuse):
            detail["why"] = step.why.name.lower()
        if call.referents:
            detail["referents"] = call.referents.fingerprint
        await tx.record.append(
            Event(
                kind="blocked" if isinstance(step, Refuse) else "executing",
                at=self.now(),
                conversation=call.conversation,
                approval=approval.id if approval else None,
                action=action.id if action and isinstance(step, Refuse) else None,
                detail=detail,
            )
        )
        return step

    async def _write(self, execution: Execution, kind: str, **detail: Json) -> Execution:
        written, tries = replace(execution, version=execution.version + 1), 0

        async def write() -> Execution:
            nonlocal tries
            tries += 1
            async with self.store.write() as tx:
                if tries > 1 and written in await tx.executions.of(execution.conversation):
                    return written  # the commit was not heard of
                return await self._save(tx, execution, kind, **detail)

        return await self._patiently(write)

    async def _patiently(self, do: Callable[[], Awaitable[Outcome]]) -> Outcome:
        """Until the database is there again, or for as long as it is worth it."""
        begun, pause = time.monotonic(), 0.05
        while True:
            try:
                return await do()
            except Unavailable:
                if time.monotonic() - begun > self.patience:
                    raise
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, 2 * pause)

    async def _save(self, tx: Transaction, execution: Execution, kind: str, **detail: Json) -> Execution:
        """The execution as it is in the row then."""
        await tx.executions.save(execution)
        await tx.record.append(self._event(kind, execution, **detail))
        return replace(execution, version=execution.version + 1)

    def _event(self, kind: str, execution: Execution, **detail: Json) -> Event:
        """A line of the record: digests and numbers, never a value."""
        return Event(
            kind=kind,
            at=self.now(),
            conversation=execution.conversation,
            approval=execution.approval,
            action=execution.action,
            detail={
                "tool": execution.tool,
                "digest": execution.digest,
                "attempt": execution.attempt,
                **detail,
            },
        )


def _what(call: Call, approval: Approval | None, repeatable: bool) -> dict[str, Json]:  # noqa: FBT001 - as the port has it
    """What is about to run, from what the tool gets and not from what was decided."""
    return {"call": call.id, "call_digest": digest_of(call, approval), "repeatable": repeatable}


def _asked(by: str) -> int:
    return 1 if by == "people" else 0
