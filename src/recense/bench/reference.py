"""The reference method: no derived text and no index, as a baseline of the same run.

``instr(lower(payload), lower(term))`` over all events names the sessions to read; these are
projected, verified, ranked and presented by the very code that answers otherwise. The case folding
of SQLite is that of ASCII: a term that folds to anything else names every session, and a session
with text that does is always named.
"""

import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Final, cast

import apsw
import msgspec

from recense.adapters.sqlite.driver import Connection
from recense.bench.kept import KeptMessage, OpenedStore
from recense.core.text.fold import fold
from recense.core.transcript.records import Session
from recense.operations.texts import TextFact
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.recall import Recall
from recense.testing.clock import FakeClock

_NAMED: Final = (
    "SELECT session_id FROM sessions WHERE session_key IN"
    " (SELECT session_key FROM events WHERE instr(lower(payload), lower(?)))"
)


@contextmanager
def reference_recall(source: OpenedStore, kept: Iterable[KeptMessage]) -> Generator[Recall]:
    """Yield what recalls from an open store by the reference method.

    Which sessions are always named is found out from ``kept``, before any question.
    """
    always = frozenset(each.session for each in kept if not is_ascii_stable(each.text))
    opened = apsw.Connection(source.path, flags=apsw.SQLITE_OPEN_READONLY)
    connection = cast("Connection", opened)
    try:
        scan = PayloadScan(connection, always)
        clock = FakeClock()
        store = cast("TranscriptStore", _StoreWithoutIndex(source.store))
        yield Recall(
            store,
            clock,
            source.load,
            (scan,),
            os.path.exists,
            find_facts=_no_facts,
            incognito=False,
        )
    finally:
        connection.close()


def _no_facts(_text: str | None) -> tuple[TextFact, ...]:
    """Return what a store of sessions alone holds of facts."""
    return ()


def is_ascii_stable(text: str) -> bool:
    """Whether folding a text is lowering its ASCII letters."""
    return fold(text) == text.encode(errors="surrogatepass").lower().decode(errors="surrogatepass")


class PayloadScan:
    """A `recense.ports.search.CandidateSource` that looks into the payload of every event."""

    def __init__(self, connection: Connection, always: frozenset[str]) -> None:
        self._connection: Final = connection
        self._always: Final = always

    def offer(
        self, reader: TranscriptReader, eligible: Sequence[Session], folded_terms: Sequence[str]
    ) -> Sequence[Session] | None:
        """Return the eligible sessions whose events hold a term, and those always named."""
        if not all(map(is_ascii_stable, folded_terms)):
            return eligible
        named = set(self._always)
        for term in folded_terms:
            written = msgspec.json.encode(term)[1:-1].decode()
            rows = self._connection.execute(_NAMED, (written,))
            named.update(session_id for (session_id,) in rows)
        return [session for session in eligible if session.session_id in named]


class _StoreWithoutIndex:
    """A store of which every snapshot says that it keeps no index."""

    def __init__(self, store: TranscriptStore) -> None:
        self._store: Final = store

    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        """Return a reader of this moment."""
        with self._store.snapshot() as reader:
            yield cast("TranscriptReader", _ReaderWithoutIndex(reader))


class _ReaderWithoutIndex:
    """A reader that is another in everything but the index."""

    def __init__(self, reader: TranscriptReader) -> None:
        self._reader: Final = reader

    def __getattr__(self, name: str) -> object:
        return getattr(self._reader, name)

    def message_index(self) -> None:
        """Return that there is none."""
