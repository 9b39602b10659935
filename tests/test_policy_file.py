from datetime import timedelta

import pytest

from bot.approvals.ids import UserId
from bot.approvals.person import Person, Standing
from bot.approvals.policy import ChannelMembers, One, Requester, Terms
from bot.approvals.times import NEVER
from bot.policy_file import BadPolicy, parse_policy

BOB = Person(id=UserId("U0BOB"), standing=Standing.MEMBER, name="bob")
GUS = Person(id=UserId("U0GUS"), standing=Standing.GUEST, name="gus")
TWINS = [Person(id=UserId(id), standing=Standing.MEMBER, name="sam") for id in ("U0SAM1", "U0SAM2")]


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
    policy = parse_policy(f'{START}expires_after = "{written}"', name="approvals.toml").resolve([])
    assert policy.defaults.expires_after == meant


def test_what_the_file_does_not_say_about_times_is_a_day_and_neither_reminders_nor_escalation() -> None:
    terms = parse_policy(START, name="approvals.toml").resolve([]).defaults
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
    policy = parse_policy(text, name="approvals.toml").resolve([BOB])
    deploy, delete = policy.terms("deploy"), policy.terms("delete_file")
    assert (deploy.expires_after, deploy.remind_after) == (HOUR / 2, (HOUR, 8 * HOUR))
    assert (deploy.escalate_after, deploy.escalate_to) == (NEVER, (BOB.id,))
    assert (delete.expires_after, delete.remind_after) == (NEVER, ())
    assert (delete.escalate_after, delete.escalate_to) == (12 * HOUR, (BOB.id,))


def test_an_escalation_to_nobody_may_be_written_down() -> None:
    text = f'{START}escalate_after = "12h"\nescalate_to = []'
    assert parse_policy(text, name="approvals.toml").resolve([]).defaults.escalate_to == ()


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
    policy = parse_policy(text, name="approvals.toml").resolve([BOB, GUS])
    assert policy.defaults == Terms(approvers=(ChannelMembers(), Requester()), expires_after=NEVER)
    assert policy.terms("delete_file").approvers == (One(BOB.id), One(BOB.id))


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
        ('[defaults]\napprovers = ["channel"]\nquorum = 2', "line 3: `defaults.quorum` is not supported"),
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
        ('[defaults]\napprovers = ["@@dba"]', "@@dba is a user group"),
        ('[defaults]\napprovers = ["requester"]', "nobody could"),
        (
            'requesters = ["@nobody"]\n[defaults]\napprovers = ["channel"]',
            "line 1: @nobody is not a full member",
        ),
    ],
)
def test_every_mistake_is_refused_by_name_and_line(text: str, problem: str) -> None:
    with pytest.raises(BadPolicy) as refused:
        parse_policy(text, name="approvals.toml").resolve([BOB, GUS, *TWINS])
    assert problem in str(refused.value)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(BadPolicy) as refused:
        parse_policy("x = 1\n[defaults]\napprovers = []\ny = 2", name="approvals.toml")
    assert len(refused.value.problems) == 3
