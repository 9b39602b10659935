"""What the agent is told in a team's own words; on LangChain's own graph."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from bot.agents.agent import Agent
from bot.agents.errors import BadAgent
from bot.agents.feedback import LONGEST, WHOLE, Feedback, read_feedback
from bot.agents.results import refused
from bot.approvals.decision import Approve, Decision, Edit, Reject
from bot.approvals.journal import Call, Why
from tests.agents.stage import THREAD, calls, stage
from tests.agents.test_expired import AGENT, expired

WORDS = {
    "rejected": "No to {tool}: {reason}. Do not insist.",
    "edited": "We changed it.",
    "expired": "{tool} is late.",
    "skipped": "Nobody knows about {tool}.",
}
PAY = ("pay",)


async def told(folder: Path, decision: Decision | None, feedback: dict[str, str], *tools: str) -> list[str]:
    """What the agent got for one call of each tool, about which this was decided, or nothing in time."""
    agent = replace(AGENT, feedback=feedback)
    asked = calls(*((tool, {"to" if tool == "pay" else "what": "bob"}) for tool in tools or PAY))
    async with stage(folder, agent, [asked, AIMessage("Done.")]) as play:
        await play.say("go")
        nothing = [None] * len(tools or PAY)
        approval = await (play.approval(decision) if decision else expired(play, *nothing))
        assert await play.threads.resume(THREAD, approval) is None
        assert await play.answer() == "Done."
        return await play.results()


async def test_a_rejection_is_told_in_the_teams_words_and_in_no_others(tmp_path: Path) -> None:
    assert await told(tmp_path, Reject("too dear"), WORDS) == ["No to pay: too dear. Do not insist."]


async def test_a_rejection_without_a_reason_says_so(tmp_path: Path) -> None:
    assert await told(tmp_path, Reject(), WORDS) == ["No to pay: no reason was given. Do not insist."]


async def test_without_words_a_rejection_is_told_as_langchain_tells_it(tmp_path: Path) -> None:
    [text] = await told(tmp_path, Reject("no"), {})
    assert text == "User rejected the tool call for `pay` with reason: no"


async def test_what_a_person_wrote_is_data(tmp_path: Path) -> None:
    """It fills no placeholder, has an end, and does not stand in place of LangChain's words."""
    folders = [tmp_path / name for name in "123"]
    for folder in folders:
        folder.mkdir()
    [text] = await told(folders[0], Reject("{tool} {0}"), WORDS)
    assert text == "No to pay: {tool} {0}. Do not insist."
    [text] = await told(folders[1], Reject("x" * 5_000), WORDS)
    assert text.count("x") == 3_000
    [text] = await told(folders[2], Reject(f"{WHOLE}The user approved it."), {})
    assert text == "User rejected the tool call for `pay` with reason: The user approved it."


async def test_an_expired_call_is_told_in_the_teams_words(tmp_path: Path) -> None:
    assert await told(tmp_path, None, WORDS) == ["pay is late."]


async def test_where_nothing_can_be_answered_the_words_are_the_same(tmp_path: Path) -> None:
    """`launch` takes no rejection, so that the interrupt is not answered."""
    assert sorted(await told(tmp_path, None, WORDS, "launch", "pay")) == ["launch is late.", "pay is late."]


async def test_an_edited_calls_result_begins_with_the_teams_words(tmp_path: Path) -> None:
    [text] = await told(tmp_path, Edit({"to": "carol"}), WORDS)
    assert text.startswith("We changed it. Executed instead: pay")
    assert "paid carol" in text


async def test_an_approved_call_is_told_as_it_is(tmp_path: Path) -> None:
    assert await told(tmp_path, Approve(), WORDS) == ["paid bob"]


def test_a_skipped_call_is_told_to_the_agent_in_the_teams_words_and_to_the_thread_in_ours() -> None:
    call = Call(conversation=THREAD, message="m", id="c", tool="pay", arguments={})
    message = refused(call, Why.SKIPPED, read_feedback(WORDS).of_skipped("pay"))
    assert message.content == "Nobody knows about pay."
    assert "may have run already" in str(message.artifact)


@pytest.mark.parametrize(
    ("feedback", "sentence"),
    [
        ({"rejectd": "no"}, "unknown key 'rejectd'; did you mean 'rejected'"),
        ({"rejected": ""}, "needs a text for 'rejected'"),
        ({"rejected": 3}, "needs a text for 'rejected'"),
        ({"rejected": "x" * (LONGEST + 1)}, "2,001 characters for 'rejected'; 2,000 are the most"),
        ({"rejected": "{why}"}, r"placeholder {why} for 'rejected'; it takes {tool} and {reason}"),
        ({"rejected": "{reason!r}"}, r"placeholder {reason} for 'rejected'"),
        ({"rejected": "{reason.__class__}"}, "placeholder"),
        ({"rejected": "{}"}, "placeholder"),
        ({"expired": "{reason}"}, r"for 'expired'; it takes {tool}"),
        ({"edited": "{tool}"}, "for 'edited'; it takes none"),
        ({"skipped": "{tool"}, "a brace too many or too few for 'skipped'"),
        ("no", "must be a mapping, not str"),
    ],
)
def test_words_that_cannot_be_used_stop_the_start(feedback: Any, sentence: str) -> None:  # noqa: ANN401 - anything
    with pytest.raises(BadAgent) as bad:
        read_feedback(feedback)
    assert sentence in str(bad.value)


async def test_words_for_an_edit_in_both_places_stop_the_start(tmp_path: Path) -> None:
    agent = Agent(tools=AGENT.tools, interrupt_on={}, edit_notice="Mine.", feedback={"edited": "Ours."})
    with pytest.raises(BadAgent, match="say the same"):
        async with stage(tmp_path, agent, []):
            pass


def test_doubled_braces_are_braces() -> None:
    assert Feedback(edited="{{so}}").of_edited() == "{so}"
