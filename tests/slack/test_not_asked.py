"""Calls that nobody is asked about, and edits into another tool: whatever they hold, Slack takes them."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bot.approvals.action import Action, Decided, LetThrough, Remembered, Vote
from bot.approvals.approval import Approval, State
from bot.approvals.asking import Asking, Remembering
from bot.approvals.decision import Approve, Arguments, DecisionKind, Edit, Json
from bot.approvals.errors import NotAllowed
from bot.approvals.ids import ActionId, UserId
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.taking_back import InForce
from bot.slack import turning, verbs
from bot.slack.cards import card
from bot.slack.edits import FieldErrors, read_edit
from bot.slack.forms import edit_form
from bot.slack.not_asked import code, in_words, not_asked
from bot.slack.viewing import view_all
from tests.slack.limits import assert_fit_for_slack, assert_view_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import ACTIONS, ALICE, ARGUMENTS, BOB, NOW, TEXTS, action, approval
from tests.store.samples import conversation

SLOW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
POLICY = LetThrough(at=NOW)
SOURCE = ActionId("source-0123456789abcdef")
BECAUSE = Remembered(action=SOURCE, by=(BOB,), at=NOW)
OTHER = replace(BECAUSE, action=ActionId("other-0123456789abcdef0"))
MANY = replace(BECAUSE, by=tuple(UserId(f"U0VOTER{number}") for number in range(30)), taken_back=ALICE)


def through(*actions: Action, outcomes: Sequence[LetThrough | None]) -> Approval:
    """An approval of these, each let through like this, or asked about."""
    given = [
        replace(each, id=ActionId(f"action-{number}-0123456789abc"), allowed=frozenset(DecisionKind))
        for number, each in enumerate(actions)
    ]
    let = {each.id: outcome for each, outcome in zip(given, outcomes, strict=True) if outcome}
    return approval(*given).let_through(let)


@SLOW
@given(
    st.lists(ACTIONS, min_size=1, max_size=3),
    st.sampled_from([1, 2, 13, 30]),
    st.lists(
        st.sampled_from([None, POLICY, *(replace(POLICY, because=one) for one in (BECAUSE, OTHER, MANY))]),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([None, Asking.ONCE, Asking.ONCE_PER_TOOL]),
)
def test_every_drawing_is_fit_for_slack(
    few: list[Action], many: int, outcomes: list[LetThrough | None], asking: Asking | None
) -> None:
    remembering = Remembering(asking=asking, terms="t") if asking else None
    actions = [replace(few[number % len(few)], remembering=remembering) for number in range(many)]
    asked = through(*actions, outcomes=[outcomes[number % len(outcomes)] for number in range(many)])
    shown = BY_DEFAULT.approval(asked)
    assert_fit_for_slack(card(shown, requester=ALICE))
    assert_view_fit_for_slack(view_all(shown, None))
    if any(isinstance(one.outcome, LetThrough) and one.outcome.because for one in asked.actions):
        assert_fit_for_slack(not_asked(shown))


def test_the_line_says_what_and_by_whom_and_offers_the_way_back_once_for_each_approval() -> None:
    once = replace(POLICY, because=BECAUSE)
    told = not_asked(through(action(), action(tool="delete_file"), outcomes=[once, once]))
    text = readable(told.blocks)
    assert "Not asked again in this conversation: `write_file` `path: notes.txt" in text
    assert "delete_file" in text
    assert text.count("approved by") == 2
    assert text.count("[Ask again]") == 1


def test_a_let_through_call_on_a_card_can_not_be_decided() -> None:
    asked = through(action(), action(), outcomes=[replace(POLICY, because=BECAUSE), None])
    values = {
        (each["action_id"], each["value"])
        for block in card(asked, requester=ALICE).blocks
        if block["type"] == "actions"
        for each in block["elements"]
    }
    assert {verb for verb, value in values if value.startswith("action-0")} == set()
    assert (verbs.ASK_AGAIN, SOURCE) in values
    assert (verbs.APPROVE, "action-1-0123456789abc") in values


TARGET: dict[str, Json] = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "days": {"type": "integer"}, "token": {"type": "string"}},
    "required": ["path", "days"],
}


@SLOW
@given(TEXTS.map(lambda text: text[:200]), TEXTS.map(lambda text: text[:200]), ARGUMENTS, ARGUMENTS)
def test_an_edit_into_any_tool_is_fit_for_slack(
    tool: str, other: str, before: Arguments, after: Arguments
) -> None:
    assume(tool != other)
    one = replace(action(tool=tool, arguments=before), targets={other: TARGET, "third": {}})
    asked = approval(one)
    for name in turning.tools(one):
        assert_view_fit_for_slack(
            edit_form(asked, one, turning.hidden_in(BY_DEFAULT, asked, one, name), tool=name)
        )
    edited = asked.decide(one.id, Edit(after, other), by=BOB, at=NOW)
    assert edited.state is State.SETTLED
    assert_fit_for_slack(card(BY_DEFAULT.approval(edited), requester=ALICE))
    assert_view_fit_for_slack(view_all(BY_DEFAULT.approval(edited), None))


def test_a_call_without_arguments_can_be_turned_into_another() -> None:
    one = replace(action(arguments={}), targets={"archive_file": TARGET})
    form = edit_form(approval(one), one)
    assert_view_fit_for_slack(form)
    assert form["submit"]


def turned() -> Action:
    given: dict[str, Json] = {"path": "old.log", "token": "s3cr3t-value", "force": True}
    return replace(action(tool="delete_file", arguments=given), targets={"archive_file": TARGET})


def test_the_form_for_another_tool_has_its_fields_and_keeps_what_both_take() -> None:
    one = turned()
    edited = turning.as_edited(one, "archive_file")
    hidden = turning.hidden_in(BY_DEFAULT, approval(one), one, "archive_file")
    prefix = turning.prefix(one, "archive_file")
    view = edit_form(approval(one), one, hidden, tool="archive_file")
    assert "s3cr3t" not in str(view)
    labels = [block["label"]["text"] for block in view["blocks"] if block["type"] == "input"]
    assert labels == ["Tool", "path", "token", "days"]
    values = {
        block["block_id"]: {"value": {"value": "30"}}
        for block in view["blocks"]
        if block["type"] == "input" and block["label"]["text"] == "days"
    }
    read = read_edit(edited, values, hidden, prefix)
    assert read == {"path": "old.log", "token": "s3cr3t-value", "days": 30}
    own = edit_form(approval(one), one, BY_DEFAULT.hidden(one))
    both = [{each["block_id"] for each in form["blocks"] if each["type"] == "input"} for form in (view, own)]
    assert both[0] & both[1] == {turning.BLOCK}


def test_what_is_secret_for_the_first_tool_stays_so_in_the_form_for_the_other() -> None:
    one = replace(turned(), arguments={"path": "/home/mallory"})
    masking = Masking(redact=lambda tool: ("path",) if tool == "delete_file" else ())
    hidden = turning.hidden_in(masking, approval(one), one, "archive_file")
    assert "mallory" not in str(edit_form(approval(one), one, hidden, tool="archive_file"))
    read = read_edit(turning.as_edited(one, "archive_file"), {}, hidden, "")
    assert not isinstance(read, FieldErrors)
    assert read["path"] == "/home/mallory"


def test_no_form_leads_to_a_tool_that_is_not_named() -> None:
    one = turned()
    for tool in ("shred", ""):
        with pytest.raises(NotAllowed, match="cannot be turned into"):
            turning.as_edited(one, tool)
    with pytest.raises(NotAllowed):
        turning.chosen(one, "2")
    with pytest.raises(NotAllowed, match="cannot be turned into `shred`"):
        approval(one).decide(one.id, Edit({}, "shred"), by=BOB, at=NOW)


def in_force(by: int = 0, asking: Asking | None = None, tool: str = "read") -> InForce:
    """An approval by Bob, with votes of so many."""
    one = replace(
        action(tool=tool),
        remembering=Remembering(asking=asking, terms="t") if asking else None,
        votes=tuple(Vote(decision=Approve(), by=UserId(f"U0V{n}"), at=NOW) for n in range(by)),
    )
    return InForce(
        conversation=conversation(), action=one, decided=Decided(decision=Approve(), by=BOB, at=NOW)
    )


AT_NINE = "<!date^1772443800^{date_short_pretty}, {time}|2026-03-02 09:30 UTC>"


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (in_force(), f"• read, with the same arguments: approved by <@U0BOB>, {AT_NINE}."),
        (in_force(asking=Asking.ONCE), f"• read, with the same arguments: approved by <@U0BOB>, {AT_NINE}."),
        (
            in_force(2, Asking.ONCE_PER_TOOL, "<b>"),
            f"• &lt;b&gt;, whatever its arguments: approved by <@U0V0> and <@U0V1>, {AT_NINE}.",
        ),
        (
            in_force(9, tool="t" * 61),
            f"• {'t' * 54}…, with the same arguments: approved by "
            + ", ".join(f"<@U0V{n}>" for n in range(8))
            + f" and 1 more, {AT_NINE}.",
        ),
    ],
)
def test_what_is_remembered_is_listed_with_the_way_to_take_it_back(found: InForce, told: str) -> None:
    assert code(found) == hashlib.sha256(found.action.id.encode()).hexdigest()[:8]
    assert in_words(found) == f"{told} `/agent forget {code(found)}` has people asked again."


def seen(count: int, **arguments: Json) -> list[str]:
    asked = through(
        *(action(number, arguments=arguments) for number in range(count)),
        outcomes=[replace(POLICY, because=BECAUSE)] * count,
    )
    return readable(not_asked(asked).blocks).split("\n")


@pytest.mark.parametrize(
    ("count", "rest"), [(10, []), (11, ["… and 1 more call."]), (1_210, ["… and 1,200 more calls."])]
)
def test_ten_calls_have_a_line_and_the_others_are_counted(count: int, rest: list[str]) -> None:
    lines = seen(count, path="a")
    line = (
        "↪️ Not asked again in this conversation: `write_file` `path: a` approved by @U0BOB, "
        "2026-03-02 09:30 UTC."
    )
    assert lines == [*[line] * 10, "[Ask again]", *rest]


def test_of_several_arguments_each_has_a_beginning() -> None:
    assert "`a: x, b: y`" in seen(1, a="x", b="y")[0]
    assert f"`a: {'x' * 151}…`" in seen(1, a="x" * 200)[0]


def test_calls_that_are_let_through_for_two_reasons_have_a_button_each() -> None:
    asked = through(
        action(0),
        action(1),
        action(2),
        outcomes=[replace(POLICY, because=one) for one in (BECAUSE, OTHER, BECAUSE)],
    )
    lines = readable(not_asked(asked).blocks).split("\n")
    assert [line[:2] for line in lines] == ["↪️", "↪️", "[A", "↪️", "[A"]
    assert not_asked(asked).text == "Not asked again in this conversation: write_file."


@pytest.mark.parametrize(("count", "more"), [(8, ""), (9, " and 1 more"), (10, " and 2 more")])
def test_eight_who_approved_are_named_and_the_others_counted(count: int, more: str) -> None:
    because = replace(BECAUSE, by=tuple(UserId(f"U0V{n}") for n in range(count)))
    asked = through(action(arguments={}), outcomes=[replace(POLICY, because=because)])
    [line, _] = readable(not_asked(asked).blocks).split("\n")
    first = ", ".join(f"@U0V{n}" for n in range(7))
    people = f"{first}, @U0V7" if more else f"{first} and @U0V7"
    assert line.endswith(f"`write_file` approved by {people}{more}, 2026-03-02 09:30 UTC.")


def test_two_tools_are_named_in_the_sentence() -> None:
    asked = through(action(0, "a<"), action(1, "b"), outcomes=[replace(POLICY, because=BECAUSE)] * 2)
    assert not_asked(asked).text == "Not asked again in this conversation: a&lt; and b."
