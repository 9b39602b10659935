"""A bot that several workspaces install by themselves: the app, and each workspace that has it."""

from collections.abc import Sequence
from typing import Final

from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.oauth.installation_store.models.bot import Bot

from bot.checks.finding import Finding, Findings, Verdict
from bot.checks.manifest import manifest_findings
from bot.checks.slack import door_finding, refused, workspace_findings
from bot.errors import CannotStart
from bot.oauth_settings import INSTALL_PATH, REDIRECT_PATH
from bot.policy_at_start import WholePolicy
from bot.settings import Settings
from bot.slack.app import asking_client
from bot.slack.refusals import name_of
from bot.starting import who_we_are
from bot.store.database import reading_store
from bot.store.errors import CannotOpen, StoreUnavailable
from bot.store.installations import Installations, place_of
from bot.store.sealing import CannotUnseal, Seals
from bot.workspaces.trading import traded

NO_CODE: Final = "-"
"""A code that Slack never gave: what it says of it shows whether it knows the app."""

CLIENT: Final = frozenset({"invalid_client_id", "bad_client_secret", "invalid_client"})

NOBODY: Final = "No workspace has installed the bot yet; begin at {address}."
AGAIN: Final = "Slack does not take the token of {team} ({error}); install the bot there again at {address}."
NOT_NAMED: Final = "{team} has installed the bot and is not in SLACK_TEAMS, so it is not served."


async def several_findings(settings: Settings, policy: WholePolicy | None) -> Findings:
    """Ask Slack about the app, and about each workspace in the database."""
    yield await _client(settings)
    yield await door_finding(settings, asking_client("", settings.slack_api_url))
    bots, problem = await _installed(settings)
    if problem:
        yield problem
    elif not bots:
        yield Finding(Verdict.NOTE, NOBODY.format(address=_address(settings)))
    if app := next((bot.app_id for bot in bots if bot.app_id), None):
        for finding in await manifest_findings(settings, app):
            yield finding
    for bot in bots:
        async for finding in _of(bot, settings, policy):
            yield finding


async def _client(settings: Settings) -> Finding:
    try:
        await traded(settings, settings.slack_api_url, code=NO_CODE)
    except SlackApiError as error:
        if name_of(error) in CLIENT:
            sentence = f"Slack refuses SLACK_CLIENT_ID or SLACK_CLIENT_SECRET ({name_of(error)})."
            return Finding(Verdict.WRONG, sentence)
    except (SlackClientError, ClientError, OSError, TimeoutError) as error:
        sentence = f"Slack cannot be reached at {settings.slack_api_url} ({type(error).__name__})."
        return Finding(Verdict.UNKNOWN, sentence)
    return Finding(Verdict.OK, "Slack takes SLACK_CLIENT_ID and SLACK_CLIENT_SECRET.")


async def _installed(settings: Settings) -> tuple[Sequence[Bot], Finding | None]:
    """The bots in the database, or what keeps them from being read; none of both before the first start."""
    try:
        async with reading_store(settings.bot_database_url) as store:
            seals = Seals(settings.token_keys)
            return await Installations(store, settings.slack_client_id or "", seals).everywhere(), None
    except CannotUnseal as error:
        return [], Finding(Verdict.WRONG, str(error))
    except (CannotOpen, StoreUnavailable):
        return [], None  # the database is looked at by itself


async def _of(bot: Bot, settings: Settings, policy: WholePolicy | None) -> Findings:
    """One workspace, named in each line."""
    name = bot.team_name or bot.enterprise_name
    team = f"{place_of(bot)} ({name})" if name else place_of(bot)
    allowed = settings.teams
    if allowed is not None and not {bot.team_id, bot.enterprise_id} & allowed:
        yield Finding(Verdict.WARNING, NOT_NAMED.format(team=team))
        return
    client = asking_client(bot.bot_token, settings.slack_api_url)
    try:
        who = await who_we_are(client)
    except CannotStart as no:
        sentence = str(no)
        if isinstance(no.__cause__, SlackApiError):
            error = name_of(no.__cause__)
            sentence = AGAIN.format(team=team, error=error, address=_address(settings))
        yield Finding(refused(no).verdict, sentence)
        return
    yield Finding(Verdict.OK, f"{team}: the token belongs to <@{who.bot_user}> on {who.url}.")
    async for finding in workspace_findings(client, who, policy):
        yield Finding(finding.verdict, f"{team}: {finding.sentence}")


def _address(settings: Settings) -> str:
    return (settings.slack_redirect_uri or "").removesuffix(REDIRECT_PATH) + INSTALL_PATH
