"""A fork server: it has loaded everything once, so a fresh process costs a fork, not a start of Python.

As a program it reads a line for each process that is wanted and forks it, while it has no thread and no event
loop itself. A child may say something of itself, and the server says how each one ended.
"""

import asyncio
import gc
import json
import os
import select
import signal
import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

from bot.jobs import postgres

ROOT: Final = Path(__file__).parents[2]
GONE: Final = 255
LOADED: Final = (postgres.__name__, "tests.crash.program", "tests.crash.test_guard")


@dataclass(slots=True, kw_only=True, eq=False)
class Forked:
    """A process of the server's, as the test sees it."""

    pid: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    port: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    """Where it listens, once it says so."""
    ended: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    """As `Popen.returncode` has it: -9 after kill -9."""

    async def kill(self) -> None:
        """Kill -9, and wait until it is gone."""
        if not self.ended.done():
            with suppress(ProcessLookupError):
                os.kill(await self.pid, signal.SIGKILL)
        await self.ended


class Forge:
    """The server, as the test sees it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._known: list[Forked] = []

    async def fork(self, call: str, *arguments: object) -> Forked:
        """A fresh process that does `call(tell, *arguments)`, named `module:function`; arguments are JSON.

        With `tell` it says where it listens: `tell({"port": …})`.
        """
        forked = Forked()
        self._known.append(forked)
        assert self._process.stdin is not None
        self._process.stdin.write(f"{json.dumps([call, *arguments])}\n".encode())
        await self._process.stdin.drain()
        return forked

    async def listen(self) -> None:
        """Take what the server says until it ends."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            number, told = json.loads(line)
            for name, value in told.items():
                getattr(self._known[number], name).set_result(value)
        for forked in self._known:  # the server is gone, and with it what it has forked
            if not forked.ended.done():
                forked.ended.set_result(GONE)


@asynccontextmanager
async def a_forge() -> AsyncIterator[Forge]:
    """The server as a process; whatever it has forked ends with it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.crash.forge"),
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "PYTHONPATH": str(ROOT)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    forge = Forge(process)
    listening = asyncio.create_task(forge.listen(), name="forge")
    try:
        yield forge
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
        await listening


def main() -> None:
    """Be the server until the input ends."""
    for module in LOADED:
        import_module(module)
    gc.collect()
    gc.freeze()
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    children: dict[int, int] = {}
    wanted = 0
    while True:
        ready, _, _ = select.select([sys.stdin.fileno(), woken], [], [])
        if woken in ready:
            os.read(woken, 1_000)
            _bury(children)
        if sys.stdin.fileno() in ready:
            if not (line := _line()):
                break
            children[_forked(wanted, line)] = wanted
            wanted += 1
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _line() -> str:
    """One line, and not a byte more: the rest has to wake `select` again."""
    read = b""
    while not read.endswith(b"\n"):
        if not (one := os.read(sys.stdin.fileno(), 1)):
            return ""
        read += one
    return read.decode()


def _forked(number: int, line: str) -> int:
    pid = os.fork()
    if pid:
        _tell(number, {"pid": pid})
        return pid
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        call, *arguments = json.loads(line)
        resolve_name(call)(lambda told: _tell(number, told), *arguments)
    except BaseException:  # noqa: BLE001 - a forked process must never go on in the server's own code
        traceback.print_exc()
    os._exit(1)


def _bury(children: dict[int, int]) -> None:
    for pid in list(children):
        gone, status = os.waitpid(pid, os.WNOHANG)
        if gone:
            _tell(children.pop(pid), {"ended": os.waitstatus_to_exitcode(status)})


def _tell(number: int, told: dict[str, Any]) -> None:
    os.write(1, f"{json.dumps([number, told])}\n".encode())


if __name__ == "__main__":
    main()
