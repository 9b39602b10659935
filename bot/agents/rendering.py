"""Asks a tool how its call is to be shown: the function that a team put into its `metadata` as `render`.

`render(arguments)`, plain or async, gives one part of `bot.render`, or a list of them. It is given the
arguments as people may see them: what is masked is masked already, so that no secret can come back in other
words. Whatever it raises, and whatever else it gives, means the ordinary rows. What it raised is not told:
its words may be those of the arguments.
"""

import json
from typing import Any, Final

import structlog
from langchain_core.tools import BaseTool

from bot.approvals.decision import Arguments
from bot.approvals.rendered import Rendered, as_parts
from bot.approvals.sayings import saying
from bot.team_functions import answer_of

RENDER: Final = "render"

_log = structlog.get_logger(__name__)


def renders(tool: BaseTool | None) -> bool:
    """Whether the tool says how its calls are shown."""
    return _render(tool) is not None


async def rendered(tool: BaseTool | None, arguments: Arguments, *, within: float) -> Rendered | None:
    """The parts to be shown, or why there are none in so many seconds; None if the tool has none ever."""
    render = _render(tool)
    if tool is None or render is None:
        return None
    if not callable(render):
        return _none(tool, saying("`render` is no function"))
    try:
        # through JSON and back: copies that are of plain types, whatever marks what is masked
        told = as_parts(await answer_of(render, json.loads(json.dumps(dict(arguments))), within=within))
    except TimeoutError:
        return _none(tool, saying("it took longer than {seconds:g} seconds", seconds=within))
    except Exception as error:  # noqa: BLE001 - a team's function; whatever it raises, the rows are drawn
        return _none(tool, saying("it failed with {error}", error=type(error).__name__))
    return _none(tool, told.problem) if told.problem else told


def _render(tool: BaseTool | None) -> Any:  # noqa: ANN401 - whatever a team wrote there
    return (tool.metadata or {}).get(RENDER) if tool else None


def _none(tool: BaseTool, problem: str) -> Rendered:
    _log.warning("render_failed", tool=tool.name)
    return Rendered(problem=problem)
