"""The private answer to `/agent pending`: whole lines, as many as one message takes, and who is refused."""

from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.approval import Approval
from bot.approvals.conversation import Conversation
from bot.approvals.ids import ChannelId, ConversationId, PostId, Ts, UserId
from bot.approvals.inbox import Inbox, Mine, Request
from bot.approvals.masking import Masking
from bot.approvals.person import Standing
from bot.approvals.places import Copy
from bot.approvals.ports import Asked
from bot.slack.pending import MORE, Pending, every, mine
from tests.slack.samples import ALICE, BOB, NOW, action, approval

MEMBER = Inbox(person=BOB, standing=Standing.MEMBER)
AT_NINE = "<!date^1772443800^{date_short_pretty}, {time}|2026-03-02 09:30 UTC>"


def address(channel: ChannelId, ts: Ts) -> str:
    return f"https://a.example/{channel}/{ts}"


def asked(about: Approval, *places: str) -> Asked:
    conversation = Conversation(
        id=ConversationId("c"), channel=ChannelId("C1"), thread_ts=Ts("1.1"), requester=ALICE, started_at=NOW
    )
    cards = tuple(
        Copy(post=PostId(place), channel=ChannelId("D1"), ts=Ts(f"{number}.2"), place=place, is_sent=True)
        for number, place in enumerate(places)
    )
    return Asked(approval=about, conversation=conversation, cards=cards)


def waits(about: Approval, *places: str) -> Mine:
    return Mine(asked=asked(about, *places), actions=(about.actions[-1].id,))


def test_each_is_led_to_the_own_card_and_told_of_the_own_calls_alone() -> None:
    two = approval(action(0, "write"), action(1, "deploy"))
    told = mine(replace(MEMBER, waiting=(waits(two, ALICE, BOB),)), address)
    assert told == (
        f"Waiting for you:\n• deploy, asked by <@U0ALICE>, {AT_NINE} · "
        "<https://a.example/D1/1.2|Open the card>"
    )
    told = every(replace(MEMBER, every=(asked(two, ALICE, BOB),), total=1), address)
    assert told == (
        f"All that waits:\n• write and deploy, asked by <@U0ALICE>, {AT_NINE} · "
        "<https://a.example/D1/1.2|Open the card>"
    )


@pytest.mark.parametrize(
    ("standing", "told"),
    [
        (None, "Slack could not say who you are, so nothing is listed. Please try again in a moment."),
        (Standing.GUEST, "Guests cannot take part in approvals, so nothing waits here."),
        (
            Standing.OUTSIDER,
            "People of another organisation cannot take part in approvals, so nothing waits here.",
        ),
        (Standing.BOT, "Bots cannot take part in approvals, so nothing waits here."),
        (Standing.DEACTIVATED, "A deactivated account cannot take part in approvals, so nothing waits here."),
    ],
)
def test_who_cannot_take_part_is_told_so_and_nothing_else(standing: Standing | None, told: str) -> None:
    inbox = replace(MEMBER, standing=standing, waiting=(waits(approval()),), every=(asked(approval()),))
    assert mine(inbox, address) == every(inbox, address) == told


def test_who_is_no_operator_is_told_what_to_use_instead() -> None:
    assert every(MEMBER, address) == (
        "Only operators may list all that waits, and the policy names you as none. "
        "*/agent pending* lists what waits for you."
    )


def test_how_many_more_there_are_is_told_with_a_comma_and_that_there_may_be_others() -> None:
    inbox = replace(MEMBER, waiting=(waits(approval()),), more=1_234, is_partial=True)
    assert mine(inbox, address).split("\n")[-2:] == [
        "… and 1,234 more.",
        "Slack could not say everywhere whether you may decide, so there may be more.",
    ]


def words(count: int, length: int) -> tuple[str, int]:
    """What is answered where so many own requests have lines of this length."""
    bare = mine(replace(MEMBER, requests=(request(""),)), address).split("\n")[-1]
    several = tuple(request("w" * (length - len(bare) + len(AT_NINE))) for _ in range(count))
    told = mine(replace(MEMBER, requests=several), address)
    return told, len(told.split("\n")[2])


def request(text: str) -> Request:
    return Request(conversation=asked(approval()).conversation, words=text)


@pytest.mark.parametrize(("length", "cut"), [(129, True), (123, False)])
def test_what_does_not_fit_into_3000_characters_is_counted(length: int, cut: bool) -> None:  # noqa: FBT001 - a table
    told, line = words(23, length)
    assert line == length
    assert ("more." in told) is cut
    assert len(told) <= 3_000


def test_the_last_line_is_there_if_the_whole_leaves_room_for_a_count() -> None:
    """3,000 less the 20 that a count takes: the sum of lines and their ends may be that, and no more."""
    head = len("Nothing waits for you.\nWhat you asked for and is not finished:\n")
    assert len(MORE) == 19
    fits = {length: "more." not in words(20, length)[0] for length in range(120, 160)}
    longest = max(length for length, whole in fits.items() if whole)
    assert head + 20 * longest + 19 <= 3_000 - len(MORE) < head + 20 * (longest + 1) + 19


class Boxes:
    """Inboxes of one person."""

    def __init__(self) -> None:
        self.asked: list[UserId] = []

    async def of(self, by: UserId) -> Inbox:
        self.asked.append(by)
        secret = request("token=abc12345 please")
        about = approval(action(0, "write"))
        return replace(
            MEMBER,
            person=by,
            requests=(secret,),
            waiting=(waits(about, BOB),),
            every=(asked(about, BOB),),
            total=1,
        )


async def test_the_command_reads_the_inbox_of_whoever_asks_and_masks_it() -> None:
    boxes = Boxes()
    parts: Any = {"inboxes": boxes, "address": address, "masking": Masking()}
    pending = Pending(**parts)
    own, whole = await pending.mine(BOB), await pending.every(BOB)
    assert boxes.asked == [BOB, BOB]
    inbox = (await boxes.of(BOB)).masked(Masking())
    assert own == mine(inbox, address)
    assert whole == every(inbox, address)
    assert "abc12345" not in own
    assert "(masked, 8 characters)" in own
