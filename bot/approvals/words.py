"""Our own sentences, in the language of whoever reads them.

English stands where it is said, and is the key to the other languages, as gettext has it. What one person
alone sees is said in that person's language, what several see in the policy's. Whoever draws or answers says
once for whom (`spoken`, `in_public`), and nobody in between hands a language on.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from gettext import NullTranslations
from string import Formatter
from typing import Final, TypeAlias

Language: TypeAlias = NullTranslations
"""A catalogue; gettext's own class without any text is English."""

ENGLISH: Final = NullTranslations()

_public: ContextVar[Language] = ContextVar("public", default=ENGLISH)
_private: ContextVar[Language | None] = ContextVar("private", default=None)


def phrase(message: str) -> str:
    """The message as it is, for a constant that `say` is given later; so that it gets into the catalogues."""
    return message


def say(message: str, /, **values: object) -> str:
    """The message in the language that is spoken, filled in by `str.format`; what is filled in stays."""
    told = _spoken().gettext(message)
    return told.format(**values) if values else told


def say_many(one: str, many: str, count: int, /, **values: object) -> str:
    """The same with a number, `{count}`, on which the words depend."""
    return _spoken().ngettext(one, many, count).format(count=count, **values)


def parts(message: str, /, **values: object) -> Iterator[str | object]:
    """The message in pieces, for what is no string: its words, and each value in its place.

    Strings and numbers are words, written as `say` does; words that follow each other are one piece.
    """
    words = ""
    for before, name, form, _ in Formatter().parse(_spoken().gettext(message)):
        words += before
        if name is None:
            continue
        value = values[name]
        if isinstance(value, str | int):
            words += format(value, form or "")
            continue
        if words:
            yield words
        yield value
        words = ""
    if words:
        yield words


AND: Final = phrase("{before} and {last}")
"""The end of a list."""
OR: Final = phrase("{before} or {last}")
"""The end of a list of which any one will do."""


def listed(told: Sequence[str], last: str = AND) -> str:
    """`a, b and c`; empty for nothing."""
    if len(told) < 2:  # noqa: PLR2004 - nothing to join
        return "".join(told)
    return say(last, before=say(", ").join(told[:-1]), last=told[-1])


def speak(language: Language | None, *, public: Language) -> None:
    """From here on in this task, all that is said is for one person who reads this language.

    None for the `public` one, in which all is that several people see.
    """
    _private.set(language)
    _public.set(public)


def spoken_in_public() -> Language:
    """What several people see is in this language here."""
    return _public.get()


def spoken_tag() -> str:
    """The tag of the language that is spoken, e.g. `zh-CN`; for a browser."""
    return _spoken().info().get("language", "en").replace("_", "-")


def heard() -> frozenset[Language]:
    """In which languages something that is read here may have been said; always in English, as in rows."""
    return frozenset({ENGLISH, _public.get(), _spoken()})


@contextmanager
def spoken(language: Language | None) -> Iterator[None]:
    """All that is said within is for one person who reads this language; None for the one of the policy."""
    before = _private.get()
    _private.set(language)
    try:
        yield
    finally:
        _private.set(before)


def in_public() -> AbstractContextManager[None]:
    """All that is said within is for everybody, whoever it is that has pressed something."""
    return spoken(None)


@contextmanager
def public_language(language: Language) -> Iterator[None]:
    """What several people see is in this language until the block ends, in all that is begun within."""
    before = _public.get()
    _public.set(language)
    try:
        yield
    finally:
        _public.set(before)


def _spoken() -> Language:
    return _private.get() or _public.get()
