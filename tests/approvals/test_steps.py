"""The steps of the loop, each as one call of the agent's."""

import pytest

from bot.approvals.approval import Approval, Shape
from bot.approvals.conversation import Said
from bot.approvals.ids import ConversationId
from bot.approvals.steps import Abandon, AskAgain, Doing, Proceed, Resume, Send, stopped, take
from tests.store.samples import THREAD, approval, said


class Noting:
    """An agent that notes what is asked of it, and fails at all that can fail."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    async def send(self, thread: ConversationId, messages: list[Said]) -> str:
        self.calls.append(("send", thread, messages))
        return "failed"

    async def resume(self, thread: ConversationId, asked: Approval) -> str:
        self.calls.append(("resume", thread, asked))
        return "failed"

    async def proceed(self, thread: ConversationId) -> str:
        self.calls.append(("proceed", thread))
        return "failed"

    async def ask_again(self, thread: ConversationId) -> str:
        self.calls.append(("ask_again", thread))
        return "failed"

    async def abandon(self, thread: ConversationId, reason: str) -> None:
        self.calls.append(("abandon", thread, reason))


@pytest.mark.parametrize(
    ("step", "call", "outcome"),
    [
        (Send([said()]), ("send", THREAD, [said()]), "failed"),
        (Resume(approval()), ("resume", THREAD, approval()), "failed"),
        (Proceed(), ("proceed", THREAD), "failed"),
        (AskAgain(), ("ask_again", THREAD), "failed"),
        (Abandon("stopped"), ("abandon", THREAD, "stopped"), None),
    ],
)
async def test_a_step_is_one_call_of_the_agent_and_tells_what_it_failed_with(
    step: Doing, call: tuple[object, ...], outcome: str | None
) -> None:
    agent = Noting()
    assert await take(agent, THREAD, step) == outcome  # type: ignore[arg-type]
    assert agent.calls == [call]


def test_the_agent_is_told_of_a_stop_whether_the_call_may_have_run() -> None:
    plain, doubtful = approval("p1"), approval("p2", shape=Shape.IN_DOUBT)
    not_run = Abandon("Stopped by a person. The tool was not run.")
    not_known = Abandon("Stopped by a person. It is not known whether this call had run.")
    assert [stopped(asked) for asked in ([], [plain], [plain, doubtful])] == [not_run, not_run, not_known]
