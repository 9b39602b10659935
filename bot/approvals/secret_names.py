"""Which names say that a secret stands behind them. Pure."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from fnmatch import translate
from functools import lru_cache
from typing import Final

from bot.approvals.decision import Arguments, Json

ALWAYS: Final = (
    "*password*",
    "*passwd*",
    "*passphrase*",
    "*passwort*",
    "pwd",
    "*_pwd",
    "*secret*",
    "*token*",
    "*api_key*",
    "*private_key*",
    "*access_key*",
    "*account_key*",
    "*signing_key*",
    "*encryption_key*",
    "*credential*",
    "authorization",
    "proxy_authorization",
    "*auth_header*",
    "cookie",
    "cookies",
    "set_cookie",
    "*session_id*",
    "*connection_string*",
    "jwt",
    "bearer",
    "pin",
    "pin_code",
    "otp",
    "*_otp",
    "totp*",
    "mfa_code",
    "cvv",
    "cvc",
)
"""Names that say that a secret stands behind them, whatever the policy says. `-`, `_`, case do not matter."""
_COUNTED: Final = re.compile(r"tokens|token_?(?:count|limit|usage)|(?:max|min|num|n)_?token")
"""Names of which a number is how many, not a secret."""
_JOINTS: Final = re.compile(r"[-_\s]")


class SecretNames:
    """Which names say that a secret stands behind them."""

    def __init__(self, redact: tuple[str, ...]) -> None:
        self._always, self._redact = _compiled(ALWAYS), _compiled(redact)

    def secrets(self, arguments: Arguments) -> Iterator[str]:
        """The texts and numbers in these arguments that are secret because of their name."""
        for name, value in arguments.items():
            yield from _behind(value, (name,), self)

    def mean_secret(self, path: tuple[str, ...], value: Json) -> bool:
        """Whether the value at this path is to be masked whole."""
        if value is None or value in ("", [], {}):
            return False
        ways = (".".join(path[at:]) for at in range(len(path)))
        if any(self._redact.fullmatch(form) for way in ways for form in _forms(way)):
            return True
        if isinstance(value, bool) or (isinstance(value, int | float) and _COUNTED.search(path[-1].lower())):
            return False
        return any(self._always.fullmatch(form) for form in _forms(path[-1]))


@lru_cache(maxsize=1_000)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """One expression for all patterns, in the forms in which names are compared."""
    forms = dict.fromkeys(form for pattern in patterns for form in _forms(pattern))
    return re.compile("|".join(translate(form) for form in forms) or r"(?!)")


@lru_cache(maxsize=10_000)
def _forms(name: str) -> tuple[str, str]:
    """A name in lower case and without what nobody sees in it; and without what joins its words."""
    seen = (one for one in unicodedata.normalize("NFKC", name[:500]) if unicodedata.category(one) != "Cf")
    lower = "".join(seen).lower()
    return lower, _JOINTS.sub("", lower)


def named(value: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """The keys with the names of what stands behind them: in `{"name": "PIN", "value": 1}` it is `PIN`."""
    called = next(
        (name for key in ("name", "key", "header") if isinstance(name := value.get(key), str)), None
    )
    for key in value:
        yield key, called if key == "value" and called else key


def _behind(value: Json, path: tuple[str, ...], names: SecretNames) -> Iterator[str]:
    """The texts and numbers that are masked because of their name."""
    if names.mean_secret(path, value):
        yield from _leaves(value)
        return
    match value:
        case dict():
            for key, called in named(value):
                yield from _behind(value[key], (*path, called), names)
        case [str(first), second] if names.mean_secret((*path, first), second):
            yield from _leaves(second)
        case list():
            for inner in value:
                yield from _behind(inner, path, names)


def _leaves(value: Json) -> Iterator[str]:
    match value:
        case bool() | None:
            pass
        case str():
            yield value
        case int() | float():
            yield str(value)
        case dict():
            for inner in value.values():
                yield from _leaves(inner)
        case list():
            for inner in value:
                yield from _leaves(inner)
