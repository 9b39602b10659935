"""users.*, bots.info, team.info and usergroups.*."""

from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.founding import APP_ID, BOT_ID, BOT_NAME, BOT_USER
from bot.sandbox.records import Json
from bot.sandbox.slack_objects import user_object
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method, page_of, person, same_team


async def info(core: Core, args: Arguments) -> Json:
    """One user."""
    shown = user_object(person(core, args.text("user")))
    if not args.flag("include_locale"):
        del shown["locale"]
    return {"user": shown}


async def users_list(core: Core, args: Arguments) -> Json:
    """Everybody, page by page."""
    same_team(core, args)
    everybody = [user_object(account) for account in core.workspace.accounts.values()]
    page, cursor = page_of(everybody, args)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


async def team_info(core: Core, args: Arguments) -> Json:
    """The workspace itself."""
    team = core.workspace.team
    if args.optional_text("team") not in (None, team.id):
        raise SlackError("team_not_found")
    return {"team": {"id": team.id, "name": team.name, "domain": team.domain, "email_domain": ""}}


async def groups_list(core: Core, args: Arguments) -> Json:
    """All user groups."""
    same_team(core, args)
    shown: list[Json] = []
    for group in core.workspace.user_groups.values():
        if group.disabled and not args.flag("include_disabled"):
            continue
        entry: Json = {
            "id": group.id,
            "team_id": core.workspace.team.id,
            "is_usergroup": True,
            "handle": group.handle,
            "name": group.name,
            "date_delete": int(group.disabled),
            "user_count": len(group.users),
        }
        if args.flag("include_users"):
            entry["users"] = list(group.users)
        shown.append(entry)
    return {"usergroups": shown}


async def group_users(core: Core, args: Arguments) -> Json:
    """Who is in a user group."""
    group = core.workspace.user_groups.get(args.text("usergroup"))
    if group is None or (group.disabled and not args.flag("include_disabled")):
        raise SlackError("no_such_subteam")
    return {"users": list(group.users)}


async def bots_info(core: Core, args: Arguments) -> Json:
    """Which app a bot belongs to."""
    del core
    if args.text("bot") != BOT_ID:
        raise SlackError("bot_not_found")
    bot = {"id": BOT_ID, "deleted": False, "name": BOT_NAME, "app_id": APP_ID, "user_id": BOT_USER}
    return {"bot": bot}


METHODS = {
    "bots.info": Method(run=bots_info, scope="users:read"),
    "users.info": Method(run=info, scope="users:read"),
    "users.list": Method(run=users_list, scope="users:read"),
    "team.info": Method(run=team_info, scope="team:read"),
    "usergroups.list": Method(run=groups_list, scope="usergroups:read"),
    "usergroups.users.list": Method(run=group_users, scope="usergroups:read"),
}
