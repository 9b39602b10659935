"""What a conversation leaves in the database while it goes on."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from bot.approvals.ids import ConversationId
from tests.system.house import House, a_house, both_databases, decisions

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})


async def texts_of_checkpoints(house: House, thread: ConversationId) -> list[list[str]]:
    """What people and the model had said by each checkpoint that is left, newest first."""
    graph: Any = house.bot.agent.graph
    history = graph.aget_state_history({"configurable": {"thread_id": thread}})
    return [[str(one.text) for one in state.values.get("messages", ())] async for state in history]


async def only_thread(house: House) -> ConversationId:
    saver: Any = house.bot.agent.graph.checkpointer
    threads = {one.config["configurable"]["thread_id"] async for one in saver.alist(None)}
    [thread] = threads
    return ConversationId(thread)


@both_databases
async def test_a_conversation_that_came_to_rest_goes_on_from_one_checkpoint(house: House) -> None:
    bot = house.bot.identity.bot_user
    await house.asks([TRANSFER])
    card = await house.card()
    await house.bob.press(card, "Approve")
    await house.answer()
    thread = await only_thread(house)
    # Pruning is done in the thread's lane, so it is over when the thread goes on.
    await house.alice.say("#general", f"<@{bot}> once more", thread=card["thread_ts"])
    await house.answer("heard once more", thread=card["thread_ts"])
    left = await texts_of_checkpoints(house, thread)
    assert all(any("done with" in text for text in texts) for texts in left), left


@both_databases
async def test_a_conversation_that_waits_for_people_is_resumed_from_one_checkpoint(house: House) -> None:
    await house.asks([TRANSFER], [TRANSFER])
    card = await house.card()
    await house.bob.press(card, "Approve")
    await house.card(lambda one: bool(decisions(one)) and one["ts"] != card["ts"])
    left = await texts_of_checkpoints(house, await only_thread(house))
    assert all(len(texts) > 1 for texts in left), left  # the question and the call that was approved


async def test_a_conversation_that_ended_long_ago_is_forgotten_and_says_so_when_it_goes_on(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path) as house:
        await house.asks([TRANSFER])
        card = await house.card()
        await house.bob.press(card, "Approve")
        await house.answer()
        thread = await only_thread(house)
    with closing(sqlite3.connect(tmp_path / "bot.db")) as file, file:
        assert file.execute(
            "UPDATE conversations SET rested_at = '2020-01-01T00:00:00.000000+00:00'"
        ).rowcount
    async with a_house(tmp_path) as house:
        bot = house.bot.identity.bot_user
        await house.alice.say("#general", f"<@{bot}> and now?", thread=card["thread_ts"])
        await house.alice.sees("no longer remembers what was said before", thread=card["thread_ts"])
        await house.answer("heard and now?", thread=card["thread_ts"])
        left = await texts_of_checkpoints(house, thread)
        assert not any("done with" in text for texts in left for text in texts), left
