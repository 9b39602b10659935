"""The agents of a bot, and which of them somebody speaks to: `docs: what is new?`. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final

from bot.approvals.errors import NotAllowed, Refused
from bot.approvals.ids import AgentName
from bot.approvals.realm import SOLE, Realm
from bot.approvals.words import phrase, say

NOTHING_TO_DO: Final = phrase("Say what {agent} should do, for example: `{agent}: list the files`.")
NO_SUCH_AGENT: Final = phrase(
    "There is no agent called {said}; did you mean {close}? The agents are {agents}. Nothing was begun. "
    "If these are words for {first}, write `{first}: {said}: …`."
)
KEEPS_ITS_AGENT: Final = phrase(
    "This conversation is with {agent} and stays with it, so nothing was done. To ask {other}, begin a new "
    "one, for example with `/agent {other}: …`."
)

ALIKE: Final = 0.8
"""From here on a word is taken for a name that was not written right: `doc` for `docs`, not `dogs`."""
_SHORTEST: Final = 3
_SPOKEN_TO: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9_-]{0,29})\s*:(?P<text>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Whom somebody speaks to, and what they say."""

    text: str
    """Without the name of the agent."""
    agent: AgentName | None = None
    """None where nobody is named."""
    said: str = ""
    """A word before a colon that is no agent's name, but close to one."""
    close: AgentName = SOLE
    """That one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """Which agents there are."""

    names: tuple[AgentName, ...] = (SOLE,)
    """The first is the one that is meant where none is named."""
    purposes: Mapping[AgentName, str] = field(default_factory=dict)
    """What each is for, in a line."""

    @property
    def are_several(self) -> bool:
        """Whether anybody has to tell one from another."""
        return len(self.names) > 1

    @property
    def first(self) -> Realm:
        """The realm of a conversation for which no agent is named."""
        return Realm(agent=self.names[0])

    def has(self, realm: Realm) -> bool:
        """Whether the agent of this realm is there."""
        return self.name_of(realm) in self.names

    def name_of(self, realm: Realm) -> AgentName:
        """What the agent is called: one from before it had a name is the first of those that have one."""
        return realm.agent or self.names[0]

    def label(self, realm: Realm) -> str:
        """Its name, where it has to be told; empty where there is only this one."""
        return self.name_of(realm) if self.are_several or not self.has(realm) else ""

    def address(self, text: str) -> Address:
        """Whom this is said to, if a name with a colon stands before it; any other word is just text."""
        found = _SPOKEN_TO.match(text) if self.names != (SOLE,) else None
        if found is None:
            return Address(text=text)
        said, rest = found[1].lower(), found["text"]
        if said in self.names:
            return Address(text=rest.strip(), agent=AgentName(said))
        close = next((name for name in self.names if _is_close(said, name)), None)
        if close is None or not (rest[:1].isspace() or not rest):
            return Address(text=text)
        return Address(text=text, said=found[1], close=close)

    def meant(self, address: Address, there: Realm | None) -> Realm:
        """The realm for what is said, in a conversation that there is already, or in a new one.

        Raises `Refused` where it would go to another agent than whoever says it means. In a conversation
        nobody has to be named, so a word that is only close to a name is text.
        """
        if address.agent and not address.text:
            raise Refused(say(NOTHING_TO_DO, agent=address.agent))
        if there is not None:
            if address.agent and address.agent != self.name_of(there):
                raise NotAllowed(say(KEEPS_ITS_AGENT, agent=self.name_of(there), other=address.agent))
            return there
        if address.said:
            names = ", ".join(self.names)
            said = address.said
            told = say(NO_SUCH_AGENT, said=said, close=address.close, agents=names, first=self.names[0])
            raise Refused(told)
        return Realm(agent=address.agent) if address.agent else self.first


ONE_AGENT: Final = Roster()
"""One, without a name."""


def _is_close(said: str, name: str) -> bool:
    if len(said) < _SHORTEST:
        return False
    swapped = sorted(said) == sorted(name)
    return swapped or SequenceMatcher(None, said, name).ratio() >= ALIKE
