"""What is masked and what is not: by name, by shape, by the policy; and that only the drawing is."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from bot.approvals.decision import Approve, Edit, Json, Reject, Respond
from bot.approvals.masking import BY_DEFAULT, Masking, without_repetition
from bot.approvals.secrets import masked_text
from tests.secrets_made import Secret, secrets
from tests.slack.samples import ARGUMENTS, BOB, NOW, TWO, action, approval, decided, voted

SEVEN = "(masked, 7 characters)"


def seen(arguments: dict[str, Json], *redact: str) -> dict[str, Any]:
    masked = Masking(redact=lambda _: redact).approval(approval(action(arguments=arguments)))
    return dict(masked.actions[0].arguments)


@pytest.mark.parametrize("secret", secrets(), ids=lambda one: one.kind.replace("{}", "x"))
def test_a_secret_is_known_by_its_shape(secret: Secret) -> None:
    masked = masked_text(secret.text)
    assert secret.core not in masked
    assert not any(secret.core[at : at + 10] in masked for at in range(len(secret.core) - 9))
    assert "(masked, " in masked


@pytest.mark.parametrize(
    "text",
    [
        "Please delete tmp.log and tell the token holders about max_tokens=500.",
        "password=$(cat /etc/shadow)",
        'password="$(rm -rf /)"',
        "password=`id`",
        "Basic information and bearer authentication are described below.",
        "https://user@host.example/path?page=2&sort=key",
        "SELECT secret FROM passwords WHERE key = 'x'",
        "task-force sk-learn ghost_writer xoxo monkey: banana keyboard: qwertz",
        "digest 0123456789abcdef0123456789abcdef01234567",
        "a1b2c3d4-e5f6-7890-abcd-ef0123456789",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "token: null, password: none, secret=true",
        "",
    ],
)
def test_what_is_no_secret_stays_and_so_does_what_runs(text: str) -> None:
    assert masked_text(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "-",
        "--",
        "://",
        "://a:",
        "eyJ",
        "sk-",
        "key",
        "Bearer ",
        "-----BEGIN PRIVATE KEY-----",
        '"',
        "\\",
        "token ",
    ],
)
@pytest.mark.timeout(10)
def test_no_text_takes_long_to_mask(piece: str) -> None:
    assert masked_text(piece * (200_000 // len(piece)))


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "DB_PASSWORD",
        "apiKey",
        "api-key",
        "API_KEY",
        "clientSecret",
        "access_token",
        "Authorization",
    ],
)
def test_a_name_says_that_a_secret_stands_behind_it(name: str) -> None:
    assert seen({name: "hunter2"}) == {name: SEVEN}
    assert seen({"in": {"side": [{name: "hunter2"}]}}) == {"in": {"side": [{name: SEVEN}]}}


@pytest.mark.parametrize("name", ["pass\u200bword", "ＰＡＳＳＷＯＲＤ"])  # noqa: RUF001 - wide letters
def test_a_name_is_the_same_however_it_is_written(name: str) -> None:
    assert seen({name: "hunter2"}) == {name: SEVEN}


def test_the_mask_says_of_what_type_and_how_long_the_secret_is() -> None:
    assert seen({"pin": 1234, "secrets": ["a", "b"], "credentials": {"a": 1}}) == {
        "pin": "(masked number, 4 characters)",
        "secrets": "(masked list, 10 characters)",
        "credentials": "(masked object, 8 characters)",
    }


def test_there_is_nothing_to_mask_where_nothing_is() -> None:
    nothing: dict[str, Json] = {
        "password": "",
        "token": None,
        "secrets": [],
        "use_password": True,
        "max_tokens": 9,
    }
    assert seen(nothing) == nothing


def test_pairs_of_name_and_value_are_read_as_such() -> None:
    assert seen(
        {"env": [{"name": "DB_PASSWORD", "value": "hunter2"}, {"name": "HOME", "value": "/root"}]}
    ) == {"env": [{"name": "DB_PASSWORD", "value": SEVEN}, {"name": "HOME", "value": "/root"}]}
    assert seen({"headers": [["Authorization", "hunter2"], ["Accept", "text"]]}) == {
        "headers": [["Authorization", SEVEN], ["Accept", "text"]]
    }


def test_the_policy_adds_names_and_places() -> None:
    arguments: dict[str, Json] = {
        "iban": "DE12345",
        "on": True,
        "headers": {"X-Trace": "hunter2"},
        "X-Trace": "shown",
    }
    assert seen(arguments, "IBAN", "on", "headers.x-*") == {
        "iban": SEVEN,
        "on": "(masked, true or false)",
        "headers": {"X-Trace": SEVEN},
        "X-Trace": "shown",
    }


def test_a_secret_is_masked_wherever_it_is_said_again() -> None:
    told = approval(
        action(arguments={"password": "hunter2", "command": "mysql -phunter2"}, description="uses hunter2")
    )
    [masked] = BY_DEFAULT.approval(told).actions
    assert masked.arguments["command"] == f"mysql -p{SEVEN}"
    assert masked.description == f"uses {SEVEN}"
    assert BY_DEFAULT.text("it was hunter2", [told]) == f"it was {SEVEN}"
    assert BY_DEFAULT.text("it was hunter2") == "it was hunter2"


@pytest.mark.parametrize(
    "decision", [Edit({"password": "swordfish"}), Reject("no hunter2"), Respond("hunter2!"), Approve()]
)
def test_what_was_decided_is_masked_too(decision: Any) -> None:  # noqa: ANN401 - any of the four
    asked = approval(action(arguments={"password": "hunter2"}))
    masked = BY_DEFAULT.approval(asked.decide(asked.actions[0].id, decision, by=BOB, at=NOW))
    assert "hunter2" not in str(masked)
    assert "swordfish" not in str(masked)


def test_langchains_repetition_of_the_arguments_goes_before_anything_is_masked() -> None:
    arguments: dict[str, Json] = {"password": "hunter2"}
    told = action(arguments=arguments, description=f"Write.\n\nTool: write_file\nArgs: {arguments}")
    assert without_repetition(told) == "Write."
    assert BY_DEFAULT.approval(approval(told)).actions[0].description == "Write."


def test_two_names_that_look_the_same_masked_stay_two() -> None:
    first, second = (one.core for one in secrets()[:2])
    masked = seen({f"password={first}": 1, f"password={second}": 2})
    assert len(masked) == 2
    assert first not in str(masked)


@settings(deadline=None)
@given(ARGUMENTS)
def test_masking_changes_nothing_but_what_is_drawn(arguments: dict[str, Json]) -> None:
    asked = approval(action(arguments=arguments))
    before = repr(asked)
    masked = BY_DEFAULT.approval(asked)
    assert repr(asked) == before
    assert masked.actions[0].digest == asked.actions[0].digest
    assert len(masked.actions[0].arguments) == len(arguments)


def of(*tools: str) -> Masking:
    """Under which `code` is a secret for these tools alone."""
    return Masking(redact=lambda tool: ("code",) if tool in tools else ())


def test_what_is_secret_is_so_for_the_tool_that_the_policy_names() -> None:
    """By the tool of the call, and for an edit into another tool by that one's."""
    call = action(tool="pay", arguments={"code": "hunter2"})
    call = replace(call, targets={"send": {"properties": {}}}, needs=TWO)
    asked = voted(approval(call), call.id, [Edit({"code": "swordfish"}, "send")], TWO)
    done = decided(approval(call), [Edit({"code": "swordfish"}, "send")])
    same = decided(approval(call), [Edit({"code": "swordfish"})])
    for masking, own, other in (
        (of("pay"), True, False),
        (of("send"), False, True),
        (of("pay", "send"), True, True),
    ):
        for about in (asked, done):
            told = str(masking.approval(about))
            assert ("hunter2" not in told) is own
            assert ("swordfish" not in told) is other
    assert "swordfish" not in str(of("pay").approval(same))
    assert "swordfish" in str(of("send").approval(same))


def test_what_is_secret_in_one_place_is_masked_in_every_other_that_is_told() -> None:
    call = action(tool="pay", arguments={"code": "hunter2"})
    done = decided(approval(call), [Edit({"code": "swordfish", "note": "instead of hunter2"})])
    only = replace(done.actions[0], votes=())
    for about in (done, replace(done, actions=(only,))):
        told = of("pay").approval(about.withdraw("swordfish and hunter2"))
        assert told.note == f"(masked, 9 characters) and {SEVEN}"
        assert "hunter2" not in str(told)
    assert of("pay").secrets(
        [("pay", {"code": "swordfish"}), ("send", {"code": "shown"})], [approval(call)]
    ) == (
        "swordfish",
        "hunter2",
    )
    assert of("pay").text("swordfish", secrets=("swordfish",)) == "(masked, 9 characters)"
    assert of("pay").text("hunter2", [approval(call)], secrets=("swordfish",)) == "hunter2"
    assert of("pay").text("token=abc12345", secrets=("swordfish",)) == "token=(masked, 8 characters)"


def test_where_nobody_was_asked_the_tool_says_what_is_secret_too() -> None:
    assert of("pay").arguments("pay", {"code": "hunter2"}) == {"code": SEVEN}
    assert of("pay").arguments("send", {"code": "hunter2"}) == {"code": "hunter2"}
    assert of("pay").arguments("send", {"x": "is hunter2"}, ("hunter2",)) == {"x": f"is {SEVEN}"}


def test_a_secret_that_holds_another_is_masked_as_one() -> None:
    known = BY_DEFAULT.secrets([("pay", {"password": "hunter2", "token": "xhunter2x", "pin": "abcde"})])
    assert known == ("xhunter2x", "hunter2", "abcde")
    assert BY_DEFAULT.text("xhunter2x", secrets=known) == "(masked, 9 characters)"


def test_of_very_many_secrets_the_longest_are_looked_for_and_none_below_four_characters() -> None:
    many = {f"password_{n}": "x" * n for n in range(1, 300)}
    known = BY_DEFAULT.secrets([("pay", many)])
    assert [len(one) for one in known] == [*range(299, 99, -1)]
    few = BY_DEFAULT.secrets([("pay", {"password": "abc", "token": "abcd"})])
    assert few == ("abcd",)


def test_a_secret_is_known_as_json_writes_it_too() -> None:
    assert set(BY_DEFAULT.secrets([("pay", {"password": 'hun"ter'})])) == {'hun"ter', 'hun\\"ter'}


def test_what_a_form_hides_is_told_with_letters_as_they_are() -> None:
    one = action(arguments={"env": {"ä": 1, "password": "ö" * 7}, "path": "a"})
    assert BY_DEFAULT.hidden(one) == {"env": f'{{"ä": 1, "password": "{SEVEN}"}}'}
    assert of("send").hidden(action(tool="pay", arguments={"code": "hunter2"}), "send") == {"code": SEVEN}


def test_a_name_is_masked_too_and_stays_one_of_its_own() -> None:
    first, second = (f"x {'AKIA'}{'ABCDEFGHIJKLMNO'}{end}" for end in "PQ")
    told = seen({first: 1, second: 2, "in": {first: 1, second: 2}})
    label = "x (masked, 20 characters)"
    assert told == {label: 1, f"{label}'": 2, "in": {label: 1, f"{label}'": 2}}


def test_a_json_value_is_masked_by_names_at_any_depth_but_not_by_the_name_of_nothing() -> None:
    assert BY_DEFAULT.json({"password": "hunter2", "a": ["b"]}) == {"password": SEVEN, "a": ["b"]}
    assert BY_DEFAULT.json("plain") == "plain"


def test_a_decision_that_nobody_knows_is_an_error_and_not_shown_unmasked() -> None:
    odd: Any = "a decision of tomorrow"
    done = decided(approval(action()), [Approve()])
    [call] = done.actions
    assert call.decided
    broken = replace(call, outcome=replace(call.decided, decision=odd))
    with pytest.raises(AssertionError, match=odd):
        BY_DEFAULT.approval(replace(done, actions=(broken,)))
