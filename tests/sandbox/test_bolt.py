from collections.abc import Awaitable, Callable
from typing import Any

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox import Fault, Sandbox, buttons, text_of
from tests.sandbox.raw_app import card

Ack = Callable[..., Awaitable[None]]


async def test_a_command_brings_a_card_whose_button_opens_a_form_that_changes_the_card() -> None:
    async with Sandbox() as slack:
        app = AsyncApp(client=AsyncWebClient(slack.bot_token, base_url=slack.api_url))

        @app.command("/agent")
        async def command(ack: Ack, body: dict[str, Any], client: AsyncWebClient) -> None:
            await ack()
            await client.chat_postMessage(
                channel=body["channel_id"],
                text="card",
                blocks=[
                    {"type": "section", "text": {"type": "plain_text", "text": f"do {body['text']}"}},
                    {
                        "type": "actions",
                        "elements": [
                            {
                                "type": "button",
                                "action_id": "edit",
                                "text": {"type": "plain_text", "text": "✏️ Edit"},
                                "value": "v1",
                            }
                        ],
                    },
                ],
            )

        @app.action("edit")
        async def edit(ack: Ack, body: dict[str, Any], client: AsyncWebClient) -> None:
            await ack()
            await client.views_open(
                trigger_id=body["trigger_id"],
                view={
                    "type": "modal",
                    "callback_id": "form",
                    "private_metadata": f"{body['channel']['id']} {body['message']['ts']}",
                    "title": {"type": "plain_text", "text": "Edit"},
                    "submit": {"type": "plain_text", "text": "Save"},
                    "blocks": [
                        {
                            "type": "input",
                            "block_id": "path",
                            "label": {"type": "plain_text", "text": "path"},
                            "element": {
                                "type": "plain_text_input",
                                "action_id": "value",
                                "initial_value": "a",
                            },
                        }
                    ],
                },
            )

        @app.view("form")
        async def form(ack: Ack, view: dict[str, Any], client: AsyncWebClient) -> None:
            value = view["state"]["values"]["path"]["value"]["value"]
            if value == "bad":
                await ack(response_action="errors", errors={"path": "not this one"})
                return
            await ack()
            channel, ts = view["private_metadata"].split()
            await client.chat_update(channel=channel, ts=ts, text=f"now {value}")

        handler = AsyncSocketModeHandler(
            app, slack.app_token, web_client=AsyncWebClient(slack.app_token, base_url=slack.api_url)
        )
        await handler.connect_async()  # type: ignore[no-untyped-call]
        try:
            await slack.connected()
            alice, bob = slack.person("Alice"), slack.person("Bob")
            assert await alice.say("#general", "/agent tidy up") == {"ok": True}
            card = await bob.sees("do tidy up", channel="#general")
            assert buttons(card) == ["Edit"]
            assert await bob.press(card, "Edit") == {"ok": True}
            modal = await bob.form()
            assert await bob.submit(modal, {"path": "bad"}) == {"path": "not this one"}
            assert await bob.submit(modal, {"path": "b"}) == {}
            await bob.no_form()
            changed = await bob.sees_change(card, "now b")
            assert text_of(changed) == "now b"
            assert buttons(changed) == []
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call]


async def test_bolt_comes_back_after_a_disconnect_and_gets_what_was_owed() -> None:
    async with Sandbox(retry_delays=(0.0, 0.2, 1.0)) as slack:
        app = AsyncApp(client=AsyncWebClient(slack.bot_token, base_url=slack.api_url))

        @app.event("app_mention")
        async def mention(event: dict[str, Any], client: AsyncWebClient) -> None:
            await client.chat_postMessage(
                channel=event["channel"], thread_ts=event["ts"], text=f"heard: {event['text']}"
            )

        handler = AsyncSocketModeHandler(
            app, slack.app_token, web_client=AsyncWebClient(slack.app_token, base_url=slack.api_url)
        )
        await handler.connect_async()  # type: ignore[no-untyped-call]
        try:
            await slack.connected()
            await slack.fault(Fault(kind="disconnect"))
            alice = slack.person("Alice")
            said = await alice.say("#general", "@agent still there?")
            answer = await alice.sees("heard:", channel="#general", thread=said["ts"])
            assert answer["thread_ts"] == said["ts"]
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call]


async def test_bolts_respond_answers_privately_and_replaces_the_card() -> None:
    async with Sandbox() as slack:
        client = AsyncWebClient(slack.bot_token, base_url=slack.api_url)
        app = AsyncApp(client=client)

        @app.action("go0")
        async def approve(ack: Ack, respond: Ack) -> None:
            await ack()
            await respond(text="only you", replace_original=False)
            await respond(text="approved", replace_original=True)

        handler = AsyncSocketModeHandler(
            app, slack.app_token, web_client=AsyncWebClient(slack.app_token, base_url=slack.api_url)
        )
        await handler.connect_async()  # type: ignore[no-untyped-call]
        try:
            await slack.connected()
            await client.chat_postMessage(channel="#general", text="card", blocks=card("Approve"))
            bob = slack.person("Bob")
            seen = await bob.sees("delete_file")
            assert await bob.press(seen, "Approve") == {"ok": True}
            await bob.sees_privately("only you")
            assert buttons(await bob.sees_change(seen, "approved")) == []
        finally:
            await handler.close_async()  # type: ignore[no-untyped-call]
