"""The values that Slack is given: a message, and Block Kit as plain JSON."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from slack_sdk.models.blocks import Block

Blocks: TypeAlias = list[dict[str, Any]]
"""Block Kit, as JSON."""

View: TypeAlias = dict[str, Any]
"""A modal or a Home tab, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """What is sent as a file."""

    title: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message: `text` is what notifications show and screen readers read; `blocks` is what is drawn."""

    text: str
    blocks: Blocks
    file: File | None = None
    """Sent in place of a message."""


def as_json(blocks: Iterable[Block]) -> Blocks:
    """The blocks as JSON; `SlackObjectFormationError` if one breaks a limit that the SDK knows."""
    return [dict(block.to_dict()) for block in blocks]


def size(blocks: Blocks) -> int:
    """Characters of the blocks' JSON, in its most wordy form. Slack's own limit is near 13,200."""
    return len(json.dumps(blocks))
