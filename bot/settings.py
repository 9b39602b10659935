"""Environment, or `.env`, to settings. Every problem is reported at once; secrets never show in a repr."""

from enum import StrEnum
from pathlib import Path
from typing import Final, Self

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

POLICY_FILE: Final = Path("approvals.toml")
"""Read from the working directory if `BOT_POLICY` names no other."""


class BadSettings(Exception):  # noqa: N818 - said to an operator
    """What is wrong with the settings, one sentence each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class Mode(StrEnum):
    """How Slack's payloads arrive."""

    SOCKET = "socket"
    HTTP = "http"


class Settings(BaseSettings):
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
    bot_database_url: str = "sqlite:///bot.db"
    bot_policy: Path | None = None
    bot_workspace: Path = Path("workspace")
    """The folder of the assistant that ships."""

    @classmethod
    def from_environment(cls) -> Self:
        """The settings; `BadSettings` with every problem."""
        try:
            return cls()
        except ValidationError as error:
            raise BadSettings([_sentence(dict(problem)) for problem in error.errors()]) from None

    @field_validator("slack_bot_token")
    @classmethod
    def _bot_token(cls, token: SecretStr | None) -> SecretStr | None:
        return _prefixed(token, "xoxb-", "a bot token: OAuth & Permissions, Bot User OAuth Token")

    @field_validator("slack_app_token")
    @classmethod
    def _app_token(cls, token: SecretStr | None) -> SecretStr | None:
        return _prefixed(
            token, "xapp-", "an app-level token: Basic Information, App-Level Tokens, connections:write"
        )

    @field_validator("slack_api_url")
    @classmethod
    def _api_url(cls, url: str) -> str:
        if not url.startswith(("https://", "http://")):
            raise ValueError("has to start with https:// (or http:// for a local Slack)")
        return url if url.endswith("/") else f"{url}/"

    @model_validator(mode="after")
    def _mode_has_its_secret(self) -> Self:
        if self.bot_mode is Mode.HTTP and not self.slack_signing_secret:
            raise ValueError("BOT_MODE is http, which needs SLACK_SIGNING_SECRET.")
        if self.bot_mode is Mode.SOCKET and self.slack_signing_secret and not self.slack_app_token:
            raise ValueError("BOT_MODE is socket, which needs SLACK_APP_TOKEN.")
        return self

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
        missing = []
        if not self.slack_bot_token:
            missing.append("SLACK_BOT_TOKEN is not set: it is the Bot User OAuth Token, xoxb-….")
        if not self.slack_app_token and not self.slack_signing_secret:
            missing.append(
                "Neither SLACK_APP_TOKEN (xapp-…, Socket Mode) nor SLACK_SIGNING_SECRET (HTTP) is set."
            )
        return missing


def _prefixed(token: SecretStr | None, prefix: str, what: str) -> SecretStr | None:
    if token and not token.get_secret_value().startswith(prefix):
        raise ValueError(f"does not start with {prefix}; it has to be {what}")
    return token


def _sentence(problem: dict[str, object]) -> str:
    """One of pydantic's problems as a sentence, without the value, which may be a secret."""
    place = problem["loc"]
    message = str(problem["msg"]).removeprefix("Value error, ")
    if isinstance(place, tuple) and place:
        return f"{str(place[0]).upper()} is not right: {message}."
    return message
