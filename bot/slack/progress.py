"""What the agent does, call by call: Slack's `plan` block, or plain lines where a Slack does not take it.

What comes from the agent stands in `rich_text` alone, and in the plain version escaped. How a call stands is
always said in words.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from slack_sdk.models.blocks import (
    Block,
    MarkdownTextObject,
    PlanBlock,
    RichTextBlock,
    RichTextElement,
    SectionBlock,
    TaskCardBlock,
)

from bot.approvals.ids import ConversationId
from bot.approvals.masks import retold
from bot.approvals.plan import ENDED, Course, Plan, Stand, Task
from bot.approvals.sayings import uttered
from bot.approvals.words import phrase, say, say_many
from bot.slack import buttons
from bot.slack.literal import in_line, section
from bot.slack.literal import plain as piece
from bot.slack.message import Message, as_json, size
from bot.slack.text import code, entities

MOST: Final = 20
"""Calls that are shown one by one, the latest; what was before is counted. Slack takes 50."""
_ROOM: Final = 11_000
"""Of all blocks together, in characters of JSON; Slack's own limit is near 13,200."""
_PLAIN_ROOM: Final = 2_900
_TOOL: Final = 60
_GIVEN: Final = 300
_TOLD: Final = 400
_ESCAPED: Final = 1_200
"""Characters of one of these once it is escaped."""

TITLES: Final = {
    Course.WORKING: phrase("The agent is at work"),
    Course.WAITING: phrase("The agent waits for people"),
    Course.HALTED: phrase("The agent was halted"),
    Course.STOPPED: phrase("The agent was stopped"),
    Course.DONE: phrase("What the agent did"),
}
STANDS: Final = {
    Stand.WAITING: phrase("Waits for approval"),
    Stand.HELD: phrase("Waits for the others"),
    Stand.RUNNING: phrase("Running"),
    Stand.DONE: phrase("Done"),
    Stand.FAILED: phrase("Failed"),
    Stand.REJECTED: phrase("Rejected"),
    Stand.ANSWERED: phrase("Answered by a person"),
    Stand.EXPIRED: phrase("Nobody decided in time"),
    Stand.SKIPPED: phrase("Left as it was"),
    Stand.STOPPED: phrase("Stopped"),
}
_STATUS: Final = {
    Stand.WAITING: "pending",
    Stand.HELD: "pending",
    Stand.RUNNING: "in_progress",
    Stand.DONE: "complete",
    Stand.ANSWERED: "complete",
}
"""Slack's own word for each; what is not here is an `error`, the last that it knows."""


def progress(plan: Plan, conversation: ConversationId, *, plainly: bool = False) -> Message:
    """The turn as it stands; with Stop as long as there is something to stop."""
    stop = buttons.row([buttons.stop(conversation)], "progress") if plan.is_under_way else []
    draw = _lines if plainly else _plan
    shown = plan.tasks[-MOST:]
    while size(blocks := as_json([draw(plan, shown), *stop])) > _ROOM and len(shown) > 1:
        shown = shown[1:]
    return Message(text=_in_words(plan), blocks=blocks)


def _plan(plan: Plan, shown: Sequence[Task]) -> Block:
    before = plan.tasks[: len(plan.tasks) - len(shown)]
    cards = [_card(number, task) for number, task in enumerate(shown, len(before) + 1)]
    if before:
        cards.insert(0, TaskCardBlock(task_id="0", title=_counted(before), status="complete"))
    return PlanBlock(title=say(TITLES[plan.course]), tasks=cards, block_id=f"plan-{plan.version}")


def _card(number: int, task: Task) -> TaskCardBlock:
    given, _ = in_line(retold(task.given), _GIVEN)
    told, _ = in_line(retold(uttered(task.told)), _TOLD)
    return TaskCardBlock(
        task_id=str(number),
        title=_call(task),
        status=_STATUS.get(task.stand, "error"),
        details=_rich(section(piece(given))) if given else None,
        output=_rich(section(piece(told))) if told else None,
    )


def _call(task: Task) -> str:
    return say("{call}: {stand}", call=_name(task), stand=say(STANDS[task.stand]))


def _rich(element: RichTextElement) -> RichTextBlock:
    return RichTextBlock(elements=[element])


def _name(task: Task) -> str:
    """The tool's name, which a model can make up."""
    name, _ = in_line("".join(one for one in task.tool if one.isalnum() or one in "_-. ") or "?", _TOOL)
    return name


def _counted(tasks: Sequence[Task]) -> str:
    """So many calls, and how they ended, in words."""
    ended = _tally(tasks)
    return say_many(
        "{count} earlier call: {ended}", "{count} earlier calls: {ended}", len(tasks), ended=ended
    )


def _tally(tasks: Sequence[Task]) -> str:
    counts = Counter(task.stand for task in tasks)
    told = ((say(STANDS[stand]).lower(), counts[stand]) for stand in Stand if counts[stand])
    return say(", ").join(say("{count} {stand}", stand=stand, count=count) for stand, count in told)


def _in_words(plan: Plan) -> str:
    """For notifications and screen readers: a sentence, without anything of the agent's."""
    ended = sum(task.stand in ENDED for task in plan.tasks)
    return say_many(
        "{title}: {ended} of {count} call ended ({stands}).",
        "{title}: {ended} of {count} calls ended ({stands}).",
        len(plan.tasks),
        title=say(TITLES[plan.course]),
        ended=ended,
        stands=_tally(plan.tasks),
    )


def _lines(plan: Plan, shown: Sequence[Task]) -> Block:
    """The same in a `section`, of as many calls as one text holds."""
    while len(text := _in_lines(plan, shown)) > _PLAIN_ROOM and len(shown) > 1:
        shown = shown[1:]
    return SectionBlock(text=MarkdownTextObject(text=text, verbatim=True), block_id=f"plan-{plan.version}")


def _in_lines(plan: Plan, shown: Sequence[Task]) -> str:
    before = plan.tasks[: len(plan.tasks) - len(shown)]
    return "\n".join(
        [f"*{say(TITLES[plan.course])}*", *([_counted(before)] if before else []), *map(_one_line, shown)]
    )


def _one_line(task: Task) -> str:
    parts = [_boxed(retold(task.given), _GIVEN), _boxed(retold(uttered(task.told)), _TOLD)]
    return "• " + " · ".join([entities(_call(task)), *filter(None, parts)])


def _boxed(text: str, most: int) -> str:
    """The text in a box, so that nothing in it is markup; less of it where much has to be escaped."""
    line = in_line(text, most)[0]
    if len(entities(line)) > _ESCAPED:
        line = in_line(text, most // 5)[0]
    return code(line) if line else ""
