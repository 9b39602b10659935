"""What a person has before them: finding something in it, and showing it to whoever reads a failed test."""

from collections.abc import Callable

from bot.sandbox import reading
from bot.sandbox.records import Json

Wanted = str | Callable[[Json], bool]
"""What to look for: some of its text, or a question to the whole message."""

LONGEST_PICTURE = 4000


def picture(state: Json) -> str:
    """What a person has before them, for the eyes of whoever reads a failed test."""
    lines = [
        f"  {'  ↳ ' if message.get('thread_ts') else ''}{message['username']}"
        f"{' (only you see this)' if message.get('ephemeral') else ''}: {reading.text_of(message)!r}"
        f" {reading.buttons(message) or ''}"
        for message in messages_in(state, None)
    ]
    lines += [f"  form: {reading.text_of(view)!r} {view.get('errors') or ''}" for view in state["views"]]
    if state["home"] is not None:
        lines.append(f"  Home: {reading.text_of(state['home'])!r}")
    lines += [f"  notice: {notice['text']}" for notice in state["notices"]]
    return "\n".join(lines)[-LONGEST_PICTURE:] or "  nothing at all"


def messages_in(state: Json, channel: str | None) -> list[Json]:
    """The messages of one channel, or of all, each with its channel."""
    return [
        {**message, "channel": channel_id}
        for channel_id, messages in state["messages"].items()
        if channel in (None, channel_id)
        for message in messages
    ]


def fits(shown: Json, wanted: Wanted) -> bool:
    """Whether a message, form or Home is as wanted."""
    if callable(wanted):
        return bool(wanted(shown))
    return wanted in reading.text_of(shown) or wanted in str(shown.get("text", ""))
