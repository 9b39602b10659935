"""In front of every listener: what is not of this app, or names no workspace, goes no further.

Slack signs what it sends to one app, so none of these comes from it in earnest. The rows and the directory
check the rest: who it is, and whether the button stands where it was pressed.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import structlog
from slack_bolt.async_app import AsyncAck
from slack_bolt.response import BoltResponse

from bot.approvals.words import phrase, say
from bot.slack.forms import message_form
from bot.slack.payloads import Click, click
from bot.slack.private import Private

TAKEN: Final = frozenset(
    {"block_actions", "event_callback", "message_action", "shortcut", "view_closed", "view_submission"}
)
"""The kinds of payload that somebody behind the door takes, besides commands."""

NOT_OURS: Final = phrase("This was not meant for this app or workspace, so nothing was done.")

log = structlog.get_logger()


def of_this_app(payload: Mapping[str, Any], app: str) -> bool:
    """Whether the payload says it is for this app, and of which workspace or organisation it is."""
    return payload.get("api_app_id") == app and bool(_places(payload))


def _places(payload: Mapping[str, Any]) -> list[str]:
    """The ids of the workspace and of the organisation, wherever this kind of payload has them."""
    told = [payload.get(name) for name in ("team", "team_id", "enterprise", "enterprise_id")]
    ids = [part.get("id") if isinstance(part, Mapping) else part for part in told]
    return [id for id in ids if isinstance(id, str) and id]


class Door:
    """Bolt's middleware that lets in what is meant for us, and tells the others."""

    def __init__(self, app: str, private: Private) -> None:
        self._app = app
        self._private = private

    async def enter(
        self, ack: AsyncAck, body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]
    ) -> BoltResponse:
        """Go on, or answer in the way that this kind of payload is answered."""
        if of_this_app(body, self._app):
            # Bolt would answer 404 to a kind that nobody takes, and write what it says into the log.
            return await (next() if "command" in body or body.get("type") in TAKEN else ack())
        log.warning("not_ours")
        match body:
            case {"command": _}:
                return await ack(text=say(NOT_OURS))
            case {"type": "view_submission"}:
                return await ack(response_action="update", view=message_form(say(NOT_OURS)))
            case {"type": "block_actions"} if isinstance(pressed := click(body), Click):
                answer = await ack()
                await self._private.tell(pressed, say(NOT_OURS))
                return answer
            case _:
                return await ack()
