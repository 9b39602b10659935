"""views.*: modals and the Home tab."""

from bot.sandbox import modals
from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.records import Json, UserId, View
from bot.sandbox.slack_objects import view_object
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method


async def open_(core: Core, args: Arguments) -> Json:
    """Open a modal for whoever the trigger belongs to."""
    body = modals.checked(_body(args))
    trigger = core.triggers.redeem(_trigger_id(args))
    return _answer(core, modals.put_on_top(core, trigger.user, body))


async def push(core: Core, args: Arguments) -> Json:
    """Put a modal on the one in which the person acted."""
    body = modals.checked(_body(args))
    trigger = core.triggers.redeem(_trigger_id(args))
    below = core.workspace.views.get(trigger.view) if trigger.view else None
    if below is None:
        raise SlackError("not_found")
    return _answer(core, modals.put_on_top(core, trigger.user, body, below))


async def update(core: Core, args: Arguments) -> Json:
    """Redraw an open view; with `hash`, only if it is still the drawing that the app knows."""
    view = modals.find(core, args.optional_text("view_id"), args.optional_text("external_id"))
    body = _body(args)
    if args.optional_text("hash") not in (None, "", view.hash):
        raise SlackError("hash_conflict")
    return _answer(core, modals.redraw(core, view, body))


async def publish(core: Core, args: Arguments) -> Json:
    """Draw somebody's Home tab."""
    user = UserId(args.text("user_id"))
    modals.app_may_publish_to(core, user)
    body = _body(args)
    if body.get("type") != "home":
        raise SlackError("invalid_arguments", messages=("only a home view can be published",))
    return _answer(core, modals.publish(core, user, body, args.optional_text("hash")))


def _body(args: Arguments) -> Json:
    body = args.mapping("view", "invalid_arguments")
    if body is None:
        raise SlackError("invalid_arguments", messages=("missing required field: view",))
    return body


def _trigger_id(args: Arguments) -> str:
    return args.optional_text("trigger_id") or args.text("interactivity_pointer")


def _answer(core: Core, view: View) -> Json:
    return {"view": view_object(view, core)}


METHODS = {
    "views.open": Method(run=open_),
    "views.push": Method(run=push),
    "views.update": Method(run=update),
    "views.publish": Method(run=publish),
}
