"""Eligibility: which sessions a request may read and asks for; the same for every way of searching.

Laws: a hidden session is never read, nor is a sub-agent's of one. Every filter applies before
anything is counted. A session that is not fully converted is read to know it: its folder, its
origin and its parent may not be known before.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec.structs import replace

from recense.core.recall.filters import is_at_or_below
from recense.core.transcript.messages import LoadedSession
from recense.core.transcript.records import Origin, Session
from recense.ports.transcripts import TranscriptReader
from recense.services.conversion import Load
from recense.services.naming import required_session


class Scope:
    """The sessions of one request, found in one walk over them.

    ``rows`` are those that may be read, by id, by start; ``completed`` the same with what
    conversion in memory knows of them; ``eligible`` those of them that pass every filter. ``read``
    names those that the walk loaded. ``left_out`` counts sessions by the origin that kept them out,
    ``private`` the hidden ones, ``unconverted`` and ``unsearched`` the archived records that wait.
    """

    def __init__(
        self,
        reader: TranscriptReader,
        load: Load,
        *,
        session: str | None,
        workspace: str | None,
        origin: Origin | Literal["all"] | None,
    ) -> None:
        self._reader = reader
        self._load = load
        self._workspace = workspace
        self._origin: Origin | Literal["all"] | None = origin
        self._every = {row.session_id: _slim(row) for row in reader.sessions()}
        self.rows: Final = _readable(self._every)
        self._named = named_rows(self.rows, session)
        self.completed: Final = dict(self.rows)
        self.eligible: Final[dict[str, Session]] = {}
        self.read: Final[set[str]] = set()
        self.left_out: Final[Counter[Origin]] = Counter()
        self.private = len(self._every) - len(self.rows)
        self.unconverted = self.unsearched = 0

    def walk(self) -> Iterator[LoadedSession]:
        """Find the eligible sessions, and yield those that had to be loaded for it, one at a time.

        Raises NotFound when the request names a session that is not there, and InvalidRequest when
        the name is that of several.
        """
        for row in self._named:
            session, loaded = row, None
            if row.converted_through < row.records:
                loaded = self._load(self._reader, row)
                session = self.completed[row.session_id] = _without_states(loaded.session)
                if is_hidden(session, self._every.get):
                    self.private += 1
                    del self.rows[row.session_id], self.completed[row.session_id]
                    continue
            if not is_in_workspace(session, self._workspace):
                continue
            if not _is_wanted(session.origin, self._origin):
                self.left_out[session.origin] += 1
                continue
            self.eligible[session.session_id] = session
            if loaded is not None:
                self.unconverted += loaded.unconverted
                self.unsearched += loaded.unsearched
                self.read.add(session.session_id)
                yield loaded

    def note(self, loaded: LoadedSession) -> None:
        """Note what reading a session showed: that more of it is damaged than its row knows."""
        name = loaded.session.session_id
        found = loaded.session.counts.unreadable_events
        session = self.eligible[name]
        if found > session.counts.unreadable_events:
            counts = replace(session.counts, unreadable_events=found)
            self.eligible[name] = replace(session, counts=counts)


def is_hidden(session: Session, session_of: Callable[[str], Session | None]) -> bool:
    """Whether a person hid a session, or the session that it is a sub-agent of, at any remove."""
    seen: set[str] = set()
    current: Session | None = session
    while current is not None and current.session_id not in seen:
        if current.private:
            return True
        if current.origin != "subagent" or current.parent_session_id is None:
            return False
        seen.add(current.session_id)
        current = session_of(current.parent_session_id)
    return False


def readable_rows(reader: TranscriptReader) -> dict[str, Session]:
    """Return the rows of all sessions that may be read, by id, in the order of their starts."""
    return _readable({row.session_id: _slim(row) for row in reader.sessions()})


def readable_session(reader: TranscriptReader, load: Load, session_id: str) -> LoadedSession | None:
    """Return a session that may be read, loaded; None when it is hidden or not there."""
    row = reader.session(session_id)
    if row is None or is_hidden(row, reader.session):
        return None
    loaded = load(reader, row)
    return None if is_hidden(loaded.session, reader.session) else loaded


def named_rows(rows: Mapping[str, Session], name: str | None) -> Sequence[Session]:
    """Return the session that a request names, or all where it names none.

    Raises NotFound where it is not there, and InvalidRequest when the name is that of several.
    """
    if name is None:
        return list(rows.values())
    return [required_session(rows.values(), name)]


def _readable(every: Mapping[str, Session]) -> dict[str, Session]:
    return {name: row for name, row in every.items() if not is_hidden(row, every.get)}


def is_in_workspace(session: Session, workspace: str | None) -> bool:
    """Whether a session is of the workspace that a request names, or of any where it names none."""
    if workspace is None:
        return True
    return session.workspace is not None and is_at_or_below(session.workspace, workspace)


def _is_wanted(origin: Origin, asked: Origin | Literal["all"] | None) -> bool:
    if asked is None:
        return origin not in {"subagent", "headless"}
    return asked in {"all", origin}


def _slim(row: Session) -> Session:
    """Return a row without its states where no unfinished conversion needs them."""
    return _without_states(row) if row.converted_through >= row.records else row


def _without_states(row: Session) -> Session:
    """Return a row without the states of conversion: they are the largest part of it, and the rows
    of all sessions are in memory at once.
    """
    return replace(row, convert_state=b"", projection_state=b"")
