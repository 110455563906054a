"""What a source of sessions is: how its files are found, read and converted.

An importer is registered by name (entry points ``recense.importers``). It holds no state of its
own: what it needs from one page to the next travels in the state it returns, so that killing the
process anywhere and running again gives the same bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, Literal, Protocol

from recense.core.transcript.events import ConvertedEvent
from recense.core.transcript.records import ArchivedRecord, Origin, SessionFacts, SourcePage
from recense.core.values import Value


class Parentage(Value, kw_only=True):
    """What a source's own session id says about the session."""

    origin: Origin
    parent_source_session_id: str | None


class Conversion(Value, kw_only=True):
    """What `Importer.convert` returns: the state after the page, its events, and session facts."""

    state: bytes
    events: tuple[ConvertedEvent, ...]
    facts: SessionFacts = SessionFacts()


class Retention(Value, kw_only=True):
    """How long an agent leaves its own files alone: ``days`` after the last change of one it is
    deleted, or compressed, which loses nothing.
    """

    days: int
    fate: Literal["deleted", "compressed"]


class Importer(Protocol):
    """One source of sessions.

    ``name`` is the word a person types and the prefix of its session ids; ``version`` grows when
    reading or conversion changes its results. ``opaque_marks`` spare most records a look at each
    of their strings: a record without one of these bytes holds nothing that is opaque. ``suffixes``
    end the names of files that may hold its sessions though it does not claim their names: where a
    person names both this source and a folder, such files are taken if it recognises them.
    """

    name: str
    version: int
    opaque_marks: tuple[bytes, ...]
    suffixes: tuple[str, ...]

    def roots(self, environment: Mapping[str, str], home: str) -> tuple[str, ...]:
        """Return the folders where this source keeps its sessions on this machine, existing or
        not.
        """
        ...

    def retention(self, environment: Mapping[str, str], home: str) -> Retention | None:
        """Return what the agent does with its own files in time, as it is set up on this machine;
        None when it leaves them alone or nobody knows.
        """
        ...

    def claims(self, path: str) -> bool:
        """Whether a file with this path may hold sessions of this source; by name alone."""
        ...

    def passes_over(self, path: str) -> str:
        """Return why a file with this path, which agents keep beside sessions, holds none; "" for
        any other. It is skipped for that reason, also where a person named it.
        """
        ...

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins with these bytes (up to 64 KiB) is in this source's format.

        True for an empty head, and for one that is cut inside its first record unless this shows
        that it is another's.
        """
        ...

    def read(self, file: BinaryIO, path: str, offset: int, state: bytes) -> Iterator[SourcePage]:
        """Yield the records of a file from ``offset`` on, in order, in pages.

        ``state`` is b"" at offset 0 and else the state of the page that ended at ``offset``. Pages
        hold at most PAGE_RECORDS_MAX records and PAGE_BYTES_MAX source bytes (one larger record is
        a page of its own); cutting the file into other runs at record borders gives the same
        records. Every byte between the offsets of two pages is accounted for by the records' sizes.
        A torn last line is not taken: the last page says how many bytes wait. Bad bytes become bad
        records; nothing is raised for the content of a file. OSError may pass through.
        """
        ...

    def is_structural(self, path: tuple[str, ...]) -> bool:
        """Whether the string at this key path of a record is structure (an id, an instant, a
        folder) and must never be redacted. List positions do not appear in ``path``.
        """
        ...

    def is_opaque(self, path: tuple[str, ...]) -> bool:
        """Whether the string at this key path is a signature or encrypted reasoning, of which the
        archive keeps only length and SHA-256.
        """
        ...

    def parentage(self, source_session_id: str) -> Parentage:
        """Return what a session's id in the source's words says about its origin and parent."""
        ...

    def convert(self, state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
        """Return the events of the next records of one session, all of disposition ``parsed``.

        Pure and deterministic. Prefix-stable: converting a prefix and then the rest gives the same
        events as converting the whole, whatever the cut. State stays within STATE_BYTES_MAX. A
        record that cannot be understood becomes an event whose payload says so, or none; it never
        raises. Event ids derive from source, record uuid (else place) and part.
        """
        ...
