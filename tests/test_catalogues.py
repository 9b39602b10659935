"""All sentences of the bot are in every catalogue, and a translation says where everything stands."""
# ruff: noqa: RUF001 - Chinese has signs of its own

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Final

import pytest
from babel.messages.catalog import Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from bot.languages import CATALOGUES
from tests.test_sentences import KEYWORDS

ROOT: Final = Path(__file__).parent.parent / "bot"


def sentences() -> set[str]:
    """Every message that the bot can say; of those with a number the first form."""
    found = extract_from_dir(ROOT, method_map=[("**.py", "python")], keywords=KEYWORDS)
    return {message if isinstance(message, str) else message[0] for _, _, message, *_ in found}


def entries(name: str) -> Iterator[Message]:
    with (ROOT / "languages" / name).open("rb") as file:
        yield from (one for one in read_po(file) if one.id)


def forms(told: str | tuple[str, ...] | list[str] | None) -> list[str]:
    return [told or ""] if isinstance(told, str | None) else [*told]


def places(message: str) -> set[str]:
    """The names that are filled in, and how."""
    return {f"{name}:{form}" for _, name, form, _ in Formatter().parse(message) if name is not None}


def marks(message: str) -> list[str]:
    """What Slack, or somebody's eye, takes for more than words: code, bold, entities, emoji."""
    return sorted(re.findall(r"`[^`]*`|\*/[^*]*\*|&\w+;|<[^>]*>|[\U0001f300-\U0001faff✅✋⌛⛔✏❓]", message))


@pytest.mark.parametrize("name", CATALOGUES.values())
def test_a_catalogue_has_every_sentence_and_no_others(name: str) -> None:
    there = {forms(one.id)[0] for one in entries(name)}
    assert (sentences() - there, there - sentences()) == (set(), set())


@pytest.mark.parametrize("name", CATALOGUES.values())
def test_every_sentence_is_translated_for_certain(name: str) -> None:
    left = [one.id for one in entries(name) if one.fuzzy or not all(forms(one.string))]
    assert left == []


@pytest.mark.parametrize("name", CATALOGUES.values())
def test_a_translation_has_the_places_and_the_marks_of_its_sentence(name: str) -> None:
    wrong = [
        (one.id, told)
        for one in entries(name)
        for told in forms(one.string)
        if places(told) != places(forms(one.id)[-1]) or marks(told) != marks(forms(one.id)[-1])
    ]
    assert wrong == []


ODD: Final = {
    "a half-width sign after a Chinese one": r"[\u4e00-\u9fff][,.;:!?()](?!”)",
    "a half-width sign before a Chinese one": r"[,;!?()][\u4e00-\u9fff]",
    "no space between Chinese and Latin": r"[\u4e00-\u9fff][A-Za-z0-9`]|[A-Za-z0-9`][\u4e00-\u9fff]",
    "a space beside a full-width sign": r"[，。；：！？）“”（] | [，。；：！？）”（]",
    "two spaces": r"  ",
    "three dots": r"(?<!…)…(?![…`])|\.\.\.",
}  # what people type is as they type it, inside of quotation marks and code


@pytest.mark.parametrize("odd", ODD)
def test_the_chinese_is_set_as_chinese_is(odd: str) -> None:
    told = [each for one in entries("zh_CN.po") for each in forms(one.string)]
    assert len(told) > 500
    assert [each for each in told if re.search(ODD[odd], each)] == []


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("未决定,请重试", "a half-width sign after a Chinese one"),
        ("(已批准", "a half-width sign before a Chinese one"),
        ("在Slack 中", "no space between Chinese and Latin"),
        ("`rm`失败", "no space between Chinese and Latin"),
        ("失败： 重试", "a space beside a full-width sign"),
        ("失败 。", "a space beside a full-width sign"),
        ("正在  处理", "two spaces"),
        ("正在处理…", "three dots"),
        ("正在处理...", "three dots"),
    ],
)
def test_what_is_set_otherwise_is_found(text: str, odd: str) -> None:
    assert re.search(ODD[odd], text)
