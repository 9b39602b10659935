"""What sending a form does. The decision is on disk before the form closes."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.approvals.approval import Action, Approval
from bot.approvals.decision import Approve, Decision, Edit, Reject, Respond, kind_of
from bot.approvals.desk import Desk
from bot.approvals.errors import InvalidArguments, NotAllowed, Refused
from bot.approvals.masking import BY_DEFAULT, Masking
from bot.approvals.readers import Readers
from bot.approvals.realm import Choice
from bot.approvals.words import say
from bot.slack import all_at_once, payloads, turning, verbs
from bot.slack.choices import CHOICE
from bot.slack.doubts import read_result
from bot.slack.edits import FieldErrors, errors_by_block, read_edit
from bot.slack.fields import Hidden
from bot.slack.forms import edit_form, message_form, read_message, read_reason
from bot.slack.home_tabs import HomeTabs
from bot.slack.message import View
from bot.slack.payloads import Submission
from bot.slack.place import Place, spot_of, stamped
from bot.slack.reviewing import is_dangerous, is_in_view, leaves_out, mark, review

Payload = dict[str, Any]
Read = Callable[[Approval, Action, Submission], Decision | FieldErrors]


@dataclass(frozen=True, slots=True, kw_only=True)
class Submissions:
    """The forms behind Approve of what was not opened, Edit, Reject, Respond and It ran."""

    desk: Desk
    readers: Readers
    masking: Choice[Masking] = BY_DEFAULT
    tabs: HomeTabs | None = None
    """Where the buttons of Home tabs are drawn anew."""

    def register(self, app: AsyncApp) -> None:
        """Take the five forms."""
        app.view(verbs.UNREAD_FORM)(self.approved)
        app.view(verbs.EDIT_FORM)(self.edited)
        app.view(verbs.REJECT_FORM)(self.rejected)
        app.view(verbs.RESPOND_FORM)(self.responded)
        app.view(verbs.RAN_FORM)(self.ran)
        app.view(re.compile(f"{verbs.APPROVE_EVERY_FORM}|{verbs.REJECT_EVERY_FORM}"))(self.all_sent)
        app.view(re.compile(".*"))(self.anything_else)
        app.view_closed(re.compile(".*"))(self.anything_else)

    async def approved(self, ack: AsyncAck, body: Payload) -> None:
        """Run the call although this person has not opened the whole of it."""
        await self._sent(ack, body, lambda *_: Approve())

    async def edited(self, ack: AsyncAck, body: Payload) -> None:
        """Run with other arguments; what does not fit the tool's schema is said at its field."""
        await self._sent(ack, body, self._read)

    async def rejected(self, ack: AsyncAck, body: Payload) -> None:
        """Do not run it, for this reason."""
        await self._sent(
            ack, body, lambda _, action, form: Reject(read_reason(form.values, action.briefing.reasons))
        )

    async def responded(self, ack: AsyncAck, body: Payload) -> None:
        """Do not run it; this is the answer."""
        await self._sent(ack, body, lambda _, action, form: _answer(read_message(form.values, action)))

    async def ran(self, ack: AsyncAck, body: Payload) -> None:
        """It did run; this is what it returned."""
        await self._sent(ack, body, lambda _, __, form: Respond(read_result(form.values)))

    async def all_sent(self, ack: AsyncAck, body: Payload) -> None:
        """Decide exactly what the form listed; what of it could not be decided is told."""
        form = payloads.submission(body)
        if not isinstance(form, Submission):
            await ack()
            return
        try:
            if not (those := all_at_once.read(form.private_metadata)):
                raise NotAllowed(all_at_once.NOT_LISTED)
            decision: Approve | Reject = Approve()
            if form.callback_id == verbs.REJECT_EVERY_FORM:
                decision = Reject(read_reason(form.values, await self.desk.reasons(those)))
            became = await self.desk.decide_all(those, decision, by=form.by, spot=spot_of(form))
        except Refused as refusal:
            await ack(response_action="update", view=message_form(str(refusal)))
            return
        if not became.left:
            await ack()
            return
        kind = kind_of(decision)
        told = message_form(all_at_once.result(kind, became))
        await ack(response_action="update", view=all_at_once.result_view(told, kind))

    async def anything_else(self, ack: AsyncAck) -> None:
        """A form of an older version: it closes."""
        await ack()

    def _read(self, approval: Approval, action: Action, form: Submission) -> Decision | FieldErrors:
        place = Place.read(form.private_metadata)
        tool = (place.tool if place else "") or action.asked.tool
        option = turning.selected(form.values)
        if option is not None and turning.chosen(action, option) != tool:
            return FieldErrors({turning.BLOCK: say(turning.OTHER_FIELDS)})
        read = read_edit(
            turning.as_edited(action, tool),
            form.values,
            self._hidden(approval, action, tool),
            turning.prefix(action, tool),
        )
        if isinstance(read, FieldErrors):
            return read
        return Edit(read, None if tool == action.tool else tool)

    async def _sent(self, ack: AsyncAck, body: Payload, read: Read) -> None:
        form = payloads.submission(body)
        place = Place.read(form.private_metadata) if isinstance(form, Submission) else None
        if not isinstance(form, Submission) or place is None or place.action is None:
            await ack()
            return
        try:
            approval, action = await self.desk.look(place.action)
            decision = read(approval, action, form)
            if isinstance(decision, Edit) and (view := await self._review(approval, action, decision, form)):
                await ack(response_action="update", view=view)
                return
            errors = await self._decide(approval, action, decision, form, place.edition)
        except Refused as refusal:
            await ack(response_action="update", view=message_form(str(refusal)))
            await self._draw_home(form)
            return
        if errors:
            about = _with(approval, action, decision)
            masking = self.masking.of(approval.realm)
            told = {block: masking.text(sentence, about) for block, sentence in errors.items()}
            await ack(response_action="errors", errors=told)
        else:
            await ack()
            await self._draw_home(form)

    async def _draw_home(self, form: Submission) -> None:
        """What was sent from a form over a Home tab shows there."""
        if self.tabs and spot_of(form).home:
            await self.tabs.pressed(form.by)

    async def _review(self, approval: Approval, action: Action, read: Edit, form: Submission) -> View | None:
        """The form with what the edit changes, if that was not in view yet; None if it can be decided."""
        place = Place.read(form.private_metadata) or Place()
        if place.edition != action.edition:
            return None  # it is refused
        try:
            edit = await self.desk.proposed(action.id, read, by=form.by, spot=spot_of(form))
        except InvalidArguments:
            return None  # it is said at the fields
        tool = edit.tool or action.tool
        hidden = self._hidden(approval, action, tool)
        before = turning.as_edited(action, tool).arguments
        if place.shown == mark(approval, action, edit):
            return None
        is_unread = leaves_out(turning.as_edited(action, tool), hidden) and not await self.readers.has_opened(
            approval, action, form.by
        )
        in_view = is_in_view(before, edit.arguments, hidden) and not is_dangerous(action, edit)
        if in_view and not is_unread:
            return None
        masking = self.masking.of(approval.realm)
        shown = review(masking, approval, action, edit, form.by, is_unread=is_unread)
        view = edit_form(approval, action, hidden, tool=place.tool, review=shown)
        return stamped(view, spot_of(form))

    async def _decide(
        self,
        approval: Approval,
        action: Action,
        read: Decision | FieldErrors,
        form: Submission,
        drawn_from: str,
    ) -> dict[str, str]:
        """Decide, or the sentences by input. `Refused` where no input could show them.

        What is approved, a field that was not touched, and a choice are what the form was about; so they
        count only for the edition that it was drawn from.
        """
        if isinstance(read, FieldErrors):
            return dict(read.by_block)
        by_place = isinstance(read, Respond) and CHOICE in form.values
        seen = drawn_from if by_place or isinstance(read, Approve | Edit) else None
        try:
            await self.desk.decide(action.id, read, by=form.by, spot=spot_of(form), seen=seen)
        except InvalidArguments as invalid:
            if isinstance(read, Edit) and (errors := self._at_fields(approval, action, read, invalid)):
                return errors
            raise
        return {}

    def _at_fields(
        self, approval: Approval, action: Action, edit: Edit, invalid: InvalidArguments
    ) -> dict[str, str]:
        tool = edit.tool or action.tool
        hidden = self._hidden(approval, action, tool)
        edited, prefix = turning.as_edited(action, tool), turning.prefix(action, tool)
        return errors_by_block(edited, invalid.fields, hidden, prefix)

    def _hidden(self, approval: Approval, action: Action, tool: str) -> Hidden:
        return turning.hidden_in(self.masking.of(approval.realm), approval, action, tool)


def _with(approval: Approval, action: Action, read: Decision | FieldErrors) -> list[Approval]:
    """The approval as it is and as it would be: a sentence about what was typed may quote it."""
    if not isinstance(read, Edit):
        return [approval]
    made = replace(action, tool=read.tool or action.tool, arguments=read.arguments)
    return [approval, replace(approval, actions=(made,))]


def _answer(read: str | FieldErrors) -> Decision | FieldErrors:
    return read if isinstance(read, FieldErrors) else Respond(read)
