"""What a start depends on, one by one: `wiring` needs them all to run, `checks` looks at each by itself."""

import os
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import structlog
from aiohttp import ClientError
from langgraph.checkpoint.base import BaseCheckpointSaver
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.agent_names import NamedAgent, read_agents
from bot.agents.agent import Agent
from bot.agents.build import build
from bot.agents.built import BuiltAgent, GraphBuilder
from bot.agents.errors import BadAgent
from bot.agents.failures import cut
from bot.agents.load import SHIPPED, load
from bot.agents.savers import set_up_postgres
from bot.approvals.ports import Journal
from bot.errors import CannotStart, SlackUnreachable
from bot.settings import Settings
from bot.slack.app import Identity, identity, socket_address
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


def named_agents(settings: Settings) -> Sequence[NamedAgent]:
    """What `BOT_AGENT` says, or the assistant that ships."""
    return read_agents(settings.bot_agent or SHIPPED)


def loaded_agent(settings: Settings, named: NamedAgent) -> Agent | GraphBuilder:
    """What it names; `BadAgent` with a sentence."""
    # The assistant that ships, and a team's agent that wants the same folder, are told it this way.
    os.environ.setdefault("BOT_WORKSPACE", str(settings.bot_workspace))
    with _told_of(named):
        return load(named.source)


def built_agent(
    named: NamedAgent,
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
    with _told_of(named):
        try:
            return build(source, name=named.source, model=model, checkpointer=saver, journal=journal)
        except BadAgent:
            raise
        except Exception as error:
            raise BadAgent(
                f"Building {named.source!r} failed with {type(error).__name__}: {cut(str(error))}"
            ) from error


@contextmanager
def _told_of(named: NamedAgent) -> Iterator[None]:
    """What is wrong with an agent that has a name is told with it."""
    try:
        yield
    except BadAgent as bad:
        if not named.name:
            raise
        raise BadAgent(f"{named.name}: {bad}") from bad


async def who_we_are(client: AsyncWebClient) -> Identity:
    """Who the bot is in Slack; `CannotStart` if the token is not taken."""
    return await _asked(client, identity(client), "SLACK_BOT_TOKEN")


async def first_address(client: AsyncWebClient, app_token: str) -> str:
    """Where the first socket is opened; `CannotStart` if the app token is not taken."""
    return await _asked(client, socket_address(client, app_token), "SLACK_APP_TOKEN")


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
