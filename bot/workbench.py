"""`python -m bot sandbox`: a local Slack in the browser and the bot in front of it, in one process."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from bot.errors import CannotStart
from bot.policy_file import PolicyFile, parse_policy
from bot.sandbox import Sandbox
from bot.settings import Mode, Settings
from bot.wiring import Bot, running_bot

POLICY: Final = """\
[defaults]
approvers = ["channel"]

[[rules]]
tools = ["ask_user", "question"]
approvers = ["requester", "channel"]
self_approval = true
"""
"""The policy of a sandbox without a policy file: nobody approves what they asked for, but everybody in the
channel answers questions, the requester too."""

SAMPLES: Final = {
    "tmp.log": "2026-11-02 09:14:07 started\n2026-11-02 09:14:09 stopped\n",
    "data.csv": "city,people\nBasel,173000\nTurin,847000\n",
}
"""What a new workspace folder holds, so that there is something to tidy up."""


@asynccontextmanager
async def workbench(
    settings: Settings, policy: PolicyFile | None, *, port: int, data: Path
) -> AsyncIterator[tuple[Sandbox, Bot]]:
    """The sandbox and the bot, with all they keep under `data`, until the block ends.

    `CannotStart` says in a sentence why the folder or the port cannot be used.
    """
    workspace = settings.bot_workspace if "bot_workspace" in settings.model_fields_set else data / "workspace"
    async with AsyncExitStack() as stack:
        try:
            _found(data, workspace)
        except OSError as error:
            raise CannotStart(f"{error.filename or data} cannot be made ({error.strerror}).") from error
        try:
            slack = await stack.enter_async_context(Sandbox(port=port, data=data / "slack"))
        except OSError as error:
            raise CannotStart(
                f"The page cannot listen on port {port} ({error.strerror}); choose another with --port."
            ) from error
        except sqlite3.Error as error:
            raise CannotStart(f"The workspace in {data} cannot be opened ({error}).") from error
        local = settings.model_copy(
            update={
                "slack_bot_token": SecretStr(slack.bot_token),
                "slack_app_token": SecretStr(slack.app_token),
                "slack_signing_secret": None,
                "slack_client_id": None,
                "slack_client_secret": None,
                "slack_api_url": slack.api_url,
                "bot_mode": Mode.SOCKET,
                "bot_port": settings.bot_port if "bot_port" in settings.model_fields_set else 0,
                "bot_workspace": workspace,
                "bot_database_url": (
                    settings.bot_database_url
                    if "bot_database_url" in settings.model_fields_set
                    else f"sqlite:///{data / 'bot.db'}"
                ),
            }
        )
        own = parse_policy(POLICY, name="the sandbox's own policy")
        bot = await stack.enter_async_context(running_bot(local, policy, model="offline", otherwise=own))
        yield slack, bot


def _found(data: Path, workspace: Path) -> None:
    """Make the folders; a new workspace gets some files."""
    data.mkdir(parents=True, exist_ok=True)
    if not workspace.exists():
        workspace.mkdir(parents=True)
        for name, text in SAMPLES.items():
            (workspace / name).write_text(text, encoding="utf-8")
