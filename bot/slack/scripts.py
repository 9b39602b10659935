"""Hosts, paths and addresses that are not what they look like: letters of several alphabets in a word. Pure.

Unicode's own table of what looks like what is large and never complete. What an attack needs is small: a word
that is read as Latin and holds a letter of another alphabet, which no honest host or path has.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bot.approvals.decision import Arguments, Json
from bot.approvals.words import phrase, say

REACH: Final = 20_000
"""Characters of one text that are read for a card, which shows less and is drawn often."""
_MOST_TOLD: Final = 4
_WORD: Final = re.compile(r"[^\s\"'`<>()\[\]{},;|]{1,500}")
_SIGNS: Final = re.compile(r"[./\\@:]")
_LABEL: Final = re.compile(r"[^./\\@:?#&=+_~%\-\s]+")
_LOOK_LIKE_SIGNS: Final = re.compile(
    r"(?<=[A-Za-z0-9])[\u2024\u3002\uff0e\uff61\ufe52\u2044\u2215\u29f8\u2571\uff0f\uff3c\u29f5\ufe68\uff20\ufe6b"
    r"\uff1a\ua789\u2236\ufe55](?=[A-Za-z0-9])"
)
_ENCODED: Final = re.compile(r"(?<![A-Za-z0-9-])xn--[a-z0-9-]{1,80}", re.IGNORECASE)
_WRITTEN_TOGETHER: Final = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})
"""Alphabets that honest words of East Asia mix."""
_READ_AS_LATIN: Final = frozenset(
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u0406\u0408\u0405\u04c0"
    "\u03bf\u03b1\u03bd\u03c1\u03c5\u03b9\u03ba\u03c4\u03c7\u0391\u0392\u0395\u0396\u0397\u0399\u039a"
    "\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
)
"""Cyrillic and Greek letters."""
ALPHABETS: Final = (
    phrase("Latin"), phrase("Cyrillic"), phrase("Greek"), phrase("Armenian"), phrase("Hebrew"),
    phrase("Arabic"), phrase("Cherokee"), phrase("Coptic"), phrase("Georgian"), phrase("Devanagari"),
    phrase("Thai"), phrase("Hangul"), phrase("Hiragana"), phrase("Katakana"), phrase("Bopomofo"),
)  # fmt: skip
"""Unicode's names of alphabets, as the warnings have them; one that is not here is told in English."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A word to look at twice."""

    argument: str
    word: str
    why: str
    """The rest of a sentence that begins with the word; all of it is ours."""


def suspicions(arguments: Arguments, reach: int = REACH) -> list[Suspicion]:
    """Every such word in the arguments, each once, in their order; `reach` characters of a text are read."""
    found = (
        Suspicion(name, word, why)
        for name, value in arguments.items()
        for text in _texts(value)
        for word, why in _suspicious(text[:reach])
    )
    return list(dict.fromkeys(found))


def _texts(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, inner in value.items():
                yield key
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)


def _suspicious(text: str) -> Iterator[tuple[str, str]]:
    for found in _ENCODED.finditer(text):
        yield found[0], say("is the encoded form of {letters}", letters=_decoded(found[0]))
    if text.isascii():
        return
    words = _WORD.findall(text)
    for word in words:
        if not word.isascii() and (len(words) == 1 or _SIGNS.search(word) or _LOOK_LIKE_SIGNS.search(word)):
            yield from _in_word(word)


def _in_word(word: str) -> Iterator[tuple[str, str]]:
    """Why this word, which may be a host, a path or an address, is not what it looks like."""
    if sign := _LOOK_LIKE_SIGNS.search(word):
        why = phrase("holds {letters}, which looks like a sign of an address and is none")
        yield word, say(why, letters=_told([sign[0]]))
    for label in _LABEL.findall(word):
        letters = [one for one in label if _script(one) not in ("", "LATIN")]
        scripts = {script for one in label if (script := _script(one))}
        if "LOOKALIKE" in scripts:
            odd = [one for one in letters if _script(one) == "LOOKALIKE"]
            yield word, say("holds letters that only look like Latin ones: {letters}", letters=_told(odd))
        elif len(scripts) > 1 and not scripts <= _WRITTEN_TOGETHER:
            kinds = say(" and ").join(say(kind) for kind in sorted(script.title() for script in scripts))
            yield word, say("mixes {alphabets} letters: {letters}", alphabets=kinds, letters=_told(letters))
        elif letters and _SIGNS.search(word) and _reads_as_latin(word):
            yield word, say("is read as Latin letters and is not: {letters}", letters=_told(letters))


def _reads_as_latin(word: str) -> bool:
    """Whether each of its letters that is not Latin looks as if it was."""
    return all(
        one in _READ_AS_LATIN for one in word if not one.isascii() and _script(one) not in ("", "LATIN")
    )


def _told(letters: list[str]) -> str:
    codes = [f"U+{ord(one):04X}" for one in dict.fromkeys(letters)]
    return say(", ").join(codes[:_MOST_TOLD]) + (" …" if len(codes) > _MOST_TOLD else "")


def _decoded(label: str) -> str:
    try:
        letters = label[4:].encode().decode("punycode")
    except UnicodeError:
        return say("nothing at all")
    codes = [f"U+{ord(one):04X}" for one in letters if not one.isascii()]
    return say(", ").join(codes) or say("nothing but Latin letters")


@lru_cache(maxsize=20_000)
def _script(character: str) -> str:
    """The alphabet of a letter; empty for whatever is no letter."""
    if character.isascii():
        return "LATIN" if character.isalpha() else ""
    if unicodedata.category(character)[0] != "L" or unicodedata.category(character) == "Lm":
        return ""
    plain = unicodedata.normalize("NFKC", character)
    if plain.isascii():
        return "LOOKALIKE"
    name = unicodedata.name(plain[0], "").split(" ")[0]
    return {"IDEOGRAPHIC": "CJK", "KANGXI": "CJK"}.get(name, name)
