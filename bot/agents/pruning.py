"""Forgets the checkpoints of a thread that nothing needs any more.

A checkpoint holds all messages, so a thread that keeps every one of them grows with the square of what was
said. Whatever is read, answered or gone on with, is the newest checkpoint and what is written to it: the
pending interrupts too. The caller holds the thread, so none is being written.
"""

from typing import Any, Final

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from bot.approvals.ids import ConversationId

# A channel that keeps differences is put together from older checkpoints.
_NEEDS_OLDER: Final = """
SELECT EXISTS (
    SELECT 1 FROM checkpoints
    WHERE thread_id = :thread
    AND json_extract(CAST(metadata AS TEXT), '$.counters_since_delta_snapshot') IS NOT NULL
)
"""
# A subgraph has a namespace of its own; one that begins anew with each call has one per call, with a colon.
# Such a call has ended once the graph has gone on from the checkpoint that made it; ids rise with time.
_CHECKPOINTS: Final = """
DELETE FROM checkpoints
WHERE thread_id = :thread
AND (
    checkpoint_id < (
        SELECT max(newest.checkpoint_id) FROM checkpoints AS newest
        WHERE newest.thread_id = checkpoints.thread_id
        AND newest.checkpoint_ns = checkpoints.checkpoint_ns
    )
    OR instr(checkpoint_ns, ':') > 0
    AND json_extract(CAST(metadata AS TEXT), '$.parents.""') < (
        SELECT max(root.checkpoint_id) FROM checkpoints AS root
        WHERE root.thread_id = :thread AND root.checkpoint_ns = ''
    )
)
"""
_ORPHANS: Final = """
DELETE FROM writes
WHERE thread_id = :thread
AND NOT EXISTS (
    SELECT 1 FROM checkpoints
    WHERE checkpoints.thread_id = writes.thread_id
    AND checkpoints.checkpoint_ns = writes.checkpoint_ns
    AND checkpoints.checkpoint_id = writes.checkpoint_id
)
"""


async def prune(saver: BaseCheckpointSaver[Any], thread: ConversationId) -> None:
    """Keep the newest checkpoint of the thread and of each subgraph in it, and the writes that belong to it.

    A thread that needs older ones is left alone, and so is one whose saver cannot prune.
    """
    if isinstance(saver, AsyncSqliteSaver):
        await _prune_file(saver, thread)
        return
    try:
        await saver.aprune([thread], strategy="keep_latest")
    except NotImplementedError:
        return


async def _prune_file(saver: AsyncSqliteSaver, thread: ConversationId) -> None:
    """What the saver for files cannot do itself: all of it or nothing, under the saver's lock."""
    await saver.setup()
    of_thread = {"thread": thread}
    async with saver.lock, saver.conn.cursor() as cursor:
        await cursor.execute(_NEEDS_OLDER, of_thread)
        if await cursor.fetchone() != (0,):
            return
        try:
            await cursor.execute(_CHECKPOINTS, of_thread)
            await cursor.execute(_ORPHANS, of_thread)
            await saver.conn.commit()
        except BaseException:
            # Else the half of it would be written with the saver's next commit.
            await saver.conn.rollback()
            raise
