"""What functions of a policy said is the same when it is read back from its row."""

from datetime import timedelta

import pytest

from bot.approvals.asking import Asking
from bot.approvals.choosing import Chosen
from bot.approvals.decision import Json
from bot.approvals.ids import ChannelId, UserId
from bot.approvals.places import IN_THREAD, InChannel, ToApprovers, where_from_json
from bot.approvals.times import NEVER
from bot.approvals.who import One

SAID = [
    Chosen(channel=IN_THREAD),
    Chosen(channel=InChannel(ChannelId("C0OPS"), "#ops"), expires_after=timedelta(seconds=90)),
    Chosen(channel=ToApprovers(), expires_after=NEVER),
    Chosen(expires_after=timedelta(days=365), ask=Asking.ONCE, approvers=(One(UserId("U0BOB")),)),
]


@pytest.mark.parametrize("said", SAID, ids=str)
def test_it_is_read_as_it_was_written(said: Chosen) -> None:
    read = Chosen.from_json(said.to_json())
    assert (read, read.said) == (said, said.said)


@pytest.mark.parametrize("told", ["somewhere", 7, None, ["C0OPS"], ["C0OPS", 1]])
def test_a_place_that_is_none_is_refused(told: Json) -> None:
    with pytest.raises(ValueError, match="not a place"):
        where_from_json(told)


@pytest.mark.parametrize("told", ["soon", None, []])
def test_an_end_that_is_none_is_refused(told: Json) -> None:
    with pytest.raises(ValueError, match="not a number of seconds"):
        Chosen.from_json({"expires_after": told})
