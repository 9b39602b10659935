"""The servers of the benchmark, each a process: a bare Bolt app, a Slack that says yes, the bot."""

import asyncio
import signal
import sys
from pathlib import Path

from aiohttp import web
from pydantic import SecretStr
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.authorization import AuthorizeResult

from bot.logs import configure_logs
from bot.policy_file import parse_policy
from bot.settings import Mode, Settings
from bot.wiring import running_bot
from tests.system.house import free_port

SECRET = "sandbox-signing-secret"


async def bare(stop: asyncio.Event) -> None:
    """Bolt as its documentation shows it, with one listener that acks."""

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=None, team_id="T0SANDBOX", bot_id="B", bot_user_id="U", bot_token="xoxb-x"
        )

    app = AsyncApp(signing_secret=SECRET, authorize=authorize)

    async def approve(ack: AsyncAck) -> None:
        await ack()

    app.action("approve")(approve)
    runner = web.AppRunner(app.server(port=0, path="/slack/events").web_app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    _say(f"http://127.0.0.1:{runner.addresses[0][1]}")
    await stop.wait()
    await runner.cleanup()


ANSWERS: dict[str, dict[str, object]] = {
    "auth.test": {
        "team_id": "T0SANDBOX",
        "user_id": "U0AGENT",
        "bot_id": "B0AGENT",
        "url": "https://sandbox.slack.com/",
    },
    "bots.info": {"bot": {"id": "B0AGENT", "app_id": "A0AGENT"}},
    "users.info": {"user": {"id": "U0BOB", "team_id": "T0SANDBOX", "name": "bob"}},
    "conversations.members": {"members": ["U0ALICE", "U0BOB"]},
    "chat.postMessage": {"channel": "C0GENERAL", "ts": "1.000001"},
}


async def slack(stop: asyncio.Event) -> None:
    """A Slack that says yes to everything at once, so that its own time does not count."""

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.json_response({"ok": True, **ANSWERS.get(request.match_info["method"], {})})

    app = web.Application()
    app.router.add_post("/api/{method}", answer)
    app.router.add_get("/api/{method}", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    _say(f"http://127.0.0.1:{runner.addresses[0][1]}")
    await stop.wait()
    await runner.cleanup()


async def bot(stop: asyncio.Event, folder: Path, slack_url: str) -> None:
    """The whole bot, in HTTP mode."""
    port = free_port()
    settings = Settings(
        _env_file=None,
        slack_bot_token=SecretStr("xoxb-sandbox-bot"),
        slack_signing_secret=SecretStr(SECRET),
        slack_api_url=f"{slack_url.rstrip('/')}/api/",
        bot_mode=Mode.HTTP,
        bot_port=port,
        bot_agent="tests.system.agents:bank",
        bot_database_url=f"sqlite:///{folder / 'bot.db'}",
    )
    policy = parse_policy('[defaults]\napprovers = ["channel"]\n', name="approvals.toml")
    async with running_bot(settings, policy):
        _say(f"http://127.0.0.1:{port}")
        await stop.wait()


def _say(address: str) -> None:
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()


async def main() -> None:
    """Run the server that the first argument names, until told to end."""
    configure_logs()
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    match sys.argv[1:]:
        case ["bare", _]:
            await bare(stop)
        case ["slack", _]:
            await slack(stop)
        case ["bot", folder, slack_url]:
            await bot(stop, Path(folder), slack_url)


if __name__ == "__main__":
    asyncio.run(main())
