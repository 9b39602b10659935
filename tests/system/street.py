"""Two replicas of the bot on one Postgres, as processes, and the workspace that they serve.

Over HTTP they stand behind one address that passes everything on to both, so that each click, command and
message reaches both of them. In Socket Mode the workspace gives each to one of their connections.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import psycopg
from aiohttp import web

from bot.sandbox import Person, Sandbox, buttons, text_of
from tests.command_line import POLICY, PYTHON, CommandLine, Running
from tests.postgres import a_database
from tests.system.house import decisions, free_port, is_answer

ROOT = Path(__file__).parents[2]
Json = dict[str, Any]


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
class Run:
    """A line of the file that the tools write: `start` or `end`, of which call, in which process."""

    what: str
    name: str
    pid: int

    @property
    def thread(self) -> str:
        return self.name.partition("/")[0]


@dataclass(frozen=True, kw_only=True)
class Street:
    """The workspace, and the replicas that serve it."""

    slack: Sandbox
    folder: Path
    database: str
    replicas: list[Running]
    both: Both

    @property
    def bob(self) -> Person:
        return self.slack.person("Bob")

    async def asks(self, *rounds: list[tuple[str, Json]]) -> None:
        await self.until_taken(
            lambda: self.slack.person("Alice").say("#general", f"/agent {json.dumps(rounds)}")
        )

    async def until_taken(self, do: Callable[[], Any]) -> None:
        """As people do: again, until Slack says that it worked."""
        while not (answer := await do())["ok"]:
            assert answer["warning"]

    async def press(self, card: Json, word: str = "Approve", *, by: str = "Bob", nth: int = 0) -> None:
        await self.until_taken(lambda: self.slack.person(by).press(card, word, nth=nth, stale=True))

    def runs(self) -> list[Run]:
        file = self.folder / "trace"
        lines = file.read_text().splitlines() if file.exists() else []
        return [Run(what=what, name=name, pid=int(pid)) for what, name, pid in map(str.split, lines)]

    def started(self) -> list[str]:
        return [run.name for run in self.runs() if run.what == "start"]

    async def cards(self, count: int, *, word: str = "Approve") -> list[Json]:
        """So many cards with this button, once they are there."""
        async with asyncio.timeout(100):
            while True:
                found = [one for one in await self.bob.messages("#general") if word in decisions(one)]
                if len(found) >= count:
                    return found
                await asyncio.sleep(0.1)

    async def answers(self, count: int) -> list[Json]:
        """So many answers, once they are there; what is in doubt is answered by what the tools wrote."""
        seen: set[str] = set()
        async with asyncio.timeout(100):
            while True:
                messages = await self.bob.messages("#general")
                for one in messages:
                    if "Skip" in buttons(one) and one["ts"] not in seen:
                        seen.add(one["ts"])
                        await self._settle(one)
                found = [one for one in messages if is_answer(one)]
                if len(found) >= count:
                    return found
                await asyncio.sleep(0.1)

    async def _settle(self, doubt: Json) -> None:
        """One is enough to leave it; to run it takes the votes that it took before."""
        if self._ran(doubt):
            await self.press(doubt, "Skip")
        else:
            for name in ("Bob", "Carol"):
                await self.press(doubt, "Run again", by=name)

    def _ran(self, doubt: Json) -> bool:
        """Whether the tool that it asks about wrote that it began."""
        shown = text_of(doubt)
        calls = [name.split("/") for name in self.started()]
        return any(to in shown and re.search(rf"amount: {what}\b", shown) for to, what in calls)

    async def at_rest(self) -> None:
        """Until nothing is owed any more but what waits for its time."""
        async with (
            asyncio.timeout(60),
            await psycopg.AsyncConnection.connect(self.database, autocommit=True) as connection,
        ):
            while True:
                owed = await connection.execute(
                    "SELECT count(*) FROM jobs WHERE state = 'running' "
                    "OR state = 'ready' AND due < extract(epoch FROM now()) + 60"
                )
                if await owed.fetchone() == (0,):
                    return
                await asyncio.sleep(0.05)


@asynccontextmanager
async def a_street(
    folder: Path, *, policy: str = POLICY, sockets: bool = False, **env: str
) -> AsyncIterator[Street]:
    both = Both()
    async with AsyncExitStack() as stack:
        address = None if sockets else await stack.enter_async_context(_address_of(both))
        slack = await stack.enter_async_context(Sandbox(port=0, data=folder / "slack", request_url=address))
        (folder / "approvals.toml").write_text(policy)
        way_in = (
            {"SLACK_APP_TOKEN": slack.app_token}
            if sockets
            else {"SLACK_SIGNING_SECRET": slack.signing_secret}
        )
        database = await stack.enter_async_context(a_database())
        command = CommandLine(
            folder=folder,
            command=(*PYTHON, "-m", "tests.system.replica"),
            env={
                "PYTHONPATH": str(ROOT),
                "SLACK_BOT_TOKEN": slack.bot_token,
                "SLACK_API_URL": slack.api_url,
                "BOT_AGENT": "tests.system.replica:bank",
                "BOT_DATABASE_URL": database,
                **way_in,
                **env,
            },
        )
        ports = [free_port(), free_port()]
        replicas = [
            await stack.enter_async_context(command.running("serve", BOT_PORT=str(port))) for port in ports
        ]
        both.ports += ports
        yield Street(slack=slack, folder=folder, database=database, replicas=replicas, both=both)


@asynccontextmanager
async def _address_of(both: Both) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_post("/slack/events", both.take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    finally:
        await runner.cleanup()


def asks_about(words: str, *, word: str = "Approve") -> Callable[[Json], bool]:
    return lambda one: (
        word in decisions(one) and re.search(rf"\b{re.escape(words)}\b", text_of(one)) is not None
    )


def no_overlap(runs: list[Run], killed: int | None = None) -> bool:
    """Whether one step of a thread runs at a time, in one process, as its tools say.

    Calls of one message are one step. What a killed process had begun has ended with it.
    """
    under_way: dict[str, set[tuple[str, int]]] = {}
    for run in runs:
        now = under_way.setdefault(run.thread, set())
        if run.what == "end":
            if (run.name, run.pid) not in now:
                return False
            now.remove((run.name, run.pid))
            continue
        now -= {(name, pid) for name, pid in now if pid == killed != run.pid}
        if any(pid != run.pid or step_of(name) != step_of(run.name) for name, pid in now):
            return False
        now.add((run.name, run.pid))
    return True


def step_of(name: str) -> str:
    return "look" if name.endswith("/look") else "transfers"
