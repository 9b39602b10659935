"""What a person does with elements and forms, and what Slack does with the app's answer."""

from dataclasses import dataclass, field, replace

from bot.sandbox import modals, payloads
from bot.sandbox.answers import ImpossibleError, chosen, complaints, overlaid
from bot.sandbox.blocks.walk import elements_of
from bot.sandbox.core import Core
from bot.sandbox.delivery import Acked, Envelope, Unanswered
from bot.sandbox.errors import SlackError
from bot.sandbox.modals import VALUE_NAMES
from bot.sandbox.records import Account, ChannelId, Json, Message, Ts, View, ViewId

NO_ANSWER = "⚠ The app did not answer in time. Try again."
TROUBLE = "⚠ Connecting to the app did not work. Try again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """One use of an element: where it is, what was chosen. `stale` reaches back to earlier drawings."""

    block_id: str
    action_id: str
    given: Json = field(default_factory=dict)
    state: Json = field(default_factory=dict)
    stale: bool = False


class Interactions:
    """Delivers clicks and forms, waits for the app's acknowledgement, answers the client."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def message_click(self, account: Account, channel: ChannelId, ts: Ts, press: Press) -> Json:
        """The block_actions payload of a press in a message that this person can see."""
        message = self._message(account, channel, ts)
        shown = [message, *reversed(self._core.workspace.versions.get(message.key, []))]
        for drawing in shown if press.stale else shown[:1]:
            element = _element(drawing.blocks or [], press)
            if element is not None:
                chosen(element[1], press.given)
                return payloads.click_in_message(
                    self._core, account, drawing, element, given=press.given, state=press.state
                )
        raise ImpossibleError(f"The message has no element {press.action_id} in a block {press.block_id}.")

    async def press_in_message(self, account: Account, channel: ChannelId, ts: Ts, press: Press) -> Json:
        """Press a button or use a select of a message."""
        payload = self.message_click(account, channel, ts, press)
        return await self._click(account, payload, {"channel": channel, "ts": ts})

    def message_shortcut(self, account: Account, channel: ChannelId, ts: Ts, callback_id: str) -> Json:
        """The message_action payload of a shortcut on a message that this person can see."""
        if callback_id not in {one.callback_id for one in self._core.options.shortcuts}:
            raise ImpossibleError(f"The app has no message shortcut {callback_id}.")
        message = self._message(account, channel, ts)
        if message.seen_by is not None:
            raise ImpossibleError("A message that only one person sees has no shortcuts.")
        return payloads.message_action(self._core, account, message, callback_id)

    async def use_shortcut(self, account: Account, channel: ChannelId, ts: Ts, callback_id: str) -> Json:
        """Choose a shortcut of the app in a message's menu."""
        payload = self.message_shortcut(account, channel, ts, callback_id)
        return await self._click(account, payload, {"channel": channel, "ts": ts})

    async def press_in_view(self, account: Account, view_id: ViewId, press: Press) -> Json:
        """Press a button or use a select of a modal or of Home."""
        view = self._view(account, view_id)
        element = _element(view.body["blocks"], press)
        if element is None:
            raise ImpossibleError(f"The view has no element {press.action_id} in a block {press.block_id}.")
        values = overlaid(view.body["blocks"], view.values, press.state)
        if element[1]["type"] in VALUE_NAMES:
            own = {press.block_id: {press.action_id: press.given}}
            values = overlaid(view.body["blocks"], values, own)
        view = replace(view, values=values)
        self._core.workspace.put(view)
        payload = payloads.click_in_view(self._core, account, view, element, press.given)
        return await self._click(account, payload, {"view_id": view_id})

    async def submit(self, account: Account, view_id: ViewId, state: Json) -> Json:
        """Send a form off; what is not filled in is said without asking the app."""
        view = self._view(account, view_id)
        values = overlaid(view.body["blocks"], view.values, state)
        errors = complaints(view.body["blocks"], values)
        view = replace(view, values=values, errors=errors)
        self._core.workspace.put(view)
        if errors:
            return {"ok": False, "errors": errors}
        payload = payloads.submission(self._core, account, view)
        await self._core.workspace.commit()
        match await self._core.transport.send(Envelope(kind="interactive", payload=payload)):
            case Acked(payload=answer):
                return self._after_submission(account, view, answer)
            case Unanswered():
                return {"ok": False, "warning": TROUBLE}

    async def close(self, account: Account, view_id: ViewId, *, whole_stack: bool = False) -> Json:
        """Close a modal; the app hears of it only if it asked to."""
        view = self._view(account, view_id)
        gone = modals.close(
            self._core, view, whole_stack=whole_stack or bool(view.body.get("clear_on_close"))
        )
        self._tell_closed(account, gone, cleared=len(gone) > 1 or whole_stack)
        return {"ok": True}

    def _after_submission(self, account: Account, sent: View, answer: Json) -> Json:
        view = self._core.workspace.views.get(sent.id)
        if view is None:
            # the app closed or cleared it meanwhile by other means
            return {"ok": True}
        try:
            match answer.get("response_action"):
                case None:
                    modals.close(self._core, view)
                case "clear":
                    gone = modals.close(self._core, view, whole_stack=True)
                    self._tell_closed(account, [one for one in gone if one.id != view.id], cleared=True)
                case "update":
                    modals.redraw(self._core, view, _view_of(answer))
                case "push":
                    modals.put_on_top(self._core, account.id, _view_of(answer), view)
                case "errors":
                    return self._errors(view, answer.get("errors"))
                case _:
                    return {"ok": False, "warning": TROUBLE}
        except SlackError as error:
            return {"ok": False, "warning": TROUBLE, "detail": error.body()}
        return {"ok": True}

    def _errors(self, view: View, errors: object) -> Json:
        inputs = {block["block_id"] for block in view.body["blocks"] if block["type"] == "input"}
        good = isinstance(errors, dict) and errors and errors.keys() <= inputs
        if (
            not good
            or not isinstance(errors, dict)
            or not all(isinstance(text, str) for text in errors.values())
        ):
            detail = "the keys of errors must be block ids of input blocks, the values sentences"
            return {"ok": False, "warning": TROUBLE, "detail": detail}
        self._core.workspace.put(replace(view, errors=dict(errors)))
        return {"ok": False, "errors": dict(errors)}

    def _tell_closed(self, account: Account, gone: list[View], *, cleared: bool) -> None:
        for view in gone:
            if view.body.get("notify_on_close"):
                payload = payloads.closing(self._core, account, view, cleared=cleared)
                self._core.background.start(self._send_unwatched(payload), f"view_closed {view.id}")

    async def _send_unwatched(self, payload: Json) -> None:
        await self._core.transport.send(Envelope(kind="interactive", payload=payload))

    async def _click(self, account: Account, payload: Json, container: dict[str, str]) -> Json:
        await self._core.workspace.commit()
        match await self._core.transport.send(Envelope(kind="interactive", payload=payload)):
            case Acked():
                return {"ok": True}
            case Unanswered():
                self._core.workspace.notify(account.id, NO_ANSWER, container)
                return {"ok": False, "warning": NO_ANSWER}

    def _message(self, account: Account, channel_id: ChannelId, ts: Ts) -> Message:
        channel = self._core.workspace.channels.get(channel_id)
        message = self._core.workspace.messages.get(channel_id, {}).get(ts)
        seen = message is not None and message.seen_by in (None, account.id)
        if channel is None or message is None or not seen or account.id not in channel.members:
            raise ImpossibleError("This person sees no such message.")
        return message

    def _view(self, account: Account, view_id: ViewId) -> View:
        view = self._core.workspace.views.get(view_id)
        if view is None or view.user != account.id:
            raise ImpossibleError("This person has no such view open.")
        return view


def _element(blocks: list[Json], press: Press) -> tuple[Json, Json] | None:
    for block, element in elements_of(blocks):
        if block["block_id"] == press.block_id and element["action_id"] == press.action_id:
            return block, element
    return None


def _view_of(answer: Json) -> Json:
    view = answer.get("view")
    if not isinstance(view, dict):
        raise SlackError("invalid_arguments", messages=("the answer has no view",))
    return view
