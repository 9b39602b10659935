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


@dataclass(slots=True, kw_only=True)
class Core:
    """One workspace and what serves it. `address` is known when the sockets listen."""

    options: Options
    workspace: Workspace
    faults: Faults
    socket_mode: SocketMode
    transport: Transport
    triggers: Triggers
    calls: CallLog = field(default_factory=CallLog)
    background: Background = field(default_factory=Background)
    address: str = ""
