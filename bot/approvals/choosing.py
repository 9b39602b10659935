"""What the functions of a policy said about one call: asked once, before people are, and kept with the call.

A policy can have a function of the team where a file can only have a value: who decides about this very call,
how many of them, whether anybody. What it said stays as it is until the agent is told, whatever the function
would say later; an edit asks for another call, so there it is asked again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, Final, Protocol, Self

from bot.approvals.asking import Asking
from bot.approvals.decision import Json
from bot.approvals.places import Where, where_from_json, where_to_json
from bot.approvals.realm import Realm
from bot.approvals.times import NEVER
from bot.approvals.who import Quorum, Who, quorum_from_json, quorum_to_json, who_from_json, who_to_json

DECIDING: Final = frozenset({"approvers", "quorum", "require", "self_approval"})
"""The keys that say who decides: without what their functions said, nobody does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """The call that a function of the policy is asked about."""

    tool: str
    arguments: Mapping[str, Any]
    """A copy: what the function does to it changes nothing."""
    requesters: frozenset[str]
    """The Slack ids (U…) of who started the conversation and of whoever steered the agent since."""
    conversation: str
    """The conversation's id, as `python -m bot pending` prints it."""
    channel: str
    """The id (C…, G… or D…) of the Slack channel that the conversation is in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What the functions said, by key of the policy; None where the policy says it without a function."""

    approvers: tuple[Who, ...] | None = None
    quorum: int | None = None
    require: tuple[Quorum, ...] | None = None
    self_approval: bool | None = None
    ask: Asking | None = None
    channel: Where | None = None
    """Where the card stands."""
    expires_after: timedelta | None = None
    """How long people may decide, from when they are asked."""
    problem: str = ""
    """Why it could not be found out, in a sentence for people; nobody can be asked then."""

    @property
    def said(self) -> dict[str, Any]:
        """What was said, by key."""
        every = {key.name: getattr(self, key.name) for key in fields(self) if key.name != "problem"}
        return {key: value for key, value in every.items() if value is not None}

    def to_json(self) -> dict[str, Json]:
        """As a JSON object, for a row."""
        told: dict[str, Json] = {}
        if self.approvers is not None:
            told["approvers"] = [who_to_json(who) for who in self.approvers]
        if self.require is not None:
            told["require"] = [quorum_to_json(quorum) for quorum in self.require]
        if self.ask is not None:
            told["ask"] = self.ask.value
        if self.channel is not None:
            told["channel"] = where_to_json(self.channel)
        if self.expires_after is not None:
            is_never = self.expires_after == NEVER
            told["expires_after"] = "never" if is_never else self.expires_after.total_seconds()
        plain: dict[str, Json] = {"quorum": self.quorum, "self_approval": self.self_approval}
        return told | {key: value for key, value in plain.items() if value is not None}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """What `to_json` wrote; `ValueError` if it is nothing of the kind."""
        approvers, require = told.get("approvers"), told.get("require")
        return cls(
            approvers=None if approvers is None else tuple(map(who_from_json, approvers)),
            quorum=told.get("quorum"),
            require=None if require is None else tuple(map(quorum_from_json, require)),
            self_approval=told.get("self_approval"),
            ask=Asking(told["ask"]) if "ask" in told else None,
            channel=where_from_json(told["channel"]) if "channel" in told else None,
            expires_after=_ends(told["expires_after"]) if "expires_after" in told else None,
        )


def _ends(told: object) -> timedelta:
    if told == "never":
        return NEVER
    if not isinstance(told, int | float):
        raise ValueError("not a number of seconds")  # noqa: TRY004 - what a row holds
    return timedelta(seconds=told)


class Chooser(Protocol):
    """Asks the functions of the policy."""

    def has_functions(self, tool: str) -> bool:
        """Whether a function of the policy says something about this tool."""

    async def chosen(self, request: ApprovalRequest, *, within: float) -> Chosen | None:
        """What they say within so many seconds, or why that cannot be told; None where there are none."""


class NoFunctions:
    """A policy without any."""

    def of(self, realm: Realm) -> "NoFunctions":  # noqa: ARG002 - whichever it is
        """None there either."""
        return self

    def has_functions(self, tool: str) -> bool:  # noqa: ARG002 - as the protocol has it
        """It has none."""
        return False

    async def chosen(self, request: ApprovalRequest, *, within: float) -> Chosen | None:
        """Nothing."""
