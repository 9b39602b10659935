"""Talking to the agent: commands, mentions, direct messages, waiting one's turn, and what fails."""

import json
from pathlib import Path

import pytest

from bot.approvals.turns import NO_LONGER, WAITS
from bot.sandbox import Acked, Fault, buttons, text_of
from bot.slack.talk import EDITED, ONLY_FILES, WITHOUT_FILES
from tests.system.agents import FAIL, RUNS, WAITING
from tests.system.house import House, a_house, decisions

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})


async def test_a_message_that_comes_while_an_approval_waits_is_kept_and_handed_over_afterwards(
    house: House,
) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    bot = house.bot.identity.bot_user
    await house.alice.say("#general", f"<@{bot}> and hurry", thread=card["thread_ts"])
    await house.alice.sees("Kept: the agent gets this message once", thread=card["thread_ts"])
    assert decisions(await house.card()) != []
    await house.bob.press(card, "Approve")
    await house.answer("transfer done with")
    await house.answer("heard and hurry")
    assert len(RUNS) == 1


async def test_a_message_that_comes_while_the_agent_runs_is_handed_over_next(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent="tests.system.agents:slow") as house:
        await house.asks([("wait", {"name": "one"})])
        opening = await house.alice.sees("asked:", channel="#general")
        bot = house.bot.identity.bot_user
        await house.alice.say("#general", f"<@{bot}> next", thread=opening["ts"])
        await house.alice.sees("Kept: the agent is busy", thread=opening["ts"])
        WAITING[0].may_end.set()
        await house.answer("wait: waited")
        await house.answer("heard next")
        assert RUNS == [("wait", {"name": "one"})]


async def test_a_mention_starts_a_conversation_in_its_thread_and_another_goes_on_with_it(
    house: House,
) -> None:
    bot = house.bot.identity.bot_user
    said = await house.alice.say("#general", f"<@{bot}> hello")
    await house.answer("heard hello", thread=said["ts"])
    await house.carol.say("#general", f"<@{bot}> once more", thread=said["ts"])
    await house.answer("heard once more", thread=said["ts"])


async def test_a_reply_to_a_thread_whose_opening_was_lost_on_the_way_belongs_to_it(house: House) -> None:
    await house.slack.fault(Fault(kind="lost_response", method="chat.postMessage", times=1))
    await house.asks([TRANSFER])
    opening = await house.alice.sees("asked:", channel="#general")
    bot = house.bot.identity.bot_user
    await house.alice.say("#general", f"<@{bot}> and hurry", thread=opening["ts"])
    card = await house.card(timeout=20)
    assert card["thread_ts"] == opening["ts"]
    await house.alice.sees("Kept: the agent gets this message once", thread=opening["ts"])
    await house.bob.press(card, "Approve")
    await house.answer("heard and hurry")
    assert len([one for one in await house.bob.messages("#general") if "asked:" in text_of(one)]) == 1


async def test_nobody_who_said_something_to_the_agent_approves_what_it_does_next(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    bot = house.bot.identity.bot_user
    script = json.dumps([[TRANSFER]])
    await house.bob.say("#general", f"<@{bot}> {script}", thread=card["thread_ts"])
    await house.carol.say("#general", f"<@{bot}> thanks", thread=card["thread_ts"])
    await house.carol.press(card, "Approve")
    await house.answer("done with")
    await house.bob.say("#general", f"<@{bot}> {script}", thread=card["thread_ts"])
    again = await house.card(lambda one: one["ts"] != card["ts"] and decisions(one) != [])
    for person in (house.alice, house.bob, house.carol):
        await person.press(again, "Approve")
        await person.sees_privately("You asked for this yourself")
    assert len(RUNS) == 1


async def test_a_direct_message_starts_a_conversation(house: House) -> None:
    said = await house.alice.say("im", "hello")
    await house.answer("heard hello", channel="im", thread=said["ts"])


async def test_in_a_direct_message_each_thread_is_a_conversation_that_goes_on_by_just_writing(
    house: House,
) -> None:
    one, other = await house.alice.say("im", "one"), await house.alice.say("im", "other")
    await house.answer("heard one", channel="im", thread=one["ts"])
    await house.answer("heard other", channel="im", thread=other["ts"])
    await house.alice.say("im", "and more", thread=one["ts"])
    await house.answer("heard and more", channel="im", thread=one["ts"])
    await house.alice.say("#general", "/agent status")
    status = await house.alice.sees_privately("What you asked for:")
    assert text_of(status).count("Open the thread") == 2


async def test_in_a_direct_message_it_is_said_that_nobody_there_can_decide(house: House) -> None:
    await house.alice.say("im", json.dumps([[TRANSFER]]))
    card = await house.alice.sees("Approval needed", channel="im")
    await house.alice.sees("ask again in a channel", channel="im")
    await house.alice.press(card, "Stop")
    await house.alice.sees("Stopped by <@U0ALICE>.", channel="im")


async def test_what_people_say_reaches_the_agent_as_they_see_it(house: House) -> None:
    bot = house.bot.identity.bot_user
    await house.alice.say("#general", f"<@{bot}> is 1 < 2 & 3 > 2?")
    await house.answer("is 1 < 2 & 3 > 2?")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/agent help", "asks the agent to do something"),
        ("/agent", "asks the agent to do something"),
        ("/agent pending", "Nothing waits for you"),
        ("/agent status", "You have not asked for anything yet"),
        ("/agent cancel", "Nothing that you asked for in this channel is under way"),
        ("/agent stop", "Nothing that you asked for in this channel is under way"),
        ("/agent forget", "Nothing with this code is remembered for you"),
    ],
)
async def test_the_command_says_how_things_stand_privately(house: House, text: str, told: str) -> None:
    assert await house.alice.say("#general", text) == {"ok": True}
    await house.alice.sees_privately(told)
    assert await house.bob.messages("#general") == []


async def test_pending_and_status_list_what_there_is(house: House) -> None:
    await house.asks([TRANSFER])
    await house.card()
    await house.bob.say("#general", "/agent pending")
    await house.bob.sees_privately("transfer")
    await house.alice.say("#general", "/agent status")
    await house.alice.sees_privately("waits for a decision")
    home = await house.bob.opens_home("transfer")
    assert "Waiting for you" in text_of(home)


async def test_cancel_withdraws_what_waits_and_leaves_the_conversation_usable(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    bot = house.bot.identity.bot_user
    await house.alice.say("#general", f"<@{bot}> said before", thread=card["thread_ts"])
    await house.alice.sees("Kept:", thread=card["thread_ts"])
    await house.alice.say("#general", "/agent cancel")
    await house.alice.sees("Stopped by <@U0ALICE>.", thread=card["thread_ts"])
    await house.alice.sees("1 message that waited for the agent did not reach it", thread=card["thread_ts"])
    ended = await house.card_with(card)
    assert "stopped by <@U0ALICE>" in text_of(ended)
    await house.bob.press(card, "Approve", stale=True)
    await house.bob.sees_privately("This request is closed")
    assert RUNS == []
    await house.alice.say("#general", f"<@{bot}> still there?", thread=card["thread_ts"])
    await house.answer("heard still there?")
    await house.alice.press(card, "Stop", stale=True)
    await house.alice.sees_privately("This is finished already, so there was nothing to stop.")
    answers = [one for one in await house.alice.messages("#general") if "heard" in text_of(one)]
    assert len(answers) == 1


async def test_stop_on_the_card_is_for_the_requester_and_approvers(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    gus = house.slack.person("Gus")
    await gus.press(card, "Stop")
    await gus.sees_privately("Only the requester or an approver can do this")
    await house.bob.press(card, "Stop")
    await house.alice.sees("Stopped by <@U0BOB>.", thread=card["thread_ts"])
    assert RUNS == []


async def test_a_failing_model_is_told_in_one_sentence_and_retry_goes_on(house: House) -> None:
    FAIL.append("model")
    await house.asks([TRANSFER])
    failure = await house.alice.sees(lambda one: buttons(one) == ["Retry"], channel="#general")
    assert "sk-this-is-a-secret" not in json.dumps(failure)
    await house.slack.person("Gus").press(failure, "Retry")
    await house.slack.person("Gus").sees_privately("Only the requester or an approver")
    await house.alice.press(failure, "Retry")
    retried = await house.alice.sees_change(failure, "Retried by")
    assert buttons(retried) == []
    await house.bob.press(failure, "Retry", stale=True)
    await house.bob.sees_privately("This was retried already by <@U0ALICE>")
    await house.bob.press(await house.card(), "Approve")
    await house.answer()
    assert len(RUNS) == 1


async def test_after_a_failure_people_can_just_write_on(house: House) -> None:
    FAIL.append("model")
    await house.asks([TRANSFER])
    failure = await house.alice.sees(lambda one: buttons(one) == ["Retry"], channel="#general")
    bot = house.bot.identity.bot_user
    await house.alice.say("#general", f"<@{bot}> never mind", thread=failure["thread_ts"])
    await house.answer("heard never mind")
    assert RUNS == []


async def test_a_model_that_fails_after_a_decision_does_not_run_the_tool_again(house: House) -> None:
    await house.asks([TRANSFER])
    card = await house.card()
    FAIL.append("model")
    await house.bob.press(card, "Approve")
    failure = await house.alice.sees(lambda one: buttons(one) == ["Retry"], channel="#general")
    await house.alice.press(failure, "Retry")
    await house.answer("transfer done with")
    assert len(RUNS) == 1


async def test_a_failing_tool_is_told_to_the_agent_and_in_the_thread(house: House) -> None:
    FAIL.append("transfer")
    await house.asks([TRANSFER, ("transfer", {"amount": 1.0, "to": "carol"})])
    card = await house.card()
    await house.bob.press(card, "Approve", nth=1)
    card = await house.card_with(card, "Approve", "Edit", "Respond", "Reject", "Change")
    await house.bob.press(card, "Approve")
    failure = await house.alice.sees(lambda one: buttons(one) == ["Retry"], channel="#general")
    assert "transfer" in text_of(failure)
    assert "the bank is closed" in text_of(failure)
    await house.answer("done with")
    assert len(RUNS) == 2
    await house.alice.press(failure, "Retry")
    await house.answer("heard Try again.")


async def test_an_approval_of_a_teams_own_middleware_gets_a_card(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent="tests.system.agents:gatekept") as house:
        await house.asks([TRANSFER, ("lookup", {"what": "x"})])
        card = await house.card()
        assert decisions(card) == ["Approve", "Reject", "Approve", "Reject"]
        assert "The gatekeeper asks." in text_of(card)
        await house.bob.press(card, "Reject")
        await house.bob.submit(await house.bob.form(), {"Reason": "no"})
        card = await house.card_with(card, "Change", "Approve", "Reject")
        await house.bob.press(card, "Approve")
        assert "refused: no" in await house.answer("lookup done with")
        assert RUNS == [("lookup", {"what": "x"})]


async def test_a_plain_question_gets_a_card_with_respond(tmp_path: Path) -> None:
    async with a_house(tmp_path, agent="tests.system.agents:questioner") as house:
        await house.asks()
        card = await house.card("Which region?")
        assert decisions(card) == ["Respond"]
        await house.bob.press(card, "Respond")
        await house.bob.submit(await house.bob.form(), {"Response": "Jura"})
        await house.answer("Going to Jura.")


async def test_an_empty_mention_says_what_to_do(house: House) -> None:
    await house.alice.say("#general", f"<@{house.bot.identity.bot_user}>")
    await house.alice.sees_privately("Say what the agent should do")


async def test_in_a_channel_without_the_bot_the_command_says_how_to_get_it_there(house: House) -> None:
    await house.alice.say("#random", "/agent hello")
    await house.alice.sees_privately("/invite me")


async def test_what_of_a_message_does_not_reach_the_agent_its_author_is_told(house: House) -> None:
    bot, told = house.bot.identity.bot_user, house.alice.sees_privately
    first = await house.alice.say("#general", "tidy up")
    mention = {"type": "app_mention", "user": house.alice.id, "channel": first["channel"]}
    edited = {**mention, "ts": first["ts"], "edited": {"user": house.alice.id, "ts": "1.1"}}
    await arrives(house, {**edited, "text": f"<@{bot}> tidy up"})  # the mention was forgotten at first
    await house.answer("heard tidy up", thread=first["ts"])
    await arrives(house, {**edited, "text": f"<@{bot}> tidy up"})  # Slack delivers it once more
    await arrives(house, {**edited, "text": f"<@{bot}> tidy up all"})
    await told(EDITED)
    with_files = {**mention, "subtype": "file_share", "files": [{"id": "F1", "name": "a.pdf"}]}
    second = await house.alice.say("#general", "read this")
    await arrives(house, {**with_files, "ts": second["ts"], "text": f"<@{bot}> read this"})
    await house.answer("heard read this")
    await told(WITHOUT_FILES)
    await arrives(house, {**with_files, "ts": second["ts"], "text": f"<@{bot}>"})
    await told(ONLY_FILES)
    privately = [str(call.arguments["text"]) for call in house.slack.calls("chat.postEphemeral")]
    assert privately == [EDITED, WITHOUT_FILES, ONLY_FILES]
    assert not any("tidy up all" in text_of(one) for one in await house.bob.messages("#general"))


async def test_a_direct_message_that_is_deleted_while_it_waits_never_reaches_the_agent(
    tmp_path: Path,
) -> None:
    policy = '[defaults]\napprovers = ["@bob"]\nchannel = "dm:approvers"\n'
    async with a_house(tmp_path, policy=policy) as house:
        dm = await house.alice.opens_im()
        said = await house.alice.say(dm, json.dumps([[TRANSFER]]))
        card = await house.bob.sees("Approval needed", channel="D0BOB")
        for words in ("wipe it all", "and hurry"):
            gone = await house.alice.say(dm, words, thread=said["ts"])
            notice = await house.alice.sees(WAITS, thread=said["ts"])
            if words == "wipe it all":
                before = {"user": house.alice.id, "text": words, "ts": gone["ts"], "thread_ts": said["ts"]}
                event = {"type": "message", "subtype": "message_deleted", "channel_type": "im"}
                await arrives(house, {**event, "channel": dm, "previous_message": before})
                await house.alice.sees_change(notice, NO_LONGER)
        await house.bob.press(card, "Approve")
        await house.answer("heard and hurry", thread=said["ts"])
        told = [text_of(one) for one in await house.alice.messages(dm)]
        assert house.slack.calls("chat.postEphemeral") == []
    assert not any("heard wipe" in text for text in told)


@pytest.mark.parametrize("thread", [{"channel_id": 5}, {}, None])
async def test_an_odd_event_of_the_assistant_view_is_taken_and_nothing_comes_of_it(
    house: House, thread: object
) -> None:
    await arrives(house, {"type": "assistant_thread_started", "assistant_thread": thread})


async def arrives(house: House, event: dict[str, object]) -> None:
    """An event that Slack sends and no person of the sandbox can cause."""
    us = house.bot.identity
    body = {"type": "event_callback", "team_id": us.team, "api_app_id": us.app, "event": event}
    assert await house.slack.deliver(body, "events_api") == Acked()
