"""What stands beside the cards of `states.py`, by name: bursts, lists, plans, notices and their forms."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from bot.approvals.approval import Approval, Shape
from bot.approvals.asked_for import AskedFor
from bot.approvals.briefing import Briefing
from bot.approvals.bursts import merged
from bot.approvals.conversation import Conversation, Post, PostKind, Status
from bot.approvals.decision import Approve, Arguments, DecisionKind, Edit, Reject, Respond
from bot.approvals.ids import ActionId, ChannelId, ConversationId, PostId, Ts, UserId
from bot.approvals.inbox import Inbox, Mine, Request, Ruled
from bot.approvals.masking import BY_DEFAULT
from bot.approvals.person import Standing
from bot.approvals.places import Copy
from bot.approvals.plan import Course, Plan, Stand, Task
from bot.approvals.ports import Asked
from bot.approvals.together import Covered
from bot.slack.all_at_once import sheet
from bot.slack.answers import notice
from bot.slack.cards import card
from bot.slack.forms import edit_form, reject_form, respond_form
from bot.slack.hearing import outcome
from bot.slack.home import home
from bot.slack.message import Message, View
from bot.slack.progress import progress
from bot.slack.reviewing import review
from bot.slack.shortcuts import About, ask_form
from bot.slack.stands import Group, listed
from bot.slack.turns import kept
from bot.slack.viewing import view_all
from tests.slack.samples import ALICE, BOB, NOW, TWO, action, approval, decided
from tests.slack.states import EITHER, LONG, SCHEMA, apart, expired, one, two, voted_for

URL: Final = "https://a.example/"
HERE: Final = ConversationId("conversation-0123456789")
THREAD: Final = Conversation(
    id=HERE,
    channel=ChannelId("C0GENERAL"),
    thread_ts=Ts("1.000100"),
    requester=ALICE,
    started_at=NOW,
    status=Status.WAITING,
)
TOGETHER: Final = Briefing(
    deciders="<@U0BOB> or anybody of @release",
    reasons=("Not today", "Too large", ""),
    all_at_once=True,
    dangers=("drop",),
)


def _burst(count: int, arguments: Arguments | None = None) -> Approval:
    return approval(
        *(action(number, "delete", arguments or {"path": f"{number}.csv"}) for number in range(count))
    )


def _stopped_burst() -> Approval:
    """Two calls on one card, of which one was approved and run before somebody pressed Stop."""
    first, second = apart((_burst(1), _burst(1)))
    return merged([decided(first, [Approve()]).deliver(), second.withdraw("stopped by <@U0BOB>")])


def _briefed(*tools: str) -> Approval:
    calls = (action(number, tool, {"path": f"{number}.csv"}) for number, tool in enumerate(tools))
    return approval(*(replace(call, briefing=TOGETHER) for call in calls))


def _task(stand: Stand, tool: str = "read_file", given: str = "path: a.txt", told: str = "") -> Task:
    return Task(tool=tool, given=given, stand=stand, told=told)


def _plan(course: Course, *tasks: Task, plainly: bool = False) -> Message:
    return progress(Plan(course=course, tasks=tasks, version=7), HERE, plainly=plainly)


EVERY: Final = tuple(_task(stand, f"tool {stand}!", told="`told` <!here> & more") for stand in Stand)
LARGE: Final = tuple(_task(Stand.DONE, f"tool_{n}", "g" * 400, "t" * 500) for n in range(25))
SMALL: Final = tuple(_task(Stand.DONE, f"tool_{n}", "", "") for n in range(21))


def _asked_for(words: str, status: Status, *waiting: Approval, thread: bool = True) -> AskedFor:
    where = replace(THREAD, status=status, thread_ts=THREAD.thread_ts if thread else None)
    return AskedFor(conversation=where, words=words, waiting=waiting)


def _listed(count: int = 1, *, stoppable: bool = True) -> Message:
    calls = _briefed("one", "", "x" * 90, "four", "five")
    those = [
        _asked_for("Tidy up <!channel> token=abc12345", Status.WAITING, calls),
        _asked_for(" ", Status.WORKING, thread=False),
        _asked_for("x" * 130, Status.CANCELLING, two(), _burst(3)),
    ]
    done = Group(title="Finished:", shown=[_asked_for("Done & dusted", Status.IDLE)], stoppable=False)
    group = Group(title="Under way:", shown=those * count, stoppable=stoppable)
    return listed([group, done], URL, ["• One line", "• another"])


def _notice(settled_by: str | None) -> Message:
    post = Post(
        id=PostId("post-1"),
        conversation=HERE,
        kind=PostKind.NOTICE,
        text="",
        settled_by=settled_by if settled_by is None else UserId(settled_by),
    )
    return kept(post)


def _asked(about: Approval, *, cards: bool = True) -> Asked:
    copy = Copy(post=PostId("card"), channel=THREAD.channel, ts=Ts("1.000200"), is_sent=True)
    return Asked(approval=about, conversation=THREAD, cards=(copy,) if cards else ())


def _ruled(about: Approval) -> Ruled:
    return Ruled(asked=_asked(about), action=about.actions[0].id, at=NOW)


def _voted(about: Approval) -> Approval:
    """With a vote of Bob beside what others made of it."""
    [call] = about.actions
    votes = (replace(call.votes[0], by=BOB), *call.votes[1:])
    return replace(about, actions=(replace(call, votes=votes),))


FULL: Final = Inbox(
    person=BOB,
    standing=Standing.MEMBER,
    waiting=tuple(
        Mine(asked=_asked(each, cards=number != 1), actions=tuple(one.id for one in each.open))
        for number, each in enumerate(
            apart((voted_for(Approve()), decided(_burst(9), [Approve()], first=2), two()))
        )
    ),
    more=1_234,
    is_partial=True,
    requests=(
        Request(conversation=THREAD, words=f"Tidy up <!channel>\n{'x' * 120}", tools=("a", "b", "a")),
        Request(conversation=replace(THREAD, status=Status.IDLE, thread_ts=None), words=" "),
    ),
    decided=tuple(
        _ruled(each)
        for each in (
            decided(one(), [Approve()]),
            decided(one(), [Reject("No.")]),
            _voted(voted_for(Approve(), Reject("No."))),
            _voted(expired(voted_for(Approve()))),
            _voted(voted_for(Approve())),
            _voted(voted_for(Approve()).withdraw("stopped")),
        )
    ),
    every=tuple(_asked(each) for each in (one(), _burst(3))),
    total=1_234,
)


def _home(inbox: Inbox) -> View:
    return home(inbox, lambda channel, ts: f"{URL}{channel}/{ts}")


def _sheet(kind: DecisionKind, *opened: str, others: int = 0, tools: int = 2) -> View:
    about = approval(
        *(replace(each, briefing=TOGETHER) for each in _burst(tools).actions),
        replace(action(99, "write", {"content": LONG}), briefing=TOGETHER),
    )
    pairs = tuple((about, each) for each in about.actions)
    return sheet(Covered(calls=pairs, others=others), kind, {ActionId(one) for one in opened}).view


def _ask(text: str, author: str) -> View:
    about = About(channel="C0GENERAL", ts="1.000300", thread="1.000100", fingerprint="0123456789abcdef")
    return ask_form(about, text, author)


def _question(**arguments: Any) -> Approval:  # noqa: ANN401 - arguments of a call
    return approval(action(0, "ask_user", {"question": "Which?", **arguments}))


def _in_doubt(*, danger: bool = False) -> Approval:
    call = action(tool="drop", arguments={"content": LONG})
    asked = approval(replace(call, briefing=TOGETHER) if danger else call)
    return replace(asked, shape=Shape.IN_DOUBT)


def _heard(about: Approval) -> Message:
    return outcome(about) or notice("Nothing is said.")


def _asked_once_more(about: Approval) -> View:
    edit = Edit({"path": "other.csv"})
    shown = review(BY_DEFAULT, about, about.actions[0], edit, BOB)
    return edit_form(about, about.actions[0], review=shown)


def _not_all_seen() -> View:
    about = approval(action(tool="send", arguments={"path": "a.txt", "content": LONG}))
    edit = Edit({"path": "b.txt", "content": LONG})
    shown = review(BY_DEFAULT, about, about.actions[0], edit, BOB, is_unread=True)
    return edit_form(about, about.actions[0], review=shown)


MESSAGES: Final[Mapping[str, Callable[[], Message]]] = {
    "card, open, a burst": lambda: card(_burst(30), requester=ALICE),
    "card, open, a burst without arguments": lambda: card(
        approval(*(action(number, "delete", {}) for number in range(40))), requester=ALICE
    ),
    "card, open, a burst half decided": lambda: card(
        decided(_burst(40), [Approve()], first=15), requester=ALICE
    ),
    "card, open, seven calls": lambda: card(_burst(7), requester=ALICE),
    "card, open, six calls": lambda: card(_burst(6), requester=ALICE),
    "card, open, one waits behind it": lambda: card(two(), requester=ALICE, behind=1),
    "card, open, many wait behind it": lambda: card(two(), requester=ALICE, behind=1_200),
    "card, withdrawn, one of two calls was approved": lambda: card(_stopped_burst(), requester=ALICE),
    "card, withdrawn, nothing waits behind it": lambda: card(two().withdraw(""), requester=ALICE, behind=3),
    "card, open, all at once": lambda: card(_briefed("write", "write", "drop"), requester=ALICE),
    "card, open, dangerous": lambda: card(_briefed("drop"), requester=ALICE),
    "card, in doubt, dangerous": lambda: card(_in_doubt(danger=True), requester=ALICE),
    "card, in doubt, long": lambda: card(_in_doubt(), requester=ALICE),
    "card, open, nobody named": lambda: card(voted_for(needs=(*EITHER, *TWO)), requester=ALICE),
    "outcome": lambda: _heard(decided(_briefed("write"), [Reject("No.")])),
    "outcome, of many": lambda: _heard(
        expired(
            decided(
                _briefed("write", "write", "drop", "read", "pay"),
                [Approve(), Approve(), Reject("No."), Respond("7")],
                first=4,
            )
        )
    ),
    "outcome, in doubt": lambda: _heard(decided(_in_doubt(), [Respond("7")])),
    "plan, at work": lambda: _plan(Course.WORKING, *EVERY),
    "plan, over": lambda: _plan(Course.DONE, *EVERY[:1]),
    "plan, of many calls": lambda: _plan(Course.WAITING, *SMALL),
    "plan, of large calls": lambda: _plan(Course.HALTED, *LARGE),
    "plan, in lines": lambda: _plan(Course.WORKING, *EVERY, plainly=True),
    "plan, in lines, over": lambda: _plan(Course.STOPPED, *SMALL, plainly=True),
    "plan, in lines, of large calls": lambda: _plan(Course.DONE, *LARGE, plainly=True),
    "list, one's own": _listed,
    "list, of others": lambda: _listed(stoppable=False),
    "list, longer than fits": lambda: _listed(9),
    "waits its turn": lambda: _notice(None),
    "waits its turn, used as a reason": lambda: _notice(BOB),
    "waits its turn, no longer": lambda: _notice(""),
}

VIEWS: Final[Mapping[str, Callable[[], View]]] = {
    "home, with everything": lambda: _home(FULL),
    "home, of an operator to whom nothing waits": lambda: _home(
        Inbox(person=BOB, standing=Standing.MEMBER, every=())
    ),
    "home, of nobody known": lambda: _home(replace(FULL, standing=None)),
    **{
        f"home, of a {each}": partial(_home, replace(FULL, standing=each))
        for each in Standing
        if each is not Standing.MEMBER
    },
    "approve all": lambda: _sheet(DecisionKind.APPROVE),
    "approve all, opened": lambda: _sheet(DecisionKind.APPROVE, "action-99-0123456789abc", others=1),
    "approve all, of many": lambda: _sheet(DecisionKind.APPROVE, tools=44, others=1_200),
    "reject all": lambda: _sheet(DecisionKind.REJECT, others=2),
    "reject all, of one": lambda: _sheet(DecisionKind.REJECT, tools=0),
    "ask the agent": lambda: _ask("Look at <@U0ALICE>'s *file*\n&lt;now&gt;", "U0BOB"),
    "ask the agent, long": lambda: _ask(LONG * 3, "B0APP"),
    "respond, one of few": lambda: respond_form(*_pair(_question(choices=["Keep", "全部保留" * 20, 7]))),
    "respond, no choices": lambda: respond_form(*_pair(_question(choices=["Keep", "", 7]))),
    "respond, several of few": lambda: respond_form(*_pair(_question(options=["a", "b"], multiple=True))),
    "respond, one of many": lambda: respond_form(*_pair(_question(choices=[*range(11)]))),
    "respond, several of many": lambda: respond_form(
        *_pair(_question(choices=[*range(11)], multi_select=True))
    ),
    "reject, with reasons": lambda: reject_form(*_pair(_briefed("write"))),
    "edit, required": lambda: edit_form(
        *_pair(one({}, schema={**SCHEMA, "required": [*SCHEMA["properties"]]}))
    ),
    "edit, not all seen, asked once more": _not_all_seen,
    "edit, dangerous, asked once more": lambda: _asked_once_more(_briefed("drop")),
    "view all, in doubt, it ran": lambda: view_all(*_pair(decided(_in_doubt(), [Respond("7")]))),
    "view all, all at once": lambda: view_all(_briefed("write", "write"), None),
}


def _pair(about: Approval) -> Any:  # noqa: ANN401 - an approval and its first action
    return about, about.actions[0]
