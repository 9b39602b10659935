"""A second opinion on what we give to Slack: the same JSON, built again with the classes of `slackblocks`.

Usable from any test: `assert second_opinion(message) == []`; takes a message, blocks, or a view.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import slackblocks as sb

from bot.slack.message import Message

Json = Mapping[str, Any]

UNTOLD: Final = frozenset(
    {"emoji", "optional", "multiline", "verbatim", "type", "fallback", "timestamp", "format"}
)
"""Fields that `slackblocks` leaves out where they are false, and those of a date, which it does not know."""


def second_opinion(shown: Message | Json | list[Any]) -> list[str]:
    """What `slackblocks` finds wrong: a sentence per block or view; nothing if all is well."""
    match shown:
        case Message():
            return _blocks(shown.blocks, "message") + (
                [] if shown.text.strip() else ["the message has no text"]
            )
        case list():
            return _blocks(shown, "message")
        case {"blocks": list(blocks), "type": "modal" | "home" as surface}:
            return _blocks(blocks, surface) + _problems(lambda: _view(shown), "view")
        case {"blocks": list(blocks)}:
            return _blocks(blocks, "message")
        case _:
            return ["neither a message nor a view"]


def _blocks(blocks: list[Any], surface: str) -> list[str]:
    problems = [
        problem for place, each in enumerate(blocks) for problem in _problems(partial(_whole, each), place)
    ]
    if not problems and surface == "message":
        problems += _problems(lambda: sb.WebhookMessage(blocks=[_block(each) for each in blocks]), "message")
    return problems


def _problems(build: Callable[[], object], where: object) -> list[str]:
    try:
        built = build()
        repr(built)
    except Exception as error:  # noqa: BLE001 - whatever it raises is its opinion
        return [f"{where}: {type(error).__name__}: {error}"]
    return []


def _view(view: Json) -> object:
    blocks = [_block(each) for each in view["blocks"]]
    if view["type"] == "home":
        return sb.HomeTabView(blocks=blocks)
    return sb.ModalView(
        title=_text(view["title"]),
        blocks=blocks,
        close=_text(view.get("close")),
        submit=_text(view.get("submit")),
        private_metadata=view.get("private_metadata"),
        callback_id=view.get("callback_id"),
    )


def _whole(block: Json) -> sb.Block:
    """The block, every field of which was looked at."""
    built = _block(block)
    told = {*_fields(json.loads(repr(built)))}
    if lost := [field for field in _fields(block) if field not in told and field[-1] not in UNTOLD]:
        raise ValueError(f"fields that the adapter does not know: {sorted(set(lost))}")
    return built


def _fields(part: object, way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The names of all fields, each with those that it is in."""
    if isinstance(part, Mapping):
        for name, inner in part.items():
            yield (*way, name)
            yield from _fields(inner, (*way, name))
    elif isinstance(part, list):
        for inner in part:
            yield from _fields(inner, way)


def _block(block: Json) -> sb.Block:  # noqa: C901, PLR0911 - a case per block
    block_id = block.get("block_id")
    match block:
        case {"type": "rich_text", "elements": elements}:
            return sb.RichTextBlock([_rich(each) for each in elements], block_id=block_id)
        case {"type": "actions", "elements": elements}:
            return sb.ActionsBlock([_element(each) for each in elements], block_id=block_id)
        case {"type": "context", "elements": elements}:
            return sb.ContextBlock([_text(each) for each in elements], block_id=block_id)
        case {"type": "section", "text": text}:
            accessory = _element(block["accessory"]) if "accessory" in block else None
            return sb.SectionBlock(_text(text), block_id=block_id, accessory=accessory)
        case {"type": "header", "text": text}:
            return sb.HeaderBlock(_text(text), block_id=block_id)
        case {"type": "divider"}:
            return sb.DividerBlock(block_id=block_id)
        case {"type": "markdown", "text": text}:
            return sb.MarkdownBlock(text)
        case {"type": "table", "rows": rows}:
            return sb.TableBlock(
                [[sb.RawText(cell["text"]) for cell in row] for row in rows], block_id=block_id
            )
        case {"type": "plan", "title": title, "tasks": tasks}:
            return sb.PlanBlock(title, [_task(each) for each in tasks], block_id=block_id)
        case {"type": "context_actions", "elements": elements}:
            return sb.ContextActionsBlock([_feedback(each) for each in elements], block_id=block_id)
        case {"type": "input", "label": label, "element": element}:
            return sb.InputBlock(
                _text(label),
                _element(element),
                block_id=block_id,
                hint=_text(block.get("hint")),
                optional=block.get("optional", False),
                dispatch_action=block.get("dispatch_action", False),
            )
    raise ValueError(f"a block that the adapter does not know: {block.get('type')}")


def _task(task: Json) -> sb.TaskCardBlock:
    details, output = (_block(task[name]) if name in task else None for name in ("details", "output"))
    assert task["type"] == "task_card", task
    assert isinstance(details, sb.RichTextBlock | None), task
    assert isinstance(output, sb.RichTextBlock | None), task
    return sb.TaskCardBlock(
        task["task_id"], task["title"], details=details, output=output, status=task["status"]
    )


def _feedback(element: Json) -> sb.FeedbackButtons:
    def half(name: str) -> sb.FeedbackButton:
        told = element[name]
        return sb.FeedbackButton(
            _text(told["text"]), told["value"], accessibility_label=told.get("accessibility_label")
        )

    assert element["type"] == "feedback_buttons", element
    return sb.FeedbackButtons(
        half("positive_button"), half("negative_button"), action_id=element["action_id"]
    )


def _rich(part: Json) -> sb.RichTextObject:
    if part["type"] == "rich_text_list":
        items = [_rich(each) for each in part["elements"]]
        return sb.RichTextList(
            part["style"], [each for each in items if isinstance(each, sb.RichTextSection)]
        )
    pieces = [_piece(each) for each in part["elements"]]
    match part["type"]:
        case "rich_text_section":
            return sb.RichTextSection(pieces)
        case "rich_text_preformatted":
            return sb.RichTextCodeBlock(pieces)
        case "rich_text_quote":
            return sb.RichTextQuote(pieces)
    raise ValueError(f"a part of rich text that the adapter does not know: {part['type']}")


def _piece(piece: Json) -> sb.RichTextElement:
    match piece:
        case {"type": "text", "text": text}:
            if not text:
                raise ValueError("an empty piece of text")
            return sb.RichText(text, **piece.get("style", {}))
        case {"type": "user", "user_id": user}:
            return sb.RichTextUser(user)
        case {"type": "channel", "channel_id": channel}:
            return sb.RichTextChannel(channel)
        case {"type": "link", "url": url}:
            return sb.RichTextLink(url, piece.get("text"))
        case {"type": "date", "fallback": fallback}:
            return sb.RichText(fallback)  # it has no dates
    raise ValueError(f"a piece of rich text that the adapter does not know: {piece.get('type')}")


def _text(text: Json | None) -> Any:  # noqa: ANN401 - None only where None is right
    match text:
        case None:
            return None
        case {"type": "plain_text", "text": words}:
            return sb.PlainText(words, emoji=text.get("emoji", False))
        case {"type": "mrkdwn", "text": words}:
            return sb.Markdown(words, verbatim=text.get("verbatim", False))
    raise ValueError(f"a text that the adapter does not know: {text}")


def _element(element: Json) -> sb.Element:
    action_id = element.get("action_id")
    match element:
        case {"type": "button", "text": text}:
            return sb.Button(
                _text(text),
                action_id=action_id,
                url=element.get("url"),
                value=element.get("value"),
                style=element.get("style"),
                confirm=_confirm(element.get("confirm")),
                accessibility_label=element.get("accessibility_label"),
            )
        case {"type": "plain_text_input"}:
            return sb.PlainTextInput(
                action_id=action_id,
                initial_value=element.get("initial_value"),
                multiline=element.get("multiline", False),
                max_length=element.get("max_length"),
            )
        case {"type": "number_input", "is_decimal_allowed": decimal}:
            return sb.NumberInput(decimal, action_id=action_id, initial_value=element.get("initial_value"))
        case {"type": "datepicker"}:
            return sb.DatePicker(action_id=action_id, initial_date=element.get("initial_date"))
        case {"type": "checkboxes", "options": options}:
            several = [sb.Option(_text(option["text"]), option["value"]) for option in options]
            return sb.CheckboxGroup(action_id=action_id, options=several)
        case {"type": "multi_static_select", "options": options}:
            several = [sb.Option(_text(option["text"]), option["value"]) for option in options]
            return sb.StaticMultiSelectMenu(action_id=action_id, options=several)
        case {"type": "radio_buttons" | "static_select" as kind, "options": options}:
            made = {option["value"]: sb.Option(_text(option["text"]), option["value"]) for option in options}
            initial = element.get("initial_option")
            chosen = made[initial["value"]] if initial else None
            if kind == "radio_buttons":
                return sb.RadioButtonGroup(
                    action_id=action_id, options=list(made.values()), initial_option=chosen
                )
            return sb.StaticSelectMenu(
                action_id=action_id,
                options=list(made.values()),
                initial_option=chosen,
                placeholder=_text(element.get("placeholder")),
            )
    raise ValueError(f"an element that the adapter does not know: {element.get('type')}")


def _confirm(confirm: Json | None) -> sb.ConfirmationDialogue | None:
    if confirm is None:
        return None
    return sb.ConfirmationDialogue(
        _text(confirm["title"]),
        _text(confirm["text"]),
        _text(confirm["confirm"]),
        _text(confirm["deny"]),
        style=confirm.get("style"),
    )
