"""What people think of an answer ends in the record: once per person, changed at will, members alone."""

from pathlib import Path
from typing import Any

from bot.sandbox import Fault, Person, text_of
from bot.store.database import reading_store
from tests.system.house import House, a_house, is_answer

Json = dict[str, Any]


async def thumb(person: Person, answer: Json, half: str) -> None:
    """Press one half of the feedback buttons below an answer."""
    [block] = [one for one in answer["blocks"] if one["type"] == "context_actions"]
    [element] = block["elements"]
    given = {"value": element[f"{half}_button"]["value"]}
    assert await person._act(answer, block, element, given) == {"ok": True}


async def an_answer(house: House) -> Json:
    await house.asks()
    return await house.bob.sees(is_answer, channel="#general")


async def told(person: Person, words: str) -> Json:
    return await person.sees(lambda one: bool(one.get("ephemeral")) and words in text_of(one))


async def feedback(folder: Path) -> list[tuple[str | None, Json]]:
    """The lines of the record about it, oldest first."""
    async with reading_store(f"sqlite:///{folder / 'bot.db'}") as store, store.read() as tx:
        return [(line.actor, dict(line.detail)) for line in await tx.record.of() if line.kind == "feedback"]


async def test_an_opinion_is_noted_once_and_can_be_changed(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        answer = await an_answer(house)
        await thumb(house.bob, answer, "positive")
        await told(house.bob, "Thank you, that is noted.")
        await thumb(house.bob, answer, "positive")
        await told(house.bob, "Thank you, that was noted already.")
        await thumb(house.alice, answer, "negative")
        await told(house.alice, "Thank you, that is noted.")
        await thumb(house.bob, answer, "negative")
        await told(house.bob, "Thank you, your opinion is changed.")
    lines = await feedback(tmp_path)
    assert [(who, line["opinion"], line["instead_of"]) for who, line in lines] == [
        ("U0BOB", "up", None),
        ("U0ALICE", "down", None),
        ("U0BOB", "down", "up"),
    ]
    [id] = {line["answer"] for _, line in lines}
    assert str(id).startswith("answer:")


async def test_a_guest_rates_nothing(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        answer = await an_answer(house)
        gus = house.slack.person("Gus")
        await thumb(gus, answer, "positive")
        await told(gus, "Only full members of this workspace can rate an answer, so nothing was noted.")
    assert await feedback(tmp_path) == []


async def test_where_slack_refuses_its_own_thumbs_there_are_ordinary_buttons(tmp_path: Path) -> None:
    async with a_house(tmp_path) as house:
        await house.slack.fault(
            Fault(kind="error", method="chat.postMessage", error="invalid_blocks", times=1)
        )
        opening = await house.alice.say("#general", "<@U0AGENT> []")
        answer = await house.bob.sees(is_answer, channel="#general")
        assert opening
        assert [block["type"] for block in answer["blocks"]] == ["context", "markdown", "context", "actions"]
        await house.bob.press(answer, "Not helpful")
        await told(house.bob, "Thank you, that is noted.")
        house.slack.core.calls.clear()  # the house takes a refusal for a fault of ours
    assert [line["opinion"] for _, line in await feedback(tmp_path)] == ["down"]
