"""Which workspace of an organisation a call is about that comes with the organisation's token."""

from bot.sandbox import grants
from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.records import ChannelId, Grant, Json, UserId, ViewId

OF_ALL = frozenset({"auth.teams.list", "auth.test", "auth.revoke", "files.getUploadURLExternal"})
"""Methods that are about no single workspace."""

BY_TEAM = frozenset(
    {
        "bots.info",
        "conversations.list",
        "usergroups.list",
        "usergroups.users.list",
        "users.conversations",
        "users.list",
    }
)
"""Methods that need a `team_id` with such a token, as Slack's reference has it."""


def meant(core: Core, grant: Grant, method: str, values: Json) -> Core:
    """The workspace, to which the app must have been added.

    Elsewhere it is told by the channel, view, trigger or person that is named: their ids are of one alone.
    """
    home = grants.home(core)
    if method in OF_ALL:
        return home
    if method in BY_TEAM:
        if not values.get("team_id"):
            raise SlackError("missing_argument", messages=("missing required field: team_id",))
        if method == "bots.info" and values["team_id"] == home.workspace.team.enterprise_id:
            return home
        found = _of_team(home, str(values["team_id"]))
        if found is None:
            raise SlackError("team_not_found")
    else:
        found = next((one for one in _of_the_same(home) if _has(one, values)), home)
    if found.workspace.team.id not in (grant.teams or ()):
        raise SlackError("team_access_not_granted")
    return found


def _of_the_same(home: Core) -> list[Core]:
    enterprise = home.workspace.team.enterprise_id
    return [one for one in home.everywhere if one.workspace.team.enterprise_id == enterprise]


def _of_team(home: Core, id: str) -> Core | None:
    return next((one for one in _of_the_same(home) if one.workspace.team.id == id), None)


def _has(core: Core, values: Json) -> bool:
    named = {name: str(values.get(name) or "") for name in ("view_id", "trigger_id")}
    place = str(values.get("channel") or values.get("channel_id") or "")
    person = str(values.get("user_id") or values.get("users") or values.get("user") or "")
    if not place or UserId(place) in core.workspace.accounts:
        person = place or person
        return (
            ViewId(named["view_id"]) in core.workspace.views
            or core.triggers.knows(named["trigger_id"])
            or _lives(core, person)
        )
    return ChannelId(place) in core.workspace.channels


def _lives(core: Core, person: str) -> bool:
    """Whether it is somebody's own workspace: another's channels may have them too."""
    account = core.workspace.accounts.get(UserId(person))
    return account is not None and account.team_id == core.workspace.team.id
