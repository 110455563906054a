"""The message index: what is kept of every message, so that it is found without its session.

Laws: storage narrows, the predicate decides. An index is disposable and vouches only for what it
covers. It holds, for each message of a session, what matching, scoring and finding the text again
take (`MessageImage`), and grams by which images are found (`recense.core.text.grams`). It answers
for a session that is wholly indexed, under the rules of this release (`INDEX_VERSION` of
`recense.core.recall.versions`), as far as the session goes now: all archived records converted, all
events indexed, no stream open, no event unreadable. Of any other session it is not asked.

What it says is what was true when it was written. Damage that it can see is an error
(StoreCorrupt), and whoever asks does without the index.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from recense.core.transcript.changes import Standing
from recense.core.transcript.messages import MessageKind
from recense.core.transcript.records import Session
from recense.core.values import Value


class MessageImage(Value, kw_only=True):
    """A message as the index holds it.

    ``ordinal`` and ``more_ordinals`` are those of the events that make it, the first and the
    others. ``live`` says that it carries no flag; ``echo`` is as in `recense.core.recall.echo`.
    ``length`` is the code points of the redacted image. ``image`` is the folded image in UTF-8,
    ``redacted`` the redacted image, None where that is the image, also where the texts were not
    asked for: then ``image`` is empty, and so is any other ``redacted``.
    """

    position: int
    ordinal: int
    more_ordinals: tuple[int, ...]
    turn: str
    kind: MessageKind
    at: int | None
    identity: bytes | None
    live: bool
    echo: bool
    has_materials: bool
    length: int
    redacted: bytes | None
    image: bytes


class SessionImages(Value, kw_only=True):
    """What one commit of indexing writes of one session.

    ``expected_events`` is how many of its events were indexed as the caller read it; 0 begins anew,
    and all that is there of the session goes first. ``through`` is how many are indexed after it.
    ``last_event`` is (event id, recorded at) of the last of them, None where there is none, and
    ``importer_version`` the session's: by these it is known that the events are still those that
    were read. ``state`` is the projection's after them. ``rows`` take the places of those at their
    positions; ``standings`` then apply one after the other. ``is_readable`` says that every event
    could be read: where one could not, the index does not vouch.
    """

    session_id: str
    expected_events: int
    through: int
    last_event: tuple[str, int] | None
    importer_version: int
    state: bytes
    rows: tuple[MessageImage, ...]
    standings: tuple[Standing, ...]
    is_readable: bool


class IndexPage(Value, kw_only=True):
    """One commit of indexing, and the versions of the rules by which it was made."""

    index_version: int
    redaction_version: int
    sessions: tuple[SessionImages, ...]


class IndexedThrough(Value, kw_only=True):
    """How far a session is indexed by the rules of this release: how many events, and the
    projection's state after them.
    """

    events: int
    state: bytes


class VouchedSession(Value, kw_only=True):
    """A session for which the index answers: its row without its states, by what number the index
    knows it, and whether its redacted images are of the present rules of redaction.
    """

    number: int
    session: Session
    is_redaction_current: bool


class IndexedMessages(Protocol):
    """The index in one snapshot. Every method raises StoreCorrupt for damage that it meets."""

    def unvouched(self) -> list[str]:
        """Return the ids of the sessions whose records are all converted and for which the index
        does not answer, in no particular order.
        """
        ...

    def waiting(self) -> list[str]:
        """Return the ids of the sessions that indexing would do something for, by start."""
        ...

    def through(self, session_id: str) -> IndexedThrough:
        """Return how far a session is indexed; not at all where other rules indexed it."""
        ...

    def number(self, session_id: str) -> int | None:
        """Return the number of a session of which anything is indexed, vouched for or not."""
        ...

    def vouched(self, session_id: str) -> VouchedSession | None:
        """Return the session of this id if the index answers for it."""
        ...

    def vouched_number(self, number: int) -> VouchedSession | None:
        """Return the session of this number if the index answers for it."""
        ...

    def offered(self, folded_terms: Sequence[bytes]) -> Iterator[tuple[int, MessageImage]]:
        """Yield session number and message, with its texts, for every message that may hold one of
        the terms; in no particular order, each once. Messages that are not live, and those of
        sessions for which the index does not answer, may be among them.
        """
        ...

    def at(self, number: int, position: int) -> MessageImage | None:
        """Return the message at a position of a session, with its texts, or None."""
        ...

    def of_event(self, number: int, event_id: str) -> MessageImage | None:
        """Return the message that an event opened, without its texts, or None."""
        ...

    def before(self, number: int, position: int) -> Iterator[MessageImage]:
        """Yield the messages before a position, the nearest first, without their texts."""
        ...

    def after(self, number: int, position: int) -> Iterator[MessageImage]:
        """Yield the messages after a position, the nearest first, without their texts."""
        ...

    def with_materials(self, number: int, turn: str) -> list[MessageImage]:
        """Return the messages of a turn that have materials, by position, without their texts."""
        ...
