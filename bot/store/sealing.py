"""Secrets in the database: encrypted on the way in, decrypted on the way out, with keys from outside."""

from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from sqlalchemy import LargeBinary
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator


class CannotUnseal(Exception):  # noqa: N818 - said to an operator
    """None of the keys decrypts what the database holds."""

    def __init__(self) -> None:
        super().__init__(
            "The tokens in the database were encrypted with a key that BOT_TOKENS_KEY does not have; "
            "add that key behind the others, or install the bot again in each workspace."
        )


class Seals:
    """Fernet keys: the first one encrypts, each of them decrypts, so that a key can be replaced.

    AES-128 in CBC mode with HMAC-SHA256; what was changed in the database is not decrypted either.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._fernet = MultiFernet([Fernet(key) for key in keys])

    def sealed(self, secret: str) -> bytes:
        """The secret, encrypted by the first key."""
        return self._fernet.encrypt(secret.encode())

    def opened(self, sealed: bytes) -> str:
        """The secret; `CannotUnseal` if no key fits."""
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken:
            raise CannotUnseal from None

    def __repr__(self) -> str:
        return "Seals(…)"


class Sealed(TypeDecorator[str]):
    """A secret, which the database sees only encrypted."""

    impl = LargeBinary
    cache_ok = True

    def __init__(self, seals: Seals | None = None) -> None:
        """Without seals it is for making the table; nothing is kept in it then."""
        super().__init__()
        self.seals = seals

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002 - SQLAlchemy's
        """As the database takes it."""
        return None if value is None else self._keys().sealed(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's
        """As it was; `CannotUnseal` if no key fits."""
        return None if value is None else self._keys().opened(value)

    def _keys(self) -> Seals:
        if self.seals is None:
            raise CannotUnseal
        return self.seals
