"""What can be set about a sandbox; the defaults are Slack's own numbers."""

from dataclasses import dataclass, field
from typing import TypedDict

from bot.sandbox.records import Json, TeamId

SCOPES = frozenset(
    {
        "app_mentions:read",
        "assistant:write",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "files:write",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "im:write",
        "team:read",
        "usergroups:read",
        "users:read",
    }
)
EVENTS = frozenset(
    {
        "app_home_opened",
        "app_mention",
        "app_uninstalled",
        "assistant_thread_context_changed",
        "assistant_thread_started",
        "message.im",
        "team_access_granted",
        "team_access_revoked",
        "tokens_revoked",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """The workspace itself."""

    id: TeamId = TeamId("T0SANDBOX")  # noqa: RUF009 - a string
    name: str = "Sandbox"
    domain: str = "sandbox"
    enterprise_id: str | None = None
    """The Enterprise Grid organisation that it belongs to, if any."""
    mark: str = ""
    """What the ids of what is first there end with, and later ones begin with: in one organisation no two
    are alike, whatever the workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A slash command of the app. With `should_escape`, mentions in its text arrive as ids."""

    command: str
    description: str = ""
    usage_hint: str = ""
    should_escape: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageShortcut:
    """An entry of the app in the menu of every message."""

    callback_id: str
    name: str


PROMPTS = (
    ("What can you do?", "What can you do, and what do you ask people about first?"),
    ("What is in the workspace?", "List the files."),
)
"""What a direct message with the app offers to begin with, by title; the manifest's suggested prompts."""

ASK_ABOUT = MessageShortcut(callback_id="ask_about", name="Ask the agent about this")

AGENT_COMMAND = Command(
    command="/agent",
    description="Give the agent a task",
    usage_hint="what to do | help | pending | status | cancel",
)


class OptionFields(TypedDict, total=False):
    """The fields of `Options`, for callers that name only some."""

    patience: float
    trigger_lifetime: float
    response_url_lifetime: float
    retry_delays: tuple[float, ...]
    connection_time: int
    max_connections: int
    scopes: frozenset[str]
    events: frozenset[str]
    commands: tuple[Command, ...]
    shortcuts: tuple[MessageShortcut, ...]
    prompts: tuple[tuple[str, str], ...]
    request_url: str | None
    signing_secret: str
    bot_token: str
    app_token: str
    team: Team
    is_installed: bool
    client_id: str
    client_secret: str
    redirect_uris: tuple[str, ...]
    token_lifetime: float | None
    config_token: str
    manifest: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Times are seconds. `request_url` switches from Socket Mode to signed HTTP delivery."""

    patience: float = 3.0
    trigger_lifetime: float = 3.0
    response_url_lifetime: float = 1800.0
    retry_delays: tuple[float, ...] = (0.0, 60.0, 300.0)
    connection_time: int = 3600
    max_connections: int = 10
    scopes: frozenset[str] = SCOPES
    events: frozenset[str] = EVENTS
    commands: tuple[Command, ...] = (AGENT_COMMAND,)
    shortcuts: tuple[MessageShortcut, ...] = (ASK_ABOUT,)
    prompts: tuple[tuple[str, str], ...] = PROMPTS
    request_url: str | None = None
    signing_secret: str = "sandbox-signing-secret"  # noqa: S105 - opens nothing but this sandbox
    bot_token: str = "xoxb-sandbox-bot"  # noqa: S105 - opens nothing but this sandbox
    app_token: str = "xapp-sandbox-app"  # noqa: S105 - opens nothing but this sandbox
    team: Team = Team()
    is_installed: bool = True
    """Whether the app is there from the start, with `bot_token`; otherwise it is installed by OAuth."""
    client_id: str = "1111111111.2222222222"
    client_secret: str = "sandbox-client-secret"  # noqa: S105 - opens nothing but this sandbox
    redirect_uris: tuple[str, ...] = ()
    """Where an installation may lead back to, as they stand in the app's settings."""
    config_token: str = "xoxe.xoxp-sandbox-config"  # noqa: S105 - opens nothing but this sandbox
    manifest: Json = field(default_factory=dict)
    """What is different in the app's manifest, by the names of its parts."""
    token_lifetime: float | None = None
    """With a number the app has token rotation: so long a token is good. Slack's own are good for 43,200."""
