import os
import socket
import sqlite3
import time
from pathlib import Path

import pytest
from langchain_core.tools import BaseTool, ToolException

from bot.agents import assistant as shipped
from bot.agents.assistant import assistant
from bot.agents.assistant.database import SECONDS, Database
from bot.agents.assistant.folder import READ_LIMIT, Folder
from bot.agents.assistant.tools import assistant_tools


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("outside")
    return root


@pytest.fixture
def tools(root: Path) -> dict[str, BaseTool]:
    folder = Folder(root)
    return {tool.name: tool for tool in assistant_tools(folder, Database(folder))}


def refusal(tool: BaseTool, **arguments: object) -> str:
    with pytest.raises(ToolException) as refused:
        tool.invoke(arguments)
    return str(refused.value)


def test_files_are_written_read_listed_appended_and_deleted(tools: dict[str, BaseTool], root: Path) -> None:
    assert tools["list_files"].invoke({}) == "There are no files."
    assert (
        tools["write_file"].invoke({"path": "a/b.txt", "content": "one"}) == "Created a/b.txt (3 characters)."
    )
    assert (
        tools["write_file"]
        .invoke({"path": "a/b.txt", "content": "😀", "append": True})
        .startswith("Added to")
    )
    assert tools["read_file"].invoke({"path": "./a//b.txt"}) == "one😀"
    assert tools["write_file"].invoke({"path": "a/b.txt", "content": ""}).startswith("Replaced")
    assert tools["list_files"].invoke({"path": "."}) == "a/\na/b.txt (0 bytes)"
    assert tools["delete_file"].invoke({"path": "a/b.txt"}) == "Deleted a/b.txt."
    assert list(root.rglob("*")) == [root / "a"]


OUTSIDE = ["../secret.txt", "a/../../secret.txt", "/etc/passwd", "..", "a/..", ""]


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leads_out_is_refused(path: str, tools: dict[str, BaseTool]) -> None:
    for name in ("read_file", "delete_file"):
        assert refusal(tools[name], path=path)
    assert refusal(tools["write_file"], path=path, content="x")
    if path:
        assert refusal(tools["list_files"], path=path)


def test_links_devices_and_directories_are_refused_with_a_sentence(
    tools: dict[str, BaseTool], root: Path, tmp_path: Path
) -> None:
    (root / "link").symlink_to(tmp_path / "secret.txt")
    (root / "out").symlink_to(tmp_path)
    (root / "inside").symlink_to("real")
    os.mkfifo(root / "pipe")
    os.link(tmp_path / "secret.txt", root / "hard")
    (root / "dir").mkdir()
    for path, reason in {
        "link": "symbolic link",
        "out/secret.txt": "link or no directory",
        "inside": "symbolic link",
        "pipe": "device, pipe or socket",
        "hard": "hard link",
        "dir": "is a directory",
        "dir/": "names a directory",
        "missing": "There is no",
        "missing/x": "There is no",
    }.items():
        assert reason in refusal(tools["read_file"], path=path), path
        assert refusal(tools["delete_file"], path=path)
        if not path.startswith("missing"):
            assert refusal(tools["write_file"], path=path, content="x")
    assert (tmp_path / "secret.txt").read_text() == "outside"
    assert "link (a link, not followed)" in tools["list_files"].invoke({})
    assert "secret" not in tools["list_files"].invoke({})


def test_a_socket_is_listed_and_not_read(tools: dict[str, BaseTool], root: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(root / "s"))
        assert tools["list_files"].invoke({}) == "s (not a file)"
        assert "device, pipe or socket" in refusal(tools["read_file"], path="s")


def test_a_directory_that_becomes_a_link_under_way_is_not_followed(root: Path, tmp_path: Path) -> None:
    folder = Folder(root)
    folder.write("d/x", "inside")
    (root / "d" / "x").unlink()
    (root / "d").rmdir()
    (root / "d").symlink_to(tmp_path)
    with pytest.raises(Exception, match="link or no directory"):
        folder.write("d/secret.txt", "overwritten")
    assert (tmp_path / "secret.txt").read_text() == "outside"


def test_what_is_too_large_or_no_text_is_said(tools: dict[str, BaseTool], root: Path) -> None:
    (root / "big").write_bytes(b"x" * (READ_LIMIT + 1))
    (root / "binary").write_bytes(b"\xff\xfe\x00")
    assert f"at most {READ_LIMIT}" in refusal(tools["read_file"], path="big")
    assert "not a text file" in refusal(tools["read_file"], path="binary")
    for number in range(600):
        (root / f"f{number:03}").touch()
    listed = tools["list_files"].invoke({}).splitlines()
    assert (len(listed), listed[-1]) == (501, "… and more")


def test_odd_names_are_only_names(tools: dict[str, BaseTool]) -> None:
    for path in ("~", "$HOME", "a b", "*", "-rf", "😀.txt", "<!channel>"):
        tools["write_file"].invoke({"path": path, "content": path})
        assert tools["read_file"].invoke({"path": path}) == path
    assert refusal(tools["write_file"], path="x" * 300, content="x")
    assert refusal(tools["read_file"], path="a\0b")


READS = [
    "select 1",
    "  -- a comment\n SELECT * FROM people;",
    "with recursive c(x) as (select 1 union all select x + 1 from c limit 3) select * from c",
    "select count(*), lower(name) from people where name like 'a%'",
    "values (1), (2)",
    "pragma table_info(people)",
    "select name from sqlite_master",
]
WRITES = [
    "delete from people",
    "insert into people values ('x')",
    "update people set name = 'x' returning name",
    "with gone as (select 1) delete from people",
    "drop table people",
    "create table other (a)",
    "create temp table other (a)",
    "select 1; delete from people",
    "select 1; select 2",
    "attach database '/tmp/x.db' as other",
    "attach ':memory:' as other",
    "pragma journal_mode = wal",
    "pragma writable_schema = on",
    "pragma user_version = 7",
    "vacuum",
    "vacuum into '/tmp/x.db'",
    "reindex",
    "begin",
    "commit",
    "savepoint x",
    "select load_extension('x')",
    "explain delete from people",
    "query plan delete from people",
    "",
    ";",
    "not sql",
    "select * from missing",
    "select 'a\0b'",
]


@pytest.fixture
def database(root: Path) -> Database:
    with sqlite3.connect(root / "data.db") as connection:
        connection.executescript(
            "create table people (name text); insert into people values ('ann'), ('bob');"
        )
    connection.close()
    return Database(Folder(root))


@pytest.mark.parametrize("statement", READS)
def test_sqlite_takes_it_as_a_read(statement: str, database: Database) -> None:
    assert database.only_reads(statement)
    database.execute(statement)


@pytest.mark.parametrize("statement", WRITES)
def test_sqlite_does_not_take_it_as_a_read_and_looking_changes_nothing(
    statement: str, database: Database, root: Path
) -> None:
    before = (root / "data.db").read_bytes()
    assert not database.only_reads(statement)
    assert (root / "data.db").read_bytes() == before
    assert {path.name for path in root.iterdir()} == {"data.db"}


@pytest.mark.parametrize(
    "statement",
    [
        "attach database 'other.db' as other",
        "vacuum into 'copy.db'",
        "select load_extension('x')",
        "pragma journal_mode = wal",
        "pragma writable_schema = on",
        "delete from people; drop table people",
    ],
)
def test_an_approved_statement_still_stays_in_its_database(
    statement: str, tools: dict[str, BaseTool], database: Database, root: Path
) -> None:
    assert "SQLite refuses the statement" in refusal(tools["execute_sql"], statement=statement)
    assert {path.name for path in root.iterdir()} == {"data.db"}
    assert database.execute("select count(*) from people")[1] == [(2,)]


def test_statements_tell_rows_and_changes(tools: dict[str, BaseTool]) -> None:
    run = tools["execute_sql"]
    assert run.invoke({"statement": "select 1 as one, null as none, x'00' as blob"}) == (
        "one | none | blob\n1 | NULL | (1 bytes)"
    )
    assert run.invoke({"statement": "create table t (a)"}).startswith("Done")
    assert run.invoke({"statement": "insert into t values (1), (2)"}) == "Done, 2 rows changed."
    assert run.invoke({"statement": "select a from t"}) == "a\n1\n2"
    assert run.invoke({"statement": "delete from t returning a"}).startswith("a\n1")
    assert "no such table" in refusal(run, statement="delete from missing")
    many = "with recursive c(x) as (select 1 union all select x + 1 from c limit 1000) select x from c"
    assert "only the first 200 rows" in run.invoke({"statement": many})


def test_a_statement_that_never_ends_is_stopped(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    assert SECONDS == 10
    monkeypatch.setattr("bot.agents.assistant.database.SECONDS", 0.2)
    began = time.monotonic()
    endless = "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c"
    with pytest.raises(Exception, match="took longer"):
        database.execute(endless)
    assert time.monotonic() - began < 5


def test_a_database_that_is_a_link_is_not_used(
    root: Path, tmp_path: Path, tools: dict[str, BaseTool]
) -> None:
    (root / "data.db").symlink_to(tmp_path / "other.db")
    assert not Database(Folder(root)).only_reads("select 1")
    assert "link" in refusal(tools["execute_sql"], statement="create table t (a)")
    assert not (tmp_path / "other.db").exists()


def test_no_file_tool_writes_into_the_database_or_its_journal(tools: dict[str, BaseTool]) -> None:
    for path in ("data.db", "data.db-journal", "./data.db-wal", "DATA.DB"):
        assert "belongs to the database" in refusal(tools["write_file"], path=path, content="x")


def test_the_shipped_agent_works_on_the_folder_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_WORKSPACE", str(tmp_path / "elsewhere"))
    tools = {tool.name: tool for tool in shipped.agent.tools if isinstance(tool, BaseTool)}
    assert not (tmp_path / "elsewhere").exists()
    tools["write_file"].invoke({"path": "a", "content": "x"})
    assert (tmp_path / "elsewhere" / "a").read_text() == "x"
    assert set(assistant("x").interrupt_on) == {"write_file", "delete_file", "execute_sql", "ask_user"}
