"""Sections of a policy to terms: each name becomes the one person, group or channel that has it."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from bot.approvals.ids import UserId
from bot.approvals.places import Where
from bot.approvals.policy import Members, MembersOf, One, Quorum, UserGroup, Who
from bot.policy_names import Known, meaning, place_meant
from bot.policy_sections import File, Function, Loc, Section

NO_REQUESTER: Final = (
    "requesters are `members`, people by @name or user id (U…), user groups by @@handle, "
    "or the members of a #channel."
)


class Reading:
    """Reads sections and gathers what is wrong with their names; `told` says where something stands."""

    def __init__(self, content: File, told: Callable[[Loc], str], known: Known) -> None:
        self._content = content
        self._told = told
        self._known = known
        self.problems: list[str] = []

    def requesters(self) -> tuple[Who, ...]:
        """Who may ask."""
        loc = ("requesters",)
        found = self._who(self._content.requesters, loc)
        for who in found:
            if not isinstance(who, One | Members | UserGroup | MembersOf):
                self._wrong(loc, NO_REQUESTER)
        return found

    def operators(self) -> tuple[Who, ...]:
        """Who sees everything that waits."""
        loc = ("operators",)
        found = self._who(self._content.operators, loc)
        for who in found:
            if not isinstance(who, One | UserGroup):
                self._wrong(loc, "operators are people by @name or user id (U…), or user groups by @@handle.")
        return found

    def said(self, section: Section, loc: Loc) -> dict[str, Any]:
        """The fields of `Terms` and `Rule` that this section says something about."""
        said = {
            "approvers": self._who(named(section.approvers), (*loc, "approvers")) or None,
            "quorum": section.quorum,
            "require": self._require(section, loc),
            "self_approval": section.self_approval,
            "expires_after": section.expires_after,
            "remind_after": _optional(tuple, section.remind_after),
            "escalate_after": section.escalate_after,
            "escalate_to": self._people(section.escalate_to, (*loc, "escalate_to")),
            "redact": _optional(tuple, section.redact),
            "ask": section.ask,
            "edit_to": _optional(tuple, section.edit_to),
            "channel": self._place(section.channel, (*loc, "channel")),
            "shared_channels": section.shared_channels,
            "danger": section.danger,
            "all_at_once": section.all_at_once,
            "fresh": section.fresh,
            "reasons": _optional(tuple, section.reasons),
        }
        values = {key: value for key, value in said.items() if value is not None and not callable(value)}
        return {**values, "by_function": section.functions}

    def _place(self, name: str | Function | None, loc: Loc) -> Where | None:
        where = place_meant(name, self._known) if isinstance(name, str) else None
        if isinstance(where, str):
            self._wrong(loc, where)
            return None
        return where

    def _require(self, section: Section, loc: Loc) -> tuple[Quorum, ...] | None:
        if section.require is None or "require" in section.functions:
            return None
        return tuple(
            Quorum(
                approvers=self._who(named(group.approvers), (*loc, "require", position)),
                count=counted(group.quorum),
            )
            for position, group in enumerate(section.require)
        )

    def _people(self, names: Sequence[str] | None, loc: Loc) -> tuple[UserId, ...] | None:
        if names is None:
            return None
        found = self._who(names, loc)
        for who in found:
            if not isinstance(who, One):
                self._wrong(loc, "escalate_to names people, by @name or user id (U…).")
        return tuple(who.id for who in found if isinstance(who, One))

    def _who(self, names: Sequence[str], loc: Loc) -> tuple[Who, ...]:
        found = [meaning(name, self._known) for name in names]
        for sentence in found:
            if isinstance(sentence, str):
                self._wrong(loc, sentence)
        return tuple(who for who in found if not isinstance(who, str))

    def _wrong(self, loc: Loc, sentence: str) -> None:
        self.problems.append(f"{self._told(loc)}: {sentence}")


def named(approvers: list[str] | Function | None) -> list[str]:
    """The names that stand there; none where a function does."""
    return approvers if isinstance(approvers, list) else []


def counted(quorum: int | Function) -> int:
    """The number that stands there; one where a function does."""
    return quorum if isinstance(quorum, int) else 1


def _optional(make: Callable[[Sequence[Any]], Any], said: Sequence[Any] | None) -> Any:  # noqa: ANN401 - as given
    return None if said is None else make(said)
