"""The card of a tool that shows its call itself: marked as that, and never in place of the call."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.action import Action
from bot.approvals.approval import Approval
from bot.approvals.briefing import Briefing
from bot.approvals.decision import Approve, Arguments, DecisionKind, Edit, Reject
from bot.approvals.masking import BY_DEFAULT
from bot.approvals.rendered import Rendered, as_parts
from bot.approvals.together import Covered
from bot.render import Code, Fields, Link, Table, Text
from bot.slack.all_at_once import sheet
from bot.slack.cards import card
from bot.slack.forms import edit_form, reject_form, respond_form, unread_form
from bot.slack.home import home
from bot.slack.viewing import view_all
from tests.slack.hostile import INVISIBLE, text
from tests.slack.limits import assert_fit_for_slack, assert_view_fit_for_slack
from tests.slack.reading import original_of_line, readable
from tests.slack.samples import ALICE, BOB, NOW, action, approval
from tests.slack.test_home import address, bobs, waiting
from tests.whole import WHOLE

LEAD = "As the tool itself shows it; View all has the arguments:"
TABLE = Table(["article", "count"], [["kettle", 1], ["filter", 22]])


def shown_by(*parts: Any, arguments: Arguments | None = None, count: int = 1) -> Approval:  # noqa: ANN401 - parts
    asked = [
        replace(
            action(number, "refund", {"order": "A-17"} if arguments is None else arguments),
            briefing=Briefing(rendered=as_parts([*parts])),
        )
        for number in range(count)
    ]
    return approval(*asked)


def lines(asked: Approval, **how: Any) -> list[str]:  # noqa: ANN401 - of the card
    message = card(BY_DEFAULT.approval(asked), requester=ALICE, **how)
    assert_fit_for_slack(message)
    return readable(message.blocks).split("\n")


def approves(asked: Approval) -> str:
    blocks = card(asked, requester=ALICE).blocks
    [found] = [
        element["action_id"]
        for block in blocks
        for element in block.get("elements", ())
        if element.get("text", {}) == {"type": "plain_text", "text": "Approve", "emoji": True}
    ]
    return str(found)


def test_parts_stand_in_place_of_the_rows_marked_as_the_tools_own() -> None:
    told = lines(shown_by(Text("Pays back."), Fields({"Order": "A-17", "Sum": 12}), Code("a\nb")))
    at = told.index(LEAD)
    assert told[at : at + 6] == [LEAD, "> Pays back.", "> Order: A-17", "> Sum: 12", "| a", "| b"]
    assert not [line for line in told if line.startswith("order: ")]


def test_a_link_is_its_address_with_the_label_before_it() -> None:
    told = lines(shown_by(Link("bank.example", "https://shop.example/o?x=1")))
    assert "> bank.example: <https://shop.example/o?x=1>" in told


def test_a_table_is_a_block_of_its_own_in_its_place() -> None:
    message = card(shown_by(Text("above"), TABLE, Text("below")), requester=ALICE)
    kinds = [block["type"] for block in message.blocks if block["block_id"].startswith("0.1.")]
    assert kinds == ["rich_text", "table", "rich_text", "actions"]
    told = lines(shown_by(Text("above"), TABLE, Text("below")))
    at = told.index("> above")
    assert told[at : at + 5] == ["> above", "article | count", "kettle | 1", "filter | 22", "> below"]


LETTERS = ["| article  count", "| -------  -----", "| kettle   1", "| filter   22"]


def test_a_message_has_one_table_and_the_others_are_drawn_with_letters() -> None:
    for asked in (shown_by(TABLE, TABLE), shown_by(TABLE, count=2), shown_by(TABLE, count=3)):
        blocks = card(asked, requester=ALICE).blocks
        assert [block["type"] for block in blocks].count("table") == 1
        assert [line for line in lines(asked) if line in LETTERS][:4] == LETTERS


def test_a_slack_that_takes_no_tables_and_home_and_view_all_get_letters() -> None:
    asked = shown_by(TABLE)
    assert [line for line in lines(asked, plainly=True) if line in LETTERS] == LETTERS
    for view in (view_all(asked, asked.actions[0]), home(bobs(waiting(asked)), address)):
        assert_view_fit_for_slack(view)
        assert [line for line in readable(view["blocks"]).split("\n") if line in LETTERS] == LETTERS


def test_wide_letters_count_twice_in_a_column() -> None:
    told = lines(shown_by(Table(["品目", "n"], [["a", 1]])), plainly=True)
    assert "| a     1" in told


def test_cells_of_several_lines_and_empty_ones_are_told_as_such() -> None:
    told = lines(shown_by(Table(["a", "b", "c"], [["x\ny", "", " z"]])))
    assert 'x⏎y | "" | " z"' in told


def test_view_all_has_the_arguments_first_and_then_all_of_the_parts() -> None:
    code = "\n".join(f"line {number}" for number in range(100))
    asked = shown_by(Code(code), arguments={"order": "A-17", "note": "x" * 2_000})
    view = view_all(asked, asked.actions[0])
    told = readable(view["blocks"]).split("\n")
    assert told.index("order (text, 4 characters):") < told.index("As the tool itself shows it:")
    assert [line for line in told if line.startswith("| line ")] == [f"| {one}" for one in code.split("\n")]


def test_approve_asks_whoever_has_not_opened_what_the_parts_do_not_show() -> None:
    arguments: Arguments = {"order": "A-17", "count": 2}
    assert approves(shown_by(Text("Pays back."), arguments=arguments)) == "approve_unread"
    assert approves(shown_by(Fields({"order": "A-17"}), arguments=arguments)) == "approve_unread"
    assert approves(shown_by(Fields({"Order": "A-17", "count": 2}), arguments=arguments)) == "approve_unread"
    assert approves(shown_by(Fields({"order": "A-17", "count": 3}), arguments=arguments)) == "approve_unread"
    assert approves(shown_by(Fields({"order": "A-17", "count": 2}), arguments=arguments)) == "approve"
    assert approves(shown_by(Code("A-17"), Fields({"count": 2}), arguments=arguments)) == "approve"


def test_code_that_is_cut_shows_no_argument_whole() -> None:
    code = "\n".join(map(str, range(100)))
    assert approves(shown_by(Code(code), arguments={"sql": code})) == "approve_unread"
    assert any(
        "characters left out here, View all shows them" in line for line in lines(shown_by(Code(code)))
    )
    few = "\n".join(map(str, range(20)))
    assert approves(shown_by(Code(few), arguments={"sql": few})) == "approve"


def test_view_all_is_offered_whatever_the_parts_show() -> None:
    assert "[Approve] [Edit] [Respond] [Reject] [View all]" in lines(shown_by(Fields({"order": "A-17"})))


def test_what_could_not_be_shown_is_told_above_the_rows() -> None:
    asked = shown_by()
    why = "`render` gave 0 parts, and 1 to 8 can be shown"
    failed = (
        f"The tool's own presentation cannot be shown, because {why}. So the arguments stand as they are."
    )
    assert lines(asked)[4:6] == [failed, "order: `A-17`"]
    assert approves(asked) == "approve"


def test_parts_that_are_too_large_for_the_card_are_all_in_view_all() -> None:
    asked = shown_by(*[Text("≈" * 1_600)] * 3)
    told = lines(asked)
    assert told[4:6] == [
        "The tool has a presentation of its own that is too large for here; View all has it.",
        "order: `A-17`",
    ]
    whole = view_all(asked, asked.actions[0])
    assert_view_fit_for_slack(whole)
    assert readable(whole["blocks"]).count("≈") == 4_800


def test_an_edited_call_stands_there_by_its_arguments() -> None:
    asked = shown_by(Text("Pays back A-17."))
    edited = replace(asked.actions[0], needs=()).id
    voted = asked.decide(edited, Edit({"order": "B-1"}), by=BOB, at=NOW)
    assert voted.actions[0].asked.briefing.rendered is None
    assert "> Pays back A-17." in lines(voted)  # what the agent asked for, with what it was edited into


@pytest.mark.parametrize("decision", [Approve(), Reject("No.")])
def test_a_decided_card_shows_the_same(decision: Approve | Reject) -> None:
    asked = shown_by(Text("Pays back."), TABLE)
    decided = lines(asked.decide(asked.actions[0].id, decision, by=BOB, at=NOW))
    at = decided.index(LEAD)
    assert decided[at : at + 5] == [LEAD, "> Pays back.", "article | count", "kettle | 1", "filter | 22"]


def hostile_parts(rng: random.Random) -> Rendered:
    """Whatever a team's function makes of arguments that were made to be taken for something else."""

    def one() -> object:
        words = text(rng)
        kinds: list[object] = [
            Text(words[:2_000]),
            Code(words[:2_000]),
            Fields({text(rng)[:200]: text(rng)[:200] for _ in range(rng.randint(1, 10))}),
            Link(words[:200], rng.choice(["https://a.example/?x=y&z=%20", "http://xn--pple-43d.com", words])),
            Table(
                [text(rng)[:60] or "x" for _ in range(3)],
                [[text(rng)[:200] for _ in range(3)] for _ in range(rng.randint(1, 20))],
            ),
        ]
        return rng.choice(kinds)

    made = [one() for _ in range(rng.choice([1, 1, 2, 3, 8]))]
    return as_parts([part for part in made if not as_parts(part).problem])


@pytest.mark.timeout(600)
def test_hostile_parts_are_harmless_on_every_surface() -> None:
    drawn = 0
    for told in several(10_000 if WHOLE else 60):
        drawn += bool(told.parts)
        asked = approval(*(_by(told, number) for number in range(2)))
        one = asked.actions[0]
        assert_fit_for_slack(card(asked, requester=ALICE))
        assert_fit_for_slack(card(asked, requester=ALICE, plainly=True))
        assert_fit_for_slack(card(asked.decide(one.id, Approve(), by=BOB, at=NOW), requester=ALICE))
        for view in (
            view_all(asked, one),
            view_all(asked, None),
            home(bobs(waiting(asked)), address),
            edit_form(asked, one),
            reject_form(asked, one),
            respond_form(asked, one),
            unread_form(asked, one),
        ):
            assert_view_fit_for_slack(view)
    assert drawn > 40


def several(count: int) -> Iterator[Rendered]:
    rng = random.Random(5)  # noqa: S311 - the same ones every time
    yield from (hostile_parts(rng) for _ in range(count))


def _by(told: Rendered, number: int) -> Action:
    return replace(action(number, "refund", {"order": "A-17"}), briefing=Briefing(rendered=told))


def test_every_invisible_code_point_is_shown_by_its_code_in_every_part() -> None:
    codes = [
        code for code in INVISIBLE if not 0xD800 <= code <= 0xDFFF and (code < 0xF0000 or not code % 997)
    ]
    for start in range(0, len(codes), 60):
        some = codes[start : start + 60]
        words = f"a{'b'.join(map(chr, some))}c"
        seen = f"a{'b'.join(f'⟨U+{code:04X}⟩' for code in some)}c"
        asked = shown_by(Text(words), Code(words), Fields({words: words}), Table([words], [[words]]))
        told = readable(card(asked, requester=ALICE).blocks).split("\n")
        at = told.index(LEAD)
        assert told[at + 1 : at + 6] == [f"> {seen}", f"| {seen}", f"> {seen}: {seen}", seen, seen]


def test_a_cell_and_a_field_can_be_read_back() -> None:
    rng = random.Random(9)  # noqa: S311 - as above
    for _ in range(500):
        words = text(rng)[:150]
        if not words or words != words.strip() or as_parts(Fields({"n": words})).problem:
            continue
        told = card(shown_by(Fields({"n": words})), requester=ALICE).blocks
        [row] = [
            element
            for block in told
            if block["type"] == "rich_text"
            for element in block["elements"]
            if element["type"] == "rich_text_quote"
        ]
        assert original_of_line(row["elements"][1]["text"]) == words


def test_approve_all_leaves_out_whoever_is_not_shown_whole_by_the_parts() -> None:
    asked = shown_by(Text("Pays back."), count=2)
    covered = Covered(calls=tuple((asked, one) for one in asked.actions), others=0)
    first = asked.actions[0]
    shown = sheet(covered, DecisionKind.APPROVE, {first.id})
    assert_view_fit_for_slack(shown.view)
    assert [one.id for one in shown.listed] == [first.id]
    assert readable(shown.view["blocks"]).count("> Pays back.") == 2
