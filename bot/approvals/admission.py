"""Who may decide: what has to be known of a person is asked before a transaction and checked inside it."""

import asyncio
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from bot.approvals.action import Seat
from bot.approvals.approval import Action
from bot.approvals.choosing import Chosen
from bot.approvals.decision import Approve, Decision, Edit
from bot.approvals.errors import NotAllowed, NotHere
from bot.approvals.ids import GroupId, UserId
from bot.approvals.knowing import PATIENCE, AskAbout, Rights, Wanted, evidence, first_rights, learnt, seat
from bot.approvals.places import Spot
from bot.approvals.policies import Policies
from bot.approvals.ports import Asked, Directory
from bot.approvals.terms import Terms
from bot.approvals.words import phrase, say

__all__ = ["Admission", "AskAbout", "Rights", "evidence"]

ANOTHER_WORKSPACE: Final = phrase(
    "Slack says that you are of another workspace than this click does, so nothing was done. "
    "Please press again."
)
ANOTHER_HOME: Final = phrase(
    "This is not your Home tab as it stands now, so nothing was done. Please open it again."
)
ANOTHER_PLACE: Final = phrase(
    "This is not where the request stands, so nothing was done. Please use the card as it stands now."
)

Matter: TypeAlias = tuple[str, Chosen | None]
"""What people are asked about, as far as it says who decides: tool, and what functions said of the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The policy, and the directory that tells what it wants to know."""

    directory: Directory
    policy: Policies

    async def rights(self, by: UserId, spot: Spot) -> Rights:
        """What the policy will probably want to know; `CouldNotCheck` if it is not even known who this is.

        It is all asked at once, since a click has to be answered soon. Which channel counts is only a guess
        here: the rows say it.
        """
        until = asyncio.get_running_loop().time() + PATIENCE
        every = self.policy.every
        asks_for_members = any(policy.asks_for_members for policy in every)
        channels = {spot.channel} if asks_for_members and spot.channel else set()
        groups = frozenset[GroupId]().union(*(policy.user_groups for policy in every))
        guess = Wanted(channels=frozenset(channels), groups=groups)
        return await first_rights(self.directory, by, guess, until=until)

    async def asked_about(self, rights: Rights, question: AskAbout) -> Rights:
        """The rights, with the answer; `CouldNotCheck` if Slack cannot say it in time."""
        return await learnt(self.directory, rights, question.wanted)

    def check(
        self,
        asked: Asked,
        action: Action,
        rights: Rights,
        spot: Spot,
        decision: Decision | None = None,
        *,
        chosen: Chosen | None = None,
    ) -> Seat:
        """Let this person decide, or look where it is None; `chosen` is what functions say of an edit.

        `NotHere` if the click was not made where the card stands, or not by who it says.

        Where an edit turns the call into another tool, that tool's rule says who may approve it, and where a
        function says other people of the edited arguments, they may; whoever may decide about either may edit
        it again, and say no. Raises `NotAllowed` with the reason, or `AskAbout` channels and groups.
        """
        _check_spot(asked, rights, spot)
        own, now, becomes = _of(action), _of(action.asked), _becomes(action, decision, chosen)
        if isinstance(decision, Approve) or now == own == becomes:
            return self._seat(asked, now, rights)
        able = self._either(asked, now, own, rights)
        try:
            return self._seat(asked, becomes, rights)
        except NotAllowed:
            # It is for others to approve; the vote is kept, and counts for nothing.
            return replace(able, needs=self._terms(asked, becomes).needs, fits=frozenset())

    def _either(self, asked: Asked, now: Matter, own: Matter, rights: Rights) -> Seat:
        try:
            return self._seat(asked, now, rights)
        except NotAllowed:
            if now == own:
                raise
            return self._seat(asked, own, rights)

    def _terms(self, asked: Asked, matter: Matter) -> Terms:
        tool, chosen = matter
        return self.policy.of(asked.conversation.realm).terms(tool).given(chosen)

    def _seat(self, asked: Asked, matter: Matter, rights: Rights) -> Seat:
        return seat(
            self._terms(asked, matter),
            rights,
            thread=asked.conversation.channel,
            requesters=asked.approval.requesters,
            called=asked.approval.escalated_to,
            tool=matter[0],
        )


def _check_spot(asked: Asked, rights: Rights, spot: Spot) -> None:
    person = rights.person
    if not person.is_of(spot.team, spot.organisation):
        raise NotHere(say(ANOTHER_WORKSPACE))
    thread = asked.conversation.channel
    if spot.home:
        # As long as Slack's answer to the first drawing is on its way, nobody knows what the tab is called.
        if rights.home is None or rights.home.view not in {spot.home, None}:
            raise NotHere(say(ANOTHER_HOME))
    elif not any(card.stands_at(spot, person.id, thread) for card in asked.cards):
        raise NotHere(say(ANOTHER_PLACE))


def _of(action: Action) -> Matter:
    return action.tool, action.chosen


def _becomes(action: Action, decision: Decision | None, chosen: Chosen | None) -> Matter:
    """What people are asked about once this is decided."""
    return (decision.tool or action.tool, chosen) if isinstance(decision, Edit) else _of(action.asked)
