"""`python -m bot` from a process that has loaded it already: a command costs a fork, not a start of Python.

As a program it takes a request for each command: arguments, environment and folder, and the files that are
to be its output. A fork of it supervises the command, which is another fork, and says how that ended.
"""

import asyncio
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

LOADED: Final = ("bot.cli", "bot.checks", "bot.workbench", "bot.jobs.postgres")
LONGEST: Final = 1 << 20
"""Bytes of a request, far more than any has."""


async def ran(
    args: tuple[str, ...], env: Mapping[str, str], folder: Path, *, patience: float
) -> tuple[int, str, str]:
    """Run it to its end: its exit code, output and errors. What goes on longer is killed: `TimeoutError`."""
    return await asyncio.to_thread(_ran, args, env, folder, patience)


def _ran(
    args: tuple[str, ...], env: Mapping[str, str], folder: Path, patience: float
) -> tuple[int, str, str]:
    ours, its = socket.socketpair()
    with ours, TemporaryFile() as out, TemporaryFile() as err:
        with its:
            request = json.dumps({"args": args, "env": dict(env), "folder": str(folder)}).encode()
            socket.send_fds(_server()[0], [request], [out.fileno(), err.fileno(), its.fileno()])
        told = ours.makefile()
        pid = int(told.readline())
        ours.settimeout(patience)
        try:
            code = int(told.readline())
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise
        for file in (out, err):
            file.seek(0)
        return code, out.read().decode(), err.read().decode()


@cache
def _server() -> tuple[socket.socket, "subprocess.Popen[bytes]"]:
    """The server, which ends when this process does and with it the last end of this socket."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its:
        process = subprocess.Popen(
            (sys.executable, "-m", __name__, str(its.fileno())),
            cwd=Path(__file__).parents[1],
            env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")},
            stdin=subprocess.DEVNULL,
            pass_fds=[its.fileno()],
        )
    return ours, process


def main() -> None:
    """Be the server until nobody holds the other end."""
    for module in LOADED:
        import_module(module)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a supervisor
    with socket.socket(fileno=int(sys.argv[1])) as asked:
        while True:
            request, files, _, _ = socket.recv_fds(asked, LONGEST, 3)
            if not request:
                return
            if not os.fork():
                asked.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _supervise(json.loads(request), *files)
            for file in files:
                os.close(file)


def _supervise(request: dict[str, Any], out: int, err: int, told: int) -> None:
    pid = os.fork()
    if not pid:
        os.close(told)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os._exit(_be(request["args"], request["env"], request["folder"]))
    os.write(told, f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _be(args: list[str], env: dict[str, str], folder: str) -> int:
    """`python -m bot ARGS`, and how Python would end."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.path[0] = folder
    sys.argv = ["-m", *args]
    code = 0
    try:
        runpy.run_module("bot", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - it ends as Python ends, and never in the server's own code
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return code


if __name__ == "__main__":
    main()
