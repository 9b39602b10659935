"""Two replicas on one Postgres, as processes: every click reaches both, and one of them dies or freezes.

The frozen ones are in `test_frozen`.

    WHOLE=1 python -m pytest tests/system/test_replicas.py      a hundred conversations instead of thirty
"""

import asyncio
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox import buttons, text_of
from tests.command_line import POLICY
from tests.system.house import is_answer
from tests.system.street import Street, a_street, asks_about, no_overlap
from tests.whole import WHOLE

TWO_EACH = "quorum = 2\n"
PRESSED = list(product((0, 1), ("Bob", "Carol")))
"""Both people press both buttons."""


def transfer(to: str, amount: float = 1) -> tuple[str, dict[str, Any]]:
    return "transfer", {"amount": amount, "to": to}


async def test_a_click_that_reaches_both_replicas_is_one_decision_and_runs_once(tmp_path: Path) -> None:
    async with a_street(tmp_path) as street:
        await street.asks([transfer("carol", 0)], [transfer("carol", 1)])
        for number in range(2):
            card = await street.bob.sees(asks_about(f"amount: {number}"), channel="#general", timeout=60)
            await street.press(card)
            await street.bob.sees_change(card, lambda one: buttons(one) == [], timeout=60)
        await street.answers(1)
        await street.at_rest()
        messages = await street.bob.messages("#general")
        assert len([one for one in messages if is_answer(one)]) == 1
        assert len([one for one in messages if "digest" in text_of(one)]) == 2
        assert street.started() == ["carol/0", "carol/1"]
        assert min(street.both.taken.values()) > 0


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("count", "sockets"),
    [(100 if WHOLE else 30, False), (8, True)],
    ids=["http", "sockets"],
)
async def test_one_of_two_replicas_is_killed_while_it_resumes_and_everybody_gets_an_answer_once(
    tmp_path: Path, count: int, *, sockets: bool
) -> None:
    """Two people are needed for each; what each tool did, and where, is read from what it wrote."""
    people = [f"person-{number:03}" for number in range(count)]
    async with a_street(tmp_path, policy=POLICY + TWO_EACH, sockets=sockets, TEST_LEASE="6") as street:
        await in_a_row(
            people, lambda to: street.asks([transfer(to, 1), transfer(to, 2)], [("look", {"at": to})])
        )
        cards = await street.cards(count)
        clicks = asyncio.create_task(everybody_approves(street, cards))
        killed = await killed_while_it_resumes(street, count // 5)
        await clicks
        answers = await street.answers(count)
        await street.at_rest()
        runs = street.runs()
        wanted = Counter(f"{to}/{what}" for to in people for what in (1, 2, "look"))
        assert wanted - Counter(street.started()) == Counter()
        once = Counter(name for name in street.started() if not name.endswith("look"))
        assert max(once.values()) == 1, "what people let run ran once"
        assert no_overlap(runs, killed)
        assert len({run.pid for run in runs}) == 2, "both replicas have worked"
        assert len({one["thread_ts"] for one in answers}) == len(answers) == count
        said = [one for one in await street.bob.messages("#general") if is_answer(one)]
        assert len(said) == count


async def in_a_row(items: list[Any], do: Any, *, at_once: int = 8) -> None:  # noqa: ANN401
    """For all of these, some at once: a crowd, but not more than a workspace's people do in a second."""
    turns = asyncio.Semaphore(at_once)

    async def one(item: Any) -> None:  # noqa: ANN401
        async with turns:
            await do(item)

    await asyncio.gather(*map(one, items))


async def everybody_approves(street: Street, cards: list[dict[str, Any]]) -> None:
    async def both(card: dict[str, Any]) -> None:
        await asyncio.gather(*(street.press(card, by=name, nth=nth) for nth, name in PRESSED))

    await in_a_row(cards, both)


async def killed_while_it_resumes(street: Street, after: int) -> int:
    """Kill the first replica in the middle of a tool, once so many calls have begun."""
    replica = street.replicas[0].process
    async with asyncio.timeout(100):
        while True:
            runs = street.runs()
            own = [run for run in runs if run.pid == replica.pid]
            if len(runs) >= 2 * after and own and own[-1].what == "start":
                break
            await asyncio.sleep(0.001)
    replica.kill()
    return replica.pid


async def test_the_same_first_message_heard_by_both_at_once_begins_one_conversation(tmp_path: Path) -> None:
    async with a_street(tmp_path) as street:
        alice = street.slack.person("Alice")
        bot = street.slack.bot_user
        for number in range(8):
            await asyncio.gather(
                street.asks([("look", {"at": f"command-{number}"})]),
                alice.say("#general", f"<@{bot}> mention-{number}"),
                alice.say("im", f"direct-{number}"),
            )
        await street.answers(16)
        await street.at_rest()
        for channel, count in (("#general", 16), ("im", 8)):
            answers = [one for one in await alice.messages(channel) if is_answer(one)]
            assert len({one["thread_ts"] for one in answers}) == len(answers) == count
        assert sorted(street.started()) == [f"command-{number}/look" for number in range(8)]
        assert min(street.both.taken.values()) > 0


async def test_reminder_escalation_and_expiry_come_once_each_from_two_replicas(tmp_path: Path) -> None:
    times = 'remind_after = ["2s"]\nescalate_after = "5s"\nescalate_to = ["@carol"]\nexpires_after = "9s"\n'
    async with a_street(tmp_path, policy=POLICY + times) as street:
        await asyncio.gather(*(street.asks([transfer(f"person-{number}")]) for number in range(5)))
        cards: list[dict[str, Any]] = []
        async with asyncio.timeout(40):
            while len(cards) < 5:
                await asyncio.sleep(0.1)
                cards = [one for one in await street.bob.messages("#general") if "Expired" in text_of(one)]
        for card in cards:
            thread = card["thread_ts"]
            await street.bob.sees(is_answer, channel="#general", thread=thread, timeout=20)
            said = [text_of(one) for one in await street.bob.thread("#general", thread)]
            for sign in ("⏰", "📣", "nobody decided in time"):
                assert sum(sign in text for text in said) == 1, (sign, said)
        assert street.started() == []
