"""What is on this machine: the policy file, the database, the port."""

import asyncio
import os
from pathlib import Path

from bot.checks.finding import Finding, Verdict
from bot.policy_file import BadPolicy, PolicyFile, read_policy
from bot.settings import Settings
from bot.store.database import reading_store
from bot.store.errors import CannotOpen, OldSchema, StoreUnavailable
from bot.store.location import postgres_url, sqlite_path
from bot.store.lock import in_use


def policy_findings(settings: Settings) -> tuple[PolicyFile | None, list[Finding]]:
    """The policy file, if there is one and it is well formed; its people are looked up later."""
    if not (path := settings.policy_file):
        return None, []
    try:
        policy = read_policy(path)
    except BadPolicy as bad:
        return None, [Finding(Verdict.WRONG, problem) for problem in bad.problems]
    return policy, [Finding(Verdict.OK, f"The policy {path} is well formed.")]


async def database_finding(settings: Settings) -> Finding:
    """Whether the database could be opened or made, without doing either."""
    where = settings.bot_database_url
    try:
        return await (_server_finding(where) if postgres_url(where) else _file_finding(sqlite_path(where)))
    except (CannotOpen, StoreUnavailable) as no:
        return Finding(Verdict.WRONG, str(no))
    except OSError as error:
        return Finding(Verdict.WRONG, f"The database cannot be opened ({error.strerror}).")


async def _file_finding(path: Path) -> Finding:
    if finding := _seen_from_outside(path):
        return finding
    try:
        async with reading_store(path):
            return Finding(Verdict.OK, f"The database {path} can be opened.")
    except OldSchema:
        return Finding(Verdict.OK, "The database will be brought to the present schema at the start.")


def _seen_from_outside(path: Path) -> Finding | None:
    if not path.exists():
        if os.access(path.parent, os.W_OK | os.X_OK):
            return Finding(Verdict.OK, f"The database {path} will be made at the start.")
        return Finding(Verdict.WRONG, f"The database {path} cannot be made: its folder is not writable.")
    if in_use(path):
        return Finding(Verdict.OK, f"The database {path} is in use by a running bot.")
    if not os.access(path, os.R_OK | os.W_OK):
        return Finding(Verdict.WRONG, f"The database {path} cannot be read and written by this user.")
    return None


async def _server_finding(where: str) -> Finding:
    async with reading_store(where):
        return Finding(Verdict.OK, "The database can be reached and has the present schema.")


async def listening_finding(settings: Settings) -> Finding:
    """Whether `BOT_HOST` and `BOT_PORT` are free."""
    where = f"{settings.bot_host}:{settings.bot_port}"
    try:
        server = await asyncio.start_server(lambda *_: None, settings.bot_host, settings.bot_port)
    except OSError as error:
        if _running(settings):
            return Finding(Verdict.OK, f"{where} is in use while a bot is running.")
        return Finding(Verdict.WRONG, f"{where} cannot be listened on ({error.strerror}); set BOT_PORT.")
    server.close()
    return Finding(Verdict.OK, f"{where} can be listened on.")


def _running(settings: Settings) -> bool:
    try:
        return in_use(sqlite_path(settings.bot_database_url))
    except (CannotOpen, OSError):
        return False
