"""Who is sent a card in a direct message, and which places cannot have one."""

from dataclasses import dataclass, field, replace

import pytest

from bot.approvals.approval import Approval
from bot.approvals.conversation import Post, PostKind, Status
from bot.approvals.errors import CouldNotCheck, TryLater
from bot.approvals.filing import file
from bot.approvals.ids import ApprovalId, ChannelId, GroupId, PostId, Ts, UserId
from bot.approvals.person import Standing
from bot.approvals.places import IN_THREAD, Copy, InChannel, ToApprovers, Where
from bot.approvals.policy import Members, One, Policy, Requester, Rule, Terms, UserGroup
from bot.approvals.standings import (
    NOBODY,
    TOO_MANY,
    Standings,
    fall_back,
    lost,
    nearest,
    places,
    told_instead,
)
from tests.approvals.fakes import People, WatchedStore, owed, owing
from tests.store.samples import ALICE, BOB, GENERAL, NOON, action, approval, conversation, post

CAROL, GUS = UserId("U0CAROL"), UserId("U0GUS")
GROUP = GroupId("S0GROUP")
OPS = InChannel(ChannelId("C0OPS"), "#ops")
FIRST = ApprovalId("p1")


@dataclass(kw_only=True)
class Crowd(People):
    """People who may be in one group, and channels that may be shared."""

    group: frozenset[UserId] = frozenset()
    shared: set[ChannelId] = field(default_factory=set)

    async def members_of(self, group: GroupId) -> frozenset[UserId]:
        assert group == GROUP
        if self.silent:
            raise CouldNotCheck("Slack does not say who is in a user group.")
        return self.group

    async def is_shared(self, channel: ChannelId) -> bool:
        if self.silent:
            raise CouldNotCheck("Slack does not say who is in the channel.")
        return channel in self.shared


def direct(*approvers: One | UserGroup | Requester, self_approval: bool = False) -> Policy:
    terms = Terms(approvers=approvers, channel=ToApprovers(), self_approval=self_approval)
    return Policy(defaults=replace(terms, escalate_to=(CAROL,)))


def sending(store: WatchedStore, policy: Policy, crowd: Crowd | None = None) -> Standings:
    return Standings(store=store, jobs=owing(store), audience=crowd or Crowd(), policy=policy)


async def filed(store: WatchedStore, made: Approval | None = None, *where: Where) -> None:
    async with store.write() as tx:
        await tx.conversations.add(conversation(status=Status.WAITING))
        await file(tx, owing(store), made or approval(), places=where or (ToApprovers(),))


async def cards(store: WatchedStore) -> list[str]:
    async with store.read() as tx:
        return [card.place for card in await tx.posts.cards(FIRST)]


async def notices(store: WatchedStore) -> list[str]:
    async with store.read() as tx:
        every = await tx.posts.of(conversation().id)
    return [one.text for one in every if one.kind is PostKind.NOTICE]


def test_a_card_stands_in_each_place_that_an_open_action_names_once() -> None:
    rules = (
        Rule(tools=("ops*",), channel=OPS),
        Rule(tools=("here",), channel=InChannel(GENERAL, "#general")),
        Rule(tools=("dm",), channel=ToApprovers()),
    )
    policy = Policy(defaults=Terms(approvers=(Members(),)), rules=rules)
    tools = ("ops1", "here", "other", "dm", "ops2")
    made = approval("p1", *(action(tool, tool=tool) for tool in tools))
    assert places(made, policy, conversation()) == (OPS, IN_THREAD, ToApprovers())


async def test_where_no_copy_stands_in_the_thread_it_is_told_where_they_are(store: WatchedStore) -> None:
    await filed(store, None, OPS, ToApprovers())
    assert await cards(store) == [OPS.id]
    [told] = await notices(store)
    assert "to #ops and to those who may decide, in direct messages" in told
    assert len(await owed(store, "spread")) == 1


async def test_full_members_who_may_decide_are_sent_it_once_each_and_who_asked_is_not(
    store: WatchedStore,
) -> None:
    await filed(store)
    crowd = Crowd(group=frozenset({ALICE, CAROL, GUS, BOB}), standing={GUS: Standing.GUEST})
    standings = sending(store, direct(One(BOB), UserGroup(GROUP), Requester()), crowd)
    await standings.spread(FIRST)
    await standings.spread(FIRST)
    assert await cards(store) == [BOB, CAROL]
    assert len(await notices(store)) == 1


async def test_with_self_approval_who_asked_is_sent_it_too(store: WatchedStore) -> None:
    await filed(store)
    await sending(store, direct(Requester(), self_approval=True)).spread(FIRST)
    assert await cards(store) == [ALICE]


async def test_who_is_called_in_is_sent_it_beside_those_who_have_it(store: WatchedStore) -> None:
    await filed(store)
    standings = sending(store, direct(One(BOB)))
    await standings.spread(FIRST)
    async with store.write() as tx:
        found = await tx.approvals.get(FIRST)
        assert found
        await tx.approvals.save(found.escalate(frozenset({CAROL})))
    await standings.spread(FIRST)
    assert await cards(store) == [BOB, CAROL]


@pytest.mark.parametrize(
    ("group", "why"),
    [([], NOBODY), ([UserId(f"U0{number}") for number in range(21)], TOO_MANY.format(most=20))],
)
async def test_nobody_and_too_many_are_asked_in_the_thread_with_a_sentence_why(
    store: WatchedStore, group: list[UserId], why: str
) -> None:
    await filed(store)
    standings = sending(store, direct(UserGroup(GROUP)), Crowd(group=frozenset(group)))
    for _ in range(2):
        await standings.spread(FIRST)
    assert await cards(store) == [""]
    assert (await notices(store))[1:] == [why]


async def test_while_slack_does_not_say_who_they_are_it_is_tried_again(store: WatchedStore) -> None:
    await filed(store)
    crowd = Crowd(group=frozenset({BOB}), silent=True)
    standings = sending(store, direct(UserGroup(GROUP)), crowd)
    with pytest.raises(TryLater):
        await standings.spread(FIRST)
    assert await cards(store) == []
    crowd.silent = False
    await standings.spread(FIRST)
    assert await cards(store) == [BOB]


async def test_what_nobody_has_to_decide_any_more_is_sent_to_nobody(store: WatchedStore) -> None:
    await filed(store)
    async with store.write() as tx:
        found = await tx.approvals.get(FIRST)
        assert found
        await tx.approvals.save(found.withdraw("stopped"))
    await sending(store, direct(One(BOB))).spread(FIRST)
    assert (await cards(store), (await notices(store))[1:]) == ([], [])


@pytest.mark.parametrize(("allowed", "kept_out"), [((True, True), False), ((True, False), True)])
async def test_a_shared_channel_gets_a_card_only_if_the_rules_of_all_its_actions_say_so(
    store: WatchedStore, allowed: tuple[bool, bool], kept_out: object
) -> None:
    rules = tuple(Rule(tools=(f"tool{number}",), shared_channels=one) for number, one in enumerate(allowed))
    policy = Policy(defaults=Terms(approvers=(Members(),)), rules=rules)
    made = approval("p1", *(action(f"a{number}", tool=f"tool{number}") for number in range(2)))
    crowd = Crowd(shared={GENERAL})
    standings = sending(store, policy, crowd)
    assert await standings.keeps_out(GENERAL, made) is kept_out
    assert await standings.keeps_out(OPS.id, made) is False
    crowd.silent = True
    if kept_out:
        with pytest.raises(TryLater):
            await standings.keeps_out(OPS.id, made)


def test_each_person_is_led_to_the_own_copy_and_to_nobody_elses_direct_message() -> None:
    def copy(id: str, place: str, ts: str | None = "1.1") -> Copy:
        return Copy(post=PostId(id), place=place, ts=Ts(ts) if ts else None)

    own, there, bobs = copy("own", CAROL), copy("there", OPS.id), copy("bobs", BOB)
    assert nearest([bobs, there, own], CAROL) == own
    assert nearest([bobs, there, own], ALICE) == there
    assert nearest([bobs, copy("there", OPS.id, None)], ALICE) is None
    assert nearest([copy("own", CAROL, None), there], CAROL) == there


def test_what_the_thread_is_told_in_place_of_a_card_is_said_once() -> None:
    card = post("card-1", kind=PostKind.CARD, place=OPS.id)
    assert told_instead(card, "It is shared.") == Post(
        id=PostId("instead:card-1"),
        conversation=card.conversation,
        kind=PostKind.NOTICE,
        text="It is shared.",
    )


def test_a_place_that_cannot_have_the_card_is_told_as_a_person_or_as_a_channel() -> None:
    assert lost("U0BOB") == "<@U0BOB> cannot be sent this in a direct message, so it stands here."
    assert lost("C0OPS") == (
        "The channel that the policy names for this cannot be written in any more (it is archived, or I am "
        "not in it), so it stands here. Who may decide stays the same; invite me there again, or change the "
        "policy."
    )


async def test_a_card_falls_back_to_the_thread_once_and_is_told_for_each_place(store: WatchedStore) -> None:
    await filed(store, None, OPS)
    async with store.write() as tx:
        for place in (OPS.id, OPS.id, BOB):
            await fall_back(tx, owing(store), approval(), lost(place), of=place)
    those = {f"fallback:p1:{OPS.id}", f"fallback:p1:{BOB}", "card:p1:thread"}
    async with store.read() as tx:
        every = {one.id: (one.kind, one.text, one.place) for one in await tx.posts.of(conversation().id)}
    fallen = {id: told for id, told in every.items() if id in those}
    assert fallen == {
        f"fallback:p1:{OPS.id}": (PostKind.NOTICE, lost(OPS.id), ""),
        f"fallback:p1:{BOB}": (PostKind.NOTICE, lost(BOB), ""),
        "card:p1:thread": (PostKind.CARD, "", ""),
    }
    assert sorted(await cards(store)) == ["", OPS.id]


async def test_a_card_that_stands_in_the_thread_already_does_not_come_there_twice(
    store: WatchedStore,
) -> None:
    await filed(store, None, IN_THREAD)
    async with store.write() as tx:
        await fall_back(tx, owing(store), approval(), "Why.", of="dm")
        await fall_back(tx, owing(store), approval().expire(NOON), "Why not.", of="dm2")
    assert await cards(store) == [""]
    assert await notices(store) == ["Why."]


async def test_twenty_people_are_each_sent_it_and_people_beside_a_group_too(store: WatchedStore) -> None:
    await filed(store)
    group = [UserId(f"U0{number:02}") for number in range(19)]
    standings = sending(store, direct(One(BOB), UserGroup(GROUP)), Crowd(group=frozenset(group)))
    await standings.spread(FIRST)
    assert await cards(store) == sorted([*group, BOB])


async def test_why_slack_is_asked_again_later_is_said(store: WatchedStore) -> None:
    await filed(store)
    with pytest.raises(TryLater, match=r"^Slack does not say who is in a user group\.$") as later:
        await sending(store, direct(UserGroup(GROUP)), Crowd(silent=True)).spread(FIRST)
    assert later.value.seconds == 15
