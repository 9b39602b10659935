"""A very long answer as a file in its thread, and how it is found again when Slack's answer was lost."""

from typing import Final

import structlog
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals import tenure
from bot.slack.drawing import Drawing
from bot.slack.finding import file_name, found, found_file
from bot.slack.message import File
from bot.slack.refusals import Meaning, meaning_of, name_of

_LACKING: Final = frozenset({"missing_scope", "no_permission", "not_allowed_token_type"})
"""What a person could mend; until then an answer is told in messages."""

_IN_DOUBT: Final = frozenset({"fatal_error", "internal_error", "request_timeout", "service_unavailable"})
"""What does not say whether anything was done."""

log = structlog.get_logger()


class NoFilesError(Exception):
    """A file cannot be sent, or the answer is being told in messages already."""


async def known(client: AsyncWebClient, drawing: Drawing, number: int) -> dict[str, str] | None:
    """Its place, if Slack has it although its answer was lost; `NoFilesError` if it has words instead."""
    if await found(client, drawing, number):
        raise NoFilesError
    return place_of(drawing) if await found_file(client, drawing) else None


def place_of(drawing: Drawing) -> dict[str, str]:
    """Where the answer's first message is: Slack says nothing of the one that shows the file."""
    return {"channel": drawing.channel, "ts": drawing.post.ts or ""}


async def upload(client: AsyncWebClient, drawing: Drawing, file: File) -> dict[str, str]:
    """Send it where the drawing belongs; `NoFilesError` where Slack does not take it."""
    post = drawing.post
    tenure.check()
    try:
        await client.files_upload_v2(
            filename=file_name(post.id),
            title=file.title,
            content=file.content,
            channel=drawing.channel,
            thread_ts=drawing.thread_ts,
        )
    except SlackRequestError as error:  # the place that was given for it does not take it
        log.warning("file_not_sent", post=post.id, error=type(error).__name__)
        raise NoFilesError from error
    except SlackApiError as error:
        if name_of(error) in _IN_DOUBT or name_of(error).startswith("http_5"):
            raise ConnectionError(name_of(error)) from error  # it is looked for before it is sent again
        may_come = meaning_of(error) in {Meaning.WAIT, Meaning.NO_CHANNEL}
        if may_come and name_of(error) not in _LACKING:
            raise
        log.warning("file_not_sent", post=post.id, error=name_of(error))
        raise NoFilesError from error
    return place_of(drawing)
