"""The parts of a running sandbox, for those who work on them."""

from dataclasses import dataclass, field

from bot.sandbox.background import Background
from bot.sandbox.calls import CallLog
from bot.sandbox.delivery import Transport
from bot.sandbox.faults import Faults
from bot.sandbox.options import Options
from bot.sandbox.socket_mode import SocketMode
from bot.sandbox.triggers import Triggers
from bot.sandbox.workspace import Workspace


@dataclass(slots=True, kw_only=True, eq=False)
class Core:
    """One workspace and what serves it. `address` is known when the sockets listen."""

    options: Options
    workspace: Workspace
    faults: Faults
    socket_mode: SocketMode
    way: Transport
    transport: Transport
    """The way to the app, and the same as long as the app is in this workspace."""
    triggers: Triggers
    calls: CallLog = field(default_factory=CallLog)
    background: Background = field(default_factory=Background)
    address: str = ""
    origin: str = ""
    """Where the app reaches Slack, if that is not here."""
    everywhere: list["Core"] = field(default_factory=list)
    """All workspaces of this Slack that are open, this one among them; the first has the app's server."""
    uploads: dict[str, "Upload"] = field(default_factory=dict)
    """Files that are on their way to any of these workspaces, by id."""
    codes: dict[str, "Code"] = field(default_factory=dict)
    """What installations came back with, of all of these workspaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that was announced, and what has come of it."""

    name: str
    length: int
    content: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What an installation in a workspace comes back with, good for one trade."""

    core: Core
    redirect_uri: str
    expires: float
    is_org_wide: bool = False
    """Whether it is for all of the workspace's organisation."""
