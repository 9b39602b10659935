"""The first schema: conversations, approvals, posts, the record, and the embedded engine's jobs."""

from collections.abc import Callable

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.installations import installations

revision = "0001"
down_revision = None


# The next place in the record's chain, for a row with this form (see `bot.store.chain`). The lock is held to
# the end of the transaction; what is read after it is what the transaction before it committed.
_NEXT = """
CREATE FUNCTION audit_next(form bytea, OUT seq bigint, OUT prev text, OUT hash text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(12099150290946);
    SELECT last.seq, last.hash INTO seq, prev FROM audit AS last ORDER BY last.seq DESC LIMIT 1;
    seq := coalesce(seq, 0) + 1;
    prev := coalesce(prev, repeat('0', 64));
    hash := encode(sha256(form || convert_to(prev || '","seq":' || seq || '}', 'UTF8')), 'hex');
END $$
"""


def _seq() -> sa.Column[int]:
    return sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False)


def upgrade() -> None:
    """Make every table, its indexes and its triggers."""
    _conversations()
    _approvals()
    _executions()
    _posts()
    _audit()
    _homes()
    installations()
    _jobs()
    _triggers(_refuse if op.get_bind().dialect.name == "sqlite" else _refuse_on_postgres)


def _triggers(refuse: Callable[[str, str, str], None]) -> None:
    refuse("audit", "UPDATE", "the record is append-only")
    refuse("audit", "DELETE", "the record is append-only")
    refuse("actions", "UPDATE", "what people were shown does not change")


def _conversations() -> None:
    op.create_table(
        "conversations",
        _seq(),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("thread_ts", sa.String()),
        sa.Column("requester", sa.String(), nullable=False),
        sa.Column("started_at", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("rested_at", sa.String()),
        sa.Column("forgotten", sa.Boolean(), nullable=False),
        sa.Column("following", sa.String()),
        sa.PrimaryKeyConstraint("seq", name="pk_conversations"),
        sa.UniqueConstraint("id", name="uq_conversations_id"),
        sa.UniqueConstraint("channel", "thread_ts", name="uq_conversations_channel_thread_ts"),
    )
    op.create_index("ix_conversations_requester", "conversations", ["requester"])
    op.create_index("ix_conversations_status", "conversations", ["status"])
    op.create_index("ix_conversations_rested_at", "conversations", ["rested_at"])
    op.create_table(
        "messages",
        _seq(),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("conversation", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("text", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("handed_over", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_messages"),
        sa.UniqueConstraint("id", name="uq_messages_id"),
        sa.UniqueConstraint("source", name="uq_messages_source"),
        sa.ForeignKeyConstraint(["conversation"], ["conversations.id"], name="fk_messages_conversation"),
    )
    op.create_index("ix_messages_conversation_handed_over", "messages", ["conversation", "handed_over"])


def _approvals() -> None:
    op.create_table(
        "approvals",
        _seq(),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("conversation", sa.String(), nullable=False),
        sa.Column("interrupt", sa.String(), nullable=False),
        sa.Column("shape", sa.String(), nullable=False),
        sa.Column("asked_at", sa.String(), nullable=False),
        sa.Column("requesters", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", sa.String()),
        sa.Column("timers", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("outcomes", sa.LargeBinary(), nullable=False),
        sa.Column("note", sa.LargeBinary(), nullable=False),
        sa.Column("escalated_to", sa.LargeBinary(), nullable=False),
        sa.Column("card", sa.String()),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_approvals"),
        sa.UniqueConstraint("id", name="uq_approvals_id"),
        sa.UniqueConstraint("conversation", "interrupt", name="uq_approvals_conversation_interrupt"),
        sa.ForeignKeyConstraint(["conversation"], ["conversations.id"], name="fk_approvals_conversation"),
    )
    op.create_index("ix_approvals_state", "approvals", ["state"])
    op.create_index("ix_approvals_conversation_state", "approvals", ["conversation", "state"])
    op.create_index("ix_approvals_card", "approvals", ["card"])
    op.create_table(
        "actions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("approval", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("call", sa.String(), nullable=False),
        sa.Column("tool", sa.LargeBinary(), nullable=False),
        sa.Column("chosen", sa.LargeBinary()),
        sa.Column("request", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_actions"),
        sa.UniqueConstraint("approval", "position", name="uq_actions_approval_position"),
        sa.ForeignKeyConstraint(["approval"], ["approvals.id"], name="fk_actions_approval"),
    )
    op.create_index("ix_actions_message_call", "actions", ["message", "call"])


def _executions() -> None:
    op.create_table(
        "executions",
        _seq(),
        sa.Column("conversation", sa.String(), nullable=False),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("call", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("approval", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("progress", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("result", sa.LargeBinary()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("given_up", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_executions"),
        sa.UniqueConstraint(
            "conversation", "message", "call", "digest", name="uq_executions_conversation_message_call_digest"
        ),
        sa.ForeignKeyConstraint(["conversation"], ["conversations.id"], name="fk_executions_conversation"),
        sa.ForeignKeyConstraint(["approval"], ["approvals.id"], name="fk_executions_approval"),
        sa.ForeignKeyConstraint(["action"], ["actions.id"], name="fk_executions_action"),
    )
    op.create_index("ix_executions_progress", "executions", ["progress"])


def _posts() -> None:
    op.create_table(
        "posts",
        _seq(),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("conversation", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.LargeBinary(), nullable=False),
        sa.Column("approval", sa.String()),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("channel", sa.String()),
        sa.Column("ts", sa.String()),
        sa.Column("drawn", sa.Integer(), nullable=False),
        sa.Column("settled_by", sa.String()),
        sa.Column("problem", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_posts"),
        sa.UniqueConstraint("id", name="uq_posts_id"),
        sa.ForeignKeyConstraint(["conversation"], ["conversations.id"], name="fk_posts_conversation"),
        sa.ForeignKeyConstraint(["approval"], ["approvals.id"], name="fk_posts_approval"),
    )
    op.create_index("ix_posts_conversation", "posts", ["conversation"])
    op.create_index("ix_posts_approval", "posts", ["approval"])
    op.create_index("ix_posts_state", "posts", ["state"])


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column(
            "seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False, autoincrement=False
        ),
        sa.Column("prev", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("conversation", sa.String()),
        sa.Column("approval", sa.String()),
        sa.Column("action", sa.String()),
        sa.Column("actor", sa.String()),
        sa.Column("detail", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_audit"),
    )
    op.create_index("ix_audit_conversation", "audit", ["conversation"])
    op.create_index("ix_audit_actor_seq", "audit", ["actor", "seq"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_NEXT)


def _homes() -> None:
    op.create_table(
        "homes",
        _seq(),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("opened_at", sa.String(), nullable=False),
        sa.Column("view", sa.String()),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("began_at", sa.String()),
        sa.Column("drawn", sa.String(), nullable=False),
        sa.Column("seen", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_homes"),
        sa.UniqueConstraint("person", name="uq_homes_person"),
    )
    op.create_index("ix_homes_opened_at", "homes", ["opened_at"])


def _jobs() -> None:
    op.create_table(
        "jobs",
        _seq(),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("key", sa.String()),
        sa.Column("payload", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("due", sa.Double(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("postponed", sa.Integer(), nullable=False),
        sa.Column("error", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_jobs"),
        sa.UniqueConstraint("id", name="uq_jobs_id"),
    )
    op.create_index("ix_jobs_state_due_kind", "jobs", ["state", "due", "kind"])
    op.create_index("ix_jobs_state_kind_seq", "jobs", ["state", "kind", "seq"])
    op.create_index("ix_jobs_key_seq", "jobs", ["key", "seq"])


def _refuse(table: str, verb: str, reason: str) -> None:
    op.execute(
        f"CREATE TRIGGER {table}_refuses_{verb.lower()} BEFORE {verb} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{reason}'); END"
    )


def _refuse_on_postgres(table: str, verb: str, reason: str) -> None:
    name = f"{table}_refuses_{verb.lower()}"
    op.execute(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ "
        f"BEGIN RAISE EXCEPTION '{reason}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
    )
    # For statements, so that one that would change no row is refused too; TRUNCATE is a way to delete.
    verbs = "DELETE OR TRUNCATE" if verb == "DELETE" else verb
    op.execute(
        f"CREATE TRIGGER {name} BEFORE {verbs} ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
    )
