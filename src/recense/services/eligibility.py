"""Eligibility: which sessions a request may read and asks for; the same for every way of searching.

Laws: a hidden session is never read, nor is a sub-agent's of one. Every filter applies before
anything is counted. Of settled sessions the store's counters are enough; a session that waits for
conversion is read to know it: its folder, its origin and its parent may not be known before.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal, get_args

from recense.core.recall.filters import is_at_or_below
from recense.core.transcript.messages import LoadedSession
from recense.core.transcript.records import Origin, Session, is_settled, without_states
from recense.core.transcript.totals import SessionFilter, Totals, together, totals_of, with_damage
from recense.core.transcript.visibility import is_hidden
from recense.ports.transcripts import TranscriptReader
from recense.services.conversion import Load
from recense.services.naming import required_session

_LEFT_OUT_UNASKED: Final[frozenset[Origin]] = frozenset({"subagent", "headless"})


class Scope:
    """The sessions of one request in one snapshot.

    ``wanted`` is what the request asks for. `walk` finds those that wait; after it, ``waiting`` are
    those of them that are eligible, with what conversion in memory knows of them, ``unconverted``
    and ``unsearched`` the archived records that wait in them. ``left_out`` counts sessions by the
    origin that kept them out, and ``private`` the hidden ones, among those seen so far.

    Raises NotFound when the request names a session that is not there, and InvalidRequest when the
    name is that of several.
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
        self._known: dict[str, Session] = {}
        self._rows: dict[str, Session | None] = {}
        self._damage: dict[str, int] = {}
        self.wanted: Final = SessionFilter(
            session_id=None if session is None else self._session_id(session),
            workspaces=None
            if workspace is None
            else frozenset(each for each in reader.workspaces() if is_at_or_below(each, workspace)),
            origins=wanted_origins(origin),
        )
        self.waiting: Final[dict[str, Session]] = {}
        self.left_out: Final[Counter[Origin]] = Counter()
        self.private = self.unconverted = self.unsearched = 0

    def session_of(self, session_id: str) -> Session | None:
        """Return a session, with what conversion in memory knows of it; None if it is not there."""
        return self._known.get(session_id) or self._stored(session_id)

    def walk(self) -> Iterator[LoadedSession]:
        """Find the eligible sessions that wait, and yield them loaded, one at a time."""
        for row in self._reader.waiting():
            if self.wanted.session_id not in (None, row.session_id):
                continue
            if is_hidden(row, self._reader.outline):
                continue
            loaded = self._load(self._reader, row)
            session = without_states(loaded.session)
            self._known[row.session_id] = session
            if is_hidden(session, self._reader.outline):
                self.private += 1
                continue
            if not is_in_workspace(session, self._workspace):
                continue
            if not self.wanted_origin(session):
                self.left_out[session.origin] += 1
                continue
            self.waiting[session.session_id] = session
            self.unconverted += loaded.unconverted
            self.unsearched += loaded.unsearched
            yield loaded

    def wanted_origin(self, session: Session) -> bool:
        """Whether a session's origin is asked for."""
        return self.wanted.origins is None or session.origin in self.wanted.origins

    def is_readable(self, session: Session) -> bool:
        """Whether nobody hid a session."""
        return not is_hidden(session, self._stored)

    def is_eligible(self, session: Session) -> bool:
        """Whether a settled session may be read and is asked for; it is given without its states,
        as it is stored.
        """
        self._rows[session.session_id] = session  # nobody has to read it again
        return self.wanted.passes(session) and self.is_readable(session)

    def settled_rows(self) -> Iterator[Session]:
        """Yield every settled session that is eligible, by start, one by one from its own row;
        count the hidden and left out ones.
        """
        every = {row.session_id: without_states(row) for row in self._reader.sessions()}
        self._rows.update(every)
        for row in every.values():
            if is_hidden(row, every.get):
                self.private += 1
            elif is_settled(row) and self.wanted.is_near(row):
                if self.wanted_origin(row):
                    yield row
                else:
                    self.left_out[row.origin] += 1

    def sum_settled(self) -> Totals:
        """Return the totals of the settled sessions that are eligible, as the store sums them;
        count the hidden and left out ones.
        """
        settled = self._reader.settled(self.wanted)
        self.private += settled.hidden
        self.left_out.update(settled.left_out)
        return settled.totals

    def note(self, loaded: LoadedSession) -> None:
        """Note what reading a session showed: that more of it is damaged than its row knows."""
        found = loaded.session.counts.unreadable_events
        if found:
            self._damage[loaded.session.session_id] = found

    def totals(self, settled: Totals) -> Totals:
        """Return the totals of all eligible sessions, with the damage that was noted."""
        return with_damage(together(settled, totals_of(self.waiting.values())), self._damage)

    def _stored(self, session_id: str) -> Session | None:
        """Return a session as it is stored, read once; None if it is not there."""
        if session_id not in self._rows:
            self._rows[session_id] = self._reader.outline(session_id)
        return self._rows[session_id]

    def _session_id(self, name: str) -> str:
        named = filter(self.is_readable, self._reader.named(name))
        return required_session(named, name).session_id


def wanted_origins(asked: Origin | Literal["all"] | None) -> frozenset[Origin] | None:
    """Return the origins that a request asks for; None for any."""
    match asked:
        case "all":
            return None
        case None:
            return frozenset(get_args(Origin)) - _LEFT_OUT_UNASKED
        case _:
            return frozenset({asked})


def readable_outline(reader: TranscriptReader, session_id: str) -> Session | None:
    """Return a session that may be read, without its states; None if it is hidden or not there."""
    row = reader.outline(session_id)
    return None if row is None or is_hidden(row, reader.outline) else row


def readable_session(reader: TranscriptReader, load: Load, session_id: str) -> LoadedSession | None:
    """Return a session that may be read, loaded; None when it is hidden or not there."""
    row = reader.session(session_id)
    if row is None or is_hidden(row, reader.outline):
        return None
    loaded = load(reader, row)
    return None if is_hidden(loaded.session, reader.outline) else loaded


def is_in_workspace(session: Session, workspace: str | None) -> bool:
    """Whether a session is of the workspace that a request names, or of any where it names none."""
    if workspace is None:
        return True
    return session.workspace is not None and is_at_or_below(session.workspace, workspace)
