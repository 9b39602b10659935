"""Masks are in the language of whoever reads them, in English where they are kept, and known in each."""
# ruff: noqa: RUF001 - Chinese has commas and brackets of its own

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest

from bot.agents.failures import cut
from bot.approvals.briefing import Briefing
from bot.approvals.conversation import PostKind
from bot.approvals.decision import Json
from bot.approvals.masking import BY_DEFAULT, Masked, Masking
from bot.approvals.masks import KINDS, begins_with_mask, is_mask, mask, mask_of_boolean, retold
from bot.approvals.parts import Fields
from bot.approvals.plan import Course, Plan, Stand, Task, plan_of
from bot.approvals.referents import Referents
from bot.approvals.rendered import Rendered
from bot.approvals.sayings import saying, uttered
from bot.approvals.secrets import masked_text
from bot.approvals.thread import Called, Condition, Thread, Turn
from bot.approvals.words import ENGLISH, Language, public_language, spoken
from bot.languages import language
from bot.logs import masked_event
from bot.slack.drawing import Drawing
from bot.slack.rendered import shows_all
from tests.slack.samples import action, approval
from tests.store.samples import conversation, post

CHINESE: Final = language("zh-CN") or ENGLISH
SEVEN: Final = "（已遮盖，7 个字符）"


@pytest.mark.parametrize(
    ("value", "english", "chinese"),
    [
        ("hunter2", "(masked, 7 characters)", SEVEN),
        ("x", "(masked, 1 character)", "（已遮盖，1 个字符）"),
        ("x" * 1_234, "(masked, 1,234 characters)", "（已遮盖，1,234 个字符）"),
        (1234567, "(masked number, 7 characters)", "（已遮盖的数字，7 个字符）"),
        (["a", "b"], "(masked list, 10 characters)", "（已遮盖的列表，10 个字符）"),
        ({"a": "b"}, "(masked object, 10 characters)", "（已遮盖的对象，10 个字符）"),
        (True, "(masked, true or false)", "（已遮盖，true 或 false）"),
    ],
)
def test_a_mask_is_in_the_language_that_is_spoken_and_what_is_kept_can_be_said_in_it(
    value: Json, english: str, chinese: str
) -> None:
    masking = Masking(redact=lambda _: ("code",))
    for tongue, wanted in ((ENGLISH, english), (CHINESE, chinese)):
        with spoken(tongue):
            [told] = masking.arguments("tool", {"code": value}).values()
            assert (told, isinstance(told, Masked)) == (wanted, True)
            assert retold(english) == wanted
    assert is_mask(english)


@pytest.mark.parametrize(
    "text",
    [
        "(masked, 7 characters",
        "(masked, many characters)",
        "(masked, , characters)",
        "(masked table, 7 characters)",
        "(Masked, 7 characters)",
        f"(masked, {'1' * 14} characters)",
        SEVEN,
    ],
)
def test_what_only_begins_like_a_mask_is_none(text: str) -> None:
    with spoken(CHINESE):
        assert retold(text) == text
    assert not is_mask(text)


def test_only_a_mask_alone_is_a_mask() -> None:
    assert not is_mask("(masked, 7 characters) ")
    assert not is_mask("so (masked, 7 characters)")


@pytest.mark.parametrize("tongue", [ENGLISH, CHINESE], ids=["en", "zh"])
@pytest.mark.parametrize("text", ["password={}", '{{"password": "{}"}}', "Cookie: {}", "--password {}"])
def test_what_is_masked_is_not_masked_again_in_any_language_that_is_heard_there(
    tongue: Language, text: str
) -> None:
    with spoken(tongue):
        every = [mask_of_boolean(), *(mask(length, kind) for kind in KINDS for length in (1, 7, 12_345))]
    with public_language(tongue), spoken(ENGLISH):
        assert [masked_text(text.format(one)) for one in every] == [text.format(one) for one in every]
    assert begins_with_mask(f"x{SEVEN}", 1) is False, "which nobody says here"


def test_a_secret_that_only_begins_like_a_mask_is_masked() -> None:
    assert masked_text('{"password": "(masked hunter2"}') == '{"password": "(masked, 15 characters)"}'


def test_an_argument_that_is_written_like_a_mask_stays_an_argument() -> None:
    """Which is drawn as one: `Masked` alone is drawn as ours."""
    with spoken(CHINESE):
        for written in (SEVEN, "(masked, 7 characters)"):
            [told] = BY_DEFAULT.arguments("tool", {"path": written}).values()
            assert (told, type(told)) == (written, str)


def _plan(tongue: Language) -> str:
    call = Called(
        tool="tool", id="c1", message="m1", arguments={"password": "hunter2"}, result="token=abc12345"
    )
    turn = Turn(id="t", calls=(call,))
    with spoken(tongue):
        plan = plan_of(turn, Thread(condition=Condition.RUNNABLE, turn=turn), (), Course.WORKING, BY_DEFAULT)
    [task] = plan.tasks
    return f"{task.given} {task.told}"


KEPT: Final[dict[str, tuple[Callable[[], str], str]]] = {
    "a plan": (lambda: _plan(CHINESE), "password: (masked, 7 characters) token=(masked, 8 characters)"),
    "a failure": (lambda: cut("token=abc12345"), "token=(masked, 8 characters)"),
    "a log": (lambda: masked_event(None, "", {"x": "token=abc12345"})["x"], "token=(masked, 8 characters)"),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_or_told_to_no_person_has_english_masks_whoever_presses(name: str) -> None:
    made, wanted = KEPT[name]
    with public_language(CHINESE), spoken(CHINESE):
        assert made() == wanted


def test_what_a_tool_shows_and_why_something_is_unknown_have_masks_in_the_language_that_is_spoken() -> None:
    made = Rendered(
        parts=(Fields({"password": "(masked, 7 characters)", "note": "so (masked, 3 characters)"}),)
    )
    asked = replace(
        action(arguments={"password": "hunter2"}),
        referents=Referents(problem="No token=(masked, 8 characters)"),
        briefing=Briefing(rendered=made),
    )
    stale = saying("`{tool}` failed: {why}", tool="t", why="no token=(masked, 8 characters)")
    for tongue, fields, problem, whole in (
        (
            ENGLISH,
            {"password": "(masked, 7 characters)", "note": "so (masked, 3 characters)"},
            "8 characters",
            True,
        ),
        (CHINESE, {"password": SEVEN, "note": "so （已遮盖，3 个字符）"}, "8 个字符", True),
    ):
        with spoken(tongue):
            told = BY_DEFAULT.approval(replace(approval(asked), note=stale))
            [seen] = told.actions
            assert problem in uttered(told.note)
        assert seen.briefing.rendered == Rendered(parts=(Fields(fields),))
        assert seen.referents is not None
        assert problem in seen.referents.problem
        assert shows_all(seen) is whole


@pytest.mark.parametrize(
    "kind", [PostKind.FAILURE, PostKind.TOOL_FAILURE, PostKind.NOTICE, PostKind.PROGRESS]
)
def test_what_is_drawn_of_a_row_has_its_masks_in_the_language_of_its_reader(kind: PostKind) -> None:
    task = Task(
        tool="t", given="password: (masked, 7 characters)", stand=Stand.DONE, told="(masked, true or false)"
    )
    plan = Plan(course=Course.DONE, tasks=(task,)).to_json()
    words = plan if kind is PostKind.PROGRESS else "(masked, 7 characters) (masked, true or false)"
    drawing = Drawing(post=replace(post(), kind=kind, text=words), conversation=conversation(), approval=None)
    [english] = drawing.parts()
    [chinese] = replace(drawing, language=CHINESE).parts()
    assert "(masked, 7 characters)" in str(english.blocks)
    assert SEVEN in str(chinese.blocks)
    assert "（已遮盖，true 或 false）" in str(chinese.blocks)
    assert "masked" not in str(chinese.blocks)


def test_an_answer_of_the_agent_is_left_as_it_says_it_but_for_what_is_secret_in_it() -> None:
    said = replace(post(), kind=PostKind.ANSWER, text="(masked, 7 characters) token=abc12345")
    with spoken(ENGLISH):
        [told] = Drawing(post=said, conversation=conversation(), approval=None, language=CHINESE).parts()
    assert "(masked, 7 characters) token=（已遮盖，8 个字符）" in str(told.blocks)
