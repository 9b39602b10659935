"""The notice that a message waits its turn: its button, and what whoever presses it is told."""

from dataclasses import dataclass, field
from typing import Any

from bot.approvals.errors import NotAllowed
from bot.approvals.ids import PostId, UserId
from bot.approvals.places import Spot
from bot.slack.turns import Turns
from tests.slack.steps import Acks, Whispers

PRESS: dict[str, Any] = {
    "type": "block_actions",
    "user": {"id": "U0BOB", "team_id": "T0HOME"},
    "actions": [{"action_id": "reject_all_with", "value": "kept:m1"}],
    "channel": {"id": "C1"},
    "container": {"message_ts": "5.5", "thread_ts": "1.1"},
}


@dataclass(kw_only=True)
class Rejects:
    """Rejects what was open, but for what it was told to refuse."""

    refused: tuple[str, ...] = ()
    no: str = ""
    asked: list[tuple[str, UserId, Spot]] = field(default_factory=list)

    async def reject(self, notice: PostId, *, by: UserId, spot: Spot) -> tuple[str, ...]:
        self.asked.append((notice, by, spot))
        if self.no:
            raise NotAllowed(self.no)
        return self.refused


async def pressed(rejects: Rejects, body: dict[str, Any] = PRESS) -> tuple[list[Any], list[tuple[str, str]]]:
    acks, private = Acks(), Whispers()
    parts: Any = {"objections": rejects, "private": private}
    ack: Any = acks
    await Turns(**parts).reject_all(ack, body)
    return acks.told, private.told


async def test_whoever_presses_it_rejects_what_was_open_and_is_told_nothing_more() -> None:
    rejects = Rejects()
    assert await pressed(rejects) == ([{}], [])
    [(notice, by, spot)] = rejects.asked
    assert (notice, by) == ("kept:m1", "U0BOB")
    assert (spot.channel, spot.message, spot.team) == ("C1", "5.5", "T0HOME")


async def test_what_a_person_may_not_decide_is_told_to_that_person_line_by_line() -> None:
    told = "Rejected, except for what you may not decide:\nOnly Ann.\nOnly Ben."
    assert await pressed(Rejects(refused=("Only Ann.", "Only Ben."))) == ([{}], [("U0BOB", told)])


async def test_where_nothing_can_be_done_the_person_is_told_why() -> None:
    assert await pressed(Rejects(no="It no longer waits.")) == ([{}], [("U0BOB", "It no longer waits.")])


async def test_a_payload_that_is_none_is_taken_and_does_nothing() -> None:
    rejects = Rejects()
    assert await pressed(rejects, {"type": "block_actions"}) == ([{}], [])
    assert rejects.asked == []


def test_the_button_is_taken_by_the_app() -> None:
    taken: list[tuple[str, str]] = []

    class App:
        def action(self, name: str) -> Any:  # noqa: ANN401
            return lambda what: taken.append((name, what.__name__))

    app: Any = App()
    parts: Any = {"objections": Rejects(), "private": Whispers()}
    Turns(**parts).register(app)
    assert taken == [("reject_all_with", "reject_all")]
