"""The desk: where a person's decision about an action is checked, written and passed on."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final, TypeAlias

from bot.approvals.approval import Action, Approval, State
from bot.approvals.binding import digest
from bot.approvals.conversation import Conversation, Status
from bot.approvals.decision import Decision, Edit, Json, kind_of
from bot.approvals.errors import AlreadyDecided, Conflict, CouldNotCheck, Refused, UnknownAction
from bot.approvals.filing import owe_redraw, thread_key
from bot.approvals.ids import ActionId, ApprovalId, ChannelId, UserId
from bot.approvals.person import Person
from bot.approvals.policy import ChannelMembers, Policy, check_decision
from bot.approvals.ports import Asked, Clock, Directory, Event, Jobs, Store, Tools, Transaction

ATTEMPTS: Final = 5
"""How often a decision is tried again when another replica changed the row in between."""

Change: TypeAlias = Callable[[Transaction, Asked], Awaitable[Approval]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What is known about who clicked: asked before the transaction, which must not wait for Slack."""

    person: Person
    members_of: ChannelId | None = None
    """The channel that was looked into."""
    is_member: bool = False
    """Whether the person is in it."""


class _AskAbout(Exception):  # noqa: N818 - leaves a transaction for a question
    """The policy wants to know whether the person is in this channel."""

    def __init__(self, channel: ChannelId) -> None:
        self.channel = channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Takes decisions, one transaction each: when a call returns, the decision is on disk."""

    store: Store
    jobs: Jobs
    directory: Directory
    tools: Tools
    policy: Policy
    now: Clock

    async def decide(
        self, id: ActionId, decision: Decision, *, by: UserId, near: ChannelId | None = None
    ) -> Approval:
        """Decide about one action, and owe the resume if it was the last one missing.

        `near` is where the click says it was made: only a hint whom to ask about, the rows decide.
        Raises a `Refused` whose text is told to the person; then nothing but the record has changed.
        """
        if isinstance(decision, Edit):
            _, action = await self.opens(id, by=by)
            decision = Edit(self.tools.check(action.tool, decision.arguments))
        return await self._transact(id, by, partial(self._decide, id, decision, by), near)

    async def take_back(self, id: ActionId, *, by: UserId, near: ChannelId | None = None) -> Approval:
        """Take back this person's own decision; `Refused` once the last one of the approval is in."""
        return await self._transact(id, by, partial(self._take_back, id, by), near)

    async def opens(
        self, id: ActionId, *, by: UserId, near: ChannelId | None = None
    ) -> tuple[Approval, Action]:
        """The action for a form, if this person may still decide about it; `Refused` otherwise."""

        async def look(_: Transaction, asked: Asked) -> Approval:
            asked.approval.refuse_late(asked.approval.action(id), by)
            return asked.approval

        approval = await self._transact(id, by, look, near, reading=True)
        return approval, approval.action(id)

    async def look(self, id: ActionId) -> tuple[Approval, Action]:
        """The action as it stands, for reading."""
        async with self.store.read() as tx:
            approval = await tx.approvals.of_action(id)
        if approval is None:
            raise UnknownAction
        return approval, approval.action(id)

    async def approval(self, id: ApprovalId) -> Approval:
        """The approval as it stands, for reading."""
        async with self.store.read() as tx:
            approval = await tx.approvals.get(id)
        if approval is None:
            raise UnknownAction
        return approval

    async def _transact(
        self, id: ActionId, by: UserId, do: Change, near: ChannelId | None, *, reading: bool = False
    ) -> Approval:
        """Check the person and do this in one transaction; a refusal is recorded and raised."""
        try:
            rights = Rights(person=await self.directory.person(by))
            if near and self.policy.asks_for_members:
                rights = await self._rights(rights, near, or_not=True)
            return await self._attempt(id, do, rights, reading=reading)
        except Refused as refusal:
            await self._record_refusal(id, by, refusal)
            raise

    async def _attempt(self, id: ActionId, do: Change, rights: Rights, *, reading: bool) -> Approval:
        for _ in range(ATTEMPTS):
            try:
                async with self.store.read() if reading else self.store.write() as tx:
                    asked = await tx.approvals.asked(id)
                    if asked is None:
                        raise UnknownAction
                    self._check(asked, asked.approval.action(id), rights)
                    return await do(tx, asked)
            except _AskAbout as question:
                rights = await self._rights(rights, question.channel)
            except Conflict:
                continue
        raise Refused("Too many people decided at once; please press again.")

    async def _rights(self, rights: Rights, channel: ChannelId, *, or_not: bool = False) -> Rights:
        try:
            is_member = await self.directory.is_member(channel, rights.person.id)
        except CouldNotCheck:
            if or_not:
                return rights
            raise
        return replace(rights, members_of=channel, is_member=is_member)

    def _check(self, asked: Asked, action: Action, rights: Rights) -> None:
        terms, channel = self.policy.terms(action.tool), asked.conversation.channel
        if ChannelMembers() in terms.approvers and rights.members_of != channel:
            raise _AskAbout(channel)
        check_decision(
            terms,
            rights.person,
            requesters=asked.approval.requesters,
            in_channel=rights.is_member and rights.members_of == channel,
            tool=action.tool,
        )

    async def _decide(
        self, id: ActionId, decision: Decision, by: UserId, tx: Transaction, asked: Asked
    ) -> Approval:
        approval, at = asked.approval, self.now()
        saved = await tx.approvals.save(approval.decide(id, decision, by=by, at=at))
        detail = _detail(approval, approval.action(id), decision)
        await tx.record.append(_event("decided", approval, id, by, at=at, detail=detail))
        await self._owe_redraw(tx, asked, str(saved.version))
        if saved.state is State.SETTLED:
            await self._owe_resume(tx, saved, asked.conversation)
        return saved

    async def _take_back(self, id: ActionId, by: UserId, tx: Transaction, asked: Asked) -> Approval:
        saved = await tx.approvals.save(asked.approval.take_back(id, by=by))
        await tx.record.append(_event("taken_back", saved, id, by, at=self.now()))
        await self._owe_redraw(tx, asked, str(saved.version))
        return saved

    async def _owe_redraw(self, tx: Transaction, asked: Asked, version: str) -> None:
        if asked.card:
            await owe_redraw(tx, self.jobs, asked.card, version)

    async def _owe_resume(self, tx: Transaction, approval: Approval, conversation: Conversation) -> None:
        if conversation.status in {Status.WAITING, Status.FAILED}:
            await tx.conversations.save(replace(conversation, status=Status.WORKING))
        await self.jobs.enqueue(
            tx,
            f"resume:{approval.id}",
            "resume",
            key=thread_key(conversation.id),
            conversation=conversation.id,
        )

    async def _record_refusal(self, id: ActionId, by: UserId, refusal: Refused) -> None:
        async with self.store.write() as tx:
            if asked := await tx.approvals.asked(id):
                detail: dict[str, Json] = {"reason": type(refusal).__name__}
                await tx.record.append(
                    _event("refused", asked.approval, id, by, at=self.now(), detail=detail)
                )
                if isinstance(refusal, AlreadyDecided):
                    # Whoever clicked saw an old drawing: it is drawn again.
                    await self._owe_redraw(tx, asked, "seen")


def _event(
    kind: str,
    approval: Approval,
    action: ActionId,
    by: UserId,
    *,
    at: datetime,
    detail: Mapping[str, Json] | None = None,
) -> Event:
    return Event(
        kind=kind,
        at=at,
        conversation=approval.conversation,
        approval=approval.id,
        action=action,
        actor=by,
        detail=detail or {},
    )


def _detail(approval: Approval, action: Action, decision: Decision) -> dict[str, Json]:
    """What the record keeps of a decision: kinds and digests, never a value."""
    detail: dict[str, Json] = {"decision": kind_of(decision).value, "digest": action.digest}
    if isinstance(decision, Edit):
        detail["edited_digest"] = digest(
            tool=action.tool,
            arguments=decision.arguments,
            thread=approval.conversation,
            interrupt=approval.interrupt,
            call=action.call,
        )
    return detail
