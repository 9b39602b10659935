"""Records as the JSON objects that Slack's API and payloads carry."""

from bot.sandbox.core import Core
from bot.sandbox.founding import APP_ID, BOT_ID, BOT_USER
from bot.sandbox.grants import speaks_for_all
from bot.sandbox.records import Account, Channel, Json, Message, View
from bot.sandbox.workspace import Workspace


def user_object(account: Account) -> Json:
    """A user as users.info gives it."""
    names = {"display_name": account.name, "real_name": account.real_name}
    profile = {
        **names,
        **{f"{key}_normalized": value for key, value in names.items()},
        "first_name": account.real_name.split()[0],
        "title": account.note,
        "status_text": "",
        "team": account.team_id,
    }
    if account.is_bot:
        profile |= {"bot_id": BOT_ID, "api_app_id": APP_ID}
    grid = {"enterprise_user": {"id": account.id, "enterprise_id": account.enterprise_id}}
    return (grid if account.enterprise_id else {}) | {
        "id": account.id,
        "team_id": account.team_id,
        "name": account.name,
        "real_name": account.real_name,
        "deleted": account.deleted,
        "tz": account.tz,
        "tz_label": account.tz,
        "tz_offset": account.tz_offset,
        "locale": account.locale,
        "profile": profile,
        "is_admin": account.is_admin,
        "is_owner": False,
        "is_primary_owner": False,
        "is_restricted": account.is_restricted,
        "is_ultra_restricted": account.is_ultra_restricted,
        "is_stranger": account.is_stranger,
        "is_bot": account.is_bot,
        "is_app_user": False,
        "updated": 0,
    }


def channel_object(channel: Channel, workspace: Workspace) -> Json:
    """A conversation as conversations.info gives it."""
    if channel.is_im:
        return {
            "id": channel.id,
            "created": channel.created,
            "is_im": True,
            "is_archived": False,
            "is_org_shared": False,
            "context_team_id": workspace.team.id,
            "user": channel.im_user,
            "is_user_deleted": any(
                workspace.accounts[user].deleted for user in channel.members if user != BOT_USER
            ),
            "is_open": True,
        }
    return {
        "id": channel.id,
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": not channel.is_private,
        "is_group": channel.is_private,
        "is_im": False,
        "is_mpim": False,
        "is_private": channel.is_private,
        "created": channel.created,
        "is_archived": channel.is_archived,
        "is_general": channel.name == "general",
        "is_shared": channel.is_ext_shared,
        "is_ext_shared": channel.is_ext_shared,
        "is_org_shared": False,
        "is_member": BOT_USER in channel.members,
        "context_team_id": workspace.team.id,
        "num_members": len(channel.members),
        "topic": {"value": "", "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
    }


def message_object(message: Message, workspace: Workspace, *, with_metadata: bool = False) -> Json:
    """A message as history, replies and payloads carry it."""
    author = workspace.accounts[message.user]
    shown: Json = {"type": "message", "user": message.user, "ts": message.ts, "text": message.text}
    shown["team"] = author.team_id
    if message.bot_id:
        shown |= {"bot_id": message.bot_id, "app_id": APP_ID}
    if message.blocks is not None:
        shown["blocks"] = message.blocks
    if message.edited:
        shown["edited"] = {"user": message.user, "ts": message.edited}
    if message.thread_ts:
        shown["thread_ts"] = message.thread_ts
        if message.is_reply:
            root = workspace.messages[message.channel].get(message.thread_ts)
            shown["parent_user_id"] = root.user if root else ""
    if message.broadcast:
        shown["subtype"] = "thread_broadcast"
    if message.files:
        shown["files"] = files_of(message)
    if message.metadata is not None and with_metadata:
        shown["metadata"] = message.metadata
    return shown | thread_summary(message, workspace)


def files_of(message: Message) -> list[Json]:
    """A message's files, without what is in them."""
    return [
        {name: told for name, told in one.items() if name != "content"}
        | {"url_private": f"/files/{message.channel}/{message.ts}/{one['id']}"}
        for one in message.files or ()
    ]


def thread_summary(message: Message, workspace: Workspace) -> Json:
    """What a root message says about its thread; nothing when it has none."""
    if message.is_reply:
        return {}
    replies = list(workspace.replies(message.channel, message.ts))
    if not replies:
        return {}
    people = list(dict.fromkeys(reply.user for reply in replies))
    return {
        "thread_ts": message.ts,
        "reply_count": len(replies),
        "reply_users": people,
        "reply_users_count": len(people),
        "latest_reply": replies[-1].ts,
    }


def view_object(view: View, core: Core) -> Json:
    """A view as the Web API answers it and as interactions carry it."""
    team = core.workspace.team
    empty = {
        "callback_id": "",
        "private_metadata": "",
        "external_id": "",
        "title": None,
        "submit": None,
        "close": None,
        "clear_on_close": False,
        "notify_on_close": False,
    }
    return {
        **empty,
        **view.body,
        "id": view.id,
        "team_id": team.id,
        "app_id": APP_ID,
        "app_installed_team_id": team.enterprise_id if speaks_for_all(core) else team.id,
        "bot_id": BOT_ID,
        "hash": view.hash,
        "root_view_id": view.root,
        "previous_view_id": view.previous,
        "state": {"values": view.values},
    }
