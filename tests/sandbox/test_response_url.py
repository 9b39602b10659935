import aiohttp

from bot.sandbox import Sandbox, buttons
from tests.sandbox.raw_app import Json, RawApp, card, raw_app


async def click(slack: Sandbox, app: RawApp) -> tuple[str, Json]:
    """The response_url of a click on a fresh card, and the card as Bob sees it."""
    await app.call("chat.postMessage", channel="C0GENERAL", blocks=card("Approve"))
    bob = slack.person("Bob")
    seen = await bob.sees(lambda message: buttons(message) == ["Approve"])
    await bob.press(seen, "Approve")
    return (await app.next("block_actions"))["payload"]["response_url"], seen


async def send(url: str, **body: object) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.post(url, json=body) as response:
        return response.status, await response.text()


async def test_an_answer_is_ephemeral_unless_it_says_otherwise() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        url, _ = await click(slack, app)
        assert await send(url, text="just you") == (200, "ok")
        await slack.person("Bob").sees_privately("just you")
        await send(url, text="all of you", response_type="in_channel")
        await slack.person("Alice").sees("all of you")
        assert await slack.person("Alice").ephemerals() == []


async def test_an_answer_can_stand_in_the_thread() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        url, seen = await click(slack, app)
        place = {"thread_ts": seen["ts"], "response_type": "in_channel", "replace_original": False}
        assert await send(url, text="in here", **place) == (200, "ok")
        assert (await slack.person("Bob").sees("in here"))["thread_ts"] == seen["ts"]


async def test_an_answer_can_replace_and_delete_the_original() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        url, seen = await click(slack, app)
        await send(url, replace_original=True, text="decided")
        bob = slack.person("Bob")
        changed = await bob.sees_change(seen, "decided")
        assert buttons(changed) == []
        assert await send(url, delete_original=True) == (200, "ok")
        await bob.sees_gone(changed)
        assert (await send(url, replace_original=True, text="decided"))[0] == 404


async def test_only_an_answer_can_replace_an_ephemeral_message() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        await app.call("chat.postEphemeral", channel="C0GENERAL", user="U0BOB", blocks=card("Approve"))
        bob = slack.person("Bob")
        seen = await bob.sees_privately("delete_file")
        await bob.press(seen, "Approve")
        url = (await app.next("block_actions"))["payload"]["response_url"]
        await send(url, replace_original=True, text="decided")
        assert (await bob.sees_change(seen, "decided"))["ephemeral"]


async def test_the_sixth_use_is_refused() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        url, _ = await click(slack, app)
        statuses = [(await send(url, text=str(number)))[0] for number in range(6)]
        assert statuses == [200] * 5 + [404]
        assert len(await slack.person("Bob").ephemerals()) == 5


async def test_an_old_address_is_refused() -> None:
    async with Sandbox(response_url_lifetime=0.0) as slack, raw_app(slack) as app:
        url, _ = await click(slack, app)
        status, body = await send(url, text="late")
        assert (status, "expired_url" in body) == (404, True)


async def test_an_answer_is_checked_like_any_message() -> None:
    async with Sandbox() as slack, raw_app(slack) as app:
        url, _ = await click(slack, app)
        assert (await send(url))[1].count("no_text") == 1
        assert "invalid_blocks" in (await send(url, text="x", blocks=[{"type": "poem"}]))[1]
        assert "invalid_payload" in (await send(url, text="x", response_type="loud"))[1]
        assert [call.outcome for call in slack.calls("response_url")] == [
            "no_text",
            "invalid_blocks",
            "invalid_payload",
        ]
