"""Which conversation an operator means: by its id, or by the link of a Slack message in its thread."""

import re
from typing import Final
from urllib.parse import parse_qs, urlsplit

from bot.approvals.ids import ChannelId, ConversationId, Ts
from bot.store.finding import conversation_of_message
from bot.store.transaction import RowsTransaction

_LINK: Final = re.compile(r"/archives/(?P<channel>[A-Z0-9]+)/p(?P<ts>[0-9]{7,})")
_MICROSECONDS: Final = 6


class UnknownThread(Exception):  # noqa: N818 - said to an operator
    """No conversation is meant by what was typed, in one sentence."""

    def __init__(self, thread: str) -> None:
        super().__init__(
            f"No conversation is known at {thread}; give the link of a message in its thread."
            if "://" in thread
            else f"There is no conversation {thread!r} here; give an id as `pending` prints it, or the link "
            "of a Slack message in its thread."
        )


async def conversation_meant(tx: RowsTransaction, thread: str) -> ConversationId:
    """The conversation with this id, or in whose thread the linked message is; `UnknownThread` if none is."""
    if message := _linked(thread):
        channel, ts, root = message
        for one in (ts, root):
            if one and (id := await conversation_of_message(tx.connection, channel, one)):
                return id
    elif await tx.conversations.get(ConversationId(thread.strip())):
        return ConversationId(thread.strip())
    raise UnknownThread(thread)


def _linked(thread: str) -> tuple[ChannelId, Ts, Ts | None] | None:
    """Channel, message and thread of a message's link, `https://…/archives/C…/p1700000000000100`."""
    try:
        link = urlsplit(thread.strip())
    except ValueError:
        return None
    place = _LINK.fullmatch(link.path) if link.scheme in {"http", "https"} else None
    if place is None:
        return None
    digits = place["ts"]
    roots = parse_qs(link.query).get("thread_ts", [])
    return (
        ChannelId(place["channel"]),
        Ts(f"{digits[:-_MICROSECONDS]}.{digits[-_MICROSECONDS:]}"),
        Ts(roots[0]) if roots else None,
    )
