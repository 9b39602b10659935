"""Between the look and the run: what people let run is what runs, or nothing, and somebody is told.

What may be changed                        where it is shown that nothing comes of it
a the state, while people are asked        here, under the question; `hazards/test_resuming.py` H12: with it
b by a middleware, after the decision      here; `agents/test_guard.py`: in place and anew, also after an edit
c by whoever holds the arguments           here: while the journal is written; `agents/test_referents.py`
d in our rows                              here: what was asked, its digest as well, what it points at
e in the form                              here; `test_votes.py`: of another edition; `test_forged.py`
f what LangGraph is told                   here; `agents/test_guard.py`: with the gate gone
g what the arguments point at              here; the gates themselves: `test_drift.py`
"""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, select, text, update
from sqlalchemy.exc import DBAPIError

from bot.agents import threads
from bot.approvals.approval import Approval
from bot.approvals.binding import digest
from bot.approvals.executing import Executing
from bot.approvals.journal import Call, Step
from bot.sandbox import buttons, text_of
from bot.sandbox.delivery import Acked
from bot.store import reading_store
from bot.store.tables import actions, approvals
from tests.postgres import a_database
from tests.system import pointing
from tests.system.agents import RUNS
from tests.system.house import House, Json, a_house, decisions
from tests.system.test_growth import only_thread

TRANSFER, STOLEN = ("transfer", {"amount": 5.0, "to": "bob"}), ("transfer", {"amount": 5000.0, "to": "eve"})
SCRIPTS = "tests.system.pointing:scripts"
TWO = '[defaults]\napprovers = ["channel"]\nquorum = 2\n'
EVERY = ["Approve", "Edit", "Respond", "Reject"]
either_database = pytest.mark.parametrize("where", ["sqlite", "postgres"], indirect=True)


@pytest.fixture(autouse=True)
def _nothing_meddles() -> Iterator[None]:
    for one in (pointing.PLACE, pointing.MEDDLING, pointing.HELD, pointing.LOST):
        one.clear()
    yield
    pointing.LOST.clear()


@pytest.fixture
async def where(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """The rows of a house in `tmp_path`, for a test that opens it more than once."""
    if getattr(request, "param", "sqlite") == "sqlite":
        yield f"sqlite:///{tmp_path / 'bot.db'}"
        return
    async with a_database() as database:
        yield database


def script(folder: Path, content: str = "echo hello", name: str = "a.sh") -> Path:
    path = folder / name
    path.write_text(content)
    return path


def asked_for(path: Path) -> tuple[str, Json]:
    return ("run_script", {"path": str(path)})


async def another_card(house: House, card: Json) -> Json:
    """The card on which it is asked again."""
    return await house.card(lambda one: one["ts"] != card["ts"] and decisions(one) != [])


async def is_withdrawn(house: House, card: Json, why: str) -> None:
    ended = await house.bob.sees_change(card, lambda one: "Withdrawn" in text_of(one))
    assert why in text_of(ended)
    assert buttons(ended) == []


# a: the state


async def test_a_call_that_is_changed_under_the_question_ends_what_was_asked(house: House) -> None:
    """The question still stands in the thread as it was asked; only the call behind it is another."""
    await house.asks([TRANSFER])
    card = await house.card()
    saver: Any = house.bot.agent.graph.checkpointer
    place: Any = {"configurable": {"thread_id": await only_thread(house), "checkpoint_ns": ""}}
    kept = await saver.aget_tuple(place)
    kept.checkpoint["channel_values"]["messages"][-1].tool_calls[0]["args"] = STOLEN[1]
    before: Any = kept.parent_config or place
    await saver.aput(before, kept.checkpoint, kept.metadata, {})
    await house.bob.press(card, "Approve")
    await is_withdrawn(house, card, "what the agent asks is not what was shown")
    await house.alice.sees("Stopped. Nothing that waited was run.")
    assert RUNS == []


# b and c: a middleware, and whoever holds the arguments


@pytest.mark.parametrize("edits", [False, True])
async def test_arguments_that_a_middleware_changes_after_the_decision_do_not_run_and_the_thread_is_told(
    tmp_path: Path,
    edits: bool,  # noqa: FBT001 - a parameter
) -> None:
    pointing.MEDDLING.append(lambda arguments: arguments.update(STOLEN[1]))
    async with a_house(tmp_path, agent=SCRIPTS) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        await house.bob.press(card, "Edit" if edits else "Approve")
        if edits:
            assert await house.bob.submit(await house.bob.form(), {"amount": "4"}) == {}
        await house.alice.sees("`transfer` was not run: it is not the call that was decided about")
        assert RUNS == []


@pytest.mark.parametrize("deep", [False, True])
async def test_arguments_that_are_changed_after_the_guard_looked_are_not_what_the_tool_gets(
    tmp_path: Path,
    deep: bool,  # noqa: FBT001 - a parameter
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever handed them over still holds them, and changes them once the journal has let the call run."""
    begin = Executing.begin
    store = ("store", {"data": {"a": 1}})

    async def late(self: Executing, call: Call, **how: Any) -> Step:  # noqa: ANN401 - as `begin`
        step = await begin(self, call, **how)
        for held in pointing.HELD:
            held["data"].update(b="x" * 1_000) if deep else held.update(STOLEN[1])
        return step

    monkeypatch.setattr(Executing, "begin", late)
    async with a_house(tmp_path, agent="tests.system.pointing:scripts") as house:
        await house.asks([store if deep else TRANSFER])
        if not deep:
            await house.bob.press(await house.card(), "Approve")
        await house.answer()
        assert RUNS == [("store", {"size": 8})] if deep else [TRANSFER]


# d: our rows


def tamper(where: str, **change: Any) -> None:  # noqa: ANN401 - parts of a request
    """Rewrite what was asked, as somebody could who has the database: away with the triggers first."""
    engine = create_engine(where.replace("postgresql://", "postgresql+psycopg://"))
    table = " ON actions" if engine.dialect.name == "postgresql" else ""
    with engine.begin() as connection:
        row = connection.execute(
            select(
                actions.c.id, actions.c.request, approvals.c.conversation, approvals.c.interrupt
            ).join_from(actions, approvals)
        ).one()
        asked = json.loads(row.request) | change
        if not asked["digest"]:  # one that fits
            asked["digest"] = digest(
                tool=asked["tool"],
                arguments=asked["arguments"],
                thread=row.conversation,
                interrupt=row.interrupt,
                call=asked["call"],
            )
        request = json.dumps(asked)
        with pytest.raises(DBAPIError, match="what people were shown does not change"), engine.begin() as one:
            one.execute(update(actions).values(request=request))
        connection.execute(text(f"DROP TRIGGER actions_refuses_update{table}"))
        connection.execute(update(actions).where(actions.c.id == row.id).values(request=request))
    engine.dispose()


TAMPERED = "what is kept of this request is not what was asked"
ROW: list[tuple[dict[str, Any], str]] = [
    ({"arguments": STOLEN[1]}, TAMPERED),
    ({"arguments": STOLEN[1], "digest": ""}, "what the agent asks is not what was shown"),
    ({"referents": {"texts": {"to": "eve"}}}, TAMPERED),
]


@either_database
@pytest.mark.parametrize(("change", "why"), ROW, ids=["arguments", "digest", "referents"])
async def test_a_row_that_is_rewritten_while_people_are_asked_runs_nothing_and_the_thread_is_told(
    tmp_path: Path, where: str, change: dict[str, Any], why: str
) -> None:
    async with a_house(tmp_path, database=where) as house:
        await house.asks([TRANSFER])
        card = await house.card()
    tamper(where, **change)
    async with a_house(tmp_path, database=where, audited=False) as house:
        await house.bob.press(card, "Approve")
        await house.alice.sees(why)
        assert RUNS == []


# e: the form


async def sent(house: House, form: Json, **changes: Any) -> Json:  # noqa: ANN401 - a view's fields
    """What the bot answers to Bob's form, changed on the way."""
    place = {"team": {"id": "T0SANDBOX"}, "user": {"id": "U0BOB", "team_id": "T0SANDBOX"}}
    view = form | {"state": {"values": {}}} | changes
    payload = {"type": "view_submission", "api_app_id": "A0AGENT", "view": view, **place}
    answered = await house.slack.deliver(payload, "interactive")
    assert isinstance(answered, Acked)
    return answered.payload


async def test_a_form_cannot_say_more_than_it_asks_nor_speak_for_another_call(house: House) -> None:
    await house.asks([TRANSFER, ("store", {"data": {"password": "hunter2", "a": 1}})])
    card = await house.card()
    await house.bob.press(card, "Edit", nth=1)
    await house.bob.form()
    [opened] = house.slack.calls("views.open")
    form = dict(opened.arguments["view"])
    place = json.loads(form["private_metadata"])
    told = await sent(house, form, private_metadata=json.dumps(place | {"action": "0" * 32}))
    assert "not known here" in str(told)
    hidden = {"argument.9": {"value": {"type": "plain_text_input", "value": "eve"}}}
    hidden |= {"argument.0.masked": {"value": {"type": "plain_text_input", "value": ""}}}
    assert await sent(house, form, state={"values": hidden}) == {}
    await house.bob.press(await house.card_with(card, *EVERY, "Change"), "Approve")
    await house.answer("transfer done")
    assert sorted(name for name, _ in RUNS) == ["store", "transfer"]
    assert TRANSFER in RUNS
    assert ("store", {"size": len(json.dumps({"password": "hunter2", "a": 1}))}) in RUNS


# f: what LangGraph is told


@pytest.mark.parametrize(
    ("pressed", "told", "why"),
    [
        (
            "Approve",
            {"type": "edit", "edited_action": {"name": "transfer", "args": STOLEN[1]}},
            "it is not the call that was decided about",
        ),
        ("Reject", {"type": "approve"}, "it was rejected"),
    ],
)
async def test_another_answer_than_people_gave_runs_nothing_and_the_thread_is_told(
    house: House, monkeypatch: pytest.MonkeyPatch, pressed: str, told: Json, why: str
) -> None:
    def forged(_: Approval, *__: object, **___: object) -> object:
        return {"decisions": [told]}

    monkeypatch.setattr(threads, "answer", forged)
    await house.asks([TRANSFER])
    await house.bob.press(await house.card(), pressed)
    if pressed == "Reject":
        assert await house.bob.submit(await house.bob.form(), {"Reason": "no"}) == {}
    await house.alice.sees(f"`transfer` was not run: {why}")
    assert RUNS == []


# g: what the arguments point at


@either_database
async def test_a_script_that_is_rewritten_while_people_are_asked_does_not_run_and_is_asked_again(
    tmp_path: Path, where: str
) -> None:
    path = script(tmp_path)
    async with a_house(tmp_path, agent=SCRIPTS, database=where) as house:
        await house.asks([asked_for(path)])
        card = await house.card()
        assert "Points at: " in text_of(card)
        before = (await pointing.stands({"path": str(path)}))["content"]
        assert before in text_of(card)
        path.write_text("rm -r /")
        await house.bob.press(card, "Approve")
        await is_withdrawn(
            house, card, "what `run_script` points at has changed since this was asked; it is asked again"
        )
        assert RUNS == []
        anew = await another_card(house, card)
        after = (await pointing.stands({"path": str(path)}))["content"]
        assert after != before
        assert after in text_of(anew)
        await house.bob.press(anew, "Approve")
        await house.answer()
        assert [("run_script", {"path": str(path), "content": "rm -r /"})] == RUNS


async def test_a_link_that_leads_elsewhere_by_now_is_asked_again_although_both_files_are_the_same(
    tmp_path: Path,
) -> None:
    link = tmp_path / "link"
    link.symlink_to(script(tmp_path))
    async with a_house(tmp_path, agent=SCRIPTS) as house:
        await house.asks([asked_for(link)])
        card = await house.card()
        link.unlink()
        link.symlink_to(script(tmp_path, name="b.sh"))
        await house.bob.press(card, "Approve")
        await is_withdrawn(house, card, "what `run_script` points at has changed")
        assert "b.sh" in text_of(await another_card(house, card))
        assert RUNS == []


async def test_a_file_that_changes_after_the_agent_was_told_is_seen_by_the_guard(tmp_path: Path) -> None:
    path = script(tmp_path)

    def rewritten(_: Json) -> None:
        path.write_text("rm -r /")

    pointing.MEDDLING.append(rewritten)
    async with a_house(tmp_path, agent=SCRIPTS) as house:
        await house.asks([asked_for(path)])
        await house.bob.press(await house.card(), "Approve")
        await house.alice.sees(
            "`run_script` was not run: what it points at has changed since it was approved"
        )
        assert "if it is still wanted, ask for it again" in await house.answer("run_script: `run_script`")
        assert RUNS == []


async def test_what_cannot_be_looked_up_is_asked_without_approve_and_says_why(tmp_path: Path) -> None:
    path = script(tmp_path)
    pointing.LOST.append("the disk is away")
    async with a_house(tmp_path, agent=SCRIPTS) as house:
        await house.asks([asked_for(path)])
        card = await house.card()
        assert "could not be looked up: `the disk is away`" in _literal(card)
        assert decisions(card) == ["Edit", "Respond", "Reject"]
        await house.bob.press(card, "Edit")
        form = await house.bob.form()
        told = await house.bob.submit(form, {"path": str(path)})
        assert "could not be looked up: the disk is away" in str(told)
        pointing.LOST.clear()
        assert await house.bob.submit(form, {"path": str(path)}) == {}
        await house.answer()
        assert len(RUNS) == 1


async def test_what_can_no_longer_be_looked_up_does_not_run(tmp_path: Path) -> None:
    path = script(tmp_path)
    async with a_house(tmp_path, agent=SCRIPTS) as house:
        await house.asks([asked_for(path)])
        card = await house.card()
        pointing.LOST.append("for ever")
        await house.bob.press(card, "Approve")
        await is_withdrawn(house, card, "could not be looked up again: it took longer than 2 seconds")
        assert RUNS == []


async def test_an_edit_is_bound_to_what_it_points_at_when_it_is_made(tmp_path: Path) -> None:
    one, other = script(tmp_path), script(tmp_path, "echo other", "other.sh")
    async with a_house(tmp_path, agent=SCRIPTS, policy=TWO) as house:
        await house.asks([asked_for(one)])
        card = await house.card()
        await house.carol.press(card, "Edit")
        assert await house.carol.submit(await house.carol.form(), {"path": str(other)}) == {}
        card = await house.bob.sees_change(card, lambda one: "Edited" in text_of(one))
        assert (await pointing.stands({"path": str(other)}))["content"] in text_of(card)
        other.write_text("rm -r /")
        await house.bob.press(card, "Approve")
        await is_withdrawn(house, card, "what `run_script` points at has changed")
        assert RUNS == []
        assert "a.sh" in text_of(await another_card(house, card))


async def test_an_approval_is_remembered_for_what_it_pointed_at_alone(tmp_path: Path) -> None:
    path = script(tmp_path)
    once = '[defaults]\napprovers = ["channel"]\n[[rules]]\ntools = ["run_script"]\nask = "once"\n'
    async with a_house(tmp_path, agent=SCRIPTS, policy=once) as house:
        await house.asks([asked_for(path)], [asked_for(path)], [TRANSFER], [asked_for(path)])
        first = await house.card()
        await house.bob.press(first, "Approve")
        card = await house.card("Send money")
        assert [name for name, _ in RUNS] == ["run_script", "run_script"]
        path.write_text("rm -r /")
        await house.bob.press(card, "Approve")
        anew = await house.card(
            lambda one: one["ts"] != first["ts"] and "Points at" in text_of(one) and decisions(one) != []
        )
        assert (await pointing.stands({"path": str(path)}))["content"] in text_of(anew)
        assert [name for name, _ in RUNS] == ["run_script", "run_script", "transfer"]


async def test_the_record_knows_what_was_pointed_at_by_its_fingerprint_alone(tmp_path: Path) -> None:
    path = script(tmp_path)
    async with a_house(tmp_path, agent=SCRIPTS) as house:
        await house.asks([asked_for(path)])
        await house.bob.press(await house.card(), "Approve")
        await house.answer()
        found = await pointing.stands({"path": str(path)})
    async with reading_store(f"sqlite:///{tmp_path / 'bot.db'}") as store, store.read() as tx:
        told = await tx.record.of()
    [filed] = [event for event in told if event.kind == "filed"]
    asked: Any = filed.detail["actions"]
    [ran] = [event for event in told if event.kind == "executing"]
    assert [len(one["referents"]) for one in asked] == [64]
    assert ran.detail["call_digest"] == ran.detail["digest"] == asked[0]["digest"]
    assert found["content"] not in str(told)


async def test_a_file_that_changed_after_it_was_asked_is_not_deleted_by_the_agent_that_ships(
    tmp_path: Path,
) -> None:
    pointing.PLACE.append(tmp_path / "files")
    pointing.PLACE[0].mkdir()
    path = script(pointing.PLACE[0], "draft", "notes.txt")
    async with a_house(tmp_path, agent="tests.system.pointing:files") as house:
        await house.asks([("delete_file", {"path": "notes.txt"})])
        card = await house.card()
        assert "path notes.txt" in text_of(card)
        path.write_text("the only copy")
        await house.bob.press(card, "Approve")
        await is_withdrawn(house, card, "what `delete_file` points at has changed")
        assert path.read_text() == "the only copy"
        await house.bob.press(await another_card(house, card), "Approve")
        await house.answer("Deleted notes.txt")
        assert not path.exists()


def _literal(card: Json) -> str:
    """The card's rich text, with what is literal between backticks."""
    return "".join(
        f"`{piece['text']}`" if (piece.get("style") or {}).get("code") else piece.get("text", "")
        for block in card["blocks"]
        if block["type"] == "rich_text"
        for part in block["elements"]
        for piece in part["elements"]
    )
