"""What a thread is told as time goes by: an approval still waits, people are called in, it has expired."""

from typing import Final

from bot.approvals.approval import Approval, Expired, Shape, State
from bot.approvals.words import listed, phrase, say, say_many
from bot.slack.answers import sentence
from bot.slack.headlines import names
from bot.slack.message import Message
from bot.slack.text import mention, moment, own_call, own_words
from bot.slack.votes import counted

DOUBT_EXPIRED: Final = phrase(
    "⌛ {people}: nobody said in time what became of {tools}, so it is not run again. "
    "It is still not known whether it ran."
)
EXPIRED: Final = phrase(
    "⌛ {people}: nobody decided in time about {tools}, so nothing of it ran. "
    "The agent is told that it expired, not that it was rejected."
)
KEPT: Final = phrase("What was decided before ({count} of {total}) stays decided.")


def reminder(approval: Approval, who: str) -> Message | None:
    """That it still waits, since when and until when, and who can still decide, mentioned.

    None if nobody has to decide any more.
    """
    if approval.state is not State.WAITING:
        return None
    still = say_many(
        "⏰ Still open: {tools}, waits since {time}.",
        "⏰ Still open: {tools}, wait since {time}.",
        len(approval.open),
        tools=names(approval.open),
        time=moment(approval.asked_at),
    )
    return sentence(" ".join([still, *_so_far(approval), *_until(approval), _to_decide(own_call(who))]))


def escalation(approval: Approval, who: str) -> Message | None:
    """That nobody has decided yet and who is called in; None if nobody has to decide any more."""
    if approval.state is not State.WAITING:
        return None
    called = listed([mention(id) for id in sorted(approval.escalated_to)])
    about = {"tools": names(approval.open), "time": moment(approval.asked_at)}
    nobody = say("📣 {people}: nobody has decided about {tools} since {time}.", people=called, **about)
    return sentence(" ".join([nobody, *_until(approval), _to_decide(own_words(who))]))


def expiry(approval: Approval) -> Message:
    """That it has expired, for whoever asked: what did not run, and what was decided before."""
    expired = [action for action in approval.actions if isinstance(action.outcome, Expired)]
    asked = listed([mention(id) for id in sorted(approval.requesters)])
    rest = len(approval.actions) - len(expired)
    about = {"people": asked, "tools": names(expired)}
    if approval.shape is Shape.IN_DOUBT:
        return sentence(say(DOUBT_EXPIRED, **about))
    kept = [say(KEPT, count=rest, total=len(approval.actions))] if rest else []
    return sentence(" ".join([say(EXPIRED, **about), *kept]))


def _to_decide(who: str) -> str:
    return say("To decide: {who}.", who=who)


def _so_far(approval: Approval) -> list[str]:
    """How many people have approved what one vote does not decide."""
    votes = [counted(action) for action in approval.open if action.votes]
    return [say("Approved so far: {votes}.", votes=say(", ").join(votes))] if votes else []


def _until(approval: Approval) -> list[str]:
    return [say("It expires {time}.", time=moment(approval.expires_at))] if approval.expires_at else []
