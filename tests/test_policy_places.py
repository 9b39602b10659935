"""`channel` and `shared_channels` of `approvals.toml`: what they become, and what is refused by its line."""

import pytest

from bot.approvals.ids import ChannelId, GroupId, UserId
from bot.approvals.person import Group, Person, Standing
from bot.approvals.places import IN_THREAD, InChannel, Room, ToApprovers
from bot.approvals.policy import ChannelMembers, in_words
from bot.policy_file import BadPolicy, parse_policy
from bot.policy_names import Known

MANY = [UserId(f"U0M{number:02}") for number in range(25)]
KNOWN = Known(
    people=[Person(id=id, standing=Standing.MEMBER, name=id.lower()) for id in (*MANY, UserId("U0BOB"))],
    groups=[
        Group(id=GroupId("S0FEWPEOPLE"), handle="few", members=frozenset(MANY[:20])),
        Group(id=GroupId("S0MANYPEOPLE"), handle="many", members=frozenset(MANY)),
    ],
    rooms=[
        Room(id=ChannelId("C0OPS"), name="ops"),
        Room(id=ChannelId("C0CLOSED"), name="closed", is_open=False),
        Room(id=ChannelId("C0PARTNERS"), name="partners", is_shared=True),
    ],
)
RULES = """
[defaults]
approvers = ["channel"]

[[rules]]
tools = ["a"]
channel = "#ops"

[[rules]]
tools = ["b"]
channel = "C0OPS"
approvers = ["@u0bob"]

[[rules]]
tools = ["c"]
approvers = ["@@few"]
channel = "dm:approvers"

[[rules]]
tools = ["d"]
channel = "#partners"
shared_channels = true

[[rules]]
tools = ["e"]
channel = "thread"
"""


def test_a_place_is_the_thread_a_channel_by_name_or_id_or_the_approvers() -> None:
    file = parse_policy(RULES, name="approvals.toml")
    assert file.channels() == {"#ops", "C0OPS", "#partners"}
    policy = file.resolve(KNOWN)
    ops = InChannel(ChannelId("C0OPS"))
    partners = InChannel(ChannelId("C0PARTNERS"))
    wanted = [ops, ops, ToApprovers(), partners, IN_THREAD, IN_THREAD]
    assert [policy.terms(tool).channel for tool in "abcdef"] == wanted
    assert [policy.terms(tool).shared_channels for tool in "abcde"] == [False, False, False, True, False]


def test_a_sentence_about_who_may_decide_names_the_channel_of_the_rule() -> None:
    policy = parse_policy(RULES, name="approvals.toml").resolve(KNOWN)
    assert in_words(policy.terms("a")).startswith("a full member in #ops")
    assert in_words(policy.terms("e")).startswith("a full member in this channel")
    assert policy.terms("a").fingerprint != policy.terms("e").fingerprint
    assert ChannelMembers() in policy.terms("a").who


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ('channel = "ops"', "`rules.channel` is none of thread, #channel or its id (C…), dm:approvers."),
        ('channel = "dm:all"', "`rules.channel` is none of thread"),
        ('channel = "#two words"', "`rules.channel` is none of thread"),
        ("channel = 7", "`rules.channel`"),
        ('shared_channels = "yes"', "`rules.shared_channels`"),
        ('channel = "#nowhere"', "#nowhere is no channel that the bot can see"),
        ('channel = "#closed"', "The bot is not in #closed; type /invite there and choose it."),
        ('channel = "#partners"', "`channel`: #partners is shared with another organisation"),
        ('channel = "dm:approvers"', "`channel`: direct messages go to people and user groups by name"),
        (
            'channel = "dm:approvers"\napprovers = ["@@many"]',
            "`channel`: direct messages go to at most 20 people, and these are 25.",
        ),
        (
            (
                'channel = "dm:approvers"\napprovers = ["@@few"]\n'
                'escalate_to = ["@u0bob"]\nescalate_after = "1h"'
            ),
            "`channel`: direct messages go to at most 20 people, and these are 21.",
        ),
    ],
)
def test_a_place_that_cannot_have_the_card_is_refused_by_its_line(said: str, problem: str) -> None:
    text = f'[defaults]\napprovers = ["channel"]\n[[rules]]\ntools = ["a"]\n{said}\n'
    with pytest.raises(BadPolicy) as bad:
        parse_policy(text, name="approvals.toml").resolve(KNOWN)
    [told] = bad.value.problems
    assert told.startswith("approvals.toml, line 5: ")
    assert problem in told
