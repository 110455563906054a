"""The digest of a store's transcripts: equal digests, equal contents.

It covers, in key order, every session (what it is and its counts), its events, its projected
messages and every blob's SHA-256. It leaves out what differs between two honest stores of the same
contents: when an event was recorded, identities (they are keyed by the store), the bookkeeping of
files and of conversion. Each item is hashed as canonical JSON behind its length, so that no two
sequences of items run together.
"""

from collections.abc import Iterable
from hashlib import sha256

import msgspec

from recense.core.transcript.events import Event
from recense.core.transcript.messages import Message, visible_text
from recense.core.transcript.records import Session


class TranscriptDigest:
    """Takes sessions in the order of their ids, each whole, then the blobs in order."""

    def __init__(self) -> None:
        self._hash = sha256()
        self.sessions = 0
        self.events = 0
        self.messages = 0
        self.blobs = 0

    def add_session(
        self, session: Session, events: Iterable[Event], messages: Iterable[Message]
    ) -> None:
        """Cover one session with its events and messages, both in order."""
        self.sessions += 1
        self._add(
            "session",
            session.session_id,
            session.source,
            session.source_session_id,
            session.workspace,
            session.title,
            session.origin,
            session.parent_session_id,
            session.created_at,
            session.last_event_at,
            session.counts,
            session.owned_messages,
            session.owned_length,
            session.closed,
            session.private,
        )
        for event in events:
            self.events += 1
            payload = sha256(event.payload).hexdigest()
            self._add("event", event.event_id, event.invocation_id, event.at, payload)
        for message in messages:
            self.messages += 1
            self._add(
                "message",
                message.position,
                message.event_id,
                message.turn,
                message.kind,
                message.at,
                sorted(message.flags),
                [material.id for material in message.materials],
                sha256(visible_text(message).encode("utf-8", "surrogatepass")).hexdigest(),
            )

    def add_blob(self, blob_sha256: str) -> None:
        """Cover one blob."""
        self.blobs += 1
        self._add("blob", blob_sha256)

    def hexdigest(self) -> str:
        """Return the digest of what was added so far."""
        return self._hash.hexdigest()

    def _add(self, *fields: object) -> None:
        item = msgspec.json.encode(fields, order="deterministic")
        self._hash.update(len(item).to_bytes(8, "big"))
        self._hash.update(item)
