"""The commands. No logic: they read settings, call one thing, and turn errors into a sentence."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bot import reports, tables
from bot.audit import commands as audit_commands
from bot.logs import configure_logs
from bot.looking import settings_for_looking
from bot.policy_file import BadPolicy, PolicyFile, read_policy
from bot.process import run, until_told
from bot.reports import Document
from bot.seen_policy import seen_policy
from bot.settings import NO_POLICY, Settings
from bot.store.database import reading_store

app = typer.Typer(
    help="People approve an AI agent's tool calls in Slack.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
database_commands = typer.Typer(help="The database's schema.", no_args_is_help=True)
app.add_typer(audit_commands.app, name="audit")
app.add_typer(database_commands, name="db")

out = Console(highlight=False, soft_wrap=True)

PROBLEMS = 1
COULD_NOT_LOOK = 2

Thread = Annotated[str, typer.Argument(help="A conversation's id, or the link of a Slack message in it.")]
Unmasked = Annotated[bool, typer.Option("--unmasked", help="Secrets as they are, instead of masked.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document instead of a table.")]


@app.command()
def sandbox(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where the page listens; 0 takes a free one.")
    ] = 8800,
    data: Annotated[Path, typer.Option(help="Where everything is kept.", file_okay=False)] = Path(".sandbox"),
) -> None:
    """Try the bot: a local Slack in the browser. No token, no model key, no internet."""
    from bot.workbench import workbench

    async def work() -> None:
        settings = Settings.from_environment()
        async with workbench(settings, _policy(settings), port=port, data=data) as (slack, _):
            out.print(
                f"The sandbox is at {slack.page_url} (Ctrl-C ends it; its data is in {data}).", markup=False
            )
            await until_told()

    run(work)


@app.command()
def serve() -> None:
    """Run the bot on a real Slack workspace."""

    async def work() -> None:
        settings = Settings.from_environment(for_slack=True)
        policy = _policy(settings)
        if policy is None and not settings.bot_agent:  # a team's own agent may carry one
            raise BadPolicy([NO_POLICY])
        if settings.is_for_several:
            from bot.workspaces.serving import serving_several

            async with serving_several(settings, policy) as several:
                out.print(several.sentence, markup=False)
                await until_told()
            return
        from bot.wiring import running_bot

        async with running_bot(settings, policy) as bot:
            out.print(f"Running as <@{bot.identity.bot_user}> on {bot.identity.url}.", markup=False)
            await until_told()

    run(work)


@app.command()
def check() -> None:
    """Look for everything that can be wrong before the first click: 0 fine, 1 problems, 2 could not look."""
    from bot.checks import Verdict, findings

    async def work() -> set[Verdict]:
        seen = set()
        async for finding in findings():
            seen.add(finding.verdict)
            out.print(f"{finding.verdict:<8} {finding.sentence}", markup=False)
        return seen

    seen = run(work) or set()
    if Verdict.WRONG in seen:
        raise typer.Exit(PROBLEMS)
    if Verdict.UNKNOWN in seen:
        raise typer.Exit(COULD_NOT_LOOK)


@app.command()
def pending(*, as_json: AsJson = False) -> None:
    """What waits for whom, since when, until when."""

    async def work() -> Document:
        settings = settings_for_looking()
        async with reading_store(settings.bot_database_url) as store:
            return await reports.pending(store, seen_policy(settings))

    if report := run(work):
        _print_json(report) if as_json else tables.console().print(tables.pending_table(report))


@app.command()
def show(thread: Thread, *, as_json: AsJson = False, unmasked: Unmasked = False) -> None:
    """One conversation: requests, decisions, cards."""

    async def work() -> Document:
        settings = settings_for_looking()
        policy = seen_policy(settings)
        async with reading_store(settings.bot_database_url) as store:
            masking = None if unmasked else policy
            return await reports.conversation(store, thread, masking, policy.roster)

    if report := run(work):
        _print_json(report) if as_json else tables.console().print(tables.conversation_table(report))


@app.command()
def cancel(thread: Thread) -> None:
    """Stop a conversation cleanly: the running bot does it, or the next one that starts."""
    from bot import wishes

    async def work() -> Sequence[str]:
        return await wishes.cancel(settings_for_looking(), thread)

    _print_lines(run(work))


@app.command()
def repair(thread: Thread) -> None:
    """Bring a stuck conversation back; no tool runs again by that."""
    from bot import wishes

    async def work() -> Sequence[str]:
        return await wishes.repair(settings_for_looking(), thread)

    _print_lines(run(work))


@database_commands.command("upgrade")
def upgrade_database() -> None:
    """Bring the schema up to date; SQLite does it by itself at start."""
    from bot.starting import upgrade_database as bring_up_to_date

    async def work() -> None:
        await bring_up_to_date(Settings.from_environment().bot_database_url)
        out.print("The database has the present schema.")

    run(work)


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal without Unicode is no reason to stop
    configure_logs()
    app()


def _policy(settings: Settings) -> PolicyFile | None:
    return read_policy(path) if (path := settings.policy_file) else None


def _print_lines(lines: Sequence[str] | None) -> None:
    for line in lines or ():
        out.print(tables.printable(line), markup=False)


def _print_json(report: Document) -> None:
    """Only ASCII: nothing in it moves a terminal's cursor, whatever a model wrote."""
    typer.echo(json.dumps(report, indent=2))
