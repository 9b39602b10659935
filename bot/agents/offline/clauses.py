"""Cuts a text into clauses, each one instruction, and those into rounds. Pure, linear in the text's length.

A comma or an "and" only separates where a verb that is known follows; what stands in quotes or in a
fence is never cut.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_QUOTED: Final = re.compile(
    r"```.*?```|`[^`\n]+`|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^'\n]*'(?!\w)"
    r"|(?<=\w)\([^()\n]*\)|\{[^{}]*\}",
    re.DOTALL,
)
_SEPARATOR: Final = re.compile(
    r"""
    (?<!\s)(?:
    (?P<round>
        (?:\s*[,;.]\s*|\s+|\n\s*)(?:and\s+)?(?:then|after\s+that|afterwards|finally|next)\b\s*[,:]?\s*
    )
    | (?P<same> \s*[,;]\s*(?:and\s+)? | \s+and\s+ | \s*\n\s*(?:[-*•]\s+|\d+[.)]\s+)? | (?<=\S)[.!?]\s+ )
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"(?:(?:please|also)\s+)?"
    r"(?:list|ls|show|read|open|print|cat|display|write|put|save|overwrite|append|add|create|touch|make|copy"
    r"|delete|remove|rm|erase|run|execute|count|how\s+many|ask|call|use|try\s+again|retry"
    r"|select|insert|update|drop|alter|what)\b",
    re.IGNORECASE,
)
_CONTINUES: Final = re.compile(
    r"\s*(?:please\s+)?(?:ask|run|execute|select|insert|update|drop|alter)\b", re.IGNORECASE
)
_HOLDS_TEXT: Final = re.compile(r"(?:write|put|save|overwrite|append|add|create|replace)\b", re.IGNORECASE)
_PREAMBLE: Final = re.compile(
    r"(?:\s|[-*•]\s|\d+[.)]\s|(?:hi|hello|hey|ok|okay|please|also|now|then|first|and|so|"
    r"(?:can|could|would|will)\s+you|"
    r"i(?:'d|\s+would)?\s+(?:want|like|need)\s+you\s+to|you\s+should|let's)\b[\s,:!]*)+",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"[^:\"'`“\n]{1,60}:\s+")


@dataclass(frozen=True, slots=True)
class Clause:
    """One instruction."""

    text: str
    starts_round: bool


def clauses(text: str, tools: frozenset[str] = frozenset()) -> Iterator[Clause]:
    """The instructions in the text, in order. `tools` are names that may begin one, too."""
    masked = masked_quotes(text)
    begin, starts_round = _start(masked, 0, tools), False
    for found in _SEPARATOR.finditer(masked):
        if found.start() < begin or not _may_cut(masked, begin, found, tools):
            continue
        if piece := text[begin : found.start()].strip():
            yield Clause(piece, starts_round)
        starts_round = found["round"] is not None
        begin = _start(masked, found.end(), tools)
    if piece := text[begin:].strip():
        yield Clause(piece, starts_round)


def masked_quotes(text: str) -> str:
    """The text with everything in quotes blotted out, of the same length."""
    return _QUOTED.sub(lambda found: "\ufffc" * len(found[0]), text)


def _start(masked: str, begin: int, tools: frozenset[str]) -> int:
    """Behind politeness, and behind a label such as "tidy up:" if an instruction follows it."""
    if polite := _PREAMBLE.match(masked, begin):
        begin = polite.end()
    if not _begins(masked, begin, tools) and (label := _LABEL.match(masked, begin)):
        behind = label.end()
        if polite := _PREAMBLE.match(masked, behind):
            behind = polite.end()
        if _begins(masked, behind, tools):
            return behind
    return begin


def _may_cut(masked: str, begin: int, found: re.Match[str], tools: frozenset[str]) -> bool:
    behind = _PREAMBLE.match(masked, found.end())
    if not _begins(masked, behind.end() if behind else found.end(), tools):
        is_end = found["round"] is not None or re.search(r"[;\n.!?]", found[0]) is not None
        return is_end and not _CONTINUES.match(masked, begin) and not _HOLDS_TEXT.match(masked, begin)
    if found["round"] is not None or found.start() <= begin:
        return True
    separator = found["same"]
    if _CONTINUES.match(masked, begin):
        # A question and a statement have commas of their own: "keep, delete or rename", "select a, b".
        is_question = masked[begin : begin + 3].lower() == "ask"
        return "\n" in separator or (is_question and "and" in separator.lower())
    return True


def _begins(masked: str, position: int, tools: frozenset[str]) -> bool:
    if _VERB.match(masked, position):
        return True
    word = re.compile(r"[A-Za-z_][\w-]*").match(masked, position)
    return word is not None and word[0] in tools
