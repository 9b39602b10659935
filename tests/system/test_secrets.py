"""Three hundred secrets through the whole bot: nobody is shown one, anywhere, and the tool gets them all."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot import reports
from bot.approvals.masking import Masking
from bot.audit.documents import document
from bot.audit.trace import Tracing
from bot.policy_file import parse_policy
from bot.sandbox import buttons, text_of, value_of
from bot.store import reading_store
from bot.store.auditing import recorded
from tests.secrets_made import RNG, Secret, secrets, some
from tests.system.agents import RUNS, WORDS
from tests.system.house import House, a_house

POLICY = (
    '[defaults]\napprovers = ["channel"]\n[[rules]]\ntools = ["store", "display"]\nredact = ["codename"]\n'
)
MADE = secrets()
TYPED = some(30)
CODENAME = "".join(RNG.choice("aeiou") for _ in range(12))
SEVERAL = 3


@pytest.fixture
async def house(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> AsyncIterator[House]:
    """At its end nothing that anybody can see has a secret in it."""
    async with a_house(tmp_path, agent="tests.system.leaky:leaky", policy=POLICY) as house:
        yield house
        shown = "\n".join(text for call in house.slack.calls() for text in texts(dict(call.arguments)))
        private = "\n".join(texts(await house.bob.messages("#general")))
        metrics = await asked_for_metrics(house)
    logs = "".join(capfd.readouterr())
    record, told = await printed(tmp_path / "bot.db")
    lines, trace = await exported(tmp_path / "bot.db")
    for where in (shown, private, metrics, logs, record, told, lines, trace):
        assert [one.kind for one in MADE if leaked(one, where)] == []
        assert TYPED not in where
        assert CODENAME not in where
    assert "approval_bot_events" in metrics
    assert "started" in logs
    assert "said" in record
    assert "said" in lines
    assert "session_end" in trace
    assert "(masked, " in shown
    assert "(masked, " in told


async def asked_for_metrics(house: House) -> str:
    async with (
        aiohttp.ClientSession() as web,
        web.get(f"http://127.0.0.1:{house.bot.port}/metrics") as answer,
    ):
        return await answer.text()


async def printed(file: Path) -> tuple[str, str]:
    """The record's rows, and what `show` prints of every conversation."""
    with closing(sqlite3.connect(file)) as database:
        record = "\n".join(str(row) for row in database.execute("SELECT * FROM audit"))
        threads = [id for (id,) in database.execute("SELECT id FROM conversations")]
    masking = Masking(redact=parse_policy(POLICY, name="approvals.toml").redact)
    async with reading_store(file) as store:
        reported = [await reports.conversation(store, thread, masking) for thread in threads]
    return record, "\n".join(text for report in reported for text in texts(report))


async def exported(file: Path) -> tuple[str, str]:
    """The record as `audit` prints it, in both of its formats."""
    tracing = Tracing(session="record")
    async with reading_store(file) as store:
        lines = [line async for line in recorded(store)]
    trace = [told for line in lines for told in tracing.take(line.event)] + [*tracing.end()]
    return "\n".join(texts([document(line) for line in lines])), "\n".join(texts(trace))


def texts(part: object) -> Iterator[str]:
    """Every text in what Slack was given, as it is."""
    match part:
        case dict():
            for name, inner in part.items():
                yield name
                yield from texts(inner)
        case list() | tuple():
            for inner in part:
                yield from texts(inner)
        case str():
            yield part


def leaked(one: Secret, shown: str) -> bool:
    return any(one.core[at : at + 10] in shown for at in range(max(len(one.core) - 9, 1)))


async def test_no_secret_leaves_by_a_request_or_an_answer(house: House) -> None:
    for first in range(0, len(MADE), 60):
        said = "\n".join(one.text for one in MADE[first : first + 60])
        await house.alice.say("#general", f"/agent say this {first} again:\n{said}")
        await house.answer(f"say this {first} again")
    WORDS["everything"] = [one.text for one in MADE]
    await house.asks([("remember", {})])
    await house.answer("remember: ")


async def test_no_secret_leaves_by_an_error(house: House) -> None:
    parts = [MADE[first : first + SEVERAL] for first in range(0, len(MADE), SEVERAL)]
    for number, part in enumerate(parts):
        WORDS[f"error-{number}"] = " and ".join(one.text for one in part)
    await house.asks([("fail", {"text": f"$error-{number}"}) for number in range(len(parts))])
    await house.answer("fail: ", timeout=60)
    await house.alice.sees("⚠️", timeout=60)


async def test_no_secret_leaves_by_a_card_a_view_or_a_form(house: House) -> None:
    bare = {f"{number}_token": one.core for number, one in enumerate(MADE[:100])}
    data = {f"key-{number}": one.text for number, one in enumerate(MADE)} | bare | {"codename": CODENAME}
    WORDS.update({"data": data, "password": MADE[-1].core, "everything": [one.text for one in MADE]})
    await house.asks([("store", {"data": "$data", "password": "$password"})] * 4)
    card = await house.card()
    home = await house.bob.opens_home("Waiting for you")
    assert "(masked, " in text_of(home)
    await house.alice.opens_home("waits for a decision about store")
    await house.bob.say("#general", "/agent pending")
    assert "store" in text_of(await house.bob.sees_privately("Waiting for you"))
    await house.carol.press(card, "View all")
    page = await house.carol.form("store")
    while "Next" in buttons(page):
        await house.carol.press(page, "Next")
        page = await house.carol.form(lambda one, last=page: one["hash"] != last["hash"])  # type: ignore[misc]
    await house.bob.press(card, "Approve")
    await house.bob.submit(await house.bob.form("You have not seen"))
    card = await house.bob.sees_change(card, "3 of 4 open")
    await house.bob.press(card, "Edit")
    form = await house.bob.form("Arguments of")
    assert (value_of(form, "data"), value_of(form, "password")) == (None, None)
    assert await house.bob.submit(form, {"password": TYPED}) == {}
    card = await house.bob.sees_change(card, "2 of 4 open")
    words = "\n".join(one.text for one in MADE[:20])
    await house.bob.press(card, "Reject")
    await house.bob.submit(await house.bob.form(), {"Reason": words})
    card = await house.bob.sees_change(card, "1 of 4 open")
    await house.bob.press(card, "Respond")
    await house.bob.submit(await house.bob.form(), {"Response": words})
    await house.answer("store: ", timeout=30)
    await house.bob.home("store: edited by you")
    await house.bob.say("#general", "/agent pending")
    await house.bob.sees_privately("Nothing waits for you")
    assert [run for run in RUNS if run[0] == "store"] == [
        ("store", {"data": data, "password": MADE[-1].core}),
        ("store", {"data": data, "password": TYPED}),
    ]


async def test_no_secret_leaves_by_what_a_tool_shows_of_its_calls(house: House) -> None:
    WORDS.update({"data": {"codename": CODENAME}, "password": MADE[-1].core})
    for first in range(0, len(MADE), 30):
        part = MADE[first : first + 30]
        WORDS["some"] = [one.text for one in part if len(one.text) < 150][:12]
        await house.asks([("display", {"data": "$data", "password": "$password"})])
        card = await house.card(lambda one: "Approve" in buttons(one), timeout=30)
        assert "As the tool itself shows it" in text_of(card)
        await house.bob.press(card, "View all")
        await house.bob.close(await house.bob.form("As the tool itself shows it"))
        await house.bob.press(card, "Approve")
        await house.bob.sees_change(card, "Approved")


async def test_what_is_posted_cannot_unfurl_or_notify(house: House) -> None:
    WORDS.update({"data": {"x": "<!channel> https://evil.example"}, "password": MADE[0].core})
    WORDS["everything"] = ["<!here>"]
    await house.asks([("store", {"data": "$data", "password": "$password"})])
    await house.bob.press(await house.card(), "Reject")
    await house.bob.submit(await house.bob.form(), {"Reason": "<!channel> https://evil.example"})
    await house.answer("store: ")
    for call in house.slack.calls():
        arguments: dict[str, Any] = dict(call.arguments)
        assert "link_names" not in arguments
        if call.method == "chat.postMessage":
            assert not arguments["unfurl_links"]
            assert not arguments["unfurl_media"]
        if call.method.startswith("chat."):
            assert arguments["parse"] == "none"
            assert "<!" not in str(arguments["text"]).replace("<!date^", "")
    assert text_of(await house.card("Rejected"))
