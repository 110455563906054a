"""Where in a store of records facts lie, and whether there are any.

``MEMORY`` holds events, the registry's included, so that every record of it decodes as one;
``EPISODES`` texts that were kept whole and the words that evidence refers to, so that erasure
reaches both; ``CONTROL`` what became of requests that carry a key of their own.
"""

from typing import Final

from recense.ports.records import RecordStore

MEMORY: Final = "memory"
EPISODES: Final = "_episodes"
CONTROL: Final = "_control"


def is_without_facts(store: RecordStore) -> bool:
    """Return whether nothing was ever remembered: neither an event nor a text."""
    with store.snapshot() as reader:
        return not any(
            reader.list(collection, limit=1, counted=False).records
            for collection in (MEMORY, EPISODES)
        )
