"""Where a message of ours is whose answer was lost: Slack is asked for one that carries the post's id."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.ids import PostId
from bot.approvals.places import is_to_person
from bot.slack.drawing import Drawing

MARK: Final = "approval_bot_post"
"""The event type of the metadata that every message of ours carries; its payload is the post's id."""

SEARCH_DEPTH: Final = 200
"""Messages to look through for one whose answer was lost; it is among the latest."""


def mark(id: PostId, number: int) -> dict[str, Any]:
    """The metadata of one part of a post."""
    return {"event_type": MARK, "event_payload": {"post": id, "part": number}}


def file_name(id: PostId) -> str:
    """The file's name, by which it is found: no other post has the same."""
    return f"answer-{hashlib.sha256(id.encode()).hexdigest()[:12]}.md"


def _holds(message: Mapping[str, Any], id: PostId) -> bool:
    """Whether a message of Slack's carries this post's file."""
    return any(
        one.get("name") == file_name(id) for one in message.get("files") or () if isinstance(one, dict)
    )


async def found(client: AsyncWebClient, drawing: Drawing, number: int) -> dict[str, Any] | None:
    """Where this part is, if Slack has it although its answer was lost."""
    wanted = mark(drawing.post.id, number)
    return await _found(client, drawing, lambda message: message.get("metadata") == wanted)


async def found_file(client: AsyncWebClient, drawing: Drawing) -> dict[str, Any] | None:
    """The same of a post's file."""
    return await _found(client, drawing, lambda message: _holds(message, drawing.post.id))


async def _found(
    client: AsyncWebClient, drawing: Drawing, is_it: Callable[[dict[str, Any]], bool]
) -> dict[str, Any] | None:
    channel = drawing.channel
    if is_to_person(channel):
        channel = await _messages_with(client, channel)
    if not channel:
        return None
    if drawing.thread_ts is None:
        pages = await client.conversations_history(
            channel=channel, include_all_metadata=True, limit=SEARCH_DEPTH
        )
    else:
        pages = await client.conversations_replies(
            channel=channel, ts=drawing.thread_ts, include_all_metadata=True, limit=SEARCH_DEPTH
        )
    async for page in pages:
        for message in page["messages"]:
            if is_it(message):
                return {"channel": channel, "ts": message["ts"]}
        if drawing.thread_ts is None:
            break
    return None


async def _messages_with(client: AsyncWebClient, person: str) -> str:
    """The direct message with somebody; empty if there is none yet."""
    async for page in await client.conversations_list(types="im", limit=200):
        for one in page["channels"]:
            if one.get("user") == person:
                return str(one["id"])
    return ""
