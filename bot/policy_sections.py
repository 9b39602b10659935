"""The form of `approvals.toml`: which keys a section may have, and which of them do not go together.

Keys that the file format knows and this version does not act upon are refused unless they say what happens
anyway: a rule that is silently not kept is worse than none.
"""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Annotated, Any, Final, LiteralString, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    StringConstraints,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import PydanticCustomError, core_schema

from bot.approvals.asking import Asking
from bot.approvals.policy import OPEN_CARDS
from bot.durations import Delay, DelayOrNever
from bot.languages import LANGUAGES

MOST_OPEN: Final = 100
"""The most cards of one conversation that may be open at once."""

MOST_VOTES: Final = 50
"""The largest quorum of a group; a larger one is a slip."""

MOST_TARGETS: Final = 90
"""Tools that an edit may lead to; a choice in a form takes 100."""

Loc: TypeAlias = tuple[str | int, ...]
"""Where in the file something stands: keys, and numbers in lists."""

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Names = Annotated[list[Name], Field(min_length=1)]
Count = Annotated[int, Field(ge=1, le=MOST_VOTES)]


def _unfit(sentence: LiteralString) -> PydanticCustomError:
    """A value that a key cannot have; the sentence goes on behind the key's name."""
    return PydanticCustomError("unfit", sentence)


def _asking(told: object) -> Asking:
    try:
        return Asking(str(told))
    except ValueError:
        raise _unfit(_NO_ASKING) from None


_NO_ASKING: Final = "is none of always, never, once, once-per-tool"
Ask = Annotated[Asking, BeforeValidator(_asking)]

Function: TypeAlias = Callable[[Any], Any]
"""Stands in a policy that is written in Python for a value; no TOML holds one."""


def _or_function(told: object, check: ValidatorFunctionWrapHandler) -> object:
    return told if callable(told) else check(told)


def _either(kind: object) -> GetPydanticSchema:
    """Takes a function, or else what `kind` takes, with its problems and no others."""
    return GetPydanticSchema(
        lambda _, handler: core_schema.no_info_wrap_validator_function(
            _or_function, handler.generate_schema(kind)
        )
    )


Approvers = Annotated[list[str] | Function, _either(Names)]
Votes = Annotated[int | Function, _either(Count)]
Flag = Annotated[bool | Function, _either(bool)]
AskOr = Annotated[Asking | Function, _either(Ask)]

THREAD: Final = "thread"
TO_APPROVERS: Final = "dm:approvers"
_PLACE: Final = re.compile(rf"{THREAD}|{TO_APPROVERS}|#[^\s#@<>]{{1,80}}|[CG][A-Z0-9]{{2,30}}")


def _is_place(text: str) -> str:
    if not _PLACE.fullmatch(text):
        raise _unfit("is none of thread, #channel or its id (C…), dm:approvers")
    return text


Place = Annotated[str, AfterValidator(_is_place)]
"""Where a card stands."""
PlaceOr = Annotated[str | Function, _either(Place)]
EndOr = Annotated[timedelta | Function, _either(DelayOrNever)]


def _open_cards(told: object) -> int:
    if not isinstance(told, int) or isinstance(told, bool) or not 1 <= told <= MOST_OPEN:
        raise _unfit(_NO_COUNT)
    return told


_NO_COUNT: Final = f"is not a number from 1 to {MOST_OPEN}"
OpenCards = Annotated[int, BeforeValidator(_open_cards)]


Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=75)]
"""A ready-made reason; Slack takes 75 characters for a choice."""
MOST_REASONS: Final = 20


FUNCTIONS: Final = ("approvers", "quorum", "self_approval", "ask", "channel", "expires_after")
"""The keys for which there may be a function; and those of a group in `require`."""


class Group(BaseModel):
    """One of several groups that all have to agree."""

    model_config = ConfigDict(extra="forbid", strict=True)

    approvers: Approvers
    quorum: Votes = 1

    @property
    def has_function(self) -> bool:
        """Whether a function says who is in it, or how many of them it takes."""
        return callable(self.approvers) or callable(self.quorum)


class Section(BaseModel):
    """What a rule may say, and the defaults as well; None is what it does not say."""

    model_config = ConfigDict(extra="forbid", strict=True)

    approvers: Approvers | None = None
    quorum: Votes | None = None
    require: Annotated[list[Group], Field(min_length=1)] | None = None
    self_approval: Flag | None = None
    channel: PlaceOr | None = None
    shared_channels: bool | None = None
    danger: bool | None = None
    all_at_once: bool | None = None
    fresh: bool | None = None
    reasons: Annotated[list[Reason], Field(max_length=MOST_REASONS)] | None = None
    expires_after: EndOr | None = None
    remind_after: list[Delay] | None = None
    escalate_after: DelayOrNever | None = None
    escalate_to: list[Name] | None = None
    ask: AskOr | None = None
    redact: list[Name] | None = None
    edit_to: Annotated[list[Name], Field(max_length=MOST_TARGETS)] | None = None

    def approver_names(self) -> list[str]:
        """Whom the section names as approvers, alone or in a group; not whom a function would name."""
        every = [self.approvers, *(group.approvers for group in self.require or ())]
        return [name for names in every if isinstance(names, list) for name in names]

    @property
    def functions(self) -> frozenset[str]:
        """The keys for which it has a function."""
        own = {key for key in FUNCTIONS if callable(getattr(self, key))}
        groups = any(group.has_function for group in self.require or ())
        return frozenset(own | {"require"} if groups else own)


def _spoken(told: object) -> str:
    if told not in LANGUAGES:
        raise _unfit(_NO_LANGUAGE)
    return str(told)


_NO_LANGUAGE: Final = f"is none of {', '.join(LANGUAGES)}"
Spoken = Annotated[str, BeforeValidator(_spoken)]
"""The language of what several people see."""


class RuleSection(Section):
    """A rule."""

    tools: Names


class AgentSection(BaseModel):
    """What holds for one of several agents, over the rest of the file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    requesters: Names | None = None
    defaults: Section = Section()
    rules: list[RuleSection] = []


class File(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    requesters: Names = ["members"]
    operators: list[Name] = []
    open_cards: OpenCards = OPEN_CARDS
    language: Spoken = "en"
    defaults: Section
    rules: list[RuleSection] = []
    agents: dict[str, AgentSection] = {}

    def sections(self) -> Iterator[tuple[Section, Loc]]:
        """The defaults and the rules that hold for all agents, each with its place."""
        yield self.defaults, ("defaults",)
        for index, rule in enumerate(self.rules):
            yield rule, ("rules", index)


def at_odds(file: File) -> Iterator[tuple[Loc, str]]:
    """The keys that cannot stand where they are, and why."""
    if not file.defaults.approvers and not file.defaults.require:
        yield ("defaults", "approvers"), "is required: nobody approves by default"
    for section, loc in file.sections():
        if section.require and section.approvers:
            yield (*loc, "require"), "stands in place of `approvers`; keep one of them"
        if section.require and section.quorum:
            yield (*loc, "quorum"), "goes with `approvers`; each group of `require` has a quorum of its own"
        elif section.quorum and not section.approvers and not file.defaults.approvers:
            yield (*loc, "quorum"), "goes with `approvers`, and the defaults have `require` instead"
