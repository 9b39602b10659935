"""Whom a policy names: in the words of the file, in sentences, and in rows."""

from typing import Any

import pytest

from bot.approvals.decision import Json
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.who import (
    ChannelMembers,
    Members,
    MembersOf,
    One,
    Quorum,
    Requester,
    UserGroup,
    Who,
    one_of,
    quorum_from_json,
    quorum_to_json,
    who_from_json,
    who_to_json,
    written,
)

TABLE: list[tuple[Who, str, str, Any]] = [
    (ChannelMembers(), "channel", "a full member in this channel", "channel"),
    (ChannelMembers("#ops"), "channel", "a full member in #ops", ["channel", "#ops"]),
    (Requester(), "requester", "whoever asked for it", "requester"),
    (Members(), "members", "a full member of this workspace", "members"),
    (One(UserId("U1")), "U1", "<@U1>", "U1"),
    (UserGroup(GroupId("S1"), "dba"), "@@dba", "a member of @dba", ["S1", "dba"]),
    (UserGroup(GroupId("S1")), "S1", "a member of @S1", ["S1", ""]),
    (MembersOf(ChannelId("C1"), "#ops"), "#ops", "a full member in #ops", ["in", "C1", "#ops"]),
    (MembersOf(ChannelId("C1")), "C1", "a full member in C1", ["in", "C1", ""]),
]


@pytest.mark.parametrize(("who", "in_file", "in_sentence", "in_row"), TABLE)
def test_each_kind_has_its_words_in_a_file_in_a_sentence_and_in_a_row(
    who: Who, in_file: str, in_sentence: str, in_row: object
) -> None:
    assert (written(who), one_of([who]), who_to_json(who)) == (in_file, in_sentence, in_row)
    back = who_from_json(who_to_json(who))
    assert (back, written(back), one_of([back])) == (who, in_file, in_sentence)


def test_somebody_of_several_is_said_once_each_in_their_order() -> None:
    several: list[Who] = [One(UserId("U2")), Members(), One(UserId("U1")), One(UserId("U2"))]
    assert one_of(several) == "<@U2> or a full member of this workspace or <@U1>"
    assert one_of([]) == ""


def test_a_quorum_is_a_row_and_back() -> None:
    quorum = Quorum(approvers=(One(UserId("U1")), Requester()), count=2)
    assert quorum_to_json(quorum) == {"of": ["U1", "requester"], "count": 2}
    assert quorum_from_json({"of": ["U1", "requester"], "count": 2}) == quorum


@pytest.mark.parametrize(
    "told", [{}, {"of": []}, {"count": 1}, {"of": "U1", "count": 1}, {"of": [], "count": "1"}]
)
def test_a_row_that_is_no_quorum_is_refused(told: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^not a quorum$"):
        quorum_from_json(told)


@pytest.mark.parametrize("told", [None, 1, [], ["channel"], ["in", "C1", 1], {"id": "U1"}])
def test_a_row_that_names_nobody_is_refused(told: Json) -> None:
    with pytest.raises(ValueError, match=r"^not an approver$"):
        who_from_json(told)
