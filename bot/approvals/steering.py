"""What people say to the agent: start it, go on talking, retry what failed, stop it."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from bot.approvals import ids
from bot.approvals.asked_for import NOT_KNOWN
from bot.approvals.conversation import Conversation, Post, PostKind, Said, Status, source_of
from bot.approvals.errors import Conflict, NotAllowed, Refused
from bot.approvals.filing import owe, posting, redraw, running
from bot.approvals.ids import ActionId, ChannelId, ConversationId, MessageId, PostId, Ts, UserId
from bot.approvals.knowing import check_asker, check_asker_of_any
from bot.approvals.opening import being_opened, conversation_in
from bot.approvals.policies import Policies
from bot.approvals.policy import Policy
from bot.approvals.ports import Clock, Directory, Event, Jobs, Store, Transaction, Work
from bot.approvals.realm import Realm
from bot.approvals.roster import ONE_AGENT, Address, Roster
from bot.approvals.stopping import Halting, check_stoppable, stop
from bot.approvals.taking_back import InForce, forget, in_force_in
from bot.approvals.taking_part import TakingPart
from bot.approvals.turns import NOBODY, offer, told_to_wait, unsay
from bot.approvals.words import phrase, say

NOT_IN_CHANNEL: Final = phrase("I am not in this channel, so I could not answer: /invite me, then ask again.")
NOT_IN_MESSAGES: Final = phrase(
    "I cannot be in this direct message, so I could not answer. Ask in a channel, or write to me directly."
)
GONE_ON: Final = phrase("This is over by now, so there was nothing to retry. Write in the thread what to do.")
TRY_AGAIN: Final = "Try again."
"""What Retry says to the agent after a tool failed and the agent went on."""

ATTEMPTS: Final = 3
"""How often a message is taken again when another replica began its conversation in between."""

TOO_LONG: Final = phrase("That is {count:,} characters; the agent takes at most {most:,} at once.")
MAX_TEXT: Final = 40_000
"""Characters of one message; Slack itself cuts a message's text at this length."""


def not_in(channel: ChannelId) -> str:
    """What to say where the bot is not: nobody can let it into the direct message of two people."""
    return NOT_IN_MESSAGES if channel.startswith("D") else NOT_IN_CHANNEL


class _HeardBefore(Exception):  # noqa: N818 - unwinds a transaction, nothing is wrong
    """Slack delivered the same message twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steering:
    """Takes what people say, one transaction each: when a call returns, it is on disk."""

    store: Store
    jobs: Jobs
    agent: Halting
    directory: Directory
    policy: Policies
    now: Clock
    roster: Roster = ONE_AGENT

    @property
    def _taking_part(self) -> TakingPart:
        return TakingPart(store=self.store, directory=self.directory, policy=self.policy)

    async def command(self, text: str, *, by: UserId, channel: ChannelId, source: str) -> None:
        """Start a conversation from a slash command; the bot posts the thread's first message.

        Raises `Refused` with the sentence for the person. The same `source` starts one conversation.
        """
        address = self.roster.address(text)
        realm = self.roster.meant(address, None)
        await check_asker(self.directory, self.policy.of(realm), by)
        if not await self.directory.takes_messages(channel):
            raise NotAllowed(say(not_in(channel)))
        conversation = self._conversation(by, channel, None, realm)
        said = self._said(conversation, by, address.text, source)
        opening = Post(
            id=PostId(ids.fresh()), conversation=conversation.id, kind=PostKind.OPENING, text=said.text
        )
        try:
            async with self.store.write() as tx:
                await self._start(tx, conversation, said, posting(opening))
                await tx.posts.owe(opening)
        except _HeardBefore:
            return

    async def check_asker(self, by: UserId) -> None:
        """Let this person ask one of the agents, whichever; `Refused` with the reason otherwise."""
        policies = [self.policy.of(Realm(agent=name)) for name in self.roster.names]
        await check_asker_of_any(self.directory, policies, by)

    async def hear(
        self,
        text: str,
        *,
        by: UserId,
        channel: ChannelId,
        ts: Ts,
        thread_ts: Ts | None,
        shown: str = "",
        to: Address | None = None,
    ) -> bool:
        """Take a message to the bot: it starts a conversation in its thread, or continues the one there.

        `shown` is what the thread is told that was asked, where no message of the person's says it, and `to`
        whom it is said to, where the text does not begin with that.

        Raises `Refused` with the sentence for the person. The same message (channel and `ts`) is heard once:
        False if it was before.
        """
        address = to or self.roster.address(text)
        words = text if to else address.text
        for _ in range(ATTEMPTS):
            with suppress(Conflict):  # begun by another replica in between: it is there the next time
                there = await conversation_in(self.store, channel, thread_ts) if thread_ts else None
                realm = self.roster.meant(address, there.realm if there else None)
                await check_asker(self.directory, self.policy.of(realm), by)
                new = self._conversation(by, channel, thread_ts or ts, realm)
                try:
                    await self._heard(words, by, new, ts, shown)
                except _HeardBefore:
                    return False
                return True
        raise being_opened()

    async def _heard(self, text: str, by: UserId, new: Conversation, ts: Ts, shown: str) -> None:
        """`new` is the conversation, if there is none yet in its thread."""
        async with self.store.write() as tx:
            there = await tx.conversations.at(new.channel, new.thread_ts or ts)
            conversation = there or new
            if conversation.realm != new.realm:
                raise Conflict("this thread has a conversation already")
            said = self._said(conversation, by, text, source_of(new.channel, ts))
            asked = Post(
                id=PostId(f"asked:{said.id}"),
                conversation=conversation.id,
                kind=PostKind.ASKED,
                text=shown,
                settled_by=by,
            )
            if there is None:
                await self._start(tx, conversation, said)
            if shown:
                await owe(tx, self.jobs, asked)
            if there is not None:
                await self._go_on(tx, there, said)

    async def is_known(self, text: str, *, channel: ChannelId, ts: Ts) -> bool:
        """Whether this message was heard with these very words."""
        async with self.store.read() as tx:
            return self.roster.address(text).text == await tx.conversations.words(source_of(channel, ts))

    async def unsay(self, channel: ChannelId, ts: Ts, thread_ts: Ts | None) -> None:
        """Take back a message that was deleted, if it still waits for a decision; else it stays said."""
        async with self.store.write() as tx:
            if there := await tx.conversations.at(channel, thread_ts or ts):
                await unsay(tx, self.jobs, there, source_of(channel, ts), self.now())

    async def retry(self, id: PostId, *, by: UserId) -> None:
        """Press Retry under a failure; once. `Refused` if somebody was first or it is not theirs to press."""
        async with self.store.read() as tx:
            post = await tx.posts.get(id)
            conversation = await tx.conversations.get(post.conversation) if post else None
        if post is None or conversation is None:
            raise NotAllowed(say("This failure is not known here any more, so nothing was done."))
        await self._taking_part.check(by, conversation)
        async with self.store.write() as tx:
            is_late = not await self._retry(tx, id, by)
        if is_late:
            raise Refused(say(GONE_ON))

    async def stop(self, id: ConversationId, *, by: UserId) -> None:
        """Stop a conversation: open approvals are withdrawn, nothing that waits will run.

        A tool may be running at this moment: it ends, and nothing is begun after it. `Refused` if it has come
        to rest, or is being stopped.
        """
        async with self.store.read() as tx:
            conversation = await tx.conversations.get(id)
        if conversation is None:
            raise NotAllowed(say(NOT_KNOWN))
        await self._taking_part.check(by, conversation)
        async with self.store.write() as tx:
            conversation = await tx.conversations.get(id) or conversation
            check_stoppable(conversation)
            await stop(tx, self.jobs, self.agent, conversation, by=by, now=self.now)

    async def ask_again(self, id: ActionId, *, by: UserId) -> None:
        """Take back an approval that is remembered: from the next call on people are asked again."""
        async with self.store.read() as tx:
            approval = await tx.approvals.of_action(id)
            conversation = await tx.conversations.get(approval.conversation) if approval else None
        if conversation is None:
            raise NotAllowed(say("This approval is not known here any more, so nothing was done."))
        await self._taking_part.check(by, conversation)
        for _ in range(ATTEMPTS):
            with suppress(Conflict):
                async with self.store.write() as tx:
                    await tx.conversations.get(conversation.id)  # in a row with whoever files and decides
                    await forget(tx, self.jobs, id, by=by, now=self.now)
                return
        raise Refused(say("Something else was decided at once; please press again."))

    async def remembered(self, by: UserId) -> list[InForce]:
        """The approvals that are remembered in the person's own conversations, the newest of these first."""
        if not any(policy.remembers for policy in self.policy.every):
            return []
        async with self.store.read() as tx:
            own = await tx.conversations.of(by)
            return [found for one in own for found in await in_force_in(tx, one, self._policy(one))]

    async def _retry(self, tx: Transaction, id: PostId, by: UserId) -> bool:
        """Whether there was something to retry; else the button is taken away."""
        post = await tx.posts.get(id)
        conversation = await tx.conversations.get(post.conversation) if post else None
        if post is None or conversation is None or post.settled_by:
            if post and post.settled_by:
                raise NotAllowed(say("This was retried already by {who}.", who=f"<@{post.settled_by}>"))
            raise NotAllowed(say("This was retried already."))
        is_late = post.kind is PostKind.FAILURE and conversation.status is not Status.FAILED
        await tx.posts.save(replace(post, settled_by=NOBODY if is_late else by))
        await self.jobs.owe(tx, redraw(id, "settled"))
        if is_late:
            return False
        await tx.record.append(Event(kind="retried", at=self.now(), conversation=conversation.id, actor=by))
        if post.kind is PostKind.TOOL_FAILURE:
            await self._keep(tx, self._said(conversation, by, TRY_AGAIN, f"retry/{id}"))
            return True
        await tx.conversations.save(replace(conversation, status=Status.RETRYING))
        await self.jobs.owe(tx, running(conversation.id, f"retry:{id}"))
        return True

    async def _go_on(self, tx: Transaction, conversation: Conversation, said: Said) -> None:
        await self._keep(tx, said)
        if plain := told_to_wait(conversation, said):
            is_asked = conversation.status is Status.WAITING
            await owe(tx, self.jobs, (is_asked and await offer(tx, conversation, said)) or plain)
        elif conversation.status is Status.IDLE:
            await tx.conversations.save(replace(conversation, status=Status.WORKING))

    async def _start(self, tx: Transaction, conversation: Conversation, said: Said, *beside: Work) -> None:
        await tx.conversations.add(conversation)
        await self._keep(tx, said, *beside, kind="start")

    async def _keep(self, tx: Transaction, said: Said, *beside: Work, kind: str = "run") -> None:
        if not await tx.conversations.keep(said):
            raise _HeardBefore
        await tx.record.append(Event(kind="said", at=said.at, conversation=said.conversation, actor=said.by))
        await self.jobs.owe(tx, running(said.conversation, f"{kind}:{said.id}", kind=kind), *beside)

    def _policy(self, conversation: Conversation) -> Policy:
        return self.policy.of(conversation.realm)

    def _conversation(
        self, by: UserId, channel: ChannelId, thread_ts: Ts | None, realm: Realm
    ) -> Conversation:
        return Conversation(
            id=ConversationId(ids.fresh()),
            channel=channel,
            thread_ts=thread_ts,
            requester=by,
            started_at=self.now(),
            realm=realm,
        )

    def _said(self, conversation: Conversation, by: UserId, text: str, source: str) -> Said:
        if not text.strip():
            raise Refused(say("Say what the agent should do, for example: `/agent list the files`."))
        if len(text) > MAX_TEXT:
            raise Refused(say(TOO_LONG, count=len(text), most=MAX_TEXT))
        return Said(
            id=MessageId(ids.fresh()),
            conversation=conversation.id,
            by=by,
            text=text,
            at=self.now(),
            source=source,
        )
