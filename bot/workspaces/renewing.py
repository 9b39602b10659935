"""Token rotation: bot tokens that expire are renewed before they do, by one process at a time."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.oauth.installation_store.models.bot import Bot

from bot.approvals.ports import Clock
from bot.oauth_settings import OAuthSettings
from bot.slack.refusals import name_of
from bot.store.cancelling import to_the_end
from bot.store.installations import Installations, place_of
from bot.workspaces.trading import traded

BEFORE: Final = timedelta(hours=2)
"""How long before it expires a token is renewed; Slack's are good for 12 hours. What goes wrong has the time
in between to be mended, in which the old token works."""

LEASE: Final = timedelta(seconds=60)
"""How long others leave it to the one that began; longer than a request to Slack may take."""

NO_MORE: Final = frozenset({"invalid_refresh_token", "invalid_grant", "token_revoked", "account_inactive"})
"""Errors after which only a new installation helps."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewing:
    """Renews what is due."""

    settings: OAuthSettings
    api_url: str
    installations: Installations
    now: Clock
    used_up: dict[str, float] = field(default_factory=dict)
    """The workspaces whose tokens cannot be renewed any more, with when they installed the bot: another
    installation is another matter."""

    async def problem(self) -> str | None:
        """Which workspaces have to install the bot again, before their tokens expire; None if none."""
        return f"install again in {', '.join(sorted(self.used_up))}" if self.used_up else None

    async def renew(self) -> int:
        """Renew every token that is due and that nobody else renews; how many were. One stands for itself."""
        every = await self.installations.everywhere()
        present = {place_of(bot): bot.installed_at for bot in every}
        for place, installed_at in tuple(self.used_up.items()):
            if present.get(place) != installed_at:
                del self.used_up[place]
        due = [bot for bot in every if self._is_due(bot)]
        return sum([await to_the_end(self._renewed(bot)) for bot in due])

    async def _renewed(self, bot: Bot) -> bool:
        now = self.now()
        if not await self.installations.take_to_renew(bot, now=now, until=now + LEASE):
            return False
        # Read again: another process may have renewed it since it was found due, with the refresh token that
        # is used up now.
        found = await self.installations.async_find_bot(enterprise_id=bot.enterprise_id, team_id=bot.team_id)
        if found is None or not self._is_due(found):
            await self.installations.give_back(bot)
            return False
        try:
            what = {"grant_type": "refresh_token", "refresh_token": found.bot_refresh_token}
            answer = await traded(self.settings, self.api_url, **what)
        except SlackApiError as error:
            log.error("token_not_renewed", team=place_of(bot), error=name_of(error))  # noqa: TRY400 - its text holds what was sent
            if name_of(error) in NO_MORE:
                self.used_up[place_of(bot)] = bot.installed_at
            return False
        except (SlackClientError, ClientError, OSError, TimeoutError) as error:
            log.warning("token_not_renewed", team=place_of(bot), error=type(error).__name__)
            return False
        kept = await self.installations.put_renewed(_with(found, answer, now))
        log.info("token_renewed", team=place_of(bot), kept=kept)
        return kept

    def _is_due(self, bot: Bot) -> bool:
        at = bot.bot_token_expires_at
        return bool(bot.bot_refresh_token) and at is not None and at <= (self.now() + BEFORE).timestamp()


def _with(bot: Bot, answer: Mapping[str, Any], now: datetime) -> Bot:
    renewed = copy(bot)
    renewed.bot_token = str(answer["access_token"])
    renewed.bot_refresh_token = str(answer["refresh_token"])
    renewed.bot_token_expires_at = int(now.timestamp()) + int(answer["expires_in"])
    return renewed
