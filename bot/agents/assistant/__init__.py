"""The agent that ships: looks after the files and the data of one folder, and asks people."""

import os
from pathlib import Path

from bot.agents.agent import Agent
from bot.agents.assistant.database import Database
from bot.agents.assistant.folder import Folder
from bot.agents.assistant.tools import assistant_tools, changes_data

PROMPT = """\
You look after the files in one folder and the SQLite database data.db in it, together with the people
in a Slack thread. Do what they ask with your tools, several calls at once where that is possible. People
see every change before it happens: they may approve it, change it, or reject it with a reason. Take a
rejection or a change as final; do not try again unless they ask you to. When you need to know something
that only they know, call ask_user. Close with a short answer in Markdown that says what was done."""


def assistant(folder: Path | str) -> Agent:
    """The file and data assistant on this folder, which is made on first use and never left."""
    place = Folder(Path(folder))
    database = Database(place)
    return Agent(
        tools=assistant_tools(place, database),
        interrupt_on={
            "write_file": {"allowed_decisions": ["approve", "edit", "reject"]},
            "delete_file": {"allowed_decisions": ["approve", "reject"]},
            "execute_sql": {"allowed_decisions": ["approve", "reject"], "when": changes_data(database)},
            "ask_user": {"allowed_decisions": ["respond"]},
        },
        system_prompt=PROMPT,
        description_prefix="",
    )


def __getattr__(name: str) -> Agent:
    """`agent`, on the folder that `BOT_WORKSPACE` names when it is asked for, or `./workspace`."""
    if name == "agent":
        return assistant(os.environ.get("BOT_WORKSPACE") or "workspace")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
