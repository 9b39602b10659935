"""What an approval is called: the card's headline, and its sentence for notifications and screen readers."""

from collections.abc import Sequence

from bot.approvals.approval import Action, Approval, Decided, Expired, LetThrough, State
from bot.approvals.decision import PAST, DecisionKind, kind_of
from bot.approvals.ids import UserId
from bot.slack import doubts, glance
from bot.slack.asking import asks_in_words, votes_missing, who_decides
from bot.slack.doubts import is_doubt
from bot.slack.literal import in_line
from bot.slack.text import clip, entities, mention, own_words
from bot.slack.votes import by_whom_in_words, counted

_LONGEST = 2_500
_MOST_NAMES = 6


def headline(approval: Approval) -> str:
    """A few words, in plain text."""
    if is_doubt(approval) and (told := doubts.headline(approval)):
        return told
    total, open_ = len(approval.actions), len(approval.open)
    match approval.state:
        case State.WITHDRAWN:
            return "🚫 Withdrawn"
        case State.WAITING if total == 1:
            so_far = counted(approval.actions[0])
            return f"✋ {_needed(approval)}{': ' if so_far else ''}{so_far}"
        case State.WAITING:
            return f"✋ {_needed(approval)}: {open_} of {total} open"
        case _:
            return _done(approval)


def sentence(approval: Approval, requester: UserId) -> str:
    """Whole sentences, escaped: who asks for what, what became of it; of an approval as people see it."""
    if is_doubt(approval) and (told := doubts.sentence(approval, requester)):
        return told
    asked = f", asked by {mention(requester)}"
    match approval.state:
        case State.WITHDRAWN:
            note = clip(own_words(approval.note), 500)
            return f"Withdrawn: {names(approval.actions)}{asked}." + (f" {note}" if note else "")
        case State.WAITING:
            done = len(approval.actions) - len(approval.open)
            so_far = f" {done} of {len(approval.actions)} decided so far." if done else ""
            who = "".join(f" {words}." for words in (*who_decides(approval), *votes_missing(approval)))
            told = f"{_needed(approval)}: {asks_in_words(approval, requester)}.{so_far}{who}"
            return clip(told, _LONGEST)
        case _:
            expired = all(isinstance(action.outcome, Expired) for action in approval.actions)
            if expired:
                return f"Expired: {names(approval.actions)}{asked}. Nobody decided in time."
            return clip(f"Decided: {_told(approval.actions)}{asked}.", _LONGEST)


def names(actions: Sequence[Action]) -> str:
    """The tools, each named once, with how many times; escaped."""
    return tool_names([action.tool for action in actions])


def tool_names(tools: Sequence[str]) -> str:
    """The same of their names alone."""
    counted: dict[str, int] = {}
    for tool in tools:
        counted[tool] = counted.get(tool, 0) + 1
    told = [
        entities(in_line(tool, 60)[0]) + (f" ({times} times)" if times > 1 else "")
        for tool, times in list(counted.items())[:_MOST_NAMES]
    ]
    if more := len(counted) - len(told):
        told.append(f"{more} more")
    return " and ".join(filter(None, [", ".join(told[:-1]), *told[-1:]]))


def _needed(approval: Approval) -> str:
    only_answers = all(action.allowed == {DecisionKind.RESPOND} for action in approval.open)
    return "Answer needed" if only_answers else "Approval needed"


def _done(approval: Approval) -> str:
    kinds = {kind_of(action.decided.decision) for action in approval.actions if action.decided}
    if expired := sum(isinstance(action.outcome, Expired) for action in approval.actions):
        total = len(approval.actions)
        return "⌛ Expired" if expired == total else f"⌛ {expired} of {total} expired"
    if len(kinds) != 1:
        return "🏁 Decided"
    match kinds.pop():
        case DecisionKind.APPROVE:
            return "✅ Approved"
        case DecisionKind.EDIT:
            return "✏️ Edited and approved"
        case DecisionKind.REJECT:
            return "⛔ Rejected"
        case DecisionKind.RESPOND:
            return "💬 Answered"


def _told(actions: Sequence[Action]) -> str:
    told = [
        f"{entities(glance.in_words(action))} {_became(action)}"
        for action in actions[:_MOST_NAMES]
        if action.outcome
    ]
    more = len(actions) - len(told)
    return ", ".join([*told, f"{more} more"] if more else told)


def _became(action: Action) -> str:
    match action.outcome:
        case Decided(decision=decision) as decided:
            return f"{PAST[kind_of(decision)]} by {by_whom_in_words(action, decided)}"
        case LetThrough() as through:
            return str(through)
        case _:
            return "expired"
