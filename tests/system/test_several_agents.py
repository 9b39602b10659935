"""Two agents in one bot with a tool of the same name: whom one speaks to, who decides, what is seen."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bot import reports
from bot.approvals.ids import AgentName
from bot.approvals.roster import Roster
from bot.policy_file import parse_policy
from bot.sandbox import buttons, text_of
from bot.seen_policy import SeenPolicy
from bot.store.database import reading_store
from tests.system.agents import RUNS
from tests.system.house import House, a_house, decisions, is_answer

BOTH = "ops=tests.system.crew:ops, docs=tests.system.crew:docs"
ONLY_OPS = "ops=tests.system.crew:ops"
COMMON = """\
operators = ["@alice"]

[defaults]
approvers = ["@bob"]
redact = []
"""
POLICY = f"""{COMMON}
[agents.docs]
requesters = ["@alice", "@carol"]

[agents.docs.defaults]
approvers = ["@carol"]
redact = ["page"]

[[agents.docs.rules]]
tools = ["publish"]
danger = true
"""
GONE = "The agent docs is not in the bot's"
PUBLISH = json.dumps([[["publish", {"page": "about.md", "token": "t"}]]])
RAN = [("publish", {"page": "about.md", "token": "t"})]


@asynccontextmanager
async def both(folder: Path, agent: str = BOTH, policy: str = POLICY) -> AsyncIterator[House]:
    async with a_house(folder, agent=agent, policy=policy) as house:
        yield house


async def command(house: House, text: str) -> None:
    assert await house.alice.say("#general", f"/agent {text}") == {"ok": True}


async def told(house: House, text: str, wanted: str) -> str:
    """What `/agent …` answers Alice alone."""
    await command(house, text)
    return text_of(await house.alice.sees_privately(wanted))


async def card_of(house: House, thread: str | None = None) -> dict[str, Any]:
    return await house.bob.sees("Approval needed", channel="#general", thread=thread)


async def test_each_agent_has_its_own_approvers_its_own_secrets_and_its_name_on_the_card(
    tmp_path: Path,
) -> None:
    async with both(tmp_path) as house:
        await command(house, f"docs: {PUBLISH}")
        opening = await house.alice.sees("asked docs:", channel="#general")
        card = await card_of(house, opening["ts"])
        assert "Asked by the agent *docs*" in json.dumps(card["blocks"])
        assert card["text"].endswith("The agent is docs.")
        assert "about.md" not in json.dumps(card)
        await house.bob.press(card, "Approve")
        await house.bob.sees_privately("You are not among the people who may decide about")
        assert RUNS == []
        await command(house, PUBLISH)
        other = await house.alice.sees("asked ops:", channel="#general")
        ours = await card_of(house, other["ts"])
        assert "Asked by the agent *ops*" in json.dumps(ours["blocks"])
        assert "about.md" in json.dumps(ours)
        await house.carol.press(ours, "Approve")
        await house.carol.sees_privately("You are not among the people who may decide about")
        await house.bob.press(ours, "Approve")
        await house.answer("publish done", thread=other["ts"])
        assert RUNS == RAN
        await house.carol.press(card, "Approve")
        await house.answer("publish done", thread=opening["ts"])
        assert RUNS == RAN * 2


async def test_lists_name_the_agent_and_help_tells_what_each_is_for(tmp_path: Path) -> None:
    async with both(tmp_path) as house:
        help_ = await told(house, "help", "There are several agents.")
        assert "• *ops*: Looks after &lt;the&gt; machines." in help_
        assert "• *docs*: publish" in help_
        assert "without a name it is ops" in help_
        await command(house, f"docs: {PUBLISH}")
        await card_of(house)
        for list_, title in (
            ("pending", "What you asked for and is"),
            ("pending all", "All that waits:"),
            ("status", "What you asked for:"),
        ):
            assert ", agent docs" in await told(house, list_, title), list_
    async with reading_store(tmp_path / "bot.db") as store:
        file = parse_policy(POLICY, name="approvals.toml")
        names = (AgentName("ops"), AgentName("docs"))
        seen = SeenPolicy(
            roster=Roster(names=names), shared=file, agents={name: file.of_agent(name) for name in names}
        )
        [waits] = (await reports.pending(store, seen))["pending"]
        assert (waits["agent"], waits["actions"][0]["approvers"]) == ("docs", ["@carol"])
        shown = await reports.conversation(store, waits["conversation"], seen, seen.roster)
        async with store.read() as tx:
            lines = await tx.record.of(waits["conversation"])
    assert {line.detail["agent"] for line in lines} == {"docs"}
    assert shown["conversation"]["agent"] == "docs"
    assert shown["approvals"][0]["actions"][0]["arguments"]["page"] != "about.md"


async def test_a_conversation_goes_on_with_its_own_agent_and_with_no_other(tmp_path: Path) -> None:
    async with both(tmp_path) as house:
        bot = house.bot.identity.bot_user
        said = await house.alice.say("#general", f"<@{bot}> docs: hello")
        await house.answer("heard hello", thread=said["ts"])
        await house.alice.say("#general", f"<@{bot}> {PUBLISH}", thread=said["ts"])
        card = await card_of(house, said["ts"])
        assert "*docs*" in json.dumps(card["blocks"])
        await house.alice.say("#general", f"<@{bot}> ops: hurry", thread=said["ts"])
        await house.alice.sees_privately("This conversation is with docs and stays with it")
        await house.carol.press(card, "Approve")
        await house.answer("publish done", thread=said["ts"])
        await house.alice.say("#general", f"<@{bot}> docs: thanks, note: all well", thread=said["ts"])
        await house.answer("heard thanks, note: all well", thread=said["ts"])
        direct = await house.carol.say("im", "docs: in private")
        await house.carol.sees(lambda one: is_answer(one) and "heard in private" in text_of(one))
        assert direct


async def test_what_is_nearly_a_name_is_asked_about_and_who_may_not_ask_one_agent_may_ask_another(
    tmp_path: Path,
) -> None:
    async with both(tmp_path) as house:
        assert "The agents are ops, docs." in await told(house, "doc: tidy up", "did you mean docs?")
        await command(house, "note: tidy up")
        await house.answer("heard note: tidy up")
        await told(house, "docs:", "Say what docs should do")
        await house.bob.say("#general", f"/agent docs: {PUBLISH}")
        await house.bob.sees_privately("You are not among the people who may ask the agent")
        assert await house.bob.say("#general", "/agent ops: hello") == {"ok": True}
        await house.answer("heard hello")


async def test_a_message_is_taken_along_to_the_agent_that_is_named(tmp_path: Path) -> None:
    async with both(tmp_path) as house:
        said = await house.bob.say("#general", "The page is wrong.")
        message = await house.bob.sees(lambda one: one["ts"] == said["ts"], channel="#general")
        await house.alice.uses_shortcut(message)
        form = await house.alice.form("About this message by")
        assert "ops is asked. To ask another agent, begin with its name and a colon (docs)." in text_of(form)
        assert await house.alice.submit(form, {"What should the agent do?": "docs: mend it"}) == {}
        asked = await house.bob.sees("asked docs:", thread=said["ts"])
        assert "mend it\n(about a message" in text_of(asked)
        await house.answer("heard mend it", thread=said["ts"])
        await house.alice.uses_shortcut(message)
        form = await house.alice.form("About this message by")
        await house.alice.submit(form, {"What should the agent do?": "ops: mend it"})
        await house.alice.form("This conversation is with docs and stays with it")


async def test_an_agent_that_is_taken_out_runs_nothing_loses_nothing_and_goes_on_once_it_is_back(
    tmp_path: Path,
) -> None:
    async with both(tmp_path) as house:
        await command(house, f"docs: {PUBLISH}")
        card = await card_of(house)
        await command(house, "docs: hello")
        await house.answer("heard hello")
        idle = await house.alice.sees(lambda one: "asked docs:" in text_of(one) and "hello" in text_of(one))
    async with both(tmp_path, agent=ONLY_OPS, policy=COMMON) as house:
        card = await card_of(house, card["thread_ts"])
        bot = house.bot.identity.bot_user
        # Who may decide and what is masked stood in its section: nobody does, and nothing is shown.
        for person in (house.bob, house.carol):
            await person.press(card, "Approve")
            await person.sees_privately("You are not among the people who may decide about `publish`.")
        assert "about.md" not in json.dumps(await card_of(house, card["thread_ts"]))
        assert RUNS == []
        await house.alice.say("#general", f"<@{bot}> go on", thread=idle["ts"])
        failure = await house.alice.sees(GONE, thread=idle["ts"])
        await house.alice.press(failure, "Retry")
        await house.alice.sees(
            lambda one: GONE in text_of(one) and "Retry" in buttons(one) and one["ts"] != failure["ts"],
            thread=idle["ts"],
        )
        assert ", agent docs" in await told(house, "status", "What you asked for:")
    async with both(tmp_path) as house:
        waits = [
            one
            for one in await house.alice.messages("#general")
            if GONE in text_of(one) and "Retry" in buttons(one)
        ]
        assert len(waits) == 1
        for one in waits:
            await house.alice.press(one, "Retry")
        await house.carol.press(card, "Approve")
        await house.answer("publish done", thread=card["thread_ts"])
        await house.answer("heard go on", thread=idle["ts"])
        assert RUNS == RAN
        approved = await house.bob.sees("Approved by <@U0CAROL>", thread=card["thread_ts"])
        assert decisions(approved) == []


async def test_what_belongs_to_an_agent_that_is_gone_can_be_stopped_and_is_told_when_it_is_back(
    tmp_path: Path,
) -> None:
    async with both(tmp_path) as house:
        await command(house, f"docs: {PUBLISH}")
        card = await card_of(house)
    async with both(tmp_path, agent=ONLY_OPS, policy=COMMON) as house:
        await house.alice.press(card, "Stop")
        await house.alice.sees("Stopped: nothing that waited will run.", thread=card["thread_ts"])
        await house.bob.sees("Withdrawn", thread=card["thread_ts"])
    async with both(tmp_path) as house:
        await house.alice.sees("Nothing that waited was run.", thread=card["thread_ts"])
        bot = house.bot.identity.bot_user
        await house.alice.say("#general", f"<@{bot}> and now?", thread=card["thread_ts"])
        await house.answer("heard and now?", thread=card["thread_ts"])
        assert RUNS == []
