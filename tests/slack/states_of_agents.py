"""What is drawn where a bot has several agents: each says which it is of."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from bot.approvals.ids import AgentName, ChannelId, Ts
from bot.approvals.inbox import Inbox, Mine, Request
from bot.approvals.masking import BY_DEFAULT
from bot.approvals.person import Standing
from bot.approvals.realm import Realm
from bot.approvals.roster import Roster
from bot.approvals.words import say
from bot.slack.answers import opening, sentence
from bot.slack.cards import card
from bot.slack.home import home
from bot.slack.message import Message, View
from bot.slack.naming import helped
from bot.slack.shortcuts import About, ask_form
from bot.slack.talk import HELP
from tests.slack import states
from tests.slack.samples import ALICE, BOB

OPS, DOCS = AgentName("ops"), AgentName("docs")
ROSTER: Final = Roster(names=(OPS, DOCS), purposes={OPS: "Looks after <the> machines & more."})


def _home() -> View:
    asked = states._asked(states.one())
    conversation = replace(asked.conversation, realm=Realm(agent=DOCS))
    mine = Mine(
        asked=replace(asked, conversation=conversation), actions=tuple(one.id for one in asked.approval.open)
    )
    own = Request(conversation=conversation, words="Tidy up", tools=("delete_file",))
    inbox = Inbox(
        person=BOB,
        standing=Standing.MEMBER,
        waiting=(mine,),
        requests=(own,),
        every=(mine.asked,),
        total=1,
        roster=ROSTER,
    )
    return home(inbox, lambda channel, ts: f"https://a.example/{ChannelId(channel)}/{Ts(ts)}")


MESSAGES: Final[Mapping[str, Callable[[], Message]]] = {
    "card, of several agents": lambda: card(BY_DEFAULT.approval(states.one()), requester=ALICE, agent="docs"),
    "opening, of several agents": lambda: opening(ALICE, "Tidy up", "docs"),
    "help, of several agents": lambda: sentence(say(HELP) + helped(ROSTER)),
}

VIEWS: Final[Mapping[str, Callable[[], View]]] = {
    "home, of several agents": _home,
    "ask the agent, of several agents": lambda: ask_form(
        About(channel="C0GENERAL", ts="1.1", thread="1.1", fingerprint="f"), "The page is wrong.", BOB, ROSTER
    ),
}


def every_card() -> Mapping[str, Any]:
    """Each card of the golden states, of one of several agents."""
    return {
        name: card(BY_DEFAULT.approval(asked), requester=ALICE, agent="n" * 30)
        for name, asked in states._ASKED.items()
    }
