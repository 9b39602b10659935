"""What waits, and what was asked for, in a line each: on Home and in `/agent pending`. No argument, ever."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from bot.approvals.approval import Action
from bot.approvals.conversation import Status
from bot.approvals.ids import ChannelId, Ts, UserId
from bot.approvals.inbox import Request
from bot.approvals.person import Standing
from bot.approvals.ports import Asked
from bot.approvals.roster import ONE_AGENT, Roster
from bot.approvals.standings import nearest
from bot.approvals.words import phrase, say
from bot.slack.headlines import names, tool_names
from bot.slack.literal import in_line
from bot.slack.naming import in_a_line
from bot.slack.stands import STATES
from bot.slack.text import breadth, entities, mention, moment

Link: TypeAlias = Callable[[ChannelId, Ts], str]
"""The address of a message."""

_WORDS: Final = 100

LINE: Final = phrase("• {tools}, asked by {who}, {time}{agent} · {way}")
LINE_UNTIL: Final = phrase("• {tools}, asked by {who}, {time}{agent}, open until {until} · {way}")
OPEN_CARD: Final = phrase("Open the card")
OPEN_THREAD: Final = phrase("Open the thread")
NOT_SHOWN: Final = phrase("not shown in a message yet")
OUTSIDE: Final = {
    Standing.GUEST: phrase("Guests cannot take part in approvals, so nothing waits here."),
    Standing.OUTSIDER: phrase(
        "People of another organisation cannot take part in approvals, so nothing waits here."
    ),
    Standing.BOT: phrase("Bots cannot take part in approvals, so nothing waits here."),
    Standing.DEACTIVATED: phrase(
        "A deactivated account cannot take part in approvals, so nothing waits here."
    ),
}


def line(
    asked: Asked, by: UserId, address: Link, roster: Roster = ONE_AGENT, *, actions: Sequence[Action] = ()
) -> str:
    """One approval that waits, in a line of mrkdwn: its tools, who asked when, and the way to its card."""
    approval = asked.approval
    told = {
        "tools": names(actions or approval.open),
        "who": mention(asked.conversation.requester),
        "time": moment(approval.asked_at),
        "agent": in_a_line(roster.label(asked.conversation.realm)),
        "way": way_to(asked, by, address),
    }
    if approval.expires_at:
        return say(LINE_UNTIL, until=moment(approval.expires_at), **told)
    return say(LINE, **told)


def request_line(request: Request, address: Link, roster: Roster = ONE_AGENT) -> str:
    """One conversation, in a line of mrkdwn: what was asked, where it stands, and the way to its thread."""
    conversation = request.conversation
    words = entities(in_line(request.words.strip(), _WORDS, breadth)[0]) or moment(conversation.started_at)
    state = say(STATES[conversation.status])
    if request.tools and conversation.status is Status.WAITING:
        state = say("{state} about {tools}", state=state, tools=tool_names(request.tools))
    ts = conversation.thread_ts
    way = f" · <{address(conversation.channel, ts)}|{say(OPEN_THREAD)}>" if ts else ""
    agent = in_a_line(roster.label(conversation.realm))
    return say("• {words}: {state}{agent}", words=words, state=state, agent=agent) + way


def way_to(asked: Asked, by: UserId, address: Link) -> str:
    """The way to the card, in words of ours: nothing untrusted may say where a link leads."""
    place = place_of(asked, by, address)
    return f"<{place}|{say(OPEN_CARD)}>" if place else say(NOT_SHOWN)


def place_of(asked: Asked, by: UserId, address: Link) -> str:
    """The card that this person is led to; empty if there is none."""
    card = nearest(asked.cards, by)
    return address(card.channel, card.ts) if card and card.channel and card.ts else ""
