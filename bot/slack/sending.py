"""The two calls by which a message of ours comes into Slack: posted, or put in the place of what it was."""

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.approvals import tenure
from bot.approvals.conversation import PostKind
from bot.slack.drawing import Drawing
from bot.slack.finding import mark
from bot.slack.message import Message


async def post(client: AsyncWebClient, drawing: Drawing, message: Message, number: int) -> AsyncSlackResponse:
    """Post one part of the drawing where it belongs."""
    # What is said below a card is for everybody who saw the card, who follow no thread there.
    is_for_all = drawing.thread_ts and (drawing.post.kind is PostKind.CARD or drawing.below)
    tenure.check()
    return await client.chat_postMessage(
        channel=drawing.channel,
        thread_ts=drawing.thread_ts,
        reply_broadcast=True if is_for_all else None,
        text=message.text,
        blocks=message.blocks,
        metadata=mark(drawing.post.id, number),
        unfurl_links=False,
        unfurl_media=False,
        parse="none",
    )


async def update(client: AsyncWebClient, drawing: Drawing, message: Message) -> AsyncSlackResponse:
    """Show the drawing in the place of what its message shows."""
    tenure.check()
    return await client.chat_update(
        channel=drawing.post.channel or "",
        ts=drawing.post.ts or "",
        text=message.text,
        blocks=message.blocks,
        metadata=mark(drawing.post.id, 0),
        parse="none",
    )
