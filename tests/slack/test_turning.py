"""An edit into another tool: what the form offers, and what is read of it."""

from dataclasses import replace

import pytest

from bot.approvals.action import Action
from bot.approvals.decision import Edit, Json
from bot.approvals.errors import NotAllowed
from bot.approvals.masking import Masking
from bot.slack.turning import as_edited, choice, chosen, hidden_in, prefix, selected, tools
from tests.slack.samples import TWO, action, approval, voted

ARCHIVE: dict[str, Json] = {"properties": {"path": {}, "key": {}}}
TARGETS: dict[str, dict[str, Json]] = {"archive": ARCHIVE, "": {}, "x" * 76: {}}


def turning() -> Action:
    return replace(action(arguments={"path": "a", "key": "k", "rest": 1}), targets=TARGETS)


def turned() -> Action:
    """The same, edited into `archive` by somebody, while others have to agree."""
    asked = approval(replace(turning(), needs=TWO))
    return voted(asked, asked.actions[0].id, [Edit({"path": "b"}, "archive")], TWO).actions[0]


def test_a_call_may_stay_what_it_is_or_become_what_the_policy_names() -> None:
    assert tools(turning()) == ["write_file", "archive", "", "x" * 76]
    assert as_edited(turning(), "write_file") == turning()
    assert as_edited(turning(), "archive").arguments == {"path": "a", "key": "k"}
    assert as_edited(turned(), "archive").arguments == {"path": "b"}
    assert as_edited(turned(), "write_file").arguments == turning().arguments
    with pytest.raises(NotAllowed, match=r"^`write_file` cannot be turned into `other`; nothing was done.$"):
        as_edited(turning(), "other")


def test_the_choice_names_every_tool_and_begins_with_the_one_that_is_shown() -> None:
    [block] = choice(turning(), "archive")
    drawn = block.to_dict()
    options = [
        {"text": {"type": "plain_text", "text": text, "emoji": False}, "value": value}
        for value, text in enumerate(("write_file", "archive", '""', f"{'x' * 74}…"))
    ]
    options = [{**one, "value": str(one["value"])} for one in options]
    assert drawn == {
        "type": "input",
        "block_id": "tool",
        "label": {"type": "plain_text", "text": "Tool", "emoji": False},
        "dispatch_action": True,
        "element": {
            "type": "static_select",
            "action_id": "tool",
            "options": options,
            "initial_option": options[1],
        },
    }
    assert choice(action(), "write_file") == []


def test_an_option_stands_for_its_tool_and_any_other_for_none() -> None:
    assert [chosen(turning(), value) for value in "0123"] == tools(turning())
    for odd in ("4", "-1", "", "archive"):
        with pytest.raises(
            NotAllowed, match=r"^This tool is not among those that it can be turned into; nothing was done.$"
        ):
            chosen(turning(), odd)


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ({"tool": {"tool": {"selected_option": {"value": "1"}}}}, "1"),
        ({"tool": {"tool": {"selected_option": None}}}, None),
        ({"tool": {"tool": {"selected_option": {"value": 1}}}}, None),
        ({"tool": {"other": {"selected_option": {"value": "1"}}}}, None),
        ({"other": {"tool": {"selected_option": {"value": "1"}}}}, None),
        ({}, None),
    ],
)
def test_the_option_that_was_sent_is_read_and_whatever_is_odd_is_none(
    values: dict[str, object], read: str | None
) -> None:
    assert selected(values) == read


def test_fields_of_another_tool_have_a_prefix_of_their_own() -> None:
    assert prefix(turning(), "write_file") == ""
    assert prefix(turning(), "archive") == "0eb3e36b"
    assert prefix(turned(), "archive") == ""
    assert prefix(turning(), "\ud800") != prefix(turning(), "archive")
    assert len(prefix(turning(), "\ud800")) == 8


def test_what_is_secret_in_the_tool_that_it_came_from_stays_so() -> None:
    masking = Masking(redact=lambda tool: ("path",) if tool == "write_file" else ())
    assert hidden_in(masking, approval(turning()), turning(), "archive") == {"path": "(masked, 1 character)"}
    other = Masking(redact=lambda tool: ("path",) if tool == "archive" else ())
    assert hidden_in(other, approval(turning()), turning(), "archive") == {"path": "(masked, 1 character)"}
    assert hidden_in(other, approval(turned()), turned(), "write_file") == {"path": "(masked, 1 character)"}
    assert hidden_in(other, approval(turning()), turning(), "write_file") == {}
