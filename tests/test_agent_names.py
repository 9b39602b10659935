"""What `BOT_AGENT` may say, and the sentence for what it may not."""

import re

import pytest

from bot.agent_names import LONGEST, NamedAgent, read_agents
from bot.approvals.ids import AgentName
from bot.settings import BadSettings, Settings

SMALL = "a name has at most 30 small letters, digits, hyphens and underscores, and begins with a letter"


def named(name: str, source: str) -> NamedAgent:
    return NamedAgent(name=AgentName(name), source=source)


@pytest.mark.parametrize(
    ("text", "agents"),
    [
        ("team.ops:agent", [named("", "team.ops:agent")]),
        ("ops=team.ops:agent", [named("ops", "team.ops:agent")]),
        (" ops = a:b , docs-2=c.d:e.f", [named("ops", "a:b"), named("docs-2", "c.d:e.f")]),
        ("b=x:y,a=x:y", [named("b", "x:y"), named("a", "x:y")]),
        (f"{'n' * LONGEST}=x:y", [named("n" * LONGEST, "x:y")]),
    ],
)
def test_one_agent_may_go_without_a_name_and_several_have_one_each(
    text: str, agents: list[NamedAgent]
) -> None:
    assert list(read_agents(text)) == agents


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a=x:y,a=z:w", "two agents are called a; each needs a name of its own"),
        (
            "a=x:y, z:w",
            "z:w has no name; where there are several, each is written NAME=package.module:attribute",
        ),
        (
            "x:y, z:w",
            "x:y has no name; where there are several, each is written NAME=package.module:attribute",
        ),
        ("a=x:y,", "something is missing before or after a comma"),
        (",a=x:y", "something is missing before or after a comma"),
        ("a=", "nothing stands behind a=; an agent is written NAME=package.module:attribute"),
        ("help=x:y", "an agent cannot be called help, since /agent help means something else"),
        *(
            (
                f"{name}=x:y",
                f"{name!r} is no name for an agent; " + SMALL,
            )
            for name in ("", "Ops", "1a", "-a", "a b", "a.b", "ä", "a=b", "n" * (LONGEST + 1))
        ),
    ],
)
def test_what_names_no_agents_is_said_in_a_sentence(
    text: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        read_agents(text)
    monkeypatch.setenv("BOT_AGENT", text)
    with pytest.raises(BadSettings) as bad:
        Settings.from_environment()
    assert bad.value.problems == [f"BOT_AGENT is not right: {sentence}."]
