"""What only Slack can say: tokens, scopes, people."""

from typing import Final

from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.checks.finding import Finding, Findings, Verdict
from bot.checks.manifest import manifest_findings
from bot.errors import CannotStart, SlackUnreachable
from bot.policy_at_start import WholePolicy, resolved
from bot.policy_file import BadPolicy
from bot.settings import Mode, Settings
from bot.slack.app import OPTIONAL_SCOPES, SCOPES, WORKSPACES, Identity, asking_client
from bot.slack.census import Census
from bot.slack.directory import SlackDirectory
from bot.slack.refusals import name_of
from bot.starting import first_address, who_we_are

NOWHERE: Final = (
    "The bot is in no channel yet; in each channel where it is to be asked, type /invite and choose it."
)
NO_WORKSPACE: Final = (
    "The bot is in no workspace of the organisation yet; an administrator adds it at {address}."
)
MOST_LISTED: Final = 10
"""Channels in a finding, and workspaces of an organisation that are looked at."""

_TROUBLE: Final = (SlackClientError, ClientError, OSError, TimeoutError)
_ADD: Final = "add it under OAuth & Permissions, Bot Token Scopes, and install the app again"


async def slack_findings(settings: Settings, policy: WholePolicy | None) -> Findings:
    """Ask Slack about the tokens, the scopes, the app and the people that the policy names."""
    token = settings.slack_bot_token.get_secret_value() if settings.slack_bot_token else ""
    client = asking_client(token, settings.slack_api_url)
    try:
        who = await who_we_are(client)
    except CannotStart as no:
        yield refused(no)
        return
    yield Finding(Verdict.OK, f"SLACK_BOT_TOKEN belongs to <@{who.bot_user}> on {who.url}.")
    async for finding in workspace_findings(client, who, policy):
        yield finding
    for finding in await manifest_findings(settings, who.app):
        yield finding
    yield await door_finding(settings, client)


async def workspace_findings(client: AsyncWebClient, who: Identity, policy: WholePolicy | None) -> Findings:
    """What is so in one workspace: the scopes, where the bot is, the people that the policy names."""
    for finding in _scopes(who):
        yield finding
    for finding in await _everywhere(client, who):
        yield finding
    if policy and (policy.names() or policy.channels()):
        for finding in await _people(policy, client, who):
            yield finding


def _scopes(who: Identity) -> list[Finding]:
    if not who.scopes:
        return [Finding(Verdict.WARNING, "Slack does not say which scopes the bot token has.")]
    missing = sorted(SCOPES - who.scopes)
    told = [Finding(Verdict.WRONG, f"The scope {scope} is missing; {_ADD}.") for scope in missing]
    told += [
        Finding(Verdict.WARNING, f"The scope {scope}, a courtesy, is missing; {_ADD}.")
        for scope in sorted(OPTIONAL_SCOPES - who.scopes)
    ]
    return told if missing else [*told, Finding(Verdict.OK, f"All {len(SCOPES)} scopes are granted.")]


async def _everywhere(client: AsyncWebClient, who: Identity) -> list[Finding]:
    """The same of each workspace that an organisation added it to; without any it is nowhere."""
    if not who.is_org_wide:
        return [await _whereabouts(client)]
    try:
        teams = await Census(client=client, whose=who.whose).workspaces()
    except _TROUBLE as error:
        return [
            Finding(Verdict.UNKNOWN, f"Slack does not say which workspaces have the bot ({_why(error)}).")
        ]
    if not teams:
        where = WORKSPACES.format(enterprise=who.enterprise, app=who.app)
        return [Finding(Verdict.WARNING, NO_WORKSPACE.format(address=where))]
    found = []
    for team, name in [*teams.items()][:MOST_LISTED]:
        finding = await _whereabouts(client, team)
        found.append(Finding(finding.verdict, f"{team} ({name}): {finding.sentence}"))
    if (more := len(teams) - MOST_LISTED) > 0:
        found.append(
            Finding(Verdict.NOTE, f"Workspaces besides these that have it, not looked at here: {more:,}.")
        )
    return found


async def _whereabouts(client: AsyncWebClient, team: str | None = None) -> Finding:
    """Which channels the bot is in: elsewhere it hears and says nothing."""
    names = []
    try:
        kinds = "public_channel,private_channel"
        async for page in await client.users_conversations(
            types=kinds, exclude_archived=True, limit=200, team_id=team
        ):
            names += [f"#{one.get('name')}" for one in page["channels"]]
    except _TROUBLE as error:
        return Finding(Verdict.UNKNOWN, f"Slack does not say which channels the bot is in ({_why(error)}).")
    if not names:
        return Finding(Verdict.WARNING, NOWHERE)
    more = f" and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else ""
    return Finding(Verdict.OK, f"The bot is in {', '.join(sorted(names)[:MOST_LISTED])}{more}.")


def _why(error: Exception) -> str:
    return name_of(error) if isinstance(error, SlackApiError) else type(error).__name__


async def door_finding(settings: Settings, client: AsyncWebClient) -> Finding:
    """How Slack's payloads would come in."""
    if settings.mode is Mode.HTTP:
        where = f"http://{settings.bot_host}:{settings.bot_port}/slack/events"
        return Finding(
            Verdict.OK,
            f"HTTP: Slack's Request URLs have to lead to {where}. SLACK_SIGNING_SECRET is set; "
            "only Slack's first request shows whether it is the right one.",
        )
    token = settings.slack_app_token.get_secret_value() if settings.slack_app_token else ""
    try:
        await first_address(client, token)
    except CannotStart as no:
        return refused(no)
    return Finding(Verdict.OK, "Socket Mode: Slack takes SLACK_APP_TOKEN.")


async def _people(policy: WholePolicy, client: AsyncWebClient, who: Identity) -> list[Finding]:
    directory = SlackDirectory(client, who.whose)
    try:
        await resolved(policy, directory)
    except BadPolicy as bad:
        return [Finding(Verdict.WRONG, problem) for problem in bad.problems]
    except CannotStart as no:
        return [refused(no)]
    finally:
        await directory.close()
    everything = ", ".join(sorted(policy.names() | policy.channels()))
    return [Finding(Verdict.OK, f"Everybody in {policy.name} is known: {everything}.")]


def refused(no: CannotStart) -> Finding:
    """What Slack said no to, or did not answer."""
    return Finding(Verdict.UNKNOWN if isinstance(no, SlackUnreachable) else Verdict.WRONG, str(no))
