"""A message that waits its turn while people are asked: offered as the reason for rejecting what was open.

What was open is bound to the offer: the notice keeps which actions those were, and which edition of each.
Once the message has served as the reason, the agent hears it as that, and is not given it a second time.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from bot.approvals.approval import Approval, Shape, State
from bot.approvals.conversation import Conversation, Post, PostKind, PostState, Said, Status
from bot.approvals.decision import DecisionKind, Reject
from bot.approvals.desk import Desk
from bot.approvals.errors import AlreadyDecided, NotAllowed, NotHere, Refused
from bot.approvals.filing import redraw
from bot.approvals.ids import ActionId, PostId, UserId
from bot.approvals.places import Copy, Spot, is_to_person
from bot.approvals.ports import Asked, Clock, Event, Jobs, Store, Transaction
from bot.approvals.sayings import saying
from bot.approvals.words import phrase, say

LONGEST_REASON: Final = 3_000
"""Characters of a reason, as in the form of Reject."""

NOBODY: Final = UserId("")
"""Who settled a notice whose message no longer waits without having been a reason."""

WAITS: Final = phrase("Kept: the agent gets this message once the approvals above are decided.")
"""What the thread is told about it."""

UNANSWERED: Final = phrase(
    "Kept: the agent gets this message once it has its answer. It is not the answer: use Respond above."
)
"""The same, where all that is asked is a question: who writes below it may think to have answered it."""

BUSY: Final = phrase("Kept: the agent is busy and gets this message next.")
KEPT: Final = {
    Status.WAITING: WAITS,
    Status.WORKING: BUSY,
    Status.RETRYING: BUSY,
    Status.CANCELLING: phrase("Kept: the agent gets this message once it has stopped."),
}
"""What the thread is told about a message that waits its turn."""

NO_LONGER: Final = phrase("This message no longer waits.")
"""What stands in the place of these afterwards."""

NOT_KNOWN: Final = phrase("This message is not known here any more, so nothing was done.")
NO_LONGER_WAITS: Final = phrase("This message no longer waits, so nothing was done.")
ELSEWHERE: Final = phrase("This is not where the notice stands, so nothing was done.")
USED: Final = phrase("This message was used as the reason already by {who}.")
TOO_LONG: Final = phrase(
    "This message has {count:,} characters and a reason at most {most:,}, so nothing was done. "
    "Please use Reject on the card."
)


def notice_of(said: Said) -> PostId:
    """The notice that a message waits."""
    return PostId(f"kept:{said.id}")


def told_to_wait(conversation: Conversation, said: Said) -> Post | None:
    """The plain notice that this message waits; None if it need not."""
    if conversation.status not in KEPT:
        return None
    text = saying(KEPT[conversation.status])
    return Post(id=notice_of(said), conversation=conversation.id, kind=PostKind.NOTICE, text=text)


def offered(approvals: Iterable[Approval]) -> str:
    """What is open and can be rejected, as the notice keeps it; empty if there is nothing."""
    return " ".join(
        f"{action.id}:{action.edition}"
        for approval in approvals
        if approval.shape is not Shape.IN_DOUBT
        for action in approval.open
        if DecisionKind.REJECT in action.takes
    )


async def offer(tx: Transaction, conversation: Conversation, said: Said) -> Post | None:
    """The notice that this message waits and may become a reason, or is no answer; None if it is neither."""
    asked = await tx.approvals.of(conversation.id, State.WAITING)
    text = offered(asked)
    if not text:
        takes = [action.takes for approval in asked for action in approval.open]
        if not takes or any(one != {DecisionKind.RESPOND} for one in takes):
            return None
        told = saying(UNANSWERED)
        return Post(id=notice_of(said), conversation=conversation.id, kind=PostKind.NOTICE, text=told)
    return Post(id=notice_of(said), conversation=conversation.id, kind=PostKind.KEPT, text=text)


async def no_longer_wait(tx: Transaction, jobs: Jobs, messages: Sequence[Said]) -> None:
    """Take the offer from the notices of these messages, which the agent has, or never gets."""
    for said in messages:
        post = await tx.posts.get(notice_of(said))
        if post and post.kind is PostKind.KEPT and post.settled_by is None:
            await _settle(tx, jobs, post, NOBODY)


async def unsay(tx: Transaction, jobs: Jobs, conversation: Conversation, source: str, at: datetime) -> None:
    """The agent never gets this message, which was deleted while it waited for people to decide.

    At any other time it may be on its way to the agent.
    """
    if conversation.status is not Status.WAITING:
        return
    kept = [said for said in await tx.conversations.kept(conversation.id) if said.source == source]
    await tx.conversations.hand_over([said.id for said in kept])
    await no_longer_wait(tx, jobs, kept)
    for said in kept:
        post = await tx.posts.get(notice_of(said))
        if post and post.kind is PostKind.NOTICE:
            await tx.posts.rewrite(replace(post, text=saying(NO_LONGER)))
            await jobs.owe(tx, redraw(post.id, "settled"))
        await tx.record.append(Event(kind="unsaid", at=at, conversation=conversation.id))


async def _settle(tx: Transaction, jobs: Jobs, post: Post, by: UserId) -> None:
    await tx.posts.save(replace(post, settled_by=by))
    await jobs.owe(tx, redraw(post.id, "settled"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Objections:
    """Rejects what was open when a message came, with the message as the reason."""

    store: Store
    jobs: Jobs
    desk: Desk
    now: Clock

    async def reject(self, id: PostId, *, by: UserId, spot: Spot) -> Sequence[str]:
        """Reject everything that was offered and is still open; what was refused comes back, a sentence each.

        Each action is decided by itself, as if its card had been clicked. Raises `Refused` if nothing is left
        to decide, or if nothing at all could be decided.
        """
        post, said = await self._offer(id, by, spot)
        refused: list[str] = []
        is_any_done = False
        for (action, edition), asked in (await self._asked(post)).items():
            if asked.approval.action(action).outcome:
                continue  # decided since by somebody, which is told on the card
            # As on the card: whoever presses stands in front of the notice, which the rows say is ours.
            card = _card_of(asked, by)
            there = replace(spot, channel=card.channel, message=card.message)
            try:
                await self.desk.decide(action, Reject(said.text), by=by, spot=there, seen=edition)
                is_any_done = True
            except Refused as no:
                refused.append(say("`{tool}`: {why}", tool=asked.approval.action(action).tool, why=no))
        if not is_any_done:
            raise Refused("\n".join(dict.fromkeys(refused)) or say(NO_LONGER_WAITS))
        if not refused:
            await self._used(post.id, said, by)
        return refused

    async def _offer(self, id: PostId, by: UserId, spot: Spot) -> tuple[Post, Said]:
        async with self.store.read() as tx:
            post = await tx.posts.get(id)
            conversation = await tx.conversations.get(post.conversation) if post else None
            kept = await tx.conversations.kept(post.conversation) if post else ()
        if post is None or conversation is None or post.kind is not PostKind.KEPT:
            raise NotAllowed(say(NOT_KNOWN))
        # As long as the answer of Slack is on its way, nobody knows the message; the channel has to do then.
        copy = Copy(post=id, channel=post.channel, ts=post.ts, is_sent=post.state is PostState.SENDING)
        if not copy.stands_at(spot, by, conversation.channel):
            raise NotHere(say(ELSEWHERE))
        if post.settled_by:
            raise AlreadyDecided(say(USED, who=f"<@{post.settled_by}>"))
        said = next((one for one in kept if notice_of(one) == id), None)
        if said is None:
            raise AlreadyDecided(say(NO_LONGER_WAITS))
        if len(said.text) > LONGEST_REASON:
            raise Refused(say(TOO_LONG, count=len(said.text), most=LONGEST_REASON))
        return post, said

    async def _asked(self, post: Post) -> dict[tuple[ActionId, str], Asked]:
        """What was offered, by action and edition."""
        pairs = [part.partition(":") for part in post.text.split()]
        async with self.store.read() as tx:
            found = await tx.approvals.asked([ActionId(action) for action, _, _ in pairs])
        every = [(ActionId(action), edition) for action, _, edition in pairs]
        return {
            (action, edition): found[action]
            for action, edition in every
            if action in found and found[action].approval.conversation == post.conversation
        }

    async def _used(self, id: PostId, said: Said, by: UserId) -> None:
        async with self.store.write() as tx:
            post = await tx.posts.get(id)
            if post is None or post.settled_by is not None:
                return  # the agent was faster: it has the message as words, too
            await _settle(tx, self.jobs, post, by)
            await tx.conversations.hand_over([said.id])
            await tx.record.append(
                Event(kind="objected", at=self.now(), conversation=post.conversation, actor=by)
            )


def _card_of(asked: Asked, by: UserId) -> Spot:
    """Where a card stands that this person could have clicked."""
    for card in asked.cards:
        if card.ts and not _is_anothers(card.place, by):
            return Spot(channel=card.channel, message=card.ts)
    return Spot()


def _is_anothers(place: str, by: UserId) -> bool:
    return is_to_person(place) and place != by
