import pytest

from bot.approvals.ids import UserId
from bot.approvals.person import Person, Standing
from bot.approvals.policy import ChannelMembers, One, Requester, Terms
from bot.policy_file import BadPolicy, parse_policy

BOB = Person(id=UserId("U0BOB"), standing=Standing.MEMBER, name="bob")
GUS = Person(id=UserId("U0GUS"), standing=Standing.GUEST, name="gus")
TWINS = [Person(id=UserId(id), standing=Standing.MEMBER, name="sam") for id in ("U0SAM1", "U0SAM2")]


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
    assert policy.defaults == Terms(approvers=(ChannelMembers(), Requester()))
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
        (
            '[defaults]\napprovers = ["channel"]\nescalate_to = ["@bob"]',
            "line 3: `defaults.escalate_to` is not supported",
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
