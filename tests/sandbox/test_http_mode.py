import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs

from aiohttp import web
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox import Fault, Sandbox
from tests.sandbox.raw_app import Json, card


class Receiver:
    """A request URL that writes down what comes and answers as told."""

    def __init__(self) -> None:
        self.requests: asyncio.Queue[tuple[dict[str, str], str]] = asyncio.Queue()
        self.response: tuple[int, str, dict[str, str]] = (200, "", {})

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.text()
        self.requests.put_nowait((dict(request.headers), body))
        status, text, headers = self.response
        if status == 200 and "challenge" in body:
            return web.json_response({"challenge": json.loads(body)["challenge"]})
        return web.Response(status=status, text=text, headers=headers)

    async def next(self) -> tuple[dict[str, str], str]:
        async with asyncio.timeout(60):
            return await self.requests.get()


@asynccontextmanager
async def serving(app: web.Application) -> AsyncIterator[str]:
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def http_sandbox(
    retry_delays: tuple[float, ...] = (),
) -> AsyncIterator[tuple[Sandbox, Receiver]]:
    receiver = Receiver()
    app = web.Application()
    app.router.add_post("/slack/events", receiver.handle)
    async with (
        serving(app) as url,
        Sandbox(request_url=url, signing_secret="s3cret", retry_delays=retry_delays) as slack,
    ):
        yield slack, receiver


async def test_commands_events_and_clicks_come_signed_in_slacks_forms() -> None:
    async with http_sandbox() as (slack, receiver):
        alice = slack.person("Alice")
        await alice.say("#general", "/agent tidy up")
        headers, command = await receiver.next()
        await alice.say("#general", "@agent hello")
        event_headers, event = await receiver.next()
        client = AsyncWebClient(slack.bot_token, base_url=slack.api_url)
        await client.chat_postMessage(channel="C0GENERAL", text="card", blocks=card("Approve"))
        await alice.press(await alice.sees("delete_file"), "Approve")
        click_headers, click = await receiver.next()
        verifier = SignatureVerifier("s3cret")
        assert verifier.is_valid_request(command, headers)
        assert verifier.is_valid_request(event, event_headers)
        assert verifier.is_valid_request(click, click_headers)
        assert not verifier.is_valid_request(click + " ", click_headers)
        assert parse_qs(command)["text"] == ["tidy up"]
        assert json.loads(event)["event"]["type"] == "app_mention"
        assert json.loads(parse_qs(click)["payload"][0])["type"] == "block_actions"
        assert event_headers["Content-Type"] == "application/json"


async def test_an_event_is_tried_again_with_slacks_headers() -> None:
    async with http_sandbox(retry_delays=(0.0, 0.0)) as (slack, receiver):
        receiver.response = (500, "", {})
        await slack.person("Alice").say("#general", "@agent hello")
        numbers = [(await receiver.next())[0].get("X-Slack-Retry-Num") for _ in range(2)]
        headers, _ = await receiver.next()
        assert [*numbers, headers["X-Slack-Retry-Num"]] == [None, "1", "2"]
        assert headers["X-Slack-Retry-Reason"] == "http_error"


async def test_an_app_can_ask_for_no_retry() -> None:
    async with http_sandbox(retry_delays=(0.0, 0.0)) as (slack, receiver):
        receiver.response = (500, "", {"X-Slack-No-Retry": "1"})
        await slack.person("Alice").say("#general", "@agent hello")
        await receiver.next()
        receiver.response = (200, "", {})
        await slack.person("Alice").say("#general", "/agent next")
        assert "next" in (await receiver.next())[1]
        assert receiver.requests.empty()


async def test_a_duplicate_is_posted_twice() -> None:
    async with http_sandbox() as (slack, receiver):
        await slack.fault(Fault(kind="duplicate", times=1))
        assert (await slack.person("Alice").say("#general", "/agent go"))["ok"]
        assert receiver.requests.qsize() == 2


async def test_a_command_that_fails_is_told_to_the_person() -> None:
    async with http_sandbox() as (slack, receiver):
        receiver.response = (500, "", {})
        assert not (await slack.person("Alice").say("#general", "/agent go"))["ok"]


async def test_plain_text_answers_a_command() -> None:
    async with http_sandbox() as (slack, receiver):
        receiver.response = (200, "on it", {})
        await slack.person("Alice").say("#general", "/agent go")
        await slack.person("Alice").sees_privately("on it")


async def test_the_address_is_verified_by_a_challenge() -> None:
    async with http_sandbox() as (slack, receiver):
        assert await slack.verify_request_url("abc")
        receiver.response = (404, "", {})
        assert not await slack.verify_request_url("abc")


async def test_bolt_takes_what_the_sandbox_posts() -> None:
    runner_app: Json = {}
    async with Sandbox() as unused:
        base_url = unused.api_url  # Bolt asks auth.test somewhere before the real one listens
        bolt = AsyncApp(
            client=AsyncWebClient(unused.bot_token, base_url=base_url), signing_secret=unused.signing_secret
        )

        @bolt.command("/agent")
        async def command(ack: AsyncAck, body: Json) -> None:
            runner_app.update(body)
            await ack("seen")

        async with serving(bolt.web_app("/slack/events")) as url, Sandbox(request_url=url) as slack:
            assert await slack.verify_request_url()
            assert (await slack.person("Carol").say("#general", "/agent work"))["ok"]
            await slack.person("Carol").sees_privately("seen")
    assert runner_app["text"] == "work"
