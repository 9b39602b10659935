"""LangGraph's own suite for savers, on both as the bot configures them, with its pruning on top."""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import ALL_CAPABILITIES, BASE_CAPABILITIES
from langgraph.checkpoint.conformance.report import CapabilityReport
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from bot.agents.pruning import prune
from bot.agents.savers import postgres_saver, sqlite_saver
from bot.approvals.ids import ConversationId
from tests.postgres import a_database

NOT_OFFERED: Final[Mapping[str, str]] = {
    "copy_thread": "A conversation is one Slack thread and one LangGraph thread; none is copied.",
    "delete_for_runs": "Checkpoints are forgotten by thread (bot/agents/pruning.py), never by run.",
}
"""Capabilities that neither saver has, and why the bot does without them."""

TESTS: Final = 60
"""The suite has 66 at the time of writing; far fewer would be a suite that looked at something else."""


class _Pruning:
    """A saver's own methods, but for the pruning, which is the bot's."""

    configured: BaseCheckpointSaver[Any]

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        for thread in thread_ids:
            if strategy == "delete":
                await self.configured.adelete_thread(thread)
            else:
                await prune(self.configured, ConversationId(thread))


class PrunedFile(_Pruning, AsyncSqliteSaver):
    """The saver of a file."""


class PrunedServer(_Pruning, AsyncPostgresSaver):
    """The saver of a server."""


async def on_file(folder: Path) -> CapabilityReport:
    numbers = iter(range(len(ALL_CAPABILITIES)))

    @checkpointer_test(name="SQLite")
    async def saver() -> AsyncIterator[BaseCheckpointSaver[Any]]:
        async with sqlite_saver(folder / f"{next(numbers)}.db") as configured:
            pruned = PrunedFile(configured.conn, serde=configured.serde)
            pruned.configured = configured
            yield pruned

    return await validate(saver)


async def on_server(folder: Path) -> CapabilityReport:  # noqa: ARG001 - the other one needs it
    async with a_database() as url, postgres_saver(url) as configured:

        @checkpointer_test(name="Postgres")
        async def saver() -> AsyncIterator[BaseCheckpointSaver[Any]]:
            pruned = PrunedServer(configured.conn, serde=configured.serde)
            pruned.configured = configured
            yield pruned

        return await validate(saver)


@pytest.mark.parametrize("validated", [on_file, on_server], ids=["sqlite", "postgres"])
async def test_the_saver_does_what_langgraph_expects_and_lacks_only_what_is_named_here(
    validated: Any,  # noqa: ANN401 - one of the two above
    tmp_path: Path,
) -> None:
    report = await validated(tmp_path)
    failures = {name: result.failures for name, result in report.results.items() if result.failures}
    assert failures == {}
    passed = {name for name, result in report.results.items() if result.passed}
    assert passed >= {capability.value for capability in BASE_CAPABILITIES} | {"prune"}
    lacking = set(report.results) - passed
    assert lacking == set(NOT_OFFERED), "a saver has other capabilities now: see NOT_OFFERED"
    assert sum(result.tests_passed for result in report.results.values()) >= TESTS


async def test_what_a_saver_lacks_it_refuses_instead_of_pretending(tmp_path: Path) -> None:
    asked: Mapping[str, tuple[Any, ...]] = {"copy_thread": ("a", "b"), "delete_for_runs": (["a"],)}
    assert asked.keys() == NOT_OFFERED.keys()
    async with sqlite_saver(tmp_path / "bot.db") as file, a_database() as url, postgres_saver(url) as server:
        for saver in (file, server):
            for capability, arguments in asked.items():
                with pytest.raises(NotImplementedError):
                    await getattr(saver, f"a{capability}")(*arguments)
