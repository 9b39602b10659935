"""What an approval is called: the card's headline, and its sentence for notifications and screen readers."""

from collections.abc import Sequence
from typing import Final

from bot.approvals.approval import Action, Approval, Decided, Expired, LetThrough, State
from bot.approvals.decision import PAST, DecisionKind, kind_of
from bot.approvals.ids import UserId
from bot.approvals.refusing import NO_LONGER_WAITS
from bot.approvals.sayings import uttered
from bot.approvals.together import is_dangerous
from bot.approvals.words import listed, phrase, say, say_many
from bot.slack import doubts, glance
from bot.slack.asking import asks_in_words, votes_missing, who_decides
from bot.slack.doubts import is_doubt
from bot.slack.literal import in_line
from bot.slack.text import clip, entities, mention, own_words
from bot.slack.votes import by_whom_in_words, counted

DECIDED: Final = {**PAST, DecisionKind.EDIT: phrase("edited and approved")}
"""What was decided, where an edit is the approval of what it made as well."""
_LONGEST = 2_500
_MOST_NAMES = 6


def headline(approval: Approval) -> str:
    """A few words, in plain text."""
    if is_doubt(approval) and (told := doubts.headline(approval)):
        return told
    total, open_ = len(approval.actions), len(approval.open)
    match approval.state:
        case State.WITHDRAWN if done := len(approval.closed):
            return say("🚫 {withdrawn} of {total} withdrawn", withdrawn=total - done, total=total)
        case State.WITHDRAWN:
            return say("🚫 Withdrawn")
        case State.WAITING if total == 1:
            so_far = counted(approval.actions[0])
            needed = _needed(approval)
            return say("✋ {needed}: {so_far}", needed=needed, so_far=so_far) if so_far else f"✋ {needed}"
        case State.WAITING:
            counts = {"open": open_, "total": total}
            return say("✋ {needed}: {open} of {total} open", needed=_needed(approval), **counts)
        case _:
            return _done(approval)


def sentence(approval: Approval, requester: UserId) -> str:
    """Whole sentences, escaped: who asks for what, what became of it; of an approval as people see it."""
    if is_doubt(approval) and (told := doubts.sentence(approval, requester)):
        return told
    about = {"tools": names(approval.actions), "who": mention(requester)}
    match approval.state:
        case State.WITHDRAWN:
            done = [action for action in approval.actions if action.id in approval.closed]
            about["tools"] = names([action for action in approval.actions if action not in done])
            note = why_withdrawn(approval, 500)
            withdrawn = say("Withdrawn: {tools}, asked by {who}: {note}.", note=note, **about)
            return clip(" ".join([*_decided(done, requester), withdrawn]), _LONGEST)
        case State.WAITING:
            so_far = len(approval.actions) - len(approval.open)
            of = {"done": so_far, "total": len(approval.actions)}
            needed = say("Answer needed") if _only_answers(approval) else say("Approval needed")
            sentences = [
                say("{needed}: {asks}.", needed=needed, asks=asks_in_words(approval, requester)),
                *_danger(approval),
                *([say("{done} of {total} decided so far.", **of)] if so_far else []),
                *(say("{sentence}.", sentence=one) for one in who_decides(approval)),
                *(say("{sentence}.", sentence=one) for one in votes_missing(approval)),
            ]
            return clip(" ".join(sentences), _LONGEST)
        case _:
            expired = all(isinstance(action.outcome, Expired) for action in approval.actions)
            if expired:
                return say("Expired: {tools}, asked by {who}. Nobody decided in time.", **about)
            return clip(" ".join(_decided(approval.actions, requester)), _LONGEST)


def why_withdrawn(approval: Approval, room: int) -> str:
    """Why the agent no longer waits for it: the end of a sentence, escaped."""
    return clip(own_words(uttered(approval.note) or say(NO_LONGER_WAITS)).rstrip("."), room)


def names(actions: Sequence[Action]) -> str:
    """The tools, each named once, with how many times; escaped."""
    return tool_names([action.tool for action in actions])


def tool_names(tools: Sequence[str]) -> str:
    """The same of their names alone."""
    counted: dict[str, int] = {}
    for tool in tools:
        counted[tool] = counted.get(tool, 0) + 1
    first = list(counted.items())[:_MOST_NAMES]
    told = [
        say("{tool} ({times} times)", tool=tool, times=times) if times > 1 else tool
        for tool, times in ((entities(in_line(tool, 60)[0]), times) for tool, times in first)
    ]
    if more := len(counted) - len(told):
        told.append(say("{count} more", count=more))
    return listed(told)


def _needed(approval: Approval) -> str:
    if _only_answers(approval):
        return say("Answer needed")
    if approval.open and _dangers(approval) == len(approval.open):
        return say("Approval needed (dangerous)")
    return say("Approval needed")


def _only_answers(approval: Approval) -> bool:
    return all(action.allowed == {DecisionKind.RESPOND} for action in approval.open)


def _dangers(approval: Approval) -> int:
    return sum(is_dangerous(action) for action in approval.open)


def _danger(approval: Approval) -> list[str]:
    """That it is, or how many of them are, as a sentence; nothing if none is."""
    if not (count := _dangers(approval)):
        return []
    if len(approval.open) == 1:
        return [say("It is marked as dangerous.")]
    of = {"total": len(approval.open)}
    return [
        say_many(
            "{count} of these {total} is marked as dangerous.",
            "{count} of these {total} are marked as dangerous.",
            count,
            **of,
        )
    ]


def _done(approval: Approval) -> str:
    kinds = {kind_of(action.decided.decision) for action in approval.actions if action.decided}
    if expired := sum(isinstance(action.outcome, Expired) for action in approval.actions):
        total = len(approval.actions)
        if expired == total:
            return say("⌛ Expired")
        return say("⌛ {expired} of {total} expired", expired=expired, total=total)
    if len(kinds) != 1:
        return say("🏁 Decided")
    match kinds.pop():
        case DecisionKind.APPROVE:
            return say("✅ Approved")
        case DecisionKind.EDIT:
            return say("✏️ Edited and approved")
        case DecisionKind.REJECT:
            return say("⛔ Rejected")
        case DecisionKind.RESPOND:
            return say("💬 Answered")


def _decided(actions: Sequence[Action], requester: UserId) -> list[str]:
    """What became of them, as a sentence; nothing if there are none."""
    who = mention(requester)
    return [say("Decided: {told}, asked by {who}.", told=_told(actions), who=who)] if actions else []


def _told(actions: Sequence[Action]) -> str:
    told = [
        say("{call} {became}", call=entities(glance.in_words(action)), became=_became(action))
        for action in actions[:_MOST_NAMES]
        if action.outcome
    ]
    more = len(actions) - len(told)
    return say(", ").join([*told, say("{count} more", count=more)] if more else told)


def _became(action: Action) -> str:
    match action.outcome:
        case Decided(decision=decision) as decided:
            past = say(DECIDED[kind_of(decision)])
            return say("{approved} by {who}", approved=past, who=by_whom_in_words(action, decided))
        case LetThrough() as through:
            return str(through)
        case _:
            return say("expired")
