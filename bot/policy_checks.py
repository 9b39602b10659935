"""What a policy says that never comes to anything: a rule that is silently not kept is worse than none."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Protocol

from bot.approvals.policy import Policy, Requester, Terms
from bot.approvals.times import NEVER


class Times(Protocol):
    """What one section of the file says about times; None is what it does not say."""

    @property
    def remind_after(self) -> Sequence[timedelta] | None:
        """When the thread is reminded."""

    @property
    def escalate_after(self) -> timedelta | None:
        """When people are called in."""

    @property
    def escalate_to(self) -> Sequence[str] | None:
        """Who is called in."""


def impossible(policy: Policy) -> list[str]:
    """Terms under which nobody could ever decide."""
    named = [("the defaults", policy.defaults)]
    named += [(f"the rule for {rule.tools[0]}", policy.terms(rule.tools[0])) for rule in policy.rules]
    return [
        f"{where}: only the requester may decide, but self_approval is false, so nobody could."
        for where, terms in named
        if set(terms.approvers) == {Requester()} and not terms.self_approval
    ]


def pointless(section: Times, terms: Terms) -> Iterator[tuple[str, str]]:
    """The keys of this section that would never come to anything, and why."""
    late = "is not before `expires_after`, so it would never happen"
    if section.remind_after and max(section.remind_after) >= terms.expires_after:
        yield "remind_after", late
    if section.escalate_after and NEVER != section.escalate_after >= terms.expires_after:
        yield "escalate_after", late
    if section.escalate_to and terms.escalate_after == NEVER:
        yield "escalate_to", "needs an `escalate_after`, or nobody would ever be called in"
    if section.escalate_after not in {None, NEVER} and section.escalate_to is None and not terms.escalate_to:
        yield "escalate_after", "needs an `escalate_to`, or nobody would be called in"
