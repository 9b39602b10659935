"""What time does to an approval: the thread is reminded, people are called in, it expires.

Timers are durable work, owed when the approval is filed and cancelled when nobody has to decide any more. One
that fires all the same, late or twice, looks again and finds nothing to do: the rows decide, not the timer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Post, PostKind, Status
from bot.approvals.decision import Json
from bot.approvals.errors import TryLater
from bot.approvals.filing import owe, owe_card, spreading, stop_timers
from bot.approvals.hearing import owe_outcome_of
from bot.approvals.ids import ApprovalId, PostId
from bot.approvals.places import Copy, ToApprovers
from bot.approvals.policies import Policies
from bot.approvals.policy import Policy, Terms, by_action, in_words
from bot.approvals.ports import Clock, Event, Jobs, Store, Transaction, Work
from bot.approvals.remaining import still_to_decide
from bot.approvals.rulings import resume
from bot.approvals.times import NEVER

TIMER: Final = "timer"
"""The kind of all timers' work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When something happens to an approval, each from when people are asked."""

    expires_after: timedelta = NEVER
    remind_after: tuple[timedelta, ...] = ()
    escalate_after: timedelta = NEVER


def schedule(every: Iterable[Terms]) -> Schedule:
    """The times of an approval whose actions have these terms.

    The agent is told of all actions at once, so the earliest expiry counts for the whole approval, and so
    does the earliest escalation. The thread is reminded at every time that any of the terms name. What would
    come when the approval has expired is left out.
    """
    terms = list(every)
    ends = min((each.expires_after for each in terms), default=NEVER)
    calls = min((each.escalate_after for each in terms if each.escalate_to), default=NEVER)
    reminders = sorted({after for each in terms for after in each.remind_after if after < ends})
    return Schedule(
        expires_after=ends, remind_after=tuple(reminders), escalate_after=calls if calls < ends else NEVER
    )


def timed(approval: Approval, policy: Policy) -> tuple[Approval, Sequence[Work]]:
    """A new approval with its deadline and the votes that it takes, and the timers to be owed with it."""
    actions = tuple(replace(action, needs=policy.terms_of(action).needs) for action in approval.actions)
    when = schedule(policy.terms_of(action) for action in approval.open)
    timers = list(_reminders(approval, when.remind_after))
    if when.escalate_after != NEVER:
        timers.append(_timer(f"escalate:{approval.id}", approval, when.escalate_after, does="escalate"))
    ends = None
    if when.expires_after != NEVER:
        timers.append(expiry(approval, after=when.expires_after))
        ends = approval.asked_at + when.expires_after
    owed = tuple(timer.id for timer in timers)
    return replace(approval, actions=actions, expires_at=ends, timers=owed), timers


def _reminders(approval: Approval, remind_after: Sequence[timedelta]) -> Iterator[Work]:
    """Each says when the next one is due: after a long sleep the thread is reminded once, not many times."""
    for number, after in enumerate(remind_after, 1):
        rest = remind_after[number:]
        until = (approval.asked_at + rest[0]).isoformat() if rest else ""
        yield _timer(f"remind:{approval.id}:{number}", approval, after, does="remind", until=until)


def expiry(approval: Approval, *, after: timedelta = timedelta()) -> Work:
    """The timer that expires an approval; at once, for one whose timer was lost."""
    return _timer(f"expire:{approval.id}", approval, after, does="expire")


def _timer(id: str, approval: Approval, after: timedelta, **payload: str) -> Work:
    return Work(id, TIMER, delay=after.total_seconds(), payload={"approval": approval.id, **payload})


@dataclass(frozen=True, slots=True, kw_only=True)
class Timers:
    """Does what is due, one transaction each; to do it twice changes nothing."""

    store: Store
    jobs: Jobs
    policy: Policies
    now: Clock

    async def fire(self, timer: str, payload: Mapping[str, str]) -> None:
        """Do what this timer is for, if it still is to be done.

        Raises `TryLater` if it is too early: clocks are put right, and two machines have two of them.
        """
        async with self.store.write() as tx:
            found = await tx.approvals.get(ApprovalId(payload["approval"]))
            if found is None or found.state is not State.WAITING:
                return
            if payload["does"] == "expire":
                await self._expire(tx, found, timer)
            elif found.is_over(self.now()):
                return  # it expires, which says more
            elif payload["does"] == "escalate":
                await self._escalate(tx, found, timer)
            elif not payload["until"] or self.now() < datetime.fromisoformat(payload["until"]):
                await self._remind(tx, found, timer)

    async def _remind(self, tx: Transaction, approval: Approval, timer: str) -> None:
        """Of all on one card the first that still waits speaks for the others."""
        waits = [one for one in await tx.approvals.on_card(approval.id) if one.state is State.WAITING]
        if waits[0].id == approval.id:
            who = still_to_decide(waits, self.policy.of(approval.realm))
            await self._say(tx, approval, PostKind.REMINDER, timer, who)

    async def _expire(self, tx: Transaction, approval: Approval, timer: str) -> None:
        now, deadline = self.now(), approval.expires_at
        if deadline is None:
            return
        if now < deadline:
            raise TryLater((deadline - now).total_seconds(), "the deadline has not come")
        # First, and to oneself: who decides about the card at this moment is waited for, or waits.
        conversation = await tx.conversations.get(approval.conversation)
        card = await tx.approvals.on_card(approval.id)
        for one in (one for one in card if one.state is State.WAITING and one.is_over(now)):
            await tx.approvals.save(one.expire(one.expires_at or deadline))
            await self._record(tx, one, "expired", {"actions": [*(each.id for each in one.open)]})
            await stop_timers(tx, self.jobs, one)
        if not any(one.id == approval.id and one.state is State.WAITING for one in card):
            return  # decided at the last moment
        if conversation and conversation.status in {Status.WAITING, Status.FAILED}:
            await tx.conversations.save(replace(conversation, status=Status.WORKING))
        await owe_card(tx, self.jobs, approval)
        await self._say(tx, approval.expire(deadline), PostKind.EXPIRY, timer, self._who(approval))
        await self.jobs.owe(tx, resume(approval))
        copies = [Copy(post=post.id, place=post.place) for post in await tx.posts.cards(approval.id)]
        await owe_outcome_of(tx, self.jobs, await tx.approvals.on_card(approval.id), copies)

    async def _escalate(self, tx: Transaction, approval: Approval, timer: str) -> None:
        people = frozenset(id for terms in self._terms(approval) for id in terms.escalate_to)
        if not people - approval.escalated_to:
            return  # done already, or the policy escalates to nobody by now
        escalated = approval.escalate(people)
        card = await tx.approvals.on_card(approval.id)
        for one in (one for one in card if one.state is State.WAITING):
            await tx.approvals.save(one.escalate(people))
            await self._record(tx, one, "escalated", {"to": [*sorted(people)]})
        await owe_card(tx, self.jobs, escalated)
        await self._say(tx, escalated, PostKind.ESCALATION, timer, self._who(escalated))
        if any(isinstance(terms.channel, ToApprovers) for terms in self._terms(escalated)):
            await self.jobs.owe(tx, spreading(escalated))

    def _who(self, approval: Approval) -> str:
        return by_action(in_words(each, approval.escalated_to) for each in self._terms(approval))

    async def _say(self, tx: Transaction, approval: Approval, kind: PostKind, timer: str, text: str) -> None:
        """Owe the thread what there is to say, and each place where people are asked; once for each timer."""
        post = Post(
            id=PostId(timer), conversation=approval.conversation, kind=kind, text=text, approval=approval.id
        )
        await owe(tx, self.jobs, post)
        if kind is not PostKind.EXPIRY:
            for card in await tx.posts.cards(approval.id):
                if card.place:
                    there = replace(post, id=PostId(f"{timer}:{card.place}"), place=card.place)
                    await owe(tx, self.jobs, there)

    async def _record(self, tx: Transaction, approval: Approval, kind: str, detail: dict[str, Json]) -> None:
        event = Event(
            kind=kind,
            at=self.now(),
            conversation=approval.conversation,
            approval=approval.id,
            detail=detail,
        )
        await tx.record.append(event)

    def _terms(self, approval: Approval) -> list[Terms]:
        policy = self.policy.of(approval.realm)
        return [policy.terms_of(action.asked) for action in approval.open]
