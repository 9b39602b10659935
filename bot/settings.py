"""Environment, or `.env`, to settings. Every problem is reported at once; secrets never show in a repr."""

from collections.abc import Mapping
from datetime import timedelta
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Self

from dotenv import load_dotenv
from dotenv.parser import parse_stream
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import SettingsConfigDict

from bot.agent_names import read_agents
from bot.durations import DelayOrNever
from bot.oauth_settings import ONE_OR_SEVERAL, REDIRECT_PATH, OAuthSettings, one_word, prefixed

POLICY_FILE: Final = Path("approvals.toml")
"""Read from the working directory if `BOT_POLICY` names no other."""


ENV_FILE: Final = Path(".env")

NO_POLICY: Final = (
    "There is no approvals.toml here and BOT_POLICY names none; nobody approves by default, "
    'so write one that says who does, e.g. [defaults] approvers = ["channel"].'
)


class BadSettings(Exception):  # noqa: N818 - said to an operator
    """What is wrong with the settings, one sentence each."""

    def __init__(self, problems: list[str], rest: "Settings | None" = None) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
        self.rest = rest
        """The settings that are right, for looking further; what is wrong has its default."""


class Mode(StrEnum):
    """How Slack's payloads arrive."""

    SOCKET = "socket"
    HTTP = "http"


class Settings(OAuthSettings):
    """The bot's settings; the names are those of the environment variables."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", env_ignore_empty=True)

    slack_bot_token: SecretStr | None = None
    slack_app_token: SecretStr | None = None
    slack_signing_secret: SecretStr | None = None
    slack_api_url: str = "https://slack.com/api/"
    bot_host: str = "127.0.0.1"
    bot_port: int = Field(default=3000, ge=0, le=65535)
    bot_mode: Mode | None = None
    bot_agent: str | None = None
    bot_model: str | None = None
    bot_database_url: str = Field(default="sqlite:///bot.db", repr=False)  # it may hold a password
    bot_policy: Path | None = None
    bot_workspace: Path = Path("workspace")
    """The folder of the assistant that ships."""
    bot_keep_checkpoints: DelayOrNever = timedelta(days=30)
    """How long the agent remembers a conversation that came to rest."""

    @classmethod
    def from_environment(cls, *, for_slack: bool = False) -> Self:
        """The settings; `BadSettings` with every problem, `for_slack` also with what `serve` would miss."""
        problems: list[str] = []
        instead: dict[str, Any] = {}
        try:
            settings = cls()
        except ValidationError as error:
            problems = [_sentence(dict(problem)) for problem in error.errors()]
            instead = {str(problem["loc"][0]): None for problem in error.errors()}
            instead = {name: _INSTEAD.get(name, cls.model_fields[name].default) for name in instead}
            settings = cls(**instead)
        if for_slack:
            problems += settings.missing_for_slack()
        if problems:
            raise BadSettings(problems, settings)
        return settings

    @field_validator("slack_bot_token")
    @classmethod
    def _bot_token(cls, token: SecretStr | None) -> SecretStr | None:
        return prefixed(token, "xoxb-", "a bot token: OAuth & Permissions, Bot User OAuth Token")

    @field_validator("slack_app_token")
    @classmethod
    def _app_token(cls, token: SecretStr | None) -> SecretStr | None:
        return prefixed(
            token, "xapp-", "an app-level token: Basic Information, App-Level Tokens, connections:write"
        )

    @field_validator("slack_signing_secret")
    @classmethod
    def _signing_secret(cls, secret: SecretStr | None) -> SecretStr | None:
        return one_word(secret)

    @field_validator("bot_agent")
    @classmethod
    def _agents(cls, agents: str | None) -> str | None:
        if agents:
            read_agents(agents)
        return agents

    @field_validator("slack_api_url")
    @classmethod
    def _api_url(cls, url: str) -> str:
        if not url.startswith(("https://", "http://")):
            raise ValueError("has to start with https:// (or http:// for a local Slack)")
        return url if url.endswith("/") else f"{url}/"

    @property
    def mode(self) -> Mode:
        """Socket Mode, unless only a signing secret is there or `BOT_MODE` says otherwise."""
        if self.bot_mode:
            return self.bot_mode
        return Mode.SOCKET if self.slack_app_token or not self.slack_signing_secret else Mode.HTTP

    @property
    def policy_file(self) -> Path | None:
        """The policy file that is to be read, if there is one."""
        if self.bot_policy:
            return self.bot_policy
        return POLICY_FILE if POLICY_FILE.exists() else None

    def missing_for_slack(self) -> list[str]:
        """What a bot on a real workspace still needs, one sentence each."""
        missing = self.missing_for_several() if self.is_for_several else []
        if self.is_for_several and self.slack_bot_token:
            missing = [ONE_OR_SEVERAL]
        elif not self.is_for_several and not self.slack_bot_token:
            missing.append("SLACK_BOT_TOKEN is not set: it is the Bot User OAuth Token, xoxb-….")
        match self.bot_mode:
            case Mode.HTTP if not self.slack_signing_secret:
                missing.append("BOT_MODE is http, which needs SLACK_SIGNING_SECRET.")
            case Mode.SOCKET if not self.slack_app_token:
                missing.append("BOT_MODE is socket, which needs SLACK_APP_TOKEN, xapp-….")
            case None if not self.slack_app_token and not self.slack_signing_secret:
                missing.append(
                    "Neither SLACK_APP_TOKEN (xapp-…, Socket Mode) nor SLACK_SIGNING_SECRET (HTTP) is set."
                )
            case _:
                pass
        return missing


_INSTEAD: Final[Mapping[str, SecretStr | str]] = {
    "slack_bot_token": SecretStr("xoxb-"),
    "slack_app_token": SecretStr("xapp-"),
    "slack_signing_secret": SecretStr("-"),
    "slack_client_id": "0.0",
    "slack_client_secret": SecretStr("-"),
    "slack_redirect_uri": f"https://-{REDIRECT_PATH}",
    "slack_teams": "T00",
    "bot_tokens_key": SecretStr("A" * 43 + "="),
}
"""Stands for a secret that is set but wrong, so that nobody is told that it is missing, too."""


def load_env_file(path: Path = ENV_FILE) -> None:
    """Put what the file says into the environment, where the model's client and a team's agent look too.

    What is set already stays. `BadSettings` for a file that cannot be read, by line; never with its text.
    """
    if not path.is_file():
        return
    try:
        with path.open(encoding="utf-8") as file:
            lines = list(parse_stream(file))
    except OSError as error:
        raise BadSettings([f"{path} cannot be read: {error.strerror}."]) from None
    except UnicodeDecodeError:
        raise BadSettings([f"{path} cannot be read: it is not UTF-8 text."]) from None
    # What the parser calls a line begins with the blank ones before it.
    starts = ((line, len(line.original.string) - len(line.original.string.lstrip("\r\n"))) for line in lines)
    if broken := [line.original.line + n for line, n in starts if line.error or "\0" in (line.value or "")]:
        raise BadSettings([f"{path}, line {number}: this is not NAME=value." for number in broken])
    load_dotenv(path, override=False)


def misspelt(environment: Mapping[str, str]) -> list[str]:
    """Names in the environment that look like a setting and are none, one sentence each."""
    known = [name.upper() for name in Settings.model_fields]
    return [
        f"{name} is set, but there is no such setting; did you mean {close[0]}?"
        for name in sorted(environment)
        if name.startswith(("BOT_", "SLACK_"))
        and name not in known
        and (close := get_close_matches(name, known, n=1, cutoff=0.85))
    ]


def _sentence(problem: dict[str, object]) -> str:
    """One of pydantic's problems as a sentence, without the value, which may be a secret."""
    place = problem["loc"]
    message = str(problem["msg"]).removeprefix("Value error, ")
    if isinstance(place, tuple) and place and problem["type"] == "duration":
        return f"{str(place[0]).upper()} {message}, nor is it never."
    if isinstance(place, tuple) and place:
        return f"{str(place[0]).upper()} is not right: {message}."
    return message
