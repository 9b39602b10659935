"""Asks tools how their calls are to be shown, before they are filed and outside any transaction."""

import asyncio
from dataclasses import replace
from typing import Final

from bot.approvals.approval import State
from bot.approvals.ids import ConversationId
from bot.approvals.masking import Masking
from bot.approvals.ports import Store
from bot.approvals.rendered import Presents
from bot.approvals.thread import ActionRequest, Interrupt, Thread
from bot.approvals.words import ENGLISH, spoken

RENDERING: Final = 5.0
"""Seconds that a tool may take for it; people wait meanwhile, and the ordinary rows do as well."""


async def presented(
    store: Store, tools: Presents, masking: Masking, id: ConversationId, thread: Thread
) -> Thread:
    """The thread; its interrupts that people were not asked about yet say how their calls are shown."""
    if not any(_presents(tools, interrupt) for interrupt in thread.interrupts):
        return thread
    async with store.read() as tx:
        asked = {one.interrupt for one in await tx.approvals.of(id, State.WAITING, State.SETTLED)}
    told = [
        one if one.id in asked or not _presents(tools, one) else await shown_by_tools(tools, masking, one)
        for one in thread.interrupts
    ]
    return replace(thread, interrupts=tuple(told))


async def shown_by_tools(tools: Presents, masking: Masking, interrupt: Interrupt) -> Interrupt:
    """The interrupt; its requests say how they are shown. What is secret is masked before a tool is asked."""
    secrets = masking.secrets((one.tool, one.arguments) for one in interrupt.requests)

    async def told(request: ActionRequest) -> ActionRequest:
        with spoken(ENGLISH):  # what is kept in a row, `retold` says to each
            arguments = masking.arguments(request.tool, request.arguments, secrets)
        return replace(request, rendered=await tools.rendered(request.tool, arguments, within=RENDERING))

    return replace(interrupt, requests=tuple(await asyncio.gather(*map(told, interrupt.requests))))


def _presents(tools: Presents, interrupt: Interrupt) -> bool:
    return any(tools.renders(one.tool) for one in interrupt.requests)
