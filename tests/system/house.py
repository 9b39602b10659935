"""A house for system tests: the sandbox and the whole bot, on real sockets, with real files."""

import json
import random
import re
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from pydantic import SecretStr

from bot.approvals.conversation import PostKind
from bot.approvals.sayings import Saying
from bot.policy_file import parse_policy
from bot.sandbox import Person, Sandbox, buttons, text_of
from bot.settings import Mode, Settings
from bot.slack.turns import LABEL
from bot.store import reading_store
from bot.store.auditing import recorded
from bot.wiring import Bot, running_bot
from tests.audit.judging import judged
from tests.slack.second_opinion import second_opinion
from tests.store.empty import furnished

POLICY = '[defaults]\napprovers = ["channel"]\n'
SHOWN = (
    "chat.postMessage",
    "chat.update",
    "chat.postEphemeral",
    "views.open",
    "views.push",
    "views.update",
    "views.publish",
)

OURS = frozenset(
    {
        PostKind.NOTICE,
        PostKind.FAILURE,
        PostKind.TOOL_FAILURE,
        PostKind.REMINDER,
        PostKind.ESCALATION,
        PostKind.ASKED,
    }
)
"""What is said in sentences of ours, and kept as such."""
NO_WORDS = re.compile(r"|<@\w+>")
"""What is the same in every language: one person, or nothing."""

ROOMS = ["bot.approvals", "bot.slack", "bot.store", "bot.jobs"]
"""What they do on the event loop must not wait for a disk or a lock; a call that does fails the test."""

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class House:
    """The workspace, the people in it, and the bot."""

    slack: Sandbox
    bot: Bot

    @property
    def alice(self) -> Person:
        return self.slack.person("Alice")

    @property
    def bob(self) -> Person:
        return self.slack.person("Bob")

    @property
    def carol(self) -> Person:
        return self.slack.person("Carol")

    async def asks(self, *rounds: list[tuple[str, Json]], by: Person | None = None) -> None:
        """Start a conversation whose model follows these rounds."""
        answer = await (by or self.alice).say("#general", f"/agent {json.dumps(rounds)}")
        assert answer == {"ok": True}, answer

    async def card(self, wanted: str | Callable[[Json], bool] = "Approval needed", **where: Any) -> Json:  # noqa: ANN401 - as `sees`
        """The card as Bob sees it in the channel."""
        return await self.bob.sees(wanted, channel="#general", **where)

    async def card_with(self, card: Json, *words: str) -> Json:
        """The same card, once it has exactly these buttons besides Stop."""
        return await self.bob.sees_change(card, lambda one: decisions(one) == list(words))

    async def answer(self, wanted: str = "done with", **where: Any) -> str:  # noqa: ANN401 - as `sees`
        """What the agent said at the end."""
        said = await self.alice.sees(lambda one: is_answer(one) and wanted in text_of(one), **where)
        return text_of(said)

    def check(self) -> None:
        """Everything that Slack was shown was taken by it, and a second opinion finds no fault either."""
        for call in self.slack.calls():
            if call.method in SHOWN and call.outcome == "ok":
                arguments = call.arguments
                shown = arguments.get("view") or {
                    "text": arguments.get("text"),
                    "blocks": arguments.get("blocks") or [],
                }
                assert second_opinion(shown) == [], (call.method, shown)
            assert call.outcome not in {"invalid_blocks", "invalid_arguments", "msg_blocks_too_long"}, call


def decisions(message: Json) -> list[str]:
    """The words on a card's buttons, without Stop; a notice that a message waits is no card."""
    return [word for word in buttons(message) if word not in {"Stop", LABEL}]


def is_answer(message: Json) -> bool:
    """Whether it is something that the agent said."""
    return any(block["type"] == "markdown" for block in message.get("blocks") or [])


@asynccontextmanager
async def a_house(
    folder: Path,
    *,
    agent: str = "tests.system.agents:bank",
    policy: str | None = POLICY,
    mode: Mode = Mode.SOCKET,
    database: str | None = None,
    audited: bool = True,
    **slack_options: Any,  # noqa: ANN401 - the sandbox's own options
) -> AsyncIterator[House]:
    """A house with everything in `folder`, or its rows in another database; opened again it goes on.

    At the end its record is judged, unless it is not to be `audited` because a fault was planted.
    """
    port = free_port() if mode is Mode.HTTP else 0
    if mode is Mode.HTTP:
        slack_options["request_url"] = f"http://127.0.0.1:{port}/slack/events"
    if database is None:
        await furnished(folder / "bot.db")
    async with Sandbox(port=0, data=folder / "slack", **slack_options) as slack:
        settings = Settings(
            _env_file=None,
            slack_bot_token=SecretStr(slack.bot_token),
            slack_app_token=SecretStr(slack.app_token),
            slack_signing_secret=SecretStr(slack.signing_secret) if mode is Mode.HTTP else None,
            slack_api_url=slack.api_url,
            bot_mode=mode,
            bot_port=port,
            bot_agent=agent,
            bot_workspace=folder / "workspace",
            bot_database_url=database or f"sqlite:///{folder / 'bot.db'}",
        )
        policy_file = parse_policy(policy, name="approvals.toml") if policy else None
        async with running_bot(settings, policy_file, model="offline") as bot:
            house = House(slack=slack, bot=bot)
            with blockbuster_ctx(scanned_modules=ROOMS):
                yield house
            house.check()
        if audited:
            await check_record(settings.bot_database_url, slack)
        await check_words(settings.bot_database_url)


async def check_record(database: str, slack: Sandbox) -> None:
    """The record of the whole run is intact, and agentack finds nothing in it that must not be."""
    told = await judged(database, slack.calls())
    assert told.faults == [], told.faults


async def check_words(database: str) -> None:
    """Each sentence of ours that a row keeps can be said in the language of whoever reads it."""
    async with reading_store(database) as store:
        there = {one.event.conversation async for one in recorded(store) if one.event.conversation}
        async with store.read() as tx:
            posts = [post for id in there for post in await tx.posts.of(id) if post.kind in OURS]
            approvals = [one for id in there for one in await tx.approvals.of(id)]
    kept = [*(post.text for post in posts), *(one.note for one in approvals if one.note)]
    kept += [action.briefing.deciders for one in approvals for action in one.actions]
    assert [words for words in kept if not (isinstance(words, Saying) or NO_WORDS.fullmatch(words))] == []


both_databases = pytest.mark.parametrize("house", ["sqlite", "postgres"], indirect=True)
"""For a test that takes `house`: it is to be lived in on either database."""


def free_port() -> int:
    """A port that was free a moment ago, below those that connections take by themselves."""
    while True:
        port = random.randrange(20_000, 32_000)  # noqa: S311 - keeps no secret
        with socket.socket() as held, suppress(OSError):
            held.bind(("127.0.0.1", port))
            return port
