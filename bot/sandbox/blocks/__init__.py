"""Whether Slack would take these blocks: pure functions from JSON to a list of problems."""

from bot.sandbox.blocks.problem import Problem
from bot.sandbox.blocks.surfaces import check_message, check_view

__all__ = ["Problem", "check_message", "check_view"]
