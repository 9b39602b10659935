"""conversations.*: where people talk, who is there and what was said."""

from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.founding import BOT_USER
from bot.sandbox.records import Channel, Json, Message, Ts, UserId
from bot.sandbox.slack_objects import channel_object, message_object
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import (
    Method,
    need_channel_scope,
    need_scope,
    open_im,
    page_of,
    visible_channel,
)


async def open_(core: Core, args: Arguments) -> Json:
    """Open the direct message with one person."""
    if "channel" in args:
        channel = visible_channel(core, args.text("channel"))
        return {"channel": {"id": channel.id}}
    users = [user.strip() for user in args.text("users").split(",") if user.strip()]
    if len(users) != 1:
        raise SlackError("not_enough_users" if not users else "too_many_users")
    known = core.workspace.im(UserId(users[0])) is not None
    channel = open_im(core, UserId(users[0]))
    shown: Json = channel_object(channel, core.workspace) if args.flag("return_im") else {"id": channel.id}
    already = {"no_op": True, "already_open": True} if known else {}
    return {"channel": shown, **already}


async def info(core: Core, args: Arguments) -> Json:
    """One conversation."""
    channel = visible_channel(core, args.text("channel"))
    need_channel_scope(core, channel, "read")
    shown = channel_object(channel, core.workspace)
    if not args.flag("include_num_members"):
        shown.pop("num_members", None)
    return {"channel": shown}


async def members(core: Core, args: Arguments) -> Json:
    """Who is in a conversation, page by page."""
    channel = visible_channel(core, args.text("channel"))
    need_channel_scope(core, channel, "read")
    page, cursor = page_of([{"id": user} for user in channel.members], args)
    return {"members": [entry["id"] for entry in page], "response_metadata": {"next_cursor": cursor}}


async def list_(core: Core, args: Arguments) -> Json:
    """The conversations that the bot may know of, of the asked types."""
    types = {name.strip() for name in (args.optional_text("types") or "public_channel").split(",")}
    needed = {"public_channel": "channels", "private_channel": "groups", "im": "im", "mpim": "mpim"}
    if types - needed.keys():
        raise SlackError("invalid_types")
    for name in sorted(types):
        need_scope(core, f"{needed[name]}:read")
    shown = [
        channel_object(channel, core.workspace)
        for channel in core.workspace.channels.values()
        if _type(channel) in types
        and not (channel.is_archived and args.flag("exclude_archived"))
        and not (channel.is_private and BOT_USER not in channel.members)
    ]
    page, cursor = page_of(shown, args)
    return {"channels": page, "response_metadata": {"next_cursor": cursor}}


async def mine(core: Core, args: Arguments) -> Json:
    """The conversations that the bot is in, of the asked types."""
    answer = await list_(core, args)
    return answer | {"channels": [one for one in answer["channels"] if one.get("is_member") or one["is_im"]]}


async def history(core: Core, args: Arguments) -> Json:
    """The newest messages first; replies only where they were shown to the channel."""
    channel = _readable(core, args)
    found = [
        message
        for message in core.workspace.messages.get(channel.id, {}).values()
        if message.seen_by is None and (not message.is_reply or message.broadcast)
    ]
    return _messages(core, args, list(reversed(_between(found, args))))


async def replies(core: Core, args: Arguments) -> Json:
    """A thread, its root first."""
    channel = _readable(core, args)
    ts = Ts(args.text("ts"))
    message = core.workspace.messages.get(channel.id, {}).get(ts)
    if message is None or message.seen_by is not None:
        raise SlackError("thread_not_found")
    root_ts = message.thread_ts or message.ts
    root = core.workspace.messages[channel.id].get(root_ts)
    thread = [*([root] if root else []), *core.workspace.replies(channel.id, root_ts)]
    return _messages(core, args, _between(thread, args))


def _type(channel: Channel) -> str:
    if channel.is_im:
        return "im"
    return "private_channel" if channel.is_private else "public_channel"


def _readable(core: Core, args: Arguments) -> Channel:
    channel = visible_channel(core, args.text("channel"))
    need_channel_scope(core, channel, "history")
    if BOT_USER not in channel.members:
        raise SlackError("not_in_channel")
    return channel


def _between(messages: list[Message], args: Arguments) -> list[Message]:
    oldest = args.optional_text("oldest") or "0"
    latest = args.optional_text("latest") or "9" * 10
    try:
        low, high = float(oldest), float(latest)
    except ValueError:
        raise SlackError("invalid_ts_oldest") from None
    if args.flag("inclusive"):
        return [message for message in messages if low <= float(message.ts) <= high]
    return [message for message in messages if low < float(message.ts) < high]


def _messages(core: Core, args: Arguments, found: list[Message]) -> Json:
    with_metadata = args.flag("include_all_metadata")
    shown = [message_object(message, core.workspace, with_metadata=with_metadata) for message in found]
    page, cursor = page_of(shown, args)
    answer: Json = {"messages": page, "has_more": bool(cursor)}
    if cursor:
        answer["response_metadata"] = {"next_cursor": cursor}
    return answer


METHODS = {
    "users.conversations": Method(run=mine),
    "conversations.open": Method(run=open_, scope="im:write"),
    "conversations.info": Method(run=info),
    "conversations.members": Method(run=members),
    "conversations.list": Method(run=list_),
    "conversations.history": Method(run=history),
    "conversations.replies": Method(run=replies),
}
