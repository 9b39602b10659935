"""`redact` in the policy file, and what `show` prints of secrets."""

import json
from pathlib import Path

import pytest

from bot.approvals.decision import Json
from bot.approvals.ids import ApprovalId, ConversationId
from bot.policy_file import BadPolicy, parse_policy
from bot.policy_names import Known
from bot.store.database import open_store
from tests.command_line import POLICY, CommandLine
from tests.store.samples import action, approval, conversation

THREAD = "conversation-of-22-sig"
RULES = f"""{POLICY}redact = ["iban"]
[[rules]]
tools = ["pay_*"]
redact = ["to"]
[[rules]]
tools = ["delete_file"]
approvers = ["@bob"]
"""


@pytest.mark.parametrize(
    ("tool", "names"), [("pay_bill", ("to",)), ("delete_file", ("iban",)), ("x", ("iban",))]
)
def test_redact_comes_from_the_first_rule_that_matches_over_the_defaults(
    tool: str, names: tuple[str, ...]
) -> None:
    file = parse_policy(
        RULES.replace('approvers = ["@bob"]', 'approvers = ["requester"]'), name="approvals.toml"
    )
    assert file.redact(tool) == names


def test_the_policy_has_it_too() -> None:
    file = parse_policy(
        RULES.replace('approvers = ["@bob"]\n', "self_approval = true\n"), name="approvals.toml"
    )
    policy = file.resolve(Known())
    assert [policy.terms(tool).redact for tool in ("pay_bill", "delete_file", "x")] == [
        ("to",),
        ("iban",),
        ("iban",),
    ]


def test_redact_is_a_list_of_names() -> None:
    with pytest.raises(BadPolicy, match=r"line 3: `defaults.redact`"):
        parse_policy(f'{POLICY}redact = "iban"\n', name="approvals.toml")


async def test_show_masks_what_the_policy_of_the_agent_names(tmp_path: Path) -> None:
    (tmp_path / "team.py").write_text(
        "from bot import Agent, Defaults, Policy, Rule\n"
        "agent = Agent(tools=[], interrupt_on={}, policy=Policy(defaults=Defaults(approvers=['channel']), "
        "rules=[Rule(tools=['pay_*'], redact=['to'])]))\n"
    )
    asked = approval(
        "p1", action("a1", {"to": "Carol"}, tool="pay_bill"), conversation=ConversationId(THREAD)
    )
    async with open_store(tmp_path / "bot.db") as store, store.write() as tx:
        await tx.conversations.add(conversation(THREAD))
        await tx.approvals.add(asked)
    shown = await CommandLine(folder=tmp_path).run("show", THREAD, "--json", BOT_AGENT="team:agent")
    assert shown.code == 0, shown.err
    [told] = json.loads(shown.out)["approvals"]
    assert told["actions"][0]["arguments"] == {"to": "(masked, 5 characters)"}


async def test_show_masks_secrets_unless_it_is_told_not_to(tmp_path: Path) -> None:
    (tmp_path / "approvals.toml").write_text(RULES)
    arguments: dict[str, Json] = {"to": "Carol", "password": "hunter2", "note": "hunter2 is it"}
    asked = approval("p1", action("a1", arguments, tool="pay_bill"), conversation=ConversationId(THREAD))
    async with open_store(tmp_path / "bot.db") as store, store.write() as tx:
        await tx.conversations.add(conversation(THREAD))
        await tx.approvals.add(asked)
    command = CommandLine(folder=tmp_path)
    masked = await command.run("show", THREAD, "--json")
    assert masked.code == 0, masked.err
    [told] = json.loads(masked.out)["approvals"]
    assert told["id"] == ApprovalId("p1")
    assert told["actions"][0]["arguments"] == {
        "to": "(masked, 5 characters)",
        "password": "(masked, 7 characters)",
        "note": "(masked, 7 characters) is it",
    }
    assert "hunter2" not in (await command.run("show", THREAD)).out
    plain = await command.run("show", THREAD, "--json", "--unmasked")
    assert json.loads(plain.out)["approvals"][0]["actions"][0]["arguments"] == arguments
