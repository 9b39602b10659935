"""The policy of an agent in Python: the words of `approvals.toml`, and functions in place of values.

    from bot import Agent, ApprovalRequest, Defaults, Policy, Rule

    def owners(request: ApprovalRequest) -> list[str]:
        return ["@@dba"] if request.arguments["database"] == "live" else ["channel"]

    agent = Agent(
        tools=[...],
        interrupt_on={"*": True},
        policy=Policy(
            defaults=Defaults(approvers=["channel"]),
            rules=[Rule(tools=["drop_*"], approvers=owners, quorum=2, expires_after="1h")],
        ),
    )

A function, plain or `async`, gets an `ApprovalRequest` and gives what could stand in its place. It is asked
once, when people are about to be asked, and again about every edit; what it said is kept with the call. It
has 10 seconds, and 2 after an edit. Where it raises, takes longer, names nobody or somebody whom Slack does
not know, nobody is asked and nothing runs: the thread is told why and has a Retry.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias, TypeVar

from bot.approvals.choosing import ApprovalRequest

__all__ = ["ApprovalRequest", "Defaults", "Group", "Policy", "Rule"]

T = TypeVar("T")
Function: TypeAlias = Callable[[ApprovalRequest], T | Awaitable[T]]
Duration: TypeAlias = str | timedelta
"""`90s`, `15m`, `24h`, `7d`, or a `timedelta`; where it is allowed, `never`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One of several groups that all have to agree; see `require`."""

    approvers: Sequence[str] | Function[Sequence[str]]
    quorum: int | Function[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What holds where no rule says otherwise; None is what is not said."""

    approvers: Sequence[str] | Function[Sequence[str]] | None = None
    """`@name` or `U…`, `@@handle` or `S…`, `#channel` or `C…`, `channel`, `requester`, `members`."""
    quorum: int | Function[int] | None = None
    require: Sequence[Group] | None = None
    """Several groups in place of `approvers` and `quorum`; one person counts once."""
    self_approval: bool | Function[bool] | None = None
    channel: str | Function[str] | None = None
    """`thread`, `#channel` or `C…`, `dm:approvers`."""
    shared_channels: bool | None = None
    danger: bool | None = None
    all_at_once: bool | None = None
    fresh: bool | None = None
    """Whether Slack is asked about whoever decides at every click, instead of once a minute."""
    reasons: Sequence[str] | None = None
    expires_after: Duration | Function[Duration] | None = None
    remind_after: Sequence[Duration] | None = None
    escalate_after: Duration | None = None
    escalate_to: Sequence[str] | None = None
    ask: str | Function[str] | None = None
    """`always`, `never`, `once` or `once-per-tool`."""
    redact: Sequence[str] | None = None
    edit_to: Sequence[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Defaults):
    """What holds for some tools, key by key over the defaults. The first rule that matches a tool counts."""

    tools: Sequence[str]
    """Names of tools, or shell patterns: `delete_*`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Who may decide about what. Nobody approves by default: the defaults have to say who does.

    Checked at start, with everything else. Where there is a policy file as well, the file goes first: its
    rules before these, what its defaults say before what these say, and its requesters if it says any.
    """

    defaults: Defaults
    rules: Sequence[Rule] = ()
    requesters: Sequence[str] | None = None
    """Who may start and steer the agent; None for `["members"]`, all full members of the workspace."""
