"""Whom a payload is for: a workspace's installation or the organisation's, as Slack says it of each kind."""

from typing import Any

import pytest
from slack_bolt.async_app import AsyncBoltRequest

from bot.workspaces.router import Lack, Router, organisations_of, places_of

Payload = dict[str, Any]
GRID = {"id": "E0GRID", "name": "Grid"}


def event(kind: str = "app_mention", **outside: Any) -> Payload:  # noqa: ANN401 - parts of a payload
    return {"type": "event_callback", "event": {"type": kind}, **outside}


def entitled(team: str | None, *, is_for_all: bool, enterprise: str | None = "E0GRID") -> list[Payload]:
    return [{"enterprise_id": enterprise, "team_id": team, "is_enterprise_install": is_for_all}]


PRESS: Payload = {
    "type": "block_actions",
    "team": {"id": "T0ONE"},
    "enterprise": GRID,
    "user": {"id": "U0BOB", "team_id": "T0THEIRS"},
    "message": {"team": "T0POSTED"},
}
FORM: Payload = {"type": "view_submission", "user": PRESS["user"], "enterprise": GRID}
COMMAND: Payload = {"command": "/agent", "team_id": "T0ONE", "enterprise_id": "E0GRID"}

FOR: list[tuple[str, Payload, list[str]]] = [
    ("a workspace's event", event(team_id="T0ONE"), ["T0ONE"]),
    (
        "an event of a workspace in an organisation",
        event(team_id="T0X", authorizations=entitled("T0ONE", is_for_all=False)),
        ["T0ONE"],
    ),
    (
        "an event of the organisation's, which happened in a workspace",
        event(team_id="T0ONE", authorizations=entitled("T0ONE", is_for_all=True)),
        ["E0GRID"],
    ),
    (
        "one that names no workspace",
        event(team_id="T0ONE", authorizations=entitled(None, is_for_all=True)),
        ["E0GRID"],
    ),
    (
        "one from a channel that another organisation shares",
        event(
            team_id="T0X",
            enterprise_id="E0OTHER",
            authorizations=entitled("T0ONE", is_for_all=True),
        ),
        ["E0GRID"],
    ),
    (
        "one that says first for whom it is, and also for whom else",
        event(
            authorizations=entitled("T0ONE", is_for_all=False)
            + entitled(None, is_for_all=True, enterprise="E0OTHER")
        ),
        ["T0ONE"],
    ),
    (
        "workspaces were added",
        event("team_access_granted", team_id=None, enterprise_id="E0GRID"),
        ["E0GRID"],
    ),
    (
        "they were taken away, as Slack's reference shows it",
        event("team_access_revoked", team_id="T0ONE", authorizations=entitled("T0ONE", is_for_all=False)),
        ["E0GRID"],
    ),
    ("a press", PRESS, ["T0POSTED", "T0ONE", "T0THEIRS"]),
    ("a press of the organisation's", PRESS | {"is_enterprise_install": True}, ["E0GRID"]),
    (
        "one that names no workspace at all",
        PRESS | {"is_enterprise_install": True, "team": None, "message": None},
        ["E0GRID"],
    ),
    (
        "one that says so of an organisation that is not told",
        PRESS | {"is_enterprise_install": True, "enterprise": None},
        ["T0POSTED", "T0ONE", "T0THEIRS"],
    ),
    (
        "a press whose `authorizations` are somebody's own",
        PRESS | {"authorizations": entitled(None, is_for_all=True)},
        ["T0POSTED", "T0ONE", "T0THEIRS"],
    ),
    (
        "a form that the organisation's opened",
        FORM | {"view": {"app_installed_team_id": "E0GRID"}},
        ["E0GRID", "T0THEIRS"],
    ),
    (
        "a form that a workspace's opened",
        FORM | {"view": {"app_installed_team_id": "T0ONE"}},
        ["T0ONE", "T0THEIRS"],
    ),
    ("a shortcut without a message", FORM | {"type": "shortcut", "user": {"id": "U0BOB"}}, ["E0GRID"]),
    ("a command", COMMAND | {"is_enterprise_install": "false"}, ["T0ONE"]),
    ("a command of the organisation's", COMMAND | {"is_enterprise_install": "true"}, ["E0GRID"]),
    ("a command that says something else", COMMAND | {"is_enterprise_install": "yes"}, ["T0ONE"]),
    ("odd things", {"team": 5, "enterprise": ["E0GRID"], "team_id": "", "authorizations": [7]}, []),
    ("an odd event", event(authorizations=["E0GRID"], team_id="T0ONE"), []),
]


@pytest.mark.parametrize(("payload", "places"), [one[1:] for one in FOR], ids=[one[0] for one in FOR])
def test_a_payload_is_for_whom_slack_sends_it(payload: Payload, places: list[str]) -> None:
    assert list(places_of(payload)) == places


def test_every_organisation_that_is_named_is_known_for_whom_slack_sends_it_first() -> None:
    told = event(enterprise_id="E0OTHER", authorizations=entitled(None, is_for_all=True))
    assert organisations_of(told) == ["E0GRID", "E0OTHER"]


@pytest.mark.parametrize("kind", ["app_uninstalled", "tokens_revoked"])
async def test_whoever_is_named_where_it_is_uninstalled_is_looked_at(kind: str) -> None:
    """Slack's reference does not say what an organisation's looks like."""
    looked: list[str] = []

    async def gone(place: str) -> None:
        looked.append(place)

    async def lacking(_: str) -> Lack:
        raise AssertionError("it is nobody's to answer")

    router = Router({}, lacking=lacking, gone=gone, reached=gone, api_url="https://slack.com/api/")
    request = AsyncBoltRequest(mode="socket_mode", body=event(kind, team_id="T0ONE", enterprise_id="E0GRID"))
    assert (await router.async_dispatch(request)).status == 200
    assert looked == ["T0ONE", "E0GRID"]
