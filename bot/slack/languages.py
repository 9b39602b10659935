"""Which language a person reads, as Slack says it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from slack_bolt.response import BoltResponse

from bot.approvals.ids import UserId
from bot.approvals.words import Language, speak, spoken_in_public
from bot.slack.text import is_user_id


class Languages(Protocol):
    """Knows what people read."""

    async def language(self, user: UserId) -> Language | None:
        """The person's; None where that is not known just now, or is none of the bot's. Never raises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """Bolt's middleware by which whoever sent a payload is answered in their own language.

    What several people see is in the language of where this was made: several workspaces may have one way in.
    """

    languages: Languages
    public: Language = field(default_factory=spoken_in_public)

    async def enter(self, body: dict[str, Any], next: Callable[[], Awaitable[BoltResponse]]) -> BoltResponse:
        """Speak it for as long as this payload is worked on."""
        by = sender(body)
        own = await self.languages.language(by) if by else None
        speak(own, public=self.public)  # not within a block: Bolt goes on after us
        return await next()


def sender(payload: Mapping[str, Any]) -> UserId | None:
    """Who sent it, whatever kind it is; None for what nobody did."""
    match payload:
        case {"event": {"user": str(by)}} | {"user": {"id": str(by)}} | {"user_id": str(by)}:
            return UserId(by) if is_user_id(by) else None
        case _:
            return None
