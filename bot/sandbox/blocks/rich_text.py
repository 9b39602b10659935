"""The rich_text block: sections, lists, quotes, preformatted text, and what stands in them."""

from collections.abc import Mapping

from bot.sandbox.blocks.objects import ID, URL
from bot.sandbox.blocks.rules import Rule, Shape, boolean, items, one_of, string, typed, whole

MANY = 1000
LONG = 13_200
STYLE = Shape(
    optional=dict.fromkeys(
        (
            "bold",
            "italic",
            "strike",
            "code",
            "underline",
            "highlight",
            "client_highlight",
            "unlink",
        ),
        boolean,
    )
)
STYLED: Mapping[str, Rule] = {"style": STYLE}

TEXT = Shape(required={"text": string(LONG)}, optional=STYLED)
LINK = Shape(required={"url": URL}, optional={**STYLED, "text": string(LONG), "unsafe": boolean})

PIECES: dict[str, Rule] = {
    "text": TEXT,
    "link": LINK,
    "user": Shape(required={"user_id": string(255, pattern="[UW][A-Z0-9]+")}, optional=STYLED),
    "usergroup": Shape(required={"usergroup_id": string(255, pattern="S[A-Z0-9]+")}, optional=STYLED),
    "channel": Shape(required={"channel_id": string(255, pattern="[CDG][A-Z0-9]+")}, optional=STYLED),
    "team": Shape(required={"team_id": ID}, optional=STYLED),
    "emoji": Shape(
        required={"name": string(255)}, optional={**STYLED, "skin_tone": whole(1, 6), "unicode": string(255)}
    ),
    "broadcast": Shape(required={"range": one_of("here", "channel", "everyone")}, optional=STYLED),
    "date": Shape(
        required={"timestamp": whole(0, 99_999_999_999), "format": string(255)},
        optional={**STYLED, "url": URL, "fallback": string(255)},
    ),
    "color": Shape(required={"value": string(255)}, optional=STYLED),
}
PIECE = typed(PIECES, "a piece of rich text")
PIECES_OF_CODE = typed({"text": TEXT, "link": LINK}, "a piece of preformatted text")

SECTION = Shape(required={"elements": items(PIECE, 0, MANY)})
ELEMENTS: dict[str, Rule] = {
    "rich_text_section": SECTION,
    "rich_text_quote": Shape(required={"elements": items(PIECE, 0, MANY)}, optional={"border": whole(0, 1)}),
    "rich_text_preformatted": Shape(
        required={"elements": items(PIECES_OF_CODE, 0, MANY)},
        optional={"border": whole(0, 1), "language": string(255)},
    ),
    "rich_text_list": Shape(
        required={
            "style": one_of("bullet", "ordered"),
            "elements": items(typed({"rich_text_section": SECTION}, "an item of a list"), 1, MANY),
        },
        optional={"indent": whole(0, 8), "offset": whole(0, 1_000_000), "border": whole(0, 1)},
    ),
}
RICH_TEXT = typed(
    {
        "rich_text": Shape(
            required={"elements": items(typed(ELEMENTS, "a part of rich text"), 1, MANY)},
            optional={"block_id": ID},
        )
    },
    "a rich_text",
)
