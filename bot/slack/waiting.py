"""What a thread is told as time goes by: an approval still waits, people are called in, it has expired."""

from bot.approvals.approval import Approval, Expired, Shape, State
from bot.slack.answers import sentence
from bot.slack.headlines import names
from bot.slack.message import Message
from bot.slack.text import mention, moment, own_call, own_words
from bot.slack.votes import counted


def reminder(approval: Approval, who: str) -> Message | None:
    """That it still waits, since when and until when, and who can still decide, mentioned.

    None if nobody has to decide any more.
    """
    if approval.state is not State.WAITING:
        return None
    count = len(approval.open)
    still = f"⏰ Still open: {names(approval.open)}, {'waits' if count == 1 else 'wait'} since"
    times = f"{_so_far(approval)}{_until(approval)}"
    return sentence(f"{still} {moment(approval.asked_at)}.{times} To decide: {own_call(who)}.")


def escalation(approval: Approval, who: str) -> Message | None:
    """That nobody has decided yet and who is called in; None if nobody has to decide any more."""
    if approval.state is not State.WAITING:
        return None
    called = " ".join(mention(id) for id in sorted(approval.escalated_to))
    return sentence(
        f"📣 {called}: nobody has decided about {names(approval.open)} since {moment(approval.asked_at)}."
        f"{_until(approval)} To decide: {own_words(who)}."
    )


def expiry(approval: Approval) -> Message:
    """That it has expired, for whoever asked: what did not run, and what was decided before."""
    expired = [action for action in approval.actions if isinstance(action.outcome, Expired)]
    asked = " ".join(mention(id) for id in sorted(approval.requesters))
    rest = len(approval.actions) - len(expired)
    if approval.shape is Shape.IN_DOUBT:
        return sentence(
            f"⌛ {asked}: nobody said in time what became of {names(expired)}, so it is not run again. "
            "It is still not known whether it ran."
        )
    kept = f" What was decided before ({rest} of {len(approval.actions)}) stays decided." if rest else ""
    return sentence(
        f"⌛ {asked}: nobody decided in time about {names(expired)}, so nothing of it ran. "
        f"The agent is told that it expired, not that it was rejected.{kept}"
    )


def _so_far(approval: Approval) -> str:
    """How many people have approved what one vote does not decide."""
    votes = [counted(action) for action in approval.open if action.votes]
    return f" Approved so far: {', '.join(votes)}." if votes else ""


def _until(approval: Approval) -> str:
    return f" It expires {moment(approval.expires_at)}." if approval.expires_at else ""
