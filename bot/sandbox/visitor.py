"""Programs as visitors of a workspace: a connection to a sandbox, here or in another process."""

import asyncio
from typing import Self

import aiohttp

from bot.sandbox.faults import Fault
from bot.sandbox.person import Person
from bot.sandbox.records import Json, UserId


class Visitor:
    """One connection; `person` gives the people to act as. Close it, or use `async with`."""

    def __init__(self, address: str, session: aiohttp.ClientSession) -> None:
        self.address = address.rstrip("/")
        self._session = session
        self._people: dict[str, UserId] = {}

    @classmethod
    async def connect(cls, address: str, *, patience: float = 30.0) -> Self:
        """Connect to a sandbox that is running, or will be within `patience` seconds; else TimeoutError."""
        session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))
        visitor = cls(address, session)
        try:
            async with asyncio.timeout(patience):
                await visitor._knock()
        except BaseException:
            await session.close()
            raise
        return visitor

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connection."""
        await self._session.close()

    def person(self, name: str) -> Person:
        """Somebody who was there when the visitor came, by name ("Alice") or user id."""
        if name not in self._people:
            raise LookupError(f"nobody here is called {name}")
        return self.as_user(self._people[name], name)

    def as_user(self, user: UserId, name: str) -> Person:
        """Somebody by user id."""
        return Person(self, user, name)

    async def fault(self, fault: Fault) -> None:
        """Switch a fault on."""
        async with self._session.post(
            f"{self.address}/sandbox/faults", data=fault.model_dump_json()
        ) as response:
            response.raise_for_status()

    async def clear_faults(self) -> None:
        """Everything works again."""
        async with self._session.delete(f"{self.address}/sandbox/faults") as response:
            response.raise_for_status()

    async def calls(self, method: str | None = None) -> list[Json]:
        """What the app asked of the Web API, oldest first."""
        found = await self.get("/sandbox/calls", {"method": method} if method else {})
        calls: list[Json] = found["calls"]
        return calls

    async def get(self, path: str, query: dict[str, str]) -> Json:
        """Read something."""
        async with self._session.get(self.address + path, params=query) as response:
            answer: Json = await response.json()
            return answer

    async def post(self, path: str, body: Json) -> Json:
        """Do something as a person."""
        async with self._session.post(self.address + path, json=body) as response:
            answer: Json = await response.json()
            return answer

    async def _knock(self) -> None:
        while not self._people:
            try:
                boot = await self.get("/client/boot", {})
            except aiohttp.ClientError:
                await asyncio.sleep(0.05)
                continue
            for one in boot["people"]:
                self._people |= {one["name"]: one["id"], one["id"]: one["id"]}
