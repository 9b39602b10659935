"""Who may decide: every kind of identity under every kind of policy, by a table.

The desk and the directory as they are wired, over a real Slack and a real database. A cell that the table
does not name is refused, with its sentence and its line in the record. Whoever must never take part is in
the channel, is named and is in the group wherever the policy asks for it: nothing else keeps them out.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from bot.approvals import admission
from bot.approvals.approval import Approval, State
from bot.approvals.briefing import Briefing
from bot.approvals.choosing import ApprovalRequest, Chosen, NoFunctions
from bot.approvals.conversation import PostKind, PostState, Status
from bot.approvals.decision import Approve, Decision, Edit, Reject, Respond
from bot.approvals.desk import Desk
from bot.approvals.errors import CouldNotCheck, Refused
from bot.approvals.ids import ActionId, ChannelId, GroupId, Ts, UserId
from bot.approvals.places import Spot
from bot.approvals.policy import ChannelMembers, One, Policy, Quorum, Requester, Terms, UserGroup
from bot.approvals.ports import Event
from bot.approvals.realm import Realm
from bot.approvals.together import Together, listed
from bot.sandbox import Fault, Sandbox
from bot.sandbox.founding import BOT_USER, OTHER_TEAM_ID, TEAM_ID
from bot.sandbox.records import Account, Channel, TeamId
from bot.sandbox.records import ChannelId as SlackChannelId
from bot.sandbox.records import UserGroup as SlackGroup
from bot.sandbox.records import UserId as SlackId
from bot.slack import directory
from bot.slack.app import asking_client
from bot.slack.census import Whose
from bot.slack.directory import SlackDirectory
from bot.store import RowsStore, open_store
from tests.approvals.fakes import FileTools, WatchedStore, owing
from tests.store.samples import action, approval, conversation, post

OPS: Final = "C0OPS"
GROUP: Final = GroupId("S0OPS")
GRID: Final = "E0GRID"
SISTER: Final = TeamId("T0SISTER")
TENANT: Final = TeamId("T0TENANT")


def account(name: str, team: TeamId = TEAM_ID, **changes: Any) -> Account:  # noqa: ANN401 - as the fields are
    made = Account(id=SlackId(f"U0{name.upper()}"), name=name, real_name=name.title(), team_id=team)
    return replace(made, enterprise_id="" if team is OTHER_TEAM_ID else GRID, **changes)


PEOPLE: Final = {
    "in the channel": account("inside"),
    "outside the channel": account("outside"),
    "requester": account("requester"),
    "steerer": account("steerer"),
    "named": account("named"),
    "in the group": account("grouped"),
    "single-channel guest": account("single", is_ultra_restricted=True, is_restricted=True),
    "multi-channel guest": account("multi", is_restricted=True),
    "of another organisation": account("eve", OTHER_TEAM_ID, is_stranger=True),
    "bot": replace(account("agent", is_bot=True), id=BOT_USER),
    "deactivated": account("gone", deleted=True),
    "of a sister workspace": account("sister", SISTER),
    "of another workspace that has the bot": replace(account("tenant", TENANT), enterprise_id=""),
    "unknown": account("nobody"),
}
NOT_THERE: Final = {"outside the channel", "named", "in the group", "unknown"}
"""Who is not in the channel."""
NEVER: Final = {
    "single-channel guest": "Guests cannot take part",
    "multi-channel guest": "Guests cannot take part",
    "of another organisation": "People of another organisation cannot take part",
    "of another workspace that has the bot": "People of another organisation cannot take part",
    "bot": "Bots cannot take part",
    "deactivated": "A deactivated account cannot take part",
    "unknown": "Slack could not be asked who you are",
}
STANDING: Final = {
    "single-channel guest": "guest",
    "multi-channel guest": "guest",
    "of another organisation": "outsider",
    "of another workspace that has the bot": "outsider",
    "bot": "bot",
    "deactivated": "deactivated",
}


def id_of(who: str) -> UserId:
    return UserId(PEOPLE[who].id)


NAMED: Final = tuple(One(id_of(who)) for who in ("named", *NEVER))
POLICIES: Final = {
    "channel": Terms(approvers=(ChannelMembers(),)),
    "person": Terms(approvers=NAMED),
    "group": Terms(approvers=(UserGroup(GROUP, "ops"),)),
    "requester": Terms(approvers=(Requester(),), self_approval=True),
    "quorum": Terms(approvers=(ChannelMembers(), *NAMED), quorum=2),
    "require": Terms(approvers=(), require=(Quorum(approvers=(UserGroup(GROUP),)), Quorum(approvers=NAMED))),
    "function for approvers": Terms(approvers=(), by_function=frozenset({"approvers"})),
    "function for require": Terms(approvers=(), by_function=frozenset({"require"})),
    "function for quorum": Terms(approvers=(ChannelMembers(), *NAMED), by_function=frozenset({"quorum"})),
    "function for self-approval": Terms(approvers=(Requester(),), by_function=frozenset({"self_approval"})),
    "function for no self-approval": Terms(
        approvers=(Requester(), One(id_of("named"))), by_function=frozenset({"self_approval"})
    ),
    "function without an answer": Terms(approvers=NAMED, by_function=frozenset({"approvers"})),
    "function of another policy": Terms(approvers=NAMED, by_function=frozenset({"approvers", "quorum"})),
    "channel, fresh": Terms(approvers=(ChannelMembers(),), fresh=True),
    "group, fresh": Terms(approvers=(UserGroup(GROUP, "ops"),), fresh=True),
}
SAID: Final = {
    "function for approvers": Chosen(approvers=NAMED),
    "function for require": Chosen(require=(Quorum(approvers=(UserGroup(GROUP),)), Quorum(approvers=NAMED))),
    "function for quorum": Chosen(quorum=2),
    "function for self-approval": Chosen(self_approval=True),
    "function for no self-approval": Chosen(self_approval=False),
    "function of another policy": Chosen(approvers=NAMED),
}
"""What the functions of a policy said of the call, and say of an edit."""
ALLOWED: Final = {
    "channel": {"in the channel", "of a sister workspace"},
    "person": {"named"},
    "group": {"in the group"},
    "requester": {"requester", "steerer"},
    "quorum": {"in the channel", "of a sister workspace", "named"},
    "require": {"in the group", "named"},
    "function for approvers": {"named"},
    "function for require": {"in the group", "named"},
    "function for quorum": {"in the channel", "of a sister workspace", "named"},
    "function for self-approval": {"requester", "steerer"},
    "function for no self-approval": {"named"},
    "function without an answer": set(),
    "function of another policy": set(),
    "channel, fresh": {"in the channel", "of a sister workspace"},
    "group, fresh": {"in the group"},
}
"""Everybody else is refused."""
SELF: Final = {
    (policy, who)
    for policy in (
        "channel",
        "quorum",
        "function for quorum",
        "function for no self-approval",
        "channel, fresh",
    )
    for who in ("requester", "steerer")
}
"""Who is refused because of having asked, and would be let in otherwise."""
DECISIONS: Final[Sequence[Decision]] = (
    Approve(),
    Edit({"path": "other.txt"}),
    Reject("no"),
    Respond("do it yourself"),
)


AT_A_TIME: Final = 8
"""Presses at a time: Slack has two seconds for an answer, on a busy machine too."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One way to press one button."""

    who: str
    policy: str
    decision: Decision

    @property
    def name(self) -> str:
        return f"{self.who}/{self.policy}/{type(self.decision).__name__}"

    @property
    def action(self) -> ActionId:
        return ActionId(f"action of {self.name}")

    @property
    def spot(self) -> Spot:
        one = PEOPLE[self.who]
        return Spot(
            channel=ChannelId(OPS), message=Ts("5.5"), team=one.team_id, organisation=one.enterprise_id
        )

    @property
    def allowed(self) -> bool:
        return self.who in ALLOWED[self.policy]

    def is_blind(self, lookup: str) -> bool:
        """Whether Slack can tell nothing of the person that counts: a fresh rule takes nothing of before."""
        return lookup == "down" or (lookup == "cached" and POLICIES[self.policy].fresh)

    def sentence(self, *, down: bool) -> str:
        """How the refusal begins."""
        if down:
            return NEVER["unknown"]
        if self.who in NEVER:
            return NEVER[self.who]
        if (self.policy, self.who) in SELF:
            return "You asked for this yourself"
        return "You are not among the people who may decide about `write_file`"


CELLS: Final = [
    Cell(who=who, policy=policy, decision=decision)
    for who, policy, decision in itertools.product(PEOPLE, POLICIES, DECISIONS)
]


def asked(cell: Cell) -> Approval:
    said = SAID.get(cell.policy)
    return approval(
        cell.name,
        action(cell.action, needs=POLICIES[cell.policy].given(said).needs, chosen=said),
        requesters=frozenset({id_of("requester"), id_of("steerer")}),
    )


def both(cell: Cell) -> Approval:
    """Two calls that one press may decide."""
    said = SAID.get(cell.policy)
    needs, briefing = POLICIES[cell.policy].given(said).needs, Briefing(all_at_once=True)
    return approval(
        f"both of {cell.name}",
        *(action(f"{n} of {cell.name}", chosen=said, needs=needs, briefing=briefing) for n in (1, 2)),
        requesters=frozenset({id_of("requester"), id_of("steerer")}),
    )


class Says(NoFunctions):
    """Fills `Chooser`: functions that say this of every call."""

    def __init__(self, said: Chosen | None) -> None:
        self._said = said

    def of(self, realm: Realm) -> "Says":  # noqa: ARG002 - the protocol's
        return self

    def has_functions(self, tool: str) -> bool:  # noqa: ARG002 - the protocol's
        return self._said is not None

    async def chosen(self, request: ApprovalRequest, *, within: float) -> Chosen | None:  # noqa: ARG002
        return self._said


@dataclass(frozen=True, kw_only=True)
class Place:
    """A Slack with everybody in it, and the rows of all cells."""

    slack: Sandbox
    store: RowsStore

    def directory(self) -> SlackDirectory:
        client = asking_client(self.slack.bot_token, self.slack.api_url)
        return SlackDirectory(client, Whose(team=TEAM_ID, enterprise=GRID))

    async def press(self, cell: Cell, directory: SlackDirectory) -> Approval | Refused:
        desk = self.desk(POLICIES[cell.policy], directory, SAID.get(cell.policy))
        try:
            return await desk.decide(cell.action, cell.decision, by=id_of(cell.who), spot=cell.spot)
        except Refused as refusal:
            return refusal

    async def press_all(
        self, who: str, policy: str, decision: Approve | Reject, directory: SlackDirectory
    ) -> Together | Refused:
        """One press that lists both calls that wait under this policy."""
        desk = self.desk(replace(POLICIES[policy], all_at_once=True), directory)
        cell = Cell(who=who, policy=policy, decision=decision)
        those = [listed(each) for each in both(cell).actions]
        try:
            return await desk.decide_all(those, decision, by=id_of(who), spot=cell.spot)
        except Refused as refusal:
            return refusal

    def desk(self, terms: Terms, directory: SlackDirectory, said: Chosen | None = None) -> Desk:
        return Desk(
            chooser=Says(said),
            store=self.store,
            jobs=owing(WatchedStore(self.store)),
            directory=directory,
            tools=FileTools(),
            policy=Policy(defaults=terms),
            now=lambda: datetime.now(UTC),
        )

    async def faults(self, told: dict[str, Approval | Refused], lookup: str) -> list[str]:
        """What is not as the table has it: the answer, the rows or the record."""
        async with self.store.read() as tx:
            refused = {event.action: event for event in await tx.record.of() if event.kind == "refused"}
            found = []
            for cell in CELLS:
                now = await tx.approvals.of_action(cell.action)
                assert now is not None
                down = cell.is_blind(lookup)
                if cell.allowed and not down:
                    right = isinstance(told[cell.name], Approval) and is_counted(now, id_of(cell.who))
                    right = right and cell.action not in refused
                else:
                    answer = told[cell.name]
                    right = isinstance(answer, Refused) and str(answer).startswith(cell.sentence(down=down))
                    right = right and (now.state, now.version) == (State.WAITING, 0)
                    right = right and is_evidence(refused.get(cell.action), cell, down=down)
                if not right:
                    found.append(f"{cell.name}: {told[cell.name]!r}, {refused.get(cell.action)}")
        return found


def is_counted(now: Approval, by: UserId) -> bool:
    """Whether the decision of this person stands in the rows."""
    [decided] = now.actions
    return now.version == 1 and (decided.outcome is not None or decided.vote_of(by) is not None)


def is_evidence(event: Event | None, cell: Cell, *, down: bool) -> bool:
    """Whether the record says who was refused, why, and what Slack had said of the person and when."""
    if event is None or event.actor != id_of(cell.who):
        return False
    if down and POLICIES[cell.policy].fresh:
        return event.detail["reason"] == "CouldNotCheck"  # with what was known of before, which did not count
    if down or cell.who == "unknown":
        return event.detail["reason"] == "CouldNotCheck" and event.detail["evidence"] is None
    evidence = event.detail["evidence"]
    if not isinstance(evidence, dict) or event.detail["reason"] != "NotAllowed":
        return False
    asked_at = datetime.fromisoformat(str(evidence["asked_at"]))
    return (
        evidence["standing"] == STANDING.get(cell.who, "member")
        and evidence["team"] == PEOPLE[cell.who].team_id
        and abs((event.at - asked_at).total_seconds()) < 60
    )


@asynccontextmanager
async def a_place(folder: Path) -> AsyncIterator[Place]:
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(Sandbox(port=0, data=folder / "slack"))
        for who, one in PEOPLE.items():
            if who != "unknown":
                await slack.add_person(one)
        members = tuple(one.id for who, one in PEOPLE.items() if who not in NOT_THERE)
        await slack.change(Channel(id=SlackChannelId(OPS), name="ops", members=members))
        grouped = tuple(PEOPLE[who].id for who in ("in the group", *NEVER))
        await slack.change(SlackGroup(id=GROUP, handle="ops", name="Ops", users=grouped))
        store = await stack.enter_async_context(open_store(f"sqlite:///{folder / 'bot.db'}"))
        async with store.write() as tx:
            await tx.conversations.add(conversation(channel=ChannelId(OPS), status=Status.WAITING))
            for cell in CELLS:
                made = asked(cell)
                await tx.approvals.add(made)
                card = post(f"card of {cell.name}", kind=PostKind.CARD, approval=made.id)
                there = replace(card, state=PostState.SHOWN, channel=ChannelId(OPS), ts=Ts("5.5"))
                await tx.posts.owe(there)
        yield Place(slack=slack, store=store)


@pytest.mark.parametrize("lookup", ["fresh", "cached", "down"])
async def test_nobody_decides_but_whom_the_table_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lookup: str
) -> None:
    for module in (admission, directory):  # this is about who decides, not about how fast Slack is
        monkeypatch.setattr(module, "PATIENCE", 60.0)
    told: dict[str, Approval | Refused] = {}
    async with a_place(tmp_path) as place, AsyncExitStack() as stack:
        remembering = place.directory()
        stack.push_async_callback(remembering.close)
        if lookup == "cached":
            for one in PEOPLE.values():
                cell = Cell(who="in the channel", policy="channel", decision=Approve())
                await asyncio.gather(
                    remembering.person(UserId(one.id)),
                    remembering.is_member(ChannelId(OPS), id_of(cell.who)),
                    remembering.groups_of(id_of(cell.who)),
                    return_exceptions=True,
                )
        if lookup != "fresh":
            await place.slack.fault(Fault(kind="error", method="*"))
        for cells in [CELLS[at : at + AT_A_TIME] for at in range(0, len(CELLS), AT_A_TIME)]:
            directories = [place.directory() if lookup == "fresh" else remembering for _ in cells]
            answers = await asyncio.gather(*map(place.press, cells, directories))
            told |= {cell.name: answer for cell, answer in zip(cells, answers, strict=True)}
            if lookup == "fresh":
                await asyncio.gather(*(each.close() for each in directories))
        assert await place.faults(told, lookup) == []


@pytest.mark.parametrize("down", [False, True])
async def test_nobody_decides_all_at_once_but_whom_the_table_names(tmp_path: Path, *, down: bool) -> None:
    cells = [cell for cell in CELLS if isinstance(cell.decision, Approve | Reject)]
    async with a_place(tmp_path) as place, AsyncExitStack() as stack:
        async with place.store.write() as tx:
            for cell in cells:
                await tx.approvals.add(both(cell))
                card = post(f"card of both of {cell.name}", kind=PostKind.CARD, approval=both(cell).id)
                there = replace(card, state=PostState.SHOWN, channel=ChannelId(OPS), ts=Ts("5.5"))
                await tx.posts.owe(there)
        if down:
            await place.slack.fault(Fault(kind="error", method="*"))
        directory = place.directory()
        stack.push_async_callback(directory.close)
        wrong = [
            cell.name for cell in cells if not await is_as_the_table_has_it(place, cell, directory, down=down)
        ]
    assert wrong == []


async def is_as_the_table_has_it(place: Place, cell: Cell, directory: SlackDirectory, *, down: bool) -> bool:
    """Whether one press on both calls counts for both of them, or for none with its sentence."""
    assert isinstance(cell.decision, Approve | Reject)
    told = await place.press_all(cell.who, cell.policy, cell.decision, directory)
    async with place.store.read() as tx:
        now = await tx.approvals.on_card(both(cell).id)
    each = [one for approval in now for one in approval.actions]
    counted = [one.outcome is not None or one.vote_of(id_of(cell.who)) is not None for one in each]
    if cell.allowed and not down:
        return isinstance(told, Together) and (told.decided, told.left, counted) == (2, (), [True, True])
    whys = [str(told)] if isinstance(told, Refused) else [one.why for one in told.left]
    refused = whys and all(why.startswith(cell.sentence(down=down)) for why in whys)
    return bool(refused) and counted == [False, False] and getattr(told, "decided", 0) == 0


async def test_a_slack_that_does_not_answer_is_a_refusal_within_the_time_of_an_ack(tmp_path: Path) -> None:
    cell = Cell(who="in the channel", policy="channel", decision=Approve())
    async with a_place(tmp_path) as place:
        directory = place.directory()
        for method in ("conversations.members", "usergroups.list"):
            await place.slack.fault(Fault(kind="delay", method=method, seconds=30))
        began = asyncio.get_running_loop().time()
        told = await place.press(cell, directory)
        assert asyncio.get_running_loop().time() - began < 3
        await directory.close()
    assert isinstance(told, CouldNotCheck)
