"""The state machine: two stores are told the same, and must tell the same.

Sessions are forgotten once in a run, since they never come back. Some pages are stale or contradict
the store; both stores must then refuse with the same error and be as they were. The reference keeps
no index: where the subject does, the machine knows what it may answer for.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace

from recense.conformance.index_material import image, images, is_vouched, keeps_index, page_of
from recense.conformance.material import (
    ALL_RECORDS,
    SOURCE,
    arrive,
    birth,
    contents,
    counts_of,
    event,
)
from recense.conformance.universe import (
    ARRIVALS,
    BODIES,
    FILTERS,
    LATE,
    PICTURES,
    STARTS,
    Changes,
    births,
    blobs_of,
    changes,
    facts,
    findings,
    mostly,
    paths,
    pictures,
    rarely,
    records,
    sessions,
    stream_keys,
)
from recense.conformance.vocabulary import Case, expect_equal
from recense.core.transcript.records import (
    Blob,
    Session,
    SessionBirth,
    SessionFacts,
    is_settled,
)
from recense.errors import RecenseError, StoreFault
from recense.limits import CHUNK_BYTES
from recense.ports.commits import ArchivePage, ImportFile, LedgerPage, MessageRow, NewRecord
from recense.ports.pages import rows_after
from recense.ports.transcripts import TranscriptStore

STEPS_MAX: Final = 20
FORGOTTEN_MAX: Final = 1


class _Machine(RuleBasedStateMachine):
    """Tells a subject and a reference the same."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self._case: Final = case
        self._subject = case.subject()
        self._reference: Final = case.reference()
        self._events = 0
        self._forgotten = 0
        self._keeps_index: Final = keeps_index(self._subject)
        self._indexed: Final[dict[str, int]] = {}

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
            blobs=(*blobs_of(pictures), *_blobs_named(kept)),
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
        """Append a page; its session may be unknown, its base stale, its rows impossible. Without
        an event no message changes.
        """
        with self._reference.snapshot() as reader:
            session = reader.session(session_id) or Session(
                session_id=session_id, source="", source_session_id=""
            )
            rows = {each.position: each for each in reader.message_rows(session_id)}
        opened = changes.opened_from(max(rows) if impossible and rows else len(rows))
        grown = changes.grown if impossible else changes.grown_among(rows)
        page = LedgerPage(
            session_id=session_id,
            expected_events=session.events + stale,
            expected_through=session.converted_through,
            events=tuple(
                replace(event(f"e{self._events + n}"), at=changes.at) for n in range(events)
            ),
            blobs=blobs_of(changes.pictures),
            facts=changes.facts,
            counts=session.counts,
            projection_state=f"after {self._events}".encode(),
            opened=opened if events else (),
            grown=grown if events else (),
            standings=changes.standings if events else (),
            conversion=changes.conversion_of(session, beyond=impossible),
            ended_streams=changes.ended_streams,
            findings=changes.findings,
            closed=changes.closed,
        )
        self._events += events
        self._both(lambda store: store.append(_counted(page, rows)))

    @rule(session_id=sessions, changes=changes, events=st.integers(1, 3))
    def append_well(self, session_id: str, changes: Changes, events: int) -> None:
        """Append a page as a careful caller does: what others do is seen where there is much."""
        self.append(session_id, changes, events, stale=False, impossible=False)

    @rule(born=births, said=facts)
    def open_session(self, born: SessionBirth, said: SessionFacts) -> None:
        """Introduce a session, known or not."""
        self._both(lambda store: store.open_session(born, said))

    @rule(
        session_id=sessions,
        key=stream_keys,
        text=st.sampled_from(tuple(ARRIVALS)),
        stale=rarely,
        found=findings,
    )
    def stream(
        self,
        session_id: str,
        key: str,
        text: str,
        stale: bool,  # noqa: FBT001 - drawn by Hypothesis
        found: tuple[tuple[str, int], ...],
    ) -> None:
        """Let text arrive of a stream, perhaps on a stale base."""
        with self._reference.snapshot() as reader:
            held = {each.stream_key: len(each.text) for each in reader.streams(session_id)}
        self._both(
            lambda store: arrive(
                store,
                session_id,
                key,
                ARRIVALS[text],
                at=self._events,
                findings=found,
                length=held.get(key, 0) + stale,
            )
        )

    @rule(session_id=sessions, private=st.booleans())
    def set_private(
        self,
        session_id: str,
        private: bool,  # noqa: FBT001 - drawn by Hypothesis
    ) -> None:
        """Hide a session or show it again, known or not."""
        self._both(lambda store: store.set_private(session_id, private=private))

    @precondition(lambda self: self._forgotten < FORGOTTEN_MAX)
    @rule(session_ids=st.lists(sessions, min_size=1, max_size=2))
    def forget(self, session_ids: list[str]) -> None:
        """Forget sessions, known or not."""
        self._forgotten += 1
        self._both(lambda store: store.forget(session_ids))
        for session_id in session_ids:
            self._indexed.pop(session_id, None)

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

    @rule(session_id=sessions, importer_version=st.sampled_from((3, 3, 4)))
    def restart(self, session_id: str, importer_version: int) -> None:
        """Take a conversion back to its beginning."""
        self._both(lambda store: store.restart(session_id, importer_version))
        with self._reference.snapshot() as reader:
            session = reader.session(session_id)
        if session is not None and not session.events and session_id in self._indexed:
            self._indexed[session_id] = 0

    @precondition(lambda self: self._keeps_index)
    @rule(session_id=sessions, to_the_end=mostly)
    def index(
        self,
        session_id: str,
        to_the_end: bool,  # noqa: FBT001 - drawn by Hypothesis
    ) -> None:
        """Index a session anew, to its end or not quite."""
        with self._reference.snapshot() as reader:
            session = reader.session(session_id)
            rows = list(reader.message_rows(session_id))
        if session is None:
            return
        through = session.events if to_the_end else max(0, session.events - 1)
        found = tuple(image(each.position, live=each.live) for each in rows)
        with self._subject.snapshot() as reader:
            index = reader.message_index()
            start = 0 if index is None else index.through(session_id).events
        page = page_of(
            images(self._subject, session_id, *found, expected=start, through=max(start, through))
        )
        expect_equal("indexed", self._subject.write_index(page), frozenset({session_id}))
        self._indexed[session_id] = max(start, through)

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
        for session_id in STARTS:
            expect_equal(
                f"more of {session_id}",
                _more_of(self._subject, session_id),
                _more_of(self._reference, session_id),
            )
        expect_equal("sums", _sums_of(self._subject), _sums_of(self._reference))

    @precondition(lambda self: self._keeps_index)
    @invariant()
    def the_index_answers_for_what_it_covers(self) -> None:
        """Compare what is vouched for with what was indexed, as far as the sessions go now."""
        with self._reference.snapshot() as reader:
            expected = {
                each.session_id
                for each in reader.sessions()
                if self._indexed.get(each.session_id) == each.events
                and is_settled(each)
                and not each.open_streams
                and not each.counts.unreadable_events
            }
        found = {session_id for session_id in STARTS if is_vouched(self._subject, session_id)}
        expect_equal("vouched for", found, expected)

    def teardown(self) -> None:
        """Look for damage that no reader tells, and let go."""
        faults = [*self._subject.check(), *self._subject.check_index()]
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


def _more_of(store: TranscriptStore, session_id: str) -> object:
    """Return what the contents of a store do not tell of a session."""
    with store.snapshot() as reader:
        return (
            reader.is_forgotten(session_id),
            [reader.records(session_id, 0, ALL_RECORDS, bytes_max) for bytes_max in (0, 1_000)],
        )


def _sums_of(store: TranscriptStore) -> object:
    """Return what a question asks of all sessions together."""
    with store.snapshot() as reader:
        return (
            [reader.settled(wanted) for wanted in FILTERS],
            list(reader.waiting()),
            reader.workspaces(),
            reader.failed_files(),
            [reader.named(session_id) for session_id in STARTS],
        )


def _blobs_named(records: Iterable[NewRecord]) -> tuple[Blob, ...]:
    named = {digest for each in records for digest in each.blobs}
    return tuple(blob for blob in blobs_of(tuple(range(len(PICTURES)))) if blob.sha256 in named)


def _counted(page: LedgerPage, rows: Mapping[int, MessageRow]) -> LedgerPage:
    """Return the page with the counts of the rows after it; an impossible page stays as it is."""
    try:
        return replace(page, counts=counts_of(rows_after(rows, page).values()))
    except StoreFault:
        return page
