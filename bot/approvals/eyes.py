"""Whether one person may decide about many approvals, by the policy and what is known of the person. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from bot.approvals.errors import NotAllowed
from bot.approvals.homes import Glimpse, GlimpsedAction, Matter
from bot.approvals.ids import ActionId, ChannelId, GroupId
from bot.approvals.knowing import AskAbout, Rights, Wanted, seat
from bot.approvals.policies import Policies
from bot.approvals.realm import Realm
from bot.approvals.terms import Terms
from bot.approvals.who import Circle


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """One person, looking at what waits. It is a help in finding things: a decision is checked by itself."""

    policy: Policies
    rights: Rights
    """With the channels that were looked into."""
    groups: frozenset[GroupId] = frozenset()
    """The user groups that the person is in."""
    _terms: dict[tuple[Realm, Matter], Terms] = field(default_factory=dict)
    _known: dict[tuple[Realm, Matter, ChannelId, bool, bool], bool | frozenset[ChannelId]] = field(
        default_factory=dict
    )
    """There are thousands of approvals and few kinds of them."""

    def waiting(self, one: Glimpse) -> tuple[ActionId, ...]:
        """The actions that this person may decide about and has not voted about."""
        return tuple(action.id for action in self._unvoted(one) if True in self._told(one, action))

    def wants(self, one: Glimpse) -> frozenset[ChannelId]:
        """The channels that would have to be looked into to know."""
        wanted: set[ChannelId] = set()
        for action in self._unvoted(one):
            told = [*self._told(one, action)]
            if True not in told:
                wanted.update(*(more for more in told if isinstance(more, frozenset)))
        return frozenset(wanted)

    def looking_into(self, inside: Mapping[ChannelId, bool]) -> "Eyes":
        """The same person, of whom this is known as well."""
        rights = replace(self.rights, inside={circle: inside[circle] for circle in inside})
        return Eyes(policy=self.policy, rights=rights, groups=self.groups)

    def _unvoted(self, one: Glimpse) -> Iterator[GlimpsedAction]:
        by = self.rights.person.id
        return (action for action in one.open if by not in action.voted)

    def _told(self, one: Glimpse, action: GlimpsedAction) -> Iterator[bool | frozenset[ChannelId]]:
        """Whoever may decide about the call as it was asked, or as it was edited, has a say in it."""
        for matter in dict.fromkeys((action.now, action.own)):
            yield self._may(one, matter)

    def _may(self, one: Glimpse, matter: Matter) -> bool | frozenset[ChannelId]:
        """Whether it is known that this person may; or else the channels that would tell."""
        of = one.realm, matter
        if of not in self._terms:
            terms = self.policy.of(one.realm).terms(matter[0]).given(matter[1])
            # Whoever looks may see what was heard a minute ago; whoever decides may not.
            self._terms[of] = replace(terms, fresh=False)
        terms, by = self._terms[of], self.rights.person.id
        key = (*of, one.channel, by in one.requesters, by in one.escalated_to)
        if key not in self._known:
            self._known[key] = self._checked(terms, one)
        return self._known[key]

    def _checked(self, terms: Terms, one: Glimpse) -> bool | frozenset[ChannelId]:
        try:
            self._seat(terms, one, self.rights)
        except NotAllowed:
            return False
        except AskAbout as question:
            return self._if_inside(terms, one, question.wanted)
        return True

    def _if_inside(self, terms: Terms, one: Glimpse, wanted: Wanted) -> bool | frozenset[ChannelId]:
        """What is not known may not matter: somebody is named, or would be refused even inside."""
        known: dict[Circle, bool] = {group: group in self.groups for group in wanted.groups}
        for is_in in (False, True):
            guess = known | dict.fromkeys(wanted.channels, is_in) | {**self.rights.inside}
            try:
                self._seat(terms, one, replace(self.rights, inside=guess))
            except NotAllowed:
                continue
            return frozenset(wanted.channels) if is_in else True
        return False

    def _seat(self, terms: Terms, one: Glimpse, rights: Rights) -> None:
        seat(
            terms,
            rights,
            thread=one.channel,
            requesters=one.requesters,
            called=one.escalated_to,
            tool="",
        )
