"""Everything that a policy file can say, as one policy; what is told of it; how its names are understood."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.approvals.asking import Asking
from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.person import Group, Person, Standing
from bot.approvals.places import InChannel, Room, ToApprovers
from bot.approvals.policy import (
    ChannelMembers,
    Members,
    MembersOf,
    One,
    Policy,
    Quorum,
    Requester,
    Rule,
    Terms,
    UserGroup,
    Who,
)
from bot.approvals.times import NEVER
from bot.approvals.who import written
from bot.policy_file import BadPolicy, PolicyFile, parse_policy, read_policy
from bot.policy_names import Known, is_channel, is_group, is_person, meaning

ANN, BOB = (
    Person(id=UserId(f"U0{name.upper()}"), standing=Standing.MEMBER, name=name) for name in ("ann", "bob")
)
DBA = Group(id=GroupId("S0DBAONCALL"), handle="dba", members=frozenset({"U0ANN", "U0BOB"}))
OPS = Room(id=ChannelId("C0OPS"), name="ops")
KNOWN = Known(people=[BOB, ANN], groups=[DBA], rooms=[Room(id=ChannelId("C0A"), name="a"), OPS])

TEXT = """
requesters = ["members", "#ops"]
operators = ["@ann", "@@dba"]
open_cards = 3

[defaults]
approvers = ["channel", "@ann"]
quorum = 2
self_approval = true
channel = "#ops"
shared_channels = true
danger = true
all_at_once = true
fresh = true
reasons = ["Too late", "Not now"]
expires_after = "8h"
remind_after = ["1h", "2h"]
escalate_after = "4h"
escalate_to = ["@bob"]
ask = "once"
redact = ["iban", "*_pin"]
edit_to = ["archive"]

[[rules]]
tools = ["drop_*", "wipe"]
require = [{ approvers = ["@@dba"] }, { approvers = ["@bob"] }]
self_approval = false
channel = "dm:approvers"
shared_channels = false
danger = false
all_at_once = false
fresh = false
reasons = []
expires_after = "never"
remind_after = []
escalate_after = "never"
escalate_to = []
ask = "never"
redact = []
edit_to = []

[[rules]]
tools = ["look"]
"""


NO_REQUESTER = (
    "requesters are `members`, people by @name or user id (U…), user groups by @@handle, or the members of "
    "a #channel."
)
NO_NAME = (
    "is none of channel, requester, members, @name or a user id (U…), @@handle or a user group's id (S…), "
    "#channel or its id (C…)."
)


def a_file(text: str = TEXT) -> PolicyFile:
    return parse_policy(text, name="approvals.toml")


def test_every_key_of_the_file_is_in_the_policy() -> None:
    assert a_file(
        TEXT.replace('["requester", "#ops"]', '["@bob"]').replace("quorum = 2 }", "quorum = 1 }")
    ).resolve(KNOWN) == Policy(
        requesters=(Members(), MembersOf(OPS.id)),
        operators=(One(ANN.id), UserGroup(DBA.id)),
        open_cards=3,
        defaults=Terms(
            approvers=(ChannelMembers(), One(ANN.id)),
            quorum=2,
            self_approval=True,
            channel=InChannel(OPS.id),
            shared_channels=True,
            danger=True,
            all_at_once=True,
            fresh=True,
            reasons=("Too late", "Not now"),
            expires_after=timedelta(hours=8),
            remind_after=(timedelta(hours=1), timedelta(hours=2)),
            escalate_after=timedelta(hours=4),
            escalate_to=(BOB.id,),
            ask=Asking.ONCE,
            redact=("iban", "*_pin"),
            edit_to=("archive",),
        ),
        rules=(
            Rule(
                tools=("drop_*", "wipe"),
                require=(Quorum(approvers=(UserGroup(DBA.id),)), Quorum(approvers=(One(BOB.id),))),
                self_approval=False,
                channel=ToApprovers(),
                shared_channels=False,
                danger=False,
                all_at_once=False,
                fresh=False,
                reasons=(),
                expires_after=NEVER,
                remind_after=(),
                escalate_after=NEVER,
                escalate_to=(),
                ask=Asking.NEVER,
                redact=(),
                edit_to=(),
            ),
            Rule(tools=("look",)),
        ),
    )


def test_what_the_file_names_is_looked_up_and_no_more() -> None:
    assert a_file().names() == {"@ann", "@bob", "@@dba"}
    assert a_file().channels() == {"#ops"}
    assert a_file().patterns() == ["drop_*", "wipe", "look"]


@pytest.mark.parametrize(
    ("tool", "approvers", "redacted"),
    [
        ("drop_table", ["@@dba", "@bob"], ()),
        ("wipe", ["@@dba", "@bob"], ()),
        ("look", ["channel", "@ann"], ("iban", "*_pin")),
        ("other", ["channel", "@ann"], ("iban", "*_pin")),
    ],
)
def test_who_decides_about_a_tool_and_what_is_masked_is_told_as_the_file_says_it(
    tool: str, approvers: list[str], redacted: tuple[str, ...]
) -> None:
    assert (a_file().approvers(tool), a_file().redact(tool)) == (approvers, redacted)


@pytest.mark.parametrize(
    ("said", "language"), [("", "en"), ('language = "zh-CN"\n', "zh-CN"), ('language = "en"\n', "en")]
)
def test_the_language_of_what_several_people_see_is_the_files(said: str, language: str) -> None:
    assert a_file(f'{said}[defaults]\napprovers = ["channel"]\n').content.language == language


@pytest.mark.parametrize("said", ['"xx"', "1", '"EN"'])
def test_a_language_that_the_bot_does_not_speak_is_refused(said: str) -> None:
    with pytest.raises(BadPolicy, match=r"^approvals\.toml, line 1: `language` is none of .*en.*\.$"):
        a_file(f'language = {said}\n[defaults]\napprovers = ["channel"]\n')


def test_a_file_without_a_word_of_masking_masks_nothing_of_its_own() -> None:
    assert a_file('[defaults]\napprovers = ["channel"]\n').redact("x") == ()


@pytest.mark.parametrize(
    ("defaults", "rule", "keys"),
    [
        ('approvers = ["@ann"]\nquorum = 1', 'require = [{ approvers = ["@bob"] }]', {"require"}),
        ('require = [{ approvers = ["@ann"] }]', 'approvers = ["@bob"]', {"approvers"}),
        ('require = [{ approvers = ["@ann"] }]', "danger = true", {"require", "danger"}),
        ('approvers = ["@ann"]\nquorum = 1', 'approvers = ["@bob"]', {"approvers", "quorum"}),
        ('approvers = ["@ann"]', 'approvers = ["@bob"]\nask = "once"', {"approvers", "ask"}),
    ],
)
def test_a_rule_says_who_decides_in_place_of_what_the_defaults_say(
    defaults: str, rule: str, keys: set[str]
) -> None:
    file = a_file(f'[defaults]\n{defaults}\n[[rules]]\ntools = ["x"]\n{rule}\n')
    assert file.sections("x").keys() == keys
    assert file.approvers("x") == (["@bob"] if "@bob" in rule else ["@ann"])
    assert file.approvers("other") == ["@ann"]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (
            'operators = ["@gone"]\n[defaults]\napprovers = ["channel"]',
            [(1, "@gone is not a full member of this workspace.")],
        ),
        (
            'operators = ["@ann", "channel"]\n[defaults]\napprovers = ["channel"]',
            [(1, "operators are people by @name or user id (U…), or user groups by @@handle.")],
        ),
        (
            'requesters = ["requester"]\n[defaults]\napprovers = ["channel"]',
            [
                (1, NO_REQUESTER),
            ],
        ),
        (
            '[defaults]\napprovers = ["bob"]',
            [
                (2, f"'bob' {NO_NAME}"),
            ],
        ),
        (
            '[defaults]\napprovers = ["#gone", "@@gone"]\nescalate_to = ["@@dba"]\nescalate_after = "1h"',
            [
                (2, "#gone is no channel that the bot can see; invite the bot there if it is private."),
                (2, "@@gone is no user group of this workspace."),
                (3, "escalate_to names people, by @name or user id (U…)."),
            ],
        ),
        (
            '[defaults]\napprovers = ["requester"]',
            [(2, "`approvers`: only the requester may decide, but self_approval is false, so nobody could.")],
        ),
        ('[defaults]\napprovers = ["requester"]\nself_approval = true', []),
        ('[defaults]\napprovers = ["requester", "@ann"]\nself_approval = true\nquorum = 2', []),
        (
            '[defaults]\napprovers = ["requester"]\nself_approval = true\nquorum = 2',
            [(4, "`quorum`: 2 approvers are wanted, but there is only 1.")],
        ),
        (
            '[defaults]\napprovers = ["channel"]\nescalate_after = "24h"\nescalate_to = ["@ann"]',
            [(3, "`escalate_after` is not before `expires_after`, so it would never happen.")],
        ),
        (
            '[defaults]\napprovers = ["channel"]\n[[rules]]\ntools = ["a*"]\n[[rules]]\ntools = ["ab"]',
            [(5, "the rule for ab is never reached: rules before it take all of its tools.")],
        ),
    ],
)
def test_a_mistake_is_told_in_a_whole_sentence(text: str, problems: list[tuple[int, str]]) -> None:
    wanted = [f"approvals.toml, line {line}: {sentence}" for line, sentence in problems]
    try:
        a_file(text).resolve(KNOWN)
        found: BadPolicy | None = None
    except BadPolicy as error:
        found = error
    assert (found.problems if found else []) == wanted
    assert str(found or "") == "\n".join(wanted)


def test_rules_that_are_never_reached_are_found_by_the_agents_tools_as_well() -> None:
    text = '[defaults]\napprovers = ["channel"]\n[[rules]]\ntools = ["a?"]\n[[rules]]\ntools = ["a*"]\n'
    assert a_file(text).never_reached(None) == []
    assert a_file(text).never_reached(["ab", "abc"]) == []
    assert a_file(text).never_reached(["ab"]) == [
        "approvals.toml, line 5: the rule for a* is never reached: rules before it take all of its tools."
    ]


# The file itself.


def test_a_policy_is_read_from_its_file_by_its_name_and_in_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_bytes('[defaults]\napprovers = ["channel"]\nreasons = ["Später"]\n'.encode())
    file = read_policy(path)
    assert (file.name, file.content.defaults.reasons) == ("rules.toml", ["Später"])
    path.write_bytes(b"[defaults]\nx = 1\n")
    with pytest.raises(BadPolicy, match=r"^rules\.toml, line 2: "):
        read_policy(path)


def test_a_file_that_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    gone, other = tmp_path / "gone.toml", tmp_path / "latin.toml"
    other.write_bytes('reasons = ["Später"]'.encode("latin-1"))
    for path, why in ((gone, "No such file or directory"), (other, "it is not UTF-8 text")):
        with pytest.raises(BadPolicy) as refused:
            read_policy(path)
        assert refused.value.problems == [f"The policy {path} cannot be read: {why}."]


def test_what_is_no_toml_is_said_with_its_name_and_place() -> None:
    with pytest.raises(BadPolicy, match=r"^approvals\.toml is not TOML: .*line 2, column 1\)\.$"):
        a_file("[defaults]\n=\n")


# Names.


@pytest.mark.parametrize(
    ("name", "kinds", "means"),
    [
        ("channel", "", ChannelMembers()),
        ("requester", "", Requester()),
        ("members", "", Members()),
        ("@ann", "person", One(ANN.id)),
        ("U0ANN", "person", One(ANN.id)),
        ("W0GRID", "person", "W0GRID is not a full member of this workspace."),
        ("@@dba", "group", UserGroup(DBA.id, "dba")),
        ("S0DBAONCALL", "group", UserGroup(DBA.id, "dba")),
        ("#ops", "channel", MembersOf(OPS.id, "#ops")),
        ("C0OPS", "channel", MembersOf(OPS.id, "#ops")),
        (
            "G0PRIVATE",
            "channel",
            "G0PRIVATE is no channel that the bot can see; invite the bot there if it is private.",
        ),
        ("ops", "", None),
        ("Ann", "", None),
        ("D0DIRECT", "", None),
        ("", "", None),
    ],
)
def test_a_name_is_a_person_a_group_or_a_channel_by_how_it_is_written(
    name: str, kinds: str, means: Who | str | None
) -> None:
    kind = {"person": is_person(name), "group": is_group(name), "channel": is_channel(name)}
    assert [word for word, holds in kind.items() if holds] == ([kinds] if kinds else [])
    found = meaning(name, KNOWN)
    if means is None:
        assert found == f"{name!r} {NO_NAME}"
    else:
        assert found == means
        assert isinstance(found, str) or isinstance(means, str) or written(found) == written(means)
