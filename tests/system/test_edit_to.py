"""An edit turns a call into another tool, where the rule names it; that tool's rule says who approves it."""

from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.tools import tool
from pydantic import Field

from bot import Agent
from bot.policy_file import BadPolicy
from bot.sandbox import text_of
from bot.store import reading_store
from tests.system.agents import RUNS, Script
from tests.system.house import House, a_house

HERE = "tests.system.test_edit_to:files"
EVERY = ["Approve", "Edit", "Respond", "Reject"]
POLICY = """
    [defaults]
    approvers = ["@bob"]
    [[rules]]
    tools = ["delete_file"]
    edit_to = ["archive_file", "touch"]
    redact = ["owner"]
    [[rules]]
    tools = ["archive_file"]
    approvers = ["@carol"]
"""
BOTH = POLICY.replace('approvers = ["@carol"]', 'approvers = ["@bob", "@carol"]\nquorum = 2')
OWN = POLICY.replace('approvers = ["@carol"]', 'approvers = ["@bob"]')
DELETE = ("delete_file", {"path": "old.log", "owner": "mallory-9"})


def _ran(name: str, **arguments: Any) -> str:  # noqa: ANN401 - whatever a tool takes
    RUNS.append((name, arguments))
    return f"{name} done"


@tool
def delete_file(path: str, owner: str) -> str:
    """Delete a file."""
    return _ran("delete_file", path=path, owner=owner)


@tool
def archive_file(path: str, owner: str, days: Annotated[int, Field(gt=0)]) -> str:
    """Archive a file."""
    return _ran("archive_file", path=path, owner=owner, days=days)


@tool
def touch() -> str:
    """Take no argument."""
    return _ran("touch")


files = Agent(
    tools=[delete_file, archive_file, touch], interrupt_on={"*": True, "touch": False}, model=Script()
)
ARCHIVED = ("archive_file", {"path": "old.log", "owner": "mallory-9", "days": 30})


async def turned(house: House, **filled: str) -> dict[str, Any]:
    """Bob turns the deletion into an archiving; answers the card."""
    await house.asks([DELETE])
    card = await house.card()
    await house.bob.press(card, "Edit")
    form = await house.bob.form("Arguments of")
    assert "mallory-9" not in str(form)
    await house.bob.choose(form, "tool", "archive_file")
    form = await house.bob.form("archive_file.")
    assert "mallory-9" not in str(form)
    said = await house.bob.submit(form, {"days": "30", **filled})
    assert said == {}
    return card


async def test_who_may_approve_the_other_tool_approves_it_by_the_edit(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE, policy=OWN) as house:
        card = await house.card_with(await turned(house))
        assert "Instead of delete_file it runs archive_file" in text_of(card)
        assert "archive_file: Note: a human reviewer replaced" in await house.answer("archive_file")
        assert RUNS == [ARCHIVED]


async def test_who_may_not_approve_the_other_tool_leaves_it_to_those_who_may(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE, policy=POLICY) as house:
        card = await house.bob.sees_change(await turned(house), lambda one: "Edited" in text_of(one))
        assert "Instead of delete_file it runs archive_file, under that tool's rule" in text_of(card)
        assert "mallory-9" not in str(card)
        await house.bob.press(card, "Approve")
        await house.bob.sees_privately("You are not among the people who may decide about `archive_file`")
        assert RUNS == []
        await house.carol.press(card, "Approve")
        await house.answer("archive_file")
        assert RUNS == [ARCHIVED]
    async with reading_store(f"sqlite:///{tmp_path / 'bot.db'}") as store, store.read() as tx:
        events = {event.kind: event for event in await tx.record.of()}
    assert events["voted"].detail["edited_tool"] == "archive_file"
    assert events["executing"].detail["tool"] == "archive_file"
    assert events["executing"].detail["digest"] == events["voted"].detail["edited_digest"]
    assert events["executing"].detail["digest"] != events["voted"].detail["digest"]


async def test_the_editors_vote_counts_where_the_other_tool_takes_two(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE, policy=BOTH) as house:
        card = await house.bob.sees_change(await turned(house), lambda one: "1 of 2" in text_of(one))
        await house.carol.press(card, "Approve")
        await house.answer("archive_file")
        assert RUNS == [ARCHIVED]


async def test_taking_the_edit_back_asks_about_the_first_tool_under_its_own_rule(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE, policy=BOTH) as house:
        card = await house.bob.sees_change(await turned(house), lambda one: "1 of 2" in text_of(one))
        await house.bob.press(card, "Change")
        card = await house.card_with(card, *EVERY)
        assert "0 of 2" not in text_of(card)
        await house.carol.press(card, "Approve")
        await house.carol.sees_privately("You are not among the people who may decide about `delete_file`")
        await house.bob.press(card, "Approve")
        await house.answer("delete_file")
        assert RUNS == [DELETE]


async def test_whoever_may_only_decide_about_the_first_tool_can_still_say_no(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE, policy=POLICY) as house:
        card = await house.bob.sees_change(await turned(house), lambda one: "Edited" in text_of(one))
        await house.bob.press(card, "Reject")
        await house.bob.submit(await house.bob.form(), {"Reason": "on second thought"})
        await house.answer("on second thought")
        assert RUNS == []


async def test_the_other_tools_arguments_are_checked_before_anything_is_decided(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE, policy=OWN) as house:
        await house.asks([DELETE])
        card = await house.card()
        await house.bob.press(card, "Edit")
        await house.bob.choose(await house.bob.form("Arguments of"), "tool", "archive_file")
        form = await house.bob.form("archive_file.")
        said = await house.bob.submit(form, {"days": "-1"})
        assert "greater than 0" in said["days"]
        assert RUNS == []
        assert await house.bob.submit(form, {"days": "30"}) == {}
        await house.answer("archive_file")
        assert RUNS == [ARCHIVED]


async def test_a_tool_without_arguments_can_be_turned_into_and_back(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE, policy=POLICY) as house:
        await house.asks([DELETE])
        await house.bob.press(await house.card(), "Edit")
        form = await house.bob.form("Arguments of")
        await house.bob.choose(form, "tool", "touch")
        form = await house.bob.form("no arguments that could be edited")
        await house.bob.choose(form, "tool", "delete_file")
        form = await house.bob.form(lambda one: "path" in text_of(one))
        await house.bob.choose(form, "tool", "touch")
        assert await house.bob.submit(await house.bob.form("no arguments that could be edited")) == {}
        await house.answer("touch")
        assert RUNS == [("touch", {})]


async def test_a_form_for_one_tool_that_says_another_changes_nothing(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE, policy=POLICY) as house:
        await house.asks([DELETE])
        await house.bob.press(await house.card(), "Edit")
        form = await house.bob.form("Arguments of")
        said = await house.bob.submit(form, {"Tool": "touch"})
        assert "another tool's" in said["Tool"]
        assert RUNS == []


async def test_after_a_restart_without_the_rule_the_edit_is_refused(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent=HERE, policy=POLICY) as house:
        await house.asks([DELETE])
        card = await house.card()
    without = POLICY.replace('edit_to = ["archive_file", "touch"]', "")
    async with a_house(tmp_path, agent=HERE, policy=without) as house:
        await house.bob.press(card, "Edit")
        await house.bob.choose(await house.bob.form("Arguments of"), "tool", "touch")
        await house.bob.submit(await house.bob.form("no arguments that could be edited"))
        await house.bob.form("`delete_file` cannot be turned into `touch`; nothing was done")
        assert RUNS == []


async def test_a_tool_that_the_agent_does_not_have_is_refused_at_the_start(tmp_path: Path) -> None:
    policy = POLICY.replace('"touch"', '"shred"')
    with pytest.raises(BadPolicy, match=r"line 6: `edit_to` names 'shred', which is no tool of the agent"):
        async with a_house(tmp_path, agent=HERE, policy=policy):
            pass
