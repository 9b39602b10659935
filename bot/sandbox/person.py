"""One person at the keyboard, driven by a program. How to use it stands in `bot.sandbox`."""

# ruff: noqa: ASYNC109 - a `timeout` is what the author of a test looks for

import asyncio
from collections.abc import Callable, Mapping
from typing import Final, Protocol, TypeVar

from bot.sandbox import reading
from bot.sandbox.blocks.walk import elements_of
from bot.sandbox.filling import filled_in
from bot.sandbox.records import Json, UserId
from bot.sandbox.seeing import Wanted, fits, messages_in, picture

Found = TypeVar("Found")

PATIENCE: Final = 30.0
"""Seconds until what does not come is missed; only a failure takes that long."""


class NotSeenError(AssertionError):
    """What was waited for did not come; the message is a picture of what was there instead."""


class RefusedError(AssertionError):
    """The sandbox says that a person could not have done this, or that the app did not answer a form."""


class Wire(Protocol):
    """The connection to a sandbox."""

    async def get(self, path: str, query: dict[str, str]) -> Json:
        """Read something."""

    async def post(self, path: str, body: Json) -> Json:
        """Do something."""


class Person:
    """Somebody of the workspace. What waits takes `timeout` in seconds and raises NotSeenError."""

    def __init__(self, wire: Wire, user: UserId, name: str) -> None:
        self._wire = wire
        self.id = user
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def say(self, channel: str, text: str, *, thread: str | None = None) -> Json:
        """Write in "#channel", a channel id or "im".

        Answers {"ok": true, "ts": …}, or {"ok": false, "warning": …} for a command that failed.
        """
        body = {"channel": await self._channel(channel), "text": text, "thread_ts": thread}
        return await self._do("say", body)

    async def press(self, where: Json, button: str | int, *, nth: int = 0, stale: bool = False) -> Json:
        """Press a button of a message, form or Home by its word (the nth of equal ones) or by its place.

        Answers {"ok": true} when the app acknowledged, else {"ok": false, "warning": …}. `stale` presses a
        button that a later drawing of the message no longer has.
        """
        pressable = [pair for pair in elements_of(where.get("blocks") or []) if reading.is_button(pair[1])]
        if isinstance(button, str):
            same = [
                pair for pair in pressable if reading.word(pair[1]).lower() == reading.plain(button).lower()
            ]
        else:
            same, nth = pressable, button
        if not -len(same) <= nth < len(same):
            raise LookupError(f"no button {button!r} (number {nth}), only {reading.buttons(where)}")
        block, element = same[nth]
        return await self._act(where, block, element, {"stale": stale})

    async def uses_shortcut(self, message: Json, callback_id: str = "ask_about") -> Json:
        """Choose a shortcut of the app in a message's menu; answers as `press` does."""
        place = {"channel": message["channel"], "ts": message["ts"]}
        return await self._do("shortcut", {**place, "callback_id": callback_id})

    async def choose(self, where: Json, action_id: str, value: object) -> Json:
        """Use a select, checkbox, picker or menu of a message, form or Home, by its action id."""
        for block, element in elements_of(where.get("blocks") or []):
            if element["action_id"] == action_id:
                return await self._act(where, block, element, filled_in(element, value))
        raise LookupError(f"there is no element {action_id}")

    async def sees(
        self,
        wanted: Wanted,
        *,
        channel: str | None = None,
        thread: str | None = None,
        timeout: float = PATIENCE,
    ) -> Json:
        """The first message (of a channel, of a thread) that is as wanted; waits for it."""
        where = None if channel is None else await self._channel(channel)

        def look(state: Json) -> Json | None:
            for message in messages_in(state, where):
                if thread in (None, message["ts"], message.get("thread_ts")) and fits(message, wanted):
                    return message
            return None

        only = f"{where}/{thread}" if where and thread else where
        complaint = f"{self.name} did not see the message {wanted!r}"
        return await self._until(look, timeout, complaint, only=only)

    async def sees_change(self, message: Json, wanted: Wanted, *, timeout: float = PATIENCE) -> Json:
        """The same message, once it is as wanted."""
        thread = message.get("thread_ts") or message["ts"]

        def look(state: Json) -> Json | None:
            for one in messages_in(state, message["channel"]):
                if one["ts"] == message["ts"] and fits(one, wanted):
                    return one
            return None

        complaint = f"{self.name} did not see {reading.text_of(message)!r} become {wanted!r}"
        return await self._until(look, timeout, complaint, only=f"{message['channel']}/{thread}")

    async def sees_gone(self, message: Json, *, timeout: float = PATIENCE) -> None:
        """Wait until a message is deleted."""

        def look(state: Json) -> bool | None:
            left = [one for one in messages_in(state, message["channel"]) if one["ts"] == message["ts"]]
            return None if left else True

        complaint = f"{self.name} still sees {reading.text_of(message)!r}"
        await self._until(look, timeout, complaint, only=message["channel"])

    async def sees_privately(
        self, wanted: Wanted, *, channel: str | None = None, timeout: float = PATIENCE
    ) -> Json:
        """The first ephemeral message as wanted."""
        return await self.sees(
            lambda message: bool(message.get("ephemeral")) and fits(message, wanted),
            channel=channel,
            timeout=timeout,
        )

    async def form(self, wanted: Wanted = "", *, timeout: float = PATIENCE) -> Json:
        """The modal on top, once there is one that is as wanted."""

        def look(state: Json) -> Json | None:
            top: Json | None = state["views"][-1] if state["views"] else None
            return top if top is not None and fits(top, wanted) else None

        return await self._until(look, timeout, f"{self.name} has no form {wanted!r} open", only="own")

    async def no_form(self, *, timeout: float = PATIENCE) -> None:
        """Wait until no modal is open."""
        await self._until(
            lambda state: None if state["views"] else True, timeout, "a form is still open", only="own"
        )

    async def submit(self, form: Json, filled: Mapping[str, object] | None = None) -> dict[str, str]:
        """Send a form off with these fields filled in by their labels; the others stay as they are.

        Answers {} when it was accepted, else what is said at the fields, by label. RefusedError when the app
        did not answer or answered something that Slack does not understand.
        """
        state: Json = {}
        for label, value in (filled or {}).items():
            block, element = reading.field(form, label)
            state.setdefault(block["block_id"], {})[element["action_id"]] = filled_in(element, value)
        answer = await self._do("submit", {"view_id": form["id"], "state": state})
        if answer["ok"]:
            return {}
        if "errors" not in answer:
            raise RefusedError(f"{answer}")
        names = {
            block["block_id"]: block["label"]["text"] for block in form["blocks"] if block["type"] == "input"
        }
        return {names[block_id]: sentence for block_id, sentence in answer["errors"].items()}

    async def close(self, form: Json, *, whole_stack: bool = False) -> None:
        """Close a form without sending it."""
        await self._do("close", {"view_id": form["id"], "whole_stack": whole_stack})

    async def opens_home(self, wanted: Wanted = "", *, timeout: float = PATIENCE) -> Json:
        """Open the bot's Home tab and wait for what the bot puts there."""
        await self._do("open_home", {})
        return await self.home(wanted, timeout=timeout)

    async def home(self, wanted: Wanted = "", *, timeout: float = PATIENCE) -> Json:
        """The Home tab, once it is as wanted."""

        def look(state: Json) -> Json | None:
            home: Json | None = state["home"]
            return home if home is not None and fits(home, wanted) else None

        return await self._until(look, timeout, f"{self.name} sees no Home {wanted!r}", only="own")

    async def opens_im(self) -> str:
        """Open the direct message with the bot; answers its channel id."""
        return str((await self._do("open_im", {}))["channel"])

    async def opens_assistant(self, *, beside: str = "", thread: str = "") -> Json:
        """Open a thread of the older assistant view; with a `thread`, go to the channel `beside` it."""
        context = await self._channel(beside) if beside else ""
        return await self._do("open_assistant", {"context": context, "thread_ts": thread})

    async def messages(self, channel: str) -> list[Json]:
        """What this person sees in a channel now, oldest first, with replies and ephemerals."""
        where = await self._channel(channel)
        return messages_in(await self._state(only=where), where)

    async def thread(self, channel: str, ts: str) -> list[Json]:
        """A thread as this person sees it now, root first."""
        return [one for one in await self.messages(channel) if ts in (one["ts"], one.get("thread_ts"))]

    async def ephemerals(self, channel: str | None = None) -> list[Json]:
        """What this person alone can see now."""
        where = None if channel is None else await self._channel(channel)
        return [one for one in messages_in(await self._state(), where) if one.get("ephemeral")]

    async def notices(self) -> list[str]:
        """What Slack itself has said to this person."""
        return [notice["text"] for notice in (await self._state(only="own"))["notices"]]

    async def forms(self) -> list[Json]:
        """The open modals now, top last."""
        forms: list[Json] = (await self._state(only="own"))["views"]
        return forms

    async def _act(self, where: Json, block: Json, element: Json, given: Json) -> Json:
        place: Json = (
            {"channel": where["channel"], "ts": where["ts"]} if "ts" in where else {"view_id": where["id"]}
        )
        return await self._do(
            "act", {**place, "block_id": block["block_id"], "action_id": element["action_id"], **given}
        )

    async def _do(self, what: str, body: Json) -> Json:
        answer = await self._wire.post(f"/client/{what}", {"as": self.id, **body})
        if not answer["ok"] and "error" in answer:
            raise RefusedError(f"{self.name} cannot {what}: {answer['error']}")
        return answer

    async def _channel(self, name: str) -> str:
        if name == "im":
            return await self.opens_im()
        if not name.startswith("#"):
            return name
        for channel in (await self._state(only="own"))["channels"]:
            if channel["name"] == name.removeprefix("#"):
                return str(channel["id"])
        raise LookupError(f"{self.name} sees no channel {name}")

    async def _state(self, *, only: str | None = None, after: int = -1, timeout: float = 0.0) -> Json:
        query = {"as": self.id, "after": str(after), "timeout": f"{timeout:.3f}"}
        return await self._wire.get("/client/state", query if only is None else query | {"only": only})

    async def _until(
        self,
        look: Callable[[Json], Found | None],
        timeout: float,
        complaint: str,
        *,
        only: str | None = None,
    ) -> Found:
        loop = asyncio.get_running_loop()
        deadline, after = loop.time() + timeout, -1
        while True:
            left = max(deadline - loop.time(), 0)
            state = await self._state(only=only, after=after, timeout=left)
            found = look(state)
            if found is not None:
                return found
            if left <= 0:
                break
            after = state["seq"]
        raise NotSeenError(f"{complaint} within {timeout:g} s. There was:\n{picture(await self._state())}")
