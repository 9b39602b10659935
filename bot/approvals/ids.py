"""Names for the ids that pass through the bot, so that no two kinds are mixed up."""

import secrets
from typing import NewType

ConversationId = NewType("ConversationId", str)
"""One Slack thread; also LangGraph's `thread_id`. Opaque."""

ApprovalId = NewType("ApprovalId", str)
"""One interrupt that waits for people. Opaque."""

ActionId = NewType("ActionId", str)
"""One action request of an approval; the value that a button carries. Opaque: 128 random bits."""

InterruptId = NewType("InterruptId", str)
"""LangGraph's id of an interrupt, 32 hexadecimal digits."""

PostId = NewType("PostId", str)
"""Something the bot shows in Slack: a card, an answer, a notice. Opaque."""

MessageId = NewType("MessageId", str)
"""What a person said to the agent; also the id of the LangChain message made from it."""

UserId = NewType("UserId", str)
"""Slack's id of a person, `U…` or `W…`."""

GroupId = NewType("GroupId", str)
"""Slack's id of a user group, `S…`."""

ChannelId = NewType("ChannelId", str)
"""Slack's id of a channel or direct message, `C…`, `G…` or `D…`."""

AgentName = NewType("AgentName", str)
"""What the settings call an agent; empty for one without a name."""

Ts = NewType("Ts", str)
"""Slack's timestamp of a message; unique within its channel alone, and never a number."""


def fresh() -> str:
    """A new opaque id: 128 bits of randomness, 22 URL-safe characters, of which the first is no hyphen.

    A command line would take it for an option.
    """
    while (id := secrets.token_urlsafe(16)).startswith("-"):
        pass
    return id
