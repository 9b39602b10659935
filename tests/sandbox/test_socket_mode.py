import asyncio
from typing import Any

import aiohttp
import pytest

from bot.sandbox import Acked, Fault, Sandbox, Unanswered
from tests.sandbox.raw_app import raw_app

Json = dict[str, Any]


def no_ack(envelope: Json) -> Json | None:
    del envelope
    return None


async def test_hello_says_how_many_connections_there_are() -> None:
    async with Sandbox(connection_time=99) as slack, raw_app(slack) as app:
        await app.connect()
        assert [hello["num_connections"] for hello in app.hellos] == [1, 2]
        assert app.hellos[0]["debug_info"]["approximate_connection_time"] == 99


async def test_an_address_is_good_for_one_connection() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        url = await app.url()
        await app.connect(url)
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await app.connect(url)


async def test_the_eleventh_connection_is_too_many() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        for _ in range(9):
            await app.connect()
        await app.connect()
        assert app.hellos[-1]["reason"] == "too_many_websockets"


async def test_each_envelope_goes_to_one_of_the_connections() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        await app.connect()
        alice = slack.person("Alice")
        for number in range(6):
            assert (await alice.say("#general", f"/agent {number}"))["ok"]
        arrived = [app.queue.get_nowait() for _ in range(6)]
        assert app.queue.empty()
        assert sorted(envelope["payload"]["text"] for _, envelope in arrived) == list("012345")
        assert {connection for connection, _ in arrived} == {0, 1}


async def test_a_command_arrives_with_its_form() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        await slack.person("Eve").say("#general", "/agent ask @bob about <x> & y")
        envelope = await app.next("slash_commands")
        assert envelope["accepts_response_payload"] is True
        form = envelope["payload"]
        assert form["command"] == "/agent"
        assert form["text"] == "ask <@U0BOB|bob> about &lt;x&gt; &amp; y"
        assert (form["user_id"], form["channel_id"], form["channel_name"]) == (
            "U0EVE",
            "C0GENERAL",
            "general",
        )
        assert form["team_id"] == "T0ELSEWHERE"
        assert form["response_url"].startswith(slack.page_url)


async def test_an_event_that_is_not_acked_comes_again_with_number_and_reason() -> None:
    async with Sandbox(patience=0.05, retry_delays=(0, 0, 0)) as slack, raw_app(slack) as app:
        app.answer = no_ack
        await slack.person("Alice").say("#general", "<@U0AGENT> hello")
        seen = [await app.next("app_mention") for _ in range(4)]
        assert [one["retry_attempt"] for one in seen] == [0, 1, 2, 3]
        assert [one["retry_reason"] for one in seen] == ["", "timeout", "timeout", "timeout"]
        assert len({one["payload"]["event_id"] for one in seen}) == 1
        assert len({one["envelope_id"] for one in seen}) == 4


async def test_an_acked_event_does_not_come_again() -> None:
    async with Sandbox(patience=0.05, retry_delays=(0,)) as slack, raw_app(slack) as app:
        await slack.person("Alice").say("#general", "@agent hello")
        event = (await app.next("app_mention"))["payload"]["event"]
        assert (event["text"], event["user"], event["channel"]) == (
            "<@U0AGENT> hello",
            "U0ALICE",
            "C0GENERAL",
        )
        await slack.person("Alice").say("#general", "/agent next")
        assert (await app.next())["type"] == "slash_commands"


async def test_an_event_without_any_connection_comes_when_the_retry_is_due() -> None:
    async with Sandbox(retry_delays=(0.05,)) as slack, raw_app(slack, connect=False) as app:
        await slack.person("Alice").say("#general", "@agent hello")
        await app.connect()
        assert (await app.next("app_mention"))["retry_attempt"] == 1


@pytest.mark.parametrize("connected", [True, False])
async def test_a_command_that_nobody_acks_fails_before_the_person_and_is_not_repeated(
    *, connected: bool
) -> None:
    async with (
        Sandbox(patience=0.05, retry_delays=(0, 0, 0)) as slack,
        raw_app(slack, connect=connected) as app,
    ):
        app.answer = no_ack
        alice = slack.person("Alice")
        answer = await alice.say("#general", "/agent tidy up")
        assert answer["ok"] is False
        assert answer["warning"] in await alice.notices()
        assert app.queue.qsize() == (1 if connected else 0)


async def test_a_late_ack_is_ignored() -> None:
    async with Sandbox(patience=0.05) as slack, raw_app(slack, connect=False) as app:
        app.answer = no_ack
        socket = await app.connect()
        assert not (await slack.person("Alice").say("#general", "/agent tidy up"))["ok"]
        envelope = await app.next()
        await socket.send_json({"envelope_id": envelope["envelope_id"], "payload": {"text": "late"}})
        await slack.person("Alice").say("#general", "after")
        assert await slack.person("Alice").ephemerals() == []


async def test_an_ack_may_come_back_on_another_connection() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        app.answer = no_ack
        second = await app.connect()
        asked = asyncio.create_task(slack.deliver({"type": "test"}))
        envelope = await app.next()
        await second.send_json({"envelope_id": envelope["envelope_id"], "payload": {"a": 1}})
        assert await asked == Acked(payload={"a": 1})


async def test_garbage_from_the_app_is_passed_over() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        socket = await app.connect()
        for text in ("", "nonsense", "[]", '"x"', '{"envelope_id": 7}'):
            await socket.send_str(text)
        assert (await slack.person("Alice").say("#general", "/agent go"))["ok"]


async def test_a_duplicated_delivery_reaches_both_connections_with_the_same_id() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        await app.connect()
        await slack.fault(Fault(kind="duplicate", method="slash_commands", times=1))
        await slack.person("Alice").say("#general", "/agent twice")
        (first, one), (second, two) = [await app.queue.get() for _ in range(2)]
        assert first != second
        assert one["envelope_id"] == two["envelope_id"]


async def test_a_dropped_ack_leaves_the_person_with_a_warning() -> None:
    async with Sandbox(patience=0.05) as slack, raw_app(slack):
        await slack.fault(Fault(kind="drop_ack", times=1))
        alice = slack.person("Alice")
        assert not (await alice.say("#general", "/agent go"))["ok"]
        assert (await alice.say("#general", "/agent go"))["ok"]


async def test_a_disconnect_says_why_and_closes() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        socket = await app.connect()
        await slack.fault(Fault(kind="disconnect", reason="warning"))
        goodbye = (await app.queue.get())[1]
        assert (goodbye["type"], goodbye["reason"]) == ("disconnect", "warning")
        await app.close()
        assert socket.closed
        assert await slack.deliver({"type": "test"}) == Unanswered(reason="connection_failed")


async def test_connections_are_refused_while_the_fault_is_on() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        url = await app.url()
        await slack.fault(Fault(kind="refuse_connections", times=2))
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await app.connect(url)
        assert (await app.call("apps.connections.open", token=slack.app_token))["error"] == "internal_error"
        await app.connect()


async def test_message_events_come_only_where_they_are_subscribed() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        alice = slack.person("Alice")
        await alice.say("#general", "not for you")
        await alice.say("#random", "@agent you are not here")
        await alice.say("im", "for you")
        event = (await app.next())["payload"]["event"]
        assert (event["type"], event["channel_type"], event["text"]) == ("message", "im", "for you")
    async with Sandbox(events=frozenset({"message.channels"})) as slack, raw_app(slack) as app:
        await slack.person("Alice").say("#general", "for you")
        assert (await app.next())["payload"]["event"]["channel_type"] == "channel"


async def test_a_mention_in_a_thread_carries_the_thread() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        alice = slack.person("Alice")
        root = await alice.say("#general", "a plan")
        await alice.say("#general", "what do you say, @agent?", thread=root["ts"])
        event = (await app.next())["payload"]["event"]
        assert (event["type"], event["thread_ts"]) == ("app_mention", root["ts"])
