"""Where secrets are looked for and what is told in their place, place by place."""

from dataclasses import replace
from typing import Any

import pytest

from bot.approvals.action import Seat
from bot.approvals.decision import Approve, Decision, Edit, Json, Reject, Respond
from bot.approvals.ids import UserId
from bot.approvals.masking import BY_DEFAULT, Masked, Masking, is_masked
from bot.approvals.masks import mask
from bot.approvals.referents import Referents
from bot.approvals.secret_names import SecretNames, named
from bot.approvals.secrets import masked_text
from tests.slack.samples import BOB, NOW, TWO, action, approval, decided, voted

SECRET = "correct-horse"
MASK = "(masked, 13 characters)"
NAMES = Masking(redact=lambda tool: ("code",) if tool == "unlock" else ())
HOLDS = {"password": SECRET}


def seen(masking: Masking, decision: Decision) -> Any:  # noqa: ANN401 - any of the four
    asked = decided(approval(action(arguments=HOLDS)), [decision])
    (one,) = masking.approval(asked).actions
    assert one.decided
    assert one.votes[0].decision == one.decided.decision
    return one.decided.decision


def test_what_people_decide_is_masked_and_stays_what_it_is() -> None:
    assert seen(BY_DEFAULT, Approve()) == Approve()
    assert seen(BY_DEFAULT, Reject(f"Not {SECRET}.")) == Reject(f"Not {MASK}.")
    assert seen(BY_DEFAULT, Respond(f"It is {SECRET}.")) == Respond(f"It is {MASK}.")
    edit = Edit({"password": SECRET, "more": f"so {SECRET}"})
    assert seen(BY_DEFAULT, edit) == Edit({"password": MASK, "more": f"so {MASK}"})


def test_an_edit_into_another_tool_is_masked_by_the_names_of_that_tool() -> None:
    for tool, told in (("unlock", "(masked, 6 characters)"), ("open", "123456")):
        asked = approval(action(arguments={}))
        asked = replace(asked, actions=(replace(asked.actions[0], targets={tool: {}}),))
        (one,) = NAMES.approval(decided(asked, [Edit({"code": "123456"}, tool)])).actions
        assert one.decided
        assert one.decided.decision == Edit({"code": told}, tool)
        assert one.decided.decision == one.votes[0].decision


def test_what_an_edit_made_secret_is_masked_in_every_other_text() -> None:
    asked = approval(action(arguments={}, description=f"With {SECRET}."))
    held = voted(asked, asked.actions[0].id, [Edit(HOLDS)], TWO)
    masked = BY_DEFAULT.approval(held.withdraw(f"{SECRET} is out."))
    assert masked.note == f"{MASK} is out."
    assert masked.actions[0].description == f"With {MASK}."
    assert BY_DEFAULT.text(f"It is {SECRET}.", [held]) == f"It is {MASK}."
    assert BY_DEFAULT.text(f"It is {SECRET}.") == f"It is {SECRET}."


def test_what_a_call_points_at_is_masked_at_the_call_and_at_each_vote() -> None:
    found = Referents(texts={SECRET: f"at {SECRET}"}, problem="")
    seat = Seat(needs=TWO, fits=frozenset({0}))
    asked = replace(action(arguments=HOLDS), referents=found)
    voting = approval(asked).decide(asked.id, Edit(HOLDS), by=BOB, at=NOW, seat=seat, referents=found)
    (one,) = BY_DEFAULT.approval(voting).actions
    assert one.referents == Referents(texts={MASK: f"at {MASK}"})
    assert one.votes[0].referents == Referents(texts={MASK: f"at {MASK}"})
    lost = replace(approval(replace(asked, referents=Referents(problem=f"No {SECRET}."))))
    assert BY_DEFAULT.approval(lost).actions[0].referents == Referents(problem=f"No {MASK}.")


def test_json_is_masked_by_name_by_shape_and_by_what_an_approval_holds() -> None:
    value: Json = {"password": "x", "said": [SECRET, 7, None], "nested": {"api_key": "y"}}
    assert BY_DEFAULT.json(value, [approval(action(arguments=HOLDS))]) == {
        "password": "(masked, 1 character)",
        "said": [MASK, 7, None],
        "nested": {"api_key": "(masked, 1 character)"},
    }
    assert BY_DEFAULT.json(SECRET) == SECRET


def test_a_pair_is_the_approval_and_the_action_both_masked() -> None:
    asked = approval(action(0, arguments=HOLDS), action(1, arguments={"token": "abcdefgh"}))
    masked, second = BY_DEFAULT.pair(asked, asked.actions[1])
    assert masked == BY_DEFAULT.approval(asked)
    assert second == masked.actions[1]
    assert BY_DEFAULT.pair(asked, None) == (masked, None)


def test_hidden_are_the_arguments_that_the_tool_or_those_before_it_call_secret() -> None:
    one = action(tool="open", arguments={"code": "123456", "password": SECRET, "path": "a"})
    assert NAMES.hidden(one) == {"password": MASK}
    assert NAMES.hidden(one, "unlock") == {"code": "(masked, 6 characters)", "password": MASK}
    assert NAMES.hidden(replace(one, tool="unlock"))["code"] == "(masked, 6 characters)"
    listed = action(arguments={"all": [{"password": SECRET}], "none": [1]})
    assert BY_DEFAULT.hidden(listed) == {"all": f'[{{"password": "{MASK}"}}]'}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"token": 1234567}, ["1234567"]),
        ({"password": ["aaaa", {"b": "bbbb", "c": [True, None, 1.5]}]}, ["aaaa", "bbbb", "1.5"]),
        ({"deep": {"password": "aaaa"}, "list": [{"pin": "bbbb"}]}, ["aaaa", "bbbb"]),
        ({"header": ["Authorization", "aaaa"]}, ["aaaa"]),
        ({"headers": [["Cookie", "aaaa"], ["Accept", "text"]]}, ["aaaa"]),
        ({"all": [{"name": "password", "value": "aaaa"}]}, ["aaaa"]),
        ({"all": [{"key": "password", "value": "aaaa"}]}, ["aaaa"]),
        ({"all": [{"header": "Authorization", "value": "aaaa"}]}, ["aaaa"]),
        ({"all": [{"name": "path", "value": "aaaa"}]}, []),
        ({"password": ""}, []),
        ({"max_tokens": 500, "is_secret": True}, []),
    ],
)
def test_the_texts_behind_a_secrets_name_are_found(value: dict[str, Json], expected: list[str]) -> None:
    assert list(SecretNames(()).secrets(value)) == expected
    shown = str(dict(BY_DEFAULT.approval(approval(action(arguments=value))).actions[0].arguments))
    assert all(secret not in shown for secret in expected)


def test_the_value_of_a_pair_is_called_what_the_pair_says() -> None:
    assert list(named({"name": "PIN", "value": 1, "other": 2})) == [
        ("name", "name"),
        ("value", "PIN"),
        ("other", "other"),
    ]
    assert list(named({"value": 1, "name": ""})) == [("value", "value"), ("name", "name")]


def test_a_mask_counts_in_words() -> None:
    assert mask(0) == "(masked, 0 characters)"
    assert mask(1) == "(masked, 1 character)"
    assert mask(2, "list") == "(masked list, 2 characters)"
    assert mask(1_234) == "(masked, 1,234 characters)"


@pytest.mark.parametrize("text", ["password=(masked, 7 characters)", "Bearer token", "api_key: REQUIRED"])
def test_what_is_masked_already_or_says_that_nothing_is_there_stays(text: str) -> None:
    assert masked_text(text) == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [(["a", [{"b": 1}]], False), ({"password": "a"}, True), ([{"a": [{"token": "b"}]}], True), (7, False)],
)
def test_something_masked_is_found_however_deep(value: Json, expected: bool) -> None:  # noqa: FBT001 - a table
    assert is_masked(BY_DEFAULT.json(value)) is expected


def test_a_pair_of_name_and_secret_keeps_its_name() -> None:
    assert BY_DEFAULT.json({"headers": [["Authorization", "Bearer x"], ["Accept", "a"]]}) == {
        "headers": [["Authorization", "(masked, 8 characters)"], ["Accept", "a"]]
    }


def test_people_are_no_secret() -> None:
    asked = approval(action(arguments={"who": "U0BOB"}))
    assert BY_DEFAULT.approval(decided(asked, [Approve()])).actions[0].votes[0].by == UserId("U0BOB")


def test_a_short_secret_is_a_word_of_its_own_and_a_longer_one_is_found_in_words() -> None:
    def said(secret: str, text: str) -> str:
        return BY_DEFAULT.text(text, [approval(action(arguments={"password": secret}))])

    assert said("red", "red") == "red"
    assert said("blue", "blue, bluebird, a_blue") == "(masked, 4 characters), bluebird, a_blue"
    assert said("green", "green greenish") == "(masked, 5 characters) greenish"
    assert said("yellow", "yellowish") == "(masked, 6 characters)ish"
    assert said('say "x"', 'say "x" as say \\"x\\"') == "(masked, 7 characters) as (masked, 9 characters)"


def test_what_is_masked_tells_whether_anything_of_it_is_seen_and_apart_from_what_looks_alike() -> None:
    whole, other = (BY_DEFAULT.json({"password": one}) for one in ("aaaa", "bbbb"))
    part = BY_DEFAULT.json("token=abc12345")
    assert isinstance(whole, dict)
    assert isinstance(other, dict)
    assert isinstance(part, Masked)
    assert isinstance(whole["password"], Masked)
    assert isinstance(other["password"], Masked)
    assert (whole["password"].whole, part.whole) == (True, False)
    assert whole["password"] == other["password"]
    assert repr(whole["password"]) != repr(other["password"])
    assert repr(BY_DEFAULT.json("token=abc12345")) != repr(BY_DEFAULT.json("token=abc12346"))


def test_the_names_of_the_policy_count_for_the_tool_that_they_are_given_for() -> None:
    opened, unlocked = (action(n, tool, {"code": "123456"}) for n, tool in enumerate(("open", "unlock")))
    asked = decided(approval(opened, unlocked), [Edit({"code": "654321"}), Edit({"code": "654321"})])
    first, second = NAMES.approval(asked).actions
    assert (first.arguments, second.arguments) == ({"code": MASKED_CODE}, {"code": MASKED_CODE})
    assert first.decided
    assert second.decided
    assert second.decided.decision == second.votes[0].decision == Edit({"code": MASKED_CODE})
    alone = NAMES.approval(approval(opened)).actions[0]
    assert alone.arguments == {"code": "123456"}


MASKED_CODE = "(masked, 6 characters)"
