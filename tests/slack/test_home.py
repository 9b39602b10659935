from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.approvals.action import LetThrough
from bot.approvals.approval import Approval
from bot.approvals.conversation import Conversation, Status
from bot.approvals.decision import Approve, Reject
from bot.approvals.ids import ActionId, ApprovalId, ChannelId, PostId, Ts
from bot.approvals.inbox import Inbox, Mine, Request, Ruled
from bot.approvals.person import Standing
from bot.approvals.places import Copy
from bot.approvals.ports import Asked
from bot.approvals.who import ChannelMembers, Quorum
from bot.slack.home import HOW_TO_START, MOST_BLOCKS, home, stands_on
from bot.slack.listing import request_line
from bot.slack.message import View
from bot.slack.pending import every, mine
from tests.slack.limits import assert_view_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ALICE, BOB, NOW, action, approval, approvals, decided

GENERAL = ChannelId("C0GENERAL")
CARD = Copy(post=PostId("card"), channel=GENERAL, ts=Ts("1.000200"), is_sent=True)
CARD_LINK = "<https://a.example/C0GENERAL/1.000200|Open the card>"
THREAD_LINK = "<https://a.example/C0GENERAL/1.000100|Open the thread>"
AT_NINE = "<!date^1772443800^{date_short_pretty}, {time}|2026-03-02 09:30 UTC>"
MEMBER = Inbox(person=BOB, standing=Standing.MEMBER)


def address(channel: ChannelId, ts: Ts) -> str:
    return f"https://a.example/{channel}/{ts}"


def in_thread(about: Approval, *, cards: tuple[Copy, ...] = (CARD,)) -> Asked:
    conversation = Conversation(
        id=about.conversation,
        channel=GENERAL,
        thread_ts=Ts("1.000100"),
        requester=ALICE,
        started_at=NOW,
        status=Status.WAITING,
    )
    return Asked(approval=about, conversation=conversation, cards=cards)


def waiting(about: Approval, *, cards: tuple[Copy, ...] = (CARD,)) -> Mine:
    return Mine(asked=in_thread(about, cards=cards), actions=tuple(one.id for one in about.open))


def bobs(*mine: Mine) -> Inbox:
    return replace(MEMBER, waiting=mine)


def drawn(inbox: Inbox) -> View:
    view = home(inbox, address)
    assert_view_fit_for_slack(view)
    return view


def words(inbox: Inbox) -> str:
    return readable(drawn(inbox)["blocks"])


def apart(given: list[Approval], times: int) -> list[Approval]:
    """The approvals so many times over, with ids of their own."""
    return [
        replace(
            each,
            id=ApprovalId(f"{turn}.{number}"),
            actions=tuple(replace(one, id=ActionId(f"{turn}.{number}.{one.id}")) for one in each.actions),
        )
        for turn in range(times)
        for number, each in enumerate(given)
    ]


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(approvals(), max_size=4), st.sampled_from([1, 3]))
def test_any_home_tab_is_fit_for_slack(given: list[Approval], times: int) -> None:
    every = apart(given, times)
    inbox = replace(
        bobs(*(waiting(each) for each in every if each.open)),
        decided=tuple(Ruled(asked=in_thread(each), action=each.actions[0].id, at=NOW) for each in every[:4]),
        every=tuple(map(in_thread, every)),
        total=len(every),
    )
    assert len(drawn(inbox)["blocks"]) <= 100


def test_what_waits_stands_there_as_on_its_card_with_the_same_buttons_and_the_way_to_it() -> None:
    view = drawn(bobs(waiting(approval(action(0)))))
    text = readable(view["blocks"])
    assert text.startswith(
        f"# Waiting for you\n*write_file* `notes.txt`\nAsked by <@U0ALICE>, {AT_NINE}\n"
        "`write_file`  digest 01234567\n"
    )
    assert "[Approve] [Edit] [Respond] [Reject]" in text
    assert view["blocks"][1]["accessory"]["url"] == "https://a.example/C0GENERAL/1.000200"
    assert view["blocks"][1]["accessory"]["text"]["text"] == "Open the card"
    assert text.endswith(f"# How to start\n{HOW_TO_START}")
    assert HOW_TO_START.startswith("Type `/agent` and what you want done, mention me in a channel")


def test_without_a_message_there_is_no_way_to_one_and_the_deadline_is_told() -> None:
    about = replace(approval(action(0)), expires_at=NOW + timedelta(hours=1))
    view = home(bobs(waiting(about, cards=())), address)
    assert "accessory" not in view["blocks"][1]
    until = f"Asked by <@U0ALICE>, {AT_NINE}. Open until <!date^1772447400^"
    assert until in view["blocks"][1]["text"]["text"]


def test_of_one_approval_three_actions_are_drawn_and_the_others_are_counted() -> None:
    text = words(bobs(waiting(approval(*map(action, range(5))))))
    assert text.count("[Approve]") == 3
    assert "*write_file (5 times)*" in text
    assert "(2 more of this request stand on its card.)" in text
    assert "more of this request" not in words(bobs(waiting(approval(*map(action, range(3))))))


def test_only_those_actions_are_drawn_that_wait_for_this_person() -> None:
    about = decided(approval(action(0), action(1, "deploy"), action(2, "drop")), [Approve()], first=1)
    text = words(bobs(Mine(asked=in_thread(about), actions=(about.actions[2].id,))))
    assert "*drop* `notes.txt` (1 of 3 decided)" in text
    assert text.count("[Approve]") == 1
    assert "deploy" not in text


def test_what_has_no_room_is_counted_with_what_was_not_read() -> None:
    inbox = replace(bobs(*map(waiting, apart([approval(*map(action, range(4)))], 12))), more=9_988)
    view = drawn(inbox)
    shown = stands_on(view, inbox)
    assert [one.id for one in shown] == [f"{number}.0" for number in range(len(shown))]
    assert len(shown) == 7
    assert len(view["blocks"]) <= MOST_BLOCKS + 6
    assert "9,993 more wait for you. They come up here as these are decided;" in readable(view["blocks"])


def test_an_empty_tab_says_so_and_one_that_may_lack_something_too() -> None:
    assert words(MEMBER).startswith("# Waiting for you\nNothing waits for you.\n---\n# How to start")
    assert "something may be missing here" in words(replace(MEMBER, is_partial=True))
    assert "missing" not in words(MEMBER)


def test_whoever_cannot_take_part_and_whoever_is_not_known_is_told_and_shown_nothing() -> None:
    guest = words(replace(bobs(waiting(approval(action(0)))), standing=Standing.GUEST))
    assert guest.startswith("Guests cannot take part in approvals, so nothing waits here.\n---\n# How")
    nobody = words(replace(bobs(waiting(approval(action(0)))), standing=None))
    assert nobody.startswith("⚠️ Slack could not say who you are, so nothing is shown. Open this tab again")
    assert "write_file" not in guest + nobody


def test_what_was_asked_for_and_decided_has_a_line_each_without_any_argument() -> None:
    about = decided(approval(action(0), action(1)), [Approve(), Reject("no & never")])
    asked = in_thread(about)
    idle = replace(asked.conversation, thread_ts=None, status=Status.IDLE)
    requests = (
        Request(conversation=asked.conversation, words="please <!channel>\ntidy up", tools=("a", "b")),
        Request(conversation=idle, words=""),
    )
    ruled = tuple(Ruled(asked=asked, action=one.id, at=NOW) for one in about.actions)
    assert words(replace(MEMBER, requests=requests, decided=ruled)).split("\n")[2:8] == [
        "# What you asked for",
        f"• please &lt;!channel&gt;⏎tidy up: waits for a decision about a and b · {THREAD_LINK}",
        f"• {AT_NINE}: finished",
        "# What you decided lately",
        f"• write_file: approved by you, {AT_NINE}. That decided it. · {CARD_LINK}",
        f"• write_file: rejected by you, {AT_NINE}. That decided it. · {CARD_LINK}",
    ]


def test_operators_see_all_that_waits_by_name_and_how_much_it_is() -> None:
    text = words(replace(MEMBER, every=(in_thread(approval(action(0, "deploy"))),), total=21))
    lines = f"• deploy, asked by <@U0ALICE>, {AT_NINE} · {CARD_LINK}\n… and 20 more."
    assert f"# All that waits, for operators: 21\n{lines}" in text.replace("\n\n", "\n")
    assert "[Approve]" not in text
    assert "Nothing waits for anybody." in words(replace(MEMBER, every=()))
    assert "operators" not in words(MEMBER)


def test_the_command_answers_in_lines_that_lead_to_the_cards() -> None:
    about = approval(action(0))
    own = Request(conversation=in_thread(about).conversation, words="go")
    done = replace(own, conversation=replace(own.conversation, status=Status.IDLE))
    inbox = replace(bobs(waiting(about)), more=3, requests=(own, done))
    assert mine(inbox, address).split("\n") == [
        "Waiting for you:",
        f"• write_file, asked by <@U0ALICE>, {AT_NINE} · {CARD_LINK}",
        "… and 3 more.",
        "What you asked for and is not finished:",
        f"• go: waits for a decision · {THREAD_LINK}",
    ]
    assert mine(MEMBER, address) == "Nothing waits for you."
    assert mine(replace(MEMBER, is_partial=True), address).endswith("so there may be more.")
    assert mine(Inbox(person=BOB), address).startswith("Slack could not say who you are")
    assert mine(replace(inbox, standing=Standing.GUEST), address).startswith("Guests cannot")


def test_only_operators_are_answered_with_all_that_waits() -> None:
    asked = in_thread(approval(action(0)), cards=())
    assert every(MEMBER, address).startswith("Only operators may list all that waits")
    assert every(replace(MEMBER, every=()), address) == "Nothing waits for a decision."
    assert every(replace(MEMBER, every=(asked,), total=2), address).split("\n") == [
        "All that waits:",
        f"• write_file, asked by <@U0ALICE>, {AT_NINE} · not shown in a message yet",
        "… and 1 more.",
    ]


def test_a_long_answer_ends_with_a_whole_line_and_a_count() -> None:
    one = approval(action(0, "x" * 60))
    own = Request(conversation=in_thread(one).conversation, words="w" * 99)
    told = mine(replace(bobs(*[waiting(one)] * 12), requests=(own,) * 20), address).split("\n")
    assert len("\n".join(told)) <= 3_000
    assert told[-1] == f"… and {12 + 20 + 2 - len(told) + 1} more."
    assert told[-2].endswith("|Open the thread>")


@pytest.mark.parametrize(
    ("name", "in_direct_message", "expected"),
    [
        ("", False, {"type": "channel", "channel_id": GENERAL}),
        ("#ops", False, {"type": "text", "text": "#ops"}),
        ("", True, {"type": "text", "text": "this channel"}),
    ],
)
def test_whose_votes_are_missing_is_said_by_the_channels_name_since_none_is_this_one(
    name: str,
    in_direct_message: bool,  # noqa: FBT001 - a row of the table
    expected: dict[str, str],
) -> None:
    needs = (Quorum(approvers=(ChannelMembers(name),), count=2),)
    mine = waiting(approval(replace(action(0), needs=needs)))
    if in_direct_message:
        conversation = replace(mine.asked.conversation, channel=ChannelId("D0ALICE"))
        mine = replace(mine, asked=replace(mine.asked, conversation=conversation))
    told = [
        piece
        for block in drawn(bobs(mine))["blocks"]
        for part in block.get("elements", [])
        for piece in part.get("elements", [])
    ]
    at = next(place for place, piece in enumerate(told) if "2 of " in piece.get("text", ""))
    assert expected.items() <= told[at + 1].items()


def became(about: Approval) -> str:
    """What the own vote about the first call has come to, as the tab says it."""
    ruled = Ruled(asked=in_thread(about), action=about.actions[0].id, at=NOW)
    [line] = [line for line in words(replace(MEMBER, decided=(ruled,))).split("\n") if line.startswith("• ")]
    return line


def test_what_became_of_a_vote_is_told_whatever_it_was() -> None:
    one = approval(action(0))
    through = replace(one, actions=(replace(one.actions[0], outcome=LetThrough(at=NOW)),))
    after = f"{AT_NINE}. "
    assert became(through) == f"• write_file: decided by you, {after}Nobody had to be asked. · {CARD_LINK}"
    gone = decided(one, [Approve()]).withdraw("stopped")
    assert became(gone) == f"• write_file: approved by you, {after}Withdrawn since. · {CARD_LINK}"
    odd: Any = "an outcome of tomorrow"
    with pytest.raises(AssertionError, match=odd):
        became(replace(one, actions=(replace(one.actions[0], outcome=odd),)))


def test_each_is_led_to_the_own_card() -> None:
    cards = tuple(
        Copy(post=PostId(who), channel=ChannelId(f"D{who}"), ts=Ts("1.000200"), place=who, is_sent=True)
        for who in (ALICE, BOB)
    )
    about = approval(action(0))
    asked = in_thread(about, cards=cards)
    inbox = replace(
        bobs(waiting(about, cards=cards)),
        every=(asked,),
        total=2,
        decided=(
            Ruled(
                asked=in_thread(decided(about, [Approve()]), cards=cards), action=about.actions[0].id, at=NOW
            ),
        ),
    )
    view = home(inbox, address)
    assert view["blocks"][1]["accessory"]["url"] == "https://a.example/DU0BOB/1.000200"
    text = readable(view["blocks"])
    assert text.count("<https://a.example/DU0BOB/1.000200|Open the card>") == 2
    assert "DU0ALICE" not in str(view)
    assert "… and 1 more. `/agent pending all`" in text


@pytest.mark.parametrize(("longer", "texts"), [(0, 1), (1, 2)])
def test_lines_stand_in_texts_of_2800_characters_at_most(longer: int, texts: int) -> None:
    """A line is as long as the words that were asked, up to 100, and what stands around them."""
    asked = in_thread(approval(action(0)))
    bare = len(request_line(Request(conversation=asked.conversation, words="w"), address)) - 1
    count = 2_800 // (bare + 80)
    spare = 2_800 - (count - 1) - count * bare
    lengths = [spare // count] * (count - 1)
    lengths.append(spare - sum(lengths) + longer)
    requests = tuple(Request(conversation=asked.conversation, words="w" * length) for length in lengths)
    view = drawn(replace(MEMBER, requests=requests))
    found = [
        block["text"]["text"]
        for block in view["blocks"]
        if block["block_id"].startswith("asked.") and block["type"] == "section"
    ]
    assert len(found) == texts
    assert len(found[0]) == 2_800 if texts == 1 else all(len(text) < 2_800 for text in found)
