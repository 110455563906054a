"""What is counted of a server, as Prometheus reads it.

Law: labels are names that we gave (routes, states): nothing that a caller sent, and no key.
"""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

METRICS_TYPE: Final = CONTENT_TYPE_LATEST
"""The media type of the metrics."""

_SECONDS: Final = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    60.0,
)


class Metrics:
    """The numbers of one server."""

    def __init__(self) -> None:
        self._registry: Final = CollectorRegistry()
        self._seconds: Final = Histogram(
            "recense_http_seconds",
            "How long calls took, from the first byte of the head to the last of the answer.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._calls: Final = Counter(
            "recense_http_calls",
            "Calls that were answered, by route and status.",
            ("route", "status"),
            registry=self._registry,
        )
        self._of_route: Final[dict[tuple[str, int], tuple[Counter, Histogram]]] = {}
        """The numbers of each route and status that was answered: finding one by its labels takes
        longer than counting."""
        self.in_flight: Final = Gauge(
            "recense_http_in_flight", "Calls that are being answered.", registry=self._registry
        )
        self.unfinished: Final = Gauge(
            "recense_work_unfinished",
            "Calls that are worked on in threads, or wait for one.",
            ("workers",),
            registry=self._registry,
        )
        self.followers: Final = Gauge(
            "recense_changes_followers", "Who follows changes.", registry=self._registry
        )
        self.background: Final = Counter(
            "recense_background_rounds",
            "Rounds of work in the background, by what is done and how it ended.",
            ("work", "ended"),
            registry=self._registry,
        )

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a call that was answered."""
        of_route = self._of_route.get((route, status))
        if of_route is None:
            calls = self._calls.labels(route, str(status))
            of_route = self._of_route[route, status] = calls, self._seconds.labels(route)
        of_route[0].inc()
        of_route[1].observe(seconds)

    def text(self) -> bytes:
        """Return all numbers in the text format."""
        return generate_latest(self._registry)
