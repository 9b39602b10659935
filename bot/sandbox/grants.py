"""What the app was granted in a workspace: its tokens, until they expire, or it is uninstalled."""

import secrets
import time
from collections.abc import Iterator
from dataclasses import replace

from bot.sandbox.core import Core
from bot.sandbox.delivery import Envelope, Outcome, Transport, Unanswered
from bot.sandbox.errors import SlackError
from bot.sandbox.records import Grant, TeamId

MOST_ACTIVE = 2
"""Tokens of a rotation that work side by side: the new one, and the one before until it expires."""

ABOUT_ITSELF = frozenset({"app_uninstalled", "team_access_granted", "team_access_revoked", "tokens_revoked"})
"""Events that an app hears although it is there no more, or not yet."""


def is_installed(core: Core) -> bool:
    """Whether the app is in this workspace, by an installation of its own or of the organisation."""
    return has_its_own(core) or speaks_for_all(core)


def has_its_own(core: Core) -> bool:
    """Whether this workspace has installed the app by itself."""
    return any(not grant.gone for grant in _all(core) if grant.teams is None)


def speaks_for_all(core: Core) -> bool:
    """Whether what the app hears of this workspace is for the installation of its organisation.

    In a workspace with both, its own comes first.
    """
    reached = any(core.workspace.team.id in (one.teams or ()) for one in of_organisation(core))
    return reached and not has_its_own(core)


def of_organisation(core: Core) -> tuple[Grant, ...]:
    """What works of the grants to the whole organisation of this workspace."""
    return tuple(one for one in _all(home(core)) if one.teams is not None and not one.gone)


def home(core: Core) -> Core:
    """The workspace that keeps the grants of the whole organisation; the workspace itself without one."""
    enterprise = core.workspace.team.enterprise_id
    if enterprise is None:
        return core
    return next(one for one in (*core.everywhere, core) if one.workspace.team.enterprise_id == enterprise)


def of_token(core: Core, token: str) -> Core | None:
    """The workspace in which this token was ever granted."""
    return next((one for one in core.everywhere if any(grant.id == token for grant in _all(one))), None)


def check(core: Core, token: str) -> Grant:
    """The grant of a bot token; it is refused, as Slack calls it, if it does not work any more."""
    grant = next((one for one in _all(core) if one.id == token), None)
    if grant is None:
        raise SlackError("invalid_auth")
    if grant.gone:
        same = (one for one in _all(core) if (one.teams is None) is (grant.teams is None))
        raise SlackError("account_inactive" if all(one.gone for one in same) else "token_revoked")
    if grant.expires is not None and grant.expires <= time.time():
        raise SlackError("token_expired")
    return grant


def new(core: Core, teams: tuple[TeamId, ...] | None = None) -> Grant:
    """Grant the app a token; with token rotation it expires, and can be renewed once.

    With `teams` it is the whole organisation's, and reaches these of its workspaces.
    """
    token = f"{secrets.randbelow(10**12)}-{secrets.token_hex(12)}"
    lifetime = core.options.token_lifetime
    grant = Grant(id=f"xoxb-{token}", teams=teams)
    if lifetime is not None:
        expires = time.time() + lifetime
        grant = Grant(id=f"xoxe.xoxb-1-{token}", refresh=f"xoxe-1-{token}", expires=expires, teams=teams)
    core.workspace.put(grant)
    return grant


def renew(core: Core, refresh: str) -> Grant:
    """A new pair for a refresh token, which is used up by it."""
    for grant in tuple(core.workspace.grants.values()):
        if grant.refresh == refresh and not grant.gone and not grant.used:
            core.workspace.put(replace(grant, used=True))
            renewed = new(core, grant.teams)
            known = core.workspace.grants.values()
            active = [one for one in known if not one.gone and (one.teams is None) is (grant.teams is None)]
            for old in active[:-MOST_ACTIVE]:
                core.workspace.put(replace(old, gone=True))
            return renewed
    raise SlackError("invalid_refresh_token")


def end(core: Core, *, of_all: bool = False) -> None:
    """Let none of the tokens work any more, of the workspace itself or of its organisation."""
    for grant in tuple(_all(core)):
        if (grant.teams is not None) is of_all:
            core.workspace.put(replace(grant, gone=True))


def reach(core: Core, *, is_there: bool) -> None:
    """Let the organisation's grants reach this workspace, or no more."""
    own = core.workspace.team.id
    for grant in of_organisation(core):
        others = tuple(one for one in grant.teams or () if one != own)
        home(core).workspace.put(replace(grant, teams=(*others, own) if is_there else others))


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
