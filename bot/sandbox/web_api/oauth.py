"""oauth.v2.access, auth.revoke and apps.uninstall."""

import base64
import time

from bot.sandbox import grants
from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.events import Events
from bot.sandbox.founding import APP_ID, BOB, BOT_USER
from bot.sandbox.records import Grant, Json, TeamId
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method


async def access(core: Core, args: Arguments) -> Json:
    """Trade a code for a token, or a refresh token for a new pair."""
    _check_client(core, args)
    if args.optional_text("grant_type") == "refresh_token":
        return _renewed(core, args.text("refresh_token"))
    code = core.codes.pop(args.text("code"), None)
    if code is None or code.expires < time.time():
        raise SlackError("invalid_code")
    if args.optional_text("redirect_uri") not in (None, code.redirect_uri):
        raise SlackError("bad_redirect_uri")
    owner = grants.home(code.core) if code.is_org_wide else code.core
    grant = grants.new(owner, _reached(owner) if code.is_org_wide else None)
    await owner.workspace.commit()
    return _granted(owner, grant)


async def revoke(core: Core, args: Arguments) -> Json:
    """Let the app's tokens work no more, with which it is gone. Slack's own takes the one that asks."""
    if not args.flag("test"):
        taken_away(core, of_all=args.grant is not None and args.grant.teams is not None)
    return {"revoked": not args.flag("test")}


async def uninstall(core: Core, args: Arguments) -> Json:
    """Take the app out of the workspace."""
    _check_client(core, args)
    taken_away(core)
    return {}


def taken_away(core: Core, *, of_all: bool = False) -> None:
    """No token works any more, and the app is told both that and that it is gone, as Slack does.

    `of_all` is for those of the workspace's organisation, and otherwise they are its own.
    """
    if grants.of_organisation(core) if of_all else grants.has_its_own(core):
        grants.end(grants.home(core) if of_all else core, of_all=of_all)
        Events(core).app_is_gone(of_all=of_all)


def _reached(core: Core) -> tuple[TeamId, ...]:
    """An organisation that installs it again goes on with the workspaces that it had."""
    return next((one.teams for one in reversed(grants.of_organisation(core)) if one.teams), ())


def _renewed(core: Core, refresh: str) -> Json:
    for one in core.everywhere:
        if any(grant.refresh == refresh and not grant.gone for grant in one.workspace.grants.values()):
            return _granted(one, grants.renew(one, refresh))
    raise SlackError("invalid_refresh_token")


def _granted(core: Core, grant: Grant) -> Json:
    team = core.workspace.team
    rotating: Json = {}
    if grant.expires is not None:
        rotating = {"refresh_token": grant.refresh, "expires_in": round(grant.expires - time.time())}
    return {
        "app_id": APP_ID,
        "authed_user": {"id": BOB},
        "scope": ",".join(sorted(core.options.scopes)),
        "token_type": "bot",
        "access_token": grant.id,
        "bot_user_id": BOT_USER,
        "team": {"id": team.id, "name": team.name} if grant.teams is None else None,
        "enterprise": {"id": team.enterprise_id, "name": "Grid"} if team.enterprise_id else None,
        "is_enterprise_install": grant.teams is not None,
        **rotating,
    }


def _check_client(core: Core, args: Arguments) -> None:
    if args.optional_text("client_id") != core.options.client_id:
        raise SlackError("invalid_client_id")
    if args.optional_text("client_secret") != core.options.client_secret:
        raise SlackError("bad_client_secret")


def basic(header: str) -> Json:
    """The client's id and secret, where they came as HTTP's own kind of password."""
    try:
        id, _, secret = base64.b64decode(header.removeprefix("Basic ")).decode().partition(":")
    except ValueError:
        return {}
    return {"client_id": id, "client_secret": secret}


METHODS = {
    "oauth.v2.access": Method(run=access, token=""),
    "auth.revoke": Method(run=revoke),
    "apps.uninstall": Method(run=uninstall),
}
