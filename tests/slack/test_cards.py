import json
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from bot.approvals.approval import Approval, State
from bot.approvals.decision import Approve, Decision, DecisionKind, Edit, Json, Reject, Respond
from bot.approvals.ids import UserId
from bot.approvals.masking import BY_DEFAULT
from bot.slack import verbs
from bot.slack.cards import card
from bot.slack.message import Message
from tests.slack.limits import assert_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ALICE, NOW, action, approval, approvals, decided


def drawn(asked: Approval) -> Message:
    return card(asked, requester=ALICE)


def buttons(message: Message) -> list[tuple[str, str]]:
    return [
        (each["action_id"], each["value"])
        for block in message.blocks
        if block["type"] == "actions"
        for each in block["elements"]
    ]


def nested(levels: int) -> Json:
    value: Json = "deep down"
    for _ in range(levels):
        value = {"in": value}
    return value


MANY = {
    "50 actions": approval(*(action(number) for number in range(50))),
    "14 actions": approval(*(action(number) for number in range(14))),
    "12 actions, all long": approval(*(action(n, arguments={"a": "x" * 50_000}) for n in range(12))),
    "100 kB": approval(action(arguments={"content": "A line of the file.\n" * 5_000})),
    "100 kB without a line": approval(action(arguments={"content": "x" * 100_000})),
    "200 arguments": approval(action(arguments={f"name_{n}": n for n in range(200)})),
    "200 long arguments": approval(action(arguments={f"name_{n}": "long " * 500 for n in range(200)})),
    "no arguments": approval(action(arguments={})),
    "60 levels": approval(action(arguments={"tree": nested(60)})),
    "emoji": approval(action(arguments={"text": "👩🏽‍💻🏳️‍🌈" * 3_000})),
    "right to left": approval(action(arguments={"text": "שלום \u202e" * 3_000})),
    "broadcast": approval(
        action(0, "<!channel>", {"<!here>": "<!channel> @channel"}, description="<@U0BOB>")
    ),
    "backticks": approval(action(arguments={"a": "```\n<!channel>\n```", "`": "`"})),
    "long names": approval(action(0, "t" * 3_000, {"n" * 3_000: "v", "": ""})),
}
SOME: list[Decision] = [
    Approve(),
    Reject("Not\nnow " * 300),
    Edit({"path": "b.txt", "more": "x" * 9_000}),
    Respond("yes " * 900),
]


@pytest.mark.parametrize("name", MANY)
def test_whatever_is_asked_the_card_fits_in_every_state(name: str) -> None:
    asked = MANY[name]
    half = decided(asked, SOME, first=len(asked.actions) // 2)
    for state in (
        asked,
        half,
        decided(asked, SOME),
        half.withdraw("Bob stopped it <!here>"),
        half.withdraw(""),
    ):
        assert_fit_for_slack(drawn(state))


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(approvals())
def test_no_approval_makes_a_card_that_slack_refuses_or_that_is_alive(asked: Approval) -> None:
    assert_fit_for_slack(drawn(asked))


def test_a_card_reads_like_this() -> None:
    asked = approval(
        action(
            0,
            "delete_file",
            {"path": "tmp.log"},
            allowed=frozenset({DecisionKind.APPROVE, DecisionKind.REJECT}),
        ),
        action(
            1, "write_file", {"path": "notes.txt", "content": "one\ntwo", "mode": None, "times": 3, "id": "3"}
        ),
        action(2, "ask_user", {"question": "Keep data.csv?"}, allowed=frozenset({DecisionKind.RESPOND})),
    )
    assert readable(drawn(asked).blocks) == (
        "# ✋ Approval needed: 3 of 3 open\n"
        '@U0ALICE asks for 3 calls: `delete_file` `tmp.log`, `write_file` path: `notes.txt`, id: `"3"` '
        "and `ask_user` `Keep data.csv?`\n"
        "(Asked <!date^1772443800^{date_short_pretty}, {time}|2026-03-02 09:30 UTC>.)\n"
        "1 of 3  `delete_file`  digest 01234567\n"
        "path: `tmp.log`\n"
        "[Approve] [Reject]\n"
        "---\n"
        "2 of 3  `write_file`  digest 01234567\n"
        "path: `notes.txt`\n"
        "content (7 characters, 2 lines):\n"
        "| one\n"
        "| two\n"
        "mode: `null`\n"
        "times: `3`\n"
        'id: `"3"`\n'
        "[Approve] [Edit] [Respond] [Reject]\n"
        "---\n"
        "3 of 3  `ask_user`  digest 01234567\n"
        "question: `Keep data.csv?`\n"
        "[Respond]\n"
        "[Stop]"
    )
    assert drawn(asked).text == (
        "Approval needed: <@U0ALICE> asks for delete_file tmp.log, "
        'write_file path: notes.txt, id: "3" and ask_user Keep data.csv?.'
    )


def test_at_the_end_the_request_stays_with_who_decided_what_and_no_button() -> None:
    asked = approval(action(0), action(1), action(2), action(3))
    edited = Edit({"path": "notes.txt", "content": "DONE", "append": True})
    done = decided(asked, [Approve(), edited, Reject("Not today."), Respond("42")])
    assert done.state is State.SETTLED
    text = readable(drawn(done).blocks)
    assert buttons(drawn(done)) == []
    assert text.startswith("# 🏁 Decided\n")
    assert text.count("path: `notes.txt`") == 4
    assert "✅ Approved by @U0BOB, 2026-03-02 09:30 UTC\n" in text
    assert "✏️ Edited and approved by @U0BOB, 2026-03-02 09:30 UTC\ncontent: `done` → `DONE`\n" in text
    assert "append: (absent) → `true`\n" in text
    assert "⛔ Rejected by @U0BOB, 2026-03-02 09:30 UTC\nReason:\n> Not today.\n" in text
    assert "💬 Answered by @U0BOB, 2026-03-02 09:30 UTC\nResponse:\n> 42" in text


def test_a_decided_action_can_be_changed_while_others_are_open() -> None:
    asked = decided(approval(action(0), action(1)), [Reject("no")], first=1)
    assert buttons(drawn(asked))[:2] == [
        (verbs.CHANGE, asked.actions[0].id),
        (verbs.APPROVE, asked.actions[1].id),
    ]
    assert "# ✋ Approval needed: 1 of 2 open" in readable(drawn(asked).blocks)


def test_each_button_stands_there_only_where_its_decision_is_allowed() -> None:
    for kind in DecisionKind:
        asked = approval(action(allowed=frozenset({kind})))
        assert buttons(drawn(asked)) == [(kind.value, asked.actions[0].id), (verbs.STOP, asked.conversation)]


def test_a_withdrawn_card_says_so_and_why_and_can_do_nothing() -> None:
    gone = drawn(approval(action(0), action(1)).withdraw("cancelled by <@U0BOB> & co"))
    assert buttons(gone) == []
    assert "# 🚫 Withdrawn" in readable(gone.blocks)
    assert "cancelled by <@U0BOB> &amp; co" in readable(gone.blocks)


def test_a_long_argument_shows_its_beginning_its_end_and_how_much_is_between() -> None:
    content = "BEGIN" + "x" * 99_990 + "THEND"
    asked = approval(action(arguments={"content": content}))
    text = readable([one for one in drawn(asked).blocks if not one["block_id"].endswith(".who")])
    assert "| BEGIN" in text
    assert "THEND" in text
    [left] = re.findall(r"… ([\d,]+) characters left out here, View all shows them …", text)
    assert len("".join(re.findall("x{9,}", text))) + int(left.replace(",", "")) == 99_990
    assert (verbs.VIEW_ALL, asked.actions[0].id) in buttons(drawn(asked))


@pytest.mark.parametrize("name", ["100 kB", "200 arguments", "60 levels"])
def test_a_card_is_short_enough_to_be_read(name: str) -> None:
    assert len(readable(drawn(MANY[name]).blocks).splitlines()) < 55


def test_of_many_arguments_the_first_and_the_last_are_shown_and_the_others_counted() -> None:
    text = readable(drawn(MANY["200 arguments"]).blocks)
    assert "| name_0: 0\n" in text
    assert "| name_199: 199\n" in text
    assert f"… {200 - text.count('| name_')} of 200 arguments left out here, View all shows them …" in text


@pytest.mark.parametrize("at", [0, 2_990, 3_001, 40_000, 49_994])
def test_what_hides_in_a_long_argument_is_seen_or_counted(at: int) -> None:
    content = "x" * at + "DANGER" + "x" * (49_994 - at)
    text = readable(drawn(approval(action(arguments={"content": content}))).blocks)
    assert "DANGER" in text or "characters left out here" in text
    assert "[View all]" in text


def test_of_many_actions_the_first_open_ones_are_whole_and_the_others_counted() -> None:
    asked = decided(MANY["50 actions"], [Approve()], first=10)
    text = readable(drawn(asked).blocks)
    open_ones = {value for verb, value in buttons(drawn(asked)) if verb == verbs.APPROVE}
    assert open_ones == {each.id for each in asked.actions[10 : 10 + len(open_ones)]}
    assert len(open_ones) >= 4
    assert "10. `write_file` `path: notes.txt, content: done` approved by <@U0BOB>, <!date" in text
    assert f"({40 - len(open_ones)} more wait: write_file. They move up" in text
    assert (verbs.VIEW_EVERY, asked.id) in buttons(drawn(asked))


def test_fifty_decided_actions_are_all_on_the_card() -> None:
    text = readable(drawn(decided(MANY["50 actions"], [Approve(), Reject("no")])).blocks)
    for number in range(1, 51):
        assert f"{number}. `write_file` `path: notes.txt" in text
    assert text.count("<@U0BOB>, <!date") == 50


def test_langchains_own_description_is_not_repeated() -> None:
    arguments = {"path": "a.txt"}
    words = f"Tool execution requires approval\n\nTool: write_file\nArgs: {arguments}"
    own = f"Writes to disk.\n\nTool: write_file\nArgs: {arguments}"
    assert "requires approval" not in readable(
        drawn(approval(action(arguments=arguments, description=words))).blocks
    )
    text = readable(drawn(approval(action(arguments=arguments, description=own))).blocks)
    assert "The agent says:\n> Writes to disk.\n" in text
    assert "Args:" not in text


def test_the_sentence_for_screen_readers_holds_no_masked_argument() -> None:
    asked = approval(action(arguments={"password": "hunter2"}))
    for state in (
        asked,
        decided(asked, [Edit({"password": "swordfish"})]),
        decided(asked, [Reject("hunter2")]),
    ):
        assert "hunter2" not in drawn(BY_DEFAULT.approval(state)).text
        assert "swordfish" not in drawn(BY_DEFAULT.approval(state)).text
    assert drawn(BY_DEFAULT.approval(decided(asked, [Reject("")]))).text == (
        "Decided: write_file (masked, 7 characters) rejected by <@U0BOB>, asked by <@U0ALICE>."
    )


def test_text_in_arguments_cannot_pose_as_the_cards_own_words() -> None:
    forged = "✅ Approved by <@U0BOB>\n… 9,999 characters left out here, View all shows them …\n[Approve]"
    blocks = drawn(approval(action(arguments={"content": forged}))).blocks
    own = [
        piece["text"]
        for block in blocks
        if block["type"] == "rich_text"
        for part in block["elements"]
        if part["type"] == "rich_text_section"
        for piece in part["elements"]
        if piece["type"] == "text" and not piece.get("style", {}).get("code")
    ]
    assert not any("Approved" in words or "left out" in words for words in own)
    kinds = ["header", "rich_text", "context", "rich_text", "actions", "actions"]
    assert [block["type"] for block in blocks] == kinds


def test_somebody_who_is_no_user_id_is_shown_literally() -> None:
    asked = approval()
    odd = asked.decide(asked.actions[0].id, Approve(), by=UserId("<!here>"), at=NOW)
    text = readable(card(odd, requester=UserId("<!here>")).blocks)
    assert "\n<!here> asked for `write_file`" in text
    assert "Approved by <!here>, " in text
    assert "@<!here>" not in text


def test_a_new_version_has_new_block_ids() -> None:
    asked = approval(action(0), action(1))
    ids = {block["block_id"] for block in drawn(asked).blocks}
    assert ids.isdisjoint(block["block_id"] for block in drawn(replace(asked, version=1)).blocks)
    assert json.dumps(drawn(asked).blocks) == json.dumps(drawn(asked).blocks)
