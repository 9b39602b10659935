"""What libraries say of a value that somebody typed is said in their language, and in English as it was."""
# ruff: noqa: RUF001 - Chinese has signs of its own

import json
from datetime import date
from typing import Annotated, Any, Final, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, HttpUrl, ValidationError, field_validator

from bot.agents.schemas import check
from bot.approvals.borrowed import SENTENCES, borrowed
from bot.approvals.decision import Arguments
from bot.approvals.errors import InvalidArguments
from bot.approvals.words import ENGLISH, spoken
from bot.languages import language

CHINESE: Final = language("zh-CN") or ENGLISH


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    needed: str


class Model(BaseModel):
    text: str = ""
    flag: bool = False
    whole: int = 0
    number: float = 0
    items: list[int] = []
    inner: dict[str, int] = {}
    strict: Inner | None = None
    over: Annotated[int, Field(gt=3)] = 4
    least: Annotated[int, Field(ge=3)] = 4
    under: Annotated[float, Field(lt=1.5)] = 0
    most: Annotated[int, Field(le=3)] = 0
    step: Annotated[int, Field(multiple_of=5)] = 0
    day: date = date(2026, 1, 1)
    url: HttpUrl | None = None
    one: Literal["a", "b"] = "a"
    short: Annotated[str, Field(min_length=1)] = "x"
    shorter: Annotated[str, Field(min_length=2)] = "xx"
    long: Annotated[str, Field(max_length=1)] = ""
    longer: Annotated[str, Field(max_length=2)] = ""
    like: Annotated[str, Field(pattern="^a+$")] = "a"
    own: str = ""

    @field_validator("own")
    @classmethod
    def of_the_team(cls, own: str) -> str:
        if own:
            raise ValueError("not on Mondays")
        return own


MODEL: Final[list[tuple[str, Any, str]]] = [
    ("text", 7, "应为文本"),
    ("flag", [], "应为 true 或 false"),
    ("flag", "perhaps", "应为 true 或 false，无法识别输入"),
    ("whole", [], "应为整数"),
    ("whole", "x", "应为整数，此文本不是整数"),
    ("whole", 1.5, "应为整数，不能有小数部分"),
    ("number", [], "应为数字"),
    ("number", "x", "应为数字，此文本不是数字"),
    ("items", 7, "应为列表"),
    ("items", [1, "x"], "1: 应为整数，此文本不是整数"),
    ("inner", 7, "应为对象"),
    ("strict", {}, "needed: 此项必填"),
    ("strict", {"needed": "x", "more": 1}, "more: 不允许有多余的内容"),
    ("over", 3, "应大于 3"),
    ("least", 2, "应大于或等于 3"),
    ("under", 1.5, "应小于 1.5"),
    ("most", 4, "应小于或等于 3"),
    ("step", 7, "应为 5 的倍数"),
    ("day", "Monday", "应为有效的日期或时间（input is too short）"),
    ("url", "x y", "应为有效的网址（"),
    ("one", "c", "应为 'a' or 'b'"),
    ("short", "", "文本至少应有 1 个字符"),
    ("shorter", "", "文本至少应有 2 个字符"),
    ("long", "xxx", "文本最多可有 1 个字符"),
    ("longer", "xxx", "文本最多可有 2 个字符"),
    ("like", "b", "文本应符合模式 '^a+$'"),
    ("own", "x", "值有误：not on Mondays"),
]
SCHEMA: Final[dict[str, tuple[dict[str, Any], Any, str]]] = {
    "type": ({"type": "integer"}, "x", "'x' 不是 'integer' 类型"),
    "enum": ({"enum": ["a"]}, "x", "'x' 不在 ['a'] 之中"),
    "minimum": ({"minimum": 3}, 2, "2 小于最小值 3"),
    "maximum": ({"maximum": 3}, 4, "4 大于最大值 3"),
    "multipleOf": ({"multipleOf": 5}, 7, "7 不是 5 的倍数"),
    "minLength": ({"minLength": 2}, "x", "'x' 太短"),
    "maxLength": ({"maxLength": 2}, "xxx", "'xxx' 太长"),
    "minItems": ({"minItems": 1}, [], "[] 不能为空"),
    "pattern": ({"pattern": "^a$"}, "x", "'x' 不符合 '^a$'"),
    "format": ({"format": "date"}, "x", "'x' 不符合格式 'date'"),
    "required": ({"required": ["b"]}, {}, "缺少必填的 'b'"),
}


def refused(shape: Any, arguments: Arguments) -> str:  # noqa: ANN401 - a model or a schema
    with pytest.raises(InvalidArguments) as raised:
        check(shape, arguments)
    [sentence] = raised.value.fields.values()
    return sentence


@pytest.mark.parametrize(("name", "value", "chinese"), MODEL)
def test_what_pydantic_says_is_said_in_the_language_that_is_spoken(
    name: str, value: Any, chinese: str  # noqa: ANN401 - any JSON
) -> None:  # fmt: skip
    with pytest.raises(ValidationError) as raised:
        Model.model_validate({name: value})
    [its] = raised.value.errors()
    assert refused(Model, {name: value}).endswith(its["msg"])
    with spoken(CHINESE):
        assert refused(Model, {name: value}).startswith(chinese)


@pytest.mark.parametrize("kind", SCHEMA)
def test_what_jsonschema_says_is_said_in_the_language_that_is_spoken(kind: str) -> None:
    part, value, chinese = SCHEMA[kind]
    schema = {"type": "object", "properties": {"a": part}}
    english = refused(schema, {"a": value})
    assert english != chinese
    assert borrowed(english) == english
    with spoken(CHINESE):
        assert refused(schema, {"a": value}) == chinese


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("", "此处应有一个值"),
        ("{a", "此处应有用双引号括起的属性名"),
        ("[1 2]", "此处应有分隔符 ','"),
        ('{"a" 1}', "此处应有分隔符 ':'"),
        ('"a', "文本从此处开始，没有结束的引号"),
        ("1 2", "此后有多余的内容"),
    ],
)
def test_what_python_says_of_json_is_said_in_the_language_that_is_spoken(text: str, chinese: str) -> None:
    with pytest.raises(json.JSONDecodeError) as raised:
        json.loads(text)
    assert borrowed(raised.value.msg) == raised.value.msg
    with spoken(CHINESE):
        assert borrowed(raised.value.msg) == chinese


@pytest.mark.parametrize(
    "told",
    ["", "Something else", "{value} {limit}", "x" * 300, "Input should be ", "Input should be a frozenset"],
)
def test_what_is_none_of_their_sentences_stays_as_it_is(told: str) -> None:
    with spoken(CHINESE):
        assert borrowed(told) == told


def test_what_is_filled_in_is_never_a_place_of_its_own() -> None:
    assert borrowed("'{limit}' is too short") == "'{limit}' is too short"
    with spoken(CHINESE):
        assert borrowed("'{limit}\n' is too short") == "'{limit}\n' 太短"


def test_every_sentence_is_one_that_they_say() -> None:
    told = {sentence for sentence in SENTENCES if borrowed(sentence) == sentence}
    assert told == set(SENTENCES)
