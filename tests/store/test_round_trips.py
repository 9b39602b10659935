"""What is read is what was written, to the last bit."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.approvals.action import Expired, LetThrough, Remembered, Vote
from bot.approvals.approval import Action, Approval, Decided, Shape, State
from bot.approvals.asking import Asking, Remembering
from bot.approvals.briefing import Briefing
from bot.approvals.conversation import Conversation, Post, PostKind, PostState, Said, Status
from bot.approvals.decision import Approve, DecisionKind, Edit, Json, Reject, Respond
from bot.approvals.ids import ActionId, ApprovalId, ConversationId, InterruptId, MessageId, PostId, UserId
from bot.approvals.ports import Event
from bot.approvals.referents import Referents
from bot.approvals.sayings import Saying, saying
from bot.approvals.who import ALONE, ChannelMembers, Members, One, Quorum, Requester, UserGroup
from bot.store import RowsStore, RowsTransaction, open_store
from bot.store.rows import from_json, to_json
from tests.postgres import a_database
from tests.store.samples import NOON, THREAD, action, approval, conversation, said

Written: TypeAlias = Approval | Conversation | Said | Post | Event

numbers = count()

# Everything that a Python string can hold: lone surrogates and 0x00 as well.
texts = st.text(st.characters(exclude_categories=()), max_size=20)
words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=10)
kept = texts | st.recursive(
    st.builds(lambda words: saying("stopped by {who}", who=words), texts),
    lambda inner: st.builds(
        lambda who, n: saying("{count:,} by {who}", count=n, who=who), inner, st.integers()
    ),
    max_leaves=3,
)
moments = st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.replace(fold=0))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=12,
)
objects = st.dictionaries(texts, values, max_size=4)
decisions = st.one_of(
    st.just(Approve()),
    st.builds(Edit, objects, st.none() | texts),
    st.builds(Reject, texts),
    st.builds(Respond, texts),
)
remembered = st.builds(
    Remembered,
    action=words,
    by=st.lists(words, max_size=3).map(tuple),
    at=moments,
    taken_back=st.none() | words,
)
outcomes = st.one_of(
    st.none(),
    st.builds(Decided, decision=decisions, by=words, at=moments),
    st.builds(Expired, at=moments),
    st.builds(LetThrough, at=moments, because=st.none() | remembered),
)
who = st.one_of(
    st.sampled_from([ChannelMembers(), Requester(), Members(), One(UserId("U0BOB"))]),
    st.builds(UserGroup, words, words),
)
quorums = st.builds(Quorum, approvers=st.lists(who, max_size=3).map(tuple), count=st.integers(1, 9))
referents = st.one_of(
    st.none(),
    st.builds(Referents, texts=st.dictionaries(texts, texts, max_size=3)),
    st.builds(Referents, problem=st.text(st.characters(exclude_categories=()), min_size=1, max_size=20)),
)
votes = st.builds(
    Vote,
    decision=decisions,
    by=words,
    at=moments,
    digest=texts,
    fits=st.frozensets(st.integers(0, 3)),
    referents=referents,
)
actions = st.builds(
    Action,
    id=st.just(ActionId("")),
    tool=texts,
    arguments=objects,
    description=texts,
    allowed=st.frozensets(st.sampled_from(DecisionKind)),
    digest=texts,
    call=texts,
    schema=st.none() | objects,
    targets=st.dictionaries(texts, objects, max_size=2),
    briefing=st.builds(Briefing, deciders=kept, reasons=st.lists(texts, max_size=3).map(tuple)),
    remembering=st.none() | st.builds(Remembering, asking=st.sampled_from(Asking), terms=words),
    forgotten=st.none() | words,
    referents=referents,
    needs=st.just(ALONE) | st.lists(quorums, max_size=3).map(tuple),
    votes=st.lists(votes, max_size=3).map(tuple),
    outcome=outcomes,
)
approvals = st.builds(
    Approval,
    id=st.just(ApprovalId("")),
    conversation=st.just(THREAD),
    interrupt=st.just(InterruptId("")),
    shape=st.sampled_from(Shape),
    actions=st.lists(actions, max_size=4).map(tuple),
    asked_at=moments,
    requesters=st.frozensets(words, max_size=3),
    state=st.sampled_from(State),
    version=st.integers(0, 2**31 - 1),
    note=kept,
)


def shown(value: Any) -> Any:  # noqa: ANN401 - takes anything apart
    """A value taken apart so that only the same is equal: not 1, 1.0 and True, but NaN and NaN."""
    if is_dataclass(value):
        return type(value).__name__, [shown(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, frozenset):
        return sorted(map(repr, value))
    if isinstance(value, tuple):
        return [shown(item) for item in value]
    if isinstance(value, Saying):
        return value.message, {name: shown(one) for name, one in value.values.items()}
    return repr(value)


async def write(tx: RowsTransaction, written: Written) -> None:
    match written:
        case Approval():
            assert await tx.approvals.add(written)
        case Conversation():
            await tx.conversations.add(written)
        case Said():
            assert await tx.conversations.keep(written)
        case Post():
            assert await tx.posts.owe(written)
        case Event():
            await tx.record.append(written)


async def read(tx: RowsTransaction, written: Written) -> Written | None:
    match written:
        case Approval(id=id):
            return await tx.approvals.get(id)
        case Conversation(id=id):
            return await tx.conversations.get(id)
        case Said(conversation=id):
            return (await tx.conversations.kept(id))[-1]
        case Post(id=id):
            return await tx.posts.get(id)
        case Event(conversation=id):
            return (await tx.record.of(id))[-1]


class Rig:
    """A store and the loop that it lives in, for tests that hypothesis calls many times."""

    def __init__(self, runner: asyncio.Runner, store: RowsStore) -> None:
        self._runner = runner
        self._store = store

    def again(self, written: Written) -> Any:  # noqa: ANN401 - as given
        """What the store has after this was written."""
        return self._runner.run(self._again(written))

    async def _again(self, written: Written) -> Any:  # noqa: ANN401 - as given
        async with self._store.write() as tx:
            await write(tx, written)
        async with self._store.read() as tx:
            return await read(tx, written)


@asynccontextmanager
async def opened(kind: str, folder: Path) -> AsyncIterator[RowsStore]:
    async with AsyncExitStack() as stack:
        where = folder / "bot.db" if kind == "sqlite" else await stack.enter_async_context(a_database())
        yield await stack.enter_async_context(open_store(where))


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def rig(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with asyncio.Runner() as runner:
        opening = opened(request.param, tmp_path_factory.mktemp("round"))
        store = runner.run(opening.__aenter__())
        rig = Rig(runner, store)
        rig.again(conversation())
        yield rig
        runner.run(opening.__aexit__(None, None, None))


many = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def named(asked: Approval) -> Approval:
    number = next(numbers)
    return replace(
        asked,
        id=ApprovalId(f"p{number}"),
        interrupt=InterruptId(f"i{number}"),
        actions=tuple(
            replace(one, id=ActionId(f"a{number}-{place}")) for place, one in enumerate(asked.actions)
        ),
    )


@many
@given(asked=approvals)
@example(asked=approval("p", action(arguments={"nan": float("nan"), "inf": [float("-inf"), -0.0]})))
@example(asked=approval("p", action(arguments={"big": 10**300, "one": [1, 1.0, True]})))
@example(
    asked=approval("p", action(arguments={"pair": "\ud83d\ude00", "one": "\U0001f600", "lone": "\ude00"}))
)
@example(asked=approval("p", action(arguments={"long": "x" * 100_000, "nul": "a\0b", "\0": None})))
@example(asked=approval("p", *(action() for _ in range(50))))
def test_an_approval_comes_back_as_it_was(rig: Rig, asked: Approval) -> None:
    written = named(asked)
    assert shown(rig.again(written)) == shown(written)


@many
@given(
    one=st.builds(
        Conversation,
        id=st.just(THREAD),
        channel=words,
        thread_ts=st.none(),
        requester=words,
        started_at=moments,
        status=st.sampled_from(Status),
    )
)
def test_a_conversation_comes_back_as_it_was(rig: Rig, one: Conversation) -> None:
    written = replace(one, id=ConversationId(f"c{next(numbers)}"))
    assert shown(rig.again(written)) == shown(written)


@many
@given(text=texts, by=words, at=moments)
@example(text="x" * 100_000, by="U1", at=NOON)
def test_what_was_said_comes_back_as_it_was(rig: Rig, text: str, by: UserId, at: datetime) -> None:
    id = MessageId(f"m{next(numbers)}")
    written = said(id, text, by=by, at=at, source=id)
    assert shown(rig.again(written)) == shown(written)


@many
@given(
    one=st.builds(
        Post,
        id=st.just(PostId("")),
        conversation=st.just(THREAD),
        kind=st.sampled_from(PostKind),
        text=kept,
        approval=st.none(),
        state=st.sampled_from(PostState),
        channel=st.none() | words,
        ts=st.none() | words,
        drawn=st.integers(-1, 2**31 - 1),
        settled_by=st.none() | words,
        problem=texts,
    )
)
def test_a_post_comes_back_as_it_was(rig: Rig, one: Post) -> None:
    written = replace(one, id=PostId(f"post{next(numbers)}"))
    assert shown(rig.again(written)) == shown(written)


@many
@given(kind=words, at=moments, actor=st.none() | words, detail=objects)
def test_a_line_of_the_record_comes_back_as_it_was(
    rig: Rig, kind: str, at: datetime, actor: UserId | None, detail: dict[str, Json]
) -> None:
    written = Event(
        kind=kind, at=at, conversation=ConversationId(f"e{next(numbers)}"), actor=actor, detail=detail
    )
    assert shown(rig.again(written)) == shown(written)


@many
@given(value=values)
def test_json_text_says_every_value_apart(value: Json) -> None:
    assert repr(from_json(to_json(value))) == repr(value)


@pytest.mark.parametrize("forged", ["\ud800", "\0", "a\0b\udfff", "'; DROP TABLE audit; --", "x" * 100_000])
async def test_a_forged_id_is_found_nowhere_and_can_be_recorded(store: RowsStore, forged: str) -> None:
    async with store.write() as tx:
        assert await tx.approvals.of_action(ActionId(forged)) is None
        assert await tx.conversations.get(ConversationId(forged)) is None
        await tx.record.append(Event(kind="refused", at=NOON, action=ActionId(forged)))
        [event] = await tx.record.of()
    assert event.action == forged.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


async def test_a_time_in_another_zone_is_kept_as_the_same_moment_in_utc(store: RowsStore) -> None:
    there = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
    async with store.write() as tx:
        await tx.conversations.add(conversation(started_at=there))
        found = await tx.conversations.get(THREAD)
    assert found is not None
    assert (found.started_at, found.started_at.utcoffset()) == (NOON, timedelta(0))


async def test_a_time_without_a_zone_is_refused(store: RowsStore) -> None:
    with pytest.raises(Exception, match="without a zone"):
        async with store.write() as tx:
            await tx.conversations.add(conversation(started_at=NOON.replace(tzinfo=None)))
