"""What the agent does, drawn: pinned, within Slack's limits, and harmless whatever it holds."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from bot.approvals.ids import ConversationId
from bot.approvals.plan import Course, Plan, Stand, Task
from bot.slack import verbs
from bot.slack.message import Message
from bot.slack.progress import MOST, progress
from tests.slack.limits import assert_fit_for_slack
from tests.slack.reading import readable
from tests.slack.samples import TEXTS

HERE = ConversationId("conversation")


def task(stand: Stand, tool: str = "read_file", given: str = "path: a.txt", told: str = "") -> Task:
    return Task(tool=tool, given=given, stand=stand, told=told)


def drawn(course: Course, *tasks: Task, plainly: bool = False) -> Message:
    message = progress(Plan(course=course, tasks=tasks, version=7), HERE, plainly=plainly)
    assert_fit_for_slack(message)
    return message


AT_WORK = (
    task(Stand.DONE, told="12 lines"),
    task(Stand.FAILED, "lookup", "what: x", "`lookup` failed"),
    task(Stand.REJECTED, "delete_file", "path: b.txt"),
    task(Stand.WAITING, "delete_file", "path: c.txt"),
    task(Stand.HELD, "list_files", ""),
    task(Stand.RUNNING, "search", "for: notes"),
)


def test_a_plan_at_work_looks_like_this() -> None:
    message = drawn(Course.WORKING, *AT_WORK)
    assert readable(message.blocks).split("\n") == [
        "# The agent is at work",
        "[complete] read_file: Done",
        "  details: path: a.txt",
        "  output: 12 lines",
        "[error] lookup: Failed",
        "  details: what: x",
        "  output: `lookup` failed",
        "[error] delete_file: Rejected",
        "  details: path: b.txt",
        "[pending] delete_file: Waits for approval",
        "  details: path: c.txt",
        "[pending] list_files: Waits for the others",
        "[in_progress] search: Running",
        "  details: for: notes",
        "[Stop]",
    ]
    assert message.text == (
        "The agent is at work: 3 of 6 calls ended "
        "(1 waits for approval, 1 waits for the others, 1 running, 1 done, 1 failed, 1 rejected)."
    )
    plan, stop = message.blocks
    assert plan["block_id"] == "plan-7"
    assert [one["task_id"] for one in plan["tasks"]] == ["1", "2", "3", "4", "5", "6"]
    [button] = stop["elements"]
    assert (button["action_id"], button["value"]) == (verbs.STOP, HERE)


def test_the_plain_version_says_the_same_in_lines() -> None:
    message = drawn(Course.WAITING, *AT_WORK, plainly=True)
    assert [block["type"] for block in message.blocks] == ["section", "actions"]
    assert readable(message.blocks).split("\n") == [
        "*The agent waits for people*",
        "• read_file: Done · `path: a.txt` · `12 lines`",
        "• lookup: Failed · `what: x` · `\u02cblookup\u02cb failed`",
        "• delete_file: Rejected · `path: b.txt`",
        "• delete_file: Waits for approval · `path: c.txt`",
        "• list_files: Waits for the others",
        "• search: Running · `for: notes`",
        "[Stop]",
    ]


@pytest.mark.parametrize(
    ("course", "title"),
    [
        (Course.HALTED, "The agent was halted"),
        (Course.STOPPED, "The agent was stopped"),
        (Course.DONE, "What the agent did"),
    ],
)
def test_what_is_over_has_no_stop(course: Course, title: str) -> None:
    message = drawn(course, task(Stand.DONE))
    assert readable(message.blocks) == f"# {title}\n[complete] read_file: Done\n  details: path: a.txt"
    assert message.text == f"{title}: 1 of 1 call ended (1 done)."


@pytest.mark.parametrize(
    ("stand", "words", "status"),
    [
        (Stand.ANSWERED, "Answered by a person", "complete"),
        (Stand.EXPIRED, "Nobody decided in time", "error"),
        (Stand.SKIPPED, "Left as it was", "error"),
        (Stand.STOPPED, "Stopped", "error"),
    ],
)
def test_every_end_is_said_in_words(stand: Stand, words: str, status: str) -> None:
    [plan] = drawn(Course.DONE, task(stand)).blocks
    assert [(one["title"], one["status"]) for one in plan["tasks"]] == [(f"read_file: {words}", status)]


def test_of_many_calls_the_latest_are_shown_and_the_others_counted() -> None:
    tasks = [task(Stand.DONE, given=f"number: {number}") for number in range(MOST + 3)]
    tasks[1] = task(Stand.FAILED)
    [plan] = drawn(Course.DONE, *tasks).blocks
    assert plan["tasks"][0] == {
        "type": "task_card",
        "task_id": "0",
        "title": "3 earlier calls: 2 done, 1 failed",
        "status": "complete",
    }
    assert [one["task_id"] for one in plan["tasks"][1:]] == [str(number) for number in range(4, MOST + 4)]


def test_long_lines_leave_room_for_fewer_calls_and_none_is_uncounted() -> None:
    tasks = [task(Stand.DONE, given="é" * 140, told="é" * 200) for _ in range(50)]
    for plainly in (False, True):
        drawn(Course.WORKING, *tasks, plainly=plainly)
    [plan, _] = drawn(Course.WORKING, *tasks).blocks
    shown = len(plan["tasks"]) - 1
    assert 5 < shown < MOST
    assert plan["tasks"][0]["title"] == f"{50 - shown} earlier calls: {50 - shown} done"
    large = [task(Stand.DONE, given="g" * 400, told="t" * 500)] * 25
    title, counted, *lines = readable(drawn(Course.DONE, *large, plainly=True).blocks).split("\n")
    assert title == "*What the agent did*"
    assert counted == f"{25 - len(lines)} earlier calls: {25 - len(lines)} done"
    assert len(lines) == 3


def test_less_is_told_of_a_single_call_that_is_too_long_once_escaped_and_its_boxes_close() -> None:
    [told] = drawn(Course.DONE, task(Stand.DONE, given="&" * 300, told="<" * 400), plainly=True).blocks
    given, output = f"`{'&amp;' * 54}…`", f"`{'&lt;' * 74}…`"
    assert told["text"]["text"] == f"*What the agent did*\n• read_file: Done · {given} · {output}"


@settings(deadline=None)
@given(TEXTS)
def test_nothing_of_a_call_comes_alive(text: str) -> None:
    hostile = task(Stand.DONE, tool=text[:100], given=text[:140], told=text[:200])
    for plainly in (False, True):
        drawn(Course.WORKING, hostile, replace(hostile, stand=Stand.FAILED), plainly=plainly)
