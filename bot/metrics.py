"""What an operator watches: counters of what is recorded and of jobs that were given up, by kind alone."""

from prometheus_client import CollectorRegistry, Counter

from bot.approvals.ports import Event


class Metrics:
    """Counters in a registry of their own; `/metrics` shows it."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._events = Counter(
            "approval_bot_events",
            "Lines of the record, by kind: filed, decided, refused, delivered, …",
            ["kind"],
            registry=self.registry,
        )
        self._failed = Counter(
            "approval_bot_jobs_failed",
            "Background work that was given up after its last attempt, by kind.",
            ["kind"],
            registry=self.registry,
        )

    def recorded(self, event: Event) -> None:
        """A line of the record is on disk."""
        self._events.labels(kind=event.kind).inc()

    def job_failed(self, kind: str) -> None:
        """Background work was given up."""
        self._failed.labels(kind=kind).inc()
