import asyncio
import time

import pytest

from bot.sandbox import (
    Account,
    NotSeenError,
    Person,
    RefusedError,
    Sandbox,
    Visitor,
    buttons,
    labels,
    text_of,
    value_of,
)
from bot.sandbox.person import Wire
from tests.sandbox.raw_app import Json, button, card, field, modal, option, raw_app

GENERAL = "C0GENERAL"


def rich(*elements: Json) -> Json:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}


class CountingWire:
    """A person's connection that counts what is asked."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.asked = 0

    async def get(self, path: str, query: dict[str, str]) -> Json:
        self.asked += 1
        return await self._wire.get(path, query)

    async def post(self, path: str, body: Json) -> Json:
        return await self._wire.post(path, body)


async def test_waiting_ends_with_the_change_and_asks_no_oftener_than_things_change() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        root = await slack.person("Alice").say("#general", "please")
        wire = CountingWire(slack.person("Bob")._wire)
        bob = Person(wire, slack.person("Bob").id, "Bob")
        waiting = asyncio.create_task(bob.sees("done", channel=GENERAL, thread=root["ts"], timeout=20))
        for number in range(20):
            await app.call("chat.postMessage", channel=GENERAL, text=f"elsewhere {number}")
        await app.call("chat.postMessage", channel=GENERAL, text="working", thread_ts=root["ts"])
        assert not waiting.done()
        await app.call("chat.postMessage", channel=GENERAL, text="done", thread_ts=root["ts"])
        assert (await waiting)["text"] == "done"
        assert wire.asked <= 3


async def test_waiting_in_vain_ends_with_a_picture_of_what_was_there() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        root = await slack.person("Alice").say("#general", "please")
        await app.call("chat.postMessage", channel=GENERAL, blocks=card("Approve"), thread_ts=root["ts"])
        await app.call("chat.postEphemeral", channel=GENERAL, user="U0BOB", text="psst")
        with pytest.raises(NotSeenError) as missing:
            await slack.person("Bob").sees("write_file", timeout=0.05)
        picture = str(missing.value)
        assert "'write_file'" in picture
        assert "Alice: 'please'" in picture
        assert "delete_file" in picture
        assert "['Approve']" in picture
        assert "only you see this" in picture


async def test_the_text_of_a_message_is_what_a_person_reads() -> None:
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Approval needed"}},
        rich(
            {"type": "text", "text": "Hello "},
            {"type": "user", "user_id": "U0BOB"},
            {"type": "text", "text": ", see "},
            {"type": "link", "url": "https://example.com", "text": "this"},
        ),
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "*tool*"},
            "accessory": button("View all", "all"),
        },
        {"type": "context", "elements": [{"type": "plain_text", "text": "by Alice"}]},
        {
            "type": "table",
            "rows": [[{"type": "raw_text", "text": "a"}, {"type": "raw_number", "value": 2}]],
        },
        {"type": "actions", "elements": [button("✅ Approve", "a"), button(":x: Reject", "b")]},
    ]
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        answer = await app.call("chat.postMessage", channel=GENERAL, blocks=blocks)
        assert answer["ok"], answer
        seen = await slack.person("Bob").sees("Approval needed")
        assert text_of(seen).split("\n") == [
            "Approval needed",
            "Hello <@U0BOB>, see this",
            "*tool* View all",
            "by Alice",
            "a 2",
            "✅ Approve :x: Reject",
        ]
        assert buttons(seen) == ["View all", "Approve", "Reject"]


async def test_buttons_are_pressed_by_word_by_number_among_equals_and_by_place() -> None:
    rows: list[Json] = [
        {"type": "actions", "block_id": f"row{row}", "elements": [button("✅ Approve", "a", f"{row}")]}
        for row in range(3)
    ]
    async with Sandbox() as slack, raw_app(slack) as app:
        await app.call("chat.postMessage", channel=GENERAL, blocks=rows)
        bob = slack.person("Bob")
        seen = await bob.sees(lambda message: bool(buttons(message)))
        await bob.press(seen, "approve")
        await bob.press(seen, "Approve", nth=2)
        await bob.press(seen, 1)
        await bob.press(seen, -1)
        pressed = [(await app.next("block_actions"))["payload"]["actions"][0]["value"] for _ in range(4)]
        assert pressed == ["0", "2", "1", "2"]
        with pytest.raises(LookupError, match="number 3"):
            await bob.press(seen, "Approve", nth=3)


async def test_a_form_is_filled_in_by_its_labels() -> None:
    fields = [
        field("path", {"type": "plain_text_input"}),
        field("mode", {"type": "radio_buttons", "options": [option("add"), option("replace")]}),
        field("force", {"type": "static_select", "options": [option("true"), option("false")]}),
        field("tags", {"type": "multi_static_select", "options": [option("a"), option("b"), option("c")]}),
    ]
    async with Sandbox() as slack, raw_app(slack) as app:
        bob = slack.person("Bob")
        await bob.say("#general", "/agent")
        trigger = (await app.next())["payload"]["trigger_id"]
        await app.call("views.open", trigger_id=trigger, view=modal(*fields))
        form = await bob.form("A form")
        assert labels(form) == ["path", "mode", "force", "tags"]
        with pytest.raises(LookupError, match="'path'"):
            await bob.submit(form, {"colour": "red"})
        with pytest.raises(LookupError, match="'replace'"):
            await bob.submit(form, {"mode": "burn"})
        left = {"path": "x", "mode": "add"}
        assert set(await bob.submit(form, left)) == {"force", "tags"}
        assert value_of(await bob.form(), "mode") == "add"
        assert await bob.submit(form, {"force": False, "tags": ["a", "c"]}) == {}
        values = (await app.next("view_submission"))["payload"]["view"]["state"]["values"]
        assert values["path"]["value"]["value"] == "x"
        assert values["force"]["value"]["selected_option"]["value"] == "false"
        assert [one["value"] for one in values["tags"]["value"]["selected_options"]] == ["a", "c"]


async def test_people_see_only_what_is_theirs() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        await app.call("chat.postMessage", channel="C0APPROVALS", text="not for guests")
        await slack.person("Alice").say("#random", "no bots here")
        gus = slack.person("Gus")
        assert await gus.messages("C0APPROVALS") == []
        assert await gus.messages("#random") == []
        with pytest.raises(RefusedError, match="not in that channel"):
            await gus.say("#random", "let me in")
        assert [one["text"] for one in await slack.person("Carol").messages("#random")] == ["no bots here"]


async def test_a_sandbox_is_visited_by_its_address() -> None:
    async with Sandbox() as slack, await Visitor.connect(slack.page_url) as visitor:
        await visitor.person("Alice").say("#general", "hello")
        assert (await visitor.person("Bob").sees("hello"))["username"] == "Alice"
        with pytest.raises(LookupError, match="Mallory"):
            visitor.person("Mallory")


async def test_a_visit_to_nobody_ends_in_time() -> None:
    async with Sandbox() as slack:
        address = slack.page_url
    with pytest.raises(TimeoutError):
        await Visitor.connect(address, patience=0.1)


async def test_people_and_channels_can_be_added_while_it_runs() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        zoe = await slack.add_person(
            Account(id="U0ZOE", name="zoe", real_name="Zoe Zorn", team_id="T0SANDBOX"),  # type: ignore[arg-type]
            channels=["#general"],
        )
        ops = await slack.add_channel("#ops", ["Zoe", "Bob"])
        await app.call("chat.postMessage", channel=ops.id, text="welcome")
        assert (await zoe.sees("welcome"))["channel"] == ops.id
        assert "U0ZOE" in (await app.call("conversations.members", channel=GENERAL))["members"]


async def test_a_start_takes_less_than_a_tenth_of_a_second() -> None:
    times = []
    for _ in range(5):
        started = time.monotonic()
        async with Sandbox():
            times.append(time.monotonic() - started)
    assert min(times) < 0.1


async def test_it_closes_at_once_while_somebody_waits() -> None:
    slack = Sandbox()
    await slack.start()
    async with await Visitor.connect(slack.page_url) as visitor:
        poll = asyncio.create_task(visitor.get("/client/state", {"as": "U0BOB", "after": "999999"}))
        async with raw_app(slack) as app:
            app.answer = lambda _: None
            command = asyncio.create_task(visitor.person("Bob").say("#general", "/agent"))
            await app.next("slash_commands")
            started = time.monotonic()
            await slack.close()
            assert time.monotonic() - started < 2
        assert (await poll)["seq"] > 0
        assert not (await command)["ok"]


async def test_a_taken_port_is_an_error_of_the_system_and_leaves_nothing_open() -> None:
    async with Sandbox() as slack:
        port = int(slack.page_url.rsplit(":", 1)[1].strip("/"))
        with pytest.raises(OSError, match="address already in use"):
            await Sandbox(port=port).start()


async def test_nothing_outside_the_page_is_served() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        for path in ("page/../server.py", "page/%2e%2e/server.py", "page/..%2fserver.py", "page/none.js"):
            async with app._session.get(slack.page_url + path) as response:
                assert response.status == 404
        async with app._session.get(slack.page_url) as response:
            assert response.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    ("path", "body", "part"),
    [
        ("say", {"as": "U0BOB", "channel": GENERAL}, "text"),
        ("say", {"as": "U0NOBODY", "channel": GENERAL, "text": "x"}, "no such person"),
        ("say", {"as": "U0AGENT", "channel": GENERAL, "text": "x"}, "no such person"),
        ("say", {"as": "U0BOB", "channel": GENERAL, "text": "  "}, "empty"),
        ("say", {"as": "U0BOB", "channel": GENERAL, "text": "x", "thread_ts": "1.2"}, "thread"),
        ("act", {"as": "U0BOB", "block_id": "a", "action_id": "b"}, "view_id"),
        ("submit", {"as": "U0BOB", "view_id": "V1", "state": {}}, "no such view"),
        ("submit", {"as": "U0BOB", "view_id": "V1", "state": [], "more": 1}, "state"),
    ],
)
async def test_a_bad_request_gets_one_sentence(path: str, body: Json, part: str) -> None:
    async with Sandbox() as slack, await Visitor.connect(slack.page_url) as visitor:
        answer = await visitor.post(f"/client/{path}", body)
        assert answer["ok"] is False
        assert part in answer["error"]
