"""Messages and views as a whole."""

from bot.sandbox.blocks.problem import Problem
from bot.sandbox.records import Json


def check_message(blocks: list[Json] | None, text: str) -> list[Problem]:
    """Everything that Slack would refuse about a message."""
    if not text.strip() and not blocks:
        return [Problem(pointer="/text", sentence="no text and no blocks", code="no_text")]
    return []


def check_view(view: Json) -> list[Problem]:
    """Everything that Slack would refuse about a view."""
    if view.get("type") not in ("modal", "home") or not isinstance(view.get("blocks"), list):
        return [Problem(pointer="/view", sentence="must be a modal or home view with blocks")]
    return []
