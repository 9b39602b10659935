"""What `check` says of the app's manifest: each thing that is missing, and where to add it."""

from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # its stubs are not worth a dependency
from pydantic import SecretStr

from bot.checks import manifest as told
from bot.checks.finding import Finding, Verdict
from bot.checks.manifest import compared, manifest_findings
from bot.sandbox import Sandbox
from bot.settings import Mode, Settings
from bot.slack import verbs

ROOT = Path(__file__).parent.parent.parent
OURS: dict[str, Any] = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
SOCKET = Settings(_env_file=None, slack_app_token=SecretStr("xapp-1"))
HTTP = Settings(_env_file=None, slack_signing_secret=SecretStr("x"))
SEVERAL = SOCKET.model_copy(
    update={"slack_client_id": "1.2", "slack_redirect_uri": "https://x.org/slack/oauth_redirect"}
)
URL = "https://x.org/slack/events"


def ours(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - parts of a manifest
    """Our own manifest, with parts changed by their dotted names; None takes one away."""
    whole: dict[str, Any] = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    for name, value in changes.items():
        part, *path = whole, *name.split("__")
        for step in path[:-1]:
            part = part.setdefault(step, {})
        part[path[-1]] = value
    return whole


EVERY_EVENT = told.EVENTS | told.OPTIONAL_EVENTS | told.OF_ORGANISATIONS


def test_the_manifest_of_the_repository_is_complete() -> None:
    assert list(compared(ours(), SOCKET)) == []
    assert set(OURS["settings"]["event_subscriptions"]["bot_events"]) == EVERY_EVENT
    [command] = OURS["features"]["slash_commands"]
    assert command["command"] == told.COMMAND
    [shortcut] = OURS["features"]["shortcuts"]
    assert (shortcut["name"], shortcut["callback_id"]) == (told.SHORTCUT, verbs.ASK_ABOUT)


@pytest.mark.parametrize(
    ("teams", "told_of"),
    [("T0ONE,E0GRID", [told.ONE_BY_ONE]), ("T0ONE", []), ("any", [])],
)
def test_an_organisation_that_is_named_and_cannot_install_it_at_once_is_told_of(
    teams: str, told_of: list[str]
) -> None:
    settings = SEVERAL.model_copy(update={"slack_teams": teams})
    manifest = ours(
        settings__org_deploy_enabled=False, oauth_config__redirect_urls=[settings.slack_redirect_uri]
    )
    assert [*compared(manifest, settings)] == [Finding(Verdict.NOTE, sentence) for sentence in told_of]


def test_events_of_an_organisation_are_missed_only_where_several_install_it() -> None:
    events = sorted(EVERY_EVENT - {"team_access_granted"})
    manifest = ours(
        settings__event_subscriptions__bot_events=events,
        oauth_config__redirect_urls=[SEVERAL.slack_redirect_uri],
    )
    assert [*compared(manifest, SOCKET)] == []
    assert [*compared(manifest, SEVERAL)] == [
        Finding(Verdict.WARNING, told.ADD_OPTIONAL.format(name="team_access_granted"))
    ]


@pytest.mark.parametrize(
    ("changes", "verdict", "sentence"),
    [
        (
            {"settings__event_subscriptions__bot_events": sorted(EVERY_EVENT - {"app_mention"})},
            Verdict.WRONG,
            "The event app_mention is missing; add it under Event Subscriptions, Subscribe to bot events.",
        ),
        (
            {"settings__event_subscriptions__bot_events": sorted(EVERY_EVENT - {"assistant_thread_started"})},
            Verdict.WARNING,
            told.ADD_OPTIONAL.format(name="assistant_thread_started"),
        ),
        ({"features__slash_commands": []}, Verdict.WRONG, told.ADD_COMMAND),
        ({"features__slash_commands": None}, Verdict.WRONG, told.ADD_COMMAND),
        ({"features__slash_commands": [{"command": "/agent"}]}, Verdict.WRONG, told.ESCAPE),
        ({"features__shortcuts": []}, Verdict.WARNING, told.ADD_SHORTCUT),
        ({"features__app_home__home_tab_enabled": False}, Verdict.WARNING, told.NO_HOME),
        ({"features__app_home__messages_tab_enabled": False}, Verdict.WRONG, told.NO_MESSAGES),
        ({"features__app_home__messages_tab_read_only_enabled": True}, Verdict.WRONG, told.NO_MESSAGES),
        ({"settings__interactivity__is_enabled": False}, Verdict.WRONG, told.NO_BUTTONS),
        ({"settings__socket_mode_enabled": False}, Verdict.WRONG, told.NO_SOCKETS),
        ({"settings__token_rotation_enabled": True}, Verdict.WRONG, told.ROTATES),
    ],
)
def test_each_thing_that_is_missing_is_a_line_of_its_own(
    changes: dict[str, Any], verdict: Verdict, sentence: str
) -> None:
    assert list(compared(ours(**changes), SOCKET)) == [Finding(verdict, sentence)]


def test_an_empty_manifest_lacks_everything() -> None:
    assert [finding.sentence for finding in compared({}, SOCKET)] == [
        told.ADD_COMMAND,
        told.ADD_SHORTCUT,
        told.NO_HOME,
        told.NO_MESSAGES,
        *(told.ADD_EVENT.format(name=name) for name in sorted(told.EVENTS)),
        *(told.ADD_OPTIONAL.format(name=name) for name in sorted(told.OPTIONAL_EVENTS)),
        told.NO_BUTTONS,
        told.NO_SOCKETS,
    ]


def test_over_http_every_address_has_to_lead_here_and_socket_mode_is_off() -> None:
    found = [finding.sentence for finding in compared(ours(), HTTP)]
    places = ("Slash Commands, /agent", "Event Subscriptions", "Interactivity & Shortcuts")
    missing = [told.NO_ADDRESS.format(path="/slack/events", where=where) for where in places]
    assert found == [missing[0], told.SOCKETS, *missing[1:]]
    command = {"command": "/agent", "should_escape": True, "url": URL}
    whole = ours(
        features__slash_commands=[command],
        settings__event_subscriptions__request_url=URL,
        settings__interactivity__request_url=URL,
        settings__socket_mode_enabled=False,
    )
    assert HTTP.mode is Mode.HTTP
    assert list(compared(whole, HTTP)) == []


def test_for_several_workspaces_the_redirect_has_to_be_known_and_rotation_is_welcome() -> None:
    assert list(compared(ours(), SEVERAL)) == [Finding(Verdict.WRONG, told.NO_REDIRECT)]
    whole = ours(
        oauth_config__redirect_urls=["https://y.org", "https://x.org/slack"],
        settings__token_rotation_enabled=True,
    )
    assert list(compared(whole, SEVERAL)) == []


@pytest.mark.parametrize(
    ("token", "app", "verdict", "beginning"),
    [
        (None, "A0AGENT", Verdict.NOTE, told.NOT_LOOKED),
        ("xoxe.xoxp-sandbox-config", "A0AGENT", Verdict.OK, told.COMPLETE),
        ("xoxe.xoxp-other", "A0AGENT", Verdict.WRONG, "Slack refuses SLACK_CONFIG_TOKEN (invalid_auth)"),
        ("xoxe.xoxp-sandbox-config", "A0OTHER", Verdict.WRONG, "Slack refuses SLACK_CONFIG_TOKEN (app_not"),
    ],
)
async def test_slack_is_asked_for_the_manifest_with_a_token_for_that(
    token: str | None, app: str, verdict: Verdict, beginning: str
) -> None:
    async with Sandbox() as slack:
        settings = SOCKET.model_copy(
            update={"slack_api_url": slack.api_url, "slack_config_token": token and SecretStr(token)}
        )
        [finding] = await manifest_findings(settings, app)
    assert finding.verdict is verdict
    assert finding.sentence.startswith(beginning)


async def test_a_slack_that_is_away_is_no_missing_event() -> None:
    away = {"slack_api_url": "http://127.0.0.1:9/api/", "slack_config_token": SecretStr("xoxe.x")}
    [finding] = await manifest_findings(SOCKET.model_copy(update=away), "A0AGENT")
    assert finding.verdict is Verdict.UNKNOWN
