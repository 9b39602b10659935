"""Which of several agents something is about, in words; nothing where there is only one."""

from slack_sdk.models.blocks import ContextBlock, MarkdownTextObject

from bot.approvals.roster import Roster
from bot.approvals.words import say
from bot.slack.text import entities


def named_block(agent: str, block_id: str) -> list[ContextBlock]:
    """A line of a card."""
    if not agent:
        return []
    told = say("Asked by the agent *{agent}*", agent=entities(agent))
    return [ContextBlock(elements=[MarkdownTextObject(text=told, verbatim=True)], block_id=block_id)]


def in_a_sentence(agent: str) -> str:
    """A sentence behind others, escaped."""
    return say(" The agent is {agent}.", agent=entities(agent)) if agent else ""


def in_a_line(agent: str) -> str:
    """Behind a comma in a line of a list, escaped."""
    return say(", agent {agent}", agent=entities(agent)) if agent else ""


def helped(roster: Roster) -> str:
    """What `/agent help` says of several agents: each with what it is for, and how it is spoken to."""
    if not roster.are_several:
        return ""
    lines = [_line(name, roster.purposes.get(name, "")) for name in roster.names]
    how = say(
        "\nThere are several agents. */agent NAME: TEXT* asks one of them, and so does NAME: before what you "
        "say to me; without a name it is {first}. A conversation stays with its agent.",
        first=entities(roster.names[0]),
    )
    return "\n".join([how, *lines])


def _line(name: str, purpose: str) -> str:
    told = entities(purpose)
    return (
        say("• *{agent}*: {purpose}", agent=entities(name), purpose=told) if told else f"• *{entities(name)}*"
    )
