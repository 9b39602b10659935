"""What stands for an agent that the settings have no more: its conversations are kept, and nothing runs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from bot.approvals.conversation import Conversation, PostKind, Status
from bot.approvals.decision import Arguments, Json
from bot.approvals.endings import Endings
from bot.approvals.errors import NotAllowed
from bot.approvals.ids import ConversationId
from bot.approvals.policy import Policy, Terms
from bot.approvals.ports import Clock, Jobs, Store, Transaction
from bot.approvals.referents import Referents
from bot.approvals.rendered import Rendered
from bot.approvals.sayings import saying
from bot.approvals.words import phrase, say

NO_EDIT: Final = phrase(
    "The agent that asked for this is not in the bot's settings any more, so an edit cannot be checked; "
    "nothing was done."
)
AWAY: Final = phrase(
    "The agent {agent} is not in the bot's settings any more, so nothing runs here. Nothing is lost: when "
    "an operator has put it back, Retry goes on from here."
)
STOPPED_AWAY: Final = phrase(
    "Stopped: nothing that waited will run. The agent {agent} is not in the bot's settings any more; it is "
    "told when it is back."
)

NOBODY: Final = Policy(defaults=Terms(approvers=(), redact=("*",)))
"""What holds where nothing is said: nobody decides."""


def of_the_absent(policy: Policy) -> Policy:
    """What is left of the rest of the policy for an agent that is gone: nobody decides, no argument is shown.

    Who may decide about its calls, and what of them nobody is shown, stood in a section that is gone as well.
    """
    nobody = replace(policy.defaults, approvers=(), quorum=1, require=(), escalate_to=(), redact=("*",))
    return replace(policy, defaults=nobody, rules=())


class NoTools:
    """Fills `Tools`: nothing is known of them."""

    def schema(self, tool: str) -> Mapping[str, Json] | None:
        """It is not known."""

    def check(self, tool: str, arguments: Arguments) -> Arguments:  # noqa: ARG002 - as the port has it
        """Nothing passes."""
        raise NotAllowed(say(NO_EDIT))

    def resolves(self, tool: str) -> bool:  # noqa: ARG002 - as the port has it
        """That is not known."""
        return False

    async def referents(self, tool: str, arguments: Arguments, *, within: float) -> Referents | None:
        """That is not known."""

    def renders(self, tool: str) -> bool:  # noqa: ARG002 - as the port has it
        """That is not known."""
        return False

    async def rendered(self, tool: str, arguments: Arguments, *, within: float) -> Rendered | None:
        """That is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """Fills `Runner` and `Repairer`: says what is the matter, and leaves everything as it is."""

    store: Store
    jobs: Jobs
    now: Clock

    async def start(self, id: ConversationId) -> None:
        """Say it."""
        await self.advance(id)

    async def give_up(self, id: ConversationId) -> None:
        """Say it."""
        await self.advance(id)

    async def repair(self, id: ConversationId, wish: str) -> None:
        """Say it, once for each wish."""
        async with self.store.write() as tx:
            if conversation := await tx.conversations.get(id):
                ends = Endings(jobs=self.jobs, now=self.now)
                told = saying(AWAY, agent=conversation.realm.agent)
                await ends.say(tx, conversation, PostKind.NOTICE, told, key=wish)

    async def advance(self, id: ConversationId) -> None:
        """Say it where something is owed; the conversation rests then, and Retry goes on with it."""
        async with self.store.write() as tx:
            if conversation := await tx.conversations.get(id):
                await self._tell(tx, conversation)

    async def _tell(self, tx: Transaction, conversation: Conversation) -> None:
        ends, agent = Endings(jobs=self.jobs, now=self.now), conversation.realm.agent
        match conversation.status:
            case Status.WORKING | Status.RETRYING:
                await ends.fail(tx, conversation, saying(AWAY, agent=agent))
            case Status.FAILED:
                # Said before; once more to whoever has written since.
                kept = await tx.conversations.kept(conversation.id)
                if kept:
                    told = saying(AWAY, agent=agent)
                    await ends.say(tx, conversation, PostKind.FAILURE, told, key=kept[-1].id)
            case Status.CANCELLING:
                # It stays so, and its agent ends what waits once it is back.
                stops = [line for line in await tx.record.of(conversation.id) if line.kind == "stopped"]
                told, key = saying(STOPPED_AWAY, agent=agent), f"away-{len(stops)}"
                await ends.say(tx, conversation, PostKind.NOTICE, told, key=key)
            case Status.WAITING | Status.IDLE:
                pass
