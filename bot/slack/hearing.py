"""What whoever asked is told once everything on a card is decided: by tool names alone, never an argument."""

from typing import Final

from bot.approvals.action import Action, Decided
from bot.approvals.approval import Approval, Expired, Shape
from bot.approvals.decision import DecisionKind, kind_of
from bot.approvals.hearing import hearers
from bot.approvals.words import listed, phrase, say, say_many
from bot.slack.answers import sentence
from bot.slack.headlines import DECIDED, names
from bot.slack.message import Message
from bot.slack.text import mention
from bot.slack.votes import by_whom_in_words

_AGAIN: Final = phrase("sent to run again")
IN_DOUBT: Final = {
    DecisionKind.APPROVE: _AGAIN,
    DecisionKind.EDIT: _AGAIN,
    DecisionKind.REJECT: phrase("left as it is"),
    DecisionKind.RESPOND: phrase("said to have run"),
}
"""What was decided about a call that may have run before, in place of the usual words."""
EXPIRED: Final = phrase("not decided in time")
OUTCOME: Final = phrase("🏁 {people}: {what}.")


def outcome(card: Approval) -> Message | None:
    """Of each tool what became of it, and by whom; None if there is nobody to tell or nothing was decided."""
    told: dict[str, list[Action]] = {}
    for action in card.actions:
        if became := _became(action, is_doubt=card.shape is Shape.IN_DOUBT):
            told.setdefault(became, []).append(action)
    people = listed([mention(id) for id in sorted(hearers(card))])
    if not told or not people:
        return None
    what = say("; ").join(
        say_many(
            "{tools} was {became}", "{tools} were {became}", len(those), tools=names(those), became=became
        )
        for became, those in told.items()
    )
    return sentence(say(OUTCOME, people=people, what=what))


def _became(action: Action, *, is_doubt: bool) -> str:
    match action.outcome:
        case Decided(decision=decision) as decided:
            kind = kind_of(decision)
            word = IN_DOUBT[kind] if is_doubt else DECIDED[kind]
            return say("{approved} by {who}", approved=say(word), who=by_whom_in_words(action, decided))
        case Expired():
            return say(EXPIRED)
        case _:
            return ""
