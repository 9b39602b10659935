"""The policy that an `Agent` carries: read as the file is, and put together with it where there is one."""

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import Any, Final

from bot.policy_agents import laid_over, said_in
from bot.policy_file import BadPolicy, PolicyFile, well_formed
from bot.policy_python import Defaults, Group, Policy
from bot.policy_sections import Loc

NAME: Final = "the policy of the agent"

NOT_ONE: Final = "The `policy` of the agent must be a Policy (from bot import Policy), not {}."
GOES_FIRST: Final = (
    "Both {file} and {agent} say who may decide: the file goes first, with its rules and with what its "
    "defaults say."
)
"""What an operator is told at start, where there are both."""
NOT_USED: Final = "{agent}: defaults.{key} is not used, for {file} says it."


def policy_of(agents: object, agent: str = "") -> PolicyFile:
    """The policy of an agent, if it is well formed; `BadPolicy` with every problem, by its place."""
    name = f"{NAME} {agent}".rstrip()
    if not isinstance(agents, Policy):
        raise BadPolicy([NOT_ONE.format(type(agents).__name__)])
    return well_formed(_document(agents), name=name, told=partial(_place, name))


def put_together(file: PolicyFile, agents: PolicyFile) -> PolicyFile:
    """One policy of the file and the agent's: what the file says goes before what the agent says.

    The file's rules come first, then the agent's; what neither says comes from the file's defaults, and what
    those do not say from the agent's defaults. The file's requesters hold if it names any.
    """
    own = file.content
    requesters = own.requesters if "requesters" in own.model_fields_set else agents.content.requesters
    content = own.model_copy(
        update={
            "requesters": requesters,
            "defaults": laid_over(agents.content.defaults, own.defaults),
            "rules": [*own.rules, *agents.content.rules],
        }
    )
    both = PolicyFile(
        name=f"{file.name} and {agents.name}",
        content=content,
        told=partial(_told, file, agents),
        parts=(file, agents),
    )
    both.check_keys()
    return both


def notes(policy: PolicyFile) -> list[str]:
    """What an operator has to know of a policy that was put together; nothing of any other."""
    if not policy.parts:
        return []
    file, agents = policy.parts
    both = said_in(file.content.defaults).keys() & said_in(agents.content.defaults).keys()
    names = {"file": file.name, "agent": agents.name}
    return [GOES_FIRST.format(**names), *(NOT_USED.format(key=key, **names) for key in sorted(both))]


def _told(file: PolicyFile, agents: PolicyFile, loc: Loc) -> str:
    """Where it stands: in whichever of the two said it."""
    rules = len(file.content.rules)
    match loc:
        case ("rules", int(at), *rest) if at >= rules:
            return agents.told(("rules", at - rules, *rest))
        case ("defaults", str(key), *_) if getattr(file.content.defaults, key, None) is None and getattr(
            agents.content.defaults, key, None
        ):
            return agents.told(loc)
        case ("requesters", *_) if "requesters" not in file.content.model_fields_set:
            return agents.told(loc)
        case _:
            return file.told(loc)


def _place(name: str, loc: Loc) -> str:
    """`the policy of the agent: rules[1].approvers`."""
    written = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return f"{name}: {written.removeprefix('.')}" if loc else name


def _document(policy: Policy) -> dict[str, Any]:
    """The policy as a file would have it; what is none of our classes stays, and is refused."""
    told: dict[str, Any] = {"defaults": _section(policy.defaults)}
    told["rules"] = [_section(rule) for rule in policy.rules]
    if policy.requesters is not None:
        told["requesters"] = _listed(policy.requesters)
    return told


def _section(section: object) -> object:
    if not isinstance(section, Defaults | Group):
        return section
    said = {key.name: getattr(section, key.name) for key in fields(section)}
    return {key: _listed(value) for key, value in said.items() if value is not None}


def _listed(value: object) -> object:
    """Sequences as lists, which TOML has; a text is none."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_section(one) for one in value]
    return value
