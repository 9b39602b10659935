"""In which language a browser is answered, by the Accept-Language that it sends."""

import pytest

from bot.approvals.words import ENGLISH, spoken, spoken_tag
from bot.languages import accepted


@pytest.mark.parametrize(
    ("header", "tag"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh-CN"),  # Chrome
        ("zh-CN,zh-Hans;q=0.9", "zh-CN"),  # Safari
        (
            "zh-tw, ZH ; Q=0.9 ,en-US;q=0.8",
            "zh-CN",
        ),  # whoever reads another Chinese says whether this one is known
        ("zh-Hans-SG", "zh-CN"),
        ("en-GB,zh-CN;q=0.9", "en"),
        ("zh-CN;q=0.8,en;q=0.9", "en"),
        ("fr-FR,zh-CN;q=0.5,en;q=0.5", "zh-CN"),
        ("zh-CN;q=0,en;q=0.1", "en"),
        ("zh-CN;q=0.000,en;q=0.001", "en"),
        ("de,en", "en"),
    ],
)
def test_a_browser_is_answered_in_what_it_likes_best_of_what_is_spoken(header: str, tag: str) -> None:
    with spoken(accepted(header)):
        assert spoken_tag() == tag


@pytest.mark.parametrize(
    "header", ["", "*", "fr-FR, *;q=0.5", "zh-TW", "zh-Hant", "zh-CN;q=0", "zh-CN;q=2", "zh-CN q=1", ",;q=1,"]
)
def test_of_what_is_not_spoken_or_no_such_header_nothing_is_known(header: str) -> None:
    assert accepted(header) is None


def test_english_is_a_language_like_others() -> None:
    assert accepted("en") is ENGLISH
    with spoken(None):
        assert spoken_tag() == "en"
