"""What a start depends on, one by one: `wiring` needs them all to run, `checks` looks at each by itself."""

import os
from collections.abc import Awaitable
from typing import Any, Final, TypeVar

import structlog
from aiohttp import ClientError
from langgraph.checkpoint.base import BaseCheckpointSaver
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.agents.agent import Agent
from bot.agents.build import build
from bot.agents.built import BuiltAgent, GraphBuilder
from bot.agents.errors import BadAgent
from bot.agents.failures import cut
from bot.agents.load import SHIPPED, load
from bot.agents.savers import set_up_postgres
from bot.approvals.policy import QUESTION, Policy
from bot.approvals.ports import Journal
from bot.errors import CannotStart, SlackUnreachable
from bot.policy_file import BadPolicy, PolicyFile
from bot.policy_names import Known, is_group
from bot.policy_of_agent import notes, policy_of, put_together
from bot.settings import NO_POLICY, Settings
from bot.slack.app import Identity, identity, socket_address
from bot.slack.directory import SlackDirectory
from bot.slack.refusals import name_of
from bot.store.database import upgrade

T = TypeVar("T")

log = structlog.get_logger()

_WHAT_TO_DO: Final = {
    "SLACK_BOT_TOKEN": "install the app again and copy its Bot User OAuth Token",
    "SLACK_APP_TOKEN": "make an app-level token with connections:write under Basic Information",
}


async def upgrade_database(where: str) -> None:
    """Bring everything in the database up to date: rows, and on Postgres jobs and checkpoints too."""
    from bot.jobs.postgres_schema import make_tables

    await upgrade(where, make_tables, set_up_postgres)


def agent_name(settings: Settings) -> str:
    """What `BOT_AGENT` says, or the assistant that ships."""
    return settings.bot_agent or SHIPPED


def loaded_agent(settings: Settings) -> Agent | GraphBuilder:
    """What `BOT_AGENT` names; `BadAgent` with a sentence."""
    # The assistant that ships, and a team's agent that wants the same folder, are told it this way.
    os.environ.setdefault("BOT_WORKSPACE", str(settings.bot_workspace))
    return load(agent_name(settings))


def built_agent(
    settings: Settings,
    source: Agent | GraphBuilder,
    saver: BaseCheckpointSaver[Any],
    *,
    model: str | None,
    journal: Journal | None = None,
) -> BuiltAgent:
    """The agent as it runs; `model` is for an agent that names none. `BadAgent` with a sentence.

    Without a `journal` it is for looking at, not for running. A graph builder is the team's own code:
    whatever it raises is told as a sentence too.
    """
    name = agent_name(settings)
    try:
        return build(source, name=name, model=model, checkpointer=saver, journal=journal)
    except BadAgent:
        raise
    except Exception as error:
        raise BadAgent(f"Building {name!r} failed with {type(error).__name__}: {cut(str(error))}") from error


async def who_we_are(client: AsyncWebClient) -> Identity:
    """Who the bot is in Slack; `CannotStart` if the token is not taken."""
    return await _asked(client, identity(client), "SLACK_BOT_TOKEN")


async def first_address(client: AsyncWebClient, app_token: str) -> str:
    """Where the first socket is opened; `CannotStart` if the app token is not taken."""
    return await _asked(client, socket_address(client, app_token), "SLACK_APP_TOKEN")


def whole_policy(
    file: PolicyFile | None, carried: object, *, otherwise: PolicyFile | None = None
) -> PolicyFile:
    """What the policy file says and what the agent carries, the file first; `otherwise` where neither is.

    `BadPolicy` if nothing is there, or if what the agent carries is not well formed.
    """
    agents = None if carried is None else policy_of(carried)
    if file and agents:
        both = put_together(file, agents)
        for note in notes(both):
            log.info("policy_note", note=note)
        return both
    if found := file or agents or otherwise:
        return found
    raise BadPolicy([NO_POLICY])


async def resolved(file: PolicyFile, directory: SlackDirectory) -> Policy:
    """The policy with its people, groups and channels looked up; `BadPolicy` for names that none has."""
    names = file.names()
    try:
        people = await directory.everybody() if names else []
        groups = await directory.groups() if any(map(is_group, names)) else []
        rooms = await directory.rooms(file.channels()) if file.channels() else []
        return file.resolve(Known(people=people, groups=groups, rooms=rooms))
    except SlackApiError as error:
        raise CannotStart(
            f"The names in {file.name} could not be looked up in Slack ({_why(error)})."
        ) from error
    except (SlackClientError, ClientError, OSError, TimeoutError) as error:
        raise SlackUnreachable(
            f"The names in {file.name} could not be looked up in Slack ({type(error).__name__})."
        ) from error


async def policy_at_start(
    said: tuple[PolicyFile | None, PolicyFile | None], agent: BuiltAgent, directory: SlackDirectory
) -> tuple[PolicyFile, Policy]:
    """The whole policy, as it is written and as it holds; `said` is the file, and what holds without one.

    `BadPolicy` for what is wrong in it.
    """
    file, otherwise = said
    whole = whole_policy(file, agent.policy, otherwise=otherwise)
    policy = await resolved(whole, directory)
    check_rules(whole, agent)
    return whole, policy


def check_rules(file: PolicyFile, agent: BuiltAgent) -> None:
    """`BadPolicy` for rules that the agent, as it was built, cannot keep."""
    if problems := rule_problems(file, agent):
        raise BadPolicy(problems)


def rule_problems(file: PolicyFile, agent: BuiltAgent) -> list[str]:
    """A sentence for each rule that no tool comes to, edit that would lead to none, and gate at odds with it.

    Of a team's own graph not all tools are known.
    """
    if agent.gates is None:
        return []
    return [
        *file.never_reached([*agent.tools, QUESTION]),
        *file.unknown_targets(agent.tools),
        *file.asked_after_all({gate.tool: gate.allowed for gate in agent.gates.values()}),
    ]


def _why(error: SlackApiError) -> str:
    """The error's name; with the scope, where one is missing."""
    name = name_of(error)
    needed = error.response.get("needed") if name == "missing_scope" else None
    return f"the scope {needed} is missing" if needed else name


async def _asked(client: AsyncWebClient, answer: Awaitable[T], setting: str) -> T:
    try:
        return await answer
    except SlackApiError as error:
        if name_of(error) in _NOT_OUR_FAULT or name_of(error).startswith("http_"):
            raise SlackUnreachable(f"Slack has trouble just now ({name_of(error)}); try again.") from error
        raise CannotStart(f"Slack refuses {setting} ({name_of(error)}); {_WHAT_TO_DO[setting]}.") from error
    except (SlackClientError, ClientError, OSError, TimeoutError, *_NOT_SLACK) as error:
        raise SlackUnreachable(
            f"Slack cannot be reached at {client.base_url} ({type(error).__name__}); "
            "look at the network and at SLACK_API_URL."
        ) from error


_NOT_OUR_FAULT: Final = frozenset(
    {"ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"}
)

_NOT_SLACK: Final = (ValueError, LookupError, AttributeError, TypeError)
"""What the client raises on an answer that is not of Slack's form, because the address leads elsewhere."""
