"""Modals and Home: opening, stacking, replacing and closing views."""

import secrets
from dataclasses import replace

from bot.sandbox.blocks import check_view
from bot.sandbox.blocks.walk import elements_of, with_ids
from bot.sandbox.core import Core
from bot.sandbox.errors import SlackError
from bot.sandbox.founding import BOT_USER
from bot.sandbox.records import Json, UserId, View, ViewId

STACK_LIMIT = 3


def checked(body: Json) -> Json:
    """The view as it will be kept; raises Slack's error when it breaks a rule."""
    problems = check_view(body)
    if problems:
        code = problems[0].code
        same = tuple(str(problem) for problem in problems if problem.code == code)
        # Slack names bad blocks of a view by its general error
        raise SlackError("invalid_arguments" if code == "invalid_blocks" else code, messages=same)
    return {**body, "blocks": with_ids(body["blocks"])}


def put_on_top(core: Core, user: UserId, body: Json, below: View | None = None) -> View:
    """Open a modal, above `below` in its stack or as a stack of its own."""
    body = checked(body)
    _external_id_is_free(core, body)
    if len(core.workspace.stack(user)) >= STACK_LIMIT:
        raise SlackError("push_limit_reached")
    view_id = ViewId(core.workspace.new_id("V"))
    view = View(
        id=view_id,
        user=user,
        body=body,
        hash=new_hash(core),
        root=below.root if below else view_id,
        previous=below.id if below else None,
        opened=core.workspace.new_number(),
        values=initial_values(body["blocks"]),
    )
    core.workspace.put(view)
    return view


def redraw(core: Core, view: View, body: Json) -> View:
    """Show another body in place of the present one; what was typed stays where the ids are the same."""
    body = checked(body)
    if body["type"] != view.body["type"]:
        raise SlackError("invalid_arguments", messages=("the type of a view cannot change",))
    if body.get("external_id") != view.body.get("external_id"):
        _external_id_is_free(core, body)
    values = initial_values(body["blocks"])
    for block_id, block_values in values.items():
        for action_id, fresh in block_values.items():
            earlier = view.values.get(block_id, {}).get(action_id)
            if earlier is not None and earlier["type"] == fresh["type"]:
                block_values[action_id] = earlier
    changed = replace(view, body=body, hash=new_hash(core), values=values, errors={})
    core.workspace.put(changed)
    return changed


def publish(core: Core, user: UserId, body: Json, expected_hash: str | None = None) -> View:
    """Put a Home view in place of the person's present one."""
    body = checked(body)
    home = core.workspace.home(user)
    if home is not None and expected_hash not in (None, "", home.hash):
        raise SlackError("hash_conflict")
    view_id = home.id if home else ViewId(core.workspace.new_id("V"))
    view = View(
        id=view_id,
        user=user,
        body=body,
        hash=new_hash(core),
        root=view_id,
        opened=core.workspace.new_number(),
        values=initial_values(body["blocks"]),
    )
    core.workspace.put(view)
    return view


def find(core: Core, view_id: str | None, external_id: str | None) -> View:
    """An open view by either id; not_found when it was closed."""
    for view in core.workspace.views.values():
        if view.id == view_id or (external_id and view.body.get("external_id") == external_id):
            return view
    raise SlackError("not_found")


def close(core: Core, view: View, *, whole_stack: bool = False) -> list[View]:
    """Close a modal (and what lies above it) or all of them; answers what was closed, top first."""
    stack = core.workspace.stack(view.user)
    gone = stack if whole_stack else stack[stack.index(view) :] if view in stack else []
    for closed in gone:
        core.workspace.drop(closed)
    return list(reversed(gone))


def new_hash(core: Core) -> str:
    """The mark of one drawing of a view."""
    return f"{core.workspace.new_ts().split('.')[0]}.{secrets.token_urlsafe(6)}"


def initial_values(blocks: list[Json]) -> Json:
    """`state.values` of a view that nobody has touched: every stateful element with its initial value."""
    values: Json = {}
    for block, element in elements_of(blocks):
        value = initial_value(element)
        if value is not None:
            values.setdefault(block["block_id"], {})[element["action_id"]] = value
    return values


VALUE_NAMES = {
    "plain_text_input": ("value", "initial_value"),
    "number_input": ("value", "initial_value"),
    "email_text_input": ("value", "initial_value"),
    "url_text_input": ("value", "initial_value"),
    "rich_text_input": ("rich_text_value", "initial_value"),
    "static_select": ("selected_option", "initial_option"),
    "external_select": ("selected_option", "initial_option"),
    "radio_buttons": ("selected_option", "initial_option"),
    "checkboxes": ("selected_options", "initial_options"),
    "multi_static_select": ("selected_options", "initial_options"),
    "multi_external_select": ("selected_options", "initial_options"),
    "users_select": ("selected_user", "initial_user"),
    "multi_users_select": ("selected_users", "initial_users"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "multi_conversations_select": ("selected_conversations", "initial_conversations"),
    "channels_select": ("selected_channel", "initial_channel"),
    "multi_channels_select": ("selected_channels", "initial_channels"),
    "datepicker": ("selected_date", "initial_date"),
    "timepicker": ("selected_time", "initial_time"),
    "datetimepicker": ("selected_date_time", "initial_date_time"),
}
"""For every stateful element: the name of its value in a payload, and of its initial value in the view."""


def initial_value(element: Json) -> Json | None:
    """The state of one untouched element; None for those that have none, such as buttons."""
    names = VALUE_NAMES.get(element["type"])
    if names is None:
        return None
    in_state, in_view = names
    empty: list[Json] | None = [] if in_state.endswith("s") else None
    return {"type": element["type"], in_state: element.get(in_view, empty)}


def _external_id_is_free(core: Core, body: Json) -> None:
    external_id = body.get("external_id")
    if external_id and any(
        view.body.get("external_id") == external_id for view in core.workspace.views.values()
    ):
        raise SlackError("duplicate_external_id")


def app_may_publish_to(core: Core, user: UserId) -> None:
    """Home exists for people of the workspace only."""
    account = core.workspace.accounts.get(user)
    if account is None or account.deleted or user == BOT_USER:
        raise SlackError("user_not_found" if account is None else "invalid_arguments")
