"""What an approval says no with."""

from typing import Final

from bot.approvals.words import phrase

CANNOT_BE: Final = phrase("`{tool}` cannot be {approved}; nothing was done.")
CANNOT_BE_UNSEEN: Final = phrase(
    "`{tool}` cannot be {approved}, for what it points at could not be looked up ({problem}); "
    "nothing was done."
)
CANNOT_BECOME: Final = phrase("`{tool}` cannot be turned into `{other}`; nothing was done.")
EDITED: Final = phrase("This was edited meanwhile, so nothing was done. Please read it again.")
EXPIRED: Final = phrase("This request expired at {time}.")
BY_YOU: Final = phrase("Already {approved} by you.")
BY_YOU_AND_OPEN: Final = phrase("Already {approved} by you. It still needs others.")
NO_LONGER_WAITS: Final = phrase("the agent no longer waits for it")
