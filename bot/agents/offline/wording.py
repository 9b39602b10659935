"""The stand-in's sentences."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from bot.agents.offline.calls import Schemas
from bot.agents.offline.outcomes import How, Outcome

INTRODUCTION: Final = (
    "_I am the offline stand-in for a language model and understand plain instructions only. For a real one, "
    "set `BOT_MODEL=provider:model`, for example `openai:gpt-5`, and install its extra: "
    "`pip install 'slack-approval-bot[openai]'`._"
)
NOTHING_TO_RETRY: Final = "There is nothing that failed, so there is nothing to try again."
_SHOWN: Final = {"list_files", "read_file", "execute_sql"}
_LONGEST: Final = 6_000
_EXAMPLES: Final = {
    "list_files": "list files",
    "read_file": "read notes.txt",
    "write_file": 'write "done" to notes.txt',
    "delete_file": "delete tmp.log",
    "execute_sql": "run sql: select * from people",
    "ask_user": "ask me whether to keep data.csv",
}


def closing(ended: Sequence[Outcome], not_understood: Sequence[str]) -> str:
    """What was done, call by call, and what was not understood."""
    parts = [_told(outcome) for outcome in ended]
    parts += [f"I did not understand: “{_short(text)}”." for text in not_understood]
    separator = "\n\n" if any("```" in part for part in parts) else "\n"
    return separator.join(f"- {part}" if len(parts) > 1 and "```" not in part else part for part in parts)


def help_text(schemas: Schemas, not_understood: Sequence[str]) -> str:
    """What is understood with these tools."""
    known = [example for tool, example in _EXAMPLES.items() if tool in schemas]
    others = [
        _written_out(tool, schemas[tool].get("properties") or {}) for tool in schemas if tool not in _EXAMPLES
    ]
    lines = [f"I did not understand: “{_short(not_understood[0])}”."] if not_understood else []
    lines.append("What I understand, joined by commas, “and”, or “then” where one has to wait for another:")
    lines += [f"- `{line}`" for line in [*known, *others]]
    lines.append("- `try again`, or `retry` with the name of what failed")
    if not known and not others:
        lines = ["I have no tools, so there is nothing that I can do."]
    return "\n".join(lines)


def _written_out(tool: str, names: Iterable[str]) -> str:
    told = ", ".join(f"{name}=…" for name in names)
    return f"call {tool} with {told}" if told else f"call {tool}"


def _told(outcome: Outcome) -> str:
    what = label(outcome)
    match outcome.how:
        case How.REJECTED:
            return f"Not done: {what} was rejected{f': “{_short(outcome.text)}”' if outcome.text else ''}."
        case How.EXPIRED:
            return f"Not done: nobody decided in time about this: {what}. Say `try again` to ask once more."
        case How.FAILED:
            return f"Failed: {what}. {_short(outcome.text)}"
        case How.ANSWERED:
            return f"The answer to “{_short(_asked(outcome))}” is: {_block(outcome.text)}"
        case How.EDITED:
            return f"{_result(outcome, what)} A reviewer had changed the call."
        case How.DONE:
            return _result(outcome, what)


def label(outcome: Outcome) -> str:
    """The call in a few words."""
    path = outcome.arguments.get("path")
    match outcome.tool:
        case "write_file" | "delete_file" | "read_file" if path:
            return f"{outcome.tool.partition('_')[0]} {_short(str(path))}"
        case "execute_sql":
            return f"`{_short(str(outcome.arguments.get('statement', '')))}`"
        case tool:
            return f"`{tool}`"


def _asked(outcome: Outcome) -> str:
    return str(outcome.arguments.get("question") or label(outcome))


def _result(outcome: Outcome, what: str) -> str:
    if outcome.tool in _SHOWN:
        heading = "Files" if outcome.tool == "list_files" else what[:1].upper() + what[1:]
        return f"{heading}:\n{fence(outcome.text)}"
    text = outcome.text.strip() or "done."
    return text if outcome.tool in _EXAMPLES else f"{what}: {_block(text)}"


def _block(text: str) -> str:
    return text if "\n" not in text and len(text) <= 300 else f"\n{fence(text)}"  # noqa: PLR2004 - one line


def fence(text: str) -> str:
    """The text in a fence that it cannot close."""
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… {len(text) - _LONGEST} more characters"
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}\n{shown}\n{ticks}"


def _short(text: str) -> str:
    line = " ".join(text[:1000].split())
    return line if len(line) <= 200 else f"{line[:199]}…"  # noqa: PLR2004 - a sentence stays readable
