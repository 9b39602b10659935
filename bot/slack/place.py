"""What a view is about, carried through Slack in its `private_metadata`: opaque ids and a page."""

import json
from dataclasses import asdict, dataclass
from typing import Self

from bot.approvals.ids import ActionId, ApprovalId


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One action, or a whole approval, and the page that is shown."""

    action: ActionId | None = None
    approval: ApprovalId | None = None
    page: int = 0
    edition: str = ""
    """Which edition of the action a form was drawn from."""
    tool: str = ""
    """Which tool an edit form is for; empty for the one that is asked about."""

    def __str__(self) -> str:
        return json.dumps({name: value for name, value in asdict(self).items() if value})

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The place that `str` wrote; None if it is none."""
        try:
            told = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(told, dict):
            return None
        action, approval, page = told.get("action"), told.get("approval"), told.get("page", 0)
        edition, tool = told.get("edition", ""), told.get("tool", "")
        if (
            not isinstance(action, str | None)
            or not isinstance(approval, str | None)
            or type(page) is not int
            or not isinstance(edition, str)
            or not isinstance(tool, str)
        ):
            return None
        return cls(
            action=ActionId(action) if action else None,
            approval=ApprovalId(approval) if approval else None,
            page=max(page, 0),
            edition=edition,
            tool=tool,
        )
