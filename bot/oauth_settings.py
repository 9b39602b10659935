"""The settings of a bot that several workspaces install by themselves, and what is wrong with them."""

import base64
import binascii
import re
from typing import Final
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings

REDIRECT_PATH: Final = "/slack/oauth_redirect"
INSTALL_PATH: Final = "/slack/install"

ANY: Final = "any"
"""Of `SLACK_TEAMS`: whoever finds the address may install."""

MAKE_A_KEY: Final = (
    "make one with `python -c "
    '"from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"`'
)

ONE_OR_SEVERAL: Final = (
    "SLACK_BOT_TOKEN and SLACK_CLIENT_ID are both set: the first is for one workspace, the second for "
    "several that install by themselves; unset one of them."
)
NO_CLIENT_ID: Final = (
    "SLACK_CLIENT_SECRET is set without SLACK_CLIENT_ID; both stand under Basic Information, App Credentials."
)
ID_ALONE: Final = (
    "SLACK_CLIENT_ID is set without SLACK_CLIENT_SECRET; both stand under Basic Information, App Credentials."
)
NO_KEY: Final = f"BOT_TOKENS_KEY is not set, and Slack's tokens are kept only encrypted: {MAKE_A_KEY}."
NO_REDIRECT: Final = (
    "SLACK_REDIRECT_URI is not set: it is the public address that leads to "
    f"{REDIRECT_PATH} on BOT_HOST and BOT_PORT, in Socket Mode too, and stands under OAuth & Permissions, "
    "Redirect URLs."
)
NO_TEAMS: Final = (
    "SLACK_TEAMS is not set: it says which workspaces (T…) and organisations (E…) may install the bot, and "
    "with it command the agent; any lets in whoever finds the address."
)

_LOCAL: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_KEY_BYTES: Final = 32
"""Bytes of a Fernet key: 16 that sign and 16 that encrypt."""


class OAuthSettings(BaseSettings):
    """What an installation by OAuth needs; without `SLACK_CLIENT_ID` there is none."""

    slack_client_id: str | None = None
    slack_client_secret: SecretStr | None = None
    slack_redirect_uri: str | None = None
    slack_teams: str | None = None
    bot_tokens_key: SecretStr | None = None
    """Fernet keys with commas between them: the first encrypts, each of them decrypts."""
    bot_team: str | None = Field(default=None, pattern=r"^[TE][A-Z0-9]{2,30}$")
    """Of several workspaces or organisations, the one whose database the commands look into."""
    slack_config_token: SecretStr | None = None
    """An app configuration token, for `check` alone."""

    @field_validator("slack_client_id")
    @classmethod
    def _client_id(cls, id: str | None) -> str | None:
        if id is not None and not re.fullmatch(r"[0-9]+\.[0-9]+", id.strip()):
            raise ValueError("has to be two numbers with a dot between: Basic Information, App Credentials")
        return id and id.strip()

    @field_validator("slack_client_secret")
    @classmethod
    def _client_secret(cls, secret: SecretStr | None) -> SecretStr | None:
        return one_word(secret)

    @field_validator("slack_config_token")
    @classmethod
    def _config_token(cls, token: SecretStr | None) -> SecretStr | None:
        return prefixed(token, "xoxe", "an app configuration token: api.slack.com/apps, below the apps")

    @field_validator("slack_redirect_uri")
    @classmethod
    def _redirect_uri(cls, uri: str | None) -> str | None:
        if uri is None:
            return None
        try:
            parts = urlsplit(uri.strip())
            is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOCAL)
        except ValueError:
            raise ValueError("is no address") from None
        if not is_safe or not parts.hostname:
            raise ValueError("has to start with https:// (or http:// for this machine alone)")
        if not parts.path.endswith(REDIRECT_PATH) or parts.query or parts.fragment:
            raise ValueError(f"has to end in {REDIRECT_PATH}")
        return uri.strip()

    @field_validator("slack_teams")
    @classmethod
    def _teams(cls, teams: str | None) -> str | None:
        if teams is None or teams.strip() == ANY:
            return teams and teams.strip()
        for id in _parts(teams):
            if not re.fullmatch(r"[TE][A-Z0-9]{2,30}", id):
                raise ValueError("has to be ids of workspaces (T…) and organisations (E…), or any")
        return teams.strip()

    @field_validator("bot_tokens_key")
    @classmethod
    def _tokens_key(cls, keys: SecretStr | None) -> SecretStr | None:
        if keys is None:
            return None
        found = _parts(keys.get_secret_value())
        for place, key in enumerate(found, start=1):
            if not _is_key(key):
                which = f"key number {place} of it is" if len(found) > 1 else "it is"
                raise ValueError(f"{which} no Fernet key; {MAKE_A_KEY}")
        return SecretStr(",".join(found))

    @property
    def is_for_several(self) -> bool:
        """Whether workspaces install the bot by themselves."""
        return bool(self.slack_client_id or self.slack_client_secret)

    @property
    def token_keys(self) -> tuple[str, ...]:
        """The keys of what is encrypted in the database, the one that encrypts first."""
        return tuple(_parts(self.bot_tokens_key.get_secret_value())) if self.bot_tokens_key else ()

    @property
    def teams(self) -> frozenset[str] | None:
        """The workspaces and organisations that may install; None for all."""
        return None if self.slack_teams == ANY else frozenset(_parts(self.slack_teams or ""))

    def missing_for_several(self) -> list[str]:
        """What an installation by OAuth still needs, one sentence each."""
        needed = {
            NO_CLIENT_ID: self.slack_client_id,
            ID_ALONE: self.slack_client_secret,
            NO_REDIRECT: self.slack_redirect_uri,
            NO_TEAMS: self.slack_teams,
            NO_KEY: self.bot_tokens_key,
        }
        return [sentence for sentence, value in needed.items() if not value]


def prefixed(token: SecretStr | None, prefix: str, what: str) -> SecretStr | None:
    """The token, which has to start so; `ValueError` otherwise."""
    token = one_word(token)
    if token and not token.get_secret_value().startswith(prefix):
        raise ValueError(f"does not start with {prefix}; it has to be {what}")
    return token


def one_word(secret: SecretStr | None) -> SecretStr | None:
    """Without the white space around it that copying brings along; none may be within."""
    if secret is None:
        return None
    word = secret.get_secret_value().strip()
    if not re.fullmatch(r"[!-~]*", word):
        raise ValueError("has characters that no secret of Slack's has; copy it again")
    return SecretStr(word) if word else None


def _parts(listed: str) -> list[str]:
    return [part.strip() for part in listed.split(",") if part.strip()]


def _is_key(key: str) -> bool:
    try:
        return len(base64.b64decode(key.encode(), altchars=b"-_", validate=True)) == _KEY_BYTES
    except (binascii.Error, ValueError):
        return False
