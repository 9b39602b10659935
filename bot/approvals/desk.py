"""The desk: where a person's decision about an action is checked, written and passed on."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from bot.approvals.action import Seat
from bot.approvals.admission import Admission, AskAbout, Rights, evidence
from bot.approvals.approval import Action, Approval
from bot.approvals.bursts import merged
from bot.approvals.choosing import Chooser, Chosen, NoFunctions
from bot.approvals.decision import Decision, Edit, Json
from bot.approvals.docket import Docket
from bot.approvals.errors import AlreadyDecided, Conflict, NotAllowed, NotHere, Refused, UnknownAction
from bot.approvals.filing import redraw
from bot.approvals.functions import chosen_after
from bot.approvals.homes import Home
from bot.approvals.ids import ActionId, ApprovalId, UserId
from bot.approvals.lookups import edited
from bot.approvals.many import Many
from bot.approvals.places import Spot
from bot.approvals.policies import Policies
from bot.approvals.ports import Asked, Clock, Directory, Jobs, Store, Tools
from bot.approvals.queueing import Queue
from bot.approvals.realm import Choice
from bot.approvals.referents import Referents
from bot.approvals.refusing import CANNOT_BECOME
from bot.approvals.rulings import Ruling, decided, event_of, taken_back
from bot.approvals.words import say

ATTEMPTS: Final = 5
"""How often a decision is tried again when another replica changed the row in between."""

Outcome = TypeVar("Outcome")


class Desk(Many):
    """Takes decisions: when a call returns, the decision is on disk."""

    def __init__(
        self,
        *,
        store: Store,
        jobs: Jobs,
        directory: Directory,
        tools: Choice[Tools],
        policy: Policies,
        now: Clock,
        chooser: Choice[Chooser] | None = None,
    ) -> None:
        self._store = store
        self._jobs = jobs
        self._tools = tools
        self._now = now
        self._policy = policy
        self._chooser = chooser or NoFunctions()
        self._admission = Admission(directory=directory, policy=policy)
        self._docket = Docket(store, jobs, Queue(jobs=jobs, policy=policy, now=now))

    async def decide(
        self,
        id: ActionId,
        decision: Decision,
        *,
        by: UserId,
        spot: Spot,
        seen: str | None = None,
    ) -> Approval:
        """Decide about one action, and owe the resume if it was the last decision that was missing.

        `spot` is where the click says it was made, which has to be where one of the cards stands.
        `seen` is the edition of the action that the person was shown, None where it does not matter.
        Raises a `Refused` whose text is told to the person; then nothing but the record has changed.
        """
        found: Referents | None = None
        chosen: Chosen | None = None
        if isinstance(decision, Edit):
            opened = await self._opened(id, by, spot)
            action = opened.approval.action(id)
            tool = self._target(opened.approval, action, decision)
            other = tool if tool != action.tool else None
            realm = opened.conversation.realm
            tools, chooser = self._tools.of(realm), self._chooser.of(realm)
            decision = Edit(tools.check(tool, decision.arguments), other)
            found = await edited(tools, tool, decision.arguments)
            chosen = await chosen_after(chooser, opened, action, (tool, decision.arguments, found))

        def rule(asked: Asked, seat: Seat) -> Ruling:
            about = partial(decided, asked, id, decision, by=by, at=self._now())
            return about(seat=seat, seen=seen, referents=found, chosen=chosen)

        return await self._judged(id, rule, by, spot, decision, chosen=chosen)

    async def take_back(self, id: ActionId, *, by: UserId, spot: Spot) -> Approval:
        """Take back this person's own decision; `Refused` once the last one of the approval is in."""

        def rule(asked: Asked, _: Seat) -> Ruling:
            policy = self._policy.of(asked.conversation.realm)
            needs = policy.terms_of(asked.approval.action(id)).needs
            return taken_back(asked, id, by=by, at=self._now(), needs=needs)

        return await self._judged(id, rule, by, spot)

    async def opens(self, id: ActionId, *, by: UserId, spot: Spot) -> tuple[Approval, Action]:
        """The action for a form, if this person may still decide about it; `Refused` otherwise."""
        approval = (await self._opened(id, by, spot)).approval
        return approval, approval.action(id)

    async def _opened(self, id: ActionId, by: UserId, spot: Spot) -> Asked:
        async def look(rights: Rights) -> Asked:
            async with self._store.read() as tx:
                asked = (await tx.approvals.asked([id])).get(id)
            if asked is None:
                raise UnknownAction
            action = asked.approval.action(id)
            self._admission.check(asked, action, rights, spot)
            asked.approval.refuse_late(action, by, self._now())
            return asked

        return await self._admitted(id, by, spot, look)

    async def look(self, id: ActionId) -> tuple[Approval, Action]:
        """The action as it stands, with all that stands on its card; for reading."""
        async with self._store.read() as tx:
            found = await tx.approvals.of_action(id)
            card = await tx.approvals.on_card(found.id) if found else ()
        if not card:
            raise UnknownAction
        approval = merged(card)
        return approval, approval.action(id)

    async def approval(self, id: ApprovalId) -> Approval:
        """The approval as it stands, with all that stands on its card; for reading."""
        async with self._store.read() as tx:
            card = await tx.approvals.on_card(id)
        if not card:
            raise UnknownAction
        return merged(card)

    async def proposed(self, id: ActionId, edit: Edit, *, by: UserId, spot: Spot) -> Edit:
        """The edit in the types of its tool's schema, for showing it; nothing is decided.

        `Refused` if this person may not make it, `InvalidArguments` for what the schema does not take.
        """
        approval, action = await self.opens(id, by=by, spot=spot)
        tool = self._target(approval, action, edit)
        checked = self._tools.of(approval.realm).check(tool, edit.arguments)
        return Edit(checked, tool if tool != action.tool else None)

    def _target(self, approval: Approval, action: Action, edit: Edit) -> str:
        """The tool that an edit asks for; `NotAllowed` for one that the call may not be turned into."""
        tool = edit.tool or action.tool
        allowed = self._policy.of(approval.realm).terms(action.tool).edit_to
        if tool != action.tool and not (tool in action.targets and tool in allowed):
            raise NotAllowed(say(CANNOT_BECOME, tool=action.tool, other=tool))
        return tool

    async def _judged(
        self,
        id: ActionId,
        rule: Callable[[Asked, Seat], Ruling],
        by: UserId,
        spot: Spot,
        decision: Decision | None = None,
        *,
        chosen: Chosen | None = None,
    ) -> Approval:
        async def judge(rights: Rights) -> Approval:
            def admitted(asked: Asked) -> Ruling:
                action = asked.approval.action(id)
                check = partial(self._admission.check, asked, action, rights, spot, decision)
                return rule(asked, check(chosen=chosen))

            return await self._docket.judge(id, admitted)

        return await self._admitted(id, by, spot, judge)

    async def _admitted(
        self,
        id: ActionId,
        by: UserId,
        spot: Spot,
        do: Callable[[Rights], Awaitable[Outcome]],
    ) -> Outcome:
        """Do this with what is known of the person, asking more when it is wanted; a refusal is recorded."""
        rights: Rights | None = None
        try:
            rights = await self._admission.rights(by, spot)
            if spot.home:
                rights = replace(rights, home=await self._home(by))
            for _ in range(ATTEMPTS):
                try:
                    return await do(rights)
                except AskAbout as question:
                    rights = await self._admission.asked_about(rights, question)
                except Conflict:
                    continue
        except Refused as refusal:
            await self._record(id, by, refusal, rights, spot)
            raise
        raise Refused(say("Too many people decided at once; please press again."))

    async def _home(self, by: UserId) -> Home | None:
        async with self._store.read() as tx:
            return await tx.homes.get(by)

    async def _record(
        self, id: ActionId, by: UserId, refusal: Refused, rights: Rights | None, spot: Spot
    ) -> None:
        async with self._store.write() as tx:
            asked = (await tx.approvals.asked([id])).get(id)
            if asked is None:
                return
            detail: dict[str, Json] = {"reason": type(refusal).__name__, "evidence": evidence(rights)}
            if isinstance(refusal, NotHere):
                claimed = {"team": spot.team, "channel": spot.channel, "message": spot.message}
                detail["claimed"] = {**claimed, **({"home": spot.home} if spot.home else {})}
            event = event_of("refused", asked.approval, id, by, at=self._now(), detail=detail)
            await tx.record.append(event)
            if isinstance(refusal, AlreadyDecided):
                # Whoever clicked saw an old drawing: it is drawn again.
                await self._jobs.owe(tx, *(redraw(card.post, "seen") for card in asked.cards))
