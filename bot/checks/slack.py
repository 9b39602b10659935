"""What only Slack can say: tokens, scopes, people."""

from typing import Final

from slack_sdk.web.async_client import AsyncWebClient

from bot.checks.finding import Finding, Findings, Verdict
from bot.errors import CannotStart, SlackUnreachable
from bot.policy_at_start import WholePolicy, resolved
from bot.policy_file import BadPolicy
from bot.settings import Mode, Settings
from bot.slack.app import SCOPES, Identity, asking_client
from bot.slack.directory import SlackDirectory
from bot.starting import first_address, who_we_are

_ADD: Final = "add it under OAuth & Permissions, Bot Token Scopes, and install the app again"


async def slack_findings(settings: Settings, policy: WholePolicy | None) -> Findings:
    """Ask Slack about the tokens, the scopes and the people that the policy names."""
    token = settings.slack_bot_token.get_secret_value() if settings.slack_bot_token else ""
    client = asking_client(token, settings.slack_api_url)
    try:
        who = await who_we_are(client)
    except CannotStart as no:
        yield _refused(no)
        return
    yield Finding(Verdict.OK, f"SLACK_BOT_TOKEN belongs to <@{who.bot_user}> on {who.url}.")
    for finding in _scopes(who):
        yield finding
    yield await _door(settings, client)
    if policy and (policy.names() or policy.channels()):
        yield await _people(policy, client, who)


def _scopes(who: Identity) -> list[Finding]:
    if not who.scopes:
        return [Finding(Verdict.WARNING, "Slack does not say which scopes the bot token has.")]
    missing = sorted(SCOPES - who.scopes)
    if not missing:
        return [Finding(Verdict.OK, f"All {len(SCOPES)} scopes are granted.")]
    return [Finding(Verdict.WRONG, f"The scope {scope} is missing; {_ADD}.") for scope in missing]


async def _door(settings: Settings, client: AsyncWebClient) -> Finding:
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
        return _refused(no)
    return Finding(Verdict.OK, "Socket Mode: Slack takes SLACK_APP_TOKEN.")


async def _people(policy: WholePolicy, client: AsyncWebClient, who: Identity) -> Finding:
    directory = SlackDirectory(client, team=who.team, enterprise=who.enterprise)
    try:
        await resolved(policy, directory)
    except BadPolicy as bad:
        return Finding(Verdict.WRONG, " ".join(bad.problems))
    except CannotStart as no:
        return _refused(no)
    finally:
        await directory.close()
    everything = ", ".join(sorted(policy.names() | policy.channels()))
    return Finding(Verdict.OK, f"Everybody in {policy.name} is known: {everything}.")


def _refused(no: CannotStart) -> Finding:
    return Finding(Verdict.UNKNOWN if isinstance(no, SlackUnreachable) else Verdict.WRONG, str(no))
