"""Settings to a running bot: the only module that knows every part."""

import gc
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final

import structlog
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.agents.built import BuiltAgent
from bot.approvals.desk import Desk
from bot.approvals.executing import Executing
from bot.approvals.filing import SPREAD
from bot.approvals.ids import AgentName, ApprovalId, ConversationId, PostId, UserId
from bot.approvals.opinions import Opinions
from bot.approvals.ports import Journal
from bot.approvals.readers import Readers
from bot.approvals.recovery import Recovery
from bot.approvals.repairing import CANCEL, REPAIR, Cancelling
from bot.approvals.retention import FORGET, Retention
from bot.approvals.standings import Standings
from bot.approvals.steering import Steering
from bot.approvals.timers import TIMER, Timers
from bot.approvals.times import utc_now as _now
from bot.approvals.words import ENGLISH, public_language
from bot.background import of_conversation, sweeping
from bot.connections import ALONE, Connections
from bot.crew import Crew, crew_of
from bot.doors import Doors, open_doors, store_checks
from bot.engines import engine_at, forget_failed_jobs, saver_at, try_timers_again
from bot.jobs.port import Handler, Job
from bot.languages import language
from bot.metrics import Metrics
from bot.policy_file import PolicyFile
from bot.settings import Settings
from bot.slack.agent_view import AgentView
from bot.slack.app import Identity, asking_client, bolt_app, posting_client, slack_client
from bot.slack.clicks import Clicks
from bot.slack.courier import Courier
from bot.slack.directory import SlackDirectory
from bot.slack.feedback import Thumbs
from bot.slack.home_tabs import PUBLISH, tabs_beside
from bot.slack.pending import Pending
from bot.slack.private import Private
from bot.slack.submissions import Submissions
from bot.starting import built_agent, loaded_agent, named_agents, who_we_are
from bot.store.database import RowsStore, open_store
from bot.talking import Talking

SHUTDOWN: Final = 25.0
"""Seconds that running jobs get to end; the process is gone within 30."""

HAND_OVER: Final = 0.0005
"""Seconds after which a thread that waits gets its turn (Python's own: 0.005). The database's thread needs
the interpreter for a moment per statement; a busy event loop would let it wait the whole time."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """A running bot, as far as others look at it."""

    settings: Settings
    identity: Identity
    agent: BuiltAgent
    port: int | None
    """Where HTTP listens; None if it does not."""


@asynccontextmanager
async def running_bot(
    settings: Settings,
    policy_file: PolicyFile | None,
    *,
    model: str | None = None,
    otherwise: PolicyFile | None = None,
    doors: Doors = open_doors,
    connections: Connections = ALONE,
) -> AsyncIterator[Bot]:
    """The bot, taking Slack's payloads until the block ends; then it lets running work end, and leaves.

    `otherwise` is the policy where neither file nor agent has one, `model` for an agent without one, `doors`
    how it hears Slack, `connections` those to Postgres. Raises `CannotStart`, `BadAgent`, `BadPolicy` or
    `CannotOpen`, each a sentence.
    """
    sys.setswitchinterval(HAND_OVER)
    metrics = Metrics()
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(
            open_store(settings.bot_database_url, recorded=metrics.recorded, connections=connections)
        )
        built = await _built(stack, settings, model, Executing(store=store, now=_now), connections)
        first = next(iter(built.values()))
        token = settings.slack_bot_token.get_secret_value() if settings.slack_bot_token else ""
        client, asking = (of(token, settings.slack_api_url) for of in (slack_client, asking_client))
        who = await who_we_are(asking)
        directory = SlackDirectory(asking, who.whose)
        stack.push_async_callback(directory.close)
        crew = await crew_of(built, (policy_file, otherwise), directory)
        stack.enter_context(public_language(language(crew.language) or ENGLISH))
        work = _Work(
            where=settings.bot_database_url,
            store=store,
            crew=crew,
            directory=directory,
            client=client,
            metrics=metrics,
            keep=settings.bot_keep_checkpoints,
            url=who.url,
            connections=connections,
        )
        app = work.app(directory, who)
        await work.jobs.start()
        stack.push_async_callback(work.stop)
        failed = partial(try_timers_again, store, work.jobs), partial(forget_failed_jobs, store, _now)
        await stack.enter_async_context(sweeping(work.recovery.sweep, work.retention.sweep, *failed))
        looks = store_checks(store)
        port = await doors(stack, settings, app, asking, checks=looks, registry=metrics.registry)
        gc.freeze()  # what is loaded stays; the collector would stop all clicks for 0.1 s to look through it
        stack.callback(gc.unfreeze)
        names = ", ".join(one.name for one in built.values())
        log.info("started", agent=names, mode=settings.mode.value, bot_user=who.bot_user)
        yield Bot(settings=settings, identity=who, agent=first, port=port)


class _Work:
    """The use cases and the jobs that call them."""

    def __init__(
        self,
        *,
        where: str,
        store: RowsStore,
        crew: Crew,
        directory: SlackDirectory,
        client: AsyncWebClient,
        metrics: Metrics,
        keep: timedelta,
        url: str,
        connections: Connections,
    ) -> None:
        self.store = store
        self.metrics = metrics
        self._crew = crew
        self._client = client
        handlers: dict[str, Handler] = {}
        self.jobs = engine_at(where, store, handlers, self._give_up, connections)
        self._standings = Standings(store=store, jobs=self.jobs, audience=directory, policy=crew.policy)
        self._courier = Courier(
            store=store,
            client=posting_client(client.token or "", client.base_url),
            masking=crew.masking,
            roster=crew.roster,
            standings=self._standings,
            languages=directory,
        )
        self._tabs = tabs_beside(self._courier, self._standings, directory, url)
        self._runs = crew.runs(store, self.jobs, directory, _now)
        memory = crew.first.threads  # all keep their threads in the same place
        self.retention = Retention(store=store, jobs=self.jobs, agent=memory, keep=keep, now=_now)
        cancelling = Cancelling(store=store, jobs=self.jobs, agent=crew, now=_now)
        self.recovery = Recovery(store=store, jobs=self.jobs, now=_now)
        self._timers = Timers(store=store, jobs=self.jobs, policy=crew.policy, now=_now)
        view = AgentView(client=client, store=store)
        handlers |= {
            "start": of_conversation(view.around(self._runs.start, titled=True)),
            **dict.fromkeys(("run", "resume"), of_conversation(view.around(self._runs.advance))),
            "prune": of_conversation(memory.prune),
            FORGET: of_conversation(self.retention.forget),
            CANCEL: of_conversation(cancelling.cancel),
            REPAIR: lambda job: self._runs.repair(ConversationId(job.payload["conversation"]), job.id),
            PUBLISH: lambda job: self._tabs.publish(UserId(job.payload["person"])),
            "post": self._post,
            "redraw": self._redraw,
            TIMER: self._timer,
            SPREAD: lambda job: self._standings.spread(ApprovalId(job.payload["approval"])),
        }

    def app(self, directory: SlackDirectory, who: Identity) -> AsyncApp:
        """The Bolt app with all listeners on these use cases."""
        desk = Desk(
            store=self.store,
            jobs=self.jobs,
            directory=directory,
            tools=self._crew.tools,
            policy=self._crew.policy,
            now=_now,
            chooser=self._crew.chooser,
        )
        steering = Steering(
            store=self.store,
            jobs=self.jobs,
            agent=self._crew,
            directory=directory,
            policy=self._crew.policy,
            now=_now,
            roster=self._crew.roster,
        )
        private = Private(client=self._client)
        pending = Pending(inboxes=self._tabs.inboxes, address=self._tabs.address, masking=self._crew.masking)
        talking = Talking(desk=desk, steering=steering, private=private, pending=pending, who=who)
        readers = Readers(store=self.store, now=_now)
        clicks = Clicks(
            desk=desk,
            steering=steering,
            client=self._client,
            private=private,
            readers=readers,
            masking=self._crew.masking,
            tabs=self._tabs,
        )
        thumbs = Thumbs(opinions=Opinions(store=self.store, directory=directory, now=_now), private=private)
        forms = Submissions(desk=desk, readers=readers, masking=self._crew.masking, tabs=self._tabs)
        return bolt_app(self._client, who, [clicks, *talking.listeners, thumbs, forms, self._tabs], directory)

    async def stop(self) -> None:
        """Begin nothing more, let the tools that run end, and leave the rest to the next process."""
        self._crew.drain()
        await self.jobs.stop(SHUTDOWN)

    async def _post(self, job: Job) -> None:
        id = PostId(job.payload["post"])
        await self._tabs.after(id, self._courier.post(id))

    async def _redraw(self, job: Job) -> None:
        id, told = PostId(job.payload["post"]), job.payload["version"]
        version = int(told) if told.isdigit() else None
        await self._tabs.after(id, self._courier.redraw(id, version=version))

    async def _timer(self, job: Job) -> None:
        await self._timers.fire(job.id, job.payload)

    async def _give_up(self, job: Job, error: Exception) -> None:
        self.metrics.job_failed(job.kind)
        log.error("job_failed", kind=job.kind, job=job.id, error=type(error).__name__)
        if job.kind in {"start", "run", "resume", REPAIR}:
            await self._runs.give_up(ConversationId(job.payload["conversation"]))
        elif job.kind == "post":
            await self._courier.give_up(PostId(job.payload["post"]), type(error).__name__)


async def _built(
    stack: AsyncExitStack,
    settings: Settings,
    model: str | None,
    journal: Journal,
    connections: Connections,
) -> Mapping[AgentName, BuiltAgent]:
    saver = await stack.enter_async_context(saver_at(settings.bot_database_url, connections))
    built: dict[AgentName, BuiltAgent] = {}
    for named in named_agents(settings):
        source, chosen = loaded_agent(settings, named), settings.bot_model or model
        built[named.name] = built_agent(named, source, saver, model=chosen, journal=journal)
        for warning in built[named.name].warnings:
            log.warning("agent_warning", warning=warning, **({"agent": named.name} if named.name else {}))
    return built
