"""Slack's payloads as small values. Only identity and place are believed; the rest is looked up in our rows.

Anything that is not what Slack documents becomes `Malformed`, with the reason; nothing here raises.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.approvals.ids import ChannelId, Ts, UserId
from bot.slack.speech import spoken
from bot.slack.text import is_user_id
from bot.slack.wellformed import well_formed

__all__ = ["Click", "Command", "Heard", "Malformed", "Submission", "click", "command", "heard", "submission"]
__all__ += ["well_formed"]

LONGEST_TEXT: Final = 5 * 40_000
"""Characters of one message or command in Slack's notation, which writes an `&` in five: what is too long for
the agent is refused with a sentence, and not unheard."""
_CHANNEL: Final = re.compile(r"[CDG][A-Z0-9]{1,30}")
_TS: Final = re.compile(r"[0-9]{1,12}\.[0-9]{1,9}")
_SPOKEN: Final = frozenset({None, "file_share", "thread_broadcast"})
"""Kinds of message that a person writes; the others are edits, deletions, joins and bots."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A payload that is not what Slack documents, and what is wrong with it."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """A press of a button."""

    verb: str
    value: str
    """The opaque id that the button carries, or of the option that was chosen; empty for one without."""
    by: UserId
    team: str = ""
    """The person's own workspace, as Slack says it; an outsider's is not ours."""
    organisation: str = ""
    """The Enterprise Grid organisation, if there is one."""
    channel: ChannelId | None = None
    """None inside a view."""
    message_ts: Ts | None = None
    thread_ts: Ts | None = None
    is_broadcast: bool = False
    """The message stands in its thread and in the channel."""
    view_id: str = ""
    is_home: bool = False
    """The view is the person's Home tab, and no form."""
    private_metadata: str = ""
    trigger_id: str = ""
    response_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A form that was sent."""

    callback_id: str
    private_metadata: str
    values: Mapping[str, object]
    """The form's state: by `block_id`, then by `action_id`."""
    by: UserId
    team: str = ""
    organisation: str = ""
    view_id: str = ""
    trigger_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A slash command."""

    text: str
    by: UserId
    channel: ChannelId
    team: str = ""
    trigger_id: str = ""
    response_url: str = ""

    @property
    def id(self) -> str:
        """What makes it the same command when it is delivered twice."""
        return f"command/{self.trigger_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """Something a person said to the bot: a mention, or a direct message."""

    text: str
    """As people read it, without the bot's own mention; may be empty."""
    by: UserId
    channel: ChannelId
    ts: Ts
    thread_ts: Ts | None
    """The first message of its thread; None if it stands alone."""
    is_im: bool
    team: str = ""
    has_files: bool = False
    is_edited: bool = False
    """It was changed since: its author may have corrected it, or only now have mentioned the bot."""
    is_deleted: bool = False
    """It is gone since, and was a direct message: of others no event comes."""

    @property
    def id(self) -> str:
        """What makes it the same message when it is delivered twice, or as two events."""
        return f"{self.channel}/{self.ts}"


def click(payload: object) -> Click | Malformed:
    """The first action of a `block_actions` payload."""
    match payload:
        case {
            "type": "block_actions",
            "user": {"id": str(by)},
            "actions": [{"action_id": str(verb), **action}, *_],
            **rest,
        } if is_user_id(by):
            container, view = _get(rest, "container"), _get(rest, "view")
            value = action.get("value", _get(action.get("selected_option"), "value"))
            return Click(
                verb=verb,
                value=value if isinstance(value, str) else "",
                by=UserId(by),
                team=_team(payload),
                organisation=_organisation(payload),
                channel=_channel(_text(_get(rest, "channel"), "id") or _text(container, "channel_id")),
                message_ts=_ts(_text(container, "message_ts") or _text(_get(rest, "message"), "ts")),
                thread_ts=_ts(_text(container, "thread_ts") or _text(_get(rest, "message"), "thread_ts")),
                is_broadcast=_text(_get(rest, "message"), "subtype") == "thread_broadcast",
                view_id=_text(view, "id"),
                is_home=_text(view, "type") == "home",
                private_metadata=_text(view, "private_metadata"),
                trigger_id=_text(rest, "trigger_id"),
                response_url=_text(rest, "response_url"),
            )
        case _:
            return Malformed("not a click: a user, an action or its id is missing or odd")


def submission(payload: object) -> Submission | Malformed:
    """A `view_submission` payload."""
    match payload:
        case {
            "type": "view_submission",
            "user": {"id": str(by)},
            "view": {"callback_id": str(callback_id), "state": {"values": dict(values)}, **view},
            **rest,
        } if is_user_id(by):
            return Submission(
                callback_id=callback_id,
                private_metadata=_text(view, "private_metadata"),
                values=values,
                by=UserId(by),
                team=_team(payload),
                organisation=_organisation(payload),
                view_id=_text(view, "id"),
                trigger_id=_text(rest, "trigger_id"),
            )
        case _:
            return Malformed("not a form: a user, the form's name or its values are missing or odd")


def command(payload: object) -> Command | Malformed:
    """A slash command's payload."""
    match payload:
        case {
            "command": str(),
            "user_id": str(by),
            "channel_id": str(place),
            "trigger_id": str(trigger),
            **rest,
        }:
            channel, text = _channel(place), rest.get("text", "")
            if not is_user_id(by) or channel is None or not trigger:
                return Malformed("not a command: the user, the channel or the trigger is odd")
            if not isinstance(text, str) or len(text) > LONGEST_TEXT:
                return Malformed("not a command: its text is missing, odd or too long")
            return Command(
                text=spoken(text),
                by=UserId(by),
                channel=channel,
                team=_text(rest, "team_id"),
                trigger_id=trigger,
                response_url=_text(rest, "response_url"),
            )
        case _:
            return Malformed("not a command: the user, the channel or the trigger is missing or odd")


def heard(payload: object, *, bot: UserId) -> Heard | Malformed | None:
    """What a person says to the bot in an `event_callback`; None for what is not meant for it.

    Not meant for it are bots (itself among them), joins, and messages in channels that do not mention it:
    those that do come as `app_mention`, once more when they are edited. A direct message that was edited or
    deleted stands inside of its event.
    """
    match payload:
        case {
            "type": "event_callback",
            "event": {"type": "message", "subtype": ("message_changed" | "message_deleted") as what, **event},
        }:
            team = _text(payload, "team_id")
            return _heard_since(event, bot=bot, team=team, is_deleted=what == "message_deleted")
        case {"type": "event_callback", "event": {"type": ("app_mention" | "message") as kind, **event}}:
            is_im = _is_im(event)
            if not _is_said_by_a_person(event, bot) or (kind == "message" and not is_im):
                return None
            if kind == "message" and _get(event, "edited"):
                return None
            return _heard(event, bot=bot, is_im=is_im, team=_text(payload, "team_id"))
        case {"type": "event_callback", "event": {"type": str()}}:
            return None
        case _:
            return Malformed("not an event: its kind is missing or odd")


def _heard_since(event: object, *, bot: UserId, team: str, is_deleted: bool) -> Heard | Malformed | None:
    """A direct message as it is since it was edited, or as it was when it was deleted."""
    before = _get(event, "previous_message")
    now = before if is_deleted else _get(event, "message")
    is_other = is_deleted or (_get(now, "edited") and _text(now, "text") != _text(before, "text"))
    if not (is_other and isinstance(now, dict) and _is_im(event) and _is_said_by_a_person(now, bot)):
        return None
    said = {**now, "channel": _get(event, "channel")}
    return _heard(said, bot=bot, is_im=True, team=team, is_deleted=is_deleted)


def _is_said_by_a_person(event: object, bot: UserId) -> bool:
    subtype = _get(event, "subtype")
    by_a_bot = (
        _get(event, "bot_id") or _get(event, "bot_profile") or _get(event, "user") in (bot, "USLACKBOT")
    )
    kind = subtype if isinstance(subtype, str | None) else ""
    return kind in _SPOKEN and not by_a_bot and not _get(event, "hidden")


def _is_im(event: object) -> bool:
    return _get(event, "channel_type") == "im" or _text(event, "channel").startswith("D")


def _heard(
    event: object, *, bot: UserId, is_im: bool, team: str, is_deleted: bool = False
) -> Heard | Malformed:
    match event:
        case {"user": str(by), "channel": str(place), "ts": str(at), "text": str(text)} if is_user_id(by):
            channel, ts = _channel(place), _ts(at)
            if channel is None or ts is None or len(text) > LONGEST_TEXT:
                return Malformed("not a message: its channel or time is odd, or its text too long")
            return Heard(
                text=spoken(text, without=bot),
                by=UserId(by),
                channel=channel,
                ts=ts,
                thread_ts=_ts(_text(event, "thread_ts")),
                is_im=is_im,
                team=_text(event, "user_team") or _text(event, "team") or team,
                has_files=bool(_get(event, "files")),
                is_edited=bool(_get(event, "edited")),
                is_deleted=is_deleted,
            )
        case _:
            return Malformed("not a message: its user, channel, time or text is missing or odd")


def _get(payload: object, name: str) -> object:
    return payload.get(name) if isinstance(payload, Mapping) else None


def _text(payload: object, name: str) -> str:
    text = _get(payload, name)
    return text if isinstance(text, str) else ""


def _team(payload: object) -> str:
    return _text(_get(payload, "user"), "team_id") or _text(_get(payload, "team"), "id")


def _organisation(payload: object) -> str:
    return _text(_get(payload, "enterprise"), "id") or _text(payload, "enterprise_id")


def _channel(text: str) -> ChannelId | None:
    return ChannelId(text) if _CHANNEL.fullmatch(text) else None


def _ts(text: str) -> Ts | None:
    return Ts(text) if _TS.fullmatch(text) else None
