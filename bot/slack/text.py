"""Untrusted text on its way into Slack: nothing hidden in it stays hidden, nothing in it is alive."""

import json
import re
import unicodedata
from datetime import datetime
from typing import Final

from bot.approvals.ids import UserId
from bot.approvals.times import utc

_HIDDEN: Final = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, without tab and newline
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"  # spaces without width, direction marks, fillers
    "\ud800-\udfff\ue000-\uf8ff"  # lone surrogates, private use
    "\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags, and more variation selectors
    "\U000f0000-\U0010ffff"  # private use
    f"{''.join(chr(plane + last) for plane in range(0x10000, 0xF0000, 0x10000) for last in (0xFFFE, 0xFFFF))}"
    "]"
    "|⟨(?=U\\+|[·⇥↵]\u00d7|\t)"  # so that nobody can write our own notation, nor that of `literal.shown`
)
_JOINER, _EMOJI_STYLE, _KEYCAP = "\u200d", "\ufe0f", "\u20e3"
_SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
_SYMBOLS_IN_OTHER_CATEGORIES: Final = frozenset("‼⁉〰〽\u2139")
_ESCAPED_MENTION: Final = re.compile(r"&lt;@([UW][A-Z0-9]{1,30})&gt;")
_ESCAPED_GROUP: Final = re.compile(r"&lt;!subteam\^(S[A-Z0-9]{1,30})&gt;")
_OPEN_MENTION: Final = re.compile(r"<[^<>]*$")
_USER_ID: Final = re.compile(r"[UW][A-Z0-9]{1,30}")


def visible(text: str) -> str:
    """The text with every invisible, direction-changing or control character written as `⟨U+202E⟩`.

    Newline and tab stay, and so do the joiners inside an emoji. Reversible: a `⟨` that could be
    mistaken for the notation is itself written as `⟨U+27E8⟩`.
    """
    return _HIDDEN.sub(_written, text)


def escape(text: str) -> str:
    """The text for mrkdwn and for a message's `text`: visible, and without a live `<`, `>` or `&`."""
    return entities(visible(text))


def entities(text: str) -> str:
    """The same of what is visible already; made visible twice, it would show the codes of our own marks."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(line: str) -> str:
    """The same between backticks, in which it has none of its own: no markup in it is any."""
    return f"`{entities(line.replace('`', chr(0x2CB)))}`" if line.strip() else '`""`'


def own_words(sentence: str) -> str:
    """A sentence of ours for mrkdwn: escaped, but the people it names by `<@U…>` stay mentions."""
    return _ESCAPED_MENTION.sub(r"<@\1>", escape(sentence))


def own_call(sentence: str) -> str:
    """The same, and user groups named by `<!subteam^S…>` are mentioned too; for a policy's ids alone."""
    return _ESCAPED_GROUP.sub(r"<!subteam^\1>", own_words(sentence))


def is_user_id(text: str) -> bool:
    """Whether this can stand in a mention: `U…` or `W…` and nothing else."""
    return _USER_ID.fullmatch(text) is not None


def mention(user: UserId) -> str:
    """The person, in mrkdwn and in a message's `text`."""
    return f"<@{user}>" if is_user_id(user) else escape(user)


def moment(at: datetime) -> str:
    """The time in mrkdwn, shown in each reader's own time zone."""
    return f"<!date^{int(at.timestamp())}^{{date_short_pretty}}, {{time}}|{utc(at)}>"


def weight(text: str) -> int:
    """How much of a message's room the text takes: characters of its JSON form, without the quotes.

    Slack does not say whether it counts code points, UTF-16 units or escapes; this is the largest of them.
    """
    return len(json.dumps(text)) - 2


def breadth(text: str) -> int:
    """How broad the text is for the eye: a letter counts one, an East Asian sign or an emoji two.

    At least a sixth of its `weight`, so that what has few columns does not weigh much more than that.
    """
    columns = sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)
    return max(columns, weight(text) // 6)


def units(text: str) -> int:
    """Length in UTF-16, the larger of the two ways in which Slack may count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def within(text: str, most: int) -> str:
    """The text, or as much of its beginning as has no more than `most` characters, and `…`.

    For the short texts of which Slack counts the characters, whatever their JSON weighs: in Chinese or Greek
    it weighs six times as much.
    """
    if units(text) <= most:
        return text
    end = min(len(text), most - 1)
    while units(text[:end]) > most - 1:
        end -= 1
    return f"{text[: border(text, end)].rstrip()}…"


def clip(text: str, limit: int) -> str:
    """The text, or as much of its beginning as weighs no more than `limit`, and `…`."""
    if weight(text) <= limit:
        return text
    return f"{_OPEN_MENTION.sub('', head(text, limit - weight('…'))).rstrip()}…"


def head(text: str, limit: int) -> str:
    """The longest beginning that weighs no more than `limit`; never half an emoji."""
    low, high = 0, min(len(text), max(limit, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if weight(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return text[: border(text, low)]


def border(text: str, at: int) -> int:
    """The nearest place at or before `at` where no character, emoji or `&lt;` is cut in two.

    What has no such place within 32 characters is cut at `at`.
    """
    if at >= len(text):
        return len(text)
    for place in range(at, max(at - 32, 0), -1):
        before, after = text[place - 1], text[place]
        joined = after in (_JOINER, _EMOJI_STYLE) or before == _JOINER or unicodedata.combining(after)
        entity = re.search(r"&[a-z]{0,4}$", text[max(place - 5, 0) : place])
        if not joined and ord(after) not in _SKIN_TONES and not (entity and ";" in text[place : place + 5]):
            return place
    return at


def _written(found: re.Match[str]) -> str:
    character, text, at = found[0], found.string, found.start()
    before, after = text[max(at - 1, 0) : at], text[at + 1 : at + 2]
    if character == _EMOJI_STYLE and (_is_symbol(before) or after == _KEYCAP):
        return character
    if character == _JOINER and _is_symbol(after) and (before == _EMOJI_STYLE or _is_symbol(before)):
        return character
    return f"⟨U+{ord(character):04X}⟩"


def _is_symbol(character: str) -> bool:
    if not character:
        return False
    return (
        unicodedata.category(character) in ("So", "Sm")
        or ord(character) in _SKIN_TONES
        or character in _SYMBOLS_IN_OTHER_CATEGORIES
    )
