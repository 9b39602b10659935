"""The tables. `migrations/` makes them; a test holds the two equal.

Every table has `seq`, the order in which rows came, because two things can happen in one microsecond.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    UniqueConstraint,
)

from bot.store.columns import Moment, Name, Prose, Words
from bot.store.installation_tables import bots_table, installations_table, states_table

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _seq() -> Column[Any]:
    # SQLite numbers rows by itself only where the type is exactly INTEGER.
    return Column("seq", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True)


conversations = Table(
    "conversations",
    metadata,
    _seq(),
    Column("id", Name(), nullable=False, unique=True),
    Column("channel", Name(), nullable=False),
    Column("thread_ts", Name()),
    Column("requester", Name(), nullable=False),
    Column("started_at", Moment(), nullable=False),
    Column("agent", Name(), nullable=False),  # empty for one without a name
    Column("status", Name(), nullable=False),
    Column("rested_at", Moment()),
    Column("forgotten", Boolean(), nullable=False),
    Column("following", Name()),
    UniqueConstraint("channel", "thread_ts"),
    Index(None, "requester"),
    Index(None, "status"),
    Index(None, "rested_at"),
)

messages = Table(
    "messages",
    metadata,
    _seq(),
    Column("id", Name(), nullable=False, unique=True),
    Column("conversation", Name(), ForeignKey("conversations.id"), nullable=False),
    Column("by", Name(), nullable=False),
    Column("text", Prose(), nullable=False),
    Column("at", Moment(), nullable=False),
    Column("source", Name(), nullable=False, unique=True),
    Column("handed_over", Boolean(), nullable=False),
    Index(None, "conversation", "handed_over"),
)

approvals = Table(
    "approvals",
    metadata,
    _seq(),
    Column("id", Name(), nullable=False, unique=True),
    Column("conversation", Name(), ForeignKey("conversations.id"), nullable=False),
    Column("interrupt", Name(), nullable=False),
    Column("shape", Name(), nullable=False),
    Column("asked_at", Moment(), nullable=False),
    Column("requesters", Prose(), nullable=False),  # JSON list of user ids
    Column("expires_at", Moment()),
    Column("timers", Prose(), nullable=False),  # JSON list of job ids
    Column("state", Name(), nullable=False),
    Column("version", Integer(), nullable=False),
    Column("outcomes", Prose(), nullable=False),  # JSON object by action id
    Column("note", Words(), nullable=False),
    Column("escalated_to", Prose(), nullable=False),  # JSON list of user ids
    Column("card", Name()),  # the approval on whose card it stands; null for its own
    Column("held", Boolean(), nullable=False),
    UniqueConstraint("conversation", "interrupt"),
    # Without the second one, SQLite looks through all that wait for those of one conversation.
    Index(None, "state"),
    Index(None, "conversation", "state"),
    Index(None, "card"),
)

# What people are shown. Never updated (a trigger refuses it): a click writes only the small row above,
# however long the arguments are.
actions = Table(
    "actions",
    metadata,
    Column("id", Name(), primary_key=True),
    Column("approval", Name(), ForeignKey("approvals.id"), nullable=False),
    Column("position", Integer(), nullable=False),
    Column("message", Name(), nullable=False),
    Column("call", Name(), nullable=False),
    # The request's own, for those who look through many.
    Column("tool", Prose(), nullable=False),
    Column("chosen", Prose()),  # JSON object
    Column("request", Prose(), nullable=False),  # JSON object
    UniqueConstraint("approval", "position"),
    Index(None, "message", "call"),
)

# What was about to run, and what became of it.
executions = Table(
    "executions",
    metadata,
    _seq(),
    Column("conversation", Name(), ForeignKey("conversations.id"), nullable=False),
    Column("message", Name(), nullable=False),
    Column("call", Name(), nullable=False),
    Column("digest", Name(), nullable=False),
    Column("tool", Name(), nullable=False),
    Column("approval", Name(), ForeignKey("approvals.id"), nullable=False),
    Column("action", Name(), ForeignKey("actions.id"), nullable=False),
    Column("progress", Name(), nullable=False),
    Column("attempt", Integer(), nullable=False),
    Column("asked", Integer(), nullable=False),
    Column("result", Prose()),  # JSON object
    Column("version", Integer(), nullable=False),
    Column("given_up", Boolean(), nullable=False),  # whether it ran is nobody's question any more
    UniqueConstraint("conversation", "message", "call", "digest"),
    Index(None, "progress"),
)

posts = Table(
    "posts",
    metadata,
    _seq(),
    Column("id", Name(), nullable=False, unique=True),
    Column("conversation", Name(), ForeignKey("conversations.id"), nullable=False),
    Column("kind", Name(), nullable=False),
    Column("text", Words(), nullable=False),
    Column("approval", Name(), ForeignKey("approvals.id")),
    Column("place", Name(), nullable=False),
    Column("state", Name(), nullable=False),
    Column("channel", Name()),
    Column("ts", Name()),
    Column("drawn", Integer(), nullable=False),
    Column("settled_by", Name()),
    Column("problem", Prose(), nullable=False),
    Index(None, "conversation"),
    Index(None, "approval"),
    Index(None, "state"),
)

# Append-only: triggers refuse UPDATE and DELETE. No foreign keys: it tells of unknown things as well. A
# chain, see `chain`: the number is the row's place in it, so no two rows can follow the same one.
audit = Table(
    "audit",
    metadata,
    Column("seq", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=False),
    Column("prev", Name(), nullable=False),
    Column("hash", Name(), nullable=False),
    Column("kind", Name(), nullable=False),
    Column("at", Moment(), nullable=False),
    Column("conversation", Name()),
    Column("approval", Name()),
    Column("action", Name()),
    Column("actor", Name()),
    Column("detail", Prose(), nullable=False),  # JSON object
    Index(None, "conversation"),
    Index(None, "actor", "seq"),
)

# Whose Home tab was opened lately; everything in it can be drawn again from the other tables.
homes = Table(
    "homes",
    metadata,
    _seq(),
    Column("person", Name(), nullable=False, unique=True),
    Column("opened_at", Moment(), nullable=False),
    Column("view", Name()),
    Column("round", Integer(), nullable=False),
    Column("began_at", Moment()),
    Column("drawn", Name(), nullable=False),
    Column("seen", Prose(), nullable=False),  # JSON object: versions by approval
    Index(None, "opened_at"),
)

# Who has installed the bot. Used with the keys alone, through `installations`; here for the schema.
bots_table(metadata)
installations_table(metadata)
states_table(metadata)
