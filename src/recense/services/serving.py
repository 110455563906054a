"""What a server needs of a store beside its operations."""

import msgspec

from recense.services.changes import StoreChanges
from recense.services.request_outcomes import RequestOutcomes


class Serving(msgspec.Struct, frozen=True, kw_only=True):
    """What changed in a store, and what became of requests with an idempotency key."""

    changes: StoreChanges
    outcomes: RequestOutcomes
