"""The kill matrix: where a process dies, in which cell. The table below says what each point means here.

| Point | In this code the process dies |
|---|---|
| READ | with the deciding click judged, right before its transaction is committed |
| COMMITTED | right after that commit, before anybody is acked |
| ACKED | when Slack has the ack, while the job that resumes is being taken: its claim is rolled back |
| CLAIMED | with the claim on disk, at the door of `Threads.resume` |
| RESUMED | before the commit of the first intent; where nothing is to run, with the answer in the thread |
| INTENT | right after the commit of the first intent, before the tool does anything |
| EFFECT | after the tool did it, right before the result is committed |
| RESULT | right after that commit, before LangGraph hears of the result |
| CHECKPOINT | with the results in a checkpoint, before the model is asked for the next step |
| SEEN | with the next interrupt read from the thread, before its approval's rows are committed |
| FILED | with those rows on disk and the card marked as being sent, before Slack is called |
| POSTED | when Slack has the card, before where it is is written down |
| UPDATING | in the redraw of the decided card: before Slack has it (one call), after it (three) |
| EXPIRING | in the timer that expires what nobody decided, right before its transaction is committed |

Where a cell's own call does not run (it is rejected or answered, alone), INTENT, EFFECT and RESULT are those
of the call that follows it in the same thread.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum, auto
from typing import Any, Final, Literal, Self

from bot.approvals.decision import DecisionKind
from bot.settings import Mode

Database = Literal["sqlite", "postgres"]

ROUND: Final = ("approve", "edit", "reject", "respond")
"""With three calls, the other two are decided by the next two of these."""


class Point(StrEnum):
    """Where the process dies."""

    READ = auto()
    COMMITTED = auto()
    ACKED = auto()
    CLAIMED = auto()
    RESUMED = auto()
    INTENT = auto()
    EFFECT = auto()
    RESULT = auto()
    CHECKPOINT = auto()
    SEEN = auto()
    FILED = auto()
    POSTED = auto()
    UPDATING = auto()
    EXPIRING = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of the matrix."""

    number: int
    """Its place in the matrix, from 0."""
    point: Point
    decision: DecisionKind
    calls: int
    database: Database

    def __str__(self) -> str:
        return f"{self.point}-{self.decision}-{self.calls}-{self.database}"

    @property
    def own(self) -> int:
        """Which of the calls is decided as the cell says; it is decided last."""
        return self.calls // 2

    @property
    def decisions(self) -> list[DecisionKind]:
        """How each call is decided, in their order."""
        first = ROUND.index(self.decision)
        return [DecisionKind(ROUND[(first + place - self.own) % len(ROUND)]) for place in range(self.calls)]

    @property
    def runs(self) -> bool:
        """Whether any of the calls is to run."""
        return any(one in {DecisionKind.APPROVE, DecisionKind.EDIT} for one in self.decisions)

    @property
    def mode(self) -> Mode:
        """How Slack reaches the bot: by turns, so that every point sees both ways."""
        return Mode.HTTP if self.number // 3 % 2 else Mode.SOCKET

    def as_json(self) -> dict[str, Any]:
        """For the process that is to die."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Self:
        """What `as_json` wrote."""
        kinds = {"point": Point(told["point"]), "decision": DecisionKind(told["decision"])}
        return cls(**told | kinds)


def matrix() -> Iterator[Cell]:
    """All 224 cells."""
    number = 0
    for point in Point:
        for kind in DecisionKind:
            for calls in (1, 3):
                for database in ("sqlite", "postgres"):
                    yield Cell(number=number, point=point, decision=kind, calls=calls, database=database)
                    number += 1
