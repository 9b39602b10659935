"""The payloads of interactions and commands, in Slack's shape."""

import time

from bot.sandbox import response_urls
from bot.sandbox.answers import chosen, one_option, overlaid
from bot.sandbox.blocks.walk import elements_of
from bot.sandbox.core import Core
from bot.sandbox.founding import APP_ID
from bot.sandbox.grants import speaks_for_all
from bot.sandbox.modals import VALUE_NAMES
from bot.sandbox.records import Account, Channel, Json, Message, View
from bot.sandbox.slack_objects import message_object, view_object


def click_in_message(
    core: Core, account: Account, message: Message, element: tuple[Json, Json], *, given: Json, state: Json
) -> Json:
    """block_actions for an element of a message; an ephemeral message is not part of its payload."""
    channel = core.workspace.channels[message.channel]
    container: Json = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": channel.id,
        "is_ephemeral": message.seen_by is not None,
    }
    if message.thread_ts:
        container["thread_ts"] = message.thread_ts
    payload = _start(core, account, "block_actions") | {
        "trigger_id": core.triggers.issue(account.id),
        "container": container,
        "channel": {"id": channel.id, "name": _channel_name(channel)},
        "state": {"values": overlaid(message.blocks or [], {}, state | _own_state(element, given, state))},
        "response_url": response_urls.issue(core, account.id, channel.id, message.ts),
        "actions": [_action(element, given)],
    }
    if message.seen_by is None:
        payload["message"] = message_object(message, core.workspace, with_metadata=True)
    return payload


def click_in_view(core: Core, account: Account, view: View, element: tuple[Json, Json], given: Json) -> Json:
    """block_actions for an element of a modal or of Home; `view` already holds the new values."""
    return _start(core, account, "block_actions") | {
        "trigger_id": core.triggers.issue(account.id, None if view.is_home else view.id),
        "container": {"type": "view", "view_id": view.id},
        "view": view_object(view, core),
        "actions": [_action(element, given)],
    }


def message_action(core: Core, account: Account, message: Message, callback_id: str) -> Json:
    """message_action: a shortcut of the app that was chosen in a message's menu."""
    channel = core.workspace.channels[message.channel]
    return _start(core, account, "message_action") | {
        "callback_id": callback_id,
        "trigger_id": core.triggers.issue(account.id),
        "action_ts": f"{time.time():.6f}",
        "channel": {"id": channel.id, "name": _channel_name(channel)},
        "message_ts": message.ts,
        "message": message_object(message, core.workspace, with_metadata=True),
        "response_url": response_urls.issue(core, account.id, channel.id, message.ts),
    }


def submission(core: Core, account: Account, view: View) -> Json:
    """view_submission."""
    return _start(core, account, "view_submission") | {
        "trigger_id": core.triggers.issue(account.id, view.id),
        "view": view_object(view, core),
        "response_urls": _response_urls(core, account, view),
    }


def closing(core: Core, account: Account, view: View, *, cleared: bool) -> Json:
    """view_closed; `cleared` when the whole stack went."""
    shown = view_object(view, core)
    return _start(core, account, "view_closed") | {"view": shown, "is_cleared": cleared}


def command(core: Core, account: Account, channel: Channel, name: str, text: str) -> Json:
    """The form of a slash command."""
    grid = (
        {"enterprise_id": account.enterprise_id, "enterprise_name": "Grid"} if account.enterprise_id else {}
    )
    return grid | {
        "token": "sandbox",
        "team_id": account.team_id,
        "team_domain": _domain(core, account),
        "channel_id": channel.id,
        "channel_name": _channel_name(channel),
        "user_id": account.id,
        "user_name": account.name,
        "command": name,
        "text": text,
        "api_app_id": APP_ID,
        "is_enterprise_install": "true" if speaks_for_all(core) else "false",
        "response_url": response_urls.issue(core, account.id, channel.id),
        "trigger_id": core.triggers.issue(account.id),
    }


def _start(core: Core, account: Account, kind: str) -> Json:
    is_for_all = speaks_for_all(core)
    team = {"id": account.team_id, "domain": _domain(core, account)}
    enterprise = core.workspace.team.enterprise_id if is_for_all else account.enterprise_id
    return {
        "type": kind,
        "user": {
            "id": account.id,
            "username": account.name,
            "name": account.name,
            "team_id": account.team_id,
        },
        "api_app_id": APP_ID,
        "token": "sandbox",
        "team": None if is_for_all else team,
        "enterprise": {"id": enterprise, "name": "Grid"} if enterprise else None,
        "is_enterprise_install": is_for_all,
    }


def _domain(core: Core, account: Account) -> str:
    team = core.workspace.team
    return team.domain if account.team_id == team.id else "elsewhere"


def _response_urls(core: Core, account: Account, view: View) -> list[Json]:
    """An address for each conversation that was chosen in an element that asks for one."""
    found: list[Json] = []
    for block, element in elements_of(view.body["blocks"]):
        place = {"block_id": block["block_id"], "action_id": element["action_id"]}
        state = view.values.get(place["block_id"], {}).get(place["action_id"], {})
        channel = state.get("selected_conversation") or state.get("selected_channel")
        if element.get("response_url_enabled") and channel in core.workspace.channels:
            url = response_urls.issue(core, account.id, channel)
            found.append({**place, "channel_id": channel, "response_url": url})
    return found


def _own_state(element: tuple[Json, Json], given: Json, state: Json) -> Json:
    block, inner = element
    if inner["type"] not in VALUE_NAMES:
        return {}
    return {block["block_id"]: state.get(block["block_id"], {}) | {inner["action_id"]: given}}


def _action(element: tuple[Json, Json], given: Json) -> Json:
    block, inner = element
    action: Json = {
        "type": inner["type"],
        "action_id": inner["action_id"],
        "block_id": block["block_id"],
        "action_ts": f"{time.time():.6f}",
    }
    match inner["type"]:
        case "button" | "icon_button":
            kept = {name: inner[name] for name in ("text", "value", "style") if name in inner}
            return action | kept
        case "overflow":
            return action | {"selected_option": one_option(inner, given.get("selected_option"))}
        case "feedback_buttons":
            positive, negative = inner["positive_button"], inner["negative_button"]
            picked = negative if given.get("value") == negative.get("value") else positive
            return action | {"text": picked["text"], "value": picked.get("value")}
        case _:
            return action | chosen(inner, given)


def _channel_name(channel: Channel) -> str:
    if channel.is_im:
        return "directmessage"
    return channel.name
