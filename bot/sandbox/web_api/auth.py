"""auth.test and apps.connections.open."""

from bot.sandbox.core import Core
from bot.sandbox.founding import APP_ID, BOT_ID, BOT_NAME, BOT_USER
from bot.sandbox.records import Json
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method


async def test(core: Core, args: Arguments) -> Json:
    """Who the token belongs to."""
    del args
    return {
        "url": f"{core.address}/",
        "team": core.workspace.team.name,
        "user": BOT_NAME,
        "team_id": core.workspace.team.id,
        "enterprise_id": core.workspace.team.enterprise_id,
        "user_id": BOT_USER,
        "bot_id": BOT_ID,
        "is_enterprise_install": False,
    }


async def connections_open(core: Core, args: Arguments) -> Json:
    """A WebSocket address that is good for one connection."""
    del args
    ticket = core.socket_mode.ticket()
    address = core.address.replace("http://", "ws://", 1)
    return {"url": f"{address}/link?ticket={ticket}&app_id={APP_ID}"}


METHODS = {
    "auth.test": Method(run=test),
    "apps.connections.open": Method(run=connections_open, token="xapp"),  # noqa: S106 - a prefix
}
