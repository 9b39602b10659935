"""The tables of installations: columns named as slack_sdk has them, tokens only encrypted."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, MetaData, String, Table
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from bot.store.columns import Moment, Name, Prose, utc_text
from bot.store.sealing import Sealed, Seals


class Instant(TypeDecorator[datetime]):
    """A `Moment` that takes what slack_sdk gives: times in UTC that do not say so."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's
        """As the database takes it."""
        if value is None:
            return None
        return utc_text(value if value.tzinfo else value.replace(tzinfo=UTC))

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's
        """As it was, with its zone."""
        return None if value is None else datetime.fromisoformat(value)


def bots_table(metadata: MetaData, seals: Seals | None = None) -> Table:
    """The bot of each workspace or organisation: the tokens that count."""
    return Table(
        "slack_bots", metadata, *_whose(seals), Column("renewing_until", Moment()), _index("slack_bots")
    )


def installations_table(metadata: MetaData, seals: Seals | None = None) -> Table:
    """Who installed it there, and what that person allowed."""
    return Table(
        "slack_installations",
        metadata,
        *_whose(seals),
        Column("enterprise_url", Prose()),
        Column("user_id", Name(), nullable=False),
        Column("user_token", Sealed(seals)),
        Column("user_scopes", Prose()),
        Column("user_refresh_token", Sealed(seals)),
        Column("user_token_expires_at", Instant()),
        Column("incoming_webhook_url", Sealed(seals)),
        Column("incoming_webhook_channel", Prose()),
        Column("incoming_webhook_channel_id", Name()),
        Column("incoming_webhook_configuration_url", Sealed(seals)),
        Column("token_type", Name()),
        _index("slack_installations", "user_id"),
    )


def states_table(metadata: MetaData) -> Table:
    """The `state` of each installation that came back from Slack: none is taken twice."""
    return Table(
        "slack_states",
        metadata,
        Column("digest", Name(), primary_key=True),
        Column("expires_at", Moment(), nullable=False),
        Index("ix_slack_states_expires_at", "expires_at"),
    )


def _whose(seals: Seals | None) -> list[Column[Any]]:
    return [
        # SQLite numbers rows by itself only where the type is exactly INTEGER.
        Column("id", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True),
        Column("client_id", Name(), nullable=False),
        Column("app_id", Name(), nullable=False),
        Column("enterprise_id", Name()),
        Column("enterprise_name", Prose()),
        Column("team_id", Name()),
        Column("team_name", Prose()),
        Column("bot_token", Sealed(seals)),
        Column("bot_id", Name()),
        Column("bot_user_id", Name()),
        Column("bot_scopes", Prose()),
        Column("bot_refresh_token", Sealed(seals)),
        Column("bot_token_expires_at", Instant()),
        Column("is_enterprise_install", Boolean(), nullable=False),
        Column("installed_at", Instant(), nullable=False),
    ]


def _index(table: str, *more: str) -> Index:
    return Index(f"ix_{table}_place", "client_id", "enterprise_id", "team_id", *more)
