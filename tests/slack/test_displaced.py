"""What becomes of a message that its place cannot have: on the real store."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.approvals.approval import Approval
from bot.approvals.conversation import Post, PostKind, PostState
from bot.approvals.errors import TryLater
from bot.approvals.ids import ChannelId, PostId
from bot.slack.displaced import CLOSED, NO_ACCESS, NO_CARD, NO_THREAD, Displaced
from bot.slack.drawing import Drawing
from tests.approvals.fakes import WatchedStore, owing
from tests.slack.steps import error
from tests.store.samples import ALICE, BOB, GENERAL, THREAD, approval, conversation

CARD = Post(id=PostId("card-p1"), conversation=THREAD, kind=PostKind.CARD, approval=approval().id)
THERE = replace(CARD, id=PostId("card-p1-there"), place="C0OPS")
SHARED_HERE = (
    "This channel is shared with another organisation, so what waits for a decision is not shown here. "
    "The policy can name another `channel` for it, or say `shared_channels = true`; "
    "until then it stays open, and can be stopped with /agent cancel."
)
SHARED_THERE = "The channel for this is shared with another organisation by now, so it stands here."


@dataclass(frozen=True, kw_only=True)
class Keeping:
    """Standings of which only these are asked."""

    store: WatchedStore
    out: bool = True
    asked: list[tuple[ChannelId, Approval]]

    @property
    def jobs(self) -> Any:  # noqa: ANN401 - the real engine's
        return owing(self.store)

    async def keeps_out(self, channel: ChannelId, about: Approval) -> bool:
        self.asked.append((channel, about))
        return self.out


def displaced(store: WatchedStore, *, out: bool = True, alone: bool = False) -> Displaced:
    standings: Any = None if alone else Keeping(store=store, out=out, asked=[])
    return Displaced(store=store, standings=standings)


@pytest.fixture
async def filed(store: WatchedStore) -> WatchedStore:
    """An approval that waits, with a card in its thread and one elsewhere."""
    async with store.write() as tx:
        await tx.conversations.add(conversation())
        assert await tx.approvals.add(approval())
        for post in (CARD, THERE):
            await tx.posts.owe(post)
    return store


def drawing(post: Post = CARD, about: Approval | None = None, **more: Any) -> Drawing:  # noqa: ANN401
    return Drawing(post=post, conversation=conversation(), approval=about or approval(), **more)


async def stands(store: WatchedStore, id: str) -> tuple[str, str, str, str]:
    """State, problem, text and place of a post; nothing if there is none."""
    async with store.read() as tx:
        post = await tx.posts.get(PostId(id))
    return (post.state.value, post.problem, post.text, post.place) if post else ("", "", "", "")


async def test_a_card_that_a_shared_channel_must_not_have_stays_owed_and_the_thread_is_told(
    filed: WatchedStore,
) -> None:
    shown = displaced(filed)
    assert await shown.must_not_be_shown(drawing()) is True
    keeping: Any = shown.standings
    assert keeping.asked == [(GENERAL, approval())]
    assert await stands(filed, CARD.id) == ("owed", "shared_channel", "", "")
    assert await stands(filed, f"instead:{CARD.id}") == ("owed", "", SHARED_HERE, "")


async def test_a_card_of_another_channel_stands_in_the_thread_instead(filed: WatchedStore) -> None:
    async with filed.write() as tx:
        await tx.posts.save(replace(CARD, state=PostState.SHOWN))
    assert await displaced(filed).must_not_be_shown(drawing(THERE)) is True
    assert await stands(filed, THERE.id) == ("undeliverable", "shared_channel", "", "C0OPS")
    assert await stands(filed, f"fallback:{approval().id}:C0OPS") == ("owed", "", SHARED_THERE, "")
    assert await stands(filed, f"instead:{THERE.id}") == ("", "", "", "")


async def test_one_that_nobody_decides_any_more_is_given_up_and_nobody_is_told(filed: WatchedStore) -> None:
    over = approval().withdraw("stopped")
    async with filed.write() as tx:
        await tx.approvals.save(over)
    assert await displaced(filed).must_not_be_shown(drawing(about=over)) is True
    assert await stands(filed, CARD.id) == ("undeliverable", "shared_channel", "", "")
    assert await stands(filed, f"instead:{CARD.id}") == ("", "", "", "")


@pytest.mark.parametrize(
    ("post", "more"),
    [
        (replace(CARD, kind=PostKind.NOTICE), {}),
        (replace(CARD, kind=PostKind.ANSWER), {}),
        (replace(CARD, place=BOB), {}),
    ],
)
async def test_what_shows_no_arguments_or_is_for_one_person_is_shown_anywhere(
    filed: WatchedStore, post: Post, more: dict[str, Any]
) -> None:
    shown = displaced(filed)
    assert await shown.must_not_be_shown(drawing(post, **more)) is False
    keeping: Any = shown.standings
    assert keeping.asked == []


async def test_what_is_about_no_approval_or_kept_out_by_nobody_is_shown(filed: WatchedStore) -> None:
    bare = Drawing(post=CARD, conversation=conversation(), approval=None)
    assert await displaced(filed).must_not_be_shown(bare) is False
    assert await displaced(filed, out=False).must_not_be_shown(drawing()) is False
    assert await displaced(filed, alone=True).must_not_be_shown(drawing()) is False
    assert await stands(filed, CARD.id) == ("owed", "", "", "")


async def test_calls_that_are_not_asked_about_are_kept_out_too_and_so_are_private_channels(
    filed: WatchedStore,
) -> None:
    told = replace(CARD, kind=PostKind.NOT_ASKED)
    shown = displaced(filed)
    assert await shown.must_not_be_shown(drawing(replace(told, place="G0OPS"))) is True
    assert await shown.must_not_be_shown(drawing(told)) is True


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("U0BOB", "<@U0BOB> cannot be sent this in a direct message, so it stands here."),
        (
            "C0OPS",
            (
                "The channel that the policy names for this cannot be written in any more "
                "(it is archived, or I am not in it), so it stands here. "
                "Who may decide stays the same; invite me there again, or change the policy."
            ),
        ),
    ],
)
async def test_a_place_that_is_closed_loses_its_card_to_the_thread(
    filed: WatchedStore, place: str, told: str
) -> None:
    post = replace(THERE, place=place)
    given_up = await displaced(filed).lose(post, error("channel_not_found"))
    assert given_up == replace(post, state=PostState.UNDELIVERABLE, problem="channel_not_found")
    assert await stands(filed, THERE.id) == ("undeliverable", "channel_not_found", "", "C0OPS")
    assert (await stands(filed, f"fallback:{approval().id}:{place}"))[2] == told


async def test_a_thread_that_is_closed_is_tried_again_and_whoever_asked_is_told_once(
    filed: WatchedStore,
) -> None:
    for _ in range(2):
        with pytest.raises(TryLater, match="is_archived") as later:
            await displaced(filed).lose(CARD, error("is_archived"))
        assert later.value.seconds == 60
    assert await stands(filed, CARD.id) == ("owed", "is_archived", "", "")
    assert await stands(filed, f"closed:{THREAD}") == ("owed", "", CLOSED, ALICE)
    assert CLOSED == (
        "I cannot write in the channel where you asked me: it is archived, or I am not in it. Please /invite "
        "me there. What waits for a decision stays open meanwhile: whoever may decide finds it on the Home "
        "tab of this app. I try again every minute."
    )


async def test_whoever_asked_in_a_workspace_that_lost_the_app_is_told_who_can_mend_it(
    filed: WatchedStore,
) -> None:
    with pytest.raises(TryLater, match="team_access_not_granted"):
        await displaced(filed).lose(CARD, error("team_access_not_granted"))
    assert (await stands(filed, f"closed:{THREAD}"))[2] == NO_ACCESS
    assert NO_ACCESS == (
        "I cannot write in the channel where you asked me: I was taken out of its workspace. Please have an "
        "administrator of your organisation add me there again. What waits for a decision stays open "
        "meanwhile: whoever may decide finds it on the Home tab of this app in another workspace. "
        "I try again every minute."
    )


async def test_whoever_asked_in_a_thread_whose_first_message_is_gone_is_told_that_and_what_to_do(
    filed: WatchedStore,
) -> None:
    for _ in range(2):
        with pytest.raises(TryLater, match="thread_not_found"):
            await displaced(filed).lose(CARD, error("thread_not_found"))
    assert await stands(filed, f"closed:{THREAD}") == ("owed", "", NO_THREAD, ALICE)
    assert NO_THREAD == (
        "I cannot write in the thread where you asked me: its first message was deleted. What waits for a "
        "decision stays open: whoever may decide finds it on the Home tab of this app. The answer cannot be "
        "shown in that thread; to start anew, use /agent."
    )


@pytest.mark.parametrize("place", ["U0BOB", "C0OPS"])
async def test_a_card_elsewhere_that_was_deleted_stands_in_the_thread_which_is_told_so(
    filed: WatchedStore, place: str
) -> None:
    await displaced(filed).lose(replace(THERE, place=place), error("thread_not_found"))
    assert (await stands(filed, f"fallback:{approval().id}:{place}"))[2] == NO_CARD
    assert NO_CARD == "The message about this was deleted where it stood, so it stands here."


async def test_without_standings_a_thread_that_is_closed_is_given_up(filed: WatchedStore) -> None:
    given_up = await displaced(filed, alone=True).lose(CARD, error("is_archived"))
    assert given_up == replace(CARD, state=PostState.UNDELIVERABLE, problem="is_archived")
    assert await stands(filed, CARD.id) == ("undeliverable", "is_archived", "", "")
    assert await stands(filed, f"closed:{THREAD}") == ("", "", "", "")


async def test_after_the_last_attempt_a_card_in_the_thread_stays_owed_and_others_are_given_up(
    filed: WatchedStore,
) -> None:
    shown = displaced(filed)
    await shown.give_up(drawing(), "invalid_blocks")
    await shown.give_up(drawing(THERE), "invalid_blocks")
    assert await stands(filed, CARD.id) == ("owed", "invalid_blocks", "", "")
    assert await stands(filed, THERE.id) == ("undeliverable", "invalid_blocks", "", "C0OPS")
    assert (await stands(filed, f"fallback:{approval().id}:C0OPS"))[0] == "owed"
    bare = Drawing(post=CARD, conversation=conversation(), approval=None)
    await shown.give_up(bare, "invalid_blocks")
    assert await stands(filed, CARD.id) == ("undeliverable", "invalid_blocks", "", "")
    assert await stands(filed, f"instead:{CARD.id}") == ("", "", "", "")
