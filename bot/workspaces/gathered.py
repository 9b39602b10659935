"""The numbers of all workspaces in one place, each with its workspace."""

from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.registry import Collector


class Gathered(Collector):
    """What the registries hold, by workspace, which is a label here."""

    def __init__(self, registries: Mapping[str, CollectorRegistry]) -> None:
        self._registries = registries

    def collect(self) -> Iterator[Metric]:
        """One family for each name, with the samples of every workspace."""
        found: dict[str, Metric] = {}
        for team, registry in tuple(self._registries.items()):
            for metric in registry.collect():
                one = found.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type))
                for sample in metric.samples:
                    one.add_sample(sample.name, {"team": team, **sample.labels}, sample.value)
        yield from found.values()


def registry_of(registries: Mapping[str, CollectorRegistry]) -> CollectorRegistry:
    """A registry that shows them all, as they are when it is asked."""
    gathered = CollectorRegistry()
    gathered.register(Gathered(registries))
    return gathered
