"""Views that a press opens, and the pages of `View all`: who has seen the end of one has seen the whole."""

from dataclasses import dataclass
from typing import Final

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.approval import Action, Approval, State
from bot.approvals.desk import Desk
from bot.approvals.errors import NotAllowed, Refused
from bot.approvals.ids import ActionId, ApprovalId
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.readers import Readers
from bot.approvals.realm import Choice
from bot.approvals.words import say
from bot.slack import verbs
from bot.slack.message import View
from bot.slack.payloads import Click
from bot.slack.place import Place, spot_of, stamped
from bot.slack.refusals import name_of
from bot.slack.viewing import shows_the_end, view_all

TOO_LATE: Final = frozenset({"expired_trigger_id", "exchanged_trigger_id", "invalid_trigger_id"})
"""What Slack says when a view may no longer be opened for a click: 3 seconds after it, or a second time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """Opens and redraws them."""

    desk: Desk
    client: AsyncWebClient
    readers: Readers
    masking: Choice[Masking] = BY_DEFAULT

    async def show(self, click: Click, view: View) -> None:
        """Open a view, or put it on top of the one that is open; `Refused` if the click is too old for it."""
        await self.open(click, stamped(view, spot_of(click)))

    async def open(self, click: Click, carrying: View) -> None:
        """The same, of a view that says already where the click was."""
        try:
            if click.view_id and not click.is_home:
                await self.client.views_push(trigger_id=click.trigger_id, view=carrying)
            else:
                await self.client.views_open(trigger_id=click.trigger_id, view=carrying)
        except SlackApiError as error:
            if name_of(error) in TOO_LATE:
                raise Refused(
                    say("It took too long to open this; nothing was done. Please press again.")
                ) from None
            raise

    async def all_of(self, click: Click) -> None:
        """Everything in full: of one action, or of the approval."""
        approval, action = await self._seen(click)
        view = view_all(*self.masking.of(approval.realm).pair(approval, action))
        await self.show(click, view)
        await self._note_reader(click, view, approval, action)

    async def refresh(self, click: Click) -> None:
        """A decision made inside `View all` shows there at once; the card follows by itself."""
        if click.view_id and not click.is_home:
            await self.redraw(click, 0)

    async def redraw(self, click: Click, step: int) -> None:
        """Show what is open as it is now, so many pages further."""
        place = Place.read(click.private_metadata)
        approval, action = await self._in_view(place)
        pair = self.masking.of(approval.realm).pair(approval, action)
        view = view_all(*pair, page=(place.page if place else 0) + step)
        await self.client.views_update(view_id=click.view_id, view=stamped(view, spot_of(click)))
        await self._note_reader(click, view, approval, action)

    async def _seen(self, click: Click) -> tuple[Approval, Action | None]:
        if click.verb == verbs.VIEW_ALL:
            return await self.desk.look(ActionId(click.value))
        approval = await self.desk.approval(ApprovalId(click.value))
        return approval, None

    async def _in_view(self, place: Place | None) -> tuple[Approval, Action | None]:
        match place:
            case Place(action=str(action)):
                return await self.desk.look(ActionId(action))
            case Place(approval=str(approval)):
                return await self.desk.approval(ApprovalId(approval)), None
            case _:
                raise NotAllowed(say("This view is not known here any more; open it again."))

    async def _note_reader(self, click: Click, view: View, approval: Approval, action: Action | None) -> None:
        if approval.state is not State.WAITING:
            return
        actions = [action] if action else approval.actions
        await self.readers.shown([(approval, each) for each in actions], click.by)
        if shows_the_end(view):
            await self.readers.opened(approval, actions, click.by)
