"""From a person's text to a plan. Pure and quick for any text; see the tables in the tests."""

import re
from typing import Final

from bot.agents.offline.calls import Schemas, named_call
from bot.agents.offline.clauses import clauses
from bot.agents.offline.plan import Call, Plan, Round
from bot.agents.offline.sentences import understood

MOST_CALLS: Final = 100
"""Calls of one text; what is beyond is told as not understood."""
_SMALL_TALK: Final = re.compile(
    r"\W*(?:tidy\s+up|what\s+can\s+you\s+do|thanks?|thank\s+you|please|hi|hello|hey|help|ok(?:ay)?|and|then|now)?\W*",
    re.IGNORECASE,
)


def parse(text: str, schemas: Schemas) -> Plan:
    """The rounds of calls that the text asks for, of bound tools only."""
    rounds: list[Round] = []
    not_understood: list[str] = []
    for clause in clauses(text, frozenset(schemas)):
        asked = _rounds(clause.text, schemas)
        count = sum(map(len, rounds)) + sum(map(len, asked))
        if not asked or count > MOST_CALLS:
            if not _SMALL_TALK.fullmatch(clause.text):
                not_understood.append(clause.text)
        elif rounds and not clause.starts_round:
            rounds[-1] += asked[0]
            rounds.extend(asked[1:])
        else:
            rounds.extend(asked)
    return Plan(rounds=tuple(rounds), not_understood=tuple(not_understood))


def _rounds(clause: str, schemas: Schemas) -> tuple[Round, ...]:
    if call := named_call(clause, schemas):
        return ((call,),)
    asked = understood(clause)
    return asked if all(_bound(step, schemas) for part in asked for step in part) else ()


def _bound(step: object, schemas: Schemas) -> bool:
    """Whether a tool with the assistant's name also takes the assistant's arguments."""
    if not isinstance(step, Call):
        return True
    properties = (schemas.get(step.tool) or {}).get("properties") or {}
    return step.tool in schemas and step.arguments.keys() <= properties.keys()
