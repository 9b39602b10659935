"""The real OpenAI client, against a local server that speaks its protocol."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from langchain_core.tools import tool

from bot.agents.agent import Agent
from bot.agents.build import build
from bot.agents.models import chat_model
from bot.agents.savers import sqlite_saver
from bot.approvals.decision import Approve, Reject
from bot.approvals.thread import Condition
from tests.agents.stage import THREAD, Stage


class Provider:
    """Speaks chat completions: first two tool calls, then a sentence about their results."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.down = False

    async def complete(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append(body)
        if self.down:
            return web.json_response(
                {"error": {"message": "secret internals", "type": "server_error"}}, status=400
            )
        results = [message["content"] for message in body["messages"] if message["role"] == "tool"]
        message = {"role": "assistant", "content": f"Results: {results}"} if results else self._calls()
        return web.json_response(
            {
                "id": f"chatcmpl-{len(self.requests)}",
                "object": "chat.completion",
                "created": 1,
                "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }
        )

    @staticmethod
    def _calls() -> dict[str, Any]:
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": f"call_{city}",
                    "type": "function",
                    "function": {"name": "warn", "arguments": json.dumps({"city": city, "level": 2})},
                }
                for city in ("Oslo", "Rome")
            ],
        }


@pytest.fixture
async def provider(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    provider = Provider()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", provider.complete)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield provider
    await runner.cleanup()


async def test_the_openai_client_goes_through_a_whole_approval(provider: Provider, tmp_path: Path) -> None:
    warned: list[tuple[str, int]] = []

    @tool
    def warn(city: str, level: int) -> str:
        """Warn a city."""
        warned.append((city, level))
        return f"{city} is warned"

    agent = Agent(tools=[warn], interrupt_on={"warn": True}, system_prompt="You warn cities.")
    model = chat_model("openai:gpt-5-mini")
    async with sqlite_saver(tmp_path / "bot.db") as saver:
        play = Stage(build(agent, name="x", model=model, checkpointer=saver), model)
        assert await play.say("warn Oslo and Rome") is None
        requests = (await play.interrupt()).requests
        assert [(request.call, request.arguments["city"]) for request in requests] == [
            ("call_Oslo", "Oslo"),
            ("call_Rome", "Rome"),
        ]
        assert await play.decide(Approve(), Reject("it is sunny")) is None
        assert warned == [("Oslo", 2)]
        assert await play.answer() == (
            "Results: ['User rejected the tool call for `warn` with reason: it is sunny', 'Oslo is warned']"
        )
        first, second = provider.requests
        assert first["tools"][0]["function"]["name"] == "warn"
        assert [message["role"] for message in second["messages"]] == [
            "system",
            "user",
            "assistant",
            "tool",
            "tool",
        ]

        provider.down = True
        assert (
            await play.say("again", "m2")
            == "The language model could not be used (OpenAIInvalidRequestError)."
        )
        assert (await play.threads.read(THREAD)).condition is Condition.FAILED
