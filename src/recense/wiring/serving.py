"""How what only a server needs of a store is joined; loaded when a server first asks for it."""

from typing import Protocol

from recense.ports.clock import Chance, Clock
from recense.services.changes import StoreChanges
from recense.services.request_outcomes import RequestOutcomes
from recense.services.serving import Serving
from recense.wiring.late import Stores


class MakeServing(Protocol):
    """What `serving_of` is, for who loads it by its name."""

    def __call__(self, stores: Stores, clock: Clock, chance: Chance, *, incognito: bool) -> Serving:
        """See `serving_of`."""
        ...


def serving_of(stores: Stores, clock: Clock, chance: Chance, *, incognito: bool) -> Serving:
    """Return what a server needs of stores beside their operations."""
    return Serving(
        changes=StoreChanges(stores.transcripts, stores.records, incognito=incognito),
        outcomes=RequestOutcomes(stores.records, clock, chance),
    )
