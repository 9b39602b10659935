"""What an operator's command asks of the bot.

The command changes nothing itself: it owes the work, and the bot that runs, or the next one that starts, does
it under the rules that hold for everything else.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from bot.agents.errors import BadAgent
from bot.agents.failures import cut
from bot.agents.models import OFFLINE
from bot.agents.threads import Threads
from bot.approvals import ids
from bot.approvals.approval import Approval, State
from bot.approvals.conversation import Conversation, Said, Status
from bot.approvals.filing import thread_key
from bot.approvals.ports import Work
from bot.approvals.repairing import CANCEL, REPAIR, doubts, faults
from bot.approvals.thread import Thread
from bot.engines import engine_at, is_served, saver_at
from bot.jobs.port import Job
from bot.meant import conversation_meant
from bot.settings import Settings
from bot.starting import built_agent, loaded_agent, named_agents
from bot.store.database import RowsStore, beside

AT_REST: Final = {
    Status.WAITING: "Nothing is wrong: it waits for people.",
    Status.IDLE: "Nothing is wrong: it is at rest, and a message in its thread goes on with it.",
}


async def cancel(settings: Settings, thread: str) -> Sequence[str]:
    """Have a conversation stopped; what was done about it, in sentences. `UnknownThread` if there is none."""
    where = settings.bot_database_url
    async with beside(where) as store:
        async with store.read() as tx:
            conversation = await tx.conversations.get(id := await conversation_meant(tx, thread))
        if conversation is None or conversation.status is Status.IDLE:
            return [f"Nothing is under way in {id}, so nothing was done."]
        served = await is_served(where, store)
        await _owe(where, store, Work(f"{CANCEL}:{ids.fresh()}", CANCEL, payload={"conversation": id}))
    if served:
        return [f"Asked the running bot to stop {id}; a tool that runs ends first, and the thread is told."]
    return [f"No bot is running; {id} is stopped when one starts."]


async def repair(settings: Settings, thread: str) -> Sequence[str]:
    """Have a conversation brought back; what was found, and what is done about it, in sentences."""
    where = settings.bot_database_url
    async with beside(where) as store:
        async with store.read() as tx:
            conversation = await tx.conversations.get(id := await conversation_meant(tx, thread))
            approvals = await tx.approvals.of(id, State.WAITING, State.SETTLED)
            kept = await tx.conversations.kept(id)
        assert conversation is not None  # noqa: S101 - it was found in this very transaction
        served = await is_served(where, store)
        if served and conversation.status in {Status.WORKING, Status.RETRYING}:
            found = ["The agent is at work; what is wrong is looked for after that."]
        else:
            found = await _found(settings, conversation, approvals, kept)
        if conversation.status in AT_REST and found == [AT_REST[conversation.status]]:
            return found
        key = thread_key(id)
        work = Work(f"{REPAIR}:{ids.fresh()}", REPAIR, key=key, payload={"conversation": id})
        await _owe(where, store, work)
    if served:
        return [*found, f"Asked the running bot to repair {id}; the thread is told."]
    return [*found, f"No bot is running; {id} is repaired when one starts."]


async def _found(
    settings: Settings, conversation: Conversation, approvals: Sequence[Approval], kept: Sequence[Said]
) -> list[str]:
    found = [
        f"It may be that {tool} has run already, and people are asked about it; that stays so."
        for tool in doubts(approvals)
    ]
    thread = await _looked_at(settings, conversation)
    if isinstance(thread, str):
        return [*found, thread]
    found += [f"Found: {fault}." for fault in faults(conversation, thread, approvals, kept)]
    return found or [AT_REST.get(conversation.status, "Nothing is found that is wrong.")]


async def _looked_at(settings: Settings, conversation: Conversation) -> Thread | str:
    """The thread as its checkpoint has it, or a sentence that says why that cannot be read here."""
    agents = {named.name: named for named in named_agents(settings)}
    named = agents.get(conversation.realm.agent or next(iter(agents)))
    if named is None:
        gone = conversation.realm.agent
        return (
            f"BOT_AGENT names no agent {gone} here; a bot without it tells the thread so, and mends nothing."
        )
    try:
        source = await asyncio.to_thread(loaded_agent, settings, named)
        async with saver_at(settings.bot_database_url) as saver:
            # It is looked at and does not run, so that no model's key is needed.
            return await Threads(built_agent(named, source, saver, model=OFFLINE)).read(conversation.id)
    except BadAgent as bad:
        why = str(bad).rstrip(".")
    except Exception as error:  # noqa: BLE001 - a checkpoint that cannot be read is what a repair is for
        why = f"{type(error).__name__}: {cut(str(error))}"
    return f"The agent's own memory cannot be looked at here ({why}); the bot will."


async def _owe(where: str, store: RowsStore, work: Work) -> None:
    async with store.write() as tx:
        await engine_at(where, store, {}, _nobody).owe(tx, work)


async def _nobody(job: Job, error: Exception) -> None:
    """The engine here only owes."""
