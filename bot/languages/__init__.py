"""The languages that the bot speaks: English, which stands in the code, and a catalogue for each other."""

import re
from collections.abc import Mapping
from functools import cache
from gettext import GNUTranslations
from importlib.resources import files
from io import BytesIO
from typing import Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from bot.approvals.words import ENGLISH, Language

CATALOGUES: Final[Mapping[str, str]] = {"zh-CN": "zh_CN.po"}
"""Files of this package, by the tag that a policy and Slack's locales name them by."""

LANGUAGES: Final = ("en", *CATALOGUES)
"""What a policy may choose."""

_SIMPLIFIED: Final = frozenset({"zh", "zh-cn", "zh-hans", "zh-hans-cn", "zh-sg", "zh-hans-sg"})
"""What browsers call it."""
_ACCEPTED: Final = re.compile(r"\s*([A-Za-z-]{1,35})\s*(?:;\s*[qQ]\s*=\s*([01](?:\.\d{0,3})?)\s*)?")


def language(tag: str) -> Language | None:
    """The language of a policy's or Slack's tag, e.g. `en-GB` or `zh-CN`; None for one that is not spoken."""
    if tag.partition("-")[0] == "en":
        return ENGLISH
    return _read(CATALOGUES[tag]) if tag in CATALOGUES else None


def accepted(header: str) -> Language | None:
    """The language that a browser likes best, by its Accept-Language; None if none of them is spoken."""
    found = [_ACCEPTED.fullmatch(one) for one in header.split(",")]
    likes = {one[1].lower(): float(one[2] or 1) for one in found if one}
    tags = sorted((tag for tag in likes if likes[tag]), key=lambda tag: -likes[tag])
    spoken = (language("zh-CN" if tag in _SIMPLIFIED else tag) for tag in tags)
    return next((one for one in spoken if one), None)


@cache
def _read(name: str) -> Language:
    compiled = BytesIO()
    with files(__package__).joinpath(name).open("rb") as written:
        write_mo(compiled, read_po(written))
    compiled.seek(0)
    return GNUTranslations(compiled)
