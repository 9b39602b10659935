"""What a person wrote, as the agent reads it: Slack's own notation undone."""

import re
from typing import Final

from bot.approvals.ids import UserId

_NOTATION: Final = re.compile(r"<([^<>\n]*)>")


def spoken(text: str, *, without: UserId | None = None) -> str:
    """The text with `<@U1|alice>` as `@alice`, `<url|label>` as `label (url)`, and `&lt;` as `<`.

    `without` is somebody whose mentions are left out: the bot, who is being spoken to. So is the comma or
    colon with which it is addressed, as in `@bot: list the files`.
    """
    if without:
        mention = rf"<@{re.escape(without)}(?:\|[^<>\n]*)?>"
        text = re.sub(rf"\A\s*{mention}[,:](?=\s|\Z)", "", text)
        text = re.sub(rf"{mention}[ \t]?", "", text)
    undone = _NOTATION.sub(lambda found: _read(found[1]), text)
    return undone.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def _read(inside: str) -> str:
    target, _, label = inside.partition("|")
    match target[:1]:
        case "@" | "#":
            return f"{target[0]}{label or target[1:]}"
        case "!":
            name = target[1:].split("^")[0]
            return label or f"@{name}"
        case _:
            shown = target.removeprefix("mailto:")
            return f"{label} ({target})" if label and label not in (target, shown, _bare(target)) else shown


def _bare(url: str) -> str:
    """The address as Slack shortens it in a label."""
    return re.sub(r"^[a-z]+://", "", url).rstrip("/")
