"""What only the app's manifest says: which events, command and shortcut are set up, and lead here."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.checks.finding import Finding, Verdict
from bot.settings import Mode, Settings
from bot.slack import verbs
from bot.slack.app import asking_client
from bot.slack.refusals import name_of

EVENTS: Final = frozenset(
    {"app_home_opened", "app_mention", "app_uninstalled", "message.im", "tokens_revoked"}
)
OPTIONAL_EVENTS: Final = frozenset({"assistant_thread_context_changed", "assistant_thread_started"})
"""What is only a courtesy: without them, Slack's older assistant offers no prompts."""
OF_ORGANISATIONS: Final = frozenset({"team_access_granted", "team_access_revoked"})
"""A courtesy too, where an organisation may install it: it hears at once which workspaces have it."""
COMMAND: Final = "/agent"
SHORTCUT: Final = "Ask the agent about this"
EVENTS_PATH: Final = "/slack/events"

NOT_LOOKED: Final = (
    "Events, the command and the shortcut stand only in the app's manifest: with SLACK_CONFIG_TOKEN, an app "
    "configuration token from api.slack.com/apps, this command compares them too."
)
COMPLETE: Final = "The app's manifest has every event, the command and the shortcut."
ADD_EVENT: Final = "The event {name} is missing; add it under Event Subscriptions, Subscribe to bot events."
ADD_OPTIONAL: Final = (
    "The event {name}, a courtesy, is missing; add it under Event Subscriptions, Subscribe to bot events."
)
ADD_COMMAND: Final = (
    f"The command {COMMAND} is missing; add it under Slash Commands, with escaped channels and users."
)
ESCAPE: Final = (
    f"The command {COMMAND} does not escape channels and users, so a person who is named in it is not known; "
    "switch it on under Slash Commands."
)
ADD_SHORTCUT: Final = (
    f"The message shortcut {SHORTCUT} is missing; add it under Interactivity & Shortcuts, on messages, with "
    f"the callback ID {verbs.ASK_ABOUT}."
)
NO_BUTTONS: Final = "Interactivity is off, so no button works; switch it on under Interactivity & Shortcuts."
NO_SOCKETS: Final = "Socket Mode is off, so nothing comes in; switch it on under Socket Mode."
SOCKETS: Final = "Socket Mode is on, so Slack sends nothing by HTTP; switch it off under Socket Mode."
NO_ADDRESS: Final = "There is no Request URL that ends in {path} under {where}."
NO_HOME: Final = "The Home tab is off; switch it on under App Home."
NO_MESSAGES: Final = (
    "Nobody can write to the bot: switch on the Messages Tab under App Home, and let people write there."
)
NO_REDIRECT: Final = (
    "SLACK_REDIRECT_URI is not among the Redirect URLs under OAuth & Permissions; add it there."
)
ONE_BY_ONE: Final = (
    "The workspaces of an organisation install the app one by one; for one installation for all of them, opt "
    "in under Org Level Apps."
)
ROTATES: Final = (
    "Token rotation is on, so SLACK_BOT_TOKEN works for 12 hours only; install by SLACK_CLIENT_ID instead, "
    "or make an app without it."
)


async def manifest_findings(settings: Settings, app: str) -> list[Finding]:
    """Ask Slack for the app's manifest, if there is a token for that, and compare it."""
    token = settings.slack_config_token
    if not token:
        return [Finding(Verdict.NOTE, NOT_LOOKED)]
    client = asking_client(token.get_secret_value(), settings.slack_api_url)
    try:
        manifest = (await client.apps_manifest_export(app_id=app))["manifest"]
    except SlackApiError as error:
        sentence = f"Slack refuses SLACK_CONFIG_TOKEN ({name_of(error)}); it is good for 12 hours."
        return [Finding(Verdict.WRONG, sentence)]
    except (SlackClientError, ClientError, OSError, TimeoutError) as error:
        return [Finding(Verdict.UNKNOWN, f"Slack gave no manifest of the app ({type(error).__name__}).")]
    return list(compared(manifest, settings)) or [Finding(Verdict.OK, COMPLETE)]


def compared(manifest: Mapping[str, Any], settings: Settings) -> Iterator[Finding]:
    """What is missing in it."""
    yield from _features(manifest.get("features") or {}, settings)
    yield from _events(manifest.get("settings") or {}, settings)
    if settings.is_for_several:
        redirects = (manifest.get("oauth_config") or {}).get("redirect_urls") or []
        if not any((settings.slack_redirect_uri or "").startswith(one) for one in redirects):
            yield Finding(Verdict.WRONG, NO_REDIRECT)
        names_one = any(id.startswith("E") for id in settings.teams or ())
        if names_one and not (manifest.get("settings") or {}).get("org_deploy_enabled"):
            yield Finding(Verdict.NOTE, ONE_BY_ONE)
    elif (manifest.get("settings") or {}).get("token_rotation_enabled"):
        yield Finding(Verdict.WRONG, ROTATES)


def _features(features: Mapping[str, Any], settings: Settings) -> Iterator[Finding]:
    commands = {one.get("command"): one for one in features.get("slash_commands") or []}
    if COMMAND not in commands:
        yield Finding(Verdict.WRONG, ADD_COMMAND)
    else:
        if not commands[COMMAND].get("should_escape"):
            yield Finding(Verdict.WRONG, ESCAPE)
        yield from _address(commands[COMMAND].get("url"), settings, f"Slash Commands, {COMMAND}")
    shortcuts = {one.get("callback_id") for one in features.get("shortcuts") or []}
    if verbs.ASK_ABOUT not in shortcuts:
        yield Finding(Verdict.WARNING, ADD_SHORTCUT)
    home = features.get("app_home") or {}
    if not home.get("home_tab_enabled"):
        yield Finding(Verdict.WARNING, NO_HOME)
    if not home.get("messages_tab_enabled") or home.get("messages_tab_read_only_enabled"):
        yield Finding(Verdict.WRONG, NO_MESSAGES)


def _events(told: Mapping[str, Any], settings: Settings) -> Iterator[Finding]:
    subscribed = told.get("event_subscriptions") or {}
    heard = set(subscribed.get("bot_events") or [])
    for name in sorted(EVENTS - heard):
        yield Finding(Verdict.WRONG, ADD_EVENT.format(name=name))
    optional = OPTIONAL_EVENTS | (OF_ORGANISATIONS if settings.is_for_several else frozenset())
    for name in sorted(optional - heard):
        yield Finding(Verdict.WARNING, ADD_OPTIONAL.format(name=name))
    interactivity = told.get("interactivity") or {}
    if not interactivity.get("is_enabled"):
        yield Finding(Verdict.WRONG, NO_BUTTONS)
    if bool(told.get("socket_mode_enabled")) is not (settings.mode is Mode.SOCKET):
        yield Finding(Verdict.WRONG, NO_SOCKETS if settings.mode is Mode.SOCKET else SOCKETS)
    yield from _address(subscribed.get("request_url"), settings, "Event Subscriptions")
    yield from _address(interactivity.get("request_url"), settings, "Interactivity & Shortcuts")


def _address(url: object, settings: Settings, where: str) -> Iterator[Finding]:
    if settings.mode is Mode.HTTP and not str(url or "").endswith(EVENTS_PATH):
        yield Finding(Verdict.WRONG, NO_ADDRESS.format(path=EVENTS_PATH, where=where))
