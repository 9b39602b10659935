"""Tests that are collected once, and a fork for each mutant that runs those which reach it.

mutmut's own loop starts pytest for each mutant, a second each; nine thousand mutants are a night. Here
the fork begins where everything is imported and collected: most mutants are killed within 50 ms.
"""

import gc
import os
import resource
import signal
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.utils.format_utils import mangled_name_from_mutant_name

from tests.mutation.groups import TOO_SLOW

EXAMPLES: Final = 12
"""Of each generated test: what needs hundreds of examples to be seen is not pinned by a test."""

SLOWEST: Final = 0.8
"""Seconds of CPU: a test that takes longer judges no mutant."""

PATIENCE: Final = 2.0
"""Seconds of CPU of tests for one mutant, the most particular ones first. What survives them survives,
unless `--patience` gives the survivors more."""

CPU: Final = 20
"""Seconds of one mutant's process before it counts as one that never ends."""

HANGING: Final = 90
"""Seconds on the clock, for one that waits for ever."""

KILLED, SURVIVED, ENDLESS, UNREACHED = "killed", "survived", "endless", "unreached"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What one test takes, and which functions it calls."""

    seconds: float
    functions: frozenset[str]


@dataclass(slots=True, kw_only=True)
class Judge:
    """The plugin: instead of running the tests it judges each of the mutants with them."""

    mutants: Sequence[str]
    children: int
    patience: float
    judged: Callable[[str, str, str], None]
    failed: list[str] = field(default_factory=list)
    _reach: dict[int, Reach] = field(default_factory=dict)
    _killers: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        slow = [item for item in items if any(word in item.nodeid for word in TOO_SLOW)]
        items[:] = [item for item in items if item not in slow]
        config.hook.pytest_deselected(items=slow)
        for item in items:
            _with_few_examples(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.collect()
        gc.freeze()  # the collector of a fork would touch, and so copy, every page
        self._look(session)
        if not self.failed:
            self._judge_all(session)
        return True

    def _look(self, session: pytest.Session) -> None:
        """One run of everything without a mutant, in a process of its own."""
        with tempfile.TemporaryFile("w+") as told:
            child = os.fork()
            if child == 0:
                _ending(session, partial(self._tell, session, told.fileno()))
            os.waitpid(child, 0)
            told.seek(0)
            for line in told:
                number, passed, seconds, *functions = line.split()
                if passed != "1":
                    self.failed.append(session.items[int(number)].nodeid)
                self._reach[int(number)] = Reach(seconds=float(seconds), functions=frozenset(functions))
        missing = len(session.items) - len(self._reach)
        if missing:
            self.failed.append(f"{missing} tests that did not end")

    def _tell(self, session: pytest.Session, told: int) -> int:
        set_mutant_under_test("stats")
        for number, item in enumerate(session.items):
            state()._stats.clear()
            begun = time.process_time()
            passed = _passes(session, item)
            names = " ".join(mangled for mangled in state()._stats)
            os.write(told, f"{number} {passed:d} {time.process_time() - begun:.4f} {names}\n".encode())
        return 0

    def _judge_all(self, session: pytest.Session) -> None:
        running: dict[int, tuple[str, int]] = {}
        for mutant in self.mutants:
            tests = list(self._tests(mutant))
            if not tests:
                self.judged(mutant, UNREACHED, "")
                continue
            while len(running) >= self.children:
                self._end_of_one(session, running)
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(reading)
                _ending(session, partial(_judge, session, tests, mutant, writing))
            os.close(writing)
            running[child] = (mutant, reading)
        while running:
            self._end_of_one(session, running)

    def _end_of_one(self, session: pytest.Session, running: dict[int, tuple[str, int]]) -> None:
        child, status = os.wait()
        mutant, reading = running.pop(child)
        with os.fdopen(reading, "rb") as told:
            killer = told.read().decode()
        match os.waitstatus_to_exitcode(status):
            case 0:
                self.judged(mutant, SURVIVED, "")
            case 1 if killer:
                self._killers[_function(mutant)].insert(0, int(killer))
                self.judged(mutant, KILLED, session.items[int(killer)].nodeid)
            case _:
                self.judged(mutant, ENDLESS, "")

    def _tests(self, mutant: str) -> Iterator[int]:
        """What killed a neighbour first, then what calls little else; the quick before the slow."""
        function = _function(mutant)
        seen = self._killers[function]
        reaching = [
            number
            for number, reach in self._reach.items()
            if function in reach.functions and reach.seconds <= SLOWEST and number not in seen
        ]
        reaching.sort(key=lambda number: len(self._reach[number].functions) * self._reach[number].seconds)
        left = self.patience
        for number in [*dict.fromkeys(seen), *reaching]:
            left -= self._reach[number].seconds
            if left < 0:
                return
            yield number


def _function(mutant: str) -> str:
    return str(mangled_name_from_mutant_name(mutant))


def _judge(session: pytest.Session, tests: Sequence[int], mutant: str, writing: int) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
    signal.alarm(HANGING)
    set_mutant_under_test(mutant)
    for number in tests:
        if not _passes(session, session.items[number]):
            os.write(writing, str(number).encode())
            return 1
    return 0


def _passes(session: pytest.Session, item: pytest.Item) -> bool:
    failed = session.testsfailed
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    return session.testsfailed == failed


def _in_a_folder(session: pytest.Session, work: Callable[[], int]) -> int:
    """With a folder of its own for `tmp_path`: pytest empties the one that it was given when it begins."""
    with tempfile.TemporaryDirectory() as folder:
        session.config._tmp_path_factory._basetemp = Path(folder).resolve()  # type: ignore[attr-defined]
        return work()


def _ending(session: pytest.Session, work: Callable[[], int]) -> None:
    """The whole life of a forked process; it never comes back into the loop that forked it."""
    ended = 2
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        ended = _in_a_folder(session, work)
    finally:
        os._exit(ended)


def _with_few_examples(item: pytest.Item) -> None:
    from hypothesis import Phase, settings  # pytest has to see it first

    test = getattr(item, "obj", None)
    test = getattr(test, "__func__", test)
    current = getattr(test, "_hypothesis_internal_use_settings", None)
    if test is not None and current is not None:
        few = min(EXAMPLES, current.max_examples)
        test._hypothesis_internal_use_settings = settings(
            current,
            max_examples=few,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],  # a failure need not be small
        )
