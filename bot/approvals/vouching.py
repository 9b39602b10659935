"""Whether those whose approval is remembered may still decide: asked from Slack each time before it is used.

Who was an approver when it was given may have left since, or be a guest, or be in the group or channel no
more. Such a vote does not count any longer, and neither does one of somebody who could not be looked up:
people are asked again.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bot.approvals.action import Action, Decided, Seat
from bot.approvals.approval import Approval, Shape, State
from bot.approvals.asking import Asking
from bot.approvals.errors import CouldNotCheck, NotAllowed
from bot.approvals.ids import ActionId, ChannelId, ConversationId, UserId
from bot.approvals.journal import Progress
from bot.approvals.knowing import AskAbout, Rights, Wanted, card_channel, first_rights, seat, wanted
from bot.approvals.policy import Policy
from bot.approvals.ports import Directory, Store, Transaction
from bot.approvals.quorum import tally
from bot.approvals.remembered import holds, in_force, voters
from bot.approvals.terms import Terms
from bot.approvals.thread import Thread

PATIENCE: Final = 5.0
"""Seconds for all that is asked about everybody; nobody waits for it but the agent."""

ONCE: Final = frozenset({Asking.ONCE, Asking.ONCE_PER_TOOL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """What is known of the people whose approvals are remembered in a conversation."""

    channel: ChannelId | None = None
    """The conversation's."""
    rights: Mapping[UserId, Rights] = field(default_factory=dict)
    """By person; not of whom could not be looked up."""

    def still_holds(
        self, source: Action, terms: Terms, *, requesters: frozenset[UserId], called: frozenset[UserId]
    ) -> bool:
        """Whether the votes of those who may decide under these terms even now are enough."""
        seats = [self._seat(by, source, terms, requesters, called) for by in voters(source)]
        fits = [found.fits for found in seats if found]
        return tally([quorum.count for quorum in terms.quorums], fits).reached

    def _seat(
        self,
        by: UserId,
        source: Action,
        terms: Terms,
        requesters: frozenset[UserId],
        called: frozenset[UserId],
    ) -> Seat | None:
        if self.channel is None or by not in self.rights:
            return None
        try:
            return seat(
                terms,
                self.rights[by],
                thread=self.channel,
                requesters=requesters,
                called=called,
                tool=source.tool,
            )
        except (NotAllowed, AskAbout):
            return None


async def vouched(
    store: Store, directory: Directory | None, policy: Policy, id: ConversationId, thread: Thread
) -> Vouched:
    """What Slack says of those whose approvals may be used for what the agent is about to ask."""
    asking = [terms for terms in _asked_now(policy, thread) if terms.ask in ONCE]
    if directory is None or not asking:
        return Vouched()
    async with store.read() as tx:
        conversation = await tx.conversations.get(id)
        # What the agent has just been told is settled yet, and delivered by the time it is looked for.
        known = [
            replace(one, state=State.DELIVERED)
            for one in await tx.approvals.of(id, State.SETTLED, State.DELIVERED)
        ]
        ran = await ran_in(tx, id)
    if conversation is None:
        return Vouched()
    people = _who_approved(known, ran, asking)
    more = _all_wanted(asking, conversation.channel)
    asked = directory.anew() if more.fresh else directory
    until = asyncio.get_running_loop().time() + PATIENCE
    found = await asyncio.gather(*(_rights(asked, by, more, until) for by in people))
    rights = {one.person.id: replace(one, fresh=more.fresh) for one in found if one}
    return Vouched(channel=conversation.channel, rights=rights)


async def ran_in(tx: Transaction, conversation: ConversationId) -> Collection[ActionId]:
    """The actions whose call ran as it was decided."""
    entries = await tx.executions.of(conversation)
    return {one.action for one in entries if one.progress is Progress.DONE}


def _asked_now(policy: Policy, thread: Thread) -> Sequence[Terms]:
    batched = [one for one in thread.interrupts if one.shape is Shape.BATCHED]
    requests = [request for one in batched for request in one.requests]
    return [policy.terms(request.tool).given(request.chosen) for request in requests]


def _who_approved(
    known: Sequence[Approval], ran: Collection[ActionId], asking: Sequence[Terms]
) -> Sequence[UserId]:
    sources: Iterable[tuple[Action, Decided]] = in_force(known, ran)
    people = {
        by for source, _ in sources if any(holds(source, each) for each in asking) for by in voters(source)
    }
    return sorted(people)


def _all_wanted(asking: Iterable[Terms], thread: ChannelId) -> Wanted:
    """Everything that any of these terms want to know."""
    every = [(terms, wanted(terms.who, card_channel(terms, thread))) for terms in asking]
    return Wanted(
        channels=frozenset().union(*(one.channels for _, one in every)),
        groups=frozenset().union(*(one.groups for _, one in every)),
        fresh=any(terms.fresh for terms, _ in every),
    )


async def _rights(directory: Directory, by: UserId, more: Wanted, until: float) -> Rights | None:
    try:
        async with asyncio.timeout_at(until):
            return await first_rights(directory, by, more, until=until)
    except (CouldNotCheck, TimeoutError):
        return None
