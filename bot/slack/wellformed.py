"""Whether a payload has the shape that everything behind the door relies on, Bolt included.

Bolt opens a payload's parts without looking whether they are what they should be, and answers 500 when
they are not. Only the kinds of the parts are checked here; what they say is read in `payloads`.
"""

from collections.abc import Callable, Mapping
from typing import Final

_OBJECT: Final = (
    "event",
    "view",
    "message",
    "previous_message",
    "assistant_thread",
    "function_data",
    "container",
)
_OBJECT_OR_ID: Final = ("team", "user", "channel", "enterprise")
# fmt: off
_TEXT: Final = (
    "type", "subtype", "command", "channel_type",
    "team_id", "enterprise_id", "user_id", "user_team", "channel_id", "bot_id", "app_installed_team_id",
    "action_id", "block_id", "callback_id", "event_id", "trigger_id", "thread_ts",
    "response_url", "private_metadata",
)
# fmt: on
_OBJECTS: Final = ("authorizations", "actions", "response_urls")
_INSIDE: Final = ("event", "view", "message", "previous_message", "container")


def well_formed(payload: object) -> bool:
    """Whether each part that Slack's payloads have, where it is there, is of its kind."""
    try:
        return isinstance(payload, dict) and _has_a_kind(payload) and _is_sound(payload)
    except RecursionError:
        return False


def _has_a_kind(payload: Mapping[object, object]) -> bool:
    return any(isinstance(payload.get(name), str) for name in ("type", "command", "ssl_check"))


def _is_sound(payload: Mapping[object, object]) -> bool:
    return (
        all(_KINDS[name](part) for name, part in payload.items() if name in _KINDS)
        and payload.get("response_urls", []) is not None
        and all(
            _is_sound(part) for name, part in payload.items() if name in _INSIDE and isinstance(part, dict)
        )
        and _has_what_its_type_needs(payload)
    )


def _has_what_its_type_needs(payload: Mapping[object, object]) -> bool:
    match payload:
        case {"type": "block_actions", "actions": [{"action_id": str()}, *_], "user": {"id": str()}}:
            return True
        case {"type": "view_submission" | "view_closed", "view": {"type": str()}, "user": {"id": str()}}:
            return True
        case {"type": "event_callback", "event": {"type": str()}}:
            return True
        case {"type": "block_actions" | "view_submission" | "view_closed" | "event_callback"}:
            return False
        case {"command": str(), "text": text}:
            return isinstance(text, str)
        case _:
            return True


def _is_object_or_id(part: object) -> bool:
    if not isinstance(part, dict):
        return isinstance(part, str | None)
    return all(isinstance(part.get(name), str | None) for name in ("id", "team_id", "enterprise_id"))


def _are_objects(parts: object) -> bool:
    if parts is None:
        return True
    return isinstance(parts, list) and all(isinstance(part, dict) and _is_sound(part) for part in parts)


def _is_object(part: object) -> bool:
    return isinstance(part, dict | None)


def _is_text(part: object) -> bool:
    return isinstance(part, str | None)


_KINDS: Final[Mapping[object, Callable[[object], bool]]] = {
    **dict.fromkeys(_OBJECT, _is_object),
    **dict.fromkeys(_OBJECT_OR_ID, _is_object_or_id),
    **dict.fromkeys(_TEXT, _is_text),
    **dict.fromkeys(_OBJECTS, _are_objects),
}
"""By the name of a part, whether it is of its kind. Only what a payload has is looked at: it is small."""
