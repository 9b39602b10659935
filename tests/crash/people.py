"""The people of a cell: they decide what is open as they had in mind, press again what failed, and look."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bot.approvals.decision import DecisionKind
from bot.sandbox import Person, RefusedError, Sandbox, text_of
from bot.sandbox.blocks.walk import elements_of
from bot.sandbox.reading import is_button, word
from bot.slack import verbs
from tests.crash.points import Cell, Point
from tests.crash.program import RUNS, receipt
from tests.system.house import is_answer

Json = dict[str, Any]

NOTE: Final = "private-note <!channel> \u202e`*x*"
"""An argument that must not come alive in Slack, nor stand in a log."""
NEIGHBOUR: Final = "neighbour"
LAST: Final = "payee-last"
PATIENCE: Final = 40.0

_VERBS: Final = {
    DecisionKind.APPROVE: verbs.APPROVE,
    DecisionKind.EDIT: verbs.EDIT,
    DecisionKind.REJECT: verbs.REJECT,
    DecisionKind.RESPOND: verbs.RESPOND,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is asked for a payee, and what people want done about it; None: nobody decides."""

    to: str
    amount: float
    kind: DecisionKind | None

    @property
    def call(self) -> tuple[str, Json]:
        """As the model calls it."""
        return "transfer", {"amount": self.amount, "to": self.to, "note": NOTE}

    @property
    def paid(self) -> float | None:
        """What is to run, if anything."""
        match self.kind:
            case DecisionKind.APPROVE:
                return self.amount
            case DecisionKind.EDIT:
                return self.amount + 0.5
            case _:
                return None

    @property
    def told(self) -> str:
        """Words in what the agent is told of it."""
        match self.kind:
            case DecisionKind.APPROVE | DecisionKind.EDIT:
                return receipt(amount=self.paid or 0, to=self.to)
            case DecisionKind.REJECT | DecisionKind.RESPOND:
                return self.words
            case None:
                return "Nobody decided in time"

    @property
    def words(self) -> str:
        """What a person writes about it."""
        return f"that is not for {self.to}"

    @property
    def filled(self) -> Mapping[str, object]:
        """The form that says so."""
        match self.kind:
            case DecisionKind.EDIT:
                return {"amount": str(self.paid)}
            case DecisionKind.REJECT:
                return {"Reason": self.words}
            case _:
                return {"Response": self.words}


def wishes(cell: Cell) -> list[Wish]:
    """One for each call of the cell, and for the one that follows them."""
    expiring = cell.point is Point.EXPIRING
    kinds: list[DecisionKind | None] = list(cell.decisions)
    if expiring and cell.calls > 1:
        kinds = [kind if place == cell.own else None for place, kind in enumerate(kinds)]
    first = [Wish(to=f"payee-{place}", amount=place + 1.0, kind=kind) for place, kind in enumerate(kinds)]
    last = None if expiring and cell.calls == 1 else DecisionKind.APPROVE
    return [*first, Wish(to=LAST, amount=9.0, kind=last)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """An action that can be decided, on a drawing of its card."""

    message: Json
    action: str
    to: str
    is_doubt: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """What was done to decide an action, and whether Slack said that the bot took it."""

    action: str
    to: str
    taken: bool


@dataclass(slots=True, kw_only=True)
class People:
    """Alice asks, Carol asks for something else, Bob decides."""

    slack: Sandbox
    cell: Cell
    folder: Path
    wishes: list[Wish] = field(init=False)
    clicks: list[Click] = field(default_factory=list)
    forms_told: int = 0
    """Refusals that Bob read in a form."""
    _hand: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while Bob clicks."""

    def __post_init__(self) -> None:
        self.wishes = wishes(self.cell)

    @property
    def bob(self) -> Person:
        return self.slack.person("Bob")

    async def ask(self) -> None:
        """Carol first, whose card nobody touches; then Alice, for two rounds."""
        neighbour = [[Wish(to=NEIGHBOUR, amount=5.0, kind=None).call]]
        await self._say("Carol", neighbour)
        await self.bob.sees(lambda one: any(True for _ in still_open(one)), channel="#general")
        *first, last = (wish.call for wish in self.wishes)
        await self._say("Alice", [first, [last]])

    async def _say(self, who: str, rounds: list[Any]) -> None:
        command = f"/agent {json.dumps(rounds)}"
        assert await self.slack.person(who).say("#general", command) == {"ok": True}

    async def decide_until(self, is_end: Callable[[Json], bool] = is_answer) -> None:
        """Decide what is open and wished for, one after the other, until there is such a message."""

        def is_due(message: Json) -> bool:
            return is_end(message) or self._next(message) is not None

        while not is_end(seen := await self.bob.sees(is_due, channel="#general", timeout=PATIENCE)):
            if due := self._next(seen):
                async with self._hand:
                    await self._decide(due)

    async def let_go(self, deciding: "asyncio.Task[None]") -> None:
        """Stop after the click that is under way; Slack says what became of it."""
        async with self._hand:
            deciding.cancel()
        await asyncio.wait((deciding,))

    async def send_again(self) -> None:
        """What stood in an open form when the process died is still there."""
        for form in await self.bob.forms():
            last = self.clicks[-1]  # the one that opened it, and was not taken
            await self._submit(last.action, last.to, form, self._wish(last.to).filled)

    def _next(self, message: Json) -> Open | None:
        """The cell's own action comes last on its card."""
        taken = {click.action for click in self.clicks if click.taken}
        own = f"payee-{self.cell.own}"
        due = [one for one in still_open(message) if one.action not in taken and self._is_wished(one)]
        return min(due, key=lambda one: one.to == own, default=None)

    def _is_wished(self, one: Open) -> bool:
        return any(wish.to == one.to and wish.kind is not None for wish in self.wishes)

    def _wish(self, to: str) -> Wish:
        return next(wish for wish in self.wishes if wish.to == to)

    async def _decide(self, due: Open) -> None:
        wish = self._wish(due.to)
        kind = wish.kind
        assert kind is not None
        if due.is_doubt:
            # Whoever looks sees what the world has.
            ran = any(run["to"] == due.to for run in runs(self.folder))
            verb = verbs.IT_RAN if ran else verbs.RUN_AGAIN
            filled: Mapping[str, object] = {"Response": wish.told}
        else:
            verb, filled = _VERBS[kind], wish.filled
        before = len(await self.bob.ephemerals())
        answer = await self.bob.press(due.message, place_of(due, verb), stale=True)
        if not answer["ok"] or verb in {verbs.APPROVE, verbs.RUN_AGAIN}:
            self.clicks.append(Click(action=due.action, to=due.to, taken=answer["ok"]))
        elif form := await self._form_or_refusal(before):
            await self._submit(due.action, due.to, form, filled)
        else:
            self.clicks.append(Click(action=due.action, to=due.to, taken=True))

    async def _form_or_refusal(self, before: int) -> Json | None:
        """The form that a click opens; None if it was refused, which Bob alone was told."""

        async def refused() -> None:
            await self.bob.sees(lambda _: True)
            while len(await self.bob.ephemerals()) == before:
                await self.bob.sees_privately(lambda _: True, timeout=PATIENCE)

        form = asyncio.create_task(self.bob.form(timeout=PATIENCE))
        told = asyncio.create_task(refused())
        done, late = await asyncio.wait((form, told), return_when=asyncio.FIRST_COMPLETED)
        for task in late:
            task.cancel()
        await asyncio.wait((form, told))
        return form.result() if form in done else told.result()

    async def _submit(self, action: str, to: str, form: Json, filled: Mapping[str, object]) -> None:
        try:
            assert await self.bob.submit(form, filled) == {}
        except RefusedError:
            self.clicks.append(Click(action=action, to=to, taken=False))
            return
        self.clicks.append(Click(action=action, to=to, taken=True))
        for left in await self.bob.forms():
            self.forms_told += 1
            await self.bob.close(left, whole_stack=True)


def runs(folder: Path) -> list[Json]:
    """What was really done, in order."""
    file = folder / RUNS
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def still_open(message: Json) -> Iterator[Open]:
    """The actions on a card that can be decided."""
    asked = ""
    for block in message.get("blocks") or []:
        if block["block_id"].endswith(".request"):
            asked = text_of({"blocks": [block]})
        for _, element in elements_of([block]):
            verb = element["action_id"]
            if verb in {verbs.APPROVE, verbs.IT_RAN}:
                to = next((line for line in _payees(asked)), "")
                yield Open(message=message, action=element["value"], to=to, is_doubt=verb == verbs.IT_RAN)


def _payees(text: str) -> Iterator[str]:
    for name in (NEIGHBOUR, LAST, *(f"payee-{place}" for place in range(3))):
        if name in text:
            yield name


def place_of(one: Open, verb: str) -> int:
    """Which of all buttons of the drawing it is."""
    every = [element for _, element in elements_of(one.message["blocks"]) if is_button(element)]
    return next(
        place
        for place, element in enumerate(every)
        if (element["action_id"], element.get("value")) == (verb, one.action)
    )


def words(message: Json) -> list[str]:
    """The words on a message's buttons."""
    return [word(element) for _, element in elements_of(message.get("blocks") or []) if is_button(element)]
