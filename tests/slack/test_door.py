"""What is let in at the door: payloads that are for this app and say of which workspace they are."""

import json
from typing import Any

import pytest
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.ids import UserId
from bot.slack.app import Identity, bolt_app
from bot.slack.door import of_this_app

APP = "A0AGENT"
CLICK = {"type": "block_actions", "api_app_id": APP, "team": {"id": "T1"}, "enterprise": None}
COMMAND = {"command": "/agent", "api_app_id": APP, "team_id": "T1"}
OF_AN_ORGANISATION = CLICK | {"team": None, "enterprise": {"id": "E1"}, "is_enterprise_install": True}
EVENT = {"type": "event_callback", "api_app_id": APP, "team_id": "T1", "event": {"type": "message"}}


@pytest.mark.parametrize("payload", [CLICK, COMMAND, OF_AN_ORGANISATION, EVENT])
def test_what_is_meant_for_this_app_comes_in(payload: dict[str, Any]) -> None:
    assert of_this_app(payload, APP)


@pytest.mark.parametrize("payload", [CLICK, COMMAND, OF_AN_ORGANISATION, EVENT])
@pytest.mark.parametrize("app", ["A0OTHER", "", None, 7, [APP], {"id": APP}])
def test_what_another_app_was_sent_stays_outside(payload: dict[str, Any], app: object) -> None:
    assert not of_this_app(payload | {"api_app_id": app}, APP)


@pytest.mark.parametrize("payload", [CLICK, COMMAND, EVENT])
@pytest.mark.parametrize("nowhere", [None, "", 7, [], {}, {"id": ""}, {"id": 7}])
def test_what_is_of_no_workspace_stays_outside(payload: dict[str, Any], nowhere: object) -> None:
    name = "team" if "team" in payload else "team_id"
    assert not of_this_app(payload | {name: nowhere}, APP), name


class Nobody:
    """Is asked what people read."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def language(self, user: UserId) -> None:
        self.asked.append(user)


@pytest.mark.parametrize(("app", "asked"), [("A0OTHER", []), (APP, ["U0BOB"])])
async def test_nobody_is_looked_up_for_what_stays_outside(app: str, asked: list[str]) -> None:
    languages = Nobody()
    who = Identity(
        team="T1", enterprise=None, bot_user=UserId("U0"), bot_id="B1", app=APP, url="", scopes=frozenset()
    )
    bolt = bolt_app(AsyncWebClient("xoxb-1"), who, [], languages)
    body = {"command": "/agent", "api_app_id": app, "team_id": "T1", "user_id": "U0BOB"}
    answer = await bolt.async_dispatch(AsyncBoltRequest(body=json.dumps(body), mode="socket_mode"))
    assert (answer.status, languages.asked) == (200, asked)
