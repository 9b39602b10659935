"""The sentences about files, data and questions that are understood. Pure; one small rule per kind."""

import re
from collections.abc import Callable
from typing import Final

from bot.agents.offline.clauses import masked_quotes
from bot.agents.offline.plan import Call, ResultOf, Retry, Round, Step
from bot.agents.offline.words import content, names, unquoted

_FLAGS: Final = re.IGNORECASE | re.DOTALL
_AGAIN: Final = re.compile(r"(?:(?:try|do)\s+(?:(?:it|that|them)\s+)?)?(?:once\s+)?again|retry", _FLAGS)
_RETRY: Final = re.compile(r"(?:retry|try\s+again)\s+(?:to\s+)?(.+)", _FLAGS)
_ASKING: Final = r"(?:whether|if|what|which|who|when|where|how|why)\b"
_ASK: Final = re.compile(
    r"ask(?:\s+(?:me|us|them|him|her|people|somebody|someone|the\s+\w+)\b"
    rf"|\s+[\w.@<>-]+(?=\s+{_ASKING}))?(?<=\S)\s*[:,]?\s*(.+)",
    _FLAGS,
)
_QUESTIONS: Final = (
    (r"(?:whether|if)\s+to\s+", "Should I {0}?"),
    (_ASKING, "Please say {1}."),
    (r"about\s+", "What about {0}?"),
    (r"for\s+", "Please give {0}."),
    (r"to\s+", "Please {0}."),
)
_RUN: Final = re.compile(
    r"(?:run|execute|do)\s+(?:the\s+|this\s+)?(?:(sql|query|statement)\b)?\s*[:,]?\s*", _FLAGS
)
_SQL: Final = re.compile(
    r"(?:select\b(?=.*\bfrom\b|\s*[\d(*'])|with\b.+\bselect\b|insert\s+(?:or\s+\w+\s+)?into\b"
    r"|update\s+\S+\s+set\b|delete\s+from\b|replace\s+into\b"
    r"|(?:create|drop|alter)\s+(?:temp\w*\s+|unique\s+|virtual\s+)*(?:table|index|view|trigger)\b"
    r"|pragma\b|explain\b|vacuum\b|attach\b)",
    _FLAGS,
)
_COUNT: Final = re.compile(
    r"(?:count\s+(?:the\s+|all\s+)*rows|how\s+many\s+rows\s+(?:are\s+)?(?:there\s+)?)"
    r"(?:\s*(?:in|of))?(?:\s+the)?(?:\s+table)?\s+(.+?)\??",
    _FLAGS,
)
_TABLES: Final = re.compile(
    r"(?:show|list|what)\s+(?:me\s+)?(?:all\s+|the\s+)*tables(?:\s+are\s+there)?\??", _FLAGS
)
_LIST: Final = re.compile(
    r"(?:ls|(?:list|show)(?:\s+me)?(?:\s+(?:all|the|my|our))*\s+(?:files|folder|directory|workspace)"
    r"|what(?:'s|\s+is)\s+in\s+the\s+(?:folder|directory|workspace)|what\s+files\s+(?:are\s+there|do\s+(?:we|you|i)\s+have)|list)(?:\s+(?:in|of|under)(?:\s+the)?)?"
    r"(?:\s+(?:folder|directory|workspace))?(?:\s+([^\s\"'`“”,;:]+?))?\??",
    _FLAGS,
)
_READ: Final = re.compile(
    r"(?:read|show|open|print|cat|display|what(?:'s|\s+is)\s+in)(?:\s+me)?(?:\s+(?:the|a|all|files?|contents?|text|of))*\s+(.+)",
    _FLAGS,
)
_DELETE: Final = re.compile(r"(?:delete|remove|rm|erase)(?:\s+(?:the|files?|both|all))*\s+(.+)", _FLAGS)
_COPY: Final = re.compile(
    r"(?:copy|(?:write|put|append|add|save)\s+(?:the\s+)?contents?\s+of)(?:\s+(?:the|file))*\s+(.+?)"
    r"\s+(?:in)?to\s+(?:the\s+)?(?:file\s+)?(.+)",
    _FLAGS,
)
_WRITE: Final = re.compile(
    r"(write|put|save|append|add)(?:\s+(?:the\s+)?(?:text|words?|lines?))?\s*:?\s+", _FLAGS
)
_INTO: Final = re.compile(r"\s+as\s+|\s+(?:in)?to\s+(?:the\s+)?(?:end\s+of\s+)?(?:file\s+)?|\s+in\s+", _FLAGS)
_MAKE: Final = re.compile(
    r"(write|put|save|append|add|create|touch|make|overwrite|replace)"
    r"(?:\s+(?:to|into|in|an?|the|new|empty|file|called|named))*\s+",
    _FLAGS,
)
_HOLDING: Final = re.compile(
    r"\s*:\s*|\s+(?:with|containing|saying)(?:\s+(?:the\s+)?(?:contents?|text))?\s*:?\s+", _FLAGS
)


def understood(clause: str) -> tuple[Round, ...]:
    """The rounds that one instruction asks for; none if it is not understood."""
    text = re.sub(r"\s*,?\s+please$", "", clause.strip().rstrip(" .!?"), flags=_FLAGS)
    if clause.rstrip().endswith("?") and text[:3].lower() == "ask":
        text += "?"
    for rule in _RULES:
        if rounds := rule(text):
            return rounds
    return ()


def question(told: str) -> str:
    """What comes after "ask me", as something that people can answer."""
    text = unquoted(told)
    if text.endswith("?"):
        return text[:1].upper() + text[1:]
    text = text.rstrip(".")
    for begin, asked in _QUESTIONS:
        if found := re.match(begin, text, _FLAGS):
            return asked.format(text[found.end() :], text)
    return f"{text[:1].upper()}{text[1:]}?"


def _one(*steps: Step) -> tuple[Round, ...]:
    return (steps,) if steps else ()


def _retry(text: str) -> tuple[Round, ...]:
    if _AGAIN.fullmatch(text):
        return _one(Retry())
    found = _RETRY.fullmatch(text)
    return _one(Retry(unquoted(found[1]))) if found else ()


def _ask(text: str) -> tuple[Round, ...]:
    found = _ASK.fullmatch(text)
    return _one(Call("ask_user", {"question": question(found[1])})) if found else ()


def _sql(text: str) -> tuple[Round, ...]:
    led = _RUN.match(text)
    statement = unquoted(text[led.end() :] if led else text)
    if statement and ((led and led[1]) or _SQL.match(statement)):
        return _one(Call("execute_sql", {"statement": statement.rstrip(" ;")}))
    return ()


def _rows(text: str) -> tuple[Round, ...]:
    if _TABLES.fullmatch(text):
        return _one(Call("execute_sql", {"statement": "SELECT name FROM sqlite_master WHERE type = 'table'"}))
    if found := _COUNT.fullmatch(text):
        table = re.sub(r"\s+table$", "", unquoted(found[1])).replace('"', '""')
        # The statement is a request like any other; SQLite decides whether people are asked about it.
        return _one(Call("execute_sql", {"statement": f'SELECT count(*) AS rows FROM "{table}"'}))  # noqa: S608 - see above
    return ()


def _list(text: str) -> tuple[Round, ...]:
    found = _LIST.fullmatch(text)
    if not found:
        return ()
    path = found[1] if found[1] and found[1].lower() not in {"it", "here", "folder"} else "."
    return _one(Call("list_files", {"path": path}))


def _read(text: str) -> tuple[Round, ...]:
    found = _READ.fullmatch(text)
    return _one(*(Call("read_file", {"path": name}) for name in names(found[1]))) if found else ()


def _delete(text: str) -> tuple[Round, ...]:
    found = _DELETE.fullmatch(text)
    return _one(*(Call("delete_file", {"path": name}) for name in names(found[1]))) if found else ()


def _copy(text: str) -> tuple[Round, ...]:
    found = _COPY.fullmatch(text)
    if not found or len(source := names(found[1])) != 1 or len(target := names(found[2])) != 1:
        return ()
    arguments: dict[str, str | bool | ResultOf] = {"path": target[0], "content": ResultOf(source[0])}
    if re.match(r"append|add", text, _FLAGS):
        arguments["append"] = True
    return ((Call("read_file", {"path": source[0]}),), (Call("write_file", {**arguments}),))


def _write(text: str) -> tuple[Round, ...]:
    """`write TEXT to FILE`, `append TEXT to FILE`; the last "to" counts, the text may have others."""
    masked = masked_quotes(text)
    verb = _WRITE.match(masked)
    joints = list(_INTO.finditer(masked, verb.end())) if verb else []
    if not verb or not joints:
        return ()
    told = text[verb.end() : joints[-1].start()]
    return _written(names(text[joints[-1].end() :]), content(told), verb[1])


def _write_with(text: str) -> tuple[Round, ...]:
    """`write to FILE: TEXT`, `create FILE with TEXT`, `overwrite FILE with TEXT`, `create FILE`."""
    masked = masked_quotes(text)
    verb = _MAKE.match(masked)
    if not verb:
        return ()
    if joint := _HOLDING.search(masked, verb.end()):
        return _written(names(text[verb.end() : joint.start()]), content(text[joint.end() :]), verb[1])
    if verb[1].lower() in {"create", "touch", "make"}:
        return _written(names(text[verb.end() :]), "", verb[1])
    return ()


def _written(files: list[str], told: str, verb: str) -> tuple[Round, ...]:
    if len(files) != 1:
        return ()
    arguments: dict[str, str | bool] = {"path": files[0], "content": told}
    if verb.lower() in {"append", "add"}:
        arguments["append"] = True
    return _one(Call("write_file", {**arguments}))


_RULES: Final[tuple[Callable[[str], tuple[Round, ...]], ...]] = (
    _retry, _ask, _rows, _sql, _list, _copy, _write, _write_with, _read, _delete,
)  # fmt: skip
