"""chat.*: messages of the bot."""

import json
from dataclasses import replace

from bot.sandbox.blocks import Problem, check_message
from bot.sandbox.blocks.walk import with_ids
from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.founding import BOT_ID, BOT_USER
from bot.sandbox.records import Channel, Json, Message, Ts
from bot.sandbox.slack_objects import message_object
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method, person, postable_channel, visible_channel

UPDATE_TEXT_LIMIT = 4000
MARKDOWN_TEXT_LIMIT = 12_000


async def post_message(core: Core, args: Arguments) -> Json:
    """Post to a channel, a thread or a person."""
    channel = postable_channel(core, args.text("channel"))
    text, blocks = content(args)
    message = Message(
        channel=channel.id,
        ts=core.workspace.new_ts(),
        user=BOT_USER,
        bot_id=BOT_ID,
        text=text,
        blocks=blocks,
        thread_ts=thread_root(core, channel, args),
        broadcast=args.flag("reply_broadcast") and bool(args.optional_text("thread_ts")),
        metadata=metadata(args),
    )
    core.workspace.put(message)
    root = core.workspace.messages[channel.id].get(message.thread_ts) if message.thread_ts else None
    if root and root.status:
        core.workspace.put(replace(root, status=""))  # what the app says ends its status line
    shown = message_object(message, core.workspace, with_metadata=True)
    return {"channel": channel.id, "ts": message.ts, "message": shown}


async def post_ephemeral(core: Core, args: Arguments) -> Json:
    """Post something that one member of the channel sees alone."""
    channel = postable_channel(core, args.text("channel"))
    account = person(core, args.text("user"))
    if account.id not in channel.members or account.deleted:
        raise SlackError("user_not_in_channel")
    text, blocks = content(args)
    message = Message(
        channel=channel.id,
        ts=core.workspace.new_ts(),
        user=BOT_USER,
        bot_id=BOT_ID,
        text=text,
        blocks=blocks,
        thread_ts=thread_root(core, channel, args),
        seen_by=account.id,
    )
    core.workspace.put(message)
    return {"message_ts": message.ts}


async def update(core: Core, args: Arguments) -> Json:
    """Change a message of the bot. Text without blocks takes the blocks away."""
    message = own_message(core, args, "cant_update_message")
    if len(args.optional_text("text") or "") > UPDATE_TEXT_LIMIT:
        raise SlackError("msg_too_long")
    text, blocks = content(args)
    changed = replace(
        message,
        text=text,
        blocks=blocks,
        metadata=metadata(args) if "metadata" in args else message.metadata,
        # Slack shows no "(edited)" on a message that has blocks
        edited=None if blocks else core.workspace.new_ts(),
    )
    core.workspace.put(changed)
    shown = message_object(changed, core.workspace, with_metadata=True)
    return {"channel": changed.channel, "ts": changed.ts, "text": text, "message": shown}


async def delete(core: Core, args: Arguments) -> Json:
    """Take a message of the bot away."""
    message = own_message(core, args, "cant_delete_message")
    core.workspace.drop(message)
    return {"channel": message.channel, "ts": message.ts}


async def get_permalink(core: Core, args: Arguments) -> Json:
    """The address of a message."""
    channel = visible_channel(core, args.text("channel"))
    message = public_message(core, channel, args.text("message_ts"))
    link = f"{core.address}/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.is_reply:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


def content(args: Arguments) -> tuple[str, list[Json] | None]:
    """The text and the blocks, checked as Slack checks them."""
    if "attachments" in args and args.items("attachments", "invalid_attachments"):
        raise SlackError("invalid_attachments", messages=("the sandbox shows no attachments, only blocks",))
    text = args.optional_text("text") or ""
    blocks = args.items("blocks", "invalid_blocks_format")
    markdown = args.optional_text("markdown_text")
    if markdown:
        if text or blocks:
            raise SlackError("markdown_text_conflict")
        if len(markdown) > MARKDOWN_TEXT_LIMIT:
            raise SlackError("msg_too_long")
        text, blocks = markdown, [{"type": "markdown", "text": markdown}]
    refuse(check_message(blocks, text))
    return text, with_ids(blocks) if blocks else None


def refuse(problems: list[Problem]) -> None:
    """Raise Slack's error for the first problem and name all of its kind."""
    if problems:
        code = problems[0].code
        raise SlackError(code, messages=tuple(str(problem) for problem in problems if problem.code == code))


def metadata(args: Arguments) -> Json | None:
    """The metadata argument; Slack wants a type and an object in it."""
    given = args.mapping("metadata", "invalid_metadata_format")
    if not given:
        return None
    if not isinstance(given.get("event_type"), str) or not isinstance(given.get("event_payload"), dict):
        raise SlackError("invalid_metadata_schema")
    if len(json.dumps(given["event_payload"])) > 16_000:  # noqa: PLR2004 - Slack's 16 kB
        raise SlackError("metadata_too_large")
    return {"event_type": given["event_type"], "event_payload": given["event_payload"]}


def thread_root(core: Core, channel: Channel, args: Arguments) -> Ts | None:
    """The root of the thread in which to reply; a reply's own ts leads to its root."""
    asked = args.optional_text("thread_ts")
    if not asked:
        return None
    message = core.workspace.messages.get(channel.id, {}).get(Ts(asked))
    if message is None or message.seen_by is not None:
        # a root that was deleted while its replies stand still carries its thread
        if any(core.workspace.replies(channel.id, Ts(asked))):
            return Ts(asked)
        raise SlackError("thread_not_found")
    return message.thread_ts or message.ts


def public_message(core: Core, channel: Channel, ts: str) -> Message:
    """The message that everybody in the channel sees; ephemeral ones are not found."""
    message = core.workspace.messages.get(channel.id, {}).get(Ts(ts))
    if message is None or message.seen_by is not None:
        raise SlackError("message_not_found")
    return message


def own_message(core: Core, args: Arguments, error: str) -> Message:
    """The bot's own message named by channel id and ts."""
    channel = visible_channel(core, args.text("channel"))
    message = public_message(core, channel, args.text("ts"))
    if channel.is_archived:
        raise SlackError("is_archived")
    if message.user != BOT_USER:
        raise SlackError(error)
    return message


METHODS = {
    "chat.postMessage": Method(run=post_message, scope="chat:write"),
    "chat.postEphemeral": Method(run=post_ephemeral, scope="chat:write"),
    "chat.update": Method(run=update, scope="chat:write"),
    "chat.delete": Method(run=delete, scope="chat:write"),
    "chat.getPermalink": Method(run=get_permalink),
}
