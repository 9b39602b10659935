"""One action request of an approval: what is asked, who voted about it, and what became of it. Pure.

A person has one vote. Approvals and edits are counted until they are enough; one rejection or one answer ends
it at once. An edit asks for something else, so the votes before it fall, and so do those for it if it falls.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Self, TypeAlias

from bot.approvals.asking import Remembering
from bot.approvals.briefing import NOTHING, Briefing
from bot.approvals.choosing import Chosen
from bot.approvals.decision import (
    PAST,
    Approve,
    Arguments,
    Decision,
    DecisionKind,
    Edit,
    Json,
    Reject,
    Respond,
    kind_of,
)
from bot.approvals.ids import ActionId, UserId
from bot.approvals.quorum import Tally, tally
from bot.approvals.referents import Referents
from bot.approvals.times import utc
from bot.approvals.who import ALONE, Quorum
from bot.approvals.words import say

EDITION: Final = 16
"""Characters of a digest that tell one edit from another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One person's decision."""

    decision: Decision
    by: UserId
    at: datetime
    digest: str = ""
    """Of the call that it is about, as the action was asked, or as it is after this edit."""
    fits: frozenset[int] = frozenset({0})
    """The quorums that the person was found to belong to at the click, by their position in the needs."""
    referents: Referents | None = None
    """Of an edit: what its arguments pointed at when it was made."""
    chosen: Chosen | None = None
    """Of an edit: what the functions of the policy said of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """What the policy says of a person at the click: the votes that it takes, and what one counts for."""

    needs: tuple[Quorum, ...] = ALONE
    fits: frozenset[int] = frozenset({0})
    via: tuple[str, ...] = ()
    """What the person was let in as, in the policy's words; for the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What people decided about one action."""

    decision: Decision
    by: UserId
    """Whose vote was the last that it took."""
    at: datetime

    def __str__(self) -> str:
        return say("{approved} by {who}", approved=say(PAST[kind_of(self.decision)]), who=f"<@{self.by}>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """Nobody decided in time. Not a no: an outcome of its own, and nothing runs because of it."""

    at: datetime
    """The deadline that passed."""

    def __str__(self) -> str:
        return say("expired at {time}", time=utc(self.at))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The earlier approval because of which nobody is asked again."""

    action: ActionId
    """The action that was approved."""
    by: tuple[UserId, ...]
    """Whose votes it took."""
    at: datetime
    taken_back: UserId | None = None
    """Who has had people asked again since; the calls that were let through before stay so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LetThrough:
    """Nobody is asked: the policy says so, or an earlier approval is remembered. It runs as it was asked."""

    at: datetime
    because: Remembered | None = None
    """None where the policy never asks."""

    def __str__(self) -> str:
        if self.because is None:
            return say("let through by the policy")
        people = say(", ").join(f"<@{id}>" for id in self.because.by)
        return say("not asked again, approved by {people}", people=people)


Outcome: TypeAlias = Decided | Expired | LetThrough


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One action request: a tool call that waits for people, or was decided by them."""

    id: ActionId
    tool: str
    arguments: Arguments
    description: str
    allowed: frozenset[DecisionKind]
    digest: str
    """Binds this very call; see `binding.digest`."""
    call: str = ""
    """The tool call's id in the model's message, where it is known."""
    message: str = ""
    """The id of that message; empty where the call is not known."""
    schema: Mapping[str, Json] | None = None
    """JSON schema of the tool's arguments, for the edit form; None where the tool is not known."""
    targets: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    """The other tools that an edit may turn it into, each with the JSON schema of its arguments."""
    remembering: Remembering | None = None
    """What an approval of it is remembered for; None for nothing."""
    forgotten: UserId | None = None
    """Who has had people asked again, although it is approved."""
    referents: Referents | None = None
    """What the arguments pointed at when people were asked; None where the tool does not tell."""
    briefing: Briefing = NOTHING
    """What people are told beside the call."""
    chosen: Chosen | None = None
    """What the functions of the policy said of it; None where it has none for the tool."""
    needs: tuple[Quorum, ...] = ALONE
    """The votes that it takes: as the policy was when it was asked, or at the latest vote."""
    votes: tuple[Vote, ...] = field(default=())
    """One for each person, the latest last."""
    outcome: Outcome | None = None

    @property
    def decided(self) -> Decided | None:
        """The decision, if people made one."""
        return self.outcome if isinstance(self.outcome, Decided) else None

    @property
    def edit(self) -> Vote | None:
        """The vote that asks for other arguments, which the others are for as well."""
        return _edit(self.votes)

    @property
    def asked(self) -> "Action":
        """The action as people are asked about it now: with tool and arguments of the edit, if any."""
        match self.edit:
            case Vote(decision=Edit(arguments=arguments, tool=tool), digest=digest) as vote:
                turned = self.turned(tool or self.tool)
                asked = replace(turned, arguments=arguments, digest=digest)
                briefing = replace(turned.briefing, rendered=None)  # it is of the agent's own arguments
                return replace(asked, referents=vote.referents, chosen=vote.chosen, briefing=briefing)
            case _:
                return self

    def turned(self, tool: str) -> Self:
        """The action as an edit would begin it for this tool, which is its own or one of its targets.

        Of the arguments those stay that the tool takes as well. `KeyError` for any other tool.
        """
        if tool == self.tool:
            return self
        schema = self.targets[tool]
        takes = schema.get("properties")
        kept = {
            name: value
            for name, value in self.arguments.items()
            if isinstance(takes, Mapping) and name in takes
        }
        return replace(self, tool=tool, schema=schema, arguments=kept, referents=None, briefing=NOTHING)

    @property
    def edition(self) -> str:
        """Which version people are asked about; empty for the agent's own."""
        digest = self.asked.digest
        return "" if digest == self.digest else digest[:EDITION]

    @property
    def takes(self) -> frozenset[DecisionKind]:
        """The decisions that it takes now: whoever may only edit has to be able to agree to an edit.

        Nobody can approve what could not be looked up: it would be an approval of whatever is there.
        """
        takes = self.allowed | {DecisionKind.APPROVE} if self.edition else self.allowed
        return takes - {DecisionKind.APPROVE} if self.unseen else takes

    @property
    def unseen(self) -> str:
        """Why nobody can know what is asked about now points at; empty where that is known or not told."""
        referents = self.asked.referents
        return referents.problem if referents else ""

    @property
    def tally(self) -> Tally:
        """How far the votes for it go."""
        return _tally(self.needs, self.votes)

    def vote_of(self, person: UserId) -> Vote | None:
        """This person's vote."""
        return next((vote for vote in self.votes if vote.by == person), None)

    def may_change(self, person: UserId) -> bool:
        """Whether a decision that was made is this person's to change: one's own, or a part of it is."""
        match self.outcome:
            case Decided(decision=Reject() | Respond(), by=by):
                return by == person
            case Decided(by=by):
                return by == person or self.vote_of(person) is not None
            case _:
                return False

    def voted(self, vote: Vote, needs: tuple[Quorum, ...]) -> Self:
        """With this vote in place of an earlier one of the same person.

        Votes that were cast under other rules than `needs` fall. An edit among them still says what people
        are asked about, but counts for nothing.
        """
        others = [other for other in self.votes if other.by != vote.by]
        if needs != self.needs:
            others = [replace(one, fits=frozenset()) for one in others if isinstance(one.decision, Edit)]
        agrees = not ends(vote.decision) and vote.digest == self.asked.digest
        if agrees and self.edit and self.edit.by == vote.by:
            kept = self.edit
            vote = replace(vote, decision=kept.decision, referents=kept.referents, chosen=kept.chosen)
        elif agrees and others:
            vote = replace(vote, decision=Approve())
        elif not ends(vote.decision):
            others = others if agrees else []
        return self._with([*others, vote], needs)

    def taken_back(self, person: UserId, needs: tuple[Quorum, ...] | None = None) -> Self:
        """Without this person's vote; `needs` are those of the call as the agent asked for it, if others."""
        edited, votes = self.edit, [vote for vote in self.votes if vote.by != person]
        falls = edited is not None and _edit(votes) is None
        return self._with(votes, needs if falls and needs else self.needs)

    def _with(self, votes: Iterable[Vote], needs: tuple[Quorum, ...]) -> Self:
        """With these votes, as far as they are for what is asked now, and with what they come to."""
        given = list(votes)
        edit = _edit(given)
        asked = edit.digest if edit else self.digest
        valid = tuple(vote for vote in given if vote.digest == asked or ends(vote.decision))
        return replace(self, needs=needs, votes=valid, outcome=_concluded(valid, needs))


def ends(decision: Decision) -> bool:
    """Whether one vote is enough for this: a no wins, and an answer is no permission."""
    return isinstance(decision, Reject | Respond)


def _edit(votes: Iterable[Vote]) -> Vote | None:
    return next((vote for vote in votes if isinstance(vote.decision, Edit)), None)


def _tally(needs: tuple[Quorum, ...], votes: Iterable[Vote]) -> Tally:
    permitting = [vote.fits for vote in votes if not ends(vote.decision)]
    return tally([need.count for need in needs], permitting)


def _concluded(votes: tuple[Vote, ...], needs: tuple[Quorum, ...]) -> Decided | None:
    if not votes:
        return None
    last, edit = votes[-1], _edit(votes)
    if ends(last.decision):
        return Decided(decision=last.decision, by=last.by, at=last.at)
    if not _tally(needs, votes).reached:
        return None
    return Decided(decision=edit.decision if edit else last.decision, by=last.by, at=last.at)
