import os
import stat
import sys
from pathlib import Path

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from bot import Agent
from bot.agents.errors import BadAgent
from bot.agents.load import SHIPPED, load
from bot.agents.models import chat_model
from bot.agents.offline.model import OfflineModel
from bot.agents.savers import sqlite_saver, strict_serde

TEAM = """
from bot import Agent
agent = Agent(tools=[], interrupt_on={})
def build(*, model, checkpointer, middleware): ...
number = 7
class Holder: agent = agent
def graph():
    from langgraph.graph import START, MessagesState, StateGraph
    made = StateGraph(MessagesState)
    made.add_node("x", lambda state: state)
    made.add_edge(START, "x")
    return made.compile()
compiled = graph()
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {
        "team_agent": TEAM,
        "team_needs": "import surely_not_installed",
        "team_broken": "raise RuntimeError('no luck\\n  today')",
        "team_exits": "raise SystemExit(3)",
        "team_syntax": "def (",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    return tmp_path


@pytest.mark.usefixtures("here")
def test_an_agent_or_a_builder_is_found_in_the_current_directory() -> None:
    assert isinstance(load("team_agent:agent"), Agent)
    assert isinstance(load(" team_agent:Holder.agent "), Agent)
    assert callable(load("team_agent:build"))
    assert isinstance(load(SHIPPED), Agent)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "must be written package.module:attribute"),
        ("team_agent", "must be written package.module:attribute"),
        ("team_agent:", "must be written package.module:attribute"),
        ("team agent:x y", "must be written package.module:attribute"),
        ("team_agent.py:agent", "there is no module 'team_agent.py'"),
        ("surely_missing:agent", "there is no module 'surely_missing'"),
        ("surely.missing:agent", "there is no module 'surely'"),
        ("team_agent:agnt", "has no 'agnt'; did you mean 'agent'"),
        ("team_agent:number", "is int; it must be an Agent or a function"),
        ("team_agent:compiled", "is a compiled graph; name a function"),
        ("team_needs:agent", "it needs 'surely_not_installed', which is not installed"),
        ("team_broken:agent", "failed with RuntimeError: no luck today"),
        ("team_exits:agent", "failed with SystemExit"),
        ("team_syntax:agent", "failed with SyntaxError"),
    ],
)
def test_a_name_that_leads_nowhere_is_told_in_one_sentence(name: str, problem: str) -> None:
    with pytest.raises(BadAgent) as refused:
        load(name)
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.endswith(("_KEY", "_TOKEN")):
            monkeypatch.delenv(name)


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("gpt-5", "must be written provider:model"),
        ("openai:", "must be written provider:model"),
        (":gpt-5", "must be written provider:model"),
        ("openai:gpt-5", "set OPENAI_API_KEY"),
        ("opnai:gpt-5", "unknown provider 'opnai'; did you mean 'openai'"),
        ("anthropic:claude", "pip install 'slack-approval-bot[anthropic]'"),
        ("groq:x", "pip install langchain-groq"),
    ],
)
def test_a_model_that_cannot_be_had_says_what_is_missing(name: str, problem: str) -> None:
    with pytest.raises(BadAgent) as refused:
        chat_model(name)
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_stand_in_is_a_model_too() -> None:
    assert isinstance(chat_model("offline"), OfflineModel)


def modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


async def test_the_threads_file_and_its_companions_are_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "bot.db"
    before = os.umask(0)
    try:
        async with sqlite_saver(path) as saver:
            await saver.conn.execute("CREATE TABLE x (a)")
            await saver.conn.commit()
            assert modes(tmp_path) == {"bot.db": 0o600, "bot.db-wal": 0o600, "bot.db-shm": 0o600}
            cursor = await saver.conn.execute("PRAGMA journal_mode")
            assert await cursor.fetchone() == ("wal",)
    finally:
        os.umask(before)


async def test_a_file_that_was_open_to_others_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "bot.db"
    path.touch(mode=0o644)
    async with sqlite_saver(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_row_that_names_code_is_not_called(tmp_path: Path) -> None:
    import ormsgpack
    from langgraph.checkpoint.serde import jsonplus

    told = ormsgpack.packb(("os", "system", f"touch {tmp_path / 'pwned'}"))
    row = ormsgpack.packb(ormsgpack.Ext(jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG, told))
    strict_serde().loads_typed(("msgpack", row))
    assert not (tmp_path / "pwned").exists()
    assert isinstance(strict_serde(), JsonPlusSerializer)
