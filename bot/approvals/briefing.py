"""What people are told beside a call itself, kept as it was when they were asked. Pure.

Who may decide and which reasons are ready come from the policy, how the call is shown from its tool, both at
filing, so that a card that is drawn again tells what it told.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from bot.approvals.decision import Json
from bot.approvals.rendered import Rendered
from bot.approvals.sayings import from_json, to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    """Words about one call, for whoever decides."""

    deciders: str = ""
    """Who may decide, as a sentence says it, to be `uttered`; empty where nobody said so."""
    reasons: tuple[str, ...] = ()
    """Ready-made reasons of a rejection, in the order of the form."""
    all_at_once: bool = False
    """Whether one press may decide it together with others."""
    dangers: tuple[str, ...] = ()
    """Which are marked as dangerous, of its tool and of those that an edit may turn it into."""
    rendered: Rendered | None = None
    """How the tool shows the call as the agent asked for it; None where it does not say."""

    def to_json(self) -> dict[str, Json]:
        """As a JSON object, for a row; without what is not there."""
        told: dict[str, Json] = {}
        if self.deciders:
            told["deciders"] = to_json(self.deciders)
        if self.reasons:
            told["reasons"] = [*self.reasons]
        if self.all_at_once:
            told["all_at_once"] = True
        if self.dangers:
            told["dangers"] = [*self.dangers]
        if self.rendered:
            told["rendered"] = self.rendered.to_json()
        return told

    @classmethod
    def from_json(cls, told: Mapping[str, Json]) -> Self:
        """What `to_json` wrote; what an older row does not have is empty."""
        reasons, dangers = told.get("reasons"), told.get("dangers")
        return cls(
            deciders=from_json(told.get("deciders")),
            reasons=tuple(map(str, reasons)) if isinstance(reasons, list) else (),
            all_at_once=told.get("all_at_once") is True,
            dangers=tuple(map(str, dangers)) if isinstance(dangers, list) else (),
            rendered=Rendered.from_json(told.get("rendered")),
        )


NOTHING: Final = Briefing()
