"""A line of the record as a JSON document, for a SIEM. The keys are stable.

{`seq`, `at`, `kind`, `conversation`, `approval`, `action`, `actor`, `detail`, `prev`, `hash`}: `seq` counts
all lines from 1; `at` is ISO 8601 in UTC; `kind` says what happened, `detail` more of it, by kind; ids that
there are none of are null; `hash` is the line's own in the chain and `prev` that of the line before it.
"""

from datetime import UTC

from bot.approvals.decision import Json, strict
from bot.store.auditing import Recorded


def document(line: Recorded) -> dict[str, Json]:
    """The line, with nothing in it that strict JSON cannot say."""
    event = line.event
    return {
        "seq": line.link.seq,
        "at": event.at.astimezone(UTC).isoformat(),
        "kind": event.kind,
        "conversation": event.conversation,
        "approval": event.approval,
        "action": event.action,
        "actor": event.actor,
        "detail": strict(dict(event.detail)),
        "prev": line.prev,
        "hash": line.link.hash,
    }
