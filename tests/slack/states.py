"""Every card, form, Home tab and message by name, with fixed people, ids and times. Add yours here.

`GOLDEN=write pytest tests/slack/test_golden.py` writes what they look like now to `golden/`. What changed
is then to be read in the difference: each file can be pasted into Slack's Block Kit Builder.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, Final

from bot.approvals.action import Action, LetThrough, Remembered
from bot.approvals.approval import Approval, Expired, Shape, State
from bot.approvals.asking import Asking, Remembering
from bot.approvals.briefing import Briefing
from bot.approvals.conversation import Conversation, Post, PostKind, Status
from bot.approvals.decision import Approve, Arguments, Decision, DecisionKind, Edit, Reject, Respond
from bot.approvals.ids import ActionId, ApprovalId, ChannelId, ConversationId, PostId, Ts, UserId
from bot.approvals.inbox import Inbox, Mine
from bot.approvals.masking import BY_DEFAULT
from bot.approvals.person import Standing
from bot.approvals.places import Copy
from bot.approvals.ports import Asked
from bot.approvals.referents import Referents
from bot.approvals.rendered import Rendered, as_parts
from bot.approvals.turns import NOBODY
from bot.approvals.who import Members, One, Quorum, Requester
from bot.render import Code, Fields, Link, Table, Text
from bot.slack.answers import answer, failure, notice, opening
from bot.slack.cards import card
from bot.slack.doubts import ran_form
from bot.slack.forms import edit_form, message_form, reject_form, respond_form, unread_form
from bot.slack.home import home
from bot.slack.message import Message, View
from bot.slack.not_asked import not_asked
from bot.slack.viewing import view_all
from bot.slack.waiting import escalation, expiry, reminder
from tests.slack.samples import ALICE, BOB, BOTH, NOW, TWO, action, approval, decided, voted

DEADLINE: Final = NOW + timedelta(hours=24)
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "description": "Where it is written."},
        "mode": {"enum": ["append", "replace"]},
        "loud": {"type": "boolean"},
        "times": {"type": "integer", "minimum": 1},
        "ratio": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "more": {"type": "object"},
    },
    "required": ["path"],
}
ARGUMENTS: Final[Arguments] = {
    "path": "notes.txt",
    "mode": "append",
    "loud": True,
    "times": 3,
    "ratio": 0.5,
    "tags": ["one", "two"],
    "more": {"deep": {"er": None}},
}
SHAPES: Final[Arguments] = {
    "recipients": ["ann@a.example", "bob@b.example", "carol@c.example"],
    "sql": "DELETE FROM orders WHERE id = 7",
    "note": "Two lines,\nas they are.",
    "limits": {
        "rows": 10,
        "by": {"day": True, "hours": [9, 10, 11, 12, 13, 14, 15, 16, 17]},
        "for": "everybody",
    },
    "pairs": [[1, 2], [3, 4]],
    "amount": 12.5,
    "dry": False,
    "nobody": [],
}
QUERY: Final = "SELECT name,\n       total\n  FROM orders\n WHERE id = 7;"
LONG: Final = "\n".join(f"{number}. A line of the file." for number in range(1, 400))
DOUBTS: Final = frozenset({DecisionKind.APPROVE, DecisionKind.RESPOND, DecisionKind.REJECT})
EITHER: Final = (Quorum(approvers=(One(BOB), Requester(), Members()), count=1),)


def one(arguments: Arguments = ARGUMENTS, **changed: Any) -> Approval:  # noqa: ANN401 - fields of an action
    """An approval of one call."""
    asked = approval(replace(action(arguments=arguments, schema=SCHEMA), **changed))
    return replace(asked, expires_at=DEADLINE)


def shown_by(rendered: Rendered, arguments: Arguments | None = None) -> Approval:
    """An approval of one call that its tool shows, or fails to."""
    return one(arguments or REFUND, tool="refund", briefing=Briefing(rendered=rendered), schema=None)


def _second(asked: Approval) -> Action:
    return replace(asked.actions[0], id=ActionId("action-1-0123456789abc"))


def two() -> Approval:
    first = action(0, "delete_file", {"path": "tmp.log"}, description="It is not needed any more.")
    return approval(first, action(1, "query", {"sql": QUERY}))


def many(count: int) -> Approval:
    return approval(*(action(number, f"tool_{number % 3}", {"n": number}) for number in range(count)))


def doubtful(decision: Decision | None = None) -> Approval:
    call = action(tool="pay", arguments={"amount": 7}, allowed=DOUBTS)
    asked = replace(approval(call), shape=Shape.IN_DOUBT)
    return decided(asked, [decision]) if decision else asked


def voted_for(*decisions: Decision, needs: tuple[Quorum, ...] = TWO) -> Approval:
    asked = one(needs=needs)
    return voted(asked, asked.actions[0].id, decisions, needs)


def expired(asked: Approval) -> Approval:
    calls = [each if each.outcome else replace(each, outcome=Expired(at=DEADLINE)) for each in asked.actions]
    return replace(asked, state=State.SETTLED, actions=tuple(calls))


def remembered(taken_back: UserId | None = None, by: tuple[UserId, ...] = (BOB,)) -> Remembered:
    return Remembered(action=ActionId("source-0123456789abcdef"), by=by, at=NOW, taken_back=taken_back)


def through(because: Remembered | None) -> Approval:
    asked = two()
    return asked.let_through({asked.actions[0].id: LetThrough(at=NOW, because=because)})


def failed(settled_by: UserId | None = None) -> Post:
    return Post(
        id=PostId("post-1"),
        conversation=ConversationId("conversation-0123456789"),
        kind=PostKind.FAILURE,
        text="The model did not answer: <no> & time.",
        settled_by=settled_by,
    )


EDIT: Final = Edit({**ARGUMENTS, "path": "other.txt", "times": 4, "loud": None, "extra": "new"})
LONG_EDIT: Final = Edit({"path": "notes.txt", "content": LONG.replace("7. A line", "7. Another line")})
TURNED: Final = Edit({"path": "notes.txt"}, "archive_file")
POINTING: Final = Referents(texts={"notes.txt": "sha256 0123456789abcdef", "commit": "1234567"})
UNSEEN: Final = Referents(problem="The server did not answer.")
PARTS: Final = as_parts(
    [
        Text("Pays an order back to the customer's card."),
        Fields({"Order": "A-17", "Amount": 129.9}),
        Table(["Article", "Count", "Price"], [["Kettle", 1, "99.90"], ["Filter", 2, "15.00"]]),
        Link("In the shop", "https://shop.example/orders/A-17"),
        Code("UPDATE orders\n   SET state = 'refunded'\n WHERE id = 'A-17';"),
    ]
)
FAILED: Final = Rendered(problem="it took longer than 5 seconds")
WRITES: Final = as_parts([Text("Writes a note."), Fields({"path": "notes.txt"}), Code("done")])
REFUND: Final[Arguments] = {"order": "A-17", "amount": 129.9}
SECRETS: Final[Arguments] = {"password": "hunter2hunter2", "text": "token=abc12345 and hunter2hunter2"}
HOSTILE: Final[Arguments] = {
    "path": "\u202egnp.exe",
    "host": "ex\u0430mple.com",
    "<!here>": "<!channel> <https://evil.example|bank.example>",
    "blanks": "a" + " " * 90 + "b",
}

_ASKED: Final[Mapping[str, Approval]] = {
    "open": one(),
    "open, two calls": two(),
    "open, one of two decided": decided(two(), [Approve()], first=1),
    "open, twelve calls": many(12),
    "open, thirty calls": decided(many(30), [Approve(), Reject("No."), Respond("7"), EDIT], first=9),
    "open, long": one({"path": "notes.txt", "content": LONG}),
    "open, no arguments": one({}),
    "open, a question": approval(
        action(0, "ask_user", {"question": "Keep data.csv?"}, allowed=frozenset({DecisionKind.RESPOND}))
    ),
    "open, of every shape": one(SHAPES),
    "open, described": one(description="The report that you asked for."),
    "open, hostile": one(HOSTILE),
    "open, secrets": one(SECRETS),
    "open, pointing": one(referents=POINTING),
    "open, pointing nowhere": one(referents=UNSEEN),
    "open, shown by its tool": shown_by(PARTS),
    "open, shown by its tool, whole": shown_by(WRITES, {"path": "notes.txt", "content": "done"}),
    "open, two shown by their tools": approval(*shown_by(PARTS).actions, _second(shown_by(PARTS))),
    "open, not shown by its tool": shown_by(FAILED),
    "open, shown by its tool, too large": shown_by(as_parts([Text("≈" * 2_000)] * 2)),
    "open, no vote yet": one(needs=BOTH),
    "open, one of two votes": voted_for(Approve()),
    "open, votes of three groups": voted_for(*[Approve()] * 10, needs=BOTH),
    "open, anybody of many kinds": voted_for(needs=(*EITHER, *EITHER)),
    "open, edited by one of two": voted_for(EDIT),
    "open, edited and long": voted_for(LONG_EDIT),
    "open, called in": replace(one(), escalated_to=frozenset({BOB, UserId("U0CAROL")})),
    "open, remembered then": one(remembering=Remembering(asking=Asking.ONCE, terms="t")),
    "open, the tool remembered then": one(remembering=Remembering(asking=Asking.ONCE_PER_TOOL, terms="t")),
    "open, one not asked": through(remembered()),
    "approved": decided(one(), [Approve()]),
    "approved, shown by its tool": decided(shown_by(PARTS), [Approve()]),
    "approved by two": voted_for(Approve(), Approve()),
    "approved by eleven": voted_for(*[Approve()] * 12, needs=BOTH),
    "edited": decided(one(), [EDIT]),
    "edited, long": decided(one({"path": "notes.txt", "content": LONG}), [LONG_EDIT]),
    "edited into another tool": decided(one(targets={"archive_file": {"properties": {}}}), [TURNED]),
    "rejected": decided(one(), [Reject("Not today.\nAsk <!here> again.")]),
    "rejected without a reason": decided(one(), [Reject()]),
    "rejected after a vote": voted_for(Approve(), Reject("No.")),
    "answered": decided(one(), [Respond("It is in data.csv.")]),
    "answered with nothing": decided(one(), [Respond("")]),
    "decided, each differently": decided(many(4), [Approve(), EDIT, Reject("No."), Respond("7")]),
    "decided, all twelve approved": decided(many(12), [Approve()]),
    "decided, thirty": decided(many(30), [Approve(), Reject("No."), Respond("7"), EDIT]),
    "expired": expired(one()),
    "expired, one of two": expired(decided(two(), [Approve()], first=1)),
    "withdrawn": one().withdraw("stopped by <@U0BOB>"),
    "withdrawn without words": decided(two(), [Approve()], first=1).withdraw(""),
    "withdrawn after a vote": voted_for(Approve()).withdraw("the agent no longer waits for it"),
    "withdrawn, thirty": many(30).withdraw("the agent no longer waits for it"),
    "let through": replace(
        one(), state=State.SETTLED, actions=(replace(one().actions[0], outcome=LetThrough(at=NOW)),)
    ),
    "in doubt": doubtful(),
    "in doubt, it ran": doubtful(Respond("receipt 17")),
    "in doubt, it ran and told nothing": doubtful(Respond("")),
    "in doubt, again": doubtful(Approve()),
    "in doubt, skipped": doubtful(Reject()),
    "in doubt, expired": expired(doubtful()),
    "in doubt, withdrawn": doubtful().withdraw("stopped"),
}


_OPEN: Final = ("open", "open, one of two decided", "open, one of two votes", "open, thirty calls")
_TIMED: Final = (*_OPEN[:2], "approved", "expired, one of two")
_EXPIRED: Final = ("expired", "expired, one of two", "in doubt, expired")
_CROWD: Final = tuple(UserId(f"U0VOTER{number}") for number in range(12))


def _card(asked: Approval) -> Message:
    return card(BY_DEFAULT.approval(asked), requester=ALICE)


def _in_time(kind: Callable[..., Message | None], asked: Approval, *who: str) -> Message:
    return kind(asked, *who) or notice("Nothing is said.")


def _called(name: str) -> Approval:
    return replace(_ASKED[name], escalated_to=frozenset({BOB, UserId("U0CAROL")}))


def _form(made: Callable[..., View], asked: Approval, *more: object) -> View:
    return made(*BY_DEFAULT.pair(asked, asked.actions[0]), *more)


def _secret_form() -> View:
    asked = one(SECRETS)
    return edit_form(asked, asked.actions[0], BY_DEFAULT.hidden(asked.actions[0], about=[asked]))


def _asked(about: Approval) -> Asked:
    conversation = Conversation(
        id=about.conversation,
        channel=ChannelId("C0GENERAL"),
        thread_ts=Ts("1.000100"),
        requester=ALICE,
        started_at=NOW,
        status=Status.WAITING,
    )
    copy = Copy(post=PostId("card"), channel=conversation.channel, ts=Ts("1.000200"), is_sent=True)
    return Asked(approval=about, conversation=conversation, cards=(copy,))


def apart(asked: Iterable[Approval]) -> list[Approval]:
    """The approvals with ids of their own, as any that stand in one view have."""
    return [
        replace(
            each,
            id=ApprovalId(f"{each.id}-{number}"),
            actions=tuple(replace(one, id=ActionId(f"{one.id}-{number}")) for one in each.actions),
        )
        for number, each in enumerate(asked)
    ]


def _home(asked: Iterable[Approval]) -> View:
    every = apart(asked)
    waits = tuple(Mine(asked=_asked(each), actions=tuple(one.id for one in each.open)) for each in every)
    inbox = Inbox(person=BOB, standing=Standing.MEMBER, waiting=waits)
    return home(inbox, lambda channel, ts: f"https://a.example/{channel}/{ts}")


MESSAGES: Final[Mapping[str, Callable[[], Message]]] = {
    **{f"card, {name}": partial(_card, asked) for name, asked in _ASKED.items()},
    **{f"reminder, {name}": partial(_in_time, reminder, _ASKED[name], "<@U0BOB>") for name in _TIMED},
    **{f"escalation, {name}": partial(_in_time, escalation, _called(name), "<@U0BOB>") for name in _TIMED},
    **{f"expiry, {name}": partial(_in_time, expiry, _ASKED[name]) for name in _EXPIRED},
    "not asked": lambda: not_asked(through(remembered())),
    "not asked, by many": lambda: not_asked(through(remembered(by=_CROWD))),
    "not asked, taken back": lambda: not_asked(through(remembered(taken_back=ALICE))),
    "answer": lambda: answer(
        "# Done\n\n| a | b |\n|---|---|\n| 1 | <!here> |\n\n```\nx < y\n```", PostId("answer-1")
    )[0],
    "answer, empty": lambda: answer(" ", PostId("answer-1"))[0],
    "notice": lambda: notice("<@U0BOB> stopped it & <!here>."),
    "failure": lambda: failure(failed()),
    "failure, retried": lambda: failure(failed(BOB)),
    "failure, over": lambda: failure(failed(NOBODY)),
    "opening": lambda: opening(ALICE, "Tidy up <!channel>\nplease"),
    "opening, long": lambda: opening(ALICE, LONG),
}

_SEEN: Final = [name for name in _ASKED if "open" in name or "edited" in name]
_LONG_ONE: Final = _ASKED["open, long"]
_TURNING: Final = one(targets={"archive_file": {"properties": {"path": {"type": "string"}}}})

VIEWS: Final[Mapping[str, Callable[[], View]]] = {
    **{f"view all, {name}": partial(_form, view_all, _ASKED[name]) for name in _SEEN},
    "view all, long, last page": partial(_form, view_all, _LONG_ONE, 9),
    "view all, of every call": lambda: view_all(two(), None),
    "view all, of thirty": lambda: view_all(_ASKED["open, thirty calls"], None, page=1),
    "edit": partial(_form, edit_form, one()),
    "edit, what was edited": partial(_form, edit_form, _ASKED["open, edited by one of two"]),
    "edit, without a schema": partial(_form, edit_form, one({"sql": QUERY, "n": 7}, schema=None)),
    "edit, no arguments": partial(_form, edit_form, one({}, schema=None)),
    "edit, long": partial(_form, edit_form, one({"content": LONG * 9, "path": "notes.txt"})),
    "edit, secrets": _secret_form,
    "edit, of several tools": partial(_form, edit_form, _TURNING),
    "edit, into another tool": lambda: edit_form(_TURNING, _TURNING.actions[0], tool="archive_file"),
    "reject": partial(_form, reject_form, one()),
    "respond": partial(_form, respond_form, one()),
    "respond, to a question": partial(_form, respond_form, _ASKED["open, a question"]),
    "approve unseen": partial(_form, unread_form, _LONG_ONE),
    "it ran": partial(_form, ran_form, doubtful()),
    "sentence": lambda: message_form("Only <@U0BOB> can do that, not <!here>."),
    "home": partial(_home, [_ASKED[name] for name in _OPEN]),
    "home, nothing waits": partial(_home, []),
    "home, more than fit": partial(_home, [one()] * 33),
}


def drawn(name: str) -> dict[str, Any]:
    """The state of this name as Slack is given it."""
    if name in VIEWS:
        return VIEWS[name]()
    message = MESSAGES[name]()
    return {"text": message.text, "blocks": message.blocks}
