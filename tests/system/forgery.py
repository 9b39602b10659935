"""Payloads that Slack would not send: real ones, changed so that nothing may come of them.

Each has one change that must be enough to keep it out, and some more at random places.
"""

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from bot.sandbox.delivery import EnvelopeKind

Json = dict[str, Any]
Forgery = tuple[EnvelopeKind, Json]

ODD: list[Any] = [
    *(None, "", "x", 0, -1, 1e300, True, [], {}, [None], [[]], {"id": 7}, {"id": None}, "\x00", "\ud800"),
    *("../../etc", "' OR 1=1 --", "<!channel>", "${jndi:ldap://x}", "é" * 3000, 2**70, {"": {}}),
    *([{}] * 50, {str(n): n for n in range(50)}, [[[[[[[["deep"]]]]]]]], "U0BOB\n", " U0BOB", "u0bob"),
]
STRANGERS: list[Any] = ["U0NOBODY", "USLACKBOT", "U0AGENT", "U", "W", "S0GROUP", *ODD]


def _another_app(payload: Json, dice: random.Random) -> None:
    payload["api_app_id"] = dice.choice(["A0OTHER", "A0AGENT ", "a0agent", *ODD])


def _no_workspace(payload: Json, dice: random.Random) -> None:
    # A command is a form, in which everything is text.
    nothing: Any = "" if "command" in payload else dice.choice([None, "", {}, [], {"id": ""}, {"id": None}])
    payload.update(dict.fromkeys(("team", "team_id", "enterprise", "enterprise_id"), nothing))


def _a_stranger(payload: Json, dice: random.Random) -> None:
    stranger = dice.choice(STRANGERS)
    if "user_id" in payload:
        payload["user_id"] = stranger
    elif isinstance(payload.get("event"), dict):
        payload["event"]["user"] = stranger
    else:
        payload["user"] = dice.choice([{"id": stranger, "team_id": "T0SANDBOX"}, stranger])


def _another_button(payload: Json, dice: random.Random) -> None:
    if isinstance(payload.get("actions"), list):
        for action in payload["actions"]:
            if isinstance(action, dict):
                action["value"] = dice.choice(["0" * 32, "A" * 1999, json.dumps({"approve": True}), *ODD])
    elif isinstance(payload.get("view"), dict) and (place := _listing(payload["view"])):
        payload["view"]["private_metadata"] = _another_listing(place, dice)
    elif isinstance(payload.get("view"), dict):
        payload["view"]["private_metadata"] = dice.choice(
            ["0" * 32, '{"action": 7}', '{"action": "x"}', '{"page": -1}', "[" * 2000, *ODD]
        )
    else:
        _another_app(payload, dice)


def _listing(view: Json) -> Json | None:
    """What the form of Approve all carries; None for any other."""
    try:
        place = json.loads(view["private_metadata"])
        return place if place["listed"] and isinstance(place["listed"], dict) else None
    except (ValueError, TypeError, LookupError, RecursionError):
        return None


def _another_listing(place: Json, dice: random.Random) -> str:
    """Calls that are none, that were not listed so, one twice with two digests, or too many of them."""
    real: Json = place["listed"]
    changed = dict.fromkeys(real, "0" * 16)
    twice = f"{json.dumps(real)[:-1]}, {json.dumps(changed)[1:]}"
    listed: str = dice.choice(
        [
            json.dumps({dice.choice(["0" * 32, "é", "../x", "U0BOB"]): dice.choice([*real.values()])}),
            json.dumps(changed),
            json.dumps({id: bound.swapcase()[::-1] for id, bound in real.items()}),
            twice,
            json.dumps(real | {f"{number:032}": "0" * 16 for number in range(dice.choice([39, 40, 5000]))}),
            json.dumps(dict.fromkeys(real, dice.choice(ODD))),
            json.dumps(dice.choice(ODD)),
        ]
    )
    return f'{json.dumps({**place, "listed": 0})[:-1]}, "listed": {listed}}}'


OUTSIDE: list[Callable[[Json, random.Random], None]] = [_another_app, _no_workspace, _a_stranger]
OUTSIDE += [_another_button]
"""Each of these alone is enough."""


def forgeries(real: list[Forgery], number: int, seed: int = 20_261_130) -> Iterator[Forgery]:
    """So many of them, the same ones each time."""
    dice = random.Random(seed)  # noqa: S311 - repeatable on purpose
    for _ in range(number):
        kind, payload = copy.deepcopy(dice.choice(real))
        for _ in range(dice.choice([0, 0, 1, 2, 5])):
            _change(payload, dice)
        dice.choice(OUTSIDE)(payload, dice)
        yield kind, payload


def _change(payload: Any, dice: random.Random) -> None:  # noqa: ANN401 - any JSON
    """Something else, somewhere."""
    while isinstance(payload, dict | list) and payload:
        place = dice.choice(list(payload) if isinstance(payload, dict) else range(len(payload)))
        if isinstance(payload[place], dict | list) and payload[place] and dice.random() < 0.7:
            payload = payload[place]
            continue
        match dice.randrange(3):
            case 0:
                payload[place] = copy.deepcopy(dice.choice(ODD))
            case 1 if isinstance(payload, dict):
                del payload[place]
            case _:
                payload[place] = [payload[place], payload[place]]
        return
