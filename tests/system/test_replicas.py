"""Two replicas on one Postgres, as processes behind one address: every click reaches both of them."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from bot.sandbox import Person, Sandbox, buttons, text_of
from tests.command_line import POLICY, CommandLine, Running
from tests.postgres import a_database
from tests.system.house import decisions, free_port, is_answer

CONVERSATIONS = 20
ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class Both:
    """The one address: what it takes goes to every replica, and the first that is content answers."""

    ports: list[int] = field(default_factory=list)
    taken: Counter[int] = field(default_factory=Counter)

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        async with aiohttp.ClientSession() as session:
            asked = [self._pass_on(session, port, request, body) for port in self.ports]
            answers = [answer for answer in await asyncio.gather(*asked) if answer is not None]
        content = [answer for answer in answers if answer[0] == 200]
        status, text, kind = (content or answers or [(502, "", "text/plain")])[0]
        return web.Response(status=status, text=text, content_type=kind)

    async def _pass_on(
        self, session: aiohttp.ClientSession, port: int, request: web.Request, body: bytes
    ) -> tuple[int, str, str] | None:
        headers = {name: request.headers[name] for name in request.headers if name.startswith(("X-", "Cont"))}
        url = f"http://127.0.0.1:{port}/slack/events"
        try:
            async with session.post(url, data=body, headers=headers) as answer:
                self.taken[port] += answer.status == 200
                return answer.status, await answer.text(), answer.content_type
        except aiohttp.ClientError:
            return None


@dataclass(frozen=True, kw_only=True)
class Street:
    """The workspace, and the replicas that serve it."""

    slack: Sandbox
    folder: Path
    replicas: list[Running]
    both: Both

    @property
    def bob(self) -> Person:
        return self.slack.person("Bob")

    async def asks(self, to: str, times: int = 1) -> None:
        script = json.dumps([[("transfer", {"amount": number, "to": to})] for number in range(times)])
        assert await self.slack.person("Alice").say("#general", f"/agent {script}") == {"ok": True}

    def ran(self) -> list[str]:
        file = self.folder / "runs"
        return file.read_text().splitlines() if file.exists() else []


@asynccontextmanager
async def a_street(folder: Path, *, policy: str = POLICY) -> AsyncIterator[Street]:
    both = Both()
    async with AsyncExitStack() as stack:
        app = web.Application()
        app.router.add_post("/slack/events", both.take)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        address = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
        slack = await stack.enter_async_context(Sandbox(port=0, data=folder / "slack", request_url=address))
        (folder / "approvals.toml").write_text(policy)
        command = CommandLine(
            folder=folder,
            command=(sys.executable, "-m", "tests.system.replica"),
            env={
                "PYTHONPATH": str(ROOT),
                "SLACK_BOT_TOKEN": slack.bot_token,
                "SLACK_SIGNING_SECRET": slack.signing_secret,
                "SLACK_API_URL": slack.api_url,
                "BOT_AGENT": "tests.system.replica:bank",
                "BOT_DATABASE_URL": await stack.enter_async_context(a_database()),
            },
        )
        ports = [free_port(), free_port()]
        replicas = [
            await stack.enter_async_context(command.running("serve", BOT_PORT=str(port))) for port in ports
        ]
        both.ports += ports
        yield Street(slack=slack, folder=folder, replicas=replicas, both=both)


def open_card_of(number: int, message: dict[str, Any]) -> bool:
    return decisions(message) != [] and f"{number}" in text_of(message)


async def test_a_click_that_reaches_both_replicas_is_one_decision_and_runs_once(tmp_path: Path) -> None:
    async with a_street(tmp_path) as street:
        await street.asks("carol", times=2)
        for number in range(2):
            card = await street.bob.sees(
                partial(open_card_of, number),
                channel="#general",
                timeout=20,
            )
            await street.bob.press(card, "Approve")
            await street.bob.sees_change(card, lambda one: buttons(one) == [], timeout=20)
        await street.bob.sees(is_answer, channel="#general", timeout=20)
        messages = await street.bob.messages("#general")
        assert len([one for one in messages if is_answer(one)]) == 1
        assert len([one for one in messages if "digest" in text_of(one)]) == 2
        assert street.ran() == ["carol 0.0", "carol 1.0"]
        assert min(street.both.taken.values()) > 0


async def test_one_of_two_replicas_is_killed_while_it_resumes_and_everybody_gets_an_answer_once(
    tmp_path: Path,
) -> None:
    people = [f"person-{number:02}" for number in range(CONVERSATIONS)]
    async with a_street(tmp_path) as street:
        await asyncio.gather(*(street.asks(to) for to in people))
        cards: list[dict[str, Any]] = []
        async with asyncio.timeout(40):
            while len(cards) < CONVERSATIONS:
                await asyncio.sleep(0.05)
                cards = [one for one in await street.bob.messages("#general") if decisions(one) != []]
        clicks = [asyncio.create_task(street.bob.press(card, "Approve", stale=True)) for card in cards]
        async with asyncio.timeout(30):
            while len(street.ran()) < CONVERSATIONS // 5:  # noqa: ASYNC110 - said by other processes
                await asyncio.sleep(0.001)
        street.replicas[0].process.kill()
        await asyncio.gather(*clicks)
        await everybody_answered(street, people)
        assert Counter(street.ran()) == Counter(f"{to} 0.0" for to in people)


async def everybody_answered(street: Street, people: list[str]) -> None:
    """Until each conversation has its one answer; what is in doubt after the kill did run."""
    seen: set[str] = set()
    async with asyncio.timeout(60):
        while True:
            messages = await street.bob.messages("#general")
            for one in messages:
                if "Skip" in buttons(one) and one["ts"] not in seen:
                    seen.add(one["ts"])
                    await street.bob.press(one, "Skip", stale=True)
            answers = [one for one in messages if is_answer(one)]
            if len(answers) >= len(people):
                break
            await asyncio.sleep(0.1)
    assert len({one["thread_ts"] for one in answers}) == len(answers) == len(people)


async def test_reminder_escalation_and_expiry_come_once_each_from_two_replicas(tmp_path: Path) -> None:
    times = 'remind_after = ["2s"]\nescalate_after = "5s"\nescalate_to = ["@carol"]\nexpires_after = "9s"\n'
    async with a_street(tmp_path, policy=POLICY + times) as street:
        await asyncio.gather(*(street.asks(f"person-{number}") for number in range(5)))
        cards: list[dict[str, Any]] = []
        async with asyncio.timeout(40):
            while len(cards) < 5:
                await asyncio.sleep(0.1)
                cards = [one for one in await street.bob.messages("#general") if "Expired" in text_of(one)]
        for card in cards:
            thread = card["thread_ts"]
            await street.bob.sees(is_answer, channel="#general", thread=thread, timeout=20)
            said = [text_of(one) for one in await street.bob.thread("#general", thread)]
            for sign in ("⏰", "📣", "nobody decided in time"):
                assert sum(sign in text for text in said) == 1, (sign, said)
        assert street.ran() == []
