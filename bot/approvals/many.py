"""The part of the desk that decides several open calls of a card with one press, each as its own vote."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from bot.approvals import together
from bot.approvals.action import Seat
from bot.approvals.admission import Admission, AskAbout, Rights
from bot.approvals.approval import Action, Approval
from bot.approvals.decision import Approve, DecisionKind, Reject, kind_of
from bot.approvals.docket import Docket
from bot.approvals.errors import AlreadyDecided, NotAllowed, Refused, UnknownAction
from bot.approvals.ids import ActionId, ApprovalId, UserId
from bot.approvals.places import Spot
from bot.approvals.policies import Policies
from bot.approvals.ports import Asked, Clock, Store
from bot.approvals.rulings import Ruling, decided
from bot.approvals.words import phrase, say

Outcome = TypeVar("Outcome")

NOTHING_TOGETHER: Final = phrase("Nothing here can be decided together any more, so nothing was done.")


class Many(ABC):
    """Decides several calls; who may, and how it is recorded, is the desk's."""

    _store: Store
    _now: Clock
    _policy: Policies
    _admission: Admission
    _docket: Docket

    @abstractmethod
    async def _admitted(
        self, id: ActionId, by: UserId, spot: Spot, do: Callable[[Rights], Awaitable[Outcome]]
    ) -> Outcome:
        """Do this with what is known of the person; a refusal is recorded."""

    @abstractmethod
    async def _record(
        self, id: ActionId, by: UserId, refusal: Refused, rights: Rights | None, spot: Spot
    ) -> None:
        """Record a refusal."""

    async def opens_all(
        self, id: ApprovalId, kind: DecisionKind, *, by: UserId, spot: Spot
    ) -> together.Covered:
        """What this person can decide with one press on this approval's card; `Refused` if it is nothing."""

        async def look(rights: Rights) -> together.Covered:
            async with self._store.read() as tx:
                card = await tx.approvals.on_card(id)
                pairs = together.for_person(card, kind, by)
                asked = await tx.approvals.asked([action.id for _, action in pairs])

            def admit(action: Action) -> None:
                self._admission.check(asked[action.id], action, rights, spot)

            calls, no = self._sorted(pairs, kind, admit, by)
            if not calls:
                raise no or NotAllowed(say(NOTHING_TOGETHER))
            still_open = sum(len(one.open) for one in card)
            return together.Covered(calls=tuple(calls), others=still_open - len(calls))

        async with self._store.read() as tx:
            card = await tx.approvals.on_card(id)
        if not card:
            raise UnknownAction
        return await self._admitted(card[0].actions[0].id, by, spot, look)

    def _sorted(
        self,
        pairs: Sequence[together.Pair],
        kind: DecisionKind,
        admit: Callable[[Action], None],
        by: UserId,
    ) -> tuple[list[together.Pair], Refused | None]:
        """Those that this person may decide so, and why not the first of the others."""
        calls: list[together.Pair] = []
        refusals: list[Refused] = []
        for approval, action in pairs:
            try:
                admit(action)
                terms = self._policy.of(approval.realm).terms(action.asked.tool)
                together.refuse(approval, action, kind, terms)
                approval.refuse_late(action, by, self._now())
            except (NotAllowed, AlreadyDecided) as no:
                refusals.append(no)
            else:
                calls.append((approval, action))
        return calls, next(iter(refusals), None)

    async def decide_all(
        self, those: Sequence[together.Listed], decision: Approve | Reject, *, by: UserId, spot: Spot
    ) -> together.Together:
        """Decide these calls in one transaction, each as a vote of its own with its own line in the record.

        What has changed since it was listed, was decided meanwhile or is not this person's is left out and
        told. `Refused` where it cannot even be said who this person is.
        """
        said: dict[ActionId, Approval | Refused] = {}

        async def judge(rights: Rights) -> None:
            await self._ask_first(those, rights, spot)

            def admit(asked: Asked, action: Action) -> Seat:
                return self._admission.check(asked, action, rights, spot, decision)

            cases = [(one, self._together(one, decision, by, admit)) for one in those if one.id not in said]
            verdicts = await self._docket.judge_all([(one.id, rule) for one, rule in cases])
            asking = [no for no in verdicts if isinstance(no, AskAbout)]
            for (one, _), verdict in zip(cases, verdicts, strict=True):
                if isinstance(verdict, Refused):
                    await self._record(one.id, by, verdict, rights, spot)
                if not isinstance(verdict, AskAbout):
                    said[one.id] = verdict
            if asking:
                raise asking[0]

        await self._admitted(those[0].id, by, spot, judge)
        return together.told([(one, said[one.id]) for one in those], await self._as_they_are(those))

    def _together(
        self,
        one: together.Listed,
        decision: Approve | Reject,
        by: UserId,
        admit: Callable[[Asked, Action], Seat],
    ) -> Callable[[Asked], Ruling]:
        def rule(asked: Asked) -> Ruling:
            action = asked.approval.action(one.id)
            seat = admit(asked, action)
            terms = self._policy.of(asked.conversation.realm).terms(action.asked.tool)
            together.refuse(asked.approval, action, kind_of(decision), terms)
            together.refuse_unlisted(action, one)
            return decided(asked, one.id, decision, by=by, at=self._now(), seat=seat)

        return rule

    async def _ask_first(self, those: Sequence[together.Listed], rights: Rights, spot: Spot) -> None:
        """Raise `AskAbout` what is not known of the person, before anything is written."""
        async with self._store.read() as tx:
            asked = await tx.approvals.asked([one.id for one in those])
        for id, each in asked.items():
            with suppress(Refused):
                self._admission.check(each, each.approval.action(id), rights, spot)

    async def reasons(self, those: Sequence[together.Listed]) -> tuple[str, ...]:
        """The ready-made reasons for a no that a form about these calls offers."""
        actions = await self._as_they_are(those)
        return together.common_reasons([actions[one.id] for one in those if one.id in actions])

    async def _as_they_are(self, those: Sequence[together.Listed]) -> Mapping[ActionId, Action]:
        async with self._store.read() as tx:
            asked = await tx.approvals.asked([one.id for one in those])
        return {id: each.approval.action(id) for id, each in asked.items()}
