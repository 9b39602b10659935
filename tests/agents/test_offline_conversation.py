from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import BaseTool, tool

from bot.agents.agent import Agent
from bot.agents.assistant import assistant
from bot.agents.offline.model import OfflineModel
from bot.agents.offline.wording import INTRODUCTION, fence
from bot.approvals.decision import Approve, Edit, Reject, Respond
from bot.approvals.filing import approval_for
from bot.approvals.thread import Condition
from tests.agents.stage import CONVERSATION, NOON, THREAD, Stage, stage

TIDY = 'tidy up: delete tmp.log, write "done" to notes.txt and ask me whether to keep data.csv'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    (root / "tmp.log").write_text("noise")
    (root / "data.csv").write_text("a,b\n")
    return root


def names(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


def playing(root: Path) -> AbstractAsyncContextManager[Stage]:
    return stage(root.parent, assistant(root), model=OfflineModel())


async def asked(play: Stage) -> list[tuple[str, object]]:
    return [(request.tool, request.arguments) for request in (await play.interrupt()).requests]


async def test_one_sentence_asks_three_things_and_the_files_change_as_decided(root: Path) -> None:
    async with playing(root) as play:
        assert await play.say(TIDY) is None
        assert await asked(play) == [
            ("delete_file", {"path": "tmp.log"}),
            ("write_file", {"path": "notes.txt", "content": "done"}),
            ("ask_user", {"question": "Should I keep data.csv?"}),
        ]
        assert names(root) == ["data.csv", "tmp.log"]
        edited = play.tools.check("write_file", {"path": "notes.txt", "content": "well done"})
        assert await play.decide(Approve(), Edit(edited), Respond("Yes, keep it.")) is None
        assert names(root) == ["data.csv", "notes.txt"]
        assert (root / "notes.txt").read_text() == "well done"
        assert await play.answer() == (
            f"{INTRODUCTION}\n\n"
            "- Deleted tmp.log.\n"
            "- Created notes.txt (9 characters). A reviewer had changed the call.\n"
            "- The answer to “Should I keep data.csv?” is: Yes, keep it."
        )


async def test_rejections_tell_their_reason_and_the_introduction_comes_once(root: Path) -> None:
    async with playing(root) as play:
        await play.say("delete tmp.log")
        await play.decide(Reject("we need it"))
        assert (
            await play.answer() == f"{INTRODUCTION}\n\nNot done: delete tmp.log was rejected: “we need it”."
        )
        await play.say("delete tmp.log", "m2")
        await play.decide(Reject())
        assert await play.answer() == "Not done: delete tmp.log was rejected."
        assert (root / "tmp.log").exists()


async def test_rounds_wait_for_each_other_and_results_flow_on(root: Path) -> None:
    async with playing(root) as play:
        await play.say("copy data.csv to backup.csv, then delete data.csv")
        assert await asked(play) == [("write_file", {"path": "backup.csv", "content": "a,b\n"})]
        await play.decide(Approve())
        assert await asked(play) == [("delete_file", {"path": "data.csv"})]
        await play.decide(Approve())
        assert (root / "backup.csv").read_text() == "a,b\n"
        assert not (root / "data.csv").exists()
        assert (await play.answer()).endswith("Deleted data.csv.")


async def test_nothing_is_written_from_a_reading_that_failed(root: Path) -> None:
    async with playing(root) as play:
        await play.say("copy missing.txt to b.txt")
        assert (await play.threads.read(THREAD)).condition is Condition.IDLE
        assert (
            "Failed: read missing.txt. `read_file` failed: There is no file missing.txt."
            in await play.answer()
        )


async def test_files_and_rows_are_shown_in_a_fence_without_asking(root: Path) -> None:
    (root / "tricky.md").write_text("```\n<!channel>\n````")
    async with playing(root) as play:
        await play.say("list files and read tricky.md and run sql: select 1 as one")
        text = await play.answer()
        assert "Files:\n```\ndata.csv (4 bytes)\ntmp.log (5 bytes)\ntricky.md" in text
        assert "Read tricky.md:\n`````\n```\n<!channel>\n````\n`````" in text
        assert "`select 1 as one`:\n```\none\n1\n```".lower() in text.lower()


async def test_sql_that_changes_data_asks_and_one_that_reads_does_not(root: Path) -> None:
    async with playing(root) as play:
        await play.say(
            "create table people (name), then insert into people values ('ann'), then count rows in people"
        )
        assert [tool for tool, _ in await asked(play)] == ["execute_sql"]
        await play.decide(Approve())
        await play.decide(Approve())
        assert "rows\n1" in await play.answer()
        await play.say("select 1; delete from people", "m2")
        assert await asked(play) == [("execute_sql", {"statement": "select 1; delete from people"})]


async def test_try_again_repeats_what_failed_and_nothing_else(root: Path) -> None:
    async with playing(root) as play:
        await play.say("delete later.txt and write x to y.txt")
        await play.decide(Approve(), Approve())
        assert "Failed: delete later.txt." in await play.answer()
        (root / "later.txt").touch()
        await play.say("try again", "m2")
        assert await asked(play) == [("delete_file", {"path": "later.txt"})]
        await play.decide(Approve())
        assert await play.answer() == "Deleted later.txt."
        await play.say("retry y.txt", "m3")
        assert "nothing to try again" in await play.answer()


async def test_a_rejected_call_is_tried_again_only_when_it_is_asked_for(root: Path) -> None:
    async with playing(root) as play:
        await play.say("delete tmp.log and delete data.csv")
        await play.decide(Reject("no"), Reject("no"))
        await play.say("retry deleting tmp.log", "m2")
        assert await asked(play) == [("delete_file", {"path": "tmp.log"})]


async def test_a_call_that_expired_is_not_called_rejected_and_is_tried_again_when_it_is_asked_for(
    root: Path,
) -> None:
    async with playing(root) as play:
        await play.say("delete tmp.log and ask me whether to keep data.csv")
        approval = approval_for(
            await play.interrupt(), CONVERSATION, requesters=frozenset(), tools=play.tools, at=NOON
        )
        await play.threads.resume(THREAD, approval.expire(NOON))
        told = await play.answer()
        assert "Not done: nobody decided in time about this: delete tmp.log. Say `try again`" in told
        assert "rejected" not in told
        assert told.count("nobody decided in time") == 2
        assert "tmp.log" in names(root)
        await play.say("try again", "m2")
        assert [tool for tool, _ in await asked(play)] == ["delete_file", "ask_user"]


@pytest.mark.parametrize("text", ["sing a song", "", "help", "😀" * 100, "'\"`", "x" * 50_000])
async def test_what_is_not_understood_gets_a_fair_reply(text: str, root: Path) -> None:
    async with playing(root) as play:
        assert await play.say(text) is None
        told = await play.answer()
        assert told.startswith(INTRODUCTION)
        assert '- `write "done" to notes.txt`' in told
        assert "BOT_MODEL=provider:model" in told
        assert len(told) < 2000


async def test_messages_that_were_kept_are_done_together(root: Path) -> None:
    from tests.agents.stage import said

    async with playing(root) as play:
        await play.threads.send(
            THREAD, [said("delete tmp.log"), said("sing", "m2"), said("delete data.csv", "m3")]
        )
        assert [arguments for _, arguments in await asked(play)] == [{"path": "tmp.log"}]
        await play.decide(Approve())
        await play.decide(Approve())
        assert "I did not understand: “sing”." in await play.answer()


async def test_ids_of_calls_are_stable_and_unique_in_the_thread(root: Path) -> None:
    model = OfflineModel().bind_tools([tool for tool in assistant(root).tools if isinstance(tool, BaseTool)])
    said = [HumanMessage("delete a and delete b", id="m1")]
    first, again = await model.ainvoke(said), await model.ainvoke(said)
    other = await model.ainvoke([*said, AIMessage("x"), HumanMessage("delete a and delete b", id="m2")])
    ids = [call["id"] for message in (first, other) for call in message.tool_calls]
    assert len(set(ids)) == 4
    assert [call["id"] for call in again.tool_calls] == ids[:2]


async def test_any_tool_can_be_called_by_name_with_typed_arguments(tmp_path: Path) -> None:
    got: list[object] = []

    @tool
    def deploy(service: str, replicas: int = 1, *, dry: bool = False) -> str:
        """Deploy a service."""
        got.append((service, replicas, dry))
        return "deployed"

    agent = Agent(tools=[deploy], interrupt_on={"*": True})
    async with stage(tmp_path, agent, model=OfflineModel()) as play:
        await play.say('deploy(service="web app", replicas=3, dry=true)')
        assert await asked(play) == [("deploy", {"service": "web app", "replicas": 3, "dry": True})]
        await play.decide(Approve())
        assert got == [("web app", 3, True)]
        assert (await play.answer()).endswith("`deploy`: deployed")
        await play.say("dance", "m2")
        assert "- `call deploy with service=…, replicas=…, dry=…`" in await play.answer()


async def test_without_tools_it_says_so(tmp_path: Path) -> None:
    async with stage(tmp_path, Agent(tools=[], interrupt_on={}), model=OfflineModel()) as play:
        await play.say("delete a")
        assert "I have no tools" in await play.answer()


def test_a_fence_cannot_be_closed_by_what_is_in_it() -> None:
    assert fence("a```b````c") == "`````\na```b````c\n`````"
    assert "more characters" in fence("x" * 7_000)
