"""Of the first schema: who has installed the bot."""

from typing import Any

import sqlalchemy as sa
from alembic import op


def installations() -> None:
    """Make the tables of installations, for the first schema."""
    op.create_table(
        "slack_bots",
        *_installed(),
        sa.Column("renewing_until", sa.String()),
        sa.PrimaryKeyConstraint("id", name="pk_slack_bots"),
    )
    op.create_table(
        "slack_installations",
        *_installed(),
        sa.Column("enterprise_url", sa.LargeBinary()),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("user_token", sa.LargeBinary()),
        sa.Column("user_scopes", sa.LargeBinary()),
        sa.Column("user_refresh_token", sa.LargeBinary()),
        sa.Column("user_token_expires_at", sa.String()),
        sa.Column("incoming_webhook_url", sa.LargeBinary()),
        sa.Column("incoming_webhook_channel", sa.LargeBinary()),
        sa.Column("incoming_webhook_channel_id", sa.String()),
        sa.Column("incoming_webhook_configuration_url", sa.LargeBinary()),
        sa.Column("token_type", sa.String()),
        sa.PrimaryKeyConstraint("id", name="pk_slack_installations"),
    )
    place = ["client_id", "enterprise_id", "team_id"]
    op.create_index("ix_slack_bots_place", "slack_bots", place)
    op.create_index("ix_slack_installations_place", "slack_installations", [*place, "user_id"])
    op.create_table(
        "slack_states",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("expires_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_slack_states"),
    )
    op.create_index("ix_slack_states_expires_at", "slack_states", ["expires_at"])


def _installed() -> list[sa.Column[Any]]:
    return [
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("client_id", sa.String(), nullable=False),
        sa.Column("app_id", sa.String(), nullable=False),
        sa.Column("enterprise_id", sa.String()),
        sa.Column("enterprise_name", sa.LargeBinary()),
        sa.Column("team_id", sa.String()),
        sa.Column("team_name", sa.LargeBinary()),
        sa.Column("bot_token", sa.LargeBinary()),
        sa.Column("bot_id", sa.String()),
        sa.Column("bot_user_id", sa.String()),
        sa.Column("bot_scopes", sa.LargeBinary()),
        sa.Column("bot_refresh_token", sa.LargeBinary()),
        sa.Column("bot_token_expires_at", sa.String()),
        sa.Column("is_enterprise_install", sa.Boolean(), nullable=False),
        sa.Column("installed_at", sa.String(), nullable=False),
    ]
