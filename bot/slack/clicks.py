"""What a press of a button does.

Commit first, ack second: whatever fails before gives no ack, so the person sees it failed and presses again.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.approval import Action, Approval
from bot.approvals.decision import Approve, Decision, Reject
from bot.approvals.desk import Desk
from bot.approvals.errors import NotAllowed, Refused
from bot.approvals.ids import ActionId, ApprovalId, ConversationId, PostId
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.readers import Readers
from bot.approvals.realm import Choice
from bot.approvals.steering import Steering
from bot.approvals.whereabouts import Whereabouts
from bot.approvals.words import say
from bot.slack import all_at_once, payloads, verbs
from bot.slack.doubts import ran_form
from bot.slack.fields import Hidden
from bot.slack.forms import edit_form, reject_form, respond_form, unread_form
from bot.slack.home_tabs import HomeTabs
from bot.slack.message import View
from bot.slack.payloads import Click, Malformed
from bot.slack.place import Place, spot_of, stamped
from bot.slack.private import Private
from bot.slack.turning import chosen, hidden_in
from bot.slack.views import Views

Payload = dict[str, Any]
Form = Callable[[Approval, Action], View]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clicks:
    """The buttons of cards, failures and views."""

    desk: Desk
    steering: Steering
    client: AsyncWebClient
    private: Private
    readers: Readers
    masking: Choice[Masking] = BY_DEFAULT
    tabs: HomeTabs | None = None
    """Where the buttons of Home tabs are drawn anew."""

    def register(self, app: AsyncApp) -> None:
        """Take their buttons; Bolt asks each in turn, so the one that is pressed most comes first."""
        app.action(re.compile(f"^({verbs.APPROVE}|{verbs.RUN_AGAIN})$"))(self.approve)
        app.action(re.compile(f"{verbs.APPROVE_UNREAD}|{verbs.RUN_AGAIN_UNREAD}"))(self.approve_unread)
        app.action(verbs.IT_RAN)(self.it_ran)
        app.action(re.compile(f"{verbs.APPROVE_EVERY}|{verbs.REJECT_EVERY}"))(self.all_at_once)
        app.action(verbs.SKIP)(self.skip)
        app.action(verbs.CHANGE)(self.change)
        app.action(verbs.EDIT)(self.edit)
        app.action(verbs.TOOL)(self.choose_tool)
        app.action(verbs.REJECT)(self.reject)
        app.action(verbs.RESPOND)(self.respond)
        app.action(re.compile(f"{verbs.VIEW_ALL}|{verbs.VIEW_EVERY}"))(self.view_all)
        app.action(re.compile(f"{verbs.NEXT}|{verbs.PREVIOUS}"))(self.turn_page)
        app.action(verbs.ASK_AGAIN)(self.ask_again)
        app.action(verbs.RETRY)(self.retry)
        app.action(verbs.STOP)(self.stop)

    async def approve(self, ack: AsyncAck, body: Payload) -> None:
        """Run the call as it was shown; or once more, if it may have run already."""
        await self._decide(ack, body, Approve())

    async def approve_unread(self, ack: AsyncAck, body: Payload) -> None:
        """The same where the card shows only a part of the call: whoever has not opened it is asked first."""

        async def decide(click: Click) -> None:
            id, seen = verbs.read_value(click.value)
            approval, action = await self.desk.opens(id, by=click.by, spot=spot_of(click))
            if await self.readers.has_opened(approval, action, click.by):
                await self.desk.decide(id, Approve(), by=click.by, spot=spot_of(click), seen=seen)
            else:
                await self._views.show(click, unread_form(approval, action))

        await self._answer(ack, body, decide, then=self._views.refresh)

    async def all_at_once(self, ack: AsyncAck, body: Payload) -> None:
        """List what one press may decide on this card; closing the form changes nothing."""

        async def show(click: Click) -> None:
            kind, spot = all_at_once.KINDS[click.verb], spot_of(click)
            covered = await self.desk.opens_all(ApprovalId(click.value), kind, by=click.by, spot=spot)
            opened = await self.readers.opened_of(covered.calls, click.by)
            seen = {one.id: self.masking.of(one.realm).approval(one) for one, _ in covered.calls}
            sheet = all_at_once.sheet(all_at_once.masked(covered, seen), kind, opened)
            await self._views.open(click, all_at_once.carrying(sheet, spot))
            await self.readers.shown(covered.calls[: sheet.shown], click.by)

        await self._answer(ack, body, show)

    async def skip(self, ack: AsyncAck, body: Payload) -> None:
        """Leave a call that may have run as it is."""
        await self._decide(ack, body, Reject())

    async def it_ran(self, ack: AsyncAck, body: Payload) -> None:
        """Open the form that asks what a call returned that did run."""
        await self._open(ack, body, self._masked(ran_form))

    async def change(self, ack: AsyncAck, body: Payload) -> None:
        """Take one's own decision back."""

        async def take_back(click: Click) -> None:
            await self.desk.take_back(ActionId(click.value), by=click.by, spot=spot_of(click))

        await self._answer(ack, body, take_back, then=self._views.refresh)

    async def edit(self, ack: AsyncAck, body: Payload) -> None:
        """Open the form with a field for each argument."""

        def form(approval: Approval, action: Action) -> View:
            return edit_form(approval, action, self._hidden(approval, action, action.asked.tool))

        await self._open(ack, body, form)

    async def choose_tool(self, ack: AsyncAck, body: Payload) -> None:
        """Show the edit form for another tool."""

        async def show(click: Click) -> None:
            place = Place.read(click.private_metadata)
            if place is None or place.action is None:
                raise NotAllowed(say("This form is not known here any more; open it again."))
            approval, action = await self.desk.opens(place.action, by=click.by, spot=spot_of(click))
            if action.edition != place.edition:
                raise NotAllowed(say("This was edited meanwhile, so nothing was done. Please open it again."))
            tool = chosen(action, click.value)
            view = edit_form(approval, action, self._hidden(approval, action, tool), tool=tool)
            carrying = stamped(view, spot_of(click))
            await self.client.views_update(view_id=click.view_id, view=carrying)

        await self._answer(ack, body, show)

    async def reject(self, ack: AsyncAck, body: Payload) -> None:
        """Open the form that asks why; closing it changes nothing."""
        await self._open(ack, body, self._masked(reject_form))

    async def respond(self, ack: AsyncAck, body: Payload) -> None:
        """Open the form for an answer."""
        await self._open(ack, body, self._masked(respond_form))

    async def view_all(self, ack: AsyncAck, body: Payload) -> None:
        """Show everything in full: of one action, or of the approval."""

        async def show(click: Click) -> None:
            await self._views.all_of(click)

        await self._answer(ack, body, show)

    async def turn_page(self, ack: AsyncAck, body: Payload) -> None:
        """Show the next page of what is open."""

        async def show(click: Click) -> None:
            await self._views.redraw(click, 1 if click.verb == verbs.NEXT else -1)

        await self._answer(ack, body, show)

    async def ask_again(self, ack: AsyncAck, body: Payload) -> None:
        """Have people asked again where an approval is remembered."""

        async def take_back(click: Click) -> None:
            await self._where.of_action(ActionId(click.value), by=click.by, spot=spot_of(click))
            await self.steering.ask_again(ActionId(click.value), by=click.by)

        await self._answer(ack, body, take_back)

    async def retry(self, ack: AsyncAck, body: Payload) -> None:
        """Try again what failed."""

        async def again(click: Click) -> None:
            await self._where.of_failure(PostId(click.value), by=click.by, spot=spot_of(click))
            await self.steering.retry(PostId(click.value), by=click.by)

        await self._answer(ack, body, again)

    async def stop(self, ack: AsyncAck, body: Payload) -> None:
        """Stop the conversation."""

        async def halt(click: Click) -> None:
            await self._where.of_conversation(ConversationId(click.value), by=click.by, spot=spot_of(click))
            await self.steering.stop(ConversationId(click.value), by=click.by)

        await self._answer(ack, body, halt)

    async def _answer(
        self,
        ack: AsyncAck,
        body: Payload,
        do: Callable[[Click], Awaitable[None]],
        then: Callable[[Click], Awaitable[None]] | None = None,
    ) -> None:
        click = payloads.click(body)
        if isinstance(click, Malformed):
            await ack()
            return
        try:
            await do(click)
        except Refused as refusal:
            await ack()
            await self.private.tell(click, str(refusal))
            await self._draw_home(click)
        else:
            await ack()
            if then:
                await then(click)
                await self._draw_home(click)

    @property
    def _views(self) -> Views:
        return Views(desk=self.desk, client=self.client, readers=self.readers, masking=self.masking)

    async def _draw_home(self, click: Click) -> None:
        """What was pressed on a Home tab, or in a form over it, shows there."""
        if self.tabs and spot_of(click).home:
            await self.tabs.pressed(click.by)

    @property
    def _where(self) -> Whereabouts:
        return Whereabouts.of(self.steering)

    async def _decide(self, ack: AsyncAck, body: Payload, decision: Decision) -> None:
        async def decide(click: Click) -> None:
            action, seen = verbs.read_value(click.value)
            await self.desk.decide(action, decision, by=click.by, spot=spot_of(click), seen=seen)

        await self._answer(ack, body, decide, then=self._views.refresh)

    async def _open(self, ack: AsyncAck, body: Payload, form: Form) -> None:
        async def show(click: Click) -> None:
            id, _ = verbs.read_value(click.value)
            approval, action = await self.desk.opens(id, by=click.by, spot=spot_of(click))
            await self._views.show(click, form(approval, action))
            await self.readers.shown([(approval, action)], click.by)

        await self._answer(ack, body, show)

    def _hidden(self, approval: Approval, action: Action, tool: str) -> Hidden:
        return hidden_in(self.masking.of(approval.realm), approval, action, tool)

    def _masked(self, form: Form) -> Form:
        def drawn(approval: Approval, action: Action) -> View:
            masked = self.masking.of(approval.realm).approval(approval)
            return form(masked, masked.action(action.id))

        return drawn
