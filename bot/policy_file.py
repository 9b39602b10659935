"""`approvals.toml` to a policy: checked by name and line, its people and user groups looked up."""

import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from bot.approvals.ids import UserId
from bot.approvals.places import Where
from bot.approvals.policy import Members, One, Policy, Quorum, Rule, Terms, UserGroup, Who, over
from bot.approvals.times import NEVER
from bot.policy_checks import impossible, misplaced, never_reached, pointless
from bot.policy_names import Known, is_group, is_person, meaning, place_meant
from bot.policy_sections import MOST_VOTES, THREAD, TO_APPROVERS, File, Loc, RuleSection, Section, at_odds
from bot.toml_lines import place


class BadPolicy(Exception):  # noqa: N818 - said to an operator
    """What is wrong with the policy, one sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


EXPIRES_AFTER: Final = timedelta(hours=24)
"""How long people may decide, where the file does not say."""

_DEFAULTS: Final[Mapping[str, Any]] = {
    "approvers": (),
    "expires_after": EXPIRES_AFTER,
    "escalate_after": NEVER,
}
"""What holds where the file does not say."""

_WHO_DECIDES: Final = ("require", "quorum", "approvers", "self_approval")
"""The keys that say it, the one that a problem is told at first."""

_WHERE: Final = ("channel", "approvers", "require", "escalate_to", "shared_channels")
"""The keys that say where a card stands and to how many it goes, in the same order."""

_NOBODY: Final = Known()


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFile:
    """A policy file that is well formed; its people are names yet."""

    name: str
    text: str
    content: File

    def names(self) -> set[str]:
        """Every person and user group that the file names."""
        everything = [*self.content.requesters, *self.content.operators]
        for section, _ in self.content.sections():
            everything += [*section.approver_names(), *(section.escalate_to or ())]
        return {name for name in everything if is_person(name) or is_group(name)}

    def channels(self) -> set[str]:
        """Every channel that the file names, by `#name` or id."""
        named = {section.channel for section, _ in self.content.sections() if section.channel}
        return named - {THREAD, TO_APPROVERS}

    def approvers(self, tool: str) -> list[str]:
        """Who decides about this tool, as the file says it: by its first matching rule, or the defaults."""
        for rule in self.content.rules:
            if _matches(rule, tool):
                return rule.approver_names() or self.content.defaults.approver_names()
        return self.content.defaults.approver_names()

    def redact(self, tool: str) -> tuple[str, ...]:
        """The names that the file has masked for this tool."""
        matching = (rule for rule in self.content.rules if _matches(rule, tool))
        rule = next(matching, None)
        said = self.content.defaults.redact if rule is None or rule.redact is None else rule.redact
        return tuple(said or ())

    def patterns(self) -> list[str]:
        """Every pattern that a rule has for tools."""
        return [pattern for rule in self.content.rules for pattern in rule.tools]

    def never_reached(self, tools: Sequence[str] | None) -> list[str]:
        """A sentence for each rule that earlier rules leave nothing of; `tools` as far as they are known."""
        rules = self.content.rules
        return [
            self._at(("rules", position), f"the rule for {rules[position].tools[0]} is never reached: ")
            + "rules before it take all of its tools."
            for position in never_reached([rule.tools for rule in rules], tools)
        ]

    def unknown_targets(self, tools: Collection[str]) -> list[str]:
        """A sentence for each tool that an edit may lead to and the agent does not have."""
        return [
            self._at((*loc, "edit_to", position), f"`edit_to` names {name!r}, ")
            + "which is no tool of the agent."
            for section, loc in self.content.sections()
            for position, name in enumerate(section.edit_to or ())
            if name not in tools
        ]

    def resolve(self, known: Known = _NOBODY) -> Policy:
        """The policy, with each name turned into the person or group that has it; `BadPolicy` otherwise."""
        reading = _Reading(self, known)
        content = self.content
        policy = Policy(
            requesters=reading.requesters(),
            open_cards=content.open_cards,
            operators=reading.operators(),
            defaults=Terms(**{**_DEFAULTS, **reading.said(content.defaults, ("defaults",))}),
            rules=tuple(
                Rule(tools=tuple(rule.tools), **reading.said(rule, ("rules", index)))
                for index, rule in enumerate(content.rules)
            ),
        )
        if problems := reading.problems or [*self._never_kept(policy, known)]:
            raise BadPolicy(problems)
        return policy

    def _never_kept(self, policy: Policy, known: Known) -> Iterator[str]:
        """What a section says that could never happen."""
        every = [policy.defaults, *(over(policy.defaults, rule) for rule in policy.rules)]
        for (section, loc), terms in zip(self.content.sections(), every, strict=True):
            for key, why in pointless(section, terms):
                yield self._at((*loc, key), f"`{key}` {why}.")
            placed = [key for key in _WHERE if getattr(section, key) is not None]
            if placed and (never := misplaced(terms, known)):
                yield self._at((*loc, placed[0]), f"`{placed[0]}`: {never}.")
            said = [key for key in _WHO_DECIDES if getattr(section, key) is not None]
            if said and (never := impossible(terms, policy, known)):
                yield self._at((*loc, said[0]), f"`{said[0]}`: {never}.")

    def _at(self, loc: Loc, sentence: str) -> str:
        return f"{self.name}{place(self.text, loc)}: {sentence}"


class _Reading:
    """Reads sections of a file, and gathers what is wrong with the names in them."""

    def __init__(self, file: PolicyFile, known: Known) -> None:
        self._file = file
        self._known = known
        self.problems: list[str] = []

    def requesters(self) -> tuple[Who, ...]:
        """Who may ask."""
        loc = ("requesters",)
        found = self._who(self._file.content.requesters, loc)
        for who in found:
            if not isinstance(who, One | Members):
                self._wrong(loc, "requesters are `members`, or people by @name or user id (U…).")
        return found

    def operators(self) -> tuple[Who, ...]:
        """Who sees everything that waits."""
        loc = ("operators",)
        found = self._who(self._file.content.operators, loc)
        for who in found:
            if not isinstance(who, One | UserGroup):
                self._wrong(loc, "operators are people by @name or user id (U…), or user groups by @@handle.")
        return found

    def said(self, section: Section, loc: Loc) -> dict[str, Any]:
        """The fields of `Terms` and `Rule` that this section says something about."""
        said = {
            "approvers": self._who(section.approvers or (), (*loc, "approvers")) or None,
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
        return {key: value for key, value in said.items() if value is not None}

    def _place(self, name: str | None, loc: Loc) -> Where | None:
        where = None if name is None else place_meant(name, self._known)
        if isinstance(where, str):
            self._wrong(loc, where)
            return None
        return where

    def _require(self, section: Section, loc: Loc) -> tuple[Quorum, ...] | None:
        if section.require is None:
            return None
        return tuple(
            Quorum(approvers=self._who(group.approvers, (*loc, "require", position)), count=group.quorum)
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
        self.problems.append(f"{self._file.name}{place(self._file.text, loc)}: {sentence}")


def read_policy(path: Path) -> PolicyFile:
    """The policy in this file; `BadPolicy` with every problem, by name and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadPolicy([f"The policy {path} cannot be read: {error.strerror}."]) from None
    except UnicodeDecodeError:
        raise BadPolicy([f"The policy {path} cannot be read: it is not UTF-8 text."]) from None
    return parse_policy(text, name=path.name)


def parse_policy(text: str, *, name: str) -> PolicyFile:
    """The policy in this text; `name` is how its problems call it."""
    try:
        content = File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BadPolicy([f"{name} is not TOML: {error}."]) from None
    except ValidationError as error:
        raise BadPolicy([_sentence(problem, text, name) for problem in error.errors()]) from None
    if problems := [f"{name}{place(text, loc)}: `{_key(loc)}` {why}." for loc, why in at_odds(content)]:
        raise BadPolicy(problems)
    file = PolicyFile(name=name, text=text, content=content)
    if problems := file.never_reached(None):
        raise BadPolicy(problems)
    return file


def _matches(rule: RuleSection, tool: str) -> bool:
    return any(fnmatchcase(tool, pattern) for pattern in rule.tools)


def _optional(make: Callable[[Sequence[Any]], Any], said: Sequence[Any] | None) -> Any:  # noqa: ANN401 - as given
    return None if said is None else make(said)


_SAYS: Final = {
    "missing": "is required: nobody approves by default",
    "extra_forbidden": "is not a key of the policy file",
    "too_short": "must not be empty: nobody approves by default",
    "int_type": f"is not a number from 1 to {MOST_VOTES}",
    "greater_than_equal": f"is not a number from 1 to {MOST_VOTES}",
    "less_than_equal": f"is not a number from 1 to {MOST_VOTES}",
}


def _sentence(problem: Mapping[str, Any], text: str, name: str) -> str:
    says = _SAYS.get(problem["type"], str(problem["msg"]))
    return f"{name}{place(text, problem['loc'])}: `{_key(problem['loc'])}` {says}."


def _key(loc: Sequence[str | int]) -> str:
    return ".".join(str(part) for part in loc if not isinstance(part, int))
