"""What whoever asked is told once everything on a card is decided: by tool names alone, never an argument."""

from typing import Final

from bot.approvals.action import Action, Decided
from bot.approvals.approval import Approval, Expired, Shape
from bot.approvals.decision import PAST, DecisionKind, kind_of
from bot.approvals.hearing import hearers
from bot.slack.answers import sentence
from bot.slack.headlines import names
from bot.slack.message import Message
from bot.slack.text import mention
from bot.slack.votes import by_whom_in_words

IN_DOUBT: Final = {
    DecisionKind.APPROVE: "sent to run again",
    DecisionKind.EDIT: "sent to run again",
    DecisionKind.REJECT: "left as it is",
    DecisionKind.RESPOND: "said to have run",
}
"""What was decided about a call that may have run before, in place of the usual words."""
DECIDED: Final = {**PAST, DecisionKind.EDIT: "edited and approved"}
EXPIRED: Final = "not decided in time"
OUTCOME: Final = "🏁 {people}: {what}."


def outcome(card: Approval) -> Message | None:
    """Of each tool what became of it, and by whom; None if there is nobody to tell or nothing was decided."""
    told: dict[str, list[Action]] = {}
    for action in card.actions:
        if became := _became(action, is_doubt=card.shape is Shape.IN_DOUBT):
            told.setdefault(became, []).append(action)
    people = " ".join(mention(id) for id in sorted(hearers(card)))
    if not told or not people:
        return None
    what = "; ".join(
        f"{names(actions)} {'was' if len(actions) == 1 else 'were'} {became}"
        for became, actions in told.items()
    )
    return sentence(OUTCOME.format(people=people, what=what))


def _became(action: Action, *, is_doubt: bool) -> str:
    match action.outcome:
        case Decided(decision=decision) as decided:
            kind = kind_of(decision)
            word = IN_DOUBT[kind] if is_doubt else DECIDED[kind]
            return f"{word} by {by_whom_in_words(action, decided)}"
        case Expired():
            return EXPIRED
        case _:
            return ""
