"""auth.test and apps.connections.open."""

from bot.sandbox.core import Core
from bot.sandbox.founding import APP_ID, BOT_ID, BOT_NAME, BOT_USER
from bot.sandbox.records import Json
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method, page_of


async def test(core: Core, args: Arguments) -> Json:
    """Who the token belongs to."""
    team, is_for_all = core.workspace.team, _is_for_all(args)
    return {
        "url": f"{core.address}/",
        "team": None if is_for_all else team.name,
        "user": BOT_NAME,
        "team_id": None if is_for_all else team.id,
        "enterprise_id": team.enterprise_id,
        "user_id": BOT_USER,
        "bot_id": BOT_ID,
        "is_enterprise_install": is_for_all,
    }


async def teams_list(core: Core, args: Arguments) -> Json:
    """The workspaces to which an organisation's app was added, or the one that has it."""
    reached = args.grant.teams if args.grant else None
    ids = (core.workspace.team.id,) if reached is None else reached
    names = {one.workspace.team.id: one.workspace.team.name for one in core.everywhere}
    page, cursor = page_of([{"id": id, "name": names.get(id, "")} for id in ids], args)
    return {"teams": page, "response_metadata": {"next_cursor": cursor}}


def _is_for_all(args: Arguments) -> bool:
    return args.grant is not None and args.grant.teams is not None


async def connections_open(core: Core, args: Arguments) -> Json:
    """A WebSocket address that is good for one connection."""
    del args
    ticket = core.socket_mode.ticket()
    address = core.address.replace("http://", "ws://", 1)
    return {"url": f"{address}/link?ticket={ticket}&app_id={APP_ID}"}


METHODS = {
    "auth.teams.list": Method(run=teams_list),
    "auth.test": Method(run=test),
    "apps.connections.open": Method(run=connections_open, token="xapp"),  # noqa: S106 - a prefix
}
