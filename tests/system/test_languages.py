"""One bot, people of several languages: what is shared is in the policy's, what is private in their own."""
# ruff: noqa: RUF001 - Chinese has commas of its own

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.sandbox import Fault, Person, buttons, text_of
from bot.store import reading_store
from tests.system.house import House, a_house

TRANSFER = ("transfer", {"amount": 5.0, "to": "bob"})
IN_CHINESE = """
    language = "zh-CN"
    [defaults]
    approvers = ["channel"]
"""


async def reads(house: House, person: Person, locale: str) -> None:
    account = house.slack.account(person.id)
    await house.slack.change(replace(account, locale=locale))


async def test_the_card_is_in_the_policys_language_and_each_form_in_its_readers(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=IN_CHINESE) as house:
        await house.asks([TRANSFER])
        card = await house.card("需要审批")
        assert buttons(card)[:3] == ["批准", "修改", "回复"]
        await house.bob.press(card, "拒绝")
        form = await house.bob.form("Reject transfer? It will not run.")
        await house.bob.close(form)
        await reads(house, house.carol, "zh-CN")
        await house.carol.press(card, "修改")
        form = await house.carol.form("transfer 的参数。您发送的就是要运行的内容。")
        assert await house.carol.submit(form, {"amount": "3"}) == {}
        await house.carol.sees_change(card, "已修改并批准")
        await house.answer()


async def test_somebody_is_refused_and_shown_home_in_their_own_language(house: House) -> None:
    await reads(house, house.alice, "zh-CN")
    await house.asks([TRANSFER])
    card = await house.card("Approval needed")
    await house.alice.press(card, "Approve")
    await house.alice.sees_privately("这是您自己请求的，因此 `transfer` 须由其他人决定。")
    assert "等待决定：transfer" in text_of(await house.alice.opens_home("您请求的内容"))
    assert "Waiting for you" in text_of(await house.bob.opens_home("transfer"))
    await house.bob.press(card, "Approve")
    await house.answer()


async def test_what_a_thread_keeps_is_said_to_whoever_reads_it_and_recorded_in_english(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, policy=IN_CHINESE) as house:
        await reads(house, house.alice, "en-US")
        channel = await house.alice.opens_im()
        await house.asks([TRANSFER])
        shared = await house.card("需要审批")
        assert "有权决定：本频道的正式成员，但请求者除外。" in text_of(shared)
        await house.alice.say(channel, json.dumps([[TRANSFER]]))
        own = await house.alice.sees("Approval needed", channel=channel)
        assert "To decide: a full member in this channel, but nobody who asked for it." in text_of(own)
        await house.alice.sees("Nobody who may decide about all of this", channel=channel)
        for card, stopped, told in (
            (shared, "由 <@U0ALICE> 停止", "由 <@U0ALICE> 停止。等待中的内容均未运行。"),
            (own, "stopped by <@U0ALICE>", "Stopped by <@U0ALICE>. Nothing that waited was run."),
        ):
            await house.alice.press(card, "停止" if card is shared else "Stop")
            await house.alice.sees_change(card, stopped)
            await house.alice.sees(told, channel=str(card["channel"]))
    async with reading_store(f"sqlite:///{tmp_path / 'bot.db'}") as store, store.read() as tx:
        notes = [one.detail["note"] for one in await tx.record.of() if one.kind == "withdrawn"]
    assert notes == ["stopped by <@U0ALICE>"] * 2


async def test_in_a_direct_message_all_is_in_the_language_of_the_one_who_reads_it(house: House) -> None:
    await reads(house, house.alice, "zh-CN")
    channel = await house.alice.opens_im()
    await house.alice.say(channel, "/agent status")
    await house.alice.sees_privately("您还没有请求过任何内容。", channel=channel)


@pytest.mark.parametrize("locale", ["fr-FR", "zh-TW", ""])
async def test_whose_language_the_bot_does_not_speak_is_answered_in_the_policys(
    tmp_path: Path, locale: str
) -> None:
    async with a_house(tmp_path, policy=IN_CHINESE) as house:
        await reads(house, house.bob, locale)
        await house.bob.say("#general", "/agent cancel")
        await house.bob.sees_privately("您在此频道请求的内容都没有在进行。")


async def test_a_mask_is_in_the_language_of_its_reader_and_one_that_an_argument_writes_looks_otherwise(
    tmp_path: Path,
) -> None:
    mask = "（已遮盖的数字，3 个字符）"
    async with a_house(tmp_path, policy=f'{IN_CHINESE}redact = ["amount"]') as house:
        await house.asks([("transfer", {"amount": 5.0, "to": mask})])
        card = await house.card("需要审批")
        told = {"text": mask, "type": "text"}
        assert str(card).count(str({"style": {"italic": True}} | told)) == 1, "ours"
        assert str(card).count(str({"style": {"code": True}} | told)) == 2, "the agent's, above and below"
        await house.bob.press(card, "修改")
        form = await house.bob.form("Arguments of transfer.")
        assert "Now (masked number, 3 characters). Left empty" in str(form)
        await house.bob.close(form)
        await house.bob.press(card, "批准")
        await house.answer()


TO_EACH = """
    [defaults]
    approvers = ["@bob", "@carol"]
    channel = "dm:approvers"
"""


async def test_a_card_that_goes_to_each_approver_is_in_the_language_of_each(tmp_path: Path) -> None:
    async with a_house(tmp_path, policy=TO_EACH) as house:
        await reads(house, house.bob, "zh-CN")
        await house.asks([TRANSFER])
        chinese = await house.bob.sees("需要审批", channel=await house.bob.opens_im())
        english = await house.carol.sees("Approval needed", channel=await house.carol.opens_im())
        await house.carol.press(english, "Approve")
        await house.bob.sees_change(chinese, "已批准")
        await house.carol.sees_change(english, "Approved by <@U0CAROL>")
        await house.answer()


async def test_where_slack_does_not_say_what_somebody_reads_it_is_the_policys_language(
    tmp_path: Path,
) -> None:
    async with a_house(tmp_path, policy=IN_CHINESE) as house:
        await house.slack.fault(Fault(kind="status", method="users.info", status=503, times=9))
        await house.bob.say("#general", "/agent cancel")
        await house.bob.sees_privately("您在此频道请求的内容都没有在进行。")
