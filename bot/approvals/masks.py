"""What stands in a secret's place, in the language that is spoken: that there is one, and how long it is.

What is kept in a row has them in English, and `retold` says them in the language of whoever reads it. An
argument can look like one of these: it is drawn like any other argument, and not as ours are.
"""

import re
from functools import cache
from typing import Final

from bot.approvals.words import Language, heard, say, say_many, spoken

KINDS: Final = ("", "number", "list", "object")
"""What can be masked besides true and false; a text is of no kind."""
_IN_A_ROW: Final = re.compile(
    r"\(masked(?: (number|list|object))?, (\d[\d,]{0,12}) characters?\)|\(masked, (true or false)\)"
)


def mask(length: int, kind: str = "") -> str:
    """What stands in the place of so many characters, of which they are the JSON if there is a kind."""
    match kind:
        case "number":
            return say_many(
                "(masked number, {count:,} character)", "(masked number, {count:,} characters)", length
            )
        case "list":
            return say_many(
                "(masked list, {count:,} character)", "(masked list, {count:,} characters)", length
            )
        case "object":
            return say_many(
                "(masked object, {count:,} character)", "(masked object, {count:,} characters)", length
            )
        case _:
            return say_many("(masked, {count:,} character)", "(masked, {count:,} characters)", length)


def mask_of_boolean() -> str:
    """What stands in the place of true or false."""
    return say("(masked, true or false)")


def is_mask(kept: str) -> bool:
    """Whether what is kept in a row is a mask, and nothing else."""
    return _IN_A_ROW.fullmatch(kept) is not None


def retold(kept: str) -> str:
    """What is kept in a row, with the masks in it in the language that is spoken."""
    return _IN_A_ROW.sub(_again, kept)


def begins_with_mask(text: str, at: int) -> bool:
    """Whether a mask begins at this place, in any language that can be heard here: it is masked already."""
    return any(_masks(language).match(text, at) for language in heard())


def _again(found: re.Match[str]) -> str:
    return mask_of_boolean() if found[3] else mask(int(found[2].replace(",", "")), found[1] or "")


@cache
def _masks(language: Language) -> re.Pattern[str]:
    with spoken(language):
        every = [mask_of_boolean(), *(mask(length, kind) for kind in KINDS for length in (1, 2))]
    return re.compile("|".join(re.sub("[12]", r"[\\d,]+", re.escape(one)) for one in every))
