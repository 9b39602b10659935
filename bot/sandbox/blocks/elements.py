"""Interactive elements, and in which blocks each of them may stand."""

from collections.abc import Mapping

from bot.sandbox.blocks.objects import (
    CONFIRM,
    ID,
    IMAGE,
    OPTION,
    OPTION_GROUP,
    OVERFLOW_OPTION,
    RICH_OPTION,
    URL,
    any_text,
    initial_among_options,
    initial_fits,
    plain_text,
)
from bot.sandbox.blocks.rich_text import RICH_TEXT
from bot.sandbox.blocks.rules import Rule, Shape, boolean, items, needs_one_of, one_of, string, whole

BASE: Mapping[str, Rule] = {"action_id": ID}
ASKING: Mapping[str, Rule] = {**BASE, "confirm": CONFIRM}
FILLABLE: Mapping[str, Rule] = {
    **BASE,
    "placeholder": plain_text(150),
    "focus_on_load": boolean,
    "confirm": CONFIRM,
}
WRITABLE: Mapping[str, Rule] = {
    **BASE,
    "placeholder": plain_text(150),
    "focus_on_load": boolean,
    "dispatch_action_config": Shape(
        optional={"trigger_actions_on": items(one_of("on_enter_pressed", "on_character_entered"), 1, 2)}
    ),
}
IDS = items(ID, 1, 100)
SEVERAL: Mapping[str, Rule] = {"max_selected_items": whole(1, 100)}
FILTER = Shape(
    optional={
        "include": items(one_of("im", "mpim", "private", "public"), 1, 4),
        "exclude_external_shared_channels": boolean,
        "exclude_bot_users": boolean,
    }
)
OPTIONS: Mapping[str, Rule] = {"options": items(OPTION, 1, 100), "option_groups": items(OPTION_GROUP, 1, 100)}
FEEDBACK_BUTTON = Shape(
    required={"text": plain_text(75), "value": string(2000)}, optional={"accessibility_label": string(75)}
)
NUMBER = string(100, pattern=r"-?\d+(\.\d+)?")

ELEMENTS: dict[str, Rule] = {
    "button": Shape(
        required={"text": plain_text(75)},
        optional={
            **ASKING,
            "value": string(2000),
            "url": URL,
            "style": one_of("primary", "danger"),
            "accessibility_label": string(75),
            "visible_to_user_ids": items(ID, 1, 10),
            "agent_prompt": string(4000),
            "agent_prompt_display": string(4000),
        },
    ),
    "icon_button": Shape(
        required={"icon": string(75), "text": plain_text(75)},
        optional={
            **ASKING,
            "value": string(2000),
            "accessibility_label": string(75),
            "visible_to_user_ids": items(ID, 1, 10),
        },
    ),
    "feedback_buttons": Shape(
        required={"positive_button": FEEDBACK_BUTTON, "negative_button": FEEDBACK_BUTTON}, optional=BASE
    ),
    "overflow": Shape(required={"options": items(OVERFLOW_OPTION, 1, 5)}, optional=ASKING),
    "static_select": Shape(
        optional={**FILLABLE, **OPTIONS, "initial_option": OPTION},
        checks=(needs_one_of("options", "option_groups"), initial_among_options),
    ),
    "multi_static_select": Shape(
        optional={**FILLABLE, **OPTIONS, **SEVERAL, "initial_options": items(OPTION, 1, 100)},
        checks=(needs_one_of("options", "option_groups"), initial_among_options),
    ),
    "external_select": Shape(
        optional={**FILLABLE, "initial_option": OPTION, "min_query_length": whole(0, 1000)}
    ),
    "multi_external_select": Shape(
        optional={
            **FILLABLE,
            **SEVERAL,
            "initial_options": items(OPTION, 1, 100),
            "min_query_length": whole(0, 1000),
        }
    ),
    "users_select": Shape(optional={**FILLABLE, "initial_user": ID}),
    "multi_users_select": Shape(optional={**FILLABLE, **SEVERAL, "initial_users": IDS}),
    "conversations_select": Shape(
        optional={
            **FILLABLE,
            "initial_conversation": ID,
            "default_to_current_conversation": boolean,
            "response_url_enabled": boolean,
            "filter": FILTER,
        }
    ),
    "multi_conversations_select": Shape(
        optional={
            **FILLABLE,
            **SEVERAL,
            "initial_conversations": IDS,
            "default_to_current_conversation": boolean,
            "filter": FILTER,
        }
    ),
    "channels_select": Shape(optional={**FILLABLE, "initial_channel": ID, "response_url_enabled": boolean}),
    "multi_channels_select": Shape(optional={**FILLABLE, **SEVERAL, "initial_channels": IDS}),
    "radio_buttons": Shape(
        required={"options": items(RICH_OPTION, 1, 10)},
        optional={**BASE, "initial_option": RICH_OPTION, "confirm": CONFIRM, "focus_on_load": boolean},
        checks=(initial_among_options,),
    ),
    "checkboxes": Shape(
        required={"options": items(RICH_OPTION, 1, 10)},
        optional={
            **BASE,
            "initial_options": items(RICH_OPTION, 1, 10),
            "confirm": CONFIRM,
            "focus_on_load": boolean,
        },
        checks=(initial_among_options,),
    ),
    "datepicker": Shape(optional={**FILLABLE, "initial_date": string(10, pattern=r"\d{4}-\d{2}-\d{2}")}),
    "timepicker": Shape(
        optional={
            **FILLABLE,
            "initial_time": string(5, pattern=r"([01]\d|2[0-3]):[0-5]\d"),
            "timezone": string(100),
        }
    ),
    "datetimepicker": Shape(
        optional={
            **BASE,
            "initial_date_time": whole(1_000_000_000, 9_999_999_999),
            "confirm": CONFIRM,
            "focus_on_load": boolean,
        }
    ),
    "plain_text_input": Shape(
        optional={
            **WRITABLE,
            "initial_value": string(3000, least=0),
            "multiline": boolean,
            "min_length": whole(0, 3000),
            "max_length": whole(1, 3000),
        },
        checks=(initial_fits,),
    ),
    "number_input": Shape(
        required={"is_decimal_allowed": boolean},
        optional={**WRITABLE, "initial_value": NUMBER, "min_value": NUMBER, "max_value": NUMBER},
    ),
    "email_text_input": Shape(optional={**WRITABLE, "initial_value": string(3000)}),
    "url_text_input": Shape(optional={**WRITABLE, "initial_value": string(3000)}),
    "rich_text_input": Shape(optional={**WRITABLE, "initial_value": RICH_TEXT}),
}

MULTI_SELECTS = frozenset(name for name in ELEMENTS if name.startswith("multi_"))
TYPED_INTO = frozenset(
    {"plain_text_input", "number_input", "email_text_input", "url_text_input", "rich_text_input"}
)
CONTEXT_ACTIONS = frozenset({"feedback_buttons", "icon_button"})
IN_ACTIONS = {
    name: rule for name, rule in ELEMENTS.items() if name not in MULTI_SELECTS | TYPED_INTO | CONTEXT_ACTIONS
}
IN_INPUT = {
    name: rule for name, rule in ELEMENTS.items() if name not in CONTEXT_ACTIONS | {"button", "overflow"}
}
IN_SECTION: dict[str, Rule] = {
    name: rule for name, rule in ELEMENTS.items() if name not in TYPED_INTO | CONTEXT_ACTIONS
} | {"image": IMAGE}
IN_CONTEXT_ACTIONS = {name: ELEMENTS[name] for name in CONTEXT_ACTIONS}
IN_CONTEXT: dict[str, Rule] = {
    "image": IMAGE,
    "plain_text": any_text(3000),
    "mrkdwn": any_text(3000),
}
