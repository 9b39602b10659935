"""What the functions of a policy in Python may say, what is looked up of it, and what is no answer."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.approvals.asking import Asking
from bot.approvals.choosing import ApprovalRequest, Chosen
from bot.approvals.errors import CouldNotCheck
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.person import Group as SlackGroup
from bot.approvals.person import Person, Standing
from bot.approvals.places import IN_THREAD, InChannel, Room
from bot.approvals.times import NEVER
from bot.approvals.who import ChannelMembers, Members, MembersOf, One, Quorum, Requester, UserGroup
from bot.policy_functions import PolicyFunctions
from bot.policy_names import Known
from bot.policy_of_agent import policy_of
from bot.policy_python import Defaults, Group, Policy, Rule

ALICE, BOB, CAROL = (
    Person(id=UserId(f"U0{name.upper()}"), standing=Standing.MEMBER, name=name)
    for name in ("alice", "bob", "carol")
)
GUS = Person(id=UserId("U0GUS"), standing=Standing.GUEST, name="gus")
DBA = SlackGroup(id=GroupId("S0DBAONCALL"), handle="dba", members=frozenset({"U0BOB", "U0CAROL"}))
OTHERS = SlackGroup(id=GroupId("S0OTHERS"), handle="others", members=frozenset({"U0DAVE", "U0EVE"}))
OPS = Room(id=ChannelId("C0OPS"), name="ops")
ROOMS = [
    OPS,
    Room(id=ChannelId("C0CLOSED"), name="closed", is_open=False),
    Room(id=ChannelId("C0PARTNERS"), name="partners", is_shared=True),
]


@dataclass
class Slack:
    """A workspace, and what was looked up in it."""

    calls: list[object] = field(default_factory=list)
    away: bool = False
    slow: bool = False

    async def _looked_up(self, call: object) -> None:
        self.calls.append(call)
        if self.away:
            raise CouldNotCheck("Slack is away")
        if self.slow:
            await asyncio.Event().wait()

    async def person(self, id: UserId) -> Person:
        await self._looked_up(id)
        for one in (ALICE, BOB, CAROL, GUS):
            if one.id == id:
                return one
        raise CouldNotCheck("nobody")

    async def all_people(self) -> Sequence[Person]:
        await self._looked_up("people")
        return [ALICE, BOB, CAROL, GUS]

    async def all_groups(self) -> Sequence[SlackGroup]:
        await self._looked_up("groups")
        return [OTHERS, DBA]

    async def named_rooms(self, names: Collection[str]) -> Sequence[Room]:
        if names:
            await self._looked_up(set(names))
        return [room for room in ROOMS if {f"#{room.name}", room.id} & set(names)]


REQUEST = ApprovalRequest(
    tool="pay",
    arguments={"amount": 1, "to": {"name": "Ann"}},
    requesters=frozenset({"U0ALICE"}),
    conversation="t1",
    channel="C0GENERAL",
)


def functions(slack: Slack | None = None, *rules: Rule, **defaults: Any) -> PolicyFunctions:  # noqa: ANN401 - by key
    file = policy_of(Policy(defaults=Defaults(**{"approvers": ["members"], **defaults}), rules=rules))
    return PolicyFunctions(file, file.resolve(Known(people=[ALICE, BOB, CAROL])), slack or Slack())


async def said(slack: Slack | None = None, **defaults: Any) -> Chosen | None:  # noqa: ANN401 - by key
    return await functions(slack, **defaults).chosen(REQUEST, within=5)


def gives(told: object) -> Any:  # noqa: ANN401 - a function of the team
    return lambda request: told  # noqa: ARG005 - as the bot calls it


def awaited(told: object) -> Any:  # noqa: ANN401 - a function of the team
    async def tells(request: ApprovalRequest) -> object:  # noqa: ARG001 - as the bot calls it
        return told

    return tells


@pytest.mark.parametrize("way", [gives, awaited])
@pytest.mark.parametrize(
    ("key", "told", "meant"),
    [
        ("approvers", ["U0BOB"], (One(BOB.id),)),
        ("approvers", ("@bob", "@carol"), (One(BOB.id), One(CAROL.id))),
        ("approvers", {"@bob"}, (One(BOB.id),)),
        ("approvers", frozenset({"@bob"}), (One(BOB.id),)),
        ("approvers", ["@@dba", "S0OTHERS"], (UserGroup(DBA.id), UserGroup(OTHERS.id))),
        ("approvers", ["#ops", "C0OPS"], (MembersOf(OPS.id), MembersOf(OPS.id))),
        ("approvers", ["channel", "requester"], (ChannelMembers(), Requester())),
        ("approvers", ["members"], (Members(),)),
        ("quorum", 1, 1),
        ("quorum", 50, 50),
        ("self_approval", True, True),
        ("self_approval", False, False),
        ("ask", "always", Asking.ALWAYS),
        ("ask", "never", Asking.NEVER),
        ("ask", "once", Asking.ONCE),
        ("ask", "once-per-tool", Asking.ONCE_PER_TOOL),
        ("channel", "thread", IN_THREAD),
        ("channel", "#ops", InChannel(OPS.id)),
        ("channel", "C0OPS", InChannel(OPS.id)),
        ("expires_after", "90s", timedelta(seconds=90)),
        ("expires_after", timedelta(hours=2), timedelta(hours=2)),
        ("expires_after", "never", NEVER),
    ],
)
async def test_a_function_gives_what_could_stand_in_its_place(
    way: Callable[[object], object],
    key: str,
    told: object,
    meant: object,
) -> None:
    assert await said(**{key: way(told)}) == Chosen(**{key: meant})  # type: ignore[arg-type]


async def test_several_functions_are_asked_at_once_each_with_a_request_of_its_own() -> None:
    asked: list[ApprovalRequest] = []
    together = asyncio.Barrier(3)

    def a_function(told: object) -> Any:  # noqa: ANN401 - a function of the team
        async def function(request: ApprovalRequest) -> object:
            asked.append(request)
            assert request == REQUEST
            await together.wait()
            request.arguments["to"]["name"] = "Eve"  # it is a copy
            return told

        return function

    found = await said(approvers=a_function(["@bob"]), quorum=a_function(1), ask=a_function("once"))
    assert found == Chosen(approvers=(One(BOB.id),), quorum=1, ask=Asking.ONCE)
    assert len(asked) == 3
    assert REQUEST.arguments == {"amount": 1, "to": {"name": "Ann"}}


async def test_functions_may_stand_in_the_groups_of_a_require_beside_what_is_written_there() -> None:
    require = [
        Group(approvers=["@bob"]),
        Group(approvers=gives(["@carol", "members"]), quorum=2),
        Group(approvers=["#ops"], quorum=gives(3)),
    ]
    assert await said(approvers=None, require=require) == Chosen(
        require=(
            Quorum(approvers=(One(BOB.id),), count=1),
            Quorum(approvers=(One(CAROL.id), Members()), count=2),
            Quorum(approvers=(MembersOf(OPS.id),), count=3),
        )
    )


async def test_the_first_rule_for_the_tool_says_which_functions_are_asked() -> None:
    choosing = functions(
        None,
        Rule(tools=["p*"], approvers=gives(["@bob"])),
        Rule(tools=["pay", "q*"], approvers=gives(["@carol"])),
        Rule(tools=["look"], approvers=["members"]),
    )
    tools = ["pay", "queue", "look", "other"]
    assert [choosing.has_functions(tool) for tool in tools] == [True, True, False, False]
    assert await choosing.chosen(REQUEST, within=5) == Chosen(approvers=(One(BOB.id),))
    assert await functions().chosen(REQUEST, within=5) is None


@pytest.mark.parametrize(
    ("names", "calls"),
    [
        (["members"], []),
        (["U0BOB", "U0CAROL"], ["U0BOB", "U0CAROL"]),
        (["U0BOB", "@carol"], ["people"]),
        (["#ops"], [{"#ops"}]),
        # The second time for whether those in it are enough.
        (["@@dba"], ["groups", "groups"]),
        (["S0DBAONCALL", "U0BOB", "#ops"], ["U0BOB", "groups", {"#ops"}, "groups"]),
    ],
)
async def test_slack_is_asked_for_no_more_than_the_names_need(names: list[str], calls: list[object]) -> None:
    slack = Slack()
    found = await said(slack, approvers=gives(names))
    assert found
    assert not found.problem
    assert slack.calls == calls


# No answer.


def raises(request: ApprovalRequest) -> list[str]:
    raise ValueError(request.arguments)


OF = "the policy's function for "
UNKNOWN = (
    f"{OF}`approvers` named somebody who is not a full member of this workspace, "
    "or a group or channel that is not there"
)
NO_NAMES = f"{OF}`approvers` did not give a list of names"
NO_NUMBER = f"{OF}`quorum` did not give a number from 1 to 50"
NO_FLAG = f"{OF}`self_approval` did not give True or False"
NO_PLACE = f"{OF}`channel` named one that is not there, or that the bot cannot write in"
A_PLACE = "thread, #channel or its id, or dm:approvers"
A_TIME = "a duration such as 15m or 24h, or never"
NO_ASKING = f"{OF}`ask` did not give one of always, never, once, once-per-tool"
NOT_IN_SLACK = "Slack does not know, or could not be asked for, whom the policy's function named"
OWN_REQUEST = (
    "nobody whom the policy's function named could decide it, for nobody does about their own request"
)


@pytest.mark.parametrize(
    ("key", "function", "problem"),
    [
        ("approvers", raises, f"{OF}`approvers` failed with ValueError"),
        ("quorum", raises, f"{OF}`quorum` failed with ValueError"),
        ("approvers", gives([]), NO_NAMES),
        ("approvers", gives("@bob"), NO_NAMES),
        ("approvers", gives(None), NO_NAMES),
        ("approvers", gives([BOB]), NO_NAMES),
        ("approvers", gives([""]), NO_NAMES),
        ("approvers", gives({"@bob": 1}), NO_NAMES),
        ("approvers", gives(["@gus"]), UNKNOWN),
        ("approvers", gives(["@bob", "@mallory"]), UNKNOWN),
        ("approvers", gives(["everybody"]), UNKNOWN),
        ("approvers", gives(["@@nobody"]), UNKNOWN),
        ("approvers", gives(["#nowhere"]), UNKNOWN),
        ("approvers", gives(["U0NOBODY"]), NOT_IN_SLACK),
        ("approvers", gives(["@alice"]), OWN_REQUEST),
        ("approvers", gives(["requester"]), OWN_REQUEST),
        ("quorum", gives(0), NO_NUMBER),
        ("quorum", gives(51), NO_NUMBER),
        ("quorum", gives(True), NO_NUMBER),  # noqa: FBT003 - what a function gives
        ("quorum", gives("2"), NO_NUMBER),
        ("quorum", gives(2.0), NO_NUMBER),
        ("self_approval", gives(1), NO_FLAG),
        ("self_approval", gives(None), NO_FLAG),
        ("channel", gives("#nowhere"), NO_PLACE),
        ("channel", gives("#closed"), NO_PLACE),
        ("channel", gives("somewhere"), f"{OF}`channel` did not give {A_PLACE}"),
        ("channel", gives(["#ops"]), f"{OF}`channel` did not give {A_PLACE}"),
        (
            "channel",
            gives("#partners"),
            "#partners is shared with another organisation; say `shared_channels = true` if that is meant",
        ),
        (
            "channel",
            gives("dm:approvers"),
            "direct messages go to people and user groups by name, not to all of a channel or workspace",
        ),
        ("expires_after", gives("soon"), f"{OF}`expires_after` did not give {A_TIME}"),
        ("expires_after", gives(90), f"{OF}`expires_after` did not give {A_TIME}"),
        ("ask", gives("sometimes"), NO_ASKING),
        ("ask", gives(None), NO_ASKING),
    ],
)
async def test_whatever_else_a_function_does_is_no_answer_and_its_problem_holds_none_of_its_values(
    key: str,
    function: Any,  # noqa: ANN401 - a function of the team
    problem: str,
) -> None:
    with capture_logs() as logs:
        assert await said(**{key: function}) == Chosen(problem=problem)
    assert logs == [
        {"event": "policy_function_failed", "tool": "pay", "conversation": "t1", "log_level": "warning"}
    ]


@pytest.mark.parametrize(
    ("defaults", "problem"),
    [
        (
            {"approvers": gives(["@bob", "@alice"]), "quorum": 2},
            "2 votes of different people are wanted, but at most 1 can count",
        ),
        (
            {"approvers": ["@bob", "@carol"], "quorum": gives(3)},
            "3 votes of different people are wanted, but at most 2 can count",
        ),
        ({"approvers": gives(["@@dba"]), "quorum": 2}, ""),
        (
            {"approvers": gives(["@@dba"]), "quorum": 3},
            "3 votes of different people are wanted, but at most 2 can count",
        ),
        (
            {"approvers": None, "require": [Group(approvers=["@bob"]), Group(approvers=gives(["@bob"]))]},
            "2 votes of different people are wanted, but at most 1 can count",
        ),
        ({"approvers": gives(["@alice"]), "self_approval": True}, ""),
        ({"approvers": gives(["@@dba", "@alice"]), "quorum": 3, "self_approval": True}, ""),
    ],
)
async def test_more_votes_than_there_can_be_are_no_answer(defaults: dict[str, Any], problem: str) -> None:
    found = await said(**defaults)
    assert found
    assert found.problem == problem


async def forever(request: ApprovalRequest) -> Any:  # noqa: ANN401, ARG001 - as the bot calls it
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("defaults", "problem"),
    [
        ({"approvers": forever}, f"{OF}`approvers` took longer than 0.02 seconds"),
        ({"quorum": forever}, f"{OF}`quorum` took longer than 0.02 seconds"),
        (
            {"approvers": None, "require": [Group(approvers=["@bob"], quorum=forever)]},
            f"{OF}`quorum` took longer than 0.02 seconds",
        ),
        (
            {"approvers": None, "require": [Group(approvers=forever)]},
            f"{OF}`approvers` took longer than 0.02 seconds",
        ),
    ],
)
async def test_a_function_that_takes_too_long_is_named(defaults: dict[str, Any], problem: str) -> None:
    async with asyncio.timeout(60):
        found = await functions(**defaults).chosen(REQUEST, within=0.02)
    assert found == Chosen(problem=problem)


async def test_slack_has_no_more_time_than_what_the_functions_left() -> None:
    async with asyncio.timeout(60):
        found = await functions(Slack(slow=True), approvers=awaited(["@bob"])).chosen(REQUEST, within=0.02)
    assert found == Chosen(problem="finding it out took longer than 0.02 seconds")
    assert await said(Slack(away=True), approvers=gives(["@bob"])) == Chosen(problem=NOT_IN_SLACK)
