"""What an administrator of the workspace does, for tests: people and channels come, change and go."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from bot.sandbox import founding, grants
from bot.sandbox.core import Core
from bot.sandbox.events import Events
from bot.sandbox.person import Person
from bot.sandbox.records import Account, Channel, ChannelId, UserGroup
from bot.sandbox.web_api.oauth import taken_away


class Administration(Protocol):
    """Mixed into the sandbox, which has the workspace and the people."""

    @property
    def core(self) -> Core:
        """The running parts."""

    def person(self, name: str) -> Person:
        """Somebody of the workspace, by name or user id."""

    async def add_person(self, account: Account, channels: Iterable[str] = ()) -> Person:
        """Let somebody join the workspace and the named channels."""
        self.core.workspace.put(account)
        for name in channels:
            channel = self.channel(name)
            self.core.workspace.put(replace(channel, members=(*channel.members, account.id)))
        await self.core.workspace.commit()
        return self.person(account.id)

    def account(self, name: str) -> Account:
        """The record of a person, to be changed with `dataclasses.replace` and `change`."""
        return self.core.workspace.accounts[self.person(name).id]

    def channel(self, name: str) -> Channel:
        """The record of a channel, by "#name", name or id."""
        wanted = name.removeprefix("#")
        for channel in self.core.workspace.channels.values():
            if wanted in (channel.id, channel.name):
                return channel
        raise LookupError(f"there is no channel {name}")

    def user_group(self, handle: str) -> UserGroup:
        """The record of a user group, by "@handle", handle or id."""
        wanted = handle.lstrip("@")
        for group in self.core.workspace.user_groups.values():
            if wanted in (group.id, group.handle):
                return group
        raise LookupError(f"there is no user group {handle}")

    async def change(self, record: Account | Channel | UserGroup) -> None:
        """Put a changed account, channel or user group in place: members come and go, and more."""
        self.core.workspace.put(record)
        await self.core.workspace.commit()

    async def uninstall_app(self, *, from_all: bool = False) -> None:
        """Take the app away, with all its tokens, or from the whole organisation; the app is told."""
        taken_away(self.core, of_all=from_all)
        await self._committed()

    async def add_app(self, *, is_there: bool = True) -> None:
        """Add the organisation's app to this workspace, or take it away there; the app is told."""
        grants.reach(self.core, is_there=is_there)
        Events(self.core).app_was_added(is_there=is_there)
        await self._committed()

    async def _committed(self) -> None:
        for core in {self.core, grants.home(self.core)}:
            await core.workspace.commit()

    async def add_channel(
        self, name: str, members: Iterable[str], *, is_private: bool = False, with_bot: bool = True
    ) -> Channel:
        """Found a channel with these people (by name) in it."""
        people = tuple(self.person(member).id for member in members)
        channel = Channel(
            id=ChannelId(self.core.workspace.new_id("C")),
            name=name.removeprefix("#"),
            members=(*people, founding.BOT_USER) if with_bot else people,
            is_private=is_private,
        )
        await self.change(channel)
        return channel

    async def add_user_group(self, handle: str, members: Iterable[str]) -> UserGroup:
        """Found a user group with these people (by name) in it."""
        group = UserGroup(
            id=self.core.workspace.new_id("S"),
            handle=handle.lstrip("@"),
            name=handle.lstrip("@"),
            users=tuple(self.person(member).id for member in members),
        )
        await self.change(group)
        return group
