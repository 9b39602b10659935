"""What a method of the Web API is, and what the bot may reach with it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.founding import BOT_USER
from bot.sandbox.records import Account, Channel, ChannelId, Json, UserId
from bot.sandbox.web_api.arguments import Arguments

Run = Callable[[Core, Arguments], Awaitable[Json]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One method. `scope` is what every call of it needs; `token` is the sort of token it takes."""

    run: Run
    scope: str | None = None
    token: str = "xoxb"  # noqa: S105 - the first letters of a bot token


def need_scope(core: Core, scope: str) -> None:
    """Refuse with Slack's missing_scope unless the app was granted it."""
    if scope not in core.options.scopes:
        raise SlackError("missing_scope", needed=scope, provided=",".join(sorted(core.options.scopes)))


def need_channel_scope(core: Core, channel: Channel, right: str) -> None:
    """`channels:read`, `groups:read` or `im:read`: whichever this sort of conversation needs."""
    sort = "im" if channel.is_im else "groups" if channel.is_private else "channels"
    need_scope(core, f"{sort}:{right}")


def visible_channel(core: Core, reference: str) -> Channel:
    """The conversation with this id, if the bot may know of it; else channel_not_found."""
    channel = core.workspace.channels.get(ChannelId(reference))
    if channel is None or (channel.is_private and BOT_USER not in channel.members):
        raise SlackError("channel_not_found")
    return channel


def postable_channel(core: Core, reference: str) -> Channel:
    """Where the bot may write: by id, by "#name", or a person's direct message by the person's id."""
    workspace = core.workspace
    if reference in workspace.accounts:
        return open_im(core, UserId(reference))
    name = reference.removeprefix("#")
    by_name = next((channel for channel in workspace.channels.values() if channel.name == name), None)
    channel = visible_channel(core, by_name.id if by_name and not by_name.is_im else reference)
    if channel.is_archived:
        raise SlackError("is_archived")
    if BOT_USER not in channel.members:
        raise SlackError("not_in_channel")
    return channel


def person(core: Core, reference: str) -> Account:
    """The user with this id; else user_not_found."""
    account = core.workspace.accounts.get(UserId(reference))
    if account is None:
        raise SlackError("user_not_found")
    return account


def open_im(core: Core, user: UserId) -> Channel:
    """The person's direct message with the bot; made when it is not there yet."""
    account = person(core, user)
    if account.is_bot:
        raise SlackError("cannot_dm_bot")
    if account.deleted:
        raise SlackError("user_disabled")
    channel = core.workspace.im(user)
    if channel is None:
        im_id = ChannelId(f"D{user[1:]}")
        channel = Channel(id=im_id, name=f"im-{account.name}", members=(user, BOT_USER), im_user=user)
        core.workspace.put(channel)
    return channel


def page_of(items: list[Json], args: Arguments, *, default: int = 100) -> tuple[list[Json], str]:
    """One page of a list and the cursor of the next ("" at the end)."""
    limit = args.number("limit", default=default, most=1000)
    cursor = args.optional_text("cursor") or "0"
    if not cursor.removeprefix("next:").isdigit():
        raise SlackError("invalid_cursor")
    start = int(cursor.removeprefix("next:"))
    end = start + limit
    return items[start:end], f"next:{end}" if end < len(items) else ""


def same_team(core: Core, args: Arguments) -> None:
    """A team_id, where one is given, must be ours."""
    if args.optional_text("team_id") not in (None, "", core.workspace.team.id):
        raise SlackError("team_not_found")
