"""The state machine: two stores are told the same, and must tell the same.

The universe is small on purpose, so that calls meet: five sessions, two of one start and one of
none, a handful of identities, places and files. Some pages are stale or contradict the store; both
stores must then refuse with the same error and be as they were.
"""

import operator
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace

from recense.conformance.material import (
    SOURCE,
    birth,
    contents,
    counts_of,
    event,
    mark,
    record,
    row,
)
from recense.conformance.vocabulary import Case, expect_equal
from recense.core.transcript.records import Blob, Session, SessionBirth, SessionFacts
from recense.core.values import Value
from recense.errors import RecenseError, StoreFault
from recense.limits import CHUNK_BYTES
from recense.ports.pages import rows_after
from recense.ports.transcripts import (
    ArchivePage,
    ConversionMark,
    DeadRange,
    Growth,
    ImportFile,
    KeepSource,
    LedgerPage,
    MessageRow,
    NewRecord,
    TranscriptStore,
)

STEPS_MAX: Final = 20

STARTS: Final[dict[str, int | None]] = {"a": 5, "b": 5, "c": None, "é": -1, "late": 1}
LATE: Final = "late"
NAMES: Final = ("n0", "n1", "n2", "n3")
BODIES: Final = {
    b"empty": b"",
    b"NUL": b"\x00",
    b"short": b'{"says":"good morning"}',
    b"compressible": b"word " * 200,
    b"long": "数据".encode() * (CHUNK_BYTES // 4),
}
"""What records say, by a name that Hypothesis can print."""

PICTURES: Final = (b"", b"p" * (CHUNK_BYTES + 1))

sessions = st.sampled_from((*STARTS, *(name for name in STARTS if name != LATE)))
maybe_names = st.none() | st.sampled_from(NAMES)
births = sessions.map(lambda name: birth(name, STARTS[name]))
records: st.SearchStrategy[NewRecord] = st.builds(
    record,
    sessions,
    st.integers(0, 4),
    name=maybe_names,
    body=st.sampled_from(tuple(BODIES)),
    disposition=st.sampled_from(("parsed", "skipped", "bad")),
)
facts: st.SearchStrategy[SessionFacts] = st.builds(
    SessionFacts,
    workspace=st.none() | st.just("/home/ada"),
    title=st.none() | st.sampled_from(("Garden", "Kitchen")),
    title_rank=st.integers(0, 3),
    origin=st.none() | st.just("headless"),
)
lengths = st.integers(0, 30)
pictures = st.lists(st.sampled_from(range(len(PICTURES))), max_size=2).map(tuple)
paths = st.sampled_from(("/one", "/two"))
rarely = st.sampled_from((False,) * 7 + (True,))
mostly = rarely.map(operator.not_)


class NewMessage(Value, kw_only=True):
    """A message row that is yet to be given its position."""

    name: str | None
    length: int
    live: bool


class Changes(Value, kw_only=True):
    """What a page of the ledger may bring besides its events."""

    opened: tuple[NewMessage, ...]
    grown: tuple[Growth, ...]
    dead: tuple[DeadRange, ...]
    pictures: tuple[int, ...]
    facts: SessionFacts
    at: int | None
    converted: int | None
    keep_source: KeepSource
    closed: bool

    def opened_from(self, free: int) -> tuple[MessageRow, ...]:
        """Return the new messages at the positions from a free one on."""
        return tuple(
            row(free + place, name=each.name, length=each.length, live=each.live)
            for place, each in enumerate(self.opened)
        )

    def grown_among(self, rows: Mapping[int, MessageRow]) -> tuple[Growth, ...]:
        """Return the growths of rows that are there."""
        return tuple(each for each in self.grown if each.position in rows)

    def conversion_of(self, session: Session, *, beyond: bool) -> ConversionMark | None:
        """Return the mark of converting some records more, perhaps more than there are."""
        if self.converted is None:
            return None
        through = session.converted_through + self.converted
        return mark(through if beyond else min(through, session.records), self.keep_source)


changes: st.SearchStrategy[Changes] = st.builds(
    Changes,
    opened=st.lists(
        st.builds(
            NewMessage,
            name=maybe_names,
            length=lengths,
            live=mostly,
        ),
        min_size=1,
        max_size=3,
    ).map(tuple),
    grown=st.lists(st.builds(Growth, position=st.integers(0, 4), length=lengths), max_size=2).map(
        tuple
    ),
    dead=st.lists(
        st.builds(DeadRange, first=st.integers(0, 4), last=st.integers(0, 6)), max_size=1
    ).map(tuple),
    pictures=pictures,
    facts=facts,
    at=st.none() | st.integers(-5, 5),
    converted=st.none() | st.integers(0, 3),
    keep_source=st.sampled_from(("compressed", "drop")),
    closed=st.booleans(),
)


class _Machine(RuleBasedStateMachine):
    """Tells a subject and a reference the same."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self._case: Final = case
        self._subject = case.subject()
        self._reference: Final = case.reference()
        self._events = 0

    @initialize(kept=st.lists(records, max_size=8))
    def introduce(self, kept: list[NewRecord]) -> None:
        """Begin with every session but one, and some records, so that pages find something."""
        there = [birth(name, start) for name, start in STARTS.items() if name != LATE]
        known = [each for each in kept if each.session_id != LATE]
        self.archive(there, known, pictures=(), path="/one", stale=False)

    @rule(
        born=st.lists(births, max_size=3),
        kept=st.lists(records, min_size=1, max_size=5),
        pictures=pictures,
        path=paths,
        stale=rarely,
    )
    def archive(
        self,
        born: list[SessionBirth],
        kept: list[NewRecord],
        pictures: tuple[int, ...],
        path: str,
        stale: bool,  # noqa: FBT001 - drawn by Hypothesis
    ) -> None:
        """Archive a page; its sessions may be unknown, its bookkeeping stale."""
        with self._reference.snapshot() as reader:
            file = reader.file(SOURCE, path)
        later = ImportFile(source=SOURCE, path=path, offset=file.offset + 1 if file else 0)
        page = ArchivePage(
            births=tuple(born),
            records=tuple(replace(each, record=BODIES[each.record]) for each in kept),
            blobs=_blobs(pictures),
            expected=later if stale else file,
            file=later,
        )
        self._both(lambda store: store.archive(page))

    @rule(
        session_id=sessions,
        changes=changes,
        events=st.integers(0, 3),
        stale=rarely,
        impossible=rarely,
    )
    def append(
        self,
        session_id: str,
        changes: Changes,
        events: int,
        stale: bool,  # noqa: FBT001 - drawn by Hypothesis
        impossible: bool,  # noqa: FBT001 - as above
    ) -> None:
        """Append a page; its session may be unknown, its base stale, its rows impossible."""
        with self._reference.snapshot() as reader:
            session = reader.session(session_id) or Session(
                session_id=session_id, source="", source_session_id=""
            )
            rows = {each.position: each for each in reader.message_rows(session_id)}
        page = LedgerPage(
            session_id=session_id,
            expected_events=session.events + stale,
            expected_through=session.converted_through,
            events=tuple(
                replace(event(f"e{self._events + n}"), at=changes.at) for n in range(events)
            ),
            blobs=_blobs(changes.pictures),
            facts=changes.facts,
            counts=session.counts,
            projection_state=f"after {self._events}".encode(),
            opened=changes.opened_from(max(rows) if impossible and rows else len(rows)),
            grown=changes.grown if impossible else changes.grown_among(rows),
            dead=changes.dead,
            conversion=changes.conversion_of(session, beyond=impossible),
            closed=changes.closed,
        )
        self._events += events
        self._both(lambda store: store.append(_counted(page, rows)))

    @rule(born=births, said=facts)
    def open_session(self, born: SessionBirth, said: SessionFacts) -> None:
        """Introduce a session, known or not."""
        self._both(lambda store: store.open_session(born, said))

    @rule(path=paths, stale=rarely, reason=st.sampled_from(("", "unreadable")))
    def note_file(
        self,
        path: str,
        stale: bool,  # noqa: FBT001 - drawn by Hypothesis
        reason: str,
    ) -> None:
        """Note a file's bookkeeping, perhaps on a stale base."""
        with self._reference.snapshot() as reader:
            file = reader.file(SOURCE, path)
        later = ImportFile(source=SOURCE, path=path, size=self._events, reason=reason)
        self._both(lambda store: store.note_file(None if stale else file, later))

    @rule()
    def reopen(self) -> None:
        """Close the subject and open it again."""
        self._subject = self._case.reopened(self._subject)

    @rule(
        session_id=sessions,
        after=st.sampled_from((0, 0, 0, 1, 2, 6)),
        count=st.integers(1, 4),
        bytes_max=st.sampled_from((0, 30, 1_000, CHUNK_BYTES * 7)),
    )
    def read(self, session_id: str, after: int, count: int, bytes_max: int) -> None:
        """Ask for a part of a session."""
        asked = [f"e{n}" for n in range(self._events + 1)]

        def answers(store: TranscriptStore) -> object:
            with store.snapshot() as reader:
                return (
                    reader.records(session_id, after, count, bytes_max),
                    list(reader.events(session_id, after)),
                    reader.known_event_ids(session_id, asked),
                    reader.session(session_id),
                )

        expect_equal("part", answers(self._subject), answers(self._reference))

    @invariant()
    def both_hold_the_same(self) -> None:
        """Compare everything that readers tell."""
        found, expected = contents(self._subject), contents(self._reference)
        for part, wanted in expected.items():
            expect_equal(part, found[part], wanted)

    def teardown(self) -> None:
        """Look for damage that no reader tells, and let go."""
        faults = list(self._subject.check())
        self._case.close()
        expect_equal("faults found", faults, [])

    def _both(self, call: Callable[[TranscriptStore], object]) -> None:
        expect_equal("answer", _answer(self._subject, call), _answer(self._reference, call))


def compare(case: Case) -> None:
    """Run the machine as often as Hypothesis's present profile says; raises CheckFailed."""

    class Machine(_Machine):
        def __init__(self) -> None:
            super().__init__(case)

    run_state_machine_as_test(
        Machine,
        settings=settings(deadline=None, database=None, stateful_step_count=STEPS_MAX),
    )


def _answer(store: TranscriptStore, call: Callable[[TranscriptStore], object]) -> object:
    """Return what a call answers, or the class of the error it raises."""
    try:
        return call(store)
    except RecenseError as error:
        return type(error)


def _blobs(pictures: tuple[int, ...]) -> tuple[Blob, ...]:
    return tuple(
        Blob(sha256=sha256(PICTURES[each]).hexdigest(), data=PICTURES[each]) for each in pictures
    )


def _counted(page: LedgerPage, rows: Mapping[int, MessageRow]) -> LedgerPage:
    """Return the page with the counts of the rows after it; an impossible page stays as it is."""
    try:
        return replace(page, counts=counts_of(rows_after(rows, page).values()))
    except StoreFault:
        return page
