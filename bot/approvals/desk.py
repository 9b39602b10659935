"""The desk: where a person's decision about an action is checked, written and passed on."""

from dataclasses import dataclass, replace
from typing import Final

from bot.approvals.approval import Action, Approval, State
from bot.approvals.binding import digest
from bot.approvals.conversation import Status
from bot.approvals.decision import Decision, Edit, Json, kind_of
from bot.approvals.errors import AlreadyDecided, Conflict, Refused, UnknownAction
from bot.approvals.filing import owe_card, owe_redraw, thread_key
from bot.approvals.ids import ActionId, ApprovalId, UserId
from bot.approvals.policy import ChannelMembers, Policy, check_decision
from bot.approvals.ports import Clock, Directory, Event, Jobs, Store, Tools, Transaction

ATTEMPTS: Final = 5
"""How often a decision is tried again when another replica changed the row in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Takes decisions, one transaction each: when a call returns, the decision is on disk."""

    store: Store
    jobs: Jobs
    directory: Directory
    tools: Tools
    policy: Policy
    now: Clock

    async def decide(self, id: ActionId, decision: Decision, *, by: UserId) -> Approval:
        """Decide about one action, and owe the resume if it was the last one missing.

        Raises a `Refused` whose text is told to the person; then nothing but the record has changed.
        """
        action = await self._admit(id, by)
        if isinstance(decision, Edit):
            decision = Edit(self.tools.check(action.tool, decision.arguments))
        return await self._change(id, by, decision)

    async def take_back(self, id: ActionId, *, by: UserId) -> Approval:
        """Take back this person's own decision; `Refused` once the last one of the approval is in."""
        await self._admit(id, by)
        return await self._change(id, by, None)

    async def opens(self, id: ActionId, *, by: UserId) -> tuple[Approval, Action]:
        """The action for a form, if this person may still decide about it; `Refused` otherwise."""
        await self._admit(id, by)
        approval, action = await self.look(id)
        approval.refuse_late(action, by)
        return approval, action

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

    async def _admit(self, id: ActionId, by: UserId) -> Action:
        """The action, if this person may decide about it; a refusal is recorded and raised."""
        approval, action = await self.look(id)
        try:
            await self._check(approval, action, by)
        except Refused as refusal:
            await self._record_refusal(approval, id, by, refusal)
            raise
        return action

    async def _check(self, approval: Approval, action: Action, by: UserId) -> None:
        terms = self.policy.terms(action.tool)
        person = await self.directory.person(by)
        in_channel = False
        if ChannelMembers() in terms.approvers:
            async with self.store.read() as tx:
                conversation = await tx.conversations.get(approval.conversation)
            in_channel = conversation is not None and await self.directory.is_member(conversation.channel, by)
        check_decision(terms, person, requesters=approval.requesters, in_channel=in_channel, tool=action.tool)

    async def _change(self, id: ActionId, by: UserId, decision: Decision | None) -> Approval:
        for attempt in range(ATTEMPTS):
            try:
                async with self.store.write() as tx:
                    return await self._write(tx, id, by, decision)
            except Conflict:
                if attempt == ATTEMPTS - 1:
                    raise
            except Refused as refusal:
                approval, _ = await self.look(id)
                await self._record_refusal(approval, id, by, refusal)
                raise
        raise AssertionError("the last attempt returns or raises")

    async def _write(self, tx: Transaction, id: ActionId, by: UserId, decision: Decision | None) -> Approval:
        approval = await tx.approvals.of_action(id)
        if approval is None:
            raise UnknownAction
        at = self.now()
        if decision is None:
            changed, kind, detail = approval.take_back(id, by=by), "taken_back", dict[str, Json]()
        else:
            changed, kind = approval.decide(id, decision, by=by, at=at), "decided"
            detail = _detail(approval, approval.action(id), decision)
        saved = await tx.approvals.save(changed)
        await tx.record.append(
            Event(
                kind=kind,
                at=at,
                conversation=approval.conversation,
                approval=approval.id,
                action=id,
                actor=by,
                detail=detail,
            )
        )
        await owe_card(tx, self.jobs, saved)
        if saved.state is State.SETTLED:
            await self._owe_resume(tx, saved)
        return saved

    async def _owe_resume(self, tx: Transaction, approval: Approval) -> None:
        conversation = await tx.conversations.get(approval.conversation)
        if conversation and conversation.status in {Status.WAITING, Status.FAILED}:
            await tx.conversations.save(replace(conversation, status=Status.WORKING))
        await self.jobs.enqueue(
            tx,
            f"resume:{approval.id}",
            "resume",
            key=thread_key(approval.conversation),
            conversation=approval.conversation,
        )

    async def _record_refusal(self, approval: Approval, id: ActionId, by: UserId, refusal: Refused) -> None:
        async with self.store.write() as tx:
            await tx.record.append(
                Event(
                    kind="refused",
                    at=self.now(),
                    conversation=approval.conversation,
                    approval=approval.id,
                    action=id,
                    actor=by,
                    detail={"reason": type(refusal).__name__},
                )
            )
            card = await tx.posts.card(approval.id)
            if card and isinstance(refusal, AlreadyDecided):
                # Whoever clicked saw an old drawing: it is drawn again.
                await owe_redraw(tx, self.jobs, card.id, "seen")


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
