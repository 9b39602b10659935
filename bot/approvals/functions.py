"""Asks the functions of the policy about calls, outside any transaction: they are the team's and take long.

About a call of the agent when people are to be asked about it, about an edit when it is made. Where they have
no answer nobody is asked, so that nobody decides by accident: the run has failed then, and Retry asks again.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.approvals.action import Action
from bot.approvals.approval import State
from bot.approvals.choosing import ApprovalRequest, Chooser, Chosen
from bot.approvals.conversation import Conversation, Status
from bot.approvals.decision import Arguments
from bot.approvals.errors import InvalidArguments
from bot.approvals.ids import ConversationId, UserId
from bot.approvals.lookups import AT_HAND, FILING
from bot.approvals.ports import Asked, Store, Transaction
from bot.approvals.referents import Referents
from bot.approvals.sayings import joined, saying, uttered
from bot.approvals.thread import ActionRequest, Interrupt, Thread
from bot.approvals.words import phrase, say

NOT_FOUND: Final = phrase(
    "Who decides about `{tool}` could not be found out, so nobody was asked: {problem}."
)
"""What the thread is told, with Retry, where people would have been asked."""
AFTER: Final = phrase("{before} {last}")
"""One sentence after the other, for `joined`."""
NOT_FOUND_AFTER: Final = phrase("Who decides about this could not be found out: {problem}.")
"""What whoever makes an edit is told."""


async def choosing(store: Store, chooser: Chooser, id: ConversationId, thread: Thread) -> Thread:
    """The thread; its interrupts that people were not asked about yet say what the functions say of them."""
    if not any(_has_functions(chooser, interrupt) for interrupt in thread.interrupts):
        return thread
    async with store.read() as tx:
        conversation = await tx.conversations.get(id)
        if conversation is None or conversation.status is Status.CANCELLING:
            return thread
        asked = {one.interrupt for one in await tx.approvals.of(id, State.WAITING, State.SETTLED)}
        requesters = await asked_for_by(tx, conversation, thread)
    found = [
        one if one.id in asked else await _chosen(chooser, one, conversation, requesters)
        for one in thread.interrupts
    ]
    return replace(thread, interrupts=tuple(found))


async def asked_for_by(tx: Transaction, conversation: Conversation, thread: Thread) -> frozenset[UserId]:
    """Who has asked for what the agent does now: who started it, and whose words it has heard since."""
    speakers = await tx.conversations.speakers(conversation.id)
    kept = await tx.conversations.kept(conversation.id)
    arrived = {said.by for said in kept if said.id in thread.message_ids}
    return speakers | {conversation.requester, *arrived}


def unanswered(interrupts: Sequence[Interrupt]) -> str | None:
    """What the thread is told of calls about which a function had no answer; None if there are none."""
    requests = [request for interrupt in interrupts for request in interrupt.requests]
    told = [
        saying(NOT_FOUND, tool=one.tool, problem=one.chosen.problem)
        for one in requests
        if one.chosen and one.chosen.problem
    ]
    return joined(AFTER, [*dict.fromkeys(told)]) or None


async def chosen_after(
    chooser: Chooser, opened: Asked, action: Action, edit: tuple[str, Arguments, Referents | None]
) -> Chosen | None:
    """What the functions say of an edit; of a call that was asked about already, what they said then.

    `InvalidArguments` if they have no answer.
    """
    tool, arguments, referents = edit
    if not chooser.has_functions(tool):
        return None
    approval = opened.approval
    digest = approval.digest_of(action, tool, arguments, referents)
    for known in (action.asked, action):
        if known.digest == digest:
            return known.chosen
    request = _request(tool, arguments, opened.conversation, approval.requesters)
    found = await chooser.chosen(request, within=AT_HAND)
    if found and found.problem:
        raise InvalidArguments({"": say(NOT_FOUND_AFTER, problem=uttered(found.problem))})
    return found


def _has_functions(chooser: Chooser, interrupt: Interrupt) -> bool:
    return any(chooser.has_functions(request.tool) for request in interrupt.requests)


async def _chosen(
    chooser: Chooser, interrupt: Interrupt, conversation: Conversation, requesters: frozenset[UserId]
) -> Interrupt:
    async def told(request: ActionRequest) -> ActionRequest:
        about = _request(request.tool, request.arguments, conversation, requesters)
        return replace(request, chosen=await chooser.chosen(about, within=FILING))

    return replace(interrupt, requests=tuple(await asyncio.gather(*map(told, interrupt.requests))))


def _request(
    tool: str, arguments: Arguments, conversation: Conversation, requesters: frozenset[UserId]
) -> ApprovalRequest:
    return ApprovalRequest(
        tool=tool,
        arguments=arguments,
        requesters=frozenset(map(str, requesters)),
        conversation=conversation.id,
        channel=conversation.channel,
    )
