"""What goes wrong on purpose, switched on from outside.

A fault of the Web API names a method (or `*`, or `response_url`); a fault of delivery names a kind of
envelope (`events_api`, `interactive`, `slash_commands` or `*`). `times` counts down; without it, the fault
stays until it is cleared.
"""

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.sandbox.rates import Rates

ApiFault = Literal["rates", "ratelimited", "status", "error", "lost_response", "drop_request", "delay"]
DeliveryFault = Literal["duplicate", "drop_ack", "disconnect", "refuse_connections"]
API_FAULTS: frozenset[str] = frozenset(
    {"ratelimited", "status", "error", "lost_response", "drop_request", "delay"}
)


class Fault(BaseModel):
    """One fault, as `POST /sandbox/faults` takes it.

    `rates` keeps Slack's own rate limits, `speed` times as generous, until the faults are cleared;
    `ratelimited` answers 429 (`retry_after` seconds, None leaves the header out); `status` answers that
    HTTP status; `error` answers `{"ok": false, "error": …}`; `lost_response` does the work and cuts the
    connection unanswered; `drop_request` cuts it before the work; `delay` waits `seconds` first.
    Of delivery: `duplicate` sends everything twice, `drop_ack` ignores the app's acknowledgement,
    `disconnect` closes all sockets now (`reason`), `refuse_connections` lets none be opened.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: ApiFault | DeliveryFault
    method: str = "*"
    times: int | None = Field(default=None, ge=1)
    retry_after: float | None = 1
    status: int = Field(default=503, ge=400, le=599)
    error: str = "fatal_error"
    seconds: float = Field(default=1.0, ge=0)
    speed: float = Field(default=1.0, gt=0)
    reason: Literal["warning", "refresh_requested", "link_disabled", "too_many_websockets"] = (
        "refresh_requested"
    )


class Faults:
    """The faults that are on."""

    def __init__(self) -> None:
        self._on: list[Fault] = []
        self.rates: Rates | None = None
        """The rate limits that are kept; None for none."""

    def add(self, fault: Fault) -> None:
        """Switch one on; they apply in the order in which they came."""
        if fault.kind == "rates":
            self.rates = Rates(fault.speed)
        else:
            self._on.append(fault)

    def clear(self) -> None:
        """Everything works again."""
        self._on.clear()
        self.rates = None

    def __iter__(self) -> Iterator[Fault]:
        return iter(tuple(self._on))

    def take_api(self, method: str) -> Fault | None:
        """The first Web API fault for a call of `method`; counts as used."""
        return self._take(API_FAULTS, method)

    def take(self, kind: DeliveryFault, envelope: str = "*") -> Fault | None:
        """The first fault of this kind for an envelope; counts as used."""
        return self._take({kind}, envelope)

    def _take(self, kinds: frozenset[str] | set[str], method: str) -> Fault | None:
        for place, fault in enumerate(self._on):
            if fault.kind in kinds and fault.method in ("*", method):
                if fault.times == 1:
                    del self._on[place]
                elif fault.times is not None:
                    self._on[place] = fault.model_copy(update={"times": fault.times - 1})
                return fault
        return None
