"""`manifest.yml` asks for exactly what the code uses: scopes, events, the command."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import yaml  # type: ignore[import-untyped]  # its stubs are not worth a dependency
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.ids import UserId
from bot.sandbox.options import ASK_ABOUT, PROMPTS
from bot.slack import agent_view, verbs
from bot.slack.app import OPTIONAL_SCOPES, SCOPES, Identity, Listeners, bolt_app
from bot.slack.assistant_threads import AssistantThreads
from bot.slack.clicks import Clicks
from bot.slack.home_tabs import HomeTabs
from bot.slack.shortcuts import Shortcuts
from bot.slack.submissions import Submissions
from bot.slack.talk import Talk

ROOT = Path(__file__).parent.parent
MANIFEST: dict[str, Any] = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))

OF_METHOD: dict[str, set[str]] = {
    "apps_manifest_export": set(),  # an app configuration token
    "apps_connections_open": set(),  # the app-level token's connections:write
    "assistant_threads_setStatus": {"chat:write"},
    "assistant_threads_setSuggestedPrompts": {"assistant:write"},
    "assistant_threads_setTitle": {"assistant:write"},
    "auth_revoke": set(),
    "auth_teams_list": set(),
    "auth_test": set(),
    "bots_info": {"users:read"},
    "chat_postEphemeral": {"chat:write"},
    "chat_postMessage": {"chat:write"},
    "chat_update": {"chat:write"},
    "conversations_history": {"channels:history", "groups:history", "im:history"},
    "conversations_info": {"channels:read", "groups:read", "im:read"},
    "conversations_list": {"channels:read", "groups:read", "im:read"},
    "conversations_members": {"channels:read", "groups:read", "im:read"},
    "conversations_replies": {"channels:history", "groups:history", "im:history"},
    "files_upload_v2": {"files:write"},
    "usergroups_list": {"usergroups:read"},
    "users_conversations": {"channels:read", "groups:read"},
    "users_info": {"users:read"},
    "users_list": {"users:read"},
    "views_open": set(),
    "views_publish": set(),
    "views_push": set(),
    "views_update": set(),
}
"""By Web API method, as Slack's reference has it; of conversations.*, the kinds that the bot is in."""

OF_EVENT: dict[str, set[str]] = {
    "app_home_opened": set(),
    "app_mention": {"app_mentions:read"},
    "app_uninstalled": set(),
    "assistant_thread_context_changed": set(),
    "assistant_thread_started": set(),
    "message.im": {"im:history"},
    "team_access_granted": set(),
    "team_access_revoked": set(),
    "tokens_revoked": set(),
}
COMMANDS = {"commands"}


def _calls(*packages: str) -> Iterator[ast.Call]:
    for package in packages:
        for module in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    yield node


def _called_methods() -> set[str]:
    names = {call.func.attr for call in _calls("bot") if isinstance(call.func, ast.Attribute)}
    known = {name for name in vars(AsyncWebClient) if "_" in name and not name.startswith("_")}
    return names & known


def _registered(verb: str) -> set[str]:
    """The names in `app.event("…")`, `app.command("…")`."""
    return {
        call.args[0].value
        for call in _calls("bot/slack")
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == verb
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "app"
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


@pytest.fixture
def app() -> AsyncApp:
    """The app with all its listeners; registering them needs nothing that is behind them."""
    nothing = cast("Any", None)
    who = Identity(
        team="T1",
        enterprise=None,
        bot_user=UserId("U1"),
        bot_id="B1",
        app="A1",
        url="https://x/",
        scopes=SCOPES,
    )
    talk = Talk(steering=nothing, private=nothing, own=nothing, pending=nothing, bot=who.bot_user)
    homes = HomeTabs(
        store=nothing,
        jobs=nothing,
        client=nothing,
        inboxes=nothing,
        onlookers=nothing,
        workspace_url="",
        now=nothing,
    )
    clicks = Clicks(desk=nothing, steering=nothing, client=nothing, private=nothing, readers=nothing)
    shortcuts = Shortcuts(steering=nothing, client=nothing, private=nothing)
    threads = AssistantThreads(view=nothing)
    listeners: list[Listeners] = [
        talk,
        threads,
        homes,
        shortcuts,
        Submissions(desk=nothing, readers=nothing),
        clicks,
    ]
    return bolt_app(AsyncWebClient("xoxb-1"), who, listeners)


async def _taken(app: AsyncApp, payload: dict[str, Any]) -> bool:
    """Whether one of the app's listeners takes this payload."""
    request = AsyncBoltRequest(mode="socket_mode", body=payload)
    named = [one for one in app._async_listeners if one.ack_function.__name__ != "_taken"]
    for listener in named:
        if await listener.async_matches(req=request, resp=BoltResponse(status=404)):
            return True
    return False


def test_the_manifest_the_code_and_the_methods_ask_for_the_same_scopes() -> None:
    used = set().union(*(OF_METHOD[method] for method in _called_methods()), *OF_EVENT.values(), COMMANDS)
    assert used == SCOPES | OPTIONAL_SCOPES
    assert sorted(MANIFEST["oauth_config"]["scopes"]["bot"]) == sorted(used)
    assert "user" not in MANIFEST["oauth_config"]["scopes"]


def test_every_method_that_is_called_is_in_the_table_and_the_other_way_round() -> None:
    assert _called_methods() == set(OF_METHOD)


async def test_a_listener_takes_every_event_of_the_manifest(app: AsyncApp) -> None:
    events = MANIFEST["settings"]["event_subscriptions"]["bot_events"]
    assert set(events) == set(OF_EVENT)
    for name in events:
        kind, _, channel_type = name.partition(".")
        event = {"type": kind} | ({"channel_type": channel_type} if channel_type else {})
        assert await _taken(app, {"type": "event_callback", "event": event}), name
    assert not await _taken(app, {"type": "event_callback", "event": {"type": "reaction_added"}})


def test_no_line_of_the_log_has_two_names() -> None:
    """structlog calls the line itself its `event`: another one fails, and with it whoever wrote the line."""
    for call in _calls("bot"):
        assert isinstance(call.func, ast.Attribute)
        if isinstance(call.func.value, ast.Name) and call.func.value.id == "log":
            assert "event" not in {word.arg for word in call.keywords}, ast.unparse(call)


async def test_a_listener_takes_the_command_of_the_manifest(app: AsyncApp) -> None:
    commands = MANIFEST["features"]["slash_commands"]
    assert {command["command"] for command in commands} == _registered("command")
    for command in commands:
        assert command["should_escape"], "mentions arrive as ids"
        assert await _taken(app, {"command": command["command"], "text": "x"})
    assert not await _taken(app, {"command": "/other", "text": "x"})


async def test_a_listener_takes_the_shortcut_of_the_manifest(app: AsyncApp) -> None:
    [shortcut] = MANIFEST["features"]["shortcuts"]
    assert shortcut["type"] == "message"
    assert shortcut["callback_id"] == verbs.ASK_ABOUT
    assert len(shortcut["name"]) <= 24, "Slack takes no longer name"
    assert shortcut["name"] == ASK_ABOUT.name, "as the sandbox has it"
    payload = {"type": "message_action", "callback_id": shortcut["callback_id"]}
    assert await _taken(app, payload)
    assert not await _taken(app, payload | {"callback_id": "other"})


def test_the_agent_view_is_described_and_its_prompts_are_those_of_the_sandbox() -> None:
    view = MANIFEST["features"]["agent_view"]
    assert len(view["agent_description"]) <= 300
    prompts = [(one["title"], one["message"]) for one in view["suggested_prompts"]]
    assert tuple(prompts) == PROMPTS == agent_view.PROMPTS
    assert len(prompts) <= 4, "Slack shows no more"


def test_nothing_is_listened_for_that_the_manifest_does_not_subscribe_to() -> None:
    subscribed = {
        name.partition(".")[0] for name in MANIFEST["settings"]["event_subscriptions"]["bot_events"]
    }
    assert _registered("event") == subscribed


def test_buttons_home_and_sockets_are_switched_on() -> None:
    assert MANIFEST["settings"]["interactivity"]["is_enabled"]
    assert MANIFEST["settings"]["socket_mode_enabled"]
    home = MANIFEST["features"]["app_home"]
    assert home["home_tab_enabled"]
    assert home["messages_tab_enabled"]
    assert not home["messages_tab_read_only_enabled"]
