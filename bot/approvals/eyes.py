"""Whether one person may decide about many approvals, by the policy and what is known of the person. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from bot.approvals.errors import NotAllowed
from bot.approvals.homes import Glimpse, GlimpsedAction
from bot.approvals.ids import ActionId, ChannelId, GroupId
from bot.approvals.person import Person
from bot.approvals.places import InChannel
from bot.approvals.policy import ChannelMembers, Policy, Terms, check_decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """One person, looking at what waits. It is a help in finding things: a decision is checked by itself."""

    policy: Policy
    person: Person
    groups: frozenset[GroupId] = frozenset()
    inside: Mapping[ChannelId, bool] = field(default_factory=dict)
    """The channels that were looked into, and whether the person is in them."""
    _terms: dict[str, Terms] = field(default_factory=dict)
    _known: dict[tuple[str, ChannelId, bool, bool, bool], bool] = field(default_factory=dict)
    """There are thousands of approvals and few kinds of them."""

    def waiting(self, one: Glimpse) -> tuple[ActionId, ...]:
        """The actions that this person may decide about and has not voted about."""
        return tuple(
            action.id
            for action in one.open
            if self.person.id not in action.voted and any(self._may(one, tool) for tool in _tools(action))
        )

    def wants(self, one: Glimpse) -> Iterator[ChannelId]:
        """The channels that would have to be looked into to know."""
        for action in one.open:
            for tool in _tools(action) if self.person.id not in action.voted else ():
                channel = self._channel(one, tool)
                if channel in self.inside or self._may(one, tool):
                    continue
                if ChannelMembers() in self._of(tool).who and self._may(one, tool, inside=True):
                    yield channel

    def looking_into(self, inside: Mapping[ChannelId, bool]) -> "Eyes":
        """The same person, of whom this is known as well."""
        return replace(self, inside=inside, _known={})

    def _may(self, one: Glimpse, tool: str, *, inside: bool = False) -> bool:
        terms, channel = self._of(tool), self._channel(one, tool)
        is_in = inside or self.inside.get(channel, False)
        by = self.person.id
        key = (tool, channel, is_in, by in one.requesters, by in one.escalated_to)
        if key not in self._known:
            self._known[key] = self._checked(terms, one, tool, is_in=is_in)
        return self._known[key]

    def _checked(self, terms: Terms, one: Glimpse, tool: str, *, is_in: bool) -> bool:
        try:
            check_decision(
                terms,
                self.person,
                requesters=one.requesters,
                in_channel=is_in,
                tool=tool,
                called=one.escalated_to,
                groups=self.groups,
            )
        except NotAllowed:
            return False
        return True

    def _channel(self, one: Glimpse, tool: str) -> ChannelId:
        where = self._of(tool).channel
        return where.id if isinstance(where, InChannel) else one.channel

    def _of(self, tool: str) -> Terms:
        if tool not in self._terms:
            self._terms[tool] = self.policy.terms(tool)
        return self._terms[tool]


def _tools(action: GlimpsedAction) -> tuple[str, ...]:
    """Whoever may decide about the call as it was asked, or as it was edited, has a say in it."""
    return (action.now,) if action.now == action.own else (action.now, action.own)
