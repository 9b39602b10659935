"""`approvals.toml` to a policy: checked by name and line, its people and user groups looked up."""

import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from bot.approvals.asking import Asking
from bot.approvals.decision import DecisionKind
from bot.approvals.policy import Policy, Rule, Terms, over
from bot.approvals.times import NEVER
from bot.policy_agents import (
    FOR,
    as_one,
    own_part,
    own_place,
    place_in_file,
    said_in,
    told_once,
    unknown_agents,
)
from bot.policy_checks import impossible, misplaced, never_reached, pointless
from bot.policy_names import Known, is_channel, is_group, is_person
from bot.policy_reading import Reading
from bot.policy_sections import (
    MOST_VOTES,
    THREAD,
    TO_APPROVERS,
    File,
    Group,
    Loc,
    RuleSection,
    at_odds,
)
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

ASKED_AFTER_ALL: Final = (
    '`ask` is "never", but the gate of {tool!r} does not allow approve, '
    "so people would be asked all the same."
)

A_FUNCTION: Final = "a function of the agent"
"""What stands for whom a function of the policy would name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFile:
    """A policy file that is well formed; its people are names yet."""

    name: str
    content: File
    told: Callable[[Loc], str]
    """Where something of it stands, as a problem begins."""
    parts: "tuple[PolicyFile, ...]" = ()
    """What it was put together from, if it was."""

    def of_agent(self, name: str) -> "PolicyFile":
        """The file as it holds for this agent: with its section, if it has one, before everything else."""
        content = self.content
        if name not in content.agents:
            return self

        def told(loc: Loc) -> str:
            place, is_own = place_in_file(content, name, loc)
            return self.told(place) + ("" if is_own else FOR.format(name=name))

        own = replace(self, content=own_part(content, name), told=lambda loc: self.told(own_place(name, loc)))
        rest = replace(self, told=lambda loc: self.told(loc) + FOR.format(name=name))
        return replace(self, content=as_one(content, name), told=told, parts=(own, rest))

    def unknown_agents(self, names: Collection[str]) -> list[str]:
        """A sentence for each section of an agent that `BOT_AGENT` does not name."""
        found = unknown_agents(self.content.agents, names)
        return [self._at(loc, sentence) for loc, sentence in found]

    def names(self) -> set[str]:
        """Every person and user group that the file names."""
        return {name for name in self._everybody() if is_person(name) or is_group(name)}

    def _everybody(self) -> Iterator[str]:
        yield from (*self.content.requesters, *self.content.operators)
        for section, _ in self.content.sections():
            yield from (*section.approver_names(), *(section.escalate_to or ()))

    def channels(self) -> set[str]:
        """Every channel that the file names, by `#name` or id."""
        said = (section.channel for section, _ in self.content.sections())
        places = {name for name in said if isinstance(name, str)}
        return (places - {THREAD, TO_APPROVERS}) | {name for name in self._everybody() if is_channel(name)}

    def approvers(self, tool: str) -> list[str]:
        """Who decides about this tool, as the file says it: by its first matching rule, or the defaults."""
        said = [self.sections(tool).get("approvers"), self.sections(tool).get("require")]
        return next((told for each in said if (told := _written(each))), [])

    def sections(self, tool: str) -> dict[str, Any]:
        """What is said about this tool, by key: by the first matching rule, over the defaults."""
        rule = next((rule for rule in self.content.rules if _matches(rule, tool)), None)
        said = said_in(self.content.defaults)
        if rule is None:
            return said
        own = said_in(rule)
        if "require" in own:
            said = {key: value for key, value in said.items() if key not in {"approvers", "quorum"}}
        elif "approvers" in own:
            said.pop("require", None)
        return said | own

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
        if self.parts:  # that one goes before the other is no mistake
            return [problem for part in self.parts for problem in part.never_reached(tools)]
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

    def asked_after_all(self, gates: Mapping[str, Collection[DecisionKind]]) -> list[str]:
        """A sentence for each tool that a rule never asks about, and that only people can decide.

        `gates` are the decisions that people may make, by tool. Defaults hold for what can be let through.
        """
        found = []
        for tool in (tool for tool, allowed in gates.items() if DecisionKind.APPROVE not in allowed):
            rules = enumerate(self.content.rules)
            at, rule = next(((at, rule) for at, rule in rules if _matches(rule, tool)), (0, None))
            if rule is not None and rule.ask is Asking.NEVER:
                found.append(self._at(("rules", at, "ask"), ASKED_AFTER_ALL.format(tool=tool)))
        return found

    def resolve(self, known: Known = _NOBODY) -> Policy:
        """The policy, with each name turned into the person or group that has it; `BadPolicy` otherwise."""
        reading = Reading(self.content, self.told, known)
        content = self.content
        policy = Policy(
            requesters=reading.requesters(),
            operators=reading.operators(),
            open_cards=content.open_cards,
            defaults=Terms(**{**_DEFAULTS, **reading.said(content.defaults, ("defaults",))}),
            rules=tuple(
                Rule(tools=tuple(rule.tools), **reading.said(rule, ("rules", index)))
                for index, rule in enumerate(content.rules)
            ),
        )
        if problems := reading.problems or [*self._never_kept(policy, known)]:
            raise BadPolicy(problems)
        return policy

    def check_keys(self) -> None:
        """`BadPolicy` for keys that do not go together, and for rules that are never reached."""
        if problems := self.odd_keys():
            raise BadPolicy(problems)
        agents = {name: self.of_agent(name).odd_keys() for name in self.content.agents}
        if problems := told_once({"": [], **agents}):
            raise BadPolicy(problems)

    def odd_keys(self) -> list[str]:
        """A sentence for each of them, as far as the file alone tells."""
        odd = [self._at(loc, f"`{_key(loc)}` {why}.") for loc, why in at_odds(self.content)]
        return odd or self.never_reached(None)

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
        return f"{self.told(loc)}: {sentence}"


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
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadPolicy([f"{name} is not TOML: {error}."]) from None
    return well_formed(document, name=name, told=lambda loc: f"{name}{place(text, loc)}")


def well_formed(document: Mapping[str, Any], *, name: str, told: Callable[[Loc], str]) -> PolicyFile:
    """The policy that this document is; `told` says where in it something stands."""
    try:
        content = File.model_validate(document)
    except ValidationError as error:
        raise BadPolicy([_sentence(problem, told) for problem in error.errors()]) from None
    file = PolicyFile(name=name, content=content, told=told)
    file.check_keys()
    return file


def _matches(rule: RuleSection, tool: str) -> bool:
    return any(fnmatchcase(tool, pattern) for pattern in rule.tools)


_SAYS: Final = {
    "missing": "is required: nobody approves by default",
    "extra_forbidden": "is not a key of the policy file",
    "too_short": "must not be empty",
    "list_type": "is not a list",
    "int_type": f"is not a number from 1 to {MOST_VOTES}",
    "greater_than_equal": f"is not a number from 1 to {MOST_VOTES}",
    "less_than_equal": f"is not a number from 1 to {MOST_VOTES}",
}


def _written(approvers: Any) -> list[str]:  # noqa: ANN401 - of either key
    """Approvers as the policy names them."""
    match approvers:
        case None:
            return []
        case [Group(), *_]:
            return [name for group in approvers for name in _written(group.approvers)]
        case list():
            return [str(name) for name in approvers]
        case _:
            return [A_FUNCTION]


def _sentence(problem: Mapping[str, Any], told: Callable[[Loc], str]) -> str:
    says = _SAYS.get(problem["type"], str(problem["msg"]))
    return f"{told(problem['loc'])}: `{_key(problem['loc'])}` {says}."


def _key(loc: Sequence[str | int]) -> str:
    return ".".join(str(part) for part in loc if not isinstance(part, int))
