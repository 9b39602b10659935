"""Why something could not be found out is kept as it is meant, and said to each reader in their language."""
# ruff: noqa: RUF001 - Chinese has signs of its own

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Final

import pytest

from bot.agents import referents as looking
from bot.agents import rendering
from bot.approvals.approval import Shape
from bot.approvals.briefing import Briefing
from bot.approvals.choosing import Chosen
from bot.approvals.decision import Approve
from bot.approvals.errors import NotAllowed
from bot.approvals.functions import unanswered
from bot.approvals.ids import InterruptId
from bot.approvals.masking import Masking
from bot.approvals.parts import Text
from bot.approvals.referents import Referents
from bot.approvals.rendered import Rendered
from bot.approvals.sayings import saying, uttered
from bot.approvals.thread import ActionRequest, Interrupt
from bot.approvals.words import ENGLISH, spoken
from bot.languages import language
from bot.policy_checks import NOT_TO_ALL
from bot.slack.pointing import points_at
from bot.slack.rendered import note
from tests.slack.samples import BOB, NOW, action, approval

CHINESE: Final = language("zh-CN") or ENGLISH


def tool(**metadata: object) -> Any:  # noqa: ANN401 - as much of a tool as is looked at
    return SimpleNamespace(name="7", metadata=metadata)


async def _slow(_: object) -> None:
    raise TimeoutError


async def found(resolve: object) -> Referents:
    """What a function of a team gives, asked for by somebody who reads Chinese, and kept in a row."""
    with spoken(CHINESE):
        told = await looking.referents(tool(resolve=resolve), {}, within=2)
    assert told is not None
    return Referents.from_json(json.loads(json.dumps(told.to_json())))


@pytest.mark.parametrize(
    ("resolve", "english", "chinese"),
    [
        (_slow, "it took longer than 2 seconds", "用时超过 2 秒"),
        (
            lambda _: 7,
            "`resolve` told something else than names with texts",
            "`resolve` 给出的不是名称与文本的对应",
        ),
        (
            lambda _: {str(n): "" for n in range(7)},
            "it told 7 things, and at most 6 can be shown",
            "它给出了 7 项内容，最多可显示 6 项",
        ),
        (
            lambda _: {"a": "x" * 161},
            "it told more than 160 characters of one thing",
            "它就一项内容给出了超过 160 个字符",
        ),
        (lambda _: {"a": "\ud800"}, "it told half a character", "它给出了半个字符"),
    ],
)
async def test_why_it_is_not_known_what_a_call_points_at_is_said_to_each_reader(
    resolve: object, english: str, chinese: str
) -> None:
    kept = await found(resolve)
    assert kept.problem == english
    about = Masking().approval(approval(replace(action(), referents=kept)))
    for tongue, wanted in ((ENGLISH, english), (CHINESE, chinese)):
        with spoken(tongue):
            assert wanted in str([one.to_dict() for one in points_at(about.actions[0], 9_000).elements])
            with pytest.raises(NotAllowed) as refused:
                about.decide(about.actions[0].id, Approve(), by=BOB, at=NOW)
            assert wanted in str(refused.value)


def test_what_a_team_raised_is_told_as_it_is_but_for_what_is_secret_in_it() -> None:
    lost = Referents(problem=saying("`{tool}` failed: {why}", tool="t", why="no token=abc12345"))
    with spoken(CHINESE):
        [seen] = Masking().approval(approval(replace(action(), referents=lost))).actions
        assert seen.referents is not None
        assert uttered(seen.referents.problem) == "`t` 失败：no token=（已遮盖，8 个字符）"


@pytest.mark.parametrize(
    ("render", "english", "chinese"),
    [
        (7, "`render` is no function", "`render` 不是函数"),
        (_slow, "it took longer than 2 seconds", "用时超过 2 秒"),
        (lambda _: 1 / 0, "it failed with ZeroDivisionError", "运行失败：ZeroDivisionError"),
        (
            lambda _: [],
            "`render` gave 0 parts, and 1 to 8 can be shown",
            "`render` 给出了 0 个部分，可显示 1 到 8 个",
        ),
        (lambda _: Text(""), "a text is empty", "文本为空"),
        (lambda _: Text("x" * 2_001), "one text has more than 2,000 characters", "一段文本超过 2,000 个字符"),
        (lambda _: Text("\ud800"), "`render` gave half a character", "`render` 给出了半个字符"),
    ],
)
async def test_why_a_tools_own_presentation_is_not_shown_is_said_to_each_reader(
    render: object, english: str, chinese: str
) -> None:
    with spoken(CHINESE):
        told = await rendering.rendered(tool(render=render), {}, within=2)
    assert told is not None
    kept = Rendered.from_json(json.loads(json.dumps(told.to_json())))
    about = approval(replace(action(), briefing=Briefing(rendered=kept)))
    for tongue, wanted in ((ENGLISH, f"because {english}."), (CHINESE, f"因为{chinese}。")):
        with spoken(tongue):
            [seen] = Masking().approval(about).actions
            assert wanted in str([one.to_dict() for one in note(seen.briefing.rendered, drawn=False)])


def test_why_nobody_was_asked_is_kept_as_it_is_meant() -> None:
    slow = saying("finding it out took longer than {seconds:g} seconds", seconds=2.5)
    calls = [
        ActionRequest(
            tool=name, arguments={}, description="", allowed=frozenset(), chosen=Chosen(problem=why)
        )
        for name, why in (("pay", slow), ("pay", slow), ("rm", saying(NOT_TO_ALL)))
    ]
    told = unanswered([Interrupt(id=InterruptId("1"), shape=Shape.BATCHED, requests=tuple(calls))])
    assert told == (
        "Who decides about `pay` could not be found out, so nobody was asked: "
        "finding it out took longer than 2.5 seconds. "
        "Who decides about `rm` could not be found out, so nobody was asked: "
        "direct messages go to people and user groups by name, not to all of a channel or workspace."
    )
    with spoken(CHINESE):
        assert uttered(told) == (
            "无法查明由谁决定 `pay`，因此没有询问任何人：查明用时超过 2.5 秒。"
            "无法查明由谁决定 `rm`，因此没有询问任何人："
            "私信只能发给指名的人和用户组，不能发给频道或工作区的所有人。"
        )
    assert unanswered([]) is None
