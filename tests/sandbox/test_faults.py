import asyncio
import time

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox import Fault, Sandbox, Visitor
from tests.sandbox.raw_app import raw_app

GENERAL = "C0GENERAL"


async def texts(slack: Sandbox) -> list[str]:
    return [message["text"] for message in await slack.person("Bob").messages("#general")]


async def test_slacks_client_waits_as_long_as_it_is_told_and_posts_once() -> None:
    async with Sandbox() as slack:
        client = AsyncWebClient(
            slack.bot_token,
            base_url=slack.api_url,
            retry_handlers=[AsyncRateLimitErrorRetryHandler(max_retry_count=1)],
        )
        await slack.fault(Fault(kind="ratelimited", method="chat.postMessage", times=1, retry_after=1))
        started = time.monotonic()
        await client.chat_postMessage(channel=GENERAL, text="once")
        assert time.monotonic() - started >= 1
        assert await texts(slack) == ["once"]
        assert [call.outcome for call in slack.calls("chat.postMessage")] == ["ratelimited", "ok"]


async def test_a_rate_limit_may_come_without_a_time_and_only_for_one_method() -> None:
    async with Sandbox() as slack:
        client = AsyncWebClient(slack.bot_token, base_url=slack.api_url)
        await slack.fault(Fault(kind="ratelimited", method="chat.update", retry_after=None))
        posted = await client.chat_postMessage(channel=GENERAL, text="fine")
        with pytest.raises(SlackApiError) as refused:
            await client.chat_update(channel=GENERAL, ts=posted["ts"], text="x")
        assert refused.value.response.status_code == 429
        assert "Retry-After" not in refused.value.response.headers


async def test_a_lost_response_has_its_effect_and_a_dropped_request_has_none() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        for kind in ("lost_response", "drop_request"):
            await slack.fault(Fault.model_validate({"kind": kind, "times": 1}))
            with pytest.raises(aiohttp.ClientError):
                await app.call("chat.postMessage", channel=GENERAL, text=kind)
        assert await texts(slack) == ["lost_response"]


async def test_errors_and_statuses_come_as_ordered_and_then_stop() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        await slack.fault(Fault(kind="error", error="internal_error", times=2))
        for expected in ("internal_error", "internal_error", None):
            assert (await app.call("auth.test")).get("error") == expected
        await slack.fault(Fault(kind="status", status=502, times=1))
        with pytest.raises(aiohttp.ContentTypeError) as broken:
            await app.call("auth.test")
        assert broken.value.status == 502


async def test_a_delay_holds_the_answer_back() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        await slack.fault(Fault(kind="delay", seconds=0.2, times=1))
        started = time.monotonic()
        assert (await app.call("auth.test"))["ok"]
        assert time.monotonic() - started >= 0.2


async def test_faults_are_switched_listed_and_cleared_from_outside() -> None:
    async with Sandbox() as slack, await Visitor.connect(slack.page_url) as visitor:
        await visitor.fault(Fault(kind="error", method="chat.update", error="is_inactive"))
        [listed] = (await visitor.get("/sandbox/faults", {}))["faults"]
        assert (listed["kind"], listed["method"], listed["error"]) == ("error", "chat.update", "is_inactive")
        await visitor.clear_faults()
        assert (await visitor.get("/sandbox/faults", {}))["faults"] == []
        refused = await visitor.post("/sandbox/faults", {"kind": "earthquake"})
        assert (refused["ok"], "kind" in refused["error"]) == (False, True)


async def test_the_log_of_calls_is_read_from_outside() -> None:
    async with Sandbox() as slack, raw_app(slack, connect=False) as app:
        await asyncio.gather(*(app.call("chat.postMessage", channel=GENERAL, text="x") for _ in range(3)))
        async with await Visitor.connect(slack.page_url) as visitor:
            assert (await visitor.get("/sandbox/calls", {}))["counts"] == {"chat.postMessage": 3}
            assert len(await visitor.calls("chat.postMessage")) == 3
            assert await visitor.calls("chat.update") == []
