"""What one person alone sees is in that person's language, and nothing waits long for finding it out."""

import asyncio
from typing import Any

import pytest
from slack_sdk.errors import SlackClientError

from bot.approvals.errors import CouldNotCheck
from bot.approvals.ids import UserId
from bot.approvals.person import Standing
from bot.approvals.words import ENGLISH, Language, in_public, public_language, say
from bot.languages import LANGUAGES, language
from bot.slack.census import Whose
from bot.slack.directory import SlackDirectory
from bot.slack.languages import Interpreter, sender
from bot.slack.literal import plain, worded


@pytest.mark.parametrize(
    "payload",
    [
        {"user": {"id": "U0BOB"}},
        {"user_id": "U0BOB", "command": "/agent"},
        {"event": {"user": "U0BOB", "type": "app_mention"}},
    ],
)
def test_who_sent_a_payload_is_found_whatever_kind_it_is(payload: dict[str, Any]) -> None:
    assert sender(payload) == "U0BOB"


@pytest.mark.parametrize("payload", [{}, {"user": "U0BOB"}, {"user": {"id": "<!here>"}}, {"event": {}}])
def test_nobody_sent_what_names_no_person(payload: dict[str, Any]) -> None:
    assert sender(payload) is None


class Reads:
    """Everybody reads this."""

    def __init__(self, language: Language | None) -> None:
        self.one = language
        self.asked: list[UserId] = []

    async def language(self, user: UserId) -> Language | None:
        self.asked.append(user)
        return self.one


class Loud(type(ENGLISH)):  # type: ignore[misc]
    def gettext(self, message: str) -> str:
        return message.upper()


async def test_whoever_sent_a_payload_is_answered_in_their_language() -> None:
    async def listener() -> str:
        return say("done")

    reads = Reads(Loud())
    assert await Interpreter(languages=reads).enter({"user": {"id": "U0BOB"}}, listener) == "DONE"  # type: ignore[arg-type,comparison-overlap]
    assert reads.asked == ["U0BOB"]
    assert await Interpreter(languages=reads).enter({"type": "x"}, listener) == "done"  # type: ignore[arg-type,comparison-overlap]
    assert reads.asked == ["U0BOB"]


async def test_several_workspaces_with_one_way_in_have_each_its_own_public_language() -> None:
    async def listener() -> tuple[str, str]:
        private = say("done")
        with in_public():
            return private, say("for all")

    with public_language(Loud()):
        loud = Interpreter(languages=Reads(None))
    quiet = Interpreter(languages=Reads(Loud()))
    body = {"user": {"id": "U0BOB"}}
    assert await loud.enter(body, listener) == ("DONE", "FOR ALL")  # type: ignore[arg-type,comparison-overlap]
    assert await quiet.enter(body, listener) == ("DONE", "for all")  # type: ignore[arg-type,comparison-overlap]
    assert await loud.enter(body, listener) == ("DONE", "FOR ALL")  # type: ignore[arg-type,comparison-overlap]


def test_english_is_spoken_wherever_it_is_from() -> None:
    assert language("en") is language("en-GB") is language("en-US") is ENGLISH


def test_a_language_that_nobody_wrote_down_is_none() -> None:
    assert language("fr-FR") is language("") is language("zh") is language("zh-TW") is None


def test_every_language_of_a_policy_is_there() -> None:
    assert LANGUAGES == ("en", "zh-CN")
    assert all(language(tag) for tag in LANGUAGES)


def test_a_catalogue_is_read_once() -> None:
    assert language("zh-CN") is language("zh-CN")


def test_elements_stand_within_a_sentence() -> None:
    code = plain("rm", code=True)
    drawn = [
        one.to_dict()
        for one in worded("Run {tool} {times:,} times for {who}?", tool=code, times=2, who=[code, code])
    ]
    assert drawn == [
        {"type": "text", "text": "Run "},
        {"type": "text", "text": "rm", "style": {"code": True}},
        {"type": "text", "text": " 2 times for "},
        {"type": "text", "text": "rm", "style": {"code": True}},
        {"type": "text", "text": "rm", "style": {"code": True}},
        {"type": "text", "text": "?"},
    ]


def test_bold_is_the_sentence_and_not_what_stands_in_it() -> None:
    [first, second] = worded("Run {tool}", tool=plain("rm"), bold=True)
    assert first.to_dict() == {"type": "text", "text": "Run ", "style": {"bold": True}}
    assert second.to_dict() == {"type": "text", "text": "rm"}


def test_what_is_no_element_cannot_stand_in_a_sentence() -> None:
    with pytest.raises(TypeError, match="float cannot stand in a sentence"):
        worded("{number}", number=0.5)


class SlowSlack:
    """Says who somebody is when it is let."""

    def __init__(self, error: Exception | None = None) -> None:
        self.let, self.error, self.asked = asyncio.Event(), error, 0

    async def users_info(self, *, user: str, include_locale: bool) -> dict[str, Any]:
        assert include_locale
        self.asked += 1
        await self.let.wait()
        if self.error:
            raise self.error
        return {"user": {"id": user, "team_id": "T1", "locale": "zh-CN"}}


async def test_whoever_decides_does_not_ask_anew_what_was_asked_for_the_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.slack.directory.SHORT_PATIENCE", 0.01)
    slack = SlowSlack()
    directory = SlackDirectory(slack, Whose(team="T1", enterprise=None))  # type: ignore[arg-type]
    assert await directory.language(UserId("U0BOB")) is None, "too late for this time"
    deciding = asyncio.create_task(directory.person(UserId("U0BOB")))
    slack.let.set()
    assert (await deciding).standing is Standing.MEMBER
    assert await directory.language(UserId("U0BOB")) is language("zh-CN")
    assert slack.asked == 1
    await directory.close()


@pytest.mark.parametrize("patience", [0.01, 9])
async def test_a_slack_that_cannot_say_what_somebody_reads_is_asked_again_the_next_time(
    monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    monkeypatch.setattr("bot.slack.directory.SHORT_PATIENCE", patience)
    slack = SlowSlack(SlackClientError("no"))
    directory = SlackDirectory(slack, Whose(team="T1", enterprise=None))  # type: ignore[arg-type]
    if patience > 1:
        slack.let.set()
    assert await directory.language(UserId("U0BOB")) is None
    slack.let.set()
    with pytest.raises(CouldNotCheck):
        await directory.person(UserId("U0BOB"))
    slack.error = None
    assert await directory.language(UserId("U0BOB")) is language("zh-CN")
    await directory.close()
