"""What is logged has no secret in it, whoever logs it and however."""

import json
import logging
import sys
from typing import Any

import pytest

from bot.logs import MaskingFormatter, masked_event
from tests.secrets_made import Secret, secrets


@pytest.mark.parametrize("secret", secrets()[::7], ids=lambda one: one.kind.replace("{}", "x"))
def test_no_secret_is_in_an_event_or_a_line(secret: Secret) -> None:
    event: dict[str, Any] = {
        "event": secret.text,
        "deep": {"list": [secret.text, (secret.text, 1)], "error": ValueError(secret.text)},
        "count": 3,
        "none": None,
    }
    told = masked_event(None, "info", event)
    assert secret.core not in json.dumps(told)
    assert (told["count"], told["none"]) == (3, None)
    assert secret.core not in line("failed: %s", secret.text)


def test_no_secret_is_in_a_traceback() -> None:
    secret, told = secrets()[0], ""
    try:
        failing(secret)
    except OSError:
        told = line("it failed", exc_info=sys.exc_info())
    assert "Traceback" in told
    assert secret.core not in told


def failing(secret: Secret) -> None:
    raise OSError(secret.text)


def line(message: str, *args: object, exc_info: Any = None) -> str:  # noqa: ANN401 - as logging has it
    record = logging.LogRecord("name", logging.WARNING, __file__, 1, message, args, exc_info)
    return MaskingFormatter("%(levelname)s %(name)s: %(message)s").format(record)
