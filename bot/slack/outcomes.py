"""What was decided about an action, drawn: who, when, why, and for an edit what became of what."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Final, assert_never

from slack_sdk.models.blocks import RichTextElement

from bot.approvals.action import Action, Decided, Expired, LetThrough, Outcome, Vote
from bot.approvals.decision import Approve, Arguments, Decision, Edit, Json, Reject, Respond
from bot.approvals.words import phrase, say, say_many
from bot.slack import doubts, votes
from bot.slack.arguments import Drawn, as_text, shares
from bot.slack.differences import difference, in_words, lines_of
from bot.slack.literal import date, excerpt, in_line, person, plain, quoted, section, worded
from bot.slack.not_asked import let_through
from bot.slack.text import weight

_MISSING: Final = object()
MASKED_CHANGE: Final = phrase("what is masked in it was changed")
_AROUND: Final = 24
"""Characters of what stayed the same, shown on both sides of a change in a long text."""
_WHOLE: Final = 200
"""Characters up to which both sides of a change are shown whole."""
_CHANGE: Final = 420
"""What the JSON around one change weighs."""
_BY_LINES: Final = 600
"""What it takes more to show a change line by line, with what is around it."""
_LONGEST_SIDE: Final = 2_000
"""Characters of an answer, or of one side of a change, that a card shows at most."""
_MOST_CHANGES: Final = 20


DECIDED_BY: Final = phrase("{decided} by {people}, {at}")
EXPIRED: Final = phrase("⌛ Expired")
"""What became of it, in a word, where nobody decided in time."""


def word(decision: Decision) -> str:
    """What was decided, in a word; emoji and word say the same."""
    match decision:
        case Approve():
            return say("✅ Approved")
        case Edit():
            return say("✏️ Edited and approved")
        case Reject():
            return say("⛔ Rejected")
        case Respond():
            return say("💬 Answered")
        case _:
            assert_never(decision)


def outcome(action: Action, told: Outcome, room: int, *, in_doubt: bool = False) -> Drawn:
    """What became of an action: the decision with all that belongs to it, or that there was none in time."""
    match told:
        case Decided():
            return _decision(action, told, room, in_doubt=in_doubt)
        case Expired(at=at):
            expired = worded(
                "{expired} unanswered, {at}", expired=plain(say(EXPIRED), bold=True), at=date(at)
            )
            return Drawn(elements=[section(*expired), *votes.given(action)])
        case LetThrough():
            return let_through(action, told)
        case _:
            assert_never(told)


def _decision(action: Action, decided: Decided, room: int, *, in_doubt: bool) -> Drawn:
    """The decision with person and time, and with what was said or changed."""
    became = doubts.word(decided.decision) if in_doubt else word(decided.decision)
    said = doubts.SAYS if in_doubt and not isinstance(decided.decision, Reject) else DECIDED_BY
    line = _by(became, votes.by_whom(action, decided), decided.at, said)
    before = votes.overruled(action, decided)
    match decided.decision:
        case Approve():
            return Drawn(elements=[line])
        case Reject(reason="") if in_doubt:
            return Drawn(elements=[line, *before])
        case Edit():
            rest = changes(action, decided.decision, room)
        case Reject(reason=reason):
            rest = _words(say("Reason:"), reason, room) if reason else _remark(say("No reason was given."))
        case Respond(message=message):
            empty = say("The response is empty.")
            rest = _words(say("Response:"), message, room) if message else _remark(empty)
        case _:
            assert_never(decided.decision)
    return Drawn(elements=[line, *rest.elements, *before], cut=rest.cut)


def edited(action: Action, room: int) -> Drawn:
    """What somebody made of the arguments that the agent asked for, while others have to agree to it."""
    match action.edit:
        case Vote(decision=Edit() as edit, by=by, at=at) if not action.outcome:
            line, rest = _by(say("✏️ Edited"), [person(by)], at), changes(action, edit, room)
            return Drawn(elements=[line, *rest.elements], cut=rest.cut)
        case _:
            return Drawn(elements=[])


def _by(
    became: str, people: Sequence[RichTextElement], at: datetime, words: str = DECIDED_BY
) -> RichTextElement:
    lead = plain(became, bold=True)
    return section(*worded(words, decided=lead, people=people, at=date(at)))


def need(action: Action) -> int:
    """How much room votes and decision about an action could use, roughly; nothing if there are none."""
    about_votes = votes.NEED if len(action.votes) > 1 or votes.counted(action) else 0
    return about_votes + _need(action, action.edit.decision if action.edit else None)


def _need(action: Action, edit: Decision | None) -> int:
    match action.outcome or edit:
        case None:
            return 0
        case Decided(decision=Edit(arguments=after)) | Edit(arguments=after):
            names = [
                name for name in {**action.arguments, **after} if not is_same(action.arguments, after, name)
            ]
            return sum(_need_of_change(action.arguments, after, name) for name in names)
        case Decided(decision=Reject(reason=text) | Respond(message=text)):
            return _CHANGE + min(weight(text), _LONGEST_SIDE)
        case _:
            return _CHANGE


def _need_of_change(before: Arguments, after: Arguments, name: str) -> int:
    values = [side[name] for side in (before, after) if name in side]
    by_lines = _BY_LINES if _has_lines(*values) else 0
    longest = max(min(weight(as_text(value)), _LONGEST_SIDE) for value in values)
    return _CHANGE + by_lines + 2 * longest  # both sides get as much


def _remark(sentence: str) -> Drawn:
    return Drawn(elements=[section(plain(sentence, italic=True))])


def _words(label: str, text: str, room: int) -> Drawn:
    part = excerpt(text, max(room - _CHANGE, _AROUND))
    return Drawn(elements=[section(plain(label, italic=True)), *quoted(part)], cut=bool(part.left_out))


def changes(action: Action, edit: Edit, room: int) -> Drawn:
    """What an edit changes; the tool first, if it is another one."""
    rest = _changed(action.arguments, edit.arguments, room)
    if edit.tool is None:
        return rest
    one, other = plain(_named(action.tool), code=True), plain(_named(edit.tool), bold=True, code=True)
    into = worded("Instead of {tool} it runs {other}, under that tool's rule.", tool=one, other=other)
    return Drawn(elements=[section(*into), *rest.elements], cut=rest.cut)


def _named(tool: str) -> str:
    return in_line(tool, 80)[0] or '""'


def _changed(before: Arguments, after: Arguments, room: int) -> Drawn:
    names = [name for name in {**before, **after} if not is_same(before, after, name)]
    if not names:
        return _remark(say("Nothing was changed."))
    told = names[: max(1, min(_MOST_CHANGES, room // _CHANGE))]
    rooms = shares([_need_of_change(before, after, name) for name in told], room)
    parts = [_change(name, before, after, share) for name, share in zip(told, rooms, strict=True)]
    elements = [element for part in parts for element in part.elements]
    if more := len(names) - len(told):
        others = say_many(
            "… and {count:,} more change, View all shows it.",
            "… and {count:,} more changes, View all shows them.",
            more,
        )
        elements.append(section(plain(others, italic=True)))
    return Drawn(elements=elements, cut=bool(more) or any(part.cut for part in parts))


def is_same(before: Arguments, after: Arguments, name: str) -> bool:
    """Equal in value and in type: 1, 1.0 and true are three things."""
    return name in before and name in after and repr(before[name]) == repr(after[name])


def _change(name: str, before: Arguments, after: Arguments, room: int) -> Drawn:
    label, cut = in_line(name, 120)
    if _has_lines(*(side[name] for side in (before, after) if name in side)):
        sides = [_in_lines(side[name]) if name in side else None for side in (before, after)]
        return _by_lines(label, sides[0], sides[1], room, cut=cut)
    half = max((room - _CHANGE) // 2, _AROUND * 2)
    old, new = _difference(before.get(name, _MISSING), after.get(name, _MISSING))
    was, shorter = _side(old, half)
    becomes, cropped = _side(new, half)
    line = section(plain(label or '""', bold=True), plain(": "), *was, plain(" → "), *becomes)
    return Drawn(elements=[line], cut=cut or shorter or cropped)


def _has_lines(*values: Json) -> bool:
    return any("\n" in as_text(value) for value in values)


def _in_lines(value: Json) -> str:
    """A text as it is, and a list or an object with a line for each of its items, however short."""
    return (
        json.dumps(value, ensure_ascii=False, indent=2) if isinstance(value, list | dict) else as_text(value)
    )


def _by_lines(label: str, was: str | None, becomes: str | None, room: int, *, cut: bool) -> Drawn:
    """None is what was not there, or is no more."""
    counts = in_words(lines_of(was, becomes))
    name = plain(label or '""', bold=True)
    heading = section(*worded("{name} ({changes}):", name=name, changes=counts or say(MASKED_CHANGE)))
    drawn = difference(was, becomes, room - _CHANGE) if counts else Drawn(elements=[])
    return Drawn(elements=[heading, *drawn.elements], cut=cut or drawn.cut)


def _side(text: str | None, room: int) -> tuple[list[RichTextElement], bool]:
    if text is None:
        return [plain(say("(absent)"), italic=True)], False
    shorter, cut = in_line(text, room)
    return [plain(shorter or '""', code=True)], cut


def _difference(old: object, new: object) -> tuple[str | None, str | None]:
    """Both sides as text; of long ones only what differs, with a little around it."""
    was, becomes = _said(old), _said(new)
    if was is None or becomes is None or max(weight(was), weight(becomes)) <= _WHOLE:
        return was, becomes
    front = max(_common(was, becomes) - _AROUND, 0)
    rest = min(len(was), len(becomes)) - front
    back = min(_common(was[::-1], becomes[::-1]), rest)
    back = max(back - _AROUND, 0)
    return _window(was, front, back), _window(becomes, front, back)


def _common(one: str, other: str) -> int:
    """How many first characters are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _window(text: str, front: int, back: int) -> str:
    middle = text[front : len(text) - back]
    return f"{'…' if front else ''}{middle}{'…' if back else ''}"


def _said(value: object) -> str | None:
    if value is _MISSING:
        return None
    known: Json = value  # type: ignore[assignment]  # not the mark, so it is an argument
    return as_text(known)
