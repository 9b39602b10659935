"""`[agents.NAME]` in the policy: what an agent's own section says goes before what the rest of the file says.

Key by key over the file's defaults; the agent's rules are tried first, then the file's.
"""

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from bot.policy_sections import File, Loc, Section

FOR: Final = " (for the agent {name})"
"""Behind the place of what is only wrong together with an agent's section."""
NO_SUCH: Final = "`agents.{said}`: there is no agent called {said}{hint}; BOT_AGENT names {names}."
NO_NAMES: Final = (
    "`agents.{said}`: BOT_AGENT names no agent, so a section for one is never kept; "
    "write BOT_AGENT={said}=package.module:attribute."
)


def laid_over(below: Section, above: Section) -> Section:
    """What the one says, and where it says nothing the other; `require` replaces what it stands for."""
    said, more = said_in(above), said_in(below)
    if "require" in said:
        more = {key: value for key, value in more.items() if key not in {"approvers", "quorum"}}
    elif "approvers" in said:
        more.pop("require", None)
    return above.model_copy(update=more | said)


def said_in(section: Section) -> dict[str, Any]:
    """What a section says, by key."""
    return {key: value for key in Section.model_fields if (value := getattr(section, key)) is not None}


def own_part(content: File, name: str) -> File:
    """What the section of an agent says, by itself."""
    section = content.agents[name]
    return content.model_copy(update={"defaults": section.defaults, "rules": section.rules, "agents": {}})


def as_one(content: File, name: str) -> File:
    """The file as it holds for an agent that has a section."""
    section = content.agents[name]
    both: dict[str, Any] = {
        "defaults": laid_over(content.defaults, section.defaults),
        "rules": [*section.rules, *content.rules],
        "agents": {},
    }
    if section.requesters:
        both["requesters"] = section.requesters
    return content.model_copy(update=both)


def own_place(name: str, loc: Loc) -> Loc:
    """Where something of the agent's own part stands in the file."""
    return ("agents", name, *loc)


def place_in_file(content: File, name: str, loc: Loc) -> tuple[Loc, bool]:
    """Where something of the file as it holds for an agent stands, and whether that is in its section."""
    section = content.agents[name]
    match loc:
        case ("rules", int(at), *rest) if at >= len(section.rules):
            return ("rules", at - len(section.rules), *rest), False
        case ("defaults", str(key), *_) if getattr(section.defaults, key, None) is None:
            return loc, False
        case ("requesters", *_) if section.requesters is None:
            return loc, False
        case ("rules" | "defaults" | "requesters", *_):
            return own_place(name, loc), True
        case _:
            return loc, False


def unknown_agents(sections: Collection[str], names: Collection[str]) -> list[tuple[Loc, str]]:
    """The sections for which there is no agent, each with the sentence; `names` are those of BOT_AGENT."""
    known = [name for name in names if name]
    found: list[tuple[Loc, str]] = []
    for said in sections:
        if said in known:
            continue
        close = get_close_matches(said, known, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        told = NO_SUCH.format(said=said, hint=hint, names=", ".join(known))
        found.append((("agents", said), told if known else NO_NAMES.format(said=said)))
    return found


def told_once(problems: Mapping[str, Sequence[str]]) -> list[str]:
    """The problems of all agents, by name of the agent, each once.

    What is wrong for each of them is told of none in particular.
    """
    plain: dict[str, list[str]] = {}
    for name, sentences in problems.items():
        for sentence in sentences:
            plain.setdefault(sentence.replace(FOR.format(name=name), "", 1), []).append(sentence)
    found = []
    for bare, told in plain.items():
        found += [bare] if bare in told or len(told) == len(problems) else told
    return found
