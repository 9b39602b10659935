"""The workspace as it stands on its first day. The ids are stable: tests and policies may name them.

Eve of another organisation is in #general, so that she can try the buttons there, although #general does
not say that it is shared: that would keep the cards out of it, unless the policy has `shared_channels`.
"""

import time

from bot.sandbox.options import Team
from bot.sandbox.records import Account, Channel, ChannelId, TeamId, UserGroup, UserId
from bot.sandbox.workspace import Workspace

TEAM_ID = Team().id
OTHER_TEAM_ID = TeamId("T0ELSEWHERE")
APP_ID = "A0AGENT"
BOT_ID = "B0AGENT"
BOT_USER = UserId("U0AGENT")
BOT_NAME = "agent"

ALICE, BOB, CAROL = UserId("U0ALICE"), UserId("U0BOB"), UserId("U0CAROL")
GUS, EVE = UserId("U0GUS"), UserId("U0EVE")


def found(workspace: Workspace) -> None:
    """Put the first people, channels and the user group in place."""
    mark = workspace.team.mark
    alice, bob, carol, gus, eve, bot = (one.id for one in _people(workspace.team))
    for account in _people(workspace.team):
        workspace.put(account)
    everybody = (alice, bob, carol)
    now = int(time.time())
    for name, members in (
        ("general", (*everybody, gus, eve, bot)),
        ("approvals", (*everybody, bot)),
        ("random", everybody),
    ):
        id = ChannelId(f"C0{name.upper()}{mark}")
        workspace.put(Channel(id=id, name=name, members=members, created=now))
    workspace.put(UserGroup(id=f"S0DBAONCALL{mark}", handle="dba-oncall", name="DBA on call", users=(carol,)))


def _people(team: Team) -> tuple[Account, ...]:
    def marked(user: UserId) -> UserId:
        return UserId(f"{user}{team.mark}")

    def member(user: UserId, name: str, surname: str, note: str, *, is_admin: bool = False) -> Account:
        real_name = f"{name} {surname}"
        return Account(
            id=marked(user),
            name=name.lower(),
            real_name=real_name,
            team_id=team.id,
            note=note,
            is_admin=is_admin,
            enterprise_id=team.enterprise_id or "",
        )

    return (
        member(ALICE, "Alice", "Archer", "member, asks"),
        member(BOB, "Bob", "Baker", "member, approves", is_admin=True),
        member(CAROL, "Carol", "Cole", "member, on call"),
        Account(
            id=marked(GUS),
            name="gus",
            real_name="Gus Gray",
            team_id=team.id,
            note="guest",
            is_restricted=True,
            enterprise_id=team.enterprise_id or "",
        ),
        Account(
            id=marked(EVE),
            name="eve",
            real_name="Eve Elliot",
            team_id=OTHER_TEAM_ID,
            note="from another organisation",
            is_stranger=True,
        ),
        Account(id=BOT_USER, name=BOT_NAME, real_name="Agent", team_id=team.id, note="the app", is_bot=True),
    )
