"""Many calls on one card: killed, in a channel of its own, in direct messages, and as time goes by."""

import asyncio
import json
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox import Person, buttons, text_of
from tests.crash.program import RUNS as RAN
from tests.system.agents import RUNS
from tests.system.house import POLICY, House, a_house, is_answer
from tests.system.visiting import the_bot

FLOOD, EACH = "tests.system.flooding:flood", "tests.system.agents:each"
Json = dict[str, Any]

OPS = '[defaults]\napprovers = ["channel"]\nchannel = "#approvals"\n'
DIRECT = '[defaults]\napprovers = ["@bob", "@carol"]\nchannel = "dm:approvers"\n'
TOGETHER = "all_at_once = true\n"


def calls(count: int) -> str:
    return json.dumps([("tool", {"number": number}) for number in range(count)])


def said(house: House, word: str) -> list[str]:
    """What was posted with this word in it, as `channel: text`."""
    posted = [call.arguments for call in house.slack.calls("chat.postMessage") if call.outcome == "ok"]
    return [f"{one['channel']}: {one['text']}" for one in posted if word in str(one["text"])]


@pytest.mark.parametrize("moment", [0, 1, 3])
async def test_killed_at_any_moment_a_burst_is_decided_to_its_end_and_nothing_runs_twice(
    tmp_path: Path, moment: int
) -> None:
    """Kills at growing distances after two clicks at once: before, while and after the agent is told."""
    script = json.dumps([[["transfer", {"amount": n, "to": f"p{n}", "note": ""}] for n in range(4)]])
    agent = {"BOT_AGENT": "tests.system.flooding:booking"}
    async with the_bot(tmp_path, agent) as (process, slack):
        bob, carol = slack.person("Bob"), slack.person("Carol")
        await slack.person("Alice").say("#general", f"/agent {script}")
        card = await bob.sees("4 of 4 open", channel="#general")
        pressing = [
            asyncio.ensure_future(bob.press(card, "Approve")),
            asyncio.ensure_future(carol.press(card, "Approve", nth=2)),
        ]
        await asyncio.wait(pressing, timeout=moment * 0.04)
        process.send_signal(signal.SIGKILL)
        await process.wait()
        await asyncio.gather(*pressing, return_exceptions=True)
    async with the_bot(tmp_path, agent) as (_, slack):
        bob = slack.person("Bob")
        await asyncio.wait_for(decide_all_that_comes(bob), 40)
        answer = text_of(await bob.sees(is_answer, channel="#general", timeout=1))
    done = [json.loads(line)["to"] for line in (tmp_path / "workspace" / RAN).read_text().splitlines()]
    assert len(done) == len(set(done))
    assert [line for line in answer.splitlines() if line.startswith("p")] != []
    for n in range(4):
        assert f"p{n}" in done or f'p{n}: "`transfer` was not run: it may have run already' in answer


async def decide_all_that_comes(bob: Person) -> None:
    """Approve what is open, and skip what is in doubt, until the agent has answered."""
    while not any(map(is_answer, messages := await bob.messages("#general"))):
        for one in messages:
            for word in ("Approve", "Skip"):
                if word in buttons(one):
                    with suppress(Exception):  # it was drawn anew at this moment
                        await bob.press(one, word, stale=True)
        with suppress(Exception):
            await bob.sees(is_answer, channel="#general", timeout=0.3)


async def test_in_a_channel_of_its_own_a_burst_is_one_card_and_its_escalation_and_expiry_are_told_once(
    tmp_path: Path,
) -> None:
    policy = (
        f'{OPS}escalate_after = "2s"\nescalate_to = ["@alice"]\nself_approval = true\nexpires_after = "8s"\n'
    )
    async with a_house(tmp_path, agent=FLOOD, policy=policy) as house:
        await house.carol.say("#general", f"/agent {calls(4)}")
        card = await house.bob.sees("4 of 4 open", channel="#approvals")
        await house.bob.press(card, "Approve")
        card = await house.bob.sees_change(card, "Called in: <@U0ALICE>", timeout=20)
        assert "3 of 4 open" in text_of(card)
        await house.alice.sees("<@U0ALICE>: nobody has decided about tool", channel="#approvals")
        await house.alice.press(card, "Reject")
        assert await house.alice.submit(await house.alice.form(), {"Reason": "no"}) == {}
        ended = await house.bob.sees_change(card, lambda one: buttons(one) == [], timeout=20)
        assert text_of(ended).count("Expired") >= 2
        answer = await house.answer("done with", timeout=30)
        assert "ran 0" in answer
        assert "not 1" in answer
        assert [run[1]["number"] for run in RUNS] == [0]
        called = said(house, "nobody has decided about")
        assert sorted(line[:4] for line in called) == ["C0AP", "C0GE"]
        assert len(said(house, "nobody decided in time")) == 1
        assert [line.split(": ", 2)[2] for line in said(house, "🏁")] == [
            (
                "tool was approved by <@U0BOB>; tool was rejected by <@U0ALICE>; "
                "tool (2 times) were not decided in time."
            )
        ]


async def test_in_direct_messages_an_escalation_brings_the_burst_to_whoever_is_called_in(
    tmp_path: Path,
) -> None:
    policy = (
        '[defaults]\napprovers = ["@bob"]\nchannel = "dm:approvers"\n'
        'escalate_after = "2s"\nescalate_to = ["@carol"]\nexpires_after = "9s"\n'
    )
    async with a_house(tmp_path, agent=FLOOD, policy=policy) as house:
        await house.alice.say("#general", f"/agent {calls(3)}")
        bobs = await house.bob.sees("3 of 3 open", channel="D0BOB")
        carols = await house.carol.sees("3 of 3 open", channel="D0CAROL", timeout=20)
        await house.carol.press(carols, "Approve")
        bobs = await house.bob.sees_change(bobs, "2 of 3 open")
        for person, card in ((house.bob, bobs), (house.carol, carols)):
            ended = await person.sees_change(card, lambda one: buttons(one) == [], timeout=20)
            assert text_of(ended).count("Expired") >= 2
        await house.answer("ran 0", timeout=30)
        assert [run[1]["number"] for run in RUNS] == [0]
        assert len([one for one in await house.carol.messages("D0CAROL") if "tool" in text_of(one)]) <= 2


@pytest.mark.parametrize(
    ("policy", "where", "agent"),
    [
        (POLICY, "#general", EACH),
        (POLICY, "#general", FLOOD),
        (OPS, "#approvals", EACH),
        (DIRECT, "D0BOB", FLOOD),
    ],
)
async def test_approve_all_of_a_card_from_before_a_restart_wherever_it_stands(
    tmp_path: Path, policy: str, where: str, agent: str
) -> None:
    script = json.dumps([[("transfer", {"amount": float(n), "to": f"p{n}"}) for n in range(3)]])
    words = calls(3) if agent == FLOOD else script
    async with a_house(tmp_path, agent=agent, policy=policy + TOGETHER) as house:
        await house.alice.say("#general", f"/agent {words}")
        card = await house.bob.sees("3 of 3 open", channel=where)
        await house.bob.press(card, "Approve all")
        form = await house.bob.form("Approve these 3 calls?")
    async with a_house(tmp_path, agent=agent, policy=policy + TOGETHER) as house:
        assert RUNS == []
        assert await house.bob.submit(form) == {}
        await house.answer("done with", timeout=30)
        assert len(RUNS) == 3
        ended = await house.bob.sees_change(card, lambda one: buttons(one) == [])
        assert text_of(ended).count("Approved by <@U0BOB>") == 3
        if where == "D0BOB":
            await house.carol.sees(
                lambda one: text_of(one).count("Approved by <@U0BOB>") == 3, channel="D0CAROL"
            )


async def test_a_call_that_was_stopped_stays_on_the_card_of_one_that_was_approved_before(
    tmp_path: Path,
) -> None:
    """Whether or not the agent has been told of the approval when Stop is pressed."""
    async with a_house(tmp_path, agent=FLOOD) as house:
        await house.alice.say("#general", f"/agent {calls(2)}")
        card = await house.bob.sees("2 of 2 open", channel="#general")
        await house.bob.press(card, "Approve")
        card = await house.bob.sees_change(card, "1 of 2 open")
        await house.bob.press(card, "Stop")
        ended = text_of(await house.bob.sees_change(card, lambda one: buttons(one) == []))
        await house.alice.sees("Stopped by <@U0BOB>. Nothing that waited was run.", channel="#general")
    assert "ithdrawn" in ended.splitlines()[0]
    assert "Nothing more can be decided here: stopped by <@U0BOB>." in ended
    assert ended.count("Approved by <@U0BOB>") == ended.count("Not decided.") == 1


@pytest.mark.parametrize(("policy", "where"), [(OPS, "#approvals"), (DIRECT, "D0BOB")])
async def test_reject_all_elsewhere_ends_every_copy_and_is_heard_once_in_the_thread(
    tmp_path: Path, policy: str, where: str
) -> None:
    async with a_house(tmp_path, agent=FLOOD, policy=policy + TOGETHER) as house:
        await house.alice.say("#general", f"/agent {calls(3)}")
        card = await house.bob.sees("3 of 3 open", channel=where)
        copy = await house.carol.sees("3 of 3 open", channel=where.replace("BOB", "CAROL"))
        await house.bob.press(card, "Reject all")
        assert await house.bob.submit(await house.bob.form("Reject these 3"), {"Reason": "not today"}) == {}
        for person, one in ((house.bob, card), (house.carol, copy)):
            ended = await person.sees_change(one, lambda now: buttons(now) == [])
            assert text_of(ended).count("Rejected by <@U0BOB>") == 3
        await house.answer("not 2", timeout=30)
        assert [line.split(": ", 2)[2] for line in said(house, "🏁")] == [
            "tool (3 times) were rejected by <@U0BOB>."
        ]
        assert RUNS == []


async def test_calls_of_several_tools_are_one_direct_message_for_each_person_and_stay_so(
    tmp_path: Path,
) -> None:
    policy = (
        f'{DIRECT}[[rules]]\ntools = ["store"]\ndanger = true\n'
        '[[rules]]\ntools = ["ask_user"]\napprovers = ["@carol"]\n'
    )
    script: list[tuple[str, Json]] = [
        ("transfer", {"amount": 1.0, "to": "first"}),
        ("store", {"data": {"a": 1}}),
        ("transfer", {"amount": 2.0, "to": "second"}),
        ("ask_user", {"question": "carol?"}),
    ]
    async with a_house(tmp_path, agent=EACH, policy=policy) as house:
        await house.asks(script)
        bobs = await house.bob.sees("3 of 3 open", channel="D0BOB")
        carols = await house.carol.sees("3 of 3 open", channel="D0CAROL")
        alone = await house.carol.sees("carol?", channel="D0CAROL")
        assert alone["ts"] != carols["ts"]
        await house.bob.press(bobs, "Approve")
        carols = await house.carol.sees_change(carols, "2 of 3 open")
        await house.carol.press(carols, "Reject", nth=0)
        assert await house.carol.submit(await house.carol.form(), {"Reason": "no"}) == {}
        bobs = await house.bob.sees_change(bobs, "1 of 3 open")
    async with a_house(tmp_path, agent=EACH, policy=policy) as house:
        await house.bob.press(bobs, "Approve")
        await house.carol.press(alone, "Respond")
        assert await house.carol.submit(await house.carol.form(), {"Response": "yes"}) == {}
        answer = await house.answer("ask_user: yes")
        assert "with reason: no" in answer
        cards = [one for one in await house.bob.messages("D0BOB") if "digest" in text_of(one)]
        assert [one["ts"] for one in cards] == [bobs["ts"]]
        assert len([one for one in await house.carol.messages("D0CAROL") if "digest" in text_of(one)]) == 2
    assert [run[1].get("to") for run in RUNS] == ["first", "second"]
