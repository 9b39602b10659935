"""What holds for one tool: the terms that a policy says, rule by rule over its defaults. Pure."""

import hashlib
import json
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any, Final

from bot.approvals.asking import Asking
from bot.approvals.choosing import DECIDING, Chosen
from bot.approvals.ids import UserId
from bot.approvals.places import IN_THREAD, InChannel, Where
from bot.approvals.times import NEVER
from bot.approvals.who import ALONE, ChannelMembers, Quorum, Who, quorum_to_json

NOBODY: Final = (Quorum(approvers=()),)
"""The votes that it takes where nobody was found who may decide: one that nobody has."""

_UNSAID: Final[dict[str, Any]] = {"ask": Asking.ALWAYS, "self_approval": False, "channel": IN_THREAD}
"""What holds of a key until its function has said something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What holds for one tool."""

    approvers: tuple[Who, ...]
    quorum: int = 1
    """How many of the approvers it takes."""
    require: tuple[Quorum, ...] = ()
    """Several groups that have to agree, each with its own quorum; in place of `approvers` and `quorum`."""
    self_approval: bool = False
    expires_after: timedelta = NEVER
    """How long people may decide, from when they are asked."""
    remind_after: tuple[timedelta, ...] = ()
    """When the thread is reminded, each from when people are asked."""
    escalate_after: timedelta = NEVER
    """When the people in `escalate_to` are called, and may decide as well."""
    escalate_to: tuple[UserId, ...] = ()
    redact: tuple[str, ...] = ()
    """Shell patterns for names of arguments that nobody is shown, besides those that are always masked."""
    ask: Asking = Asking.ALWAYS
    """Whether people are asked, and how long an approval is remembered."""
    edit_to: tuple[str, ...] = ()
    """Other tools that an edit may turn the call into."""
    channel: Where = IN_THREAD
    """Where the card stands."""
    shared_channels: bool = False
    """Whether the card may stand in a channel that another organisation is in."""
    danger: bool = False
    """Whether Approve asks once more, in words that name the call, and is not the button to press first."""
    all_at_once: bool = False
    """Whether several open calls may be decided with one press: Approve all, Reject all."""
    fresh: bool = False
    """Whether Slack is asked about whoever decides at every click, whatever was heard a moment ago."""
    reasons: tuple[str, ...] = ()
    """Ready-made reasons of a rejection, in the order of the form."""
    by_function: frozenset[str] = frozenset()
    """The keys for which the policy has a function; see `given`."""

    def given(self, chosen: Chosen | None) -> "Terms":
        """The terms of one call: with what the functions said of it in place of the functions.

        Nobody may decide where they said nothing, or something else than this policy asks them: the policy
        has changed since people were asked.
        """
        if not self.by_function:
            return self
        said = chosen.said if chosen else {}
        if said.keys() != self.by_function:
            return replace(self, escalate_to=()) if self.by_function & DECIDING else self
        if "approvers" in said:
            said["require"] = ()
        return replace(self, **said, by_function=frozenset())

    @property
    def quorums(self) -> tuple[Quorum, ...]:
        """The votes that it takes."""
        if self.by_function & DECIDING:
            return NOBODY
        quorums = self.require or (Quorum(approvers=self.approvers, count=self.quorum),)
        if not isinstance(self.channel, InChannel):
            return quorums
        members = ChannelMembers(self.channel.name or self.channel.id)
        return tuple(
            replace(one, approvers=tuple(members if who == members else who for who in one.approvers))
            for one in quorums
        )

    @property
    def needs(self) -> tuple[Quorum, ...]:
        """The votes that it takes, as an action keeps them: nothing to count where one is enough."""
        return ALONE if len(self.quorums) == 1 and self.quorums[0].count == 1 else self.quorums

    @property
    def fingerprint(self) -> str:
        """Tells whether others may decide, or more have to; short, and the same in every process."""
        told = [quorum_to_json(quorum) for quorum in self.quorums], self.self_approval
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def who(self) -> tuple[Who, ...]:
        """Everybody whose vote may count."""
        return tuple(dict.fromkeys(who for quorum in self.quorums for who in quorum.approvers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Terms for the tools that match a pattern; what is None comes from the defaults."""

    tools: tuple[str, ...]
    """Shell patterns: `delete_*`."""
    approvers: tuple[Who, ...] | None = None
    quorum: int | None = None
    require: tuple[Quorum, ...] | None = None
    self_approval: bool | None = None
    expires_after: timedelta | None = None
    remind_after: tuple[timedelta, ...] | None = None
    escalate_after: timedelta | None = None
    escalate_to: tuple[UserId, ...] | None = None
    redact: tuple[str, ...] | None = None
    ask: Asking | None = None
    edit_to: tuple[str, ...] | None = None
    channel: Where | None = None
    shared_channels: bool | None = None
    danger: bool | None = None
    all_at_once: bool | None = None
    fresh: bool | None = None
    reasons: tuple[str, ...] | None = None
    by_function: frozenset[str] = frozenset()
    """The keys for which the rule has a function."""

    def matches(self, tool: str) -> bool:
        """Whether the tool's name fits one of the patterns."""
        return any(fnmatchcase(tool, pattern) for pattern in self.tools)


def over(defaults: Terms, rule: Rule) -> Terms:
    """The rule, key by key over the defaults.

    `require` says the same as `approvers` and `quorum` do, so that a rule with either has none of the other.
    """
    names = {key.name for key in fields(Terms)} - {"by_function"}
    said = {name: value for name in names if (value := getattr(rule, name)) is not None}
    own = said.keys() | rule.by_function
    if "require" in own:
        said |= {"approvers": (), "quorum": 1}
        own |= {"approvers", "quorum"}
    elif "approvers" in own:
        said["require"] = ()
        own |= {"require"}
    unsaid = {key: _UNSAID[key] for key in rule.by_function & _UNSAID.keys()}
    by_function = rule.by_function | (defaults.by_function - own)
    return replace(defaults, **{**said, **unsaid}, by_function=by_function)
