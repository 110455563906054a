"""The messages of sessions, for those who read them on: nothing of what a person hid, nor of what
cannot be read whole.
"""

from collections.abc import Sequence
from typing import Final

from recense.core.extraction.exchanges import Exchange, exchanges_of
from recense.core.extraction.quotation import Quotation
from recense.core.ids import anchor
from recense.core.transcript.messages import Message
from recense.core.transcript.visibility import is_hidden
from recense.operations.facts import EvidenceRequest
from recense.ports.transcripts import TranscriptStore
from recense.services.conversion import Load
from recense.services.extraction_runs import WordsOrigin


class SessionMessages:
    """Gives the messages of sessions as they are now."""

    def __init__(self, store: TranscriptStore, load: Load) -> None:
        self._store: Final = store
        self._load: Final = load

    def of(self, session_id: str) -> Sequence[Message]:
        """Return the messages of a session; none of one that is gone or hidden, or that cannot be
        read whole, since its importer is not installed.
        """
        with self._store.snapshot() as reader:
            session = reader.session(session_id)
            if session is None or is_hidden(session, reader.outline):
                return ()
            loaded = self._load(reader, session)
            return () if loaded.unsearched else loaded.transcript.messages

    def pieces(self, session_id: str) -> list[Exchange]:
        """Return a session in the pieces in which it is read for facts."""
        return exchanges_of(self.of(session_id))

    def called(self, session_id: str) -> str:
        """Return what a session is called in an error."""
        return f"session {session_id!r}"

    def origin(self, session_id: str, quoted: Quotation) -> WordsOrigin:
        """Return where words come from: their message."""
        where = anchor(session_id, quoted.event_id)
        return WordsOrigin(evidence=EvidenceRequest(excerpt=quoted.excerpt, anchor=where))

    def is_shown(self, session_id: str) -> bool:
        """Whether a session is there and nobody hid it."""
        with self._store.snapshot() as reader:
            session = reader.outline(session_id)
            return session is not None and not is_hidden(session, reader.outline)
