"""`audit` and `audit verify`. No logic: they read, print, and say by their exit code how it is."""

import json
import os
import sys
from enum import StrEnum
from typing import Annotated

import typer

from bot.audit.documents import document
from bot.audit.trace import Tracing
from bot.looking import settings_for_looking
from bot.process import BAD_INPUT, err, run
from bot.reports import meant
from bot.store.auditing import recorded, verified
from bot.store.chain import Broken, Link
from bot.store.database import reading_store

app = typer.Typer(help="The record of everything that happened.", invoke_without_command=True)

BROKEN = 1
COULD_NOT_LOOK = BAD_INPUT


class RecordFormat(StrEnum):
    """How the record is printed."""

    JSONL = "jsonl"
    AGENTACK = "agentack"


@app.callback()
def audit(
    context: typer.Context,
    thread: Annotated[
        str | None, typer.Option(help="Of this conversation only: its id, or a link of a message in it.")
    ] = None,
    format: Annotated[
        RecordFormat, typer.Option(help="One event a line, or a trace that `agentack check` judges.")
    ] = RecordFormat.JSONL,
) -> None:
    """Print the record, a JSON document a line, oldest first."""
    if context.invoked_subcommand is None and run(lambda: _print(thread, format)) is None:
        raise typer.Exit(COULD_NOT_LOOK)


async def _print(thread: str | None, format: RecordFormat) -> bool:
    async with reading_store(settings_for_looking().bot_database_url) as store:
        conversation = await meant(store, thread) if thread else None
        tracing = Tracing(session=conversation or "record")
        try:
            async for line in recorded(store, conversation):
                for told in [document(line)] if format is RecordFormat.JSONL else tracing.take(line.event):
                    _say(told)
            if format is RecordFormat.AGENTACK:
                for told in tracing.end():
                    _say(told)
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever reads has enough; nothing more is said, at the end of the process neither.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True


def _say(told: object) -> None:
    """Only ASCII: nothing in it moves a terminal's cursor, whatever a model wrote."""
    sys.stdout.write(json.dumps(told) + "\n")


@app.command()
def verify(
    head: Annotated[
        str | None,
        typer.Option(metavar="SEQ:HASH", help="A mark that an earlier `verify` printed: it must be there."),
    ] = None,
) -> None:
    """Prove that nobody changed the record: 0 it is intact, 1 it is not, 2 could not look.

    The mark that it prints, kept where whoever can write to the database cannot, is what proves the next time
    that the end was not cut off.
    """
    match run(lambda: _verify(head)):
        case None:
            raise typer.Exit(COULD_NOT_LOOK)
        case Broken(sentence=sentence):
            typer.echo(f"The record is not intact. {sentence}")
            raise typer.Exit(BROKEN)
        case Link(seq=seq) as mark:
            typer.echo(f"The record is intact, {seq:,} {'row' if seq == 1 else 'rows'}. Its mark: {mark}")


async def _verify(head: str | None) -> Broken | Link | None:
    try:
        mark = Link.parse(head) if head else None
    except ValueError:
        err.print(f"--head takes a mark as `audit verify` prints it, SEQ:HASH, not {head!r}.", markup=False)
        return None
    async with reading_store(settings_for_looking().bot_database_url) as store:
        return await verified(store, mark)
