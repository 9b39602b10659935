"""The listeners around talking to the agent, put together: lists, messages that wait, the shortcut."""

from dataclasses import dataclass

from bot.approvals.asked_for import OwnConversations
from bot.approvals.desk import Desk
from bot.approvals.steering import Steering
from bot.approvals.turns import Objections
from bot.slack.agent_view import AgentView
from bot.slack.app import Identity, Listeners
from bot.slack.assistant_threads import AssistantThreads
from bot.slack.own import Own
from bot.slack.pending import Pending
from bot.slack.private import Private
from bot.slack.shortcuts import Shortcuts
from bot.slack.talk import Talk
from bot.slack.turns import Turns


@dataclass(frozen=True, slots=True, kw_only=True)
class Talking:
    """What these listeners share."""

    desk: Desk
    steering: Steering
    private: Private
    pending: Pending
    who: Identity

    @property
    def listeners(self) -> list[Listeners]:
        """All of them, which come before the buttons of cards: those take what nobody took."""
        threads = AssistantThreads(view=AgentView(client=self.private.client, store=self.steering.store))
        return [self.own, self.turns, self.shortcuts, self.talk, threads]

    @property
    def own(self) -> Own:
        """`/agent status` and `/agent cancel`."""
        by = self.steering
        own = OwnConversations(
            store=by.store, jobs=by.jobs, agent=by.agent, directory=by.directory, now=by.now
        )
        return Own(own=own, steering=by, private=self.private, workspace_url=self.who.url)

    @property
    def turns(self) -> Turns:
        """Messages that wait their turn."""
        by = self.steering
        objections = Objections(store=by.store, jobs=by.jobs, desk=self.desk, now=by.now)
        return Turns(objections=objections, private=self.private)

    @property
    def shortcuts(self) -> Shortcuts:
        """Messages that are taken along."""
        return Shortcuts(steering=self.steering, client=self.private.client, private=self.private)

    @property
    def talk(self) -> Talk:
        """The command, mentions and direct messages."""
        return Talk(
            steering=self.steering,
            private=self.private,
            own=self.own,
            pending=self.pending,
            bot=self.who.bot_user,
        )
