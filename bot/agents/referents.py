"""Asks a tool what its arguments point at: the function that a team put into its `metadata` as `resolve`.

`resolve(arguments)`, plain or async, gives a mapping of short names to texts, and may be asked at any time
and any number of times. Whatever it raises, and whatever else it gives, means that it could not be looked up.
"""

import copy
from collections.abc import Mapping
from typing import Any, Final

import structlog
from langchain_core.tools import BaseTool

from bot.agents.failures import cut
from bot.approvals.decision import Arguments
from bot.approvals.referents import Referents, unfit
from bot.approvals.sayings import Saying, saying
from bot.team_functions import answer_of

RESOLVE: Final = "resolve"

_log = structlog.get_logger(__name__)


def resolves(tool: BaseTool | None) -> bool:
    """Whether the tool says that its arguments point at something."""
    return _resolve(tool) is not None


async def referents(tool: BaseTool | None, arguments: Arguments, *, within: float) -> Referents | None:
    """What they point at now, or why that cannot be told in so many seconds; None if it never is."""
    resolve = _resolve(tool)
    if tool is None or resolve is None:
        return None
    try:
        told = await answer_of(resolve, copy.deepcopy(dict(arguments)), within=within)
    except TimeoutError:
        return _unknown(tool, saying("it took longer than {seconds:g} seconds", seconds=within))
    except Exception as error:  # noqa: BLE001 - a team's function; whatever it raises, nothing was looked up
        return _unknown(tool, cut(str(error).encode(errors="replace").decode()) or type(error).__name__)
    problem = _misfit(told)
    return _unknown(tool, problem) if problem else Referents(texts=dict(told))


def _resolve(tool: BaseTool | None) -> Any:  # noqa: ANN401 - whatever a team wrote there
    return (tool.metadata or {}).get(RESOLVE) if tool else None


def _unknown(tool: BaseTool, problem: str) -> Referents:
    _log.warning("resolve_failed", tool=tool.name)
    return Referents(problem=problem if isinstance(problem, Saying) else problem.rstrip("."))


def _misfit(told: Any) -> str:  # noqa: ANN401 - whatever a team's function gives
    if not isinstance(told, Mapping) or not all(
        isinstance(one, str) for pair in told.items() for one in pair
    ):
        return saying("`resolve` told something else than names with texts")
    return unfit(told)
