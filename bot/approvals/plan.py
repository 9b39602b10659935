"""What the agent does in one turn, call by call, as people follow it. Pure.

It is put together anew from the thread and the approvals whenever one of them has changed; nothing is
remembered from one time to the next but which version was shown. What is secret in it is masked before it
is kept: it is for drawing, and for nothing else.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Self, assert_never

from bot.approvals.action import Action, Decided, Expired, LetThrough
from bot.approvals.approval import Approval, Shape, State
from bot.approvals.decision import Approve, Arguments, Edit, Json, Reject, Respond
from bot.approvals.masking import Masking, Secrets
from bot.approvals.sayings import from_json, reworded, to_json
from bot.approvals.steps import STOPPED, STOPPED_IN_DOUBT
from bot.approvals.thread import Called, Thread, Turn
from bot.approvals.words import ENGLISH, spoken

LONGEST_GIVEN: Final = 140
"""Characters of a call's arguments that are told."""
LONGEST_RESULT: Final = 200
"""Characters of what came out of a call that are told."""
_LOOKED_AT: Final = 8_000
"""Characters of one argument that are searched for secrets before it is cut; far more than are told."""


class Stand(StrEnum):
    """How a call stands."""

    WAITING = "waiting"
    """People are asked about it, or about others on the same card."""
    HELD = "held"
    """Nobody is asked about it; it was made together with calls that wait."""
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    REJECTED = "rejected"
    ANSWERED = "answered"
    """A person answered in the tool's place."""
    EXPIRED = "expired"
    SKIPPED = "skipped"
    """It may have run, and a person left it at that."""
    STOPPED = "stopped"
    """The agent was stopped or halted before it had a result."""


ENDED: Final = frozenset(Stand) - {Stand.WAITING, Stand.HELD, Stand.RUNNING}
"""Nothing more comes of it."""


class Course(StrEnum):
    """How the turn as a whole stands."""

    WORKING = "working"
    WAITING = "waiting"
    HALTED = "halted"
    """It failed; somebody may press Retry."""
    STOPPED = "stopped"
    DONE = "done"


UNDER_WAY: Final = frozenset({Course.WORKING, Course.WAITING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One tool call."""

    tool: str
    given: str
    """Its arguments in a line, masked; untrusted."""
    stand: Stand
    told: str = ""
    """What came out of it, in a line, masked, to be `uttered`; untrusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All calls of a turn, in the agent's order."""

    course: Course
    tasks: tuple[Task, ...]
    version: int = 0
    """Counts the changes."""
    due: datetime | None = None
    """When the last drawing of it that is owed is to be made."""

    @property
    def is_under_way(self) -> bool:
        """Whether there is something that can be stopped."""
        return self.course in UNDER_WAY

    def looks_like(self, other: "Plan") -> bool:
        """Whether people would see no difference."""
        return (self.course, self.tasks) == (other.course, other.tasks)

    def ended(self, course: Course) -> Self:
        """At its end: what has no result will get none."""
        tasks = tuple(
            one if one.stand in ENDED else replace(one, stand=Stand.STOPPED, told="") for one in self.tasks
        )
        return replace(self, course=course, tasks=tasks)

    def to_json(self) -> str:
        """As text; `from_json` reads it."""
        told = {
            "course": self.course.value,
            "tasks": [[one.tool, one.given, one.stand.value, to_json(one.told)] for one in self.tasks],
            "version": self.version,
            "due": self.due.isoformat() if self.due else None,
        }
        return json.dumps(told, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The plan that `to_json` wrote."""
        told = json.loads(text)
        return cls(
            course=Course(told["course"]),
            tasks=tuple(
                Task(tool=tool, given=given, stand=Stand(stand), told=from_json(line))
                for tool, given, stand, line in told["tasks"]
            ),
            version=told["version"],
            due=datetime.fromisoformat(told["due"]) if told["due"] else None,
        )


def is_on_one_card(turn: Turn, thread: Thread, approvals: Sequence[Approval]) -> bool:
    """Whether one card tells of all these calls, so that there is nothing to add to it."""
    wanted = {(call.message, call.id) for call in turn.calls}
    cards: list[set[tuple[str, str]]] = [
        {(one.message, one.call) for one in interrupt.requests} for interrupt in thread.interrupts
    ]
    cards += [{(one.message, one.call) for one in each.actions if not _is_unasked(one)} for each in approvals]
    return any(wanted <= card for card in cards)


def _is_unasked(action: Action) -> bool:
    """Whether people are told nothing about it: the policy never asks."""
    return isinstance(action.outcome, LetThrough) and action.outcome.because is None


@spoken(ENGLISH)  # what is kept in a row, `retold` says to each
def plan_of(
    turn: Turn, thread: Thread, approvals: Sequence[Approval], course: Course, masking: Masking
) -> Plan:
    """The turn as people see it, while the thread stands like this."""
    asked = {
        (action.message, action.call): (approval, action)
        for approval in approvals
        for action in approval.actions
        if action.call
    }
    pending = {(one.message, one.call) for each in thread.interrupts for one in each.requests}
    secrets = masking.secrets([(call.tool, call.arguments) for call in turn.calls], approvals)

    def task(call: Called) -> Task:
        key = call.message, call.id
        stand = _stand(call, asked.get(key))
        if stand is Stand.RUNNING and key in pending and key not in asked:
            stand = Stand.WAITING  # people are about to be asked, once what runs beside it has ended
        if stand is Stand.RUNNING and course is Course.WAITING:
            stand = Stand.WAITING if key in pending else Stand.HELD
        told = call.result if call.result and stand in _TELLING else ""
        return Task(
            tool=call.tool,
            given=_given(call, masking, secrets),
            stand=stand,
            told=reworded(
                masking.text(told, secrets=secrets) if told else "", lambda one: _line(one, LONGEST_RESULT)
            ),
        )

    plan = Plan(course=course, tasks=tuple(map(task, turn.calls)))
    return plan if course in UNDER_WAY else plan.ended(course)


_TELLING: Final = frozenset({Stand.DONE, Stand.FAILED, Stand.ANSWERED})
"""Where what the agent was told is what came out of the call; elsewhere it is a sentence of ours."""


def _stand(call: Called, asked: tuple[Approval, Action] | None) -> Stand:
    """How a call stands, where a run would be under way."""
    if call.result in {STOPPED, STOPPED_IN_DOUBT}:
        return Stand.STOPPED
    if asked is None or asked[0].state is State.WITHDRAWN:
        return _by_result(call)
    approval, action = asked
    if approval.state is State.WAITING and call.result is None:
        return Stand.WAITING
    match action.outcome:
        case Expired():
            return Stand.EXPIRED
        case Decided(decision=Reject()):
            return Stand.SKIPPED if approval.shape is Shape.IN_DOUBT else Stand.REJECTED
        case Decided(decision=Respond()) if approval.shape is Shape.BATCHED:
            return Stand.ANSWERED
        case None | LetThrough() | Decided(decision=Approve() | Edit() | Respond()):
            return _by_result(call)
        case Decided():
            raise AssertionError(action.outcome.decision)
        case _:
            assert_never(action.outcome)


def _by_result(call: Called) -> Stand:
    if call.result is None:
        return Stand.RUNNING
    return Stand.FAILED if call.failed else Stand.DONE


def _given(call: Called, masking: Masking, secrets: Secrets) -> str:
    masked = masking.arguments(call.tool, dict(_beginnings(call.arguments)), secrets)
    return _line(", ".join(f"{name}: {_told(value)}" for name, value in masked.items()), LONGEST_GIVEN)


def _beginnings(arguments: Arguments) -> Iterator[tuple[str, Json]]:
    for name, value in arguments.items():
        yield name, value[:_LOOKED_AT] if isinstance(value, str) else value


def _told(value: Any) -> str:  # noqa: ANN401 - any JSON, and whatever a model sends in its place
    match value:
        case str():
            return value
        case Mapping():
            return "{…}" if value else "{}"
        case list() | tuple():
            return "[…]" if value else "[]"
        case _:
            return json.dumps(value, default=str)


def _line(text: str, longest: int) -> str:
    line = " ".join(text[:_LOOKED_AT].split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
