"""Where there are several agents, what is shown says which it is of; where there is one, nothing does."""

from bot.approvals.ids import AgentName
from bot.approvals.roster import ONE_AGENT, Roster
from bot.slack.cards import LARGEST, MOST_BLOCKS
from bot.slack.message import size
from bot.slack.naming import helped, in_a_line, in_a_sentence, named_block
from tests.slack.second_opinion import second_opinion
from tests.slack.states_of_agents import ROSTER, every_card


def test_every_card_names_its_agent_and_fits() -> None:
    for name, drawn in every_card().items():
        told = [block for block in drawn.blocks if str(block.get("block_id", "")).endswith(".agent")]
        assert [block["elements"][0]["text"] for block in told] == [f"Asked by the agent *{'n' * 30}*"], name
        assert drawn.text.endswith(f" The agent is {'n' * 30}."), name
        assert size(drawn.blocks) <= LARGEST, name
        assert len(drawn.blocks) <= MOST_BLOCKS, name
        assert second_opinion({"text": drawn.text, "blocks": drawn.blocks}) == [], name


def test_of_one_agent_nothing_is_said() -> None:
    assert named_block("", "x") == []
    assert in_a_sentence("") == in_a_line("") == ""
    assert helped(ONE_AGENT) == helped(Roster(names=(AgentName("ops"),))) == ""


def test_help_says_how_each_is_asked_and_what_it_is_for() -> None:
    assert helped(ROSTER) == (
        "\nThere are several agents. */agent NAME: TEXT* asks one of them, and so does NAME: before what you "
        "say to me; without a name it is ops. A conversation stays with its agent.\n"
        "• *ops*: Looks after &lt;the&gt; machines &amp; more.\n"
        "• *docs*"
    )
