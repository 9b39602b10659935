"""The commands. No logic: they read settings, call one thing, and turn errors into a sentence."""

import asyncio
import logging
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import structlog
import typer
from rich.console import Console

from bot.agents.errors import BadAgent
from bot.policy_file import BadPolicy, PolicyFile, read_policy
from bot.settings import BadSettings, Settings
from bot.store.errors import CannotOpen, StoreUnavailable
from bot.wiring import CannotStart, running_bot

app = typer.Typer(
    help="People approve an AI agent's tool calls in Slack.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
database = typer.Typer(help="The database's schema.", no_args_is_help=True)
app.add_typer(database, name="db")

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

BAD_INPUT = 2

NO_POLICY = (
    "There is no approvals.toml here and BOT_POLICY names none; nobody approves by default, "
    'so write one that says who does, e.g. [defaults] approvers = ["channel"].'
)


@app.command()
def sandbox(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where the page listens; 0 takes a free one.")
    ] = 8800,
    data: Annotated[Path, typer.Option(help="Where everything is kept.", file_okay=False)] = Path(".sandbox"),
) -> None:
    """Try the bot: a local Slack in the browser. No token, no model key, no internet."""
    from bot.workbench import workbench

    async def run(stop: asyncio.Event) -> None:
        settings = Settings.from_environment()
        async with workbench(settings, _policy(settings), port=port, data=data) as (slack, _):
            out.print(f"The sandbox is at {slack.page_url} (Ctrl-C ends it; its data is in {data}).")
            await stop.wait()

    _run(run)


@app.command()
def serve() -> None:
    """Run the bot on a real Slack workspace."""

    async def run(stop: asyncio.Event) -> None:
        settings = Settings.from_environment()
        if missing := settings.missing_for_slack():
            raise BadSettings(missing)
        policy = _policy(settings)
        if policy is None:
            raise BadPolicy([NO_POLICY])
        async with running_bot(settings, policy) as bot:
            out.print(f"Running as <@{bot.identity.bot_user}> on {bot.identity.url}.", markup=False)
            await stop.wait()

    _run(run)


def main() -> None:
    """Run the command line."""
    _configure_logs()
    app()


def _policy(settings: Settings) -> PolicyFile | None:
    return read_policy(path) if (path := settings.policy_file) else None


def _run(command: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Run until it ends or is told to: Ctrl-C and SIGTERM set the event. A mistake becomes a sentence."""

    async def until_told() -> None:
        stop = asyncio.Event()
        for name in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
        await command(stop)

    with _mistakes_told():
        asyncio.run(until_told())


@contextmanager
def _mistakes_told() -> Iterator[None]:
    try:
        yield
    except (BadSettings, BadPolicy, BadAgent, CannotStart, CannotOpen, StoreUnavailable) as mistake:
        err.print(str(mistake), markup=False)
        raise SystemExit(BAD_INPUT) from None


def _configure_logs() -> None:
    """One event a line on standard error; libraries speak from warnings on."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
    )
