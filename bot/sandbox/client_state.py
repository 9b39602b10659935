"""Everything that one person can see, as the page and programs get it."""

from collections.abc import Iterable

from bot.sandbox.core import Core
from bot.sandbox.founding import APP_ID, BOT_ID, BOT_NAME, BOT_USER
from bot.sandbox.records import Account, Channel, Json, Message, Ts, UserId, View
from bot.sandbox.slack_objects import files_of, thread_summary
from bot.sandbox.workspace import Workspace

VIEW_FIELDS = ("type", "title", "submit", "close", "callback_id", "blocks")


def boot(core: Core) -> Json:
    """What the page needs once: the team, the bot, the people, the commands."""
    return {
        "team": {"id": core.workspace.team.id, "name": core.workspace.team.name},
        "bot": {"user_id": BOT_USER, "bot_id": BOT_ID, "app_id": APP_ID, "name": BOT_NAME},
        "people": [
            {
                "id": account.id,
                "name": account.name.title(),
                "real_name": account.real_name,
                "kind": account.sort,
                "note": account.note,
                "deleted": account.deleted,
            }
            for account in core.workspace.accounts.values()
            if not account.is_bot
        ],
        "commands": [
            {"command": one.command, "description": one.description, "usage_hint": one.usage_hint}
            for one in core.options.commands
        ],
        "prompts": [{"title": title, "message": message} for title, message in core.options.prompts],
        "shortcuts": [{"callback_id": one.callback_id, "name": one.name} for one in core.options.shortcuts],
    }


def state(core: Core, user: UserId, only: str | None = None) -> Json:
    """All that this person sees now, with the number of the last change.

    `only` leaves out the messages elsewhere: a channel id, "CHANNEL/THREAD", or "own" for none at all.
    """
    workspace = core.workspace
    mine = [
        channel
        for channel in workspace.channels.values()
        if user in channel.members or not (channel.is_private or channel.is_im)
    ]
    home = workspace.home(user)
    return {
        "seq": workspace.seq,
        "channels": [_channel(workspace, channel, user) for channel in mine],
        "messages": {
            channel.id: [
                _message(workspace, message)
                for message in _messages(workspace, channel, only)
                if message.seen_by in (None, user)
            ]
            for channel in mine
            if user in channel.members and (only is None or only.split("/")[0] == channel.id)
        },
        "views": [_view(view) for view in workspace.stack(user)],
        "home": None
        if home is None
        else {"id": home.id, "blocks": home.body["blocks"], "values": home.values},
        "notices": [
            {"id": notice.id, "text": notice.text, "container": notice.container}
            for notice in workspace.notices
            if notice.user == user
        ],
    }


def _messages(workspace: Workspace, channel: Channel, only: str | None) -> Iterable[Message]:
    _, _, thread = (only or "").partition("/")
    if thread:
        return workspace.thread(channel.id, Ts(thread))
    return workspace.messages.get(channel.id, {}).values()


def _channel(workspace: Workspace, channel: Channel, user: UserId) -> Json:
    messages = workspace.messages.get(channel.id, {})
    shown: Json = {
        "id": channel.id,
        "name": channel.name,
        "is_im": channel.is_im,
        "is_member": user in channel.members,
        "is_archived": channel.is_archived,
        "last_ts": next(reversed(messages), None),
    }
    if channel.is_im:
        shown["user"] = BOT_USER
    return shown


def _message(workspace: Workspace, message: Message) -> Json:
    author: Account = workspace.accounts[message.user]
    shown: Json = {
        "ts": message.ts,
        "user": message.user,
        "username": message.username or (BOT_NAME if author.is_bot else author.name.title()),
        "text": message.text,
    }
    if message.bot_id:
        shown["bot_id"] = message.bot_id
    if message.blocks:
        shown["blocks"] = message.blocks
    if message.files:
        shown["files"] = files_of(message)
    if message.thread_ts and message.is_reply:
        shown["thread_ts"] = message.thread_ts
    if message.broadcast:
        shown |= {"subtype": "thread_broadcast", "broadcast": True}
    if message.edited:
        shown["edited"] = {"user": message.user, "ts": message.edited}
    if message.seen_by:
        shown["ephemeral"] = True
    shown |= {name: told for name in ("title", "status", "prompts") if (told := getattr(message, name))}
    return shown | thread_summary(message, workspace)


def _view(view: View) -> Json:
    shown: Json = {name: view.body[name] for name in VIEW_FIELDS if name in view.body}
    shown |= {"id": view.id, "hash": view.hash, "values": view.values}
    if view.errors:
        shown["errors"] = view.errors
    return shown
