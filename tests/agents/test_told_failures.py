"""What people and the model are told of a failure is short, and no half of a secret is left by the cut."""

import pytest

from bot.agents.failures import LONGEST, cut
from tests.secrets_made import Secret, secrets


@pytest.mark.parametrize("secret", secrets()[::3], ids=lambda one: one.kind.replace("{}", "x"))
def test_a_secret_in_an_error_is_not_cut_in_two(secret: Secret) -> None:
    at = secret.text.index(secret.core)
    for kept in (6, 9, 12):
        told = cut("x" * (LONGEST - 2 - at - kept) + " " + secret.text)
        assert len(told) <= LONGEST
        assert secret.core[:6] not in told
