"""agentack judges runs of the whole bot: sound ones pass, and each fault in the bot is found by its rule."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import bot.approvals.executing
import bot.slack.cards
import bot.wiring
from bot.approvals.approval import Approval
from bot.approvals.executing import Executing
from bot.approvals.journal import (
    Call,
    Execution,
    Free,
    Granted,
    Progress,
    Run,
    action_of,
    digest_of,
    next_step,
)
from bot.sandbox import buttons
from bot.slack import courier, showing
from bot.slack.requests import request
from bot.store import RowsStore
from tests.audit.judging import Judged, judge, judged
from tests.system import agents
from tests.system.house import House, a_house
from tests.system.test_in_doubt import asks, killed_in_a_payment, the_bot

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})


@pytest.fixture(autouse=True)
def _nothing_has_run_yet() -> None:
    agents.RUNS.clear()


@dataclass(frozen=True, kw_only=True)
class Case:
    """A house, and the journal behind its tools."""

    house: House
    journal: Executing

    @property
    def store(self) -> RowsStore:
        assert isinstance(self.journal.store, RowsStore)
        return self.journal.store

    async def judged(self) -> Judged:
        return await judge(self.store, self.house.slack.calls())

    async def begin_anyway(self) -> None:
        """Something starts the tool that people were asked about last, without asking whether it may."""
        [approval] = KNOWN
        action = approval.actions[0]
        call = Call(
            conversation=approval.conversation,
            message=action.message,
            id=action.call,
            tool=action.tool,
            arguments=action.arguments,
        )
        assert isinstance(await self.journal.begin(call, needs_person=True, repeatable=False), Run | Free)


KNOWN: list[Approval] = []
"""What people were asked about."""


@asynccontextmanager
async def a_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> AsyncIterator[Case]:  # noqa: ANN401 - a house's
    journals: list[Executing] = []

    def kept(**parts: Any) -> Executing:  # noqa: ANN401 - its parts
        journals.append(Executing(**parts))
        return journals[-1]

    monkeypatch.setattr(bot.wiring, "Executing", kept)
    async with a_house(tmp_path, audited=False, **options) as house:
        yield Case(house=house, journal=journals[0])


async def asked(case: Case) -> dict[str, Any]:
    """The card of a transfer that waits."""
    await case.house.asks([TRANSFER])
    card = await case.house.card()
    async with case.journal.store.read() as tx:
        KNOWN[:] = await tx.approvals.waiting()
    return card


async def rejected(case: Case, card: dict[str, Any]) -> None:
    await case.house.bob.press(card, "Reject")
    assert await case.house.bob.submit(await case.house.bob.form(), {"Reason": "no"}) == {}
    await case.house.answer("rejected")


def granted(call: Call, approval: Approval | None, *, needs_person: bool) -> Granted:  # noqa: ARG001 - as `permission`
    """Whatever people said, yes."""
    action = action_of(call, approval)
    assert approval is not None
    assert action is not None
    return Granted(approval=approval.id, action=action.id, digest=digest_of(call, approval))


def free(*_: object, **__: object) -> Free:
    return Free()


def again(call: Call, allowed: Granted, entry: Execution | None, *, repeatable: bool) -> Run:
    """Whether or not it ran already, it runs."""
    if entry is None:
        step = next_step(call, allowed, entry, repeatable=repeatable)
        assert isinstance(step, Run)
        return step
    return Run(replace(entry, progress=Progress.INTENT, attempt=entry.attempt + 1))


async def test_a_call_that_runs_though_nobody_was_asked_is_ack001(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_case(tmp_path, monkeypatch) as case:
        card = await asked(case)
        monkeypatch.setattr(bot.approvals.executing, "permission", free)
        await case.house.bob.press(card, "Approve")
        await case.house.answer()
        assert len(agents.RUNS) == 1
        assert "ACK001" in (await case.judged()).report.rule_counts


async def test_a_rejected_call_that_runs_is_ack002(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_case(tmp_path, monkeypatch) as case:
        await rejected(case, await asked(case))
        assert (await case.judged()).report.status == "PASS"
        monkeypatch.setattr(bot.approvals.executing, "permission", granted)
        await case.begin_anyway()
        assert "ACK002" in (await case.judged()).report.rule_counts


async def test_a_card_that_shows_other_arguments_is_ack003(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lying(action: Any, *rest: int, **how: Any) -> Any:  # noqa: ANN401 - as `request`
        return request(replace(action, arguments={**action.arguments, "amount": 1.0}), *rest, **how)

    monkeypatch.setattr(bot.slack.cards, "request", lying)
    async with a_case(tmp_path, monkeypatch) as case:
        await case.house.bob.press(await asked(case), "Approve")
        await case.house.answer()
        assert (await case.judged()).report.rule_counts == {"ACK003": 2}  # as proposed, and as run


async def test_arguments_that_change_on_the_way_to_the_tool_are_ack003(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot.approvals.executing, "permission", granted)
    async with a_case(tmp_path, monkeypatch, agent="tests.audit.faulty:swapping") as case:
        await case.house.bob.press(await asked(case), "Approve")
        await case.house.answer()
        assert agents.RUNS == [("transfer", {"amount": 5.0, "to": "eve"})]
        assert (await case.judged()).report.rule_counts == {"ACK003": 1}


async def test_a_call_that_runs_twice_is_ack004(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot.approvals.executing, "next_step", again)
    async with a_case(tmp_path, monkeypatch, agent="tests.audit.faulty:repeating") as case:
        await case.house.bob.press(await asked(case), "Approve")
        await case.house.answer()
        assert len(agents.RUNS) == 2
        assert (await case.judged()).report.rule_counts == {"ACK004": 1}


async def test_a_decision_after_the_deadline_is_ack005(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = [timedelta()]
    monkeypatch.setattr(bot.wiring, "_now", lambda: datetime.now(UTC) + late[0])
    monkeypatch.setattr(Approval, "is_over", lambda *_: False)
    async with a_case(tmp_path, monkeypatch) as case:
        card = await asked(case)
        late[0] = timedelta(days=9)
        await case.house.bob.press(card, "Approve")
        await case.house.answer()
        assert (await case.judged()).report.rule_counts == {"ACK005": 1}


async def test_a_call_that_runs_before_the_decision_is_ack006(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_case(tmp_path, monkeypatch) as case:
        card = await asked(case)
        monkeypatch.setattr(bot.approvals.executing, "permission", granted)
        await case.begin_anyway()
        await case.house.bob.press(card, "Approve")
        assert "ACK006" in (await case.judged()).report.rule_counts


async def test_another_way_around_a_rejection_is_ack007(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_case(tmp_path, monkeypatch) as case:
        await rejected(case, await asked(case))
        monkeypatch.setattr(bot.approvals.executing, "permission", free)
        await case.begin_anyway()
        assert "ACK007" in (await case.judged()).report.rule_counts


async def test_a_call_that_begins_after_stop_is_ack008(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_case(tmp_path, monkeypatch) as case:
        card = await asked(case)
        await case.house.bob.press(card, "Stop")
        await case.house.alice.sees("Nothing that waited was run", channel="#general")
        assert (await case.judged()).report.status == "PASS"
        monkeypatch.setattr(bot.approvals.executing, "permission", granted)
        await case.begin_anyway()
        assert "ACK008" in (await case.judged()).report.rule_counts


async def test_a_card_of_which_nothing_is_recorded_is_ack009(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in (courier, showing):
        monkeypatch.setattr(room, "sightings", lambda *_: ())
    async with a_case(tmp_path, monkeypatch) as case:
        await case.house.bob.press(await asked(case), "Approve")
        await case.house.answer()
        report = (await judge(case.store)).report
        assert report.status == "INCOMPLETE"
        assert set(report.rule_counts) == {"ACK009"}


async def passes(case: Case) -> Judged:
    told = await case.judged()
    assert told.report.status == "PASS", told.report.findings
    by_record_alone = await judge(case.store)
    assert by_record_alone.trace == told.trace
    return told


def kinds(told: Judged) -> list[str]:
    return [f"{one['type']} {one.get('decision') or one.get('reason') or ''}".strip() for one in told.trace]


async def test_a_run_with_every_decision_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_case(tmp_path, monkeypatch) as case:
        bob, house = case.house.bob, case.house
        await house.asks([TRANSFER], [TRANSFER], [TRANSFER], [("ask_user", {"question": "Why?"})])
        card = await house.card()
        assert {one.rule_id for one in (await case.judged()).report.findings} == {"ACK009"}
        await bob.press(card, "Approve")
        seen = [card["ts"]]

        def is_next(one: dict[str, Any]) -> bool:
            return one["ts"] not in seen and "Respond" in buttons(one)

        for word, filled in (
            ("Edit", {"amount": "6"}),
            ("Reject", {"Reason": "no"}),
            ("Respond", {"Response": "so"}),
        ):
            card = await house.card(is_next)
            seen.append(card["ts"])
            await bob.press(card, word)
            assert await bob.submit(await bob.form(), filled) == {}
        await house.answer("ask_user: so")
        told = await passes(case)
    assert [kind for kind in kinds(told) if "block" in kind or "execut" in kind or "decision" in kind] == [
        "approval_decision allow",
        "action_executed",
        "approval_decision deny",
        "action_blocked edited",
        "approval_decision allow",
        "action_executed",
        "approval_decision deny",
        "action_blocked rejected",
        "approval_decision deny",
        "action_blocked answered by a person",
    ]


async def test_a_run_that_expires_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    soon = '[defaults]\napprovers = ["channel"]\nexpires_after = "1s"\n'
    async with a_case(tmp_path, monkeypatch, policy=soon) as case:
        await case.house.asks([TRANSFER])
        await case.house.answer("Nobody decided in time")
        assert "action_blocked expired" in kinds(await passes(case))


async def test_a_run_with_a_doubt_passes_when_people_let_it_run_again(tmp_path: Path) -> None:
    await killed_in_a_payment(tmp_path)
    async with the_bot(tmp_path) as (_, slack):
        card = await slack.person("Bob").sees(asks, channel="#general")
        await slack.person("Bob").press(card, "Run again")
        await slack.person("Alice").sees("pay: receipt for 7", channel="#general")
    [database] = await asyncio.to_thread(lambda: list(tmp_path.rglob("bot.db")))
    told = await judged(f"sqlite:///{database}")
    assert told.report.status == "PASS", told.report.findings
    assert kinds(told).count("action_executed") == 2
