"""Runs that are told to end after the step that runs now: one thread's, or all when the process ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from langgraph.runtime import RunControl

from bot.approvals.errors import TryLater
from bot.approvals.ids import ConversationId

ENDING: Final = "the process ends"
STOPPED: Final = "the conversation was stopped"


class Halting:
    """What runs, by thread. Of what was told to end, tools and model calls that run end; nothing begins."""

    def __init__(self) -> None:
        self._draining = False
        self._under_way: dict[ConversationId, RunControl] = {}

    def drain(self) -> None:
        """Tell all; none begins any more. They raise `TryLater`, and the next process goes on with them."""
        self._draining = True
        for control in self._under_way.values():
            control.request_drain(ENDING)

    def halt(self, thread: ConversationId) -> None:
        """Tell the run of this thread, if one is under way."""
        if control := self._under_way.get(thread):
            control.request_drain(STOPPED)

    @contextmanager
    def under_way(self, thread: ConversationId) -> Iterator[RunControl]:
        """In this block a run of the thread is under way, and can be told already while it is prepared.

        One block in another is the same run. `TryLater` if the process ends.
        """
        self.check()
        outer = self._under_way.get(thread)
        control = self._under_way[thread] = outer or RunControl()
        try:
            yield control
        finally:
            if outer is None:
                del self._under_way[thread]

    def check(self) -> None:
        """Raise `TryLater` if the process ends."""
        if self._draining:
            raise TryLater(0, ENDING)
