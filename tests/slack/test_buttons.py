"""Buttons: what each means, what is heard of it, and what asks once more."""

from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.approval import Action, Shape
from bot.approvals.briefing import Briefing
from bot.approvals.decision import DecisionKind
from bot.approvals.ids import ApprovalId, ConversationId
from bot.slack import buttons, doubts
from tests.slack.samples import action, approval

ONCE_MORE = {
    "title": {"type": "plain_text", "text": "Run it?", "emoji": True},
    "text": {"type": "plain_text", "text": "Run drop a? This is marked as dangerous.", "emoji": False},
    "confirm": {"type": "plain_text", "text": "Run it", "emoji": True},
    "deny": {"type": "plain_text", "text": "Cancel", "emoji": True},
    "style": "danger",
}


def dangerous(tool: str = "drop", **more: Any) -> Action:  # noqa: ANN401 - fields of an action
    return replace(action(tool=tool, arguments={"path": "a"}), briefing=Briefing(dangers=(tool,)), **more)


def told(made: Any) -> list[tuple[str, str, str | None, bool]]:  # noqa: ANN401 - buttons
    """Label, verb, style and whether it asks once more."""
    drawn = [one.to_dict() for one in made]
    return [(one["text"]["text"], one["action_id"], one.get("style"), "confirm" in one) for one in drawn]


@pytest.mark.parametrize(
    ("about", "heard"),
    [
        ("x" * 72, f"On {'x' * 72}"),
        ("x" * 73, f"On {'x' * 71}…"),
        ("保" * 72, f"On {'保' * 72}"),
        ("保" * 73, f"On {'保' * 71}…"),
        ("\U0001f600" * 37, "On " + "\U0001f600" * 35 + "…"),
    ],
)
def test_what_is_heard_of_a_button_has_75_characters_at_most(about: str, heard: str) -> None:
    assert buttons.button("verb", "On", "value", about=about).to_dict() == {
        "type": "button",
        "text": {"type": "plain_text", "text": "On", "emoji": True},
        "action_id": "verb",
        "value": "value",
        "accessibility_label": heard,
    }


def test_a_button_about_nothing_is_heard_as_it_is_read() -> None:
    assert buttons.button("verb", "On", "value").to_dict()["accessibility_label"] == "On"


@pytest.mark.parametrize(("unread", "verb"), [(False, "approve"), (True, "approve_unread")])
def test_decisions_stand_in_their_order_and_approve_asks_whoever_has_not_read_it_all(
    unread: bool,  # noqa: FBT001 - a table
    verb: str,
) -> None:
    made = buttons.decisions(action(), unread=unread)
    assert told(made) == [
        ("Approve", verb, "primary", False),
        ("Edit", "edit", None, False),
        ("Respond", "respond", None, False),
        ("Reject", "reject", "danger", False),
    ]
    assert {one.value for one in made} == {action().id}
    heard = [one.to_dict()["accessibility_label"] for one in made]
    assert heard[0] == "Approve write_file notes.txt"


def test_only_the_decisions_that_it_takes_have_a_button() -> None:
    some = replace(action(), allowed=frozenset({DecisionKind.REJECT, DecisionKind.EDIT}))
    assert [label for label, *_ in told(buttons.decisions(some))] == ["Edit", "Reject"]
    assert told(buttons.decisions(some)) == told(buttons.decisions(some, unread=False))


def test_what_lets_a_dangerous_call_run_stands_last_without_colour_and_asks_once_more() -> None:
    made = buttons.decisions(dangerous())
    assert told(made) == [
        ("Edit", "edit", None, False),
        ("Respond", "respond", None, False),
        ("Reject", "reject", "danger", False),
        ("Approve", "approve", None, True),
    ]
    assert made[-1].to_dict()["confirm"] == ONCE_MORE
    unread = buttons.decisions(dangerous(), unread=True)
    assert told(unread)[-1] == ("Approve", "approve_unread", None, True)


@pytest.mark.parametrize(
    ("tool", "path", "named"),
    [
        ("drop", "orders.csv", "drop orders.csv"),
        ("t" * 60, "a", "t" * 60 + " a"),
        ("t" * 61, "a", "t" * 54 + "… a"),
        ("", "a", '"" a'),
        ("保" * 9, "保" * 99, "保" * 9 + " " + "保" * 23 + "…"),
    ],
)
def test_the_question_names_the_call_and_what_it_is_done_to(tool: str, path: str, named: str) -> None:
    asked = replace(dangerous(tool), arguments={"path": path})
    confirm = buttons.decisions(asked)[-1].to_dict()["confirm"]
    assert confirm["text"]["text"] == f"Run {named}? This is marked as dangerous."


def test_a_dangerous_call_in_doubt_asks_once_more_before_it_runs_again() -> None:
    asked = replace(approval(dangerous()), shape=Shape.IN_DOUBT)
    [call] = asked.actions
    assert told(doubts.decisions(asked, call)) == [
        ("It ran", "it_ran", None, False),
        ("Skip", "skip", None, False),
        ("Run again", "run_again", None, True),
    ]
    assert doubts.decisions(asked, call)[-1].to_dict()["confirm"] == ONCE_MORE
    calm = replace(asked, actions=(replace(call, briefing=Briefing()),))
    assert told(doubts.decisions(calm, calm.actions[0], unread=True)) == [
        ("It ran", "it_ran", None, False),
        ("Run again", "run_again_unread", None, False),
        ("Skip", "skip", None, False),
    ]
    assert told(doubts.decisions(calm, calm.actions[0]))[1][1] == "run_again"


def test_what_can_be_decided_together_carries_the_first_approval_and_how_many_it_is() -> None:
    calls = (replace(action(number), briefing=Briefing(all_at_once=True)) for number in range(1_001))
    first = approval(*calls)
    second = replace(first, id=ApprovalId("second"))
    made = [one.to_dict() for one in buttons.together([first, second])]
    assert [
        (one["text"]["text"], one["action_id"], one["value"], one["accessibility_label"]) for one in made
    ] == [
        ("Approve all", "approve_every", first.id, "Approve all 2,002 open calls"),
        ("Reject all", "reject_every", first.id, "Reject all 2,002 open calls"),
    ]
    assert buttons.together([approval(action(0), action(1))]) == []


def test_where_only_some_may_be_approved_together_all_may_still_be_rejected() -> None:
    together = Briefing(all_at_once=True, dangers=("drop",))
    asked = approval(*(replace(action(number, "drop"), briefing=together) for number in range(2)))
    assert [label for label, *_ in told(buttons.together([asked]))] == ["Reject all"]


def test_stop_asks_once_more_and_says_what_it_does() -> None:
    assert buttons.stop(ConversationId("c")).to_dict() == {
        "type": "button",
        "text": {"type": "plain_text", "text": "Stop", "emoji": True},
        "action_id": "stop",
        "value": "c",
        "accessibility_label": "Stop the agent",
        "confirm": {
            "title": {"type": "plain_text", "text": "Stop the agent?", "emoji": True},
            "text": {
                "type": "plain_text",
                "text": "What still waits here is withdrawn, and none of it runs.",
            },
            "confirm": {"type": "plain_text", "text": "Stop", "emoji": True},
            "deny": {"type": "plain_text", "text": "Go on", "emoji": True},
            "style": "danger",
        },
    }


def test_no_buttons_are_no_row() -> None:
    assert buttons.row([], "id") == []
    [row] = buttons.row(buttons.decisions(action()), "id")
    assert row.to_dict()["block_id"] == "id"
