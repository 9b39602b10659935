"""The Home tab: what waits for one person, what they asked for and decided, and how to start. Pure.

Of what waits for a person the first few are drawn as on their cards, with the same buttons; of everything
else there is a line each, without any argument. A tab takes 100 blocks and 250 kB; the rest is counted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, assert_never

from slack_sdk.models.blocks import (
    Block,
    ContextBlock,
    DividerBlock,
    HeaderBlock,
    MarkdownTextObject,
    PlainTextObject,
    SectionBlock,
)
from slack_sdk.models.views import View as SlackView

from bot.approvals.approval import Action, Approval, Decided, Expired, LetThrough, State
from bot.approvals.decision import PAST, kind_of
from bot.approvals.ids import ChannelId, UserId
from bot.approvals.inbox import Inbox, Mine, Ruled
from bot.approvals.person import Standing
from bot.approvals.roster import Roster
from bot.approvals.who import ChannelMembers, MembersOf, Who
from bot.approvals.words import listed, phrase, say
from bot.slack import cards, glance, verbs
from bot.slack.buttons import link
from bot.slack.headlines import names, tool_names
from bot.slack.listing import OPEN_CARD, OUTSIDE, Link, line, place_of, request_line, way_to
from bot.slack.message import View, as_json, size
from bot.slack.naming import in_a_line
from bot.slack.text import clip, mention, moment
from bot.slack.votes import by_whom_in_words, counted

MOST_BLOCKS: Final = 70
"""Blocks for what waits, with room for all the rest among 100."""
LARGEST: Final = 120_000
"""Characters of JSON for it; a view takes 250 kB."""
MOST_ACTIONS: Final = 3
"""Actions of one approval that are drawn; the others stand on its card."""
ROOM: Final = 4_000
"""Characters of one action's arguments; `View all` shows them whole."""
_LONGEST: Final = 2_800
"""Characters in one text; Slack takes 3,000."""

WAITING: Final = phrase("Waiting for you")
NOTHING: Final = phrase("Nothing waits for you.")
MORE: Final = phrase(
    "{count:,} more wait for you. They come up here as these are decided; "
    "`/agent pending` lists more of them."
)
MORE_ACTIONS: Final = phrase("{count:,} more of this request stand on its card.")
PARTIAL: Final = phrase(
    "⚠️ Slack could not say everywhere whether you may decide, so something may be missing here. "
    "Open this tab again in a moment."
)
UNKNOWN: Final = phrase(
    "⚠️ Slack could not say who you are, so nothing is shown. Open this tab again in a moment."
)
ASKED_FOR: Final = phrase("What you asked for")
DECIDED: Final = phrase("What you decided lately")
EVERY: Final = phrase("All that waits, for operators: {count:,}")
NOTHING_AT_ALL: Final = phrase("Nothing waits for anybody.")
MORE_OF_ALL: Final = phrase(
    "… and {count:,} more. `/agent pending all` and `python -m bot pending` list them."
)
HOW: Final = phrase("How to start")
HOW_TO_START: Final = phrase(
    "Type `/agent` and what you want done, mention me in a channel, or write to me directly. "
    "When I need somebody's approval, I ask in the thread, with buttons. "
    "`/agent help` tells the rest."
)


ASKED: Final = phrase("Asked by {who}, {time}{agent}")
ASKED_UNTIL: Final = phrase("Asked by {who}, {time}{agent}. Open until {until}")
WITHDRAWN: Final = phrase("Withdrawn since.")
NEEDS_OTHERS: Final = phrase("It still needs others ({votes}).")


def home(inbox: Inbox, address: Link) -> View:
    """The tab for one person, of an inbox in which what is secret is masked."""
    if inbox.standing is None:
        blocks: list[Block] = [_text(say(UNKNOWN), "unknown")]
    elif inbox.standing is not Standing.MEMBER:
        blocks = [_text(say(OUTSIDE[inbox.standing]), "outside")]
    else:
        blocks = [*_waiting(inbox, address), *_lists(inbox, address)]
    if isinstance(blocks[-1], DividerBlock):
        blocks.pop()
    blocks += [DividerBlock(block_id="line"), _header(say(HOW), "how"), _text(say(HOW_TO_START), "start")]
    return dict(SlackView(type="home", blocks=blocks).to_dict())


def stands_on(view: View, inbox: Inbox) -> list[Approval]:
    """The approvals that can be decided on this drawing of the inbox."""
    ids = {block.get("block_id") for block in view["blocks"]}
    return [one.asked.approval for one in inbox.waiting if f"waiting.{one.asked.approval.id}" in ids]


def _waiting(inbox: Inbox, address: Link) -> Iterator[Block]:
    yield _header(say(WAITING), "waiting")
    if not inbox.waiting:
        yield _text(say(NOTHING), "nothing")
    used, left = 0, MOST_BLOCKS
    for number, mine in enumerate(inbox.waiting):
        blocks = [*_one(mine, inbox.person, address, inbox.roster)]
        weight = size(as_json(blocks))
        if number and (len(blocks) > left or used + weight > LARGEST):
            more = inbox.more + len(inbox.waiting) - number
            break
        used, left = used + weight, left - len(blocks)
        yield from blocks
    else:
        more = inbox.more
    if more:
        yield _text(say(MORE, count=more), "more")
    if inbox.is_partial:
        yield _text(say(PARTIAL), "partial")


def _one(mine: Mine, by: UserId, address: Link, roster: Roster) -> Iterator[Block]:
    """An approval: what it is called, then its actions with their buttons."""
    asked, approval = mine.asked, mine.asked.approval
    actions = mine.open
    done = len(approval.actions) - len(approval.open)
    total = len(approval.actions)
    so_far = say(" ({done} of {total} decided)", done=done, total=total) if done else ""
    if total == 1 and (votes := counted(approval.actions[0])):
        so_far = say(" ({votes})", votes=votes)
    when = say(
        ASKED_UNTIL if approval.expires_at else ASKED,
        who=mention(asked.conversation.requester),
        time=moment(approval.asked_at),
        agent=in_a_line(roster.label(asked.conversation.realm)),
        until=moment(approval.expires_at) if approval.expires_at else "",
    )
    what = glance.marked_up(actions[0].asked) if len(actions) == 1 else f"*{names(actions)}*"
    said = MarkdownTextObject(text=clip(f"{what}{so_far}\n{when}", _LONGEST), verbatim=True)
    place = place_of(asked, by, address)
    yield SectionBlock(
        text=said,
        accessory=link(verbs.OPEN, say(OPEN_CARD), place, about=_about(actions)) if place else None,
        block_id=f"waiting.{approval.id}",
    )
    for action in actions[:MOST_ACTIONS]:
        yield from cards.elsewhere(approval, _by_name(action, asked.conversation.channel), ROOM)
    if (more := len(actions) - MOST_ACTIONS) > 0:
        yield _small(say(MORE_ACTIONS, count=more), f"more.{approval.id}")
    yield DividerBlock(block_id=f"line.{approval.id}")


def _about(actions: Sequence[Action]) -> str:
    """What they are, for those who hear a button's label."""
    if len(actions) == 1:
        return say("about {tool}", tool=glance.in_words(actions[0].asked))
    tools = dict.fromkeys(glance.tool_of(action) for action in actions)
    return say("about {tool}", tool=listed([*tools]))


def _by_name(action: Action, channel: ChannelId) -> Action:
    """Here "this channel" would be none: the channel of the thread has its name instead."""
    if channel.startswith("D"):
        return action

    def named(who: Who) -> Who:
        return MembersOf(channel) if isinstance(who, ChannelMembers) and not who.name else who

    needs = tuple(replace(need, approvers=tuple(map(named, need.approvers))) for need in action.needs)
    return replace(action, needs=needs)


def _lists(inbox: Inbox, address: Link) -> Iterator[Block]:
    if inbox.requests:
        yield _header(say(ASKED_FOR), "asked")
        yield from _lines((request_line(one, address, inbox.roster) for one in inbox.requests), "asked")
    if inbox.decided:
        yield _header(say(DECIDED), "decided")
        yield from _lines((_ruled(one, inbox.person, address) for one in inbox.decided), "decided")
    if inbox.every is None:
        return
    yield _header(say(EVERY, count=inbox.total), "every")
    if not inbox.every:
        yield _text(say(NOTHING_AT_ALL), "nobody")
    yield from _lines((line(one, inbox.person, address, inbox.roster) for one in inbox.every), "every")
    if (more := inbox.total - len(inbox.every)) > 0:
        yield _text(say(MORE_OF_ALL, count=more), "rest")


def _ruled(ruled: Ruled, by: UserId, address: Link) -> str:
    """What the person said about an action, and what became of it; no argument, whoever may see those now."""
    action = ruled.asked.approval.action(ruled.action)
    vote = action.vote_of(by)
    return say(
        "• {tool}: {approved} by you, {time}. {became} · {way}",
        tool=tool_names([action.tool]),
        approved=say(PAST[kind_of(vote.decision)]) if vote else say("decided"),
        time=moment(ruled.at),
        became=_became(ruled.asked.approval, action, by),
        way=way_to(ruled.asked, by, address),
    )


def _became(approval: Approval, action: Action, by: UserId) -> str:
    match action.outcome:
        case Decided() as made if made.by == by and len(action.votes) == 1:
            return say("That decided it.") if approval.state is not State.WITHDRAWN else say(WITHDRAWN)
        case Decided(decision=decision) as made:
            past = say(PAST[kind_of(decision)])
            return say("In the end {approved} by {who}.", approved=past, who=by_whom_in_words(action, made))
        case Expired():
            return say("It expired before others decided.")
        case LetThrough():
            return say("Nobody had to be asked.")
        case None:
            waits = approval.state is State.WAITING
            return say(NEEDS_OTHERS, votes=counted(action)) if waits else say(WITHDRAWN)
        case _:
            assert_never(action.outcome)


def _lines(lines: Iterable[str], name: str) -> Iterator[SectionBlock]:
    """The lines, in as many texts as they need."""
    texts: list[str] = []
    for each in lines:
        if texts and len(texts[-1]) + 1 + len(each) <= _LONGEST:
            texts[-1] += f"\n{each}"
        else:
            texts.append(each)
    for number, text in enumerate(texts):
        yield _text(text, f"{name}.{number}")


def _header(text: str, block_id: str) -> HeaderBlock:
    return HeaderBlock(text=PlainTextObject(text=text, emoji=True), block_id=f"{block_id}.title")


def _text(text: str, block_id: str) -> SectionBlock:
    return SectionBlock(text=MarkdownTextObject(text=text, verbatim=True), block_id=block_id)


def _small(text: str, block_id: str) -> ContextBlock:
    return ContextBlock(elements=[MarkdownTextObject(text=text, verbatim=True)], block_id=block_id)
