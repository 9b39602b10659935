"""`View all`: its pages, what stands on each, and how one turns them."""

from dataclasses import replace

import pytest

from bot.approvals.approval import Approval, Shape
from bot.approvals.decision import Approve, Arguments, Respond
from bot.approvals.masking import Masked
from bot.slack import verbs
from bot.slack.message import View, size
from bot.slack.viewing import LARGEST_PAGE, MOST_BLOCKS, PER_BLOCK, shows_the_end, view_all
from tests.slack.reading import readable
from tests.slack.samples import action, approval, decided

LONG: Arguments = {"content": "\n".join(f"{number}. A line of the file." for number in range(9_000))}


def one(arguments: Arguments) -> Approval:
    return approval(action(arguments=arguments))


def shown(asked: Approval, page: int = 0, *, whole: bool = False) -> View:
    return view_all(asked, None if whole else asked.actions[0], page)


def lines(view: View) -> list[str]:
    return readable(view["blocks"]).split("\n")


def body(arguments: Arguments) -> str:
    """What stands below title and buttons."""
    return readable(shown(one(arguments))["blocks"][2:])


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ({"a": "x"}, "a (text, 1 character):\n| x"),
        ({"a": 7}, "a (number):\n| 7"),
        ({"a": True}, "a (true or false):\n| true"),
        ({"a": 0.5}, "a (number):\n| 0.5"),
        ({"a": None}, "a (nothing):\n| null"),
        (
            {"a": Masked.of("(masked, 7 characters)", "hunter2", whole=True)},
            "a (masked):\n| (masked, 7 characters)",
        ),
        ({"a": ["x"]}, 'a (JSON, 5 characters):\n| ["x"]'),
        ({"": "x"}, '"" (text, 1 character):\n| x'),
        ({"a": ""}, 'a (text, 0 characters):\n| ""'),
        ({"a": " "}, 'a (text, 1 character):\n| " "'),
        ({}, "No arguments."),
        (
            {"n" * 1_001: "x"},
            f"The whole name of the next one:\n| {'n' * 1_001}\n{'n' * 994}… (text, 1 character):\n| x",
        ),
        ({"n" * 1_000: "x"}, f"{'n' * 1_000} (text, 1 character):\n| x"),
    ],
)
def test_every_argument_stands_whole_below_its_name_and_how_long_it_is(
    arguments: Arguments, read: str
) -> None:
    assert body(arguments) == read


def test_our_own_words_stand_in_italics_and_names_are_bold() -> None:
    blocks = shown(one({"n" * 1_001: "x"}))["blocks"]
    [[ours], [name, *_]] = [blocks[at]["elements"][0]["elements"] for at in (2, 4)]
    assert (ours["style"], name["style"]) == ({"italic": True}, {"bold": True})


def test_the_first_page_begins_with_the_call_and_the_others_repeat_it_with_its_buttons() -> None:
    asked = one(LONG)
    first, second, last = (shown(asked, page) for page in (0, 1, 99))
    for view in (first, second, last):
        assert lines(view)[:2] == ["`write_file`  digest 01234567", "[Approve] [Edit] [Respond] [Reject]"]
        assert readable(view["blocks"]).count("digest 01234567") == 1
    assert shown(asked) == view_all(asked, asked.actions[0])
    assert lines(first)[-2:] == ["(Page 1 of 3)", "[Next]"]
    assert lines(second)[-2:] == ["(Page 2 of 3)", "[Previous] [Next]"]
    assert lines(last)[-2:] == ["(Page 3 of 3)", "[Previous]"]


def test_only_the_last_page_shows_the_end_to_which_nobody_comes_but_by_the_others() -> None:
    assert [shows_the_end(shown(one(LONG), page)) for page in range(3)] == [False, False, True]
    assert shows_the_end(shown(one({})))


@pytest.mark.parametrize(
    ("asked", "once", "verb"),
    [
        (one(LONG), one({}), {verbs.APPROVE: verbs.APPROVE_UNREAD}),
        (
            replace(one(LONG), shape=Shape.IN_DOUBT),
            replace(one({}), shape=Shape.IN_DOUBT),
            {verbs.RUN_AGAIN: verbs.RUN_AGAIN_UNREAD},
        ),
    ],
)
def test_where_there_are_several_pages_what_lets_it_run_asks_once_more(
    asked: Approval, once: Approval, verb: dict[str, str]
) -> None:
    def taken(view: View) -> set[str]:
        elements = (each for block in view["blocks"] for each in block.get("elements", ()))
        return {each["action_id"] for each in elements if "action_id" in each}

    [(plain, careful)] = verb.items()
    assert plain in taken(shown(once))
    for page in range(3):
        assert careful in taken(shown(asked, page))
        assert plain not in taken(shown(asked, page))


def test_two_pages_are_several() -> None:
    halves: Arguments = {f"a{number}": "x" * 2_800 for number in range(40)}
    view = shown(one(halves))
    assert lines(view)[-2:] == ["(Page 1 of 2)", "[Next]"]
    assert "approve_unread" in str(view)


def test_a_page_is_full_at_90_000_characters_or_70_blocks() -> None:
    def weighs(view: View) -> int:
        return sum(size([block]) + PER_BLOCK for block in view["blocks"][:-2])

    many = shown(one({f"a{number}": "x" for number in range(100)}))
    assert len(many["blocks"]) == MOST_BLOCKS + 2
    assert weighs(many) < LARGEST_PAGE
    large = shown(one({f"a{number}": "x" * 2_800 for number in range(100)}))
    assert len(large["blocks"]) < MOST_BLOCKS
    assert LARGEST_PAGE - 3_100 < weighs(large) <= LARGEST_PAGE + 200


def test_every_block_has_its_place_as_its_id_so_that_no_two_are_the_same() -> None:
    view = shown(one(LONG), 1)
    assert [block["block_id"] for block in view["blocks"]] == [
        f"0.1.{number}" for number in range(len(view["blocks"]))
    ]


def test_of_a_whole_request_it_begins_with_what_decides_all_of_it() -> None:
    together = replace(action().briefing, all_at_once=True)
    asked = approval(*(replace(action(number), briefing=together) for number in range(3)))
    view = shown(asked, whole=True)
    assert lines(view)[:2] == ["[Approve all] [Reject all]", "1 of 3  `write_file`  digest 01234567"]
    assert readable(view["blocks"]).count("---") == 2
    assert lines(shown(approval(action(0), action(1)), whole=True))[0].startswith("1 of 2  ")


def test_of_a_call_in_doubt_the_outcome_is_told_in_its_own_words() -> None:
    doubtful = replace(one({}), shape=Shape.IN_DOUBT)
    assert "☑️ It ran, says @U0BOB" in readable(shown(decided(doubtful, [Respond("7")]))["blocks"])
    assert "🔁 Run again, says @U0BOB" in readable(shown(decided(doubtful, [Approve()]))["blocks"])
    assert "✅ Approved by @U0BOB" in readable(shown(decided(one({}), [Approve()]))["blocks"])
