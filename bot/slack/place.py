"""What a view is about, carried through Slack in its `private_metadata`: opaque ids and a page."""

import json
from dataclasses import asdict, dataclass, replace
from typing import Self

from bot.approvals.ids import ActionId, ApprovalId, ChannelId, Ts
from bot.approvals.places import Spot
from bot.slack.message import View
from bot.slack.payloads import Click, Submission


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
    shown: str = ""
    """Of an edit form: the mark of the edit whose difference it shows."""
    channel: ChannelId | None = None
    message: Ts | None = None
    """Where the card stands from which the view was opened."""
    home: str = ""
    """The Home tab from which it was opened, if it was one."""

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
        edition, tool, shown = told.get("edition", ""), told.get("tool", ""), told.get("shown", "")
        channel, message, home = told.get("channel"), told.get("message"), told.get("home", "")
        if (
            not isinstance(channel, str | None)
            or not isinstance(message, str | None)
            or not isinstance(action, str | None)
            or not isinstance(approval, str | None)
            or type(page) is not int
            or not isinstance(edition, str)
            or not isinstance(tool, str)
            or not isinstance(shown, str)
            or not isinstance(home, str)
        ):
            return None
        return cls(
            action=ActionId(action) if action else None,
            approval=ApprovalId(approval) if approval else None,
            page=max(page, 0),
            edition=edition,
            tool=tool,
            shown=shown,
            channel=ChannelId(channel) if channel else None,
            message=Ts(message) if message else None,
            home=home,
        )


def spot_of(pressed: Click | Submission) -> Spot:
    """Where a click says it was made. In a view that is where the card stands from which it was opened."""
    if isinstance(pressed, Click) and not pressed.view_id:
        place = Place(channel=pressed.channel, message=pressed.message_ts)
    elif isinstance(pressed, Click) and pressed.is_home:
        place = Place(home=pressed.view_id)
    else:
        place = Place.read(pressed.private_metadata) or Place()
    return Spot(
        channel=place.channel,
        message=place.message,
        home=place.home,
        team=pressed.team,
        organisation=pressed.organisation,
    )


def stamped(view: View, spot: Spot) -> View:
    """The view, carrying where the card stands."""
    place = Place.read(str(view.get("private_metadata") or "{}")) or Place()
    carrying = replace(place, channel=spot.channel, message=spot.message, home=spot.home)
    return {**view, "private_metadata": str(carrying)}
