""" "Ask the agent about this": the form, what it carries, what is asked of Slack, and every way it ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from bot.approvals.errors import CouldNotCheck, NotAllowed
from bot.approvals.ids import ChannelId, Ts, UserId
from bot.approvals.person import Person, Standing
from bot.approvals.roster import ONE_AGENT, Address, Roster
from bot.slack import verbs
from bot.slack.quoting import asked_about, fingerprint
from bot.slack.shortcuts import ASK, About, Shortcuts, ask_form
from tests.slack.reading import readable
from tests.slack.steps import Acks, Called, Whispers, error

TEXT = "Look at &lt;this&gt; by <@U0ALICE|alice>"
WORDS = "Look at <this> by @alice"
ABOUT = About(channel="C1", ts="5.5", thread="5.5", fingerprint=fingerprint(TEXT))
REPLY = About(channel="C1", ts="6.6", thread="5.5", fingerprint=fingerprint(TEXT))


@dataclass(kw_only=True)
class People:
    """A directory of one workspace."""

    open: bool = True
    inside: bool = True
    name: str = "alice"
    silent: bool = False
    looked_up: list[tuple[str, str]] = field(default_factory=list)

    async def takes_messages(self, channel: ChannelId) -> bool:
        self.looked_up.append(("open", channel))
        return self.open

    async def is_member(self, channel: ChannelId, user: UserId) -> bool:
        self.looked_up.append((channel, user))
        return self.inside

    async def person(self, user: UserId) -> Person:
        if self.silent:
            raise CouldNotCheck("Slack is silent.")
        return Person(id=user, standing=Standing.MEMBER, name=self.name)


@dataclass(kw_only=True)
class Steers:
    """Hears what is said, and from whom it may come."""

    directory: People = field(default_factory=People)
    roster: Roster = ONE_AGENT
    refused: str = ""
    checked: list[str] = field(default_factory=list)
    heard: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def check_asker(self, by: UserId) -> None:
        self.checked.append(by)
        if self.refused:
            raise NotAllowed(self.refused)

    async def hear(self, said: str, **more: Any) -> None:  # noqa: ANN401 - as Steering takes it
        self.heard.append((said, more))


@dataclass(kw_only=True)
class House:
    """The shortcut with everything around it."""

    steers: Steers = field(default_factory=Steers)
    slack: Called = field(default_factory=Called)
    private: Whispers = field(default_factory=Whispers)
    acks: Acks = field(default_factory=Acks)

    @property
    def shortcuts(self) -> Shortcuts:
        parts: Any = {"steering": self.steers, "client": self.slack, "private": self.private}
        return Shortcuts(**parts)

    async def open(self, message: object = None, **more: object) -> None:
        """Take the shortcut on a message; without one, on Alice's."""
        body: dict[str, Any] = {
            "type": "message_action",
            "callback_id": "ask_about",
            "user": {"id": "U0BOB", "team_id": "T0HOME"},
            "team": {"id": "T0HOME"},
            "channel": {"id": "C1"},
            "trigger_id": "trigger",
            "message": {"text": TEXT, "user": "U0ALICE", "ts": "5.5"} if message is None else message,
            **more,
        }
        ack: Any = self.acks
        await self.shortcuts.opened(ack, body)

    async def send(self, about: str, ask: object = " Sum it up. ") -> None:
        """Send its form."""
        value = {"type": "plain_text_input", "value": ask}
        body: dict[str, Any] = {
            "type": "view_submission",
            "user": {"id": "U0BOB", "team_id": "T0HOME"},
            "team": {"id": "T0HOME"},
            "view": {
                "id": "V1",
                "callback_id": verbs.ASK_FORM,
                "private_metadata": about,
                "state": {"values": {ASK: {"value": value}}},
            },
        }
        ack: Any = self.acks
        await self.shortcuts.sent(ack, body)


def found(text: str = TEXT, ts: str = "5.5", user: str = "U0ALICE") -> Mapping[str, Any]:
    return {"messages": [{"ts": "1.1", "text": "another"}, {"ts": ts, "text": text, "user": user}]}


def sentence(view: Mapping[str, Any]) -> str:
    return readable(view["blocks"])


def test_what_a_form_is_about_is_read_as_it_was_written() -> None:
    assert About.read(str(ABOUT)) == ABOUT
    assert str(ABOUT) == (
        f'{{"channel": "C1", "ts": "5.5", "thread": "5.5", "fingerprint": "{fingerprint(TEXT)}"}}'
    )


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "no JSON",
        "[]",
        "7",
        "[" * 100_000,
        '{"channel": "C1", "ts": "5.5", "thread": "5.5"}',
        '{"channel": "C1", "ts": 5.5, "thread": "5.5", "fingerprint": "0"}',
        '{"channel": null, "ts": "5.5", "thread": "5.5", "fingerprint": "0"}',
    ],
)
def test_what_is_nothing_of_ours_is_about_nothing(odd: str) -> None:
    assert About.read(odd) is None


def test_more_than_was_written_is_left_out() -> None:
    assert About.read(str(ABOUT)[:-1] + ', "more": 1}') == ABOUT


async def test_the_shortcut_opens_a_form_with_the_message_in_view() -> None:
    house = House()
    await house.open()
    assert house.acks.told == [{}]
    assert house.steers.checked == ["U0BOB"]
    assert house.steers.directory.looked_up == [("open", "C1")]
    assert house.slack.asked == [
        ("views_open", {"trigger_id": "trigger", "view": ask_form(ABOUT, TEXT, "U0ALICE")})
    ]
    assert sentence(house.slack.asked[0][1]["view"]).split("\n") == [
        "About this message by @U0ALICE:",
        f"> {WORDS}",
        "What should the agent do?: ___",
        "(The agent gets the message as a quotation, not as your words, and answers in its thread.)",
    ]


async def test_in_a_thread_the_form_carries_the_thread() -> None:
    house = House()
    await house.open({"text": TEXT, "user": "U0ALICE", "ts": "6.6", "thread_ts": "5.5"})
    [(_, asked)] = house.slack.asked
    assert About.read(asked["view"]["private_metadata"]) == REPLY


async def test_a_message_of_an_app_is_said_to_be_of_one() -> None:
    house = House()
    await house.open({"text": TEXT, "bot_id": "B1", "ts": "5.5"})
    assert sentence(house.slack.asked[0][1]["view"]).startswith("About this message by an app:\n")


@pytest.mark.parametrize("message", [{}, {"text": ""}, {"text": 7}, {"text": " \n"}])
async def test_a_message_without_text_opens_nothing(message: dict[str, object]) -> None:
    house = House()
    await house.open({**message, "ts": "5.5"})
    assert house.slack.asked == []
    assert house.private.told == [
        ("U0BOB", "This message has no text that could be taken along, so nothing was done.")
    ]


async def test_a_channel_that_the_bot_is_not_in_is_told_how_to_change_that() -> None:
    house = House(steers=Steers(directory=People(open=False)))
    await house.open()
    assert house.slack.asked == []
    assert house.private.told == [
        ("U0BOB", "I am not in this channel, so I could not answer: /invite me, then ask again.")
    ]


async def test_who_may_not_ask_is_told_so_and_nothing_opens() -> None:
    house = House(steers=Steers(refused="Guests cannot ask."))
    await house.open()
    assert house.slack.asked == []
    assert house.private.told == [("U0BOB", "Guests cannot ask.")]


@pytest.mark.parametrize("name", ["expired_trigger_id", "exchanged_trigger_id", "invalid_trigger_id"])
async def test_who_waited_too_long_is_told_to_try_again(name: str) -> None:
    house = House(slack=Called(answers={"views_open": error(name)}))
    await house.open()
    assert house.private.told == [
        ("U0BOB", "It took too long to open this; nothing was done. Please try again.")
    ]


async def test_any_other_answer_of_slack_is_an_error() -> None:
    house = House(slack=Called(answers={"views_open": error("internal_error")}))
    with pytest.raises(SlackApiError):
        await house.open()
    assert house.private.told == []


@pytest.mark.parametrize(
    "more",
    [
        {"user": None},
        {"channel": None},
        {"message": "odd"},
        {"message": {"text": TEXT}},
        {"channel": 7},
        {"user": {"id": "<x>"}},
    ],
)
async def test_a_payload_that_is_none_is_taken_and_opens_nothing(more: dict[str, object]) -> None:
    house = House()
    await house.open(**more)
    assert house.acks.told == [{}]
    assert (house.slack.asked, house.private.told, house.steers.checked) == ([], [], [])


async def test_what_is_sent_is_heard_with_the_message_quoted_once_for_each_form() -> None:
    house = House(slack=Called(answers={"conversations_history": found()}))
    await house.send(str(ABOUT))
    assert house.acks.told == [{}]
    assert house.steers.checked == ["U0BOB"]
    assert house.steers.directory.looked_up == [("open", "C1"), ("C1", "U0BOB")]
    assert house.slack.asked == [
        (
            "conversations_history",
            {"channel": "C1", "latest": "5.5", "oldest": "5.5", "inclusive": True, "limit": 1},
        )
    ]
    assert house.steers.heard == [
        (
            asked_about("Sum it up.", TEXT, "@alice"),
            {
                "by": UserId("U0BOB"),
                "channel": ChannelId("C1"),
                "ts": Ts("5.5/V1"),
                "thread_ts": Ts("5.5"),
                "shown": f"Sum it up.\n(about a message in this thread, {len(WORDS)} characters)",
                "to": Address(text="Sum it up."),
            },
        )
    ]


async def test_a_long_message_is_told_with_a_comma_in_its_length() -> None:
    long = "x" * 2_000
    house = House(slack=Called(answers={"conversations_history": found(long)}))
    await house.send(str(About(channel="C1", ts="5.5", thread="5.5", fingerprint=fingerprint(long))))
    assert house.steers.heard[0][1]["shown"].endswith("(about a message in this thread, 2,000 characters)")


async def test_a_reply_is_looked_up_in_its_thread() -> None:
    house = House(slack=Called(answers={"conversations_replies": found(ts="6.6")}))
    await house.send(str(REPLY))
    assert house.slack.asked == [
        (
            "conversations_replies",
            {"channel": "C1", "latest": "6.6", "oldest": "6.6", "inclusive": True, "ts": "5.5", "limit": 2},
        )
    ]
    assert [more["thread_ts"] for _, more in house.steers.heard] == ["5.5"]
    assert [more["ts"] for _, more in house.steers.heard] == ["6.6/V1"]


@pytest.mark.parametrize(
    ("people", "user", "author"),
    [
        (People(), "U0ALICE", "@alice"),
        (People(name=""), "U0ALICE", "@U0ALICE"),
        (People(silent=True), "U0ALICE", "U0ALICE"),
        (People(), "B0APP", "an app"),
        (People(), "", "an app"),
    ],
)
async def test_the_agent_is_told_who_wrote_it(people: People, user: str, author: str) -> None:
    answers = {"conversations_history": found(user=user)}
    house = House(steers=Steers(directory=people), slack=Called(answers=answers))
    await house.send(str(ABOUT))
    assert [said for said, _ in house.steers.heard] == [asked_about("Sum it up.", TEXT, author)]


@pytest.mark.parametrize(
    ("people", "answer", "told"),
    [
        (
            People(open=False),
            found(),
            "I am not in this channel, so I could not answer: /invite me, then ask again.",
        ),
        (People(inside=False), found(), "You are not in the channel of this message, so nothing was done."),
        (
            People(),
            found("changed"),
            "The message was changed or deleted meanwhile, so nothing was done. Please ask again.",
        ),
        (
            People(),
            {"messages": []},
            "The message was changed or deleted meanwhile, so nothing was done. Please ask again.",
        ),
        (
            People(),
            error("internal_error"),
            "Slack did not let me read the message just now, so nothing was done. Please try again.",
        ),
    ],
)
async def test_where_it_cannot_be_done_the_form_says_why_and_nothing_is_heard(
    people: People, answer: object, told: str
) -> None:
    house = House(steers=Steers(directory=people), slack=Called(answers={"conversations_history": answer}))
    await house.send(str(ABOUT))
    assert house.steers.heard == []
    [ack] = house.acks.told
    assert ack["response_action"] == "update"
    assert sentence(ack["view"]) == told


@pytest.mark.parametrize("ask", ["", "  \n ", None, 7])
async def test_without_words_the_form_asks_for_them(ask: object) -> None:
    house = House()
    await house.send(str(ABOUT), ask)
    assert house.acks.told == [
        {"response_action": "errors", "errors": {"ask": "Say what the agent should do with it."}}
    ]
    assert (house.slack.asked, house.steers.heard) == ([], [])


async def test_a_form_that_carries_nothing_of_ours_is_taken_and_closes() -> None:
    house = House()
    await house.send("odd")
    ack: Any = house.acks
    await house.shortcuts.sent(ack, {"type": "view_submission"})
    assert house.acks.told == [{}, {}]
    assert (house.slack.asked, house.steers.heard) == ([], [])


def test_both_are_taken_by_the_app() -> None:
    taken: list[tuple[str, object, str]] = []

    class App:
        def message_shortcut(self, name: str) -> Any:  # noqa: ANN401
            return lambda what: taken.append(("shortcut", name, what.__name__))

        def view(self, name: str) -> Any:  # noqa: ANN401
            return lambda what: taken.append(("view", name, what.__name__))

    app: Any = App()
    House().shortcuts.register(app)
    assert taken == [("shortcut", "ask_about", "opened"), ("view", "ask_form", "sent")]
