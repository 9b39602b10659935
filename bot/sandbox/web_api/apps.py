"""apps.manifest.export: how the app is set up, for whoever has a token for that."""

from dataclasses import asdict

from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.founding import APP_ID
from bot.sandbox.records import Json
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method


async def export(core: Core, args: Arguments) -> Json:
    """The app's manifest."""
    if args.text("app_id") != APP_ID:
        raise SlackError("app_not_found")
    return {"manifest": manifest(core) | core.options.manifest}


def manifest(core: Core) -> Json:
    """As it is without anything set otherwise."""
    options = core.options
    url = {"request_url": options.request_url} if options.request_url else {}
    commands = [asdict(one) | ({"url": options.request_url} if url else {}) for one in options.commands]
    return {
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "slash_commands": commands,
            "shortcuts": [asdict(one) | {"type": "message"} for one in options.shortcuts],
        },
        "oauth_config": {
            "redirect_urls": list(options.redirect_uris),
            "scopes": {"bot": sorted(options.scopes)},
        },
        "settings": {
            "event_subscriptions": {"bot_events": sorted(options.events), **url},
            "interactivity": {"is_enabled": True, **url},
            "org_deploy_enabled": True,
            "socket_mode_enabled": options.request_url is None,
            "token_rotation_enabled": options.token_lifetime is not None,
        },
    }


METHODS = {"apps.manifest.export": Method(run=export, token="xoxe.xoxp")}  # noqa: S106 - a prefix
