"""`approvals.toml` to a policy: checked by name and line, its people looked up in a directory.

Keys that the file format knows and this version does not act upon are refused unless they say what happens
anyway: a rule that is silently not kept is worse than none.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import PydanticCustomError

from bot.approvals.ids import UserId
from bot.approvals.person import Person, Standing
from bot.approvals.policy import ChannelMembers, Members, One, Policy, Requester, Rule, Terms, Who, over
from bot.approvals.times import NEVER
from bot.durations import Delay, DelayOrNever
from bot.policy_checks import impossible, pointless
from bot.toml_lines import place


class BadPolicy(Exception):  # noqa: N818 - said to an operator
    """What is wrong with the policy, one sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


EXPIRES_AFTER: Final = timedelta(hours=24)
"""How long people may decide, where the file does not say."""

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_USER_ID: Final = re.compile(r"[UW][A-Z0-9]{2,}")
_GROUP: Final = re.compile(r"@@.+|S[A-Z0-9]{6,}")


def _not_yet(_: object) -> None:
    raise PydanticCustomError("not_yet", "is not supported by this version yet; leave it out")


Later = Annotated[object, AfterValidator(_not_yet)]
"""A key of the file format that nothing acts upon yet."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    self_approval: bool | None = None
    quorum: Literal[1] = 1
    channel: Literal["thread"] = "thread"
    expires_after: DelayOrNever | None = None
    remind_after: list[Delay] | None = None
    escalate_after: DelayOrNever | None = None
    escalate_to: list[Name] | None = None
    ask: Literal["always"] = "always"
    require: Later = None
    redact: Later = None
    edit_to: Later = None


class _Defaults(_Section):
    approvers: Annotated[list[Name], Field(min_length=1)]


class _Rule(_Section):
    tools: Annotated[list[Name], Field(min_length=1)]
    approvers: Annotated[list[Name], Field(min_length=1)] | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    requesters: Annotated[list[Name], Field(min_length=1)] = ["members"]
    defaults: _Defaults
    rules: list[_Rule] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFile:
    """A policy file that is well formed; its people are names yet."""

    name: str
    text: str
    content: _File

    def names(self) -> set[str]:
        """Every `@name` and `U…` that the file mentions."""
        everything = [*self.content.requesters, *self.content.defaults.approvers]
        everything += [name for rule in self.content.rules for name in rule.approvers or ()]
        for section in (self.content.defaults, *self.content.rules):
            everything += section.escalate_to or ()
        return {name for name in everything if name.startswith("@") or _USER_ID.fullmatch(name)}

    def approvers(self, tool: str) -> list[str]:
        """Who decides about this tool, as the file says it: by its first matching rule, or the defaults."""
        for rule in self.content.rules:
            if any(fnmatchcase(tool, pattern) for pattern in rule.tools):
                return rule.approvers or self.content.defaults.approvers
        return self.content.defaults.approvers

    def patterns(self) -> list[str]:
        """Every pattern that a rule has for tools."""
        return [pattern for rule in self.content.rules for pattern in rule.tools]

    def resolve(self, people: Sequence[Person]) -> Policy:
        """The policy, with each name turned into the one person who has it; `BadPolicy` otherwise."""
        problems: list[str] = []

        def who(names: Sequence[str], *loc: str | int) -> tuple[Who, ...]:
            where = place(self.text, loc)
            found = []
            for name in names:
                one = _who(name, people)
                if isinstance(one, str):
                    problems.append(f"{self.name}{where}: {one}")
                else:
                    found.append(one)
            return tuple(found)

        def people_in(names: Sequence[str] | None, *loc: str | int) -> tuple[UserId, ...] | None:
            if names is None:
                return None
            found = who(names, *loc)
            problems.extend(
                f"{self.name}{place(self.text, loc)}: escalate_to names people, by @name or user id (U…)."
                for one in found
                if not isinstance(one, One)
            )
            return tuple(one.id for one in found if isinstance(one, One))

        content = self.content
        policy = Policy(
            requesters=who(content.requesters, "requesters"),
            defaults=Terms(
                approvers=who(content.defaults.approvers, "defaults", "approvers"),
                self_approval=content.defaults.self_approval or False,
                expires_after=content.defaults.expires_after or EXPIRES_AFTER,
                remind_after=tuple(content.defaults.remind_after or ()),
                escalate_after=content.defaults.escalate_after or NEVER,
                escalate_to=people_in(content.defaults.escalate_to, "defaults", "escalate_to") or (),
            ),
            rules=tuple(
                Rule(
                    tools=tuple(rule.tools),
                    approvers=who(rule.approvers, "rules", index, "approvers") if rule.approvers else None,
                    self_approval=rule.self_approval,
                    expires_after=rule.expires_after,
                    remind_after=None if rule.remind_after is None else tuple(rule.remind_after),
                    escalate_after=rule.escalate_after,
                    escalate_to=people_in(rule.escalate_to, "rules", index, "escalate_to"),
                )
                for index, rule in enumerate(content.rules)
            ),
        )
        problems += [f"{self.name}: {problem}" for problem in impossible(policy)]
        problems += self._never_kept(policy)
        if problems:
            raise BadPolicy(problems)
        return policy

    def _never_kept(self, policy: Policy) -> Iterator[str]:
        """What a section says about times and what could never happen."""
        rules = zip(self.content.rules, policy.rules, strict=True)
        sections: list[tuple[_Section, Terms, tuple[str | int, ...]]] = [
            (self.content.defaults, policy.defaults, ("defaults",)),
            *(
                (section, over(policy.defaults, rule), ("rules", index))
                for index, (section, rule) in enumerate(rules)
            ),
        ]
        for section, terms, loc in sections:
            for key, why in pointless(section, terms):
                yield f"{self.name}{place(self.text, (*loc, key))}: `{key}` {why}."


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
        content = _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BadPolicy([f"{name} is not TOML: {error}."]) from None
    except ValidationError as error:
        raise BadPolicy([_sentence(problem, text, name) for problem in error.errors()]) from None
    return PolicyFile(name=name, text=text, content=content)


def _who(name: str, people: Sequence[Person]) -> Who | str:
    """What a name means, or the sentence that says why it means nothing."""
    match name:
        case "channel":
            return ChannelMembers()
        case "requester":
            return Requester()
        case "members":
            return Members()
    if _GROUP.fullmatch(name):
        return f"{name} is a user group, which this version does not support yet; name people or `channel`."
    if name.startswith("@"):
        found = [person for person in people if person.name == name[1:] and _takes_part(person)]
        if len(found) > 1:
            return f"{name} is the name of {len(found)} people; write the user id (U…) instead."
    else:
        found = [person for person in people if person.id == name and _takes_part(person)]
    if found:
        return One(found[0].id)
    if name.startswith("@") or _USER_ID.fullmatch(name):
        return f"{name} is not a full member of this workspace."
    return f"{name!r} is none of channel, requester, members, @name or a user id (U…)."


def _takes_part(person: Person) -> bool:
    return person.standing is Standing.MEMBER


_SAYS: Final = {
    "missing": "is required: nobody approves by default",
    "extra_forbidden": "is not a key of the policy file",
    "too_short": "must not be empty: nobody approves by default",
    "literal_error": "is not supported by this version yet with this value; leave it out",
}


def _sentence(problem: Mapping[str, Any], text: str, name: str) -> str:
    keys = [str(part) for part in problem["loc"] if not isinstance(part, int)]
    says = _SAYS.get(problem["type"], str(problem["msg"]))
    return f"{name}{place(text, problem['loc'])}: `{'.'.join(keys)}` {says}."
