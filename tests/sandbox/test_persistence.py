import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox import Sandbox, Visitor, WorkspaceFileError, buttons, text_of
from tests.command_line import PYTHON
from tests.sandbox.raw_app import card, field, modal, raw_app

GENERAL = "C0GENERAL"
PROCESS = Path(__file__).parent / "workspace_process.py"


@asynccontextmanager
async def workspace_process(data: Path) -> AsyncIterator[str]:
    """A sandbox in another process; killed at the end, without a chance to say goodbye."""
    process = await asyncio.create_subprocess_exec(
        *PYTHON, str(PROCESS), str(data), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            yield (await process.stdout.readline()).decode().strip()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def test_everything_said_is_there_after_a_kill(tmp_path: Path) -> None:
    async with workspace_process(tmp_path) as address:
        client = AsyncWebClient("xoxb-sandbox-bot", base_url=f"{address}api/")
        async with await Visitor.connect(address) as visitor:
            root = await visitor.person("Alice").say("#general", "please")
        posted = await client.chat_postMessage(
            channel=GENERAL, thread_ts=root["ts"], blocks=card("Approve"), text="card"
        )
        await client.chat_postEphemeral(channel=GENERAL, user="U0GUS", text="not you")
    async with Sandbox(data=tmp_path) as slack, raw_app(slack) as app:
        bob = slack.person("Bob")
        seen = await bob.sees("delete_file", thread=root["ts"])
        assert (seen["ts"], buttons(seen)) == (posted["ts"], ["Approve"])
        assert await bob.press(seen, "Approve") == {"ok": True}
        await slack.person("Gus").sees_privately("not you")
        later = await app.call("chat.postMessage", channel=GENERAL, text="later")
        assert later["ts"] > posted["ts"]


async def test_an_event_owed_at_the_kill_comes_after_the_start(tmp_path: Path) -> None:
    async with workspace_process(tmp_path) as address, await Visitor.connect(address) as visitor:
        await visitor.person("Alice").say("#general", "@agent are you there?")
    async with Sandbox(data=tmp_path) as slack, raw_app(slack) as app:
        envelope = await app.next("app_mention")
        assert "are you there" in envelope["payload"]["event"]["text"]
        assert envelope["retry_attempt"] >= 1


async def test_forms_home_people_and_channels_go_on_where_they_were(tmp_path: Path) -> None:
    async with Sandbox(data=tmp_path) as slack, raw_app(slack) as app:
        seq = slack.core.workspace.seq
        await slack.person("Bob").say("#general", "/agent")
        trigger = (await app.next())["payload"]
        form = modal(field("path", {"type": "plain_text_input"}), private_metadata="m")
        await app.call("views.open", trigger_id=trigger["trigger_id"], view=form)
        await app.call(
            "views.publish", user_id="U0BOB", view={"type": "home", "blocks": card("Refresh", text="home")}
        )
        await slack.add_channel("ops", ["Alice", "Bob"])
        assert slack.core.workspace.seq > seq
        seq = slack.core.workspace.seq
    async with Sandbox(data=tmp_path) as slack, raw_app(slack) as app:
        assert slack.core.workspace.seq >= seq
        bob = slack.person("Bob")
        assert text_of(await bob.home("home"))
        assert await bob.submit(await bob.form(), {"path": "x"}) == {}
        submitted = (await app.next("view_submission"))["payload"]
        assert submitted["view"]["private_metadata"] == "m"
        assert (await app.call("chat.postMessage", channel="#ops", text="hi"))["ok"]


async def test_a_response_url_keeps_its_count_over_a_restart(tmp_path: Path) -> None:
    async with Sandbox(data=tmp_path) as slack, raw_app(slack) as app:
        await slack.person("Bob").say("#general", "/agent")
        token = (await app.next())["payload"]["response_url"].rsplit("/", 1)[1]
        uses = await _use(slack, token, 3)
    async with Sandbox(data=tmp_path) as slack:
        uses += await _use(slack, token, 3)
    assert uses == [200] * 5 + [404]


async def _use(slack: Sandbox, token: str, times: int) -> list[int]:
    statuses = []
    async with raw_app(slack, connect=False) as app:
        for _ in range(times):
            address = f"{slack.page_url}response/{token}"
            async with app._session.post(address, json={"text": "x"}) as response:
                statuses.append(response.status)
    return statuses


async def test_a_deleted_message_stays_deleted(tmp_path: Path) -> None:
    async with Sandbox(data=tmp_path) as slack, raw_app(slack, connect=False) as app:
        posted = await app.call("chat.postMessage", channel=GENERAL, text="oops")
        await app.call("chat.delete", channel=GENERAL, ts=posted["ts"])
    async with Sandbox(data=tmp_path) as slack:
        assert await slack.person("Bob").messages("#general") == []


async def test_many_posts_at_once_are_all_kept(tmp_path: Path) -> None:
    async with Sandbox(data=tmp_path) as slack, raw_app(slack, connect=False) as app:
        await asyncio.gather(
            *(app.call("chat.postMessage", channel=GENERAL, text=str(number)) for number in range(50))
        )
    async with Sandbox(data=tmp_path) as slack:
        texts = {message["text"] for message in await slack.person("Bob").messages("#general")}
        assert texts == {str(number) for number in range(50)}


async def test_a_folder_belongs_to_one_sandbox_at_a_time(tmp_path: Path) -> None:
    async with Sandbox(data=tmp_path):
        with pytest.raises(WorkspaceFileError, match="Another sandbox"):
            await Sandbox(data=tmp_path).start()
    async with Sandbox(data=tmp_path):
        pass


async def test_a_file_that_is_no_workspace_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "slack.db").write_text("this is not a database, whatever its name says" * 50)
    with pytest.raises(WorkspaceFileError, match="cannot be read"):
        await Sandbox(data=tmp_path).start()


async def test_an_interrupt_ends_it_quietly(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *PYTHON,
        "-Werror",
        "-Xdev",
        str(PROCESS),
        str(tmp_path),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    async with asyncio.timeout(60):
        address = (await process.stdout.readline()).decode().strip()
        async with await Visitor.connect(address) as visitor:
            poll = asyncio.create_task(visitor.get("/client/state", {"as": "U0BOB", "after": "999999"}))
            await visitor.person("Alice").say("#general", "bye")
            process.send_signal(signal.SIGINT)
            assert (await poll)["seq"] > 0
            _, errors = await process.communicate()
    lines = errors.decode().strip().splitlines()
    assert lines[-1:] == ["KeyboardInterrupt"]
    assert not [line for line in lines if "Warning" in line or "Unclosed" in line or "Task" in line]


async def test_expired_response_urls_are_thrown_away_at_the_start(tmp_path: Path) -> None:
    async with Sandbox(data=tmp_path, response_url_lifetime=0.0) as slack, raw_app(slack):
        await slack.person("Bob").say("#general", "/agent")
        assert len(slack.core.workspace.response_urls) == 1
    async with Sandbox(data=tmp_path) as slack:
        assert slack.core.workspace.response_urls == {}
