"""Whom somebody speaks to."""

import pytest

from bot.approvals.errors import NotAllowed, Refused
from bot.approvals.ids import AgentName
from bot.approvals.realm import UNNAMED, Realm
from bot.approvals.roster import Address, Roster

OPS, DOCS = AgentName("ops"), AgentName("docs")
BOTH = Roster(names=(OPS, DOCS))
ONE = Roster(names=(OPS,))


@pytest.mark.parametrize(
    ("text", "agent", "left"),
    [
        ("docs: what is new?", "docs", "what is new?"),
        ("  DOCS :what is new?", "docs", "what is new?"),
        ("ops:\ndelete a\nand b", "ops", "delete a\nand b"),
        ("ops: docs: list", "ops", "docs: list"),
        ("docs:", "docs", ""),
        ("list the docs: all of them", None, None),
        ("note: docs are old", None, None),
        ("dogs: feed them", None, None),
        ("do: it", None, None),
        ("doc://files is a link", None, None),
        ("docs", None, None),
        (": docs", None, None),
        ("", None, None),
    ],
)
def test_a_name_with_a_colon_before_it_says_which_agent_is_meant_and_any_other_word_is_text(
    text: str, agent: str | None, left: str | None
) -> None:
    wanted = Address(text=text if left is None else left, agent=AgentName(agent) if agent else None)
    assert BOTH.address(text) == wanted


@pytest.mark.parametrize(("said", "close"), [("doc", DOCS), ("Docs2", DOCS), ("osp", OPS), ("opss", OPS)])
def test_a_word_that_is_nearly_a_name_begins_nothing_and_is_asked_about(said: str, close: AgentName) -> None:
    text = f"{said}: tidy up"
    address = BOTH.address(text)
    assert address == Address(text=text, said=said, close=close)
    with pytest.raises(Refused) as no:
        BOTH.meant(address, None)
    assert str(no.value) == (
        f"There is no agent called {said}; did you mean {close}? The agents are ops, docs. Nothing was "
        f"begun. If these are words for ops, write `ops: {said}: …`."
    )
    assert BOTH.meant(address, Realm(agent=DOCS)) == Realm(agent=DOCS)
    assert BOTH.meant(BOTH.address(f"ops: {text}"), None) == Realm(agent=OPS)


def test_who_names_nobody_means_the_first() -> None:
    assert BOTH.meant(Address(text="go"), None) == Realm(agent=OPS)
    assert Roster().meant(Address(text="go"), None) == UNNAMED


def test_a_conversation_keeps_its_agent() -> None:
    there = Realm(agent=DOCS)
    assert BOTH.meant(Address(text="go"), there) == there
    assert BOTH.meant(Address(text="go", agent=DOCS), there) == there
    with pytest.raises(NotAllowed) as no:
        BOTH.meant(Address(text="go", agent=OPS), there)
    assert str(no.value) == (
        "This conversation is with docs and stays with it, so nothing was done. To ask ops, begin a new "
        "one, for example with `/agent ops: …`."
    )
    assert BOTH.meant(Address(text="go", agent=OPS), UNNAMED) == UNNAMED


def test_a_name_alone_asks_for_nothing() -> None:
    for there in (None, Realm(agent=DOCS)):
        with pytest.raises(Refused) as no:
            BOTH.meant(Address(text="", agent=DOCS), there)
        assert str(no.value) == "Say what docs should do, for example: `docs: list the files`."


def test_where_the_agent_has_no_name_nobody_is_named() -> None:
    text = "ops: tidy up"
    assert Roster().address(text) == Address(text=text)
    assert ONE.address(text) == Address(text="tidy up", agent=OPS)


def test_an_agent_is_told_where_there_are_several_or_where_it_is_gone() -> None:
    assert [BOTH.label(Realm(agent=AgentName(one))) for one in ("docs", "", "gone")] == [
        "docs",
        "ops",
        "gone",
    ]
    assert [ONE.label(Realm(agent=AgentName(one))) for one in ("ops", "", "gone")] == ["", "", "gone"]
    assert [Roster().label(Realm(agent=AgentName(one))) for one in ("", "gone")] == ["", "gone"]
    assert [BOTH.has(Realm(agent=AgentName(one))) for one in ("docs", "", "gone")] == [True, True, False]
    assert [BOTH.are_several, ONE.are_several, Roster().are_several] == [True, False, False]
