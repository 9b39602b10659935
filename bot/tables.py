"""Reports for a terminal: label and value, so that they read on narrow ones and in pipes too.

Everything in them came from a model or from people: nothing is taken for markup, and what does not print
(control characters, what changes the direction of writing) is shown by its code.
"""

import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.reports import Document

LONGEST: Final = 400
"""Characters of one value; `--json` has all."""

PIPE: Final = 10_000
"""The width of a pipe: nothing is folded, a value stays on one line."""

NOBODY_KNOWN: Final = "whoever the running bot's policy names (there is no approvals.toml here)"


HELD: Final = "none yet: it waits for its turn behind those that are open, and nobody is asked yet"


def console() -> Console:
    """Standard output, as wide as the terminal; what it cannot encode does not stop it."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else PIPE)


def pending_table(report: Document) -> RenderableType:
    """What waits, one block for each."""
    waiting = report["pending"]
    if not waiting:
        return Text("Nothing waits for a decision.")
    parts: list[RenderableType] = []
    for one in waiting:
        parts += [_waiting(one), Text()]
    count = len(waiting)
    return Group(*parts, Text("1 approval waits." if count == 1 else f"{count:,} approvals wait."))


def conversation_table(report: Document) -> RenderableType:
    """One conversation: what was asked and decided, what is shown, what is kept."""
    about = report["conversation"]
    parts: list[RenderableType] = [
        _block(
            ("conversation", about["id"]),
            *_agent(about),
            ("status", about["status"]),
            ("thread", _message(about["channel"], about["thread_ts"])),
            ("asked by", about["requester"]),
            ("started", _moment(about["started_at"])),
        )
    ]
    for approval in report["approvals"]:
        parts += [Text(), _approval(approval)]
    if report["executions"]:
        parts += [Text(), _heading("executions"), *map(_execution, report["executions"])]
    if report["posts"]:
        parts += [Text(), _heading("posts"), *map(_post, report["posts"])]
    if report["kept"]:
        parts += [Text(), _heading("kept for the agent")]
        parts += [_indented(_block((said["by"], said["text"]))) for said in report["kept"]]
    return Group(*parts)


def _agent(about: Document) -> list[tuple[str, str]]:
    return [("agent", about["agent"])] if "agent" in about else []


def _waiting(one: Document) -> RenderableType:
    card = one["card"] or {"state": HELD if one["held"] else "not owed yet", "channel": None, "ts": None}
    return _block(
        ("conversation", one["conversation"]),
        *_agent(one),
        ("approval", one["approval"]),
        ("asked by", ", ".join(one["requesters"])),
        ("since", _since(one["asked_at"])),
        ("until", _moment(one["expires_at"])),
        ("card", f"{card['state']} {_message(card['channel'], card['ts'])}"),
        *[pair for action in one["actions"] for pair in _asked(action)],
    )


def _asked(action: Document) -> Iterable[tuple[str, str]]:
    yield "tool", f"{action['tool']} ({action['id']})"
    if action["decision"]:
        yield "", _decision(action["decision"])
    else:
        who = action["approvers"]
        yield "waits for", NOBODY_KNOWN if who is None else ", ".join(who)
    if action["votes"] and not action["decision"]:
        yield "votes", f"{', '.join(vote['by'] for vote in action['votes'])}; {action['missing']} more needed"


def _approval(approval: Document) -> RenderableType:
    head = _block(
        ("approval", approval["id"]),
        ("state", f"{approval['state']} ({approval['note']})" if approval["note"] else approval["state"]),
        ("asked by", ", ".join(approval["requesters"])),
        ("since", _moment(approval["asked_at"])),
        ("until", _moment(approval["expires_at"])),
    )
    return Group(head, *(_indented(_action(action)) for action in approval["actions"]))


def _action(action: Document) -> RenderableType:
    decision = action["decision"]
    return _block(
        ("tool", f"{action['tool']} ({action['id']})"),
        ("arguments", _json(action["arguments"])),
        ("decision", _decision(decision) if decision else "none yet"),
    )


def _decision(decision: Document) -> str:
    said = {name: value for name, value in decision.items() if name not in {"type", "by", "at"}}
    told = f": {_json(said)}" if said else ""
    by = f" by {decision['by']}" if decision["by"] else ""
    return f"{decision['type']}{by}, {_moment(decision['at'])}{told}"


def _execution(one: Document) -> RenderableType:
    times = f" ({one['attempt']} attempts)" if one["attempt"] > 1 else ""
    return _indented(_block((one["tool"], f"{one['progress']}{times}, {one['action']}")))


def _post(post: Document) -> RenderableType:
    where = _message(post["channel"], post["ts"])
    problem = f" ({post['problem']})" if post["problem"] else ""
    return _indented(_block((post["kind"], f"{post['state']} {where}{problem} {post['text']}".strip())))


def _block(*pairs: tuple[str, str]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for label, value in pairs:
        table.add_row(Text(printable(label)), Text(_cut(printable(value))))
    return table


def _indented(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 2))


def _heading(text: str) -> Text:
    return Text(text, style="bold")


def _message(channel: str | None, ts: str | None) -> str:
    return f"in {channel} at {ts}" if channel and ts else f"in {channel}" if channel else ""


def _moment(at: str | None) -> str:
    return f"{datetime.fromisoformat(at):%Y-%m-%d %H:%M:%S} UTC" if at else "never"


def _since(at: str) -> str:
    seconds = max(int((datetime.now(UTC) - datetime.fromisoformat(at)).total_seconds()), 0)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{_moment(at)} ({seconds // size} {unit})"
    return f"{_moment(at)} ({seconds} s)"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def printable(text: str) -> str:
    """The text with what does not print (and could move a terminal's cursor) shown by its code."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters; --json has all)"
