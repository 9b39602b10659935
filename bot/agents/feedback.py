"""What the agent is told of a call that did not run as it wanted it, in a team's own words where it has some.

LangChain puts its own words around what it is given for a rejected call. `Approving` takes them off again
where the words are a team's, or where nobody rejected anything.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from string import Formatter
from typing import Any, Final

from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.agents.middleware.types import AgentState
from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime

from bot.agents.errors import BadAgent, did_you_mean

EXPIRED: Final = (
    "Nobody decided in time, so the tool did not run. This is not a no: ask again if it is still needed."
)
"""What the agent is told of a call that expired."""

LONGEST: Final = 2_000
"""Characters of a team's words."""
LONGEST_REASON: Final = 3_000
"""Characters of a person's words in them; a form takes as many."""
WHOLE: Final = "\u2063"
"""In front of words that are to stand alone; an invisible character that no form of ours lets through."""

_PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    "rejected": ("tool", "reason"),
    "edited": (),
    "expired": ("tool",),
    "skipped": ("tool",),
}
_NO_REASON: Final = "no reason was given"
_WRAPPED: Final = re.compile(f"User rejected the tool call for `.*?` with reason: {WHOLE}", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """A team's words; None for the usual ones."""

    rejected: str | None = None
    edited: str | None = None
    expired: str | None = None
    skipped: str | None = None

    def of_rejected(self, tool: str, reason: str) -> str | None:
        """What the agent is told of a rejected call; None for LangChain's own words."""
        if self.rejected is None:
            return None
        said = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"
        return _filled(self.rejected, tool=tool, reason=said.strip() or _NO_REASON)

    def of_edited(self) -> str | None:
        """What it is told before the result of an edited call; None for the usual words."""
        return None if self.edited is None else _filled(self.edited)

    def of_expired(self, tool: str) -> str:
        """What it is told of a call that nobody decided about."""
        return EXPIRED if self.expired is None else _filled(self.expired, tool=tool)

    def of_skipped(self, tool: str) -> str | None:
        """What it is told of a call that may have run and is not run again; None for the usual words."""
        return None if self.skipped is None else _filled(self.skipped, tool=tool)


USUAL: Final = Feedback()


def read_feedback(told: object) -> Feedback:
    """The words as `Agent(feedback=…)` has them; `BadAgent` with a sentence for what cannot be used."""
    if not isinstance(told, Mapping):
        raise BadAgent(f"`feedback` must be a mapping, not {type(told).__name__}.")
    for key, words in told.items():
        if key not in _PLACES:
            hint = did_you_mean(str(key), _PLACES)
            raise BadAgent(f"`feedback` has the unknown key {key!r}{hint}; it takes {', '.join(_PLACES)}.")
        _check(key, words)
    return Feedback(**{field.name: told.get(field.name) for field in fields(Feedback)})


def whole(words: str) -> str:
    """The words as a decision carries them that are to stand alone."""
    return f"{WHOLE}{words}"


def of_a_person(words: str) -> str:
    """A person's words, which never stand alone."""
    return words.lstrip(WHOLE)


class Approving(HumanInTheLoopMiddleware[Any, Any, Any]):
    """LangChain's approval; words that are to stand alone stand alone."""

    @property
    def name(self) -> str:
        """LangChain's own: threads that wait over an update know the step by it."""
        return HumanInTheLoopMiddleware.__name__

    def after_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As LangChain's."""
        update = super().after_model(state, runtime)
        if update and "messages" in update:
            update["messages"] = [unwrapped(message) for message in update["messages"]]
        return update


def unwrapped(message: Any) -> Any:  # noqa: ANN401 - whatever the approval leaves
    """The message, with words that are to stand alone by themselves."""
    if isinstance(message, ToolMessage) and isinstance(message.content, str):
        words = _WRAPPED.match(message.content)
        if words:
            return message.model_copy(update={"content": message.content[words.end() :]})
    return message


def _check(key: str, words: object) -> None:
    if not isinstance(words, str) or not words.strip():
        raise BadAgent(f"`feedback` needs a text for {key!r}.")
    if len(words) > LONGEST:
        raise BadAgent(f"`feedback` has {len(words):,} characters for {key!r}; {LONGEST:,} are the most.")
    places = [f"{{{place}}}" for place in _PLACES[key]]
    takes = f"it takes {' and '.join(places)}" if places else "it takes none"
    try:
        found = [part[1:] for part in Formatter().parse(words) if part[1] is not None]
    except ValueError as error:
        raise BadAgent(f"`feedback` has a brace too many or too few for {key!r}: {error}.") from None
    for name, spec, conversion in found:
        if name not in _PLACES[key] or spec or conversion:
            raise BadAgent(f"`feedback` has the placeholder {{{name}}} for {key!r}; {takes}.")


def _filled(words: str, **told: str) -> str:
    """Each placeholder once: what a person wrote is not read for placeholders."""
    parts = Formatter().parse(words)
    return "".join(text + (told[name] if name is not None else "") for text, name, _, _ in parts)
