"""What the app was granted in a workspace: its tokens, until they expire, or it is uninstalled."""

import secrets
import time
from collections.abc import Iterator
from dataclasses import replace

from bot.sandbox.core import Core
from bot.sandbox.delivery import Envelope, Outcome, Transport, Unanswered
from bot.sandbox.errors import SlackError
from bot.sandbox.records import Grant

MOST_ACTIVE = 2
"""Tokens of a rotation that work side by side: the new one, and the one before until it expires."""

ABOUT_ITSELF = frozenset({"app_uninstalled", "tokens_revoked"})
"""Events that an app hears although it is there no more."""


def everywhere(core: Core) -> tuple[Core, ...]:
    """All workspaces of this Slack, the one whose server it is first."""
    return (core, *core.beside)


def is_installed(core: Core) -> bool:
    """Whether the app is in this workspace."""
    return any(not grant.gone for grant in _all(core))


def of_token(core: Core, token: str) -> Core | None:
    """The workspace in which this token was ever granted."""
    return next((one for one in everywhere(core) if any(grant.id == token for grant in _all(one))), None)


def check(core: Core, token: str) -> None:
    """Refuse a bot token that does not work any more, as Slack calls it."""
    grant = next((one for one in _all(core) if one.id == token), None)
    if grant is None:
        raise SlackError("invalid_auth")
    if grant.gone:
        raise SlackError("token_revoked" if is_installed(core) else "account_inactive")
    if grant.expires is not None and grant.expires <= time.time():
        raise SlackError("token_expired")


def new(core: Core) -> Grant:
    """Grant the app a token; with token rotation it expires, and can be renewed once."""
    token = f"{secrets.randbelow(10**12)}-{secrets.token_hex(12)}"
    lifetime = core.options.token_lifetime
    grant = Grant(id=f"xoxb-{token}")
    if lifetime is not None:
        grant = Grant(id=f"xoxe.xoxb-1-{token}", refresh=f"xoxe-1-{token}", expires=time.time() + lifetime)
    core.workspace.put(grant)
    return grant


def renew(core: Core, refresh: str) -> Grant:
    """A new pair for a refresh token, which is used up by it."""
    for grant in tuple(core.workspace.grants.values()):
        if grant.refresh == refresh and not grant.gone and not grant.used:
            core.workspace.put(replace(grant, used=True))
            renewed = new(core)
            active = [one for one in core.workspace.grants.values() if not one.gone]
            for old in active[:-MOST_ACTIVE]:
                core.workspace.put(replace(old, gone=True))
            return renewed
    raise SlackError("invalid_refresh_token")


def end(core: Core) -> None:
    """Let none of the tokens work any more."""
    for grant in tuple(_all(core)):
        core.workspace.put(replace(grant, gone=True))


class OnlyInstalled:
    """The way to the app, as long as it is in the workspace."""

    def __init__(self, core: Core, way: Transport) -> None:
        self._core = core
        self._way = way

    async def send(self, envelope: Envelope) -> Outcome:
        """Hand it over, unless nobody is there for it."""
        event = envelope.payload.get("event") or {}
        if is_installed(self._core) or event.get("type") in ABOUT_ITSELF:
            return await self._way.send(envelope)
        return Unanswered(reason="app_uninstalled", may_retry=False)

    async def reachable(self) -> None:
        """As the way itself."""
        await self._way.reachable()


def _all(core: Core) -> Iterator[Grant]:
    known = core.workspace.grants
    if core.options.is_installed and core.options.bot_token not in known:
        yield Grant(id=core.options.bot_token)
    yield from known.values()
