"""The forms: modals that ask for a reason, an answer or other arguments, and the one that tells a refusal."""

from collections.abc import Mapping
from typing import Final

from slack_sdk.models.blocks import (
    Block,
    ContextBlock,
    InputBlock,
    MarkdownTextObject,
    RichTextBlock,
    SectionBlock,
)
from slack_sdk.models.views import View as SlackView

from bot.approvals.approval import Action, Approval
from bot.approvals.words import phrase, say, say_many
from bot.slack import buttons, choices, turning, verbs
from bot.slack.arguments import as_text
from bot.slack.edits import FieldErrors, errors_by_block, read_edit, typed
from bot.slack.fields import Field, Hidden, fields
from bot.slack.inputs import input_block, literal, text_input
from bot.slack.literal import in_line, plain, section, worded
from bot.slack.message import View
from bot.slack.place import Place
from bot.slack.requests import name, number_of, request
from bot.slack.reviewing import Review
from bot.slack.text import clip, own_words
from bot.slack.viewing import view_all

__all__ = ["FieldErrors", "edit_form", "errors_by_block", "message_form", "read_edit", "read_message"]
__all__ += ["read_reason", "reject_form", "respond_form", "unread_form", "view_all"]

REASON, RESPONSE = "reason", "response"
LONGEST_ANSWER: Final = 3_000
IN_OWN_WORDS: Final = phrase("In your own words: instead of a choice, or beside it.")
_QUESTION: Final = 6_000
_MOST_NAMED: Final = 8
_NOTHING_HIDDEN: Final[Hidden] = {}


def reject_form(approval: Approval, action: Action) -> View:
    """Asks why; the reason may be left out."""
    asked = section(*worded("Reject {tool}? It will not run.", tool=plain(name(action), code=True)))
    reason = InputBlock(
        block_id=REASON,
        label=literal(say("Reason")),
        hint=literal(say("The agent is told. You may leave it empty.")),
        element=text_input(multiline=True, longest=LONGEST_ANSWER),
        optional=True,
    )
    ready = [choices.reason_input(action.briefing.reasons)] if action.briefing.reasons else []
    blocks = [RichTextBlock(elements=[asked], block_id="asked"), *ready, reason]
    return _form(say("Reject"), say("Reject"), to=verbs.REJECT_FORM, about=(approval, action), blocks=blocks)


def respond_form(approval: Approval, action: Action) -> View:
    """Asks for the answer, with the question in view."""
    named = choices.choices(action.asked)
    question = choices.shown_beside(action.asked) if named else action.asked
    asked = request(question, number_of(approval, action), len(approval.actions), _QUESTION)
    hint = say("The agent gets this as the result; nothing runs.")
    response = InputBlock(
        block_id=RESPONSE,
        label=literal(say("Response")),
        hint=literal(f"{say(IN_OWN_WORDS)} {hint}" if named else hint),
        element=text_input(multiline=True, longest=LONGEST_ANSWER),
        optional=named is not None,
    )
    choice = [choices.answer_input(named)] if named else []
    blocks = [RichTextBlock(elements=asked.elements, block_id="asked"), *choice, response]
    return _form(say("Respond"), say("Send"), to=verbs.RESPOND_FORM, about=(approval, action), blocks=blocks)


def unread_form(approval: Approval, action: Action) -> View:
    """Asks whoever has not opened the whole of a call whether it is to run all the same."""
    arguments = action.asked.arguments
    length = sum(len(as_text(value)) for value in arguments.values())
    told = worded(
        "You have not seen the whole of it: {tool} has {arguments}, {length:,} characters.",
        tool=plain(name(action), code=True),
        arguments=say_many("{count:,} argument", "{count:,} arguments", len(arguments)),
        length=length,
    )
    blocks = [
        RichTextBlock(elements=[section(*told)], block_id="asked"),
        *buttons.row([buttons.view_all(action)], "view"),
    ]
    return _form(
        say("Not all seen"), say("Approve"), to=verbs.UNREAD_FORM, about=(approval, action), blocks=blocks
    )


def edit_form(
    approval: Approval,
    action: Action,
    hidden: Hidden = _NOTHING_HIDDEN,
    *,
    tool: str = "",
    review: Review | None = None,
) -> View:
    """One input per argument. What does not fit into a form stays as it is, and the form says so.

    What is masked starts empty and stays as it is as well, unless something is typed. `tool` is another one
    that the call is to be turned into; empty for the one that is asked about. With a `review` what was typed
    stays in the fields, and the difference stands above them.
    """
    edited = turning.as_edited(action, tool or action.asked.tool)
    every = fields(edited, hidden, turning.prefix(action, edited.tool))
    inputs = [input_block(field) for field in every if not field.kept]
    told = worded("Arguments of {tool}. What you send is what runs.", tool=plain(name(edited), code=True))
    choice = turning.choice(action, edited.tool)
    blocks: list[Block] = [RichTextBlock(elements=[section(*told)], block_id="asked")]
    if review:
        blocks.append(RichTextBlock(elements=review.elements, block_id=f"changes.{review.shown}"))
    if review and review.is_unread:
        blocks += buttons.row([buttons.view_all(action)], "view")
    blocks += [*choice, *inputs]
    if not every:
        blocks.append(_note(say("This call has no arguments that could be edited."), "none"))
    if edited.tool != action.tool:
        rule = say("Its own rule says who approves it; if you may not, others are asked.")
        blocks.append(_note(rule, "rule"))
    if kept := [field for field in every if field.kept]:
        blocks.append(_kept(kept))
    return _form(
        say("Edit"),
        _edited(review) if inputs or choice else None,
        to=verbs.EDIT_FORM,
        about=(approval, action),
        blocks=blocks,
        tool=tool,
        shown=review.shown if review else "",
    )


def _edited(review: Review | None) -> str:
    return say(buttons.SURE) if review and review.is_dangerous else say("Approve edited")


def message_form(sentence: str) -> View:
    """A sentence for the person whose form is open, in its place."""
    text = MarkdownTextObject(text=clip(own_words(sentence).strip(), 2_800) or "…", verbatim=True)
    block = SectionBlock(text=text, block_id="sentence")
    return _modal(say("Not done"), None, verbs.PLAIN_VIEW, [block], "")


def read_reason(values: Mapping[str, object], reasons: tuple[str, ...] = ()) -> str:
    """The reason of a reject form that offers these, chosen, typed or both; empty if none was given."""
    ready = choices.chosen_reason(reasons, values)
    return choices.sentences(ready, _read(values, REASON))


def read_message(values: Mapping[str, object], action: Action | None = None) -> str | FieldErrors:
    """The answer of a respond form, chosen, typed or both; it cannot be empty."""
    chosen = choices.chosen_answer(action.asked, values) if action else ""
    told = choices.lines(chosen, _read(values, RESPONSE))
    return told or FieldErrors({RESPONSE: say("This needs an answer.")})


def _read(values: Mapping[str, object], block_id: str) -> str:
    try:
        return (typed(values, block_id) or "").strip()
    except (ValueError, TypeError):
        return ""


def _kept(kept: list[Field]) -> ContextBlock:
    """Which arguments stay as they are, and why."""
    told = say(", ").join(
        say("{name} ({why})", name=in_line(field.name, 80)[0], why=field.kept) for field in kept[:_MOST_NAMED]
    )
    if (more := len(kept) - _MOST_NAMED) > 0:
        told = say("{before}, and {count:,} more", before=told, count=more)
    return _note(say("Not in this form and left as they are: {arguments}.", arguments=told), "kept")


def _note(text: str, block_id: str) -> ContextBlock:
    return ContextBlock(elements=[literal(text)], block_id=block_id)


def _form(
    title: str,
    submit: str | None,
    *,
    to: str,
    about: tuple[Approval, Action],
    blocks: list[Block],
    tool: str = "",
    shown: str = "",
) -> View:
    approval, action = about
    place = Place(action=action.id, approval=approval.id, edition=action.edition, tool=tool, shown=shown)
    return _modal(title, submit, to, blocks, str(place))


def _modal(title: str, submit: str | None, callback_id: str, blocks: list[Block], metadata: str) -> View:
    view = SlackView(
        type="modal",
        callback_id=callback_id,
        title=literal(title),
        submit=literal(submit) if submit else None,
        close=literal(say("Cancel") if submit else say("Close")),
        blocks=blocks,
        private_metadata=metadata,
    )
    return dict(view.to_dict())
