"""What stands for an agent that the settings have no more: its conversations are kept, and nothing runs."""

from collections.abc import Mapping
from typing import Final

from bot.approvals.decision import Arguments, Json
from bot.approvals.errors import NotAllowed
from bot.approvals.referents import Referents
from bot.approvals.rendered import Rendered
from bot.approvals.words import phrase, say

NO_EDIT: Final = phrase(
    "The agent that asked for this is not in the bot's settings any more, so an edit cannot be checked; "
    "nothing was done."
)


class NoTools:
    """Fills `Tools`: nothing is known of them."""

    def schema(self, tool: str) -> Mapping[str, Json] | None:
        """It is not known."""

    def check(self, tool: str, arguments: Arguments) -> Arguments:  # noqa: ARG002 - as the port has it
        """Nothing passes."""
        raise NotAllowed(say(NO_EDIT))

    def resolves(self, tool: str) -> bool:  # noqa: ARG002 - as the port has it
        """That is not known."""
        return False

    async def referents(self, tool: str, arguments: Arguments, *, within: float) -> Referents | None:
        """That is not known."""

    def renders(self, tool: str) -> bool:  # noqa: ARG002 - as the port has it
        """That is not known."""
        return False

    async def rendered(self, tool: str, arguments: Arguments, *, within: float) -> Rendered | None:
        """That is not known."""
