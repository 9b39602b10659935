"""Arguments that want to be taken for something else: any number of them, the same ones every time."""

import random
import sys
import unicodedata
from collections.abc import Iterator
from typing import Final

from bot.approvals.decision import Json
from tests.slack.samples import CONTROL

IGNORABLE: Final = [
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFE00, 0xFE10),
    *range(0xFFF0, 0xFFF9),
    *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE1000),
]
"""Default_Ignorable_Code_Point, from DerivedCoreProperties of Unicode 15."""

INVISIBLE: Final = sorted(
    {
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and chr(code) not in "\n\t"
    }.union(IGNORABLE)
)
"""Every code point that nobody sees, or that does something to those around it."""

FEW: Final = [code for code in INVISIBLE if unicodedata.category(chr(code)) != "Co"]
PIECES: Final = [
    *CONTROL,
    *(
        "```",
        "`",
        "*bold* _it_ ~s~",
        "@channel @here @everyone",
        "&lt;!channel&gt; &amp;",
        "| a | b |\n|---|---|",
    ),
    *("[bank.example](https://evil.example)", "![x](https://evil.example/p.png)", "[x](javascript:alert(1))"),
    *("https://evil.example/?q=<@U0BOB>", "mailto:x@evil.example", "<javascript:x>", "<https://a.example>"),
    *(
        "⟨U+202E⟩",
        "⟨·\u00d712⟩",
        "⟨↵\u00d712⟩",
        "⟨\t\u00d712⟩",
        "⟨⇥\u00d712⟩",
        "⏎⇥",
        "⟨⟨U+0041⟩⟩",
        "⟨U+0041\u00d79⟩",
    ),
    *(" " * 9, " " * 41, " " * 400, "\t" * 9, "\u00a0" * 12, " \t" * 8, "\u3000" * 3),
    *("\n" * 9, "\n" * 60, "\n \t" * 12 + "\n", "\r\n" * 3, "\n\n", "\v\f"),
    *(
        "👩🏽‍💻",
        "❤️",
        "🏳️‍🌈",
        "1️⃣",
        "🇩🇪",
        "\ud83d",
        "שלום עולם",
        "مرحبا",
        "हिन्दी",
        "e\u0301",
        "a\u0323\u0302" * 9,
    ),
    *("\x1b[31mred\x1b[0m", "\x00", "\x07", "\x7f", "\u0085", "\u2028", "\ufffe", "\U0001fffe"),
    *(
        "p\u0430ypal.com",
        "xn--pple-43d.com",
        "/etc/\u0440\u0430sswd",
        "good.example\u2215evil",
        "a@g\u043e\u043egle.example",
    ),
    *(
        "✋ Approval needed",
        "✅ Approved by Bob",
        "… 12 characters left out here, View all shows them …",
        ":smile:",
    ),
    *(
        "(masked, 12 characters)",
        "digest 01234567",
        "The agent says:",
        "---",
        "> quote",
        "# Heading",
        "{}",
        "[]",
    ),
    *("null", "true", "1e999", "-0", '"', '""', "\\", "\\u202e", "%00", "${HOME}", "'; DROP TABLE x; --", ""),
]


def text(rng: random.Random) -> str:
    """One hostile text, seldom a long one."""
    kind = rng.random()
    if kind < 0.1:
        return "".join(chr(rng.choice(FEW)) for _ in range(rng.randint(1, 40)))
    if kind < 0.2:
        return "".join(chr(rng.randrange(sys.maxunicode + 1)) for _ in range(rng.randint(1, 60)))
    if kind < 0.23:
        return (rng.choice(PIECES) or "x") * rng.randint(50, 900)
    joint = rng.choice(["", " ", "\n", "x"])
    return joint.join(rng.choice(PIECES) for _ in range(rng.randint(1, 7)))


def value(rng: random.Random, depth: int = 0) -> Json:
    """One hostile value: mostly a text."""
    kind = rng.random()
    if depth < 3 and kind < 0.08:
        return [value(rng, depth + 1) for _ in range(rng.randint(0, 4))]
    if depth < 3 and kind < 0.16:
        return {text(rng)[:200]: value(rng, depth + 1) for _ in range(rng.randint(0, 4))}
    if kind < 0.2:
        return rng.choice([None, True, False, 0, -1, 10**40, 1e300, -0.0, 2**53 + 1])
    return text(rng)


def calls(count: int, seed: int) -> Iterator[dict[str, Json]]:
    """The arguments of calls, with `count` arguments together."""
    rng = random.Random(seed)  # noqa: S311 - the same ones every time
    while count > 0:
        many = min(count, rng.choice([1, 2, 3, 4, 6, 20]))
        made: dict[str, Json] = {}
        while len(made) < many:
            made[text(rng)[:200] if rng.random() < 0.3 else f"argument_{len(made)}"] = value(rng)
        count -= many
        yield made
