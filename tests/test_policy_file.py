from datetime import timedelta

import pytest

from bot.approvals.asking import Asking
from bot.approvals.decision import DecisionKind
from bot.approvals.ids import GroupId, UserId
from bot.approvals.person import Group, Person, Standing
from bot.approvals.policy import ChannelMembers, One, Quorum, Requester, Terms, UserGroup
from bot.approvals.times import NEVER
from bot.approvals.who import ALONE
from bot.policy_checks import never_reached
from bot.policy_file import BadPolicy, parse_policy
from bot.policy_names import Known

BOB = Person(id=UserId("U0BOB"), standing=Standing.MEMBER, name="bob")
GUS = Person(id=UserId("U0GUS"), standing=Standing.GUEST, name="gus")
TWINS = [Person(id=UserId(id), standing=Standing.MEMBER, name="sam") for id in ("U0SAM1", "U0SAM2")]


ANN = Person(id=UserId("U0ANN"), standing=Standing.MEMBER, name="ann")
DBA = Group(id=GroupId("S0DBAONCALL"), handle="dba-oncall", members=frozenset({"U0BOB", "U0ANN", "U0GUS"}))
GUESTS = Group(id=GroupId("S0GUESTS"), handle="guests", members=frozenset({"U0GUS"}))
KNOWN = Known(people=[BOB, ANN, GUS, *TWINS], groups=[DBA, GUESTS])

START = '[defaults]\napprovers = ["channel"]\n'
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1s", timedelta(seconds=1)),
        ("90s", timedelta(seconds=90)),
        ("15m", timedelta(minutes=15)),
        ("24h", timedelta(hours=24)),
        ("7d", timedelta(days=7)),
        ("365d", timedelta(days=365)),
        ("never", NEVER),
    ],
)
def test_a_duration_is_a_count_with_its_unit(written: str, meant: timedelta) -> None:
    policy = parse_policy(f'{START}expires_after = "{written}"', name="approvals.toml").resolve()
    assert policy.defaults.expires_after == meant


def test_what_the_file_does_not_say_about_times_is_a_day_and_neither_reminders_nor_escalation() -> None:
    terms = parse_policy(START, name="approvals.toml").resolve().defaults
    assert (terms.expires_after, terms.remind_after) == (24 * HOUR, ())
    assert (terms.escalate_after, terms.escalate_to) == (NEVER, ())


def test_times_come_from_the_first_rule_that_matches_key_by_key() -> None:
    text = f"""{START}
        remind_after = ["1h", "8h"]
        escalate_after = "12h"
        escalate_to = ["@bob"]

        [[rules]]
        tools = ["deploy"]
        expires_after = "30m"
        escalate_after = "never"

        [[rules]]
        tools = ["de*"]
        expires_after = "never"
        remind_after = []
    """
    policy = parse_policy(text, name="approvals.toml").resolve(Known(people=[BOB]))
    deploy, delete = policy.terms("deploy"), policy.terms("delete_file")
    assert (deploy.expires_after, deploy.remind_after) == (HOUR / 2, (HOUR, 8 * HOUR))
    assert (deploy.escalate_after, deploy.escalate_to) == (NEVER, (BOB.id,))
    assert (delete.expires_after, delete.remind_after) == (NEVER, ())
    assert (delete.escalate_after, delete.escalate_to) == (12 * HOUR, (BOB.id,))


def test_an_escalation_to_nobody_may_be_written_down() -> None:
    text = f'{START}escalate_after = "12h"\nescalate_to = []'
    assert parse_policy(text, name="approvals.toml").resolve().defaults.escalate_to == ()


def test_whom_an_escalation_names_is_looked_up() -> None:
    file = parse_policy(f'{START}escalate_after = "1h"\nescalate_to = ["@bob"]', name="approvals.toml")
    assert file.names() == {"@bob"}


def test_the_file_becomes_a_policy() -> None:
    text = """
        requesters = ["members"]

        [defaults]
        approvers = ["channel", "requester"]
        self_approval = false
        quorum = 1
        channel = "thread"
        expires_after = "never"
        ask = "always"

        [[rules]]
        tools = ["delete_*"]
        approvers = ["@bob", "U0BOB"]
    """
    policy = parse_policy(text, name="approvals.toml").resolve(Known(people=[BOB, GUS]))
    assert policy.defaults == Terms(approvers=(ChannelMembers(), Requester()), expires_after=NEVER)
    assert policy.terms("delete_file").approvers == (One(BOB.id), One(BOB.id))


def test_how_people_are_asked_and_what_an_edit_may_lead_to_are_taken_key_by_key() -> None:
    text = """
        [defaults]
        approvers = ["channel"]
        ask = "once"
        edit_to = ["archive_file"]

        [[rules]]
        tools = ["list_*"]
        ask = "never"

        [[rules]]
        tools = ["delete_*"]
        ask = "once-per-tool"
        edit_to = []
    """
    policy = parse_policy(text, name="approvals.toml").resolve(Known())
    asked = {tool: policy.terms(tool) for tool in ("send", "list_files", "delete_file")}
    assert [terms.ask for terms in asked.values()] == [Asking.ONCE, Asking.NEVER, Asking.ONCE_PER_TOOL]
    assert [terms.edit_to for terms in asked.values()] == [("archive_file",), ("archive_file",), ()]


@pytest.mark.parametrize("ask", ['"sometimes"', "true", '["once"]'])
def test_a_way_of_asking_that_there_is_not_is_refused_by_line(ask: str) -> None:
    text = f'[defaults]\napprovers = ["channel"]\n\n[[rules]]\ntools = ["x"]\nask = {ask}\n'
    with pytest.raises(
        BadPolicy, match=r"approvals.toml, line 6: .*none of always, never, once, once-per-tool"
    ):
        parse_policy(text, name="approvals.toml")


def test_an_edit_that_would_lead_to_no_tool_is_refused_by_name_and_line() -> None:
    text = '[defaults]\napprovers = ["channel"]\nedit_to = ["a", "b"]\n'
    text += '[[rules]]\ntools = ["x"]\nedit_to = ["c"]\n'
    file = parse_policy(text, name="approvals.toml")
    assert file.unknown_targets(["a", "b", "c"]) == []
    first, second = file.unknown_targets(["a"])
    assert first.startswith("approvals.toml, line 3: `edit_to` names 'b', which is no tool of the agent")
    assert second.startswith("approvals.toml, line 6: `edit_to` names 'c'")


@pytest.mark.parametrize(
    ("rules", "line"),
    [
        ('tools = ["pay"]\nask = "never"', 6),
        ('tools = ["p*", "x"]\nquorum = 1\nask = "never"', 7),
        ('tools = ["x"]\nask = "never"\n[[rules]]\ntools = ["*"]\nask = "never"', 9),
        ('tools = ["pay"]\n[[rules]]\ntools = ["*"]\nask = "never"', None),
        ('tools = ["x"]\nask = "never"', None),
        ('tools = ["pay"]\nask = "once"', None),
    ],
)
def test_a_rule_that_never_asks_about_what_only_people_can_decide_is_refused_by_name_and_line(
    rules: str, line: int | None
) -> None:
    text = f'[defaults]\napprovers = ["channel"]\nask = "never"\n[[rules]]\n{rules}\n'
    gates = {"pay": (DecisionKind.REJECT, DecisionKind.RESPOND), "x": tuple(DecisionKind)}
    told = parse_policy(text, name="approvals.toml").asked_after_all(gates)
    begins = f"""approvals.toml, line {line}: `ask` is "never", but the gate of 'pay' """
    sentence = f"{begins}does not allow approve, so people would be asked all the same."
    assert told == ([sentence] if line else [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "`defaults` is required: nobody approves by default"),
        ("[defaults]", "`defaults.approvers` is required: nobody approves by default"),
        ("[defaults]\n\napprovers = []", "line 3: `defaults.approvers` must not be empty"),
        ('[defaults]\napprovers = [""]', "line 2: `defaults.approvers`"),
        ('x = 1\n[defaults]\napprovers = ["channel"]', "line 1: `x` is not a key of the policy file"),
        (
            'rules = [{ tools = ["a"] }]\n[defaults]\napprovers = ["channel"]\nself_aproval = true',
            "line 4: `defaults.self_aproval` is not a key",
        ),
        (
            '[defaults]\napprovers = ["channel"]\n[[rules]]\n[[rules]]\ntools = ["b"]\naprovers = []',
            "line 6: `rules.aprovers` is not a key",
        ),
        (f"{START}expires_after = 90", "line 3: `defaults.expires_after` is not a duration such as 90s"),
        (f'{START}expires_after = "1h30m"', "line 3: `defaults.expires_after` is not a duration"),
        (f'{START}expires_after = "1.5h"', "line 3: `defaults.expires_after` is not a duration"),
        (f'{START}expires_after = "24 h"', "line 3: `defaults.expires_after` is not a duration"),
        (f'{START}expires_after = "24H"', "line 3: `defaults.expires_after` is not a duration"),
        (f'{START}expires_after = "-1h"', "line 3: `defaults.expires_after` is not a duration"),
        (f'{START}expires_after = "٣h"', "line 3: `defaults.expires_after` is not a duration"),
        (
            f'{START}expires_after = "0s"',
            "line 3: `defaults.expires_after` is not a duration from 1s to 365d",
        ),
        (f'{START}expires_after = "366d"', "is not a duration from 1s to 365d"),
        (f'{START}expires_after = "999999999d"', "is not a duration from 1s to 365d"),
        (f'{START}remind_after = "1h"', "line 3: `defaults.remind_after` "),
        (f'{START}remind_after = ["1h", "soon"]', "line 3: `defaults.remind_after` is not a duration"),
        (f'{START}remind_after = ["never"]', "line 3: `defaults.remind_after` is not a duration"),
        (f'{START}remind_after = ["1h", "24h"]', "line 3: `remind_after` is not before `expires_after`"),
        (
            f'{START}[[rules]]\ntools = ["deploy"]\nexpires_after = "10m"\nremind_after = ["15m"]',
            "line 6: `remind_after` is not before `expires_after`",
        ),
        (
            f'{START}escalate_after = "2d"\nescalate_to = ["@bob"]',
            "line 3: `escalate_after` is not before `expires_after`",
        ),
        (f'{START}escalate_to = ["@bob"]', "line 3: `escalate_to` needs an `escalate_after`"),
        (f'{START}escalate_after = "1h"', "line 3: `escalate_after` needs an `escalate_to`"),
        (
            f'{START}escalate_after = "1h"\nescalate_to = ["channel"]',
            "line 4: escalate_to names people, by @name or user id",
        ),
        (
            f'{START}escalate_after = "1h"\nescalate_to = ["@gus"]',
            "line 4: @gus is not a full member of this workspace",
        ),
        (
            (
                f'{START}[[rules]]\ntools = ["a"]\n[[rules]]\ntools = ["b"]\n'
                'escalate_after = "1h"\nescalate_to = ["@gus"]'
            ),
            "line 8: @gus is not a full member of this workspace",
        ),
        ("[defaults\n", "is not TOML"),
        ('[defaults]\napprovers = ["channel"]\nself_approval = "no"', "line 3: `defaults.self_approval`"),
        ('[defaults]\napprovers = "channel"', "line 2: `defaults.approvers`"),
        ('[defaults]\napprovers = ["@nobody"]', "line 2: @nobody is not a full member"),
        ('[defaults]\napprovers = ["@gus"]', "line 2: @gus is not a full member"),
        ('[defaults]\napprovers = ["U0GUS"]', "line 2: U0GUS is not a full member"),
        ('[defaults]\napprovers = ["@sam"]', "line 2: @sam is the name of 2 people"),
        ('[defaults]\napprovers = ["bob"]', "'bob' is none of channel, requester"),
        ('[defaults]\napprovers = ["@@dba"]', "line 2: @@dba is no user group of this workspace"),
        ('[defaults]\napprovers = ["requester"]', "nobody could"),
        (
            'requesters = ["@nobody"]\n[defaults]\napprovers = ["channel"]',
            "line 1: @nobody is not a full member",
        ),
        (f"{START}quorum = 0", "line 3: `defaults.quorum` is not a number from 1 to 50"),
        (f"{START}quorum = true", "line 3: `defaults.quorum` is not a number from 1 to 50"),
        (f"{START}quorum = 51", "line 3: `defaults.quorum` is not a number from 1 to 50"),
        (f"{START}require = []", "line 3: `defaults.require` must not be empty"),
        (
            '[defaults]\nrequire = [\n  { approvers = ["@bob"] },\n  { approvers = ["@gus"], qorum = 2 },\n]',
            "line 4: `defaults.require.qorum` is not a key",
        ),
        (
            '[defaults]\nrequire = [\n  { approvers = ["@bob"] }, # { and\n  { approvers = ["@gus"] },\n]',
            "line 4: @gus is not a full member",
        ),
        (
            f'{START}require = [{{ approvers = ["@bob"] }}]',
            "line 3: `defaults.require` stands in place of `approvers`",
        ),
        (
            f'{START}[[rules]]\ntools = ["a"]\nquorum = 2\nrequire = [{{ approvers = ["@bob"] }}]',
            "line 5: `rules.quorum` goes with `approvers`; each group",
        ),
        (
            '[defaults]\nrequire = [{ approvers = ["@bob"] }]\n[[rules]]\ntools = ["a"]\nquorum = 2',
            "line 5: `rules.quorum` goes with `approvers`, and the defaults have `require`",
        ),
        (
            '[defaults]\nself_approval = true\n[[rules]]\ntools = ["a"]\napprovers = ["channel"]',
            "line 1: `defaults.approvers` is required",
        ),
        (f'{START}[[rules]]\ntools = ["a"]\napprovers = ["S0GONE1"]', "line 5: S0GONE1 is no user group"),
        (
            '[defaults]\napprovers = ["@bob", "U0BOB"]\nquorum = 2',
            "line 3: `quorum`: 2 approvers are wanted, but there is only 1.",
        ),
        (
            '[defaults]\napprovers = ["@@dba-oncall"]\nquorum = 3',
            "line 3: `quorum`: 3 approvers are wanted, but there are only 2.",
        ),
        (
            '[defaults]\napprovers = ["@@guests"]',
            "line 2: `approvers`: nobody could ever decide.",
        ),
        (
            'requesters = ["@bob"]\n[defaults]\napprovers = ["@bob", "@ann"]\nquorum = 2',
            "line 4: `quorum`: 2 approvers are wanted, but there is only 1 besides whoever asks.",
        ),
        (
            '[defaults]\nrequire = [{ approvers = ["@bob"] }, { approvers = ["U0BOB"] }]',
            "line 2: `require`: 2 votes of different people are wanted, but at most 1 can count.",
        ),
        (
            f'{START}[[rules]]\ntools = ["a*"]\n[[rules]]\ntools = ["ab", "a?"]\nself_approval = true',
            "line 5: the rule for ab is never reached",
        ),
        (
            'requesters = ["channel"]\n[defaults]\napprovers = ["channel"]',
            "line 1: requesters are `members`, people by @name",
        ),
    ],
)
def test_every_mistake_is_refused_by_name_and_line(text: str, problem: str) -> None:
    with pytest.raises(BadPolicy) as refused:
        parse_policy(text, name="approvals.toml").resolve(KNOWN)
    assert problem in str(refused.value)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(BadPolicy) as refused:
        parse_policy("x = 1\n[defaults]\napprovers = []\ny = 2", name="approvals.toml")
    assert len(refused.value.problems) == 3


def test_groups_that_all_have_to_agree_become_quorums_and_a_handle_its_group() -> None:
    text = """
        [defaults]
        approvers = ["channel"]
        quorum = 2

        [[rules]]
        tools = ["deploy"]
        require = [
          { approvers = ["@@dba-oncall", "@bob"] },
          { approvers = ["S0DBAONCALL"], quorum = 2 },
        ]

        [[rules]]
        tools = ["delete_*"]
        approvers = ["@bob", "@ann"]

        [[rules]]
        tools = ["read_*"]
        quorum = 1
    """
    file = parse_policy(text, name="approvals.toml")
    assert file.names() == {"@@dba-oncall", "@bob", "@ann", "S0DBAONCALL"}
    assert file.approvers("deploy") == ["@@dba-oncall", "@bob", "S0DBAONCALL"]
    with pytest.raises(BadPolicy, match="line 8: `require`: 3 votes of different people are wanted"):
        file.resolve(KNOWN)
    policy = parse_policy(text.replace("quorum = 2 }", "quorum = 1 }"), name="x").resolve(KNOWN)
    group = UserGroup(DBA.id)
    assert policy.terms("deploy").quorums == (
        Quorum(approvers=(group, One(BOB.id)), count=1),
        Quorum(approvers=(group,), count=1),
    )
    assert policy.terms("deploy").who == (group, One(BOB.id))
    assert policy.terms("delete_it").quorums == (Quorum(approvers=(One(BOB.id), One(ANN.id)), count=2),)
    assert policy.terms("read_it").needs == ALONE
    assert policy.terms("other").needs == (Quorum(approvers=(ChannelMembers(),), count=2),)


def test_a_rule_for_approvers_leaves_the_groups_of_the_defaults_behind() -> None:
    text = """
        [defaults]
        require = [{ approvers = ["@bob"] }, { approvers = ["channel"] }]
        [[rules]]
        tools = ["a"]
        approvers = ["@ann"]
    """
    policy = parse_policy(text, name="approvals.toml").resolve(KNOWN)
    assert len(policy.terms("b").needs) == 2
    assert policy.terms("a").quorums == (Quorum(approvers=(One(ANN.id),), count=1),)


@pytest.mark.parametrize(
    ("rules", "tools", "unreached"),
    [
        ([["a*"], ["ab"]], None, [1]),
        ([["*"], ["x?"]], None, [1]),
        ([["a?"], ["a*"]], None, []),
        ([["a?"], ["a*"]], ["ab", "ac"], [1]),
        ([["a?"], ["a*"]], ["ab", "abc"], []),
        ([["ab"], ["ac"], ["a*"]], ["ab", "ac", "x"], [2]),
        ([["ab"], ["nothing"]], ["ab"], []),
        ([["a[bc]"], ["a[bc]"]], None, [1]),
        ([["a[*]"], ["a*"]], None, []),
    ],
)
def test_a_rule_whose_tools_earlier_rules_take_is_found(
    rules: list[list[str]], tools: list[str] | None, unreached: list[int]
) -> None:
    assert list(never_reached(rules, tools)) == unreached
