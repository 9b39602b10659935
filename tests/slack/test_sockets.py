import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from slack_bolt.async_app import AsyncAck

from bot.approvals.ids import UserId
from bot.sandbox import Fault, Sandbox
from bot.slack.app import Identity, asking_client, bolt_app, socket_address
from bot.slack.sockets import Sockets


@asynccontextmanager
async def connected(slack: Sandbox) -> AsyncIterator[Sockets]:
    client = asking_client(slack.bot_token, slack.api_url)
    who = Identity(
        team="T0SANDBOX",
        enterprise=None,
        bot_user=UserId("U0AGENT"),
        bot_id="B0AGENT",
        app="A0AGENT",
        url=slack.page_url,
        scopes=frozenset(),
    )
    app = bolt_app(client, who, [])

    async def obey(ack: AsyncAck) -> None:
        await ack()

    app.command("/agent")(obey)
    sockets = Sockets(app, client, slack.app_token, look_every=0.1)
    await sockets.start(await socket_address(client, slack.app_token))
    watching = asyncio.create_task(sockets.watch())
    try:
        yield sockets
    finally:
        watching.cancel()
        await asyncio.wait((watching,))
        await sockets.stop()


async def test_a_connection_whose_fresh_address_is_refused_comes_back_all_the_same() -> None:
    async with Sandbox() as slack, connected(slack) as sockets:
        assert await sockets.problem() is None
        await slack.fault(Fault(kind="refuse_connections", times=6))
        await slack.fault(Fault(kind="disconnect", times=1, reason="warning"))
        async with asyncio.timeout(60):
            while await slack.person("Alice").say("#general", "/agent hello") != {"ok": True}:
                pass
        assert await sockets.problem() is None


async def test_without_any_connection_the_bot_is_not_ready() -> None:
    async with Sandbox() as slack, connected(slack) as sockets:
        await sockets.stop()
        assert await sockets.problem() == "no Socket Mode connection is open"
