"""What of an approval people do not get to see: secrets, by the name they have and by their shape. Pure.

Only what is drawn is masked, in the language that is spoken. The rows, the digest and the tool keep the real
bytes.
"""

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self, TypeAlias, assert_never

from bot.approvals.action import Action, Decided, Vote
from bot.approvals.approval import Approval
from bot.approvals.decision import Approve, Arguments, Decision, Edit, Json, Reject, Respond
from bot.approvals.masks import is_mask, mask, mask_of_boolean, retold
from bot.approvals.realm import Realm
from bot.approvals.referents import Referents
from bot.approvals.rendered import Rendered
from bot.approvals.sayings import reworded
from bot.approvals.secret_names import SecretNames, named
from bot.approvals.secrets import masked_text

_SHORTEST: Final = 4
"""Characters of a secret that is looked for in other texts as well; shorter ones are in every word."""
_OWN_WORD: Final = 6
"""Shorter than this, it is looked for as a word of its own."""
_MOST: Final = 200


class Masked(str):
    """A text with something masked. Two of them look alike although what they hide differs: `repr` tells."""

    __slots__ = ("_print", "whole")
    _print: int
    whole: bool
    """Whether nothing of it can be seen."""

    @classmethod
    def of(cls, told: str, hidden: Json, *, whole: bool) -> Self:
        """What is told in place of what is hidden."""
        made = cls(told)
        made._print, made.whole = hash(repr(hidden)), whole  # Python's own hash, another in every process
        return made

    def __repr__(self) -> str:
        return f"<{super().__repr__()} {self._print:x}>"


Redact: TypeAlias = Callable[[str], tuple[str, ...]]
Secrets: TypeAlias = tuple[str, ...]
"""Real bytes, the longest first: never to be shown."""


def _no_more(_: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Masking:
    """Masks approvals and texts: by shape, by the names that always mean secrets, and by a policy's."""

    redact: Redact = _no_more
    """Patterns for more names, by tool."""

    def of(self, realm: Realm) -> Self:  # noqa: ARG002 - whichever it is
        """This one: it masks for all."""
        return self

    def approval(self, approval: Approval) -> Approval:
        """The approval as people see it; for drawing, and for nothing else."""
        known = _known(self._secrets(approval))
        actions = tuple(self._action(action, known) for action in approval.actions)
        return replace(approval, actions=actions, note=reworded(_text(approval.note, known), retold))

    def pair(self, approval: Approval, action: Action | None) -> tuple[Approval, Action | None]:
        """An approval and one of its actions as people see them."""
        masked = self.approval(approval)
        return masked, masked.action(action.id) if action else None

    def text(self, text: str, about: Iterable[Approval] = (), *, secrets: Secrets = ()) -> str:
        """A text as people see it, in which secrets of these approvals may be quoted, or these `secrets`."""
        if secrets:
            return _text(text, secrets)
        return _text(text, _known(secret for approval in about for secret in self._secrets(approval)))

    def json(self, value: Json, about: Iterable[Approval] = ()) -> Json:
        """The same for a JSON value, in which names mean secrets too."""
        known = _known(secret for approval in about for secret in self._secrets(approval))
        return _value(value, ("",), SecretNames(()), known)

    def secrets(self, calls: Iterable[tuple[str, Arguments]], about: Iterable[Approval] = ()) -> Secrets:
        """What stands behind the names of secrets in these calls and approvals, to look for elsewhere."""
        found = [secret for approval in about for secret in self._secrets(approval)]
        found += [one for tool, args in calls for one in SecretNames(self.redact(tool)).secrets(args)]
        return _known(found)

    def arguments(self, tool: str, arguments: Arguments, secrets: Secrets = ()) -> dict[str, Json]:
        """A call's arguments as people see them, where nobody was asked about it too."""
        return self._arguments(tool, arguments, secrets)

    def hidden(self, action: Action, *more: str, about: Iterable[Approval] = ()) -> Mapping[str, str]:
        """The arguments of which something is masked, and what is told in their place.

        `more` are other tools whose names for secrets count as well: those that the arguments came from.
        Its own secrets are looked for in all of its arguments, and so are those of the approvals `about` it.
        """
        tools = (*dict.fromkeys(tool for tool in more if tool != action.tool), action.tool)
        known = self.secrets(((tool, action.arguments) for tool in tools), about)
        return {name: told for tool in tools for name, told in self._hidden(tool, action, known).items()}

    def _hidden(self, tool: str, action: Action, known: Secrets) -> dict[str, str]:
        masked = self._arguments(tool, action.arguments, known)
        pairs = zip(action.arguments, masked.values(), strict=True)
        return {name: _told(value) for name, value in pairs if is_masked(value)}

    def _action(self, action: Action, known: tuple[str, ...]) -> Action:
        outcome = action.outcome
        if isinstance(outcome, Decided):
            outcome = replace(outcome, decision=self._decision(action.tool, outcome.decision, known))
        return replace(
            action,
            arguments=self._arguments(action.tool, action.arguments, known),
            description=_text(without_repetition(action), known),
            referents=_referents(action.referents, known),
            votes=tuple(self._vote(action.tool, vote, known) for vote in action.votes),
            outcome=outcome,
            briefing=replace(action.briefing, rendered=self._rendered(action, known)),
        )

    def _rendered(self, action: Action, known: tuple[str, ...]) -> Rendered | None:
        names = SecretNames(self.redact(action.tool))

        def words(name: str, text: str) -> str:
            if name and not is_mask(text) and names.mean_secret((name,), text):
                return _whole(text)
            return retold(_text(text, known))

        told = action.briefing.rendered
        return told.reworded(words) if told else None

    def _vote(self, tool: str, vote: Vote, known: tuple[str, ...]) -> Vote:
        decision = self._decision(tool, vote.decision, known)
        return replace(vote, decision=decision, referents=_referents(vote.referents, known))

    def _decision(self, tool: str, decision: Decision, known: tuple[str, ...]) -> Decision:
        match decision:
            case Approve():
                return decision
            case Edit(arguments=arguments, tool=other):
                return Edit(self._arguments(other or tool, arguments, known), other)
            case Reject(reason=reason):
                return Reject(_text(reason, known))
            case Respond(message=message):
                return Respond(_text(message, known))
            case _:
                assert_never(decision)

    def _arguments(self, tool: str, arguments: Arguments, known: tuple[str, ...]) -> dict[str, Json]:
        names = SecretNames(self.redact(tool))
        masked: dict[str, Json] = {}
        for name, value in arguments.items():
            masked[_free(_text(name, ()), masked)] = _value(value, (name,), names, known)
        return masked

    def _secrets(self, approval: Approval) -> Iterator[str]:
        """What stands behind the names of secrets, in what was asked and in what was made of it."""
        for action in approval.actions:
            made = [vote.decision for vote in action.votes]
            made += [action.outcome.decision] if isinstance(action.outcome, Decided) else []
            edits = [(one.tool or action.tool, one.arguments) for one in made if isinstance(one, Edit)]
            for tool, arguments in ((action.tool, action.arguments), *edits):
                yield from SecretNames(self.redact(tool)).secrets(arguments)


BY_DEFAULT: Final = Masking()
"""Without a policy."""


def without_repetition(action: Action) -> str:
    """The description without LangChain's repetition of tool and arguments, which are shown anyway."""
    repeated = f"\n\nTool: {action.tool}\nArgs: {dict(action.arguments)}"
    return action.description.strip().removesuffix(repeated).strip()


def is_masked(value: Json) -> bool:
    """Whether something of the value is masked."""
    match value:
        case Masked():
            return True
        case dict():
            return any(is_masked(inner) for inner in value.values())
        case list():
            return any(is_masked(inner) for inner in value)
        case _:
            return False


def _value(value: Json, path: tuple[str, ...], names: SecretNames, known: tuple[str, ...]) -> Json:
    if names.mean_secret(path, value):
        return _whole(value)
    match value:
        case str():
            return _text(value, known)
        case dict():
            masked: dict[str, Json] = {}
            for key, inner in named(value):
                label = _free(_text(key, ()), masked)
                masked[label] = _value(value[key], (*path, inner), names, known)
            return masked
        case [str(called), second] if names.mean_secret((*path, called), second):
            return [called, _whole(second)]
        case list():
            return [_value(inner, path, names, known) for inner in value]
        case _:
            return value


def _referents(referents: Referents | None, known: tuple[str, ...]) -> Referents | None:
    if referents is None:
        return None

    def problem(told: str) -> str:
        return retold(_text(told, known))

    masked: dict[str, str] = {}
    for name, text in referents.texts.items():
        masked[_free(_text(name, known), masked)] = _text(text, known)
    return Referents(texts=masked, problem=reworded(referents.problem, problem))


def _free(label: str, taken: Container[str]) -> str:
    """The label, or one like it that no other argument has: nothing disappears because it looks the same."""
    while label in taken:
        label = f"{label}'"
    return label


def _whole(value: Json) -> Masked:
    match value:
        case str():
            told = mask(len(value))
        case bool():
            told = mask_of_boolean()
        case int() | float():
            told = mask(len(str(value)), "number")
        case list():
            told = mask(len(json.dumps(value, ensure_ascii=False)), "list")
        case _:
            told = mask(len(json.dumps(value, ensure_ascii=False)), "object")
    return Masked.of(told, value, whole=True)


def _text(text: str, known: tuple[str, ...]) -> str:
    """The text without what is known to be secret and without what looks like it."""
    return reworded(text, lambda words: _masked(words, known))


def _masked(text: str, known: tuple[str, ...]) -> str:
    told = text
    for secret in known:
        if secret in told:
            told = _without(told, secret)
    told = masked_text(told)
    return told if told == text else Masked.of(told, text, whole=False)


def _without(text: str, secret: str) -> str:
    if len(secret) >= _OWN_WORD:
        return text.replace(secret, mask(len(secret)))
    return re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", mask(len(secret)), text)


def _known(secrets: Iterable[str]) -> tuple[str, ...]:
    """What is looked for, the longest first; also as JSON writes it."""
    found = {form for secret in secrets for form in (secret, json.dumps(secret)[1:-1])}
    return tuple(sorted((one for one in found if len(one) >= _SHORTEST), key=len, reverse=True)[:_MOST])


def _told(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
