"""How far an action has come, as JSON and back: the votes that it needs, those that it has, and its outcome.

What is as with most actions is left out, so that a click writes little: one vote is enough, a vote is about
the call as the agent asked for it, and fits the only quorum.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, assert_never

from bot.approvals.action import Action, Decided, Expired, LetThrough, Outcome, Remembered, Vote
from bot.approvals.choosing import Chosen
from bot.approvals.decision import Decision, Json, decision_from_json, decision_to_json
from bot.approvals.ids import ActionId, UserId
from bot.approvals.referents import Referents
from bot.approvals.who import ALONE, Quorum, quorum_from_json, quorum_to_json
from bot.store.columns import utc_text

_ONLY = frozenset({0})


def progress_to_json(action: Action) -> dict[str, Json]:
    """What changes in an action's life; nothing for one that waits for one vote."""
    told: dict[str, Json] = {} if action.outcome is None else _outcome_to_json(action.outcome)
    if action.needs != ALONE:
        told["needs"] = [quorum_to_json(need) for need in action.needs]
    if action.votes:
        told["votes"] = [_vote_to_json(vote, action) for vote in action.votes]
    if action.forgotten is not None:
        told["forgotten"] = action.forgotten
    return told


def progress_from_json(
    told: Mapping[str, Any], digest: str
) -> tuple[tuple[Quorum, ...], tuple[Vote, ...], Outcome | None]:
    """The needs, the votes and the outcome of an action with this digest."""
    outcome = _outcome_from_json(told)
    needs = tuple(map(quorum_from_json, told["needs"])) if "needs" in told else ALONE
    votes = tuple(_vote_from_json(vote, digest, outcome) for vote in told.get("votes", ()))
    return needs, votes, outcome


def _outcome_to_json(outcome: Outcome) -> dict[str, Json]:
    match outcome:
        case Decided(decision=decision, by=by, at=at):
            return {"decision": decision_to_json(decision), "by": by, "at": utc_text(at)}
        case Expired(at=at):
            return {"expired": utc_text(at)}
        case LetThrough(at=at, because=because):
            why: dict[str, Json] = {} if because is None else {"because": _remembered_to_json(because)}
            return {"let_through": utc_text(at), **why}
        case _:
            assert_never(outcome)


def _outcome_from_json(told: Mapping[str, Any]) -> Outcome | None:
    if "expired" in told:
        return Expired(at=_moment(told["expired"]))
    if "let_through" in told:
        because = _remembered_from_json(told["because"]) if "because" in told else None
        return LetThrough(at=_moment(told["let_through"]), because=because)
    if "decision" not in told:
        return None
    return Decided(
        decision=decision_from_json(told["decision"]), by=UserId(told["by"]), at=_moment(told["at"])
    )


def _remembered_to_json(because: Remembered) -> dict[str, Json]:
    told: dict[str, Json] = {
        "action": because.action,
        "by": [*because.by],
        "at": utc_text(because.at),
    }
    return told if because.taken_back is None else told | {"taken_back": because.taken_back}


def _remembered_from_json(told: Mapping[str, Any]) -> Remembered:
    return Remembered(
        action=ActionId(told["action"]),
        by=tuple(map(UserId, told["by"])),
        at=_moment(told["at"]),
        taken_back=told.get("taken_back"),
    )


def _vote_to_json(vote: Vote, action: Action) -> dict[str, Json]:
    """The vote; its decision is left out where the outcome has the very same, which may be long."""
    told: dict[str, Json] = {"by": vote.by, "at": utc_text(vote.at)}
    if action.decided is None or action.decided.decision is not vote.decision:
        told["decision"] = decision_to_json(vote.decision)
    if vote.digest != action.digest:
        told["digest"] = vote.digest
    if vote.fits != _ONLY:
        told["fits"] = [*sorted(vote.fits)]
    if vote.referents:
        told["referents"] = vote.referents.to_json()
    if vote.chosen:
        told["chosen"] = vote.chosen.to_json()
    return told


def _vote_from_json(told: Mapping[str, Any], digest: str, outcome: Outcome | None) -> Vote:
    return Vote(
        decision=_decision(told, outcome),
        by=UserId(told["by"]),
        at=_moment(told["at"]),
        digest=told.get("digest", digest),
        fits=frozenset(told["fits"]) if "fits" in told else _ONLY,
        referents=Referents.from_json(told["referents"]) if "referents" in told else None,
        chosen=Chosen.from_json(told["chosen"]) if "chosen" in told else None,
    )


def _decision(told: Mapping[str, Any], outcome: Outcome | None) -> Decision:
    if "decision" in told:
        return decision_from_json(told["decision"])
    if not isinstance(outcome, Decided):
        raise ValueError("a vote without a decision")  # noqa: TRY004 - a row that nobody wrote
    return outcome.decision


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
