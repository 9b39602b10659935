"""What Slack's errors mean for a message of ours, by their names in the Web API's reference."""

from enum import Enum, auto
from typing import Final

from slack_sdk.errors import SlackApiError

from bot.approvals.errors import TryLater

PAUSE: Final = 60.0
"""Seconds to wait when the token, a scope or the channel is refused: only a person can mend that."""

RATE_LIMIT_PAUSE: Final = 1.0
"""Seconds to wait on a rate limit that does not say how long."""


class Meaning(Enum):
    """What to do about an error."""

    WAIT = auto()
    """Try again later; the error says when, or a person has to mend the app first."""
    NO_CHANNEL = auto()
    """Nothing can be posted or changed there."""
    NO_MESSAGE = auto()
    """The message cannot be changed any more: post a new one."""
    TOO_MUCH = auto()
    """The blocks are not taken: say it more plainly."""
    UNKNOWN = auto()
    """Try again, a few times."""


_MEANINGS: Final = {
    Meaning.WAIT: (
        "ratelimited invalid_auth not_authed account_inactive token_revoked token_expired missing_scope "
        "no_permission app_uninstalled"
    ),
    Meaning.NO_CHANNEL: (
        "channel_not_found not_in_channel is_archived restricted_action messages_tab_disabled "
        "thread_not_found cannot_reply_to_message restricted_action_read_only_channel user_not_found "
        "user_disabled cannot_dm_bot team_access_not_granted"
    ),
    Meaning.NO_MESSAGE: "message_not_found cant_update_message edit_window_closed is_inactive",
    Meaning.TOO_MUCH: "invalid_blocks invalid_blocks_format msg_blocks_too_long msg_too_long",
}
_BY_NAME: Final = {name: meaning for meaning, names in _MEANINGS.items() for name in names.split()}


def name_of(error: SlackApiError) -> str:
    """The error's name, e.g. `not_in_channel`; `http_503` where the answer is no JSON at all."""
    data = getattr(error.response, "data", error.response)
    if isinstance(data, dict):
        return str(data.get("error", "unknown_error"))
    return f"http_{error.response.status_code}"


def meaning_of(error: SlackApiError) -> Meaning:
    """What to do about it."""
    if error.response.status_code == 429:  # noqa: PLR2004 - HTTP's Too Many Requests
        return Meaning.WAIT
    return _BY_NAME.get(name_of(error), Meaning.UNKNOWN)


def is_about_blocks(error: SlackApiError) -> bool:
    """Whether it is the kind of a block that is not taken, and not how much there is of it."""
    return name_of(error) in {"invalid_blocks", "invalid_blocks_format"}


def later(error: SlackApiError) -> TryLater:
    """When to come back: what Slack says, or a pause."""
    name = name_of(error)
    if said := error.response.headers.get("Retry-After"):
        return TryLater(float(said), name)
    return TryLater(RATE_LIMIT_PAUSE, name) if name == "ratelimited" else pause(error)


def pause(error: SlackApiError) -> TryLater:
    """To come back once a person may have mended it."""
    return TryLater(PAUSE, name_of(error))
