import time
from pathlib import Path

import pytest
from langchain_core.utils.function_calling import convert_to_openai_tool

from bot.agents.assistant.database import Database
from bot.agents.assistant.folder import Folder
from bot.agents.assistant.tools import assistant_tools
from bot.agents.offline.parse import parse
from bot.agents.offline.plan import Call, ResultOf, Retry, Round

_PLACE = Folder(Path("nowhere"))
ASSISTANT = {
    tool.name: convert_to_openai_tool(tool)["function"]["parameters"]
    for tool in assistant_tools(_PLACE, Database(_PLACE))
}
DEPLOY = {
    "deploy": {
        "type": "object",
        "properties": {
            "service": {"type": "string"},
            "replicas": {"type": "integer"},
            "ratio": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "dry": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "version": {"type": "string"},
        },
        "required": ["service"],
    },
    "ping": {"type": "object", "properties": {}},
}


def read(path: str) -> Call:
    return Call("read_file", {"path": path})


def delete(path: str) -> Call:
    return Call("delete_file", {"path": path})


def write(path: str, content: object, **more: bool) -> Call:
    return Call("write_file", {"path": path, "content": content, **more})  # type: ignore[dict-item]


def sql(statement: str) -> Call:
    return Call("execute_sql", {"statement": statement})


def ask(question: str) -> Call:
    return Call("ask_user", {"question": question})


def listing(path: str = ".") -> Call:
    return Call("list_files", {"path": path})


ONE_ROUND = [
    (
        'tidy up: delete tmp.log, write "done" to notes.txt and ask me whether to keep data.csv',
        (delete("tmp.log"), write("notes.txt", "done"), ask("Should I keep data.csv?")),
    ),
    ("list files", (listing(),)),
    ("List the files.", (listing(),)),
    ("ls", (listing(),)),
    ("list files in logs", (listing("logs"),)),
    ("what files are there?", (listing(),)),
    ("show me the files", (listing(),)),
    ("read notes.txt", (read("notes.txt"),)),
    ("please show me the contents of notes.txt", (read("notes.txt"),)),
    ("cat a.txt and b.txt", (read("a.txt"), read("b.txt"))),
    ('read "my notes.txt"', (read("my notes.txt"),)),
    ("delete a.txt, b.txt and c.txt", (delete("a.txt"), delete("b.txt"), delete("c.txt"))),
    ("Delete the file tmp.log!", (delete("tmp.log"),)),
    ("remove logs/old.log; delete b", (delete("logs/old.log"), delete("b"))),
    ("rm a & b", (delete("a"), delete("b"))),
    ("delete a.txt and read b.txt", (delete("a.txt"), read("b.txt"))),
    ('write "done" to notes.txt', (write("notes.txt", "done"),)),
    ("write “done” to notes.txt", (write("notes.txt", "done"),)),
    ("write hello world to greeting.txt", (write("greeting.txt", "hello world"),)),
    (
        'write "go to the shop, then delete a.txt" to todo.txt',
        (write("todo.txt", "go to the shop, then delete a.txt"),),
    ),
    ('write "a\\nb" to x', (write("x", "a\nb"),)),
    ("write to notes.txt: all is well", (write("notes.txt", "all is well"),)),
    (
        "write to notes.txt:\n```\none\ntwo, and delete x\n```",
        (write("notes.txt", "one\ntwo, and delete x\n"),),
    ),
    ('create notes.txt with "hi"', (write("notes.txt", "hi"),)),
    ("create a file notes.txt containing 'hi there'", (write("notes.txt", "hi there"),)),
    ("create empty.txt", (write("empty.txt", ""),)),
    ("touch a", (write("a", ""),)),
    ('overwrite notes.txt with "new"', (write("notes.txt", "new"),)),
    ('append "more" to notes.txt', (write("notes.txt", "more", append=True),)),
    ('add the line "x" to the end of log.txt', (write("log.txt", "x", append=True),)),
    ('put "😀 <!channel>" into party.txt', (write("party.txt", "😀 <!channel>"),)),
    (
        "run sql: select a, b from t where x = 'then delete'",
        (sql("select a, b from t where x = 'then delete'"),),
    ),
    ('execute "drop table people"', (sql("drop table people"),)),
    ("execute `insert into t values (1, 2)`", (sql("insert into t values (1, 2)"),)),
    ("select * from people;", (sql("select * from people"),)),
    ("delete from people where id = 1", (sql("delete from people where id = 1"),)),
    ("create table t (a, b)", (sql("create table t (a, b)"),)),
    ("run this query: update t set a = 1, b = 2", (sql("update t set a = 1, b = 2"),)),
    ("run sql: delete from a; delete from b", (sql("delete from a; delete from b"),)),
    ("count rows in people", (sql('SELECT count(*) AS rows FROM "people"'),)),
    ("how many rows are in the people table?", (sql('SELECT count(*) AS rows FROM "people"'),)),
    ("show tables", (sql("SELECT name FROM sqlite_master WHERE type = 'table'"),)),
    ("ask me which region we want", (ask("Please say which region we want."),)),
    ('ask me "Which region?"', (ask("Which region?"),)),
    ("ask whether to keep, delete or rename it", (ask("Should I keep, delete or rename it?"),)),
    ("ask me if that is ok", (ask("Please say if that is ok."),)),
    ("ask me: is it ok?", (ask("Is it ok?"),)),
    ("ask Bob whether to deploy", (ask("Should I deploy?"),)),
    ("ask me for the password", (ask("Please give the password."),)),
    ("ask me to confirm it", (ask("Please confirm it."),)),
    ("ask 'Ready?'", (ask("Ready?"),)),
    ("again", (Retry(),)),
    ("could you please remove the files a.txt and b.txt?", (delete("a.txt"), delete("b.txt"))),
    ("what's in notes.txt?", (read("notes.txt"),)),
    ("what is in the folder?", (listing(),)),
    ('save "x=1" as config.ini', (write("config.ini", "x=1"),)),
    ('create a new file called todo.txt with "buy milk"', (write("todo.txt", "buy milk"),)),
    ("ask me about lunch", (ask("What about lunch?"),)),
    ("can you delete a.txt please", (delete("a.txt"),)),
    ("- delete a.txt\n- read b.txt", (delete("a.txt"), read("b.txt"))),
    ("1. delete a.txt\n2. read b.txt", (delete("a.txt"), read("b.txt"))),
    ("Delete a.txt. Read b.txt.", (delete("a.txt"), read("b.txt"))),
    ("try again", (Retry(),)),
    ("Try it again!", (Retry(),)),
    ("retry", (Retry(),)),
    ("retry delete tmp.log", (Retry("delete tmp.log"),)),
    ("list_files", (Call("list_files"),)),
    ('call delete_file with path="x y.txt"', (delete("x y.txt"),)),
    ("delete_file tmp.log", (delete("tmp.log"),)),
]

ROUNDS: list[tuple[str, tuple[Round, ...]]] = [
    ("read a.txt, then delete a.txt", ((read("a.txt"),), (delete("a.txt"),))),
    ("read a.txt then delete a.txt", ((read("a.txt"),), (delete("a.txt"),))),
    ("list files. After that delete x and delete y", ((listing(),), (delete("x"), delete("y")))),
    ("delete a, then delete b, and then delete c", ((delete("a"),), (delete("b"),), (delete("c"),))),
    ("first read a; finally, delete a", ((read("a"),), (delete("a"),))),
    ("run sql: select 1 then delete a.txt", ((sql("select 1"),), (delete("a.txt"),))),
    ("copy a.txt to b.txt", ((read("a.txt"),), (write("b.txt", ResultOf("a.txt")),))),
    (
        "append the contents of a.txt to b.txt",
        ((read("a.txt"),), (write("b.txt", ResultOf("a.txt"), append=True),)),
    ),
    (
        "copy a to b, then delete a",
        ((read("a"),), (write("b", ResultOf("a")),), (delete("a"),)),
    ),
]

WRITTEN_OUT = [
    ("call deploy with service=web", {"service": "web"}),
    ('call deploy with service="web app", replicas=3', {"service": "web app", "replicas": 3}),
    ("deploy(service=web, replicas=3, dry=true)", {"service": "web", "replicas": 3, "dry": True}),
    ("call the tool deploy with service=web and dry=yes", {"service": "web", "dry": True}),
    ('deploy {"service": "web", "replicas": 2}', {"service": "web", "replicas": 2}),
    ("deploy service=web version=3", {"service": "web", "version": "3"}),
    ('deploy service: web, tags=["a", "b"], ratio=0.5', {"service": "web", "tags": ["a", "b"], "ratio": 0.5}),
    ("deploy service=web ratio=none", {"service": "web", "ratio": None}),
    ("use deploy with production", {"service": "production"}),
    ("deploy", {}),
    ('deploy(service="then, delete it; (now)")', {"service": "then, delete it; (now)"}),
]


@pytest.mark.parametrize(("text", "calls"), ONE_ROUND)
def test_a_plain_sentence_becomes_the_calls_of_one_round(text: str, calls: Round) -> None:
    plan = parse(text, ASSISTANT)
    assert plan.rounds == (calls,)
    assert plan.not_understood == ()


@pytest.mark.parametrize(("text", "rounds"), ROUNDS)
def test_then_and_after_that_start_a_new_round(text: str, rounds: tuple[Round, ...]) -> None:
    assert parse(text, ASSISTANT).rounds == rounds


@pytest.mark.parametrize(("text", "arguments"), WRITTEN_OUT)
def test_a_call_written_out_gets_the_types_of_the_tools_schema(text: str, arguments: object) -> None:
    assert parse(text, DEPLOY).rounds == ((Call("deploy", arguments),),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "sing a song",
        "deleted",
        "write",
        "delete",
        "read the",
        "copy a",
        "what is love",
        "make me happy today",
    ],
)
def test_what_is_not_understood_is_said_and_calls_nothing(text: str) -> None:
    plan = parse(text, ASSISTANT)
    assert (plan.rounds, plan.not_understood) == ((), (text,))


def test_what_is_understood_is_done_although_the_rest_is_not() -> None:
    plan = parse("delete a.txt; sing a song\nread b.txt", ASSISTANT)
    assert plan.rounds == ((delete("a.txt"), read("b.txt")),)
    assert plan.not_understood == ("sing a song",)


def test_a_later_round_that_is_not_understood_keeps_the_earlier_ones() -> None:
    plan = parse("delete tmp.log and then tell me a joke", ASSISTANT)
    assert plan.rounds == ((delete("tmp.log"),),)
    assert plan.not_understood == ("tell me a joke",)


def test_sentences_of_the_assistant_mean_nothing_without_its_tools() -> None:
    assert parse("delete a.txt", DEPLOY).rounds == ()


@pytest.mark.parametrize("text", ["", " \n\t ", "hi!", "Thanks", "ok, then", "hello, what can you do?"])
def test_small_talk_is_neither_a_call_nor_a_misunderstanding(text: str) -> None:
    plan = parse(text, ASSISTANT)
    assert plan.rounds == ()
    assert plan.not_understood == ()


HUGE = 50_000


@pytest.mark.parametrize(
    "text",
    [
        "x" * HUGE,
        " " * HUGE,
        "delete " * (HUGE // 7),
        "delete a, " * (HUGE // 10),
        '"' * HUGE,
        "`" * HUGE,
        "(" * HUGE,
        "{" * HUGE,
        ":" * HUGE,
        "a: " * (HUGE // 3),
        "then " * (HUGE // 5),
        ", and " * (HUGE // 6),
        "write " + "to " * (HUGE // 3),
        "😀" * HUGE,
        "\u202e<!channel>\u0000" * (HUGE // 12),
        'write "' + "y" * HUGE,
        'write "' + "y" * HUGE + '" to big.txt',
        "list the files " * (HUGE // 15),
        "deploy " + "a=1, " * (HUGE // 5),
        "deploy " + "a " * (HUGE // 2),
        "\n" * HUGE,
        ". " * (HUGE // 2),
        "please " * (HUGE // 7),
        "delete " + "the " * (HUGE // 4),
        "count " + "the " * (HUGE // 4),
        "ask me " * (HUGE // 7),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_no_text_is_too_odd_or_too_long(text: str) -> None:
    began = time.perf_counter()
    parse(text, {**ASSISTANT, **DEPLOY})
    assert time.perf_counter() - began < 2


def test_a_huge_text_in_quotes_is_written_whole() -> None:
    plan = parse(f'write "{"y" * HUGE}" to big.txt', ASSISTANT)
    assert plan.rounds == ((write("big.txt", "y" * HUGE),),)


def test_more_than_a_hundred_calls_are_not_made() -> None:
    plan = parse("\n".join(f"delete {number}.txt" for number in range(120)), ASSISTANT)
    assert sum(map(len, plan.rounds)) == 100
    assert len(plan.not_understood) == 20


@pytest.mark.parametrize("text", ['write "done to notes.txt', "write 'it's fine' to a.txt", 'delete "a.txt'])
def test_unbalanced_quotes_do_not_raise(text: str) -> None:
    parse(text, ASSISTANT)
