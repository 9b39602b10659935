"""Refusals are said in the language of whoever is refused; what a row keeps for others never is."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from bot.approvals import together
from bot.approvals.absent import NoTools
from bot.approvals.action import Decided, Expired, LetThrough, Outcome, Remembered
from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Status
from bot.approvals.decision import Approve, DecisionKind, Edit, Reject
from bot.approvals.errors import Refused, UnknownAction
from bot.approvals.filing import owe_cards
from bot.approvals.ids import ActionId, ChannelId, Ts
from bot.approvals.parts import Table, Text, Unfit, fit
from bot.approvals.person import Person, Standing
from bot.approvals.places import InChannel, ToApprovers
from bot.approvals.policy import Policy, check_decision, check_request, in_words
from bot.approvals.referents import LONGEST, MOST, Referents, unfit
from bot.approvals.rendered import as_parts
from bot.approvals.sayings import uttered
from bot.approvals.terms import Terms
from bot.approvals.turns import KEPT
from bot.approvals.who import ChannelMembers, Members, MembersOf, One, Quorum, Requester, UserGroup
from bot.approvals.words import spoken
from tests.approvals.fakes import WatchedStore, owing
from tests.approvals.test_steering import steers, there_is
from tests.slack.unspoken import Blotted
from tests.store.samples import ALICE, BOB, GENERAL, NOON, THREAD, action, approval, conversation

ONE = action("a1", tool="7")
SEVERAL = Terms(
    approvers=(),
    require=(
        Quorum(approvers=(ChannelMembers(), Members(), Requester(), One(ALICE)), count=2),
        Quorum(approvers=(UserGroup(BOB, "7"), MembersOf(GENERAL, "#7"))),  # type: ignore[arg-type]
    ),
)
NOT_BY_BOB = Terms(approvers=(One(ALICE),))


def asked(outcome: Outcome | None = None, **changes: object) -> Approval:
    return replace(approval("p1", actions=(replace(ONE, outcome=outcome),)), **changes)  # type: ignore[arg-type]


def decides(on: Approval, decision: Approve | Edit | Reject = Approve(), *, seen: str = "") -> None:  # noqa: B008 - frozen
    on.decide(ONE.id, decision, by=BOB, at=NOON, seen=seen)


def unseen() -> None:
    blind = replace(ONE, referents=Referents(problem="7"))
    decides(approval("p1", actions=(blind,)))


def twice() -> None:
    decides(approval("p1", actions=(ONE, action("a2"))).decide(ONE.id, Approve(), by=BOB, at=NOON))


def on_its_own() -> None:
    together.refuse(asked(), ONE, DecisionKind.APPROVE, Terms(approvers=(Members(),)))


def decided_by(who: object, terms: Terms) -> None:
    person = Person(id=BOB, standing=who if isinstance(who, Standing) else Standing.MEMBER)
    check_decision(terms, person, requesters=frozenset({BOB}), in_channel=True, tool="7")


REFUSED: dict[str, Callable[[], object]] = {
    "nothing known": lambda: UnknownAction().args[0],
    "no tools": lambda: NoTools().check("7", {}),
    "a kind that is not taken": lambda: decides(
        approval("p1", actions=(replace(ONE, allowed=frozenset({DecisionKind.REJECT})),))
    ),
    "unseen": unseen,
    "another edition": lambda: decides(asked(), seen="7"),
    "another tool": lambda: decides(
        approval("p1", actions=(replace(ONE, allowed=frozenset(DecisionKind)),)), Edit({}, "8")
    ),
    "nothing to take back": lambda: asked().take_back(ONE.id, by=BOB, at=NOON),
    "withdrawn": lambda: decides(asked(state=State.WITHDRAWN)),
    "withdrawn, with a note": lambda: decides(asked(state=State.WITHDRAWN, note="7")),
    "decided by others": lambda: decides(asked(Decided(decision=Approve(), by=ALICE, at=NOON))),
    "decided by oneself": lambda: decides(
        asked(Decided(decision=Approve(), by=BOB, at=NOON), state=State.SETTLED)
    ),
    "expired": lambda: decides(asked(Expired(at=NOON))),
    "over": lambda: decides(asked(expires_at=NOON)),
    "let through": lambda: decides(asked(LetThrough(at=NOON))),
    "remembered": lambda: decides(
        asked(LetThrough(at=NOON, because=Remembered(action=ActionId("a0"), by=(ALICE, BOB), at=NOON)))
    ),
    "twice": twice,
    **{f"no move from {state}": partial(asked(state=state).withdraw, "7") for state in (*State,)[2:]},
    "expired when settled": lambda: asked(state=State.SETTLED).expire(NOON),
    "on its own": on_its_own,
    "decided meanwhile": lambda: together.refuse(
        asked(), replace(ONE, outcome=Expired(at=NOON)), DecisionKind.APPROVE, SEVERAL
    ),
    "not as listed": lambda: together.refuse_unlisted(ONE, together.Listed(id=ONE.id, bound="7")),
    **{f"a {who}": partial(decided_by, who, SEVERAL) for who in Standing if who is not Standing.MEMBER},
    "not named": lambda: decided_by(BOB, NOT_BY_BOB),
    "who asked": lambda: decided_by(BOB, SEVERAL),
    "no asker": lambda: check_request(
        Policy(defaults=SEVERAL, requesters=(One(ALICE),)), Person(id=BOB, standing=Standing.MEMBER)
    ),
}

TOLD: dict[str, Callable[[], str]] = {
    "who decides": lambda: in_words(SEVERAL, frozenset({BOB})),
    "many things": lambda: unfit({f"{n}": "7" for n in range(MOST + 1)}),
    "a long thing": lambda: unfit({"7": "7" * (LONGEST + 1)}),
    "half a thing": lambda: unfit({"7": "\ud800"}),
    "no parts": lambda: as_parts([]).problem,
    "half a part": lambda: as_parts(Text("\ud800")).problem,
    "no part": lambda: as_parts(7).problem,
    "an odd table": lambda: as_parts(Table(("7",), ())).problem,
}


def sentence(refuses: Callable[[], object]) -> str:
    """What is told to the one in whose language no letter can be read."""
    with spoken(Blotted()):
        try:
            told = refuses()
        except (Refused, Unfit) as no:
            return str(no)
        assert isinstance(told, str), "it was not refused"
        return uttered(told)


def english(text: str) -> list[str]:
    """What is the same in every language; ids and times are."""
    bare = re.sub(r"<@\w+>|\d{4}-\d\d-\d\d \d\d:\d\d UTC|@7|#7", "", text)
    return re.findall("[A-Za-z][A-Za-z ]+", bare)


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_said_as_a_whole(name: str) -> None:
    told = sentence(REFUSED[name])
    assert "~" in told
    assert english(told) == []


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told_of_a_call_is_said_as_a_whole(name: str) -> None:
    told = sentence(TOLD[name])
    assert "~" in told
    assert english(told) == []


def test_what_is_not_said_is_found() -> None:
    assert english("~~~ approved ~~ <@U0BOB>. It is") == ["approved ", "It is"]
    with pytest.raises(AssertionError, match="not refused"):
        sentence(lambda: fit(Text("7")))


async def kept_in_rows(store: WatchedStore) -> list[str]:
    """Every sentence of ours, in English; whoever's click it was, each can be said in any language."""
    async with store.read() as tx:
        posts, approvals = await tx.posts.of(THREAD), await tx.approvals.of(THREAD)
    kept = [*(post.text for post in posts if post.text), *(one.note for one in approvals if one.note)]
    with spoken(Blotted()):
        assert [words for words in kept if english(uttered(words))] == []
    return kept


@pytest.mark.parametrize("status", [one for one in Status if one not in {Status.IDLE, Status.FAILED}])
async def test_what_the_thread_is_told_of_a_message_can_be_said_in_any_language(
    store: WatchedStore, status: Status
) -> None:
    await there_is(store, status)
    with spoken(Blotted()):
        await steers(store).hear("7", by=ALICE, channel=GENERAL, ts=Ts("2.0"), thread_ts=Ts("1.000100"))
    [told] = await kept_in_rows(store)
    assert told == KEPT[status]


async def test_what_a_card_tells_of_a_stop_can_be_said_in_any_language(store: WatchedStore) -> None:
    await there_is(store, Status.WAITING, approval("p1"))
    with spoken(Blotted()):
        await steers(store).stop(THREAD, by=ALICE)
    assert f"stopped by <@{ALICE}>" in await kept_in_rows(store)


async def test_where_a_card_was_sent_can_be_said_in_any_language(store: WatchedStore) -> None:
    places = (InChannel(ChannelId("C0OPS"), "#7"), ToApprovers())
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        await tx.approvals.add(approval("p1"))
        with spoken(Blotted()):
            await owe_cards(tx, owing(store), approval("p1"), places)
    assert (
        "The request for approval was sent to #7 and to those who may decide, in direct messages. "
        "It can be decided there."
    ) in await kept_in_rows(store)
