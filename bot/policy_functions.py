"""Asks the functions of a policy that is written in Python what they say about one call.

Whatever goes wrong in one is a problem and never a right: it raises, takes too long, gives what is none of
the policy's words, names nobody or somebody whom Slack does not know, or wants more votes than there can be.
What it gave and what it raised may hold the arguments of the call, so neither is told to anybody.
"""

import asyncio
import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, Protocol

import structlog
from pydantic import TypeAdapter, ValidationError

from bot.approvals.choosing import ApprovalRequest, Chosen
from bot.approvals.errors import CouldNotCheck
from bot.approvals.ids import UserId
from bot.approvals.person import Group as SlackGroup
from bot.approvals.person import Person, Standing
from bot.approvals.places import Room
from bot.approvals.policy import Policy, Quorum, Terms, UserGroup, Who
from bot.approvals.sayings import saying
from bot.approvals.words import phrase
from bot.durations import SaidOrNever
from bot.policy_checks import misplaced, never_enough
from bot.policy_file import PolicyFile
from bot.policy_names import Known, is_channel, is_group, is_person, meaning, place_meant
from bot.policy_sections import MOST_VOTES, Ask, Count, Group, Names, Place
from bot.team_functions import answer_of

_log = structlog.get_logger(__name__)

_TAKES: Final[Mapping[str, TypeAdapter[Any]]] = {
    "approvers": TypeAdapter(Names),
    "quorum": TypeAdapter(Count),
    "self_approval": TypeAdapter(bool),
    "ask": TypeAdapter(Ask),
    "channel": TypeAdapter(Place),
    "expires_after": TypeAdapter(SaidOrNever),
}
_SHOULD: Final = {
    "approvers": phrase("a list of names"),
    "quorum": phrase("a number from 1 to {most}"),
    "self_approval": phrase("True or False"),
    "ask": phrase("one of always, never, once, once-per-tool"),
    "channel": phrase("thread, #channel or its id, or dm:approvers"),
    "expires_after": phrase("a duration such as 15m or 24h, or never"),
}


UNKNOWN: Final = phrase(
    "the policy's function for `approvers` named somebody who is not a full member of this workspace, "
    "or a group or channel that is not there"
)


NO_PLACE: Final = phrase(
    "the policy's function for `channel` named one that is not there, or that the bot cannot write in"
)
NOT_IN_SLACK: Final = phrase(
    "Slack does not know, or could not be asked for, whom the policy's function named"
)
TOO_SLOW: Final = phrase("the policy's function for `{key}` took longer than {seconds:g} seconds")
FAILED: Final = phrase("the policy's function for `{key}` failed with {error}")
MISFIT: Final = phrase("the policy's function for `{key}` did not give {wanted}")


class _NoAnswer(Exception):  # noqa: N818 - what a function said instead
    """The sentence that says why."""


class _Asked(NamedTuple):
    """What the functions said, with what was said without one beside it."""

    key: str
    told: Any


class Workspace(Protocol):
    """Whom and what Slack has; each raises `CouldNotCheck` if Slack cannot say it."""

    async def person(self, id: UserId) -> Person:
        """The one with this id."""

    async def all_people(self) -> Sequence[Person]:
        """Everybody."""

    async def all_groups(self) -> Sequence[SlackGroup]:
        """Every user group."""

    async def named_rooms(self, names: Collection[str]) -> Sequence[Room]:
        """The channels by these names or ids, as far as there are any."""


class PolicyFunctions:
    """Fills `approvals.choosing.Chooser` for a policy, whose names are looked up in Slack's workspace."""

    def __init__(self, file: PolicyFile, policy: Policy, workspace: Workspace) -> None:
        self._file = file
        self._policy = policy
        self._workspace = workspace

    def has_functions(self, tool: str) -> bool:
        """Whether a function of the policy says something about this tool."""
        return bool(self._policy.terms(tool).by_function)

    async def chosen(self, request: ApprovalRequest, *, within: float) -> Chosen | None:
        """What they say within so many seconds, or why that cannot be told; None where there are none."""
        terms = self._policy.terms(request.tool)
        if not terms.by_function:
            return None
        try:
            return await self._chosen(request, terms, within)
        except _NoAnswer as why:
            problem = why.args[0]
        except CouldNotCheck:
            problem = saying(NOT_IN_SLACK)
        except TimeoutError:
            problem = saying("finding it out took longer than {seconds:g} seconds", seconds=within)
        _log.warning("policy_function_failed", tool=request.tool, conversation=request.conversation)
        return Chosen(problem=problem)

    async def _chosen(self, request: ApprovalRequest, terms: Terms, within: float) -> Chosen:
        until = asyncio.get_running_loop().time() + within
        said = self._file.sections(request.tool)
        asked = await asyncio.gather(
            *(self._told(key, said[key], request, within) for key in sorted(terms.by_function))
        )
        told = {one.key: one.told for one in asked}
        async with asyncio.timeout_at(until):
            chosen, known = await self._looked_up(told)
            given = terms.given(chosen)
            problem = await self._never(given, request) or misplaced(given, known)
        if problem:
            raise _NoAnswer(problem)
        return chosen

    async def _told(self, key: str, said: Any, request: ApprovalRequest, within: float) -> _Asked:  # noqa: ANN401 - by key
        if key != "require":
            return _Asked(key, await _value(key, said, request, within))
        return _Asked(key, await asyncio.gather(*(_group(group, request, within) for group in said)))

    async def _looked_up(self, told: dict[str, Any]) -> tuple[Chosen, Known]:
        named = [
            *told.get("approvers", ()),
            *(name for names, _ in told.get("require", ()) for name in names),
        ]
        known = await self._known([*named, *([told["channel"]] if "channel" in told else [])])
        if "approvers" in told:
            told["approvers"] = _people(told["approvers"], known)
        if "require" in told:
            told["require"] = tuple(
                Quorum(approvers=_people(names, known), count=count) for names, count in told["require"]
            )
        if "channel" in told and isinstance(place := place_meant(told["channel"], known), str):
            raise _NoAnswer(saying(NO_PLACE))
        if "channel" in told:
            told["channel"] = place
        return Chosen(**told), known

    async def _known(self, names: Sequence[str]) -> Known:
        """Whom Slack has by these names, as far as that is needed; `CouldNotCheck` if it cannot say it."""
        people = [name for name in names if is_person(name)]
        found: Sequence[Person] = ()
        if any(name.startswith("@") for name in people):
            found = await self._workspace.all_people()
        elif people:
            found = await asyncio.gather(*(self._workspace.person(UserId(id)) for id in people))
        groups = await self._workspace.all_groups() if any(map(is_group, names)) else ()
        rooms = await self._workspace.named_rooms({name for name in names if is_channel(name)})
        return Known(people=found, groups=groups, rooms=rooms)

    async def _never(self, terms: Terms, request: ApprovalRequest) -> str | None:
        """Why these people could never decide it; a group is taken as if all in it were full members."""
        named = {who.id for who in terms.who if isinstance(who, UserGroup)}
        groups = [one for one in await self._workspace.all_groups() if one.id in named] if named else []
        inside = {UserId(id) for group in groups for id in group.members}
        known = Known(groups=groups, people=[Person(id=id, standing=Standing.MEMBER) for id in inside])
        return never_enough(terms, known, frozenset(map(UserId, request.requesters)))


def _people(names: Sequence[str], known: Known) -> tuple[Who, ...]:
    found = [meaning(name, known) for name in names]
    if any(isinstance(sentence, str) for sentence in found):
        raise _NoAnswer(saying(UNKNOWN))
    return tuple(who for who in found if not isinstance(who, str))


async def _value(key: str, said: Any, request: ApprovalRequest, within: float) -> Any:  # noqa: ANN401 - by key
    """What the function gives, in the words of the policy."""
    if not callable(said):
        return said
    copied = replace(request, arguments=copy.deepcopy(dict(request.arguments)))
    try:
        told = await answer_of(said, copied, within=within)
    except TimeoutError:
        raise _NoAnswer(saying(TOO_SLOW, key=key, seconds=within)) from None
    except Exception as error:
        raise _NoAnswer(saying(FAILED, key=key, error=type(error).__name__)) from error
    if isinstance(told, tuple | set | frozenset):
        told = [*told]
    try:
        return _TAKES[key].validate_python(told, strict=True)
    except ValidationError:
        raise _NoAnswer(saying(MISFIT, key=key, wanted=saying(_SHOULD[key], most=MOST_VOTES))) from None


async def _group(group: Group, request: ApprovalRequest, within: float) -> tuple[list[str], int]:
    names, count = await asyncio.gather(
        _value("approvers", group.approvers, request, within),
        _value("quorum", group.quorum, request, within),
    )
    return names, count
