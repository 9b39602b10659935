"""Looks up what fresh requests point at before they are filed, outside any transaction: it may take long."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.approvals.approval import Shape, State
from bot.approvals.decision import Arguments
from bot.approvals.errors import InvalidArguments
from bot.approvals.ids import ConversationId
from bot.approvals.ports import Store, Tools
from bot.approvals.referents import Referents
from bot.approvals.sayings import uttered
from bot.approvals.thread import ActionRequest, Interrupt, Thread
from bot.approvals.words import phrase, say

FILING: Final = 10.0
"""Seconds that a lookup may take before people are asked."""
AT_HAND: Final = 2.0
"""Seconds where somebody waits for it: a form is sent, or a tool is about to run."""
NOT_FOUND: Final = phrase("What this points at could not be looked up: {problem}.")
"""What whoever makes an edit is told."""


async def pointing(store: Store, tools: Tools, id: ConversationId, thread: Thread) -> Thread:
    """The thread; its interrupts that people were not asked about yet say what their requests point at."""
    if not any(_is_pointing(tools, interrupt) for interrupt in thread.interrupts):
        return thread
    async with store.read() as tx:
        asked = {one.interrupt for one in await tx.approvals.of(id, State.WAITING, State.SETTLED)}
    found = [
        one if one.id in asked or not _is_pointing(tools, one) else await looked_up(tools, one)
        for one in thread.interrupts
    ]
    return replace(thread, interrupts=tuple(found))


async def edited(tools: Tools, tool: str, arguments: Arguments) -> Referents | None:
    """What an edit points at, for those who vote; `InvalidArguments` if that cannot be looked up."""
    found = await tools.referents(tool, arguments, within=AT_HAND)
    if found and found.problem:
        raise InvalidArguments({"": say(NOT_FOUND, problem=uttered(found.problem))})
    return found


def _is_pointing(tools: Tools, interrupt: Interrupt) -> bool:
    # A doubt asks whether a call has run, not whether it may: what it points at may be its own work by now.
    return interrupt.shape is Shape.BATCHED and any(tools.resolves(one.tool) for one in interrupt.requests)


async def looked_up(tools: Tools, interrupt: Interrupt) -> Interrupt:
    """The interrupt; its requests say what they point at, or why that cannot be told."""
    told: Sequence[Referents | None] = await asyncio.gather(
        *(tools.referents(one.tool, one.arguments, within=FILING) for one in interrupt.requests)
    )
    return replace(interrupt, requests=tuple(map(_with, interrupt.requests, told)))


def _with(request: ActionRequest, found: Referents | None) -> ActionRequest:
    return replace(request, referents=found)
