"""The message index in the file: damage is seen, what goes leaves nothing, questions use keys."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.adapters.sqlite import indexing
from recense.adapters.sqlite.connections import IdleReaders, begin_reading, connect
from recense.adapters.sqlite.driver import Bindings, Connection, Cursor, read_number
from recense.adapters.sqlite.index_reading import IndexReader
from recense.adapters.sqlite.rows import count_failed_files, read_waiting_sessions
from recense.adapters.sqlite.settled import read_settled, read_workspaces
from recense.adapters.sqlite.store import SqliteStore
from recense.conformance.index_material import (
    image,
    images,
    indexed_of,
    is_vouched,
    offered_of,
    page_of,
)
from recense.conformance.material import (
    append,
    archive,
    birth,
    contents,
    event,
    mark,
    next_page,
    record,
    row,
)
from recense.core.recall.versions import INDEX_VERSION, REDACTION_VERSION
from recense.core.text.grams import GRAM_BYTES
from recense.core.transcript.records import Counts, Session, SessionFacts, is_settled
from recense.core.transcript.totals import SessionFilter, totals_of
from recense.core.transcript.visibility import is_hidden
from recense.errors import StoreCorrupt
from recense.limits import READERS_KEPT_MAX, SUMS_KEPT_MAX, WINDOW_BYTES
from tests.adapters.stores import WAIT_SECONDS_MAX, opened

SESSIONS: Final = ("alpha", "beta")
MESSAGES: Final = 3


def say(store: SqliteStore, session_id: str, *texts: str) -> None:
    """Keep a session that says these texts, and index it."""
    archive(store, [record(session_id, 0)], path=session_id)
    page = replace(
        next_page(store, session_id),
        events=tuple(event(f"{session_id} {n}") for n in range(len(texts))),
        opened=tuple(row(n) for n in range(len(texts))),
        conversion=mark(1),
    )
    append(store, page)
    found = (image(place, text) for place, text in enumerate(texts))
    store.write_index(page_of(images(store, session_id, *found)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of two indexed sessions of three messages each."""
    path = tmp_path / "store.sqlite"
    with opened(path) as store:
        for session_id in SESSIONS:
            say(store, session_id, *(f"the needle of {session_id} {n}" for n in range(MESSAGES)))
        assert store.check_index() == ()
    return path


def harm(path: Path, statement: str) -> None:
    connection = connect(path, busy_wait_ms=0)
    connection.execute(statement)
    connection.close()


def writer_of(store: SqliteStore) -> Connection:
    return store._file.writer  # pyright: ignore[reportPrivateUsage]


SEEN_AT_ONCE: Final = {
    "its mark is another": "UPDATE index_mark SET mark = x'00'",
    "it has no mark": "DELETE FROM index_mark",
    "a row of grams was deleted": "DELETE FROM grams WHERE rowid = 1",
    "a row of grams was added": "INSERT INTO grams(rowid, image) VALUES (99, 'needle')",
    "the engine's record is another": "UPDATE grams_data SET block = x'00' WHERE id = 10",
    "the engine's format is another": "UPDATE grams_config SET v = 99 WHERE k = 'version'",
    **{
        f"{table} is missing": f"DROP TABLE {table}"
        for table in (
            "images",
            "index_states",
            "index_mark",
            "gram_counts",
            "grams",
            "grams_config",
            "grams_data",
            "grams_docsize",
            "grams_idx",
        )
    },
}
"""Damage that `mend_index` sees."""

SEEN_BY_LOOKING: Final = {
    "an image was deleted": "DELETE FROM images WHERE image_key = 2",
    "all images were deleted": "DELETE FROM images",
    "an image lacks its end": (
        "UPDATE images SET windows = 2, image = zeroblob(9) WHERE image_key = 6"
    ),
    "an image is another": "UPDATE images SET image = CAST('something else' AS BLOB)",
    "messages of it no longer count": "UPDATE images SET live = 0",
    "an image is of no session": "UPDATE images SET session_key = 99 WHERE session_key = 1",
    "the engine's pages were deleted": "DELETE FROM grams_data WHERE id > 10",
    "the engine's pages are empty": (
        "UPDATE grams_data SET block = zeroblob(length(block)) WHERE id > 10"
    ),
    "the engine knows no row": "DELETE FROM grams_docsize",
}
"""Damage that `check_index` finds as well."""

ALL_DAMAGE: Final = SEEN_AT_ONCE | SEEN_BY_LOOKING

SILENT: Final = {
    "an image is another",
    "messages of it no longer count",
    "index_states is missing",
    "grams_docsize is missing",
    "the engine knows no row",
    "an image is of no session",
}
"""What no question for a long term meets."""


@pytest.mark.parametrize("damage", ALL_DAMAGE)
def test_damage_is_found_in_words_and_the_rest_of_the_store_is_whole(
    path: Path, damage: str
) -> None:
    harm(path, ALL_DAMAGE[damage])
    with opened(path) as store:
        assert store.check_index()
        assert store.check() == ()
        assert len(list(contents(store))) > 0


@pytest.mark.parametrize("damage", sorted(ALL_DAMAGE.keys() - SILENT))
def test_damage_that_a_question_meets_is_an_error_and_never_a_shorter_answer(
    path: Path, damage: str
) -> None:
    harm(path, ALL_DAMAGE[damage])
    with opened(path) as store, pytest.raises(StoreCorrupt):
        offered_of(store, "needle")


@pytest.mark.parametrize("term", ["n", "ne", "é"])
def test_images_that_are_missing_are_missed_where_all_are_read(path: Path, term: str) -> None:
    harm(path, SEEN_BY_LOOKING["an image was deleted"])
    with opened(path) as store, pytest.raises(StoreCorrupt):
        offered_of(store, term)


@pytest.mark.parametrize("damage", SEEN_AT_ONCE)
def test_mending_empties_an_index_that_is_damaged(path: Path, damage: str) -> None:
    with opened(path) as store:
        before = contents(store)
    harm(path, SEEN_AT_ONCE[damage])
    with opened(path) as store:
        assert store.mend_index()
        assert not any(is_vouched(store, each) for each in SESSIONS)
        assert store.check_index() == ()
        assert offered_of(store, "needle") == []
        assert not store.mend_index()
        assert contents(store) == before
        say(store, "gamma", "the needle again")
        assert len(offered_of(store, "needle")) == 1


def test_mending_leaves_an_index_that_is_whole(path: Path) -> None:
    with opened(path) as store:
        assert not store.mend_index()
        assert all(is_vouched(store, each) for each in SESSIONS)
    with opened(path) as store:
        assert not store.mend_index()
        assert len(offered_of(store, "needle")) == 2 * MESSAGES


@pytest.mark.parametrize("damage", ALL_DAMAGE)
def test_an_index_is_emptied_however_damaged_it_is(path: Path, damage: str) -> None:
    harm(path, ALL_DAMAGE[damage])
    with opened(path) as store:
        store.empty_index()
        assert store.check_index() == ()
        assert [indexed_of(store, each) for each in SESSIONS] == [[], []]


@pytest.mark.parametrize("damage", SEEN_AT_ONCE)
def test_what_writes_on_a_damaged_index_never_marks_it_as_whole(path: Path, damage: str) -> None:
    writes: tuple[Callable[[SqliteStore], object], ...] = (
        lambda store: store.write_index(page_of(images(store, "alpha", image(0), expected=3))),
        lambda store: store.restart("alpha", mark(1).importer_version),
        lambda store: store.forget(["alpha"]),
    )
    whole = path.read_bytes()
    for write in writes:
        path.write_bytes(whole)
        harm(path, SEEN_AT_ONCE[damage])
        with opened(path) as store:
            write(store)
            assert not is_vouched(store, "beta")
            assert store.check_index() == ()


def grams_left(store: SqliteStore) -> set[bytes]:
    """Return every gram of which the full-text index still knows."""
    writer = writer_of(store)
    writer.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'grams', 'row')")
    try:
        rows = writer.execute("SELECT term FROM temp.vocabulary").fetchall()
    finally:
        writer.execute("DROP TABLE temp.vocabulary")
    return {term.encode("latin-1") for (term,) in rows}


def grams_of(*texts: str) -> set[bytes]:
    """Return every gram of some texts."""
    return {
        data[at : at + GRAM_BYTES]
        for data in (text.encode() for text in texts)
        for at in range(len(data) - GRAM_BYTES + 1)
    }


def test_forgetting_leaves_no_gram_of_what_went(tmp_path: Path) -> None:
    long = "蕨类植物 " * WINDOW_BYTES
    with opened(tmp_path / "store.sqlite") as store:
        for number in range(6):
            say(store, f"s{number}", f"unspeakable-{number}-qzx", long if number == 3 else "hm")
            say(store, f"t{number}", f"good morning {number}")
        assert grams_left(store) >= grams_of("unspeakable-3-qzx", "蕨类植物")
        store.forget([f"s{number}" for number in range(6)])
        assert grams_left(store) == grams_of(*(f"good morning {number}" for number in range(6)))
        assert store.check_index() == ()
        store.forget([f"t{number}" for number in range(6)])
        assert grams_left(store) == set()
        assert not store.mend_index()


def counts_of(store: SqliteStore) -> dict[bytes, int]:
    """Return in how many texts grams were counted."""
    return dict(writer_of(store).execute("SELECT gram, texts FROM gram_counts").fetchall())


def test_grams_are_counted_as_an_index_grows_and_when_something_was_forgotten(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        say(store, "alpha", "one fern")
        assert counts_of(store) == {}
        say(store, "beta", "two ferns", "ferns, ferns", "")
        assert {gram for gram, texts in counts_of(store).items() if texts == 3} == {
            *(b" fe", b"fer", b"ern")
        }
        assert counts_of(store)[b"rns"] == 2
        say(store, "gamma", "a moss", "two mosses")
        assert b"mos" not in counts_of(store)
        say(store, "delta", "a mossy rock", *["" for _ in range(9)])
        assert counts_of(store)[b"mos"] == 3
        store.forget(["beta"])
        assert counts_of(store) == {b"mos": 3, b"oss": 3, b" mo": 3, b"a m": 2}
        assert store.check_index() == ()


def test_no_more_text_is_counted_than_the_bounds_allow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "TEXTS_COUNTED_MAX", 6)
    monkeypatch.setattr(indexing, "TEXT_BYTES_COUNTED_MAX", 30)
    with opened(tmp_path / "store.sqlite") as store:
        say(store, "alpha", *["fern" for _ in range(20)])
        assert counts_of(store) == {b"fer": 6, b"ern": 6}
        say(store, "beta", *["fern fern" for _ in range(60)])
        assert counts_of(store)[b"fer"] in {3, 4, 5}


def test_forgetting_one_of_a_single_page_leaves_no_gram_of_it(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        say(store, "alpha", "unspeakable")
        store.forget(["alpha"])
        assert grams_left(store) == set()


@pytest.mark.parametrize("damage", ALL_DAMAGE)
def test_forgetting_leaves_no_gram_also_in_a_damaged_index(path: Path, damage: str) -> None:
    harm(path, ALL_DAMAGE[damage])
    with opened(path) as store:
        assert store.forget(SESSIONS).sessions == len(SESSIONS)
        left = read_number(writer_of(store), "SELECT count(*) FROM images WHERE session_key <> 99")
        assert left == 0
        if damage != "an image is of no session":
            assert grams_left(store) == set()


# Readers


def idle_of(store: SqliteStore) -> list[Connection]:
    return store._file.idle._kept  # pyright: ignore[reportPrivateUsage]


def test_a_reader_is_used_again_and_each_snapshot_is_a_moment_of_its_own(path: Path) -> None:
    with opened(path) as store:
        with store.snapshot() as reader:
            assert reader.session("gamma") is None
        (kept,) = idle_of(store)
        archive(store, [record("gamma", 0)])
        with store.snapshot() as reader:
            assert kept not in idle_of(store)
            assert reader.session("gamma") is not None
            archive(store, [record("delta", 0)])
            assert reader.session("delta") is None
        assert any(each is kept for each in idle_of(store))


def test_a_reader_that_is_left_while_its_rows_are_read_is_not_used_again(path: Path) -> None:
    with opened(path) as store:
        with store.snapshot() as reader:
            rows = reader.sessions()
            next(rows)
            before = len(idle_of(store))
        assert len(idle_of(store)) == before
        archive(store, [record("gamma", 0)])
        with store.snapshot() as again:
            assert again.session("gamma") is not None
        with pytest.raises(Exception, match=r"(?i)closed|abort"):
            list(rows)


def test_an_error_of_whoever_reads_leaves_no_transaction_open(path: Path) -> None:
    with opened(path) as store:
        with suppress(KeyError), store.snapshot() as reader:
            reader.session("alpha")
            raise KeyError
        assert all(each.txn_state() == apsw.SQLITE_TXN_NONE for each in idle_of(store))


def test_a_store_that_is_closed_keeps_no_reader(path: Path) -> None:
    with opened(path) as store:
        with store.snapshot() as first, store.snapshot() as second:
            assert first.session("alpha") == second.session("alpha")
        kept = list(idle_of(store))
        assert len(kept) == 2
    assert idle_of(store) == []
    for connection in kept:
        with pytest.raises(apsw.ConnectionClosedError):
            connection.execute("SELECT 1")


def test_forgetting_lets_go_of_the_readers_that_wait(path: Path) -> None:
    with opened(path) as store:
        with store.snapshot() as reader:
            assert reader.session("alpha") is not None
        assert store.forget(["alpha"]).bytes_gone


def test_no_more_readers_are_kept_than_the_bound(path: Path) -> None:
    idle = IdleReaders()
    connections = [begin_reading(path, busy_wait_ms=0) for _ in range(READERS_KEPT_MAX + 3)]
    for connection in connections:
        idle.give_back(connection)
    taken: list[Connection] = []
    while (connection := idle.take()) is not None:
        assert connection.in_transaction
        taken.append(connection)
    assert len(taken) == READERS_KEPT_MAX
    assert {*map(id, taken)} <= {*map(id, connections)}
    for connection in taken:
        idle.give_back(connection)
    idle.close_all()
    assert idle.take() is None


def test_a_kept_reader_that_cannot_begin_is_closed_and_another_one_is_made(path: Path) -> None:
    with opened(path) as store:
        with store.snapshot() as reader:
            reader.session("alpha")
        idle_of(store)[0].close()
        with store.snapshot() as reader:
            assert reader.session("alpha") is not None


def test_threads_share_readers_and_each_sees_one_moment(path: Path) -> None:
    threads, rounds = 6, 15
    start = threading.Barrier(threads + 1, timeout=WAIT_SECONDS_MAX)

    def write(store: SqliteStore) -> None:
        start.wait()
        for n in range(rounds):
            for name in ("one", "two"):
                archive(store, [record(name, n)], path=name)

    def read(store: SqliteStore) -> list[tuple[int, int]]:
        start.wait()
        seen: list[tuple[int, int]] = []
        for _ in range(rounds):
            with store.snapshot() as reader:
                one, two, again = (reader.session(each) for each in ("one", "two", "one"))
            assert one == again
            seen.append((one.records if one else 0, two.records if two else 0))
        return seen

    with opened(path) as store, ThreadPoolExecutor(threads + 1) as pool:
        writing = pool.submit(write, store)
        reading = [pool.submit(read, store) for _ in range(threads)]
        writing.result(WAIT_SECONDS_MAX)
        for future in reading:
            seen = future.result(WAIT_SECONDS_MAX)
            assert seen == sorted(seen)
            assert all(one - two in {0, 1} for one, two in seen)
        assert len(idle_of(store)) <= READERS_KEPT_MAX


# Sums


def test_a_sum_is_remembered_until_somebody_writes(path: Path) -> None:
    wanted = SessionFilter()

    def sessions(store: SqliteStore) -> int:
        with store.snapshot() as reader:
            return reader.settled(wanted).totals.sessions

    def harm_unseen(store: SqliteStore) -> None:
        """Change what a reader finds in a way of which the engine tells nobody."""
        idle_of(store)[0].execute("PRAGMA query_only = OFF")
        idle_of(store)[0].execute("UPDATE sessions SET converted_through = -1")
        idle_of(store)[0].execute("PRAGMA query_only = ON")

    with opened(path) as store, opened(path) as other:
        assert sessions(store) == 2
        harm_unseen(store)
        assert sessions(store) == 2
        other.set_private("alpha", private=True)
        assert sessions(store) == 0


def test_few_sums_are_remembered_and_each_by_what_it_is_of(path: Path) -> None:
    with opened(path) as store:
        for _ in range(2):
            for name in (*SESSIONS, *(f"nobody {n}" for n in range(SUMS_KEPT_MAX))):
                with store.snapshot() as reader:
                    found = reader.settled(SessionFilter(session_id=name))
                assert found.totals.sessions == (name in SESSIONS)
        ((_, sums),) = store._sums._kept.values()  # pyright: ignore[reportPrivateUsage]
        assert len(sums) <= SUMS_KEPT_MAX


few = st.integers(0, 3)
names = st.sampled_from("abcdef")
origins = st.sampled_from(("interactive", "subagent", "headless", "agent"))
folders = st.sampled_from((None, "/one", "/two", "/数据", "/Two"))


@st.composite
def rows_by_hand(draw: st.DrawFn) -> list[Session]:
    """Draw the rows of a store: few names, so that parents are found."""
    return [
        Session(
            session_id=name,
            source="s",
            source_session_id=name,
            workspace=draw(folders),
            origin=draw(origins),
            parent_session_id=draw(st.none() | names),
            created_at=draw(st.none() | st.integers(-5, 5)),
            records=draw(few),
            converted_through=draw(few),
            counts=Counts(
                messages=draw(few),
                length=draw(few),
                branch_messages=draw(few),
                unreadable_events=draw(few),
                bytes_beyond_limit=draw(few),
                spilled_bodies=draw(few),
            ),
            owned_messages=draw(few),
            owned_length=draw(few),
            private=draw(st.sampled_from((False, False, True))),
        )
        for name in draw(st.lists(names, unique=True, max_size=6))
    ]


filters = st.builds(
    SessionFilter,
    session_id=st.none() | st.none() | names,
    workspaces=st.none() | st.frozensets(folders.filter(bool), max_size=3),
    origins=st.none() | st.frozensets(origins, max_size=3),
)

_COLUMNS: Final = (
    "session_id source source_session_id workspace title_rank origin parent_session_id created_at"
    " events records converted_through importer_version messages length branch_messages"
    " unreadable_events bytes_beyond_limit spilled_bodies owned_messages owned_length closed"
    " private"
).split()


def _insert(connection: Connection, session: Session) -> None:
    values = [
        getattr(session.counts if hasattr(session.counts, name) else session, name)
        for name in _COLUMNS
    ]
    marks = ", ".join("?" * len(values))
    connection.execute(
        f"INSERT INTO sessions ({', '.join(_COLUMNS)}) VALUES ({marks})",  # noqa: S608 - of names
        values,
    )


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """The writing connection of a store without sessions."""
    with opened(tmp_path_factory.mktemp("sums") / "store.sqlite") as store:
        yield writer_of(store)


@settings(max_examples=60)
@given(rows=rows_by_hand(), asked=st.lists(filters, min_size=3, max_size=3))
def test_the_sums_of_the_engine_are_those_over_the_rows(
    empty: Connection, rows: list[Session], asked: list[SessionFilter]
) -> None:
    empty.execute("DELETE FROM sessions")
    for session in rows:
        _insert(empty, session)
    every = {session.session_id: session for session in rows}
    seen = [session for session in rows if not is_hidden(session, every.get)]
    for wanted in (SessionFilter(), *asked):
        near = [each for each in seen if is_settled(each) and wanted.is_near(each)]
        found = read_settled(empty, wanted)
        assert found.totals == totals_of(each for each in near if wanted.passes(each))
        others = [each.origin for each in near if not wanted.passes(each)]
        assert dict(found.left_out) == {origin: others.count(origin) for origin in others}
        assert found.hidden == len(rows) - len(seen)
    assert read_workspaces(empty) == sorted(
        {each.workspace for each in rows if is_settled(each) and each.workspace is not None}
    )


def test_an_instant_that_no_calendar_has_is_not_the_oldest(empty: Connection) -> None:
    empty.execute("DELETE FROM sessions")
    for name, start in (("a", -(2**62)), ("b", 7), ("c", None)):
        _insert(
            empty, Session(session_id=name, source="s", source_session_id=name, created_at=start)
        )
    assert read_settled(empty, SessionFilter()).totals.oldest == 7


# Plans


class Watched:
    """A connection that remembers which statements were run on it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.statements: list[tuple[str, Bindings | None]] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def execute(self, statements: str, bindings: Bindings | None = None) -> Cursor:
        self.statements.append((statements, bindings))
        return self._connection.execute(statements, bindings)

    def plans(self) -> list[str]:
        """Return the steps of the plans of all that was run."""
        steps: list[str] = []
        for statement, bindings in self.statements:
            if not statement.lstrip().startswith(("SELECT", "WITH")):
                continue
            rows = self._connection.execute(f"EXPLAIN QUERY PLAN {statement}", bindings)
            steps += [detail for *_, detail in rows]
        return steps


@pytest.fixture
def many(path: Path) -> Iterator[Connection]:
    """A connection to a store of many sessions, of which none waits and none is hidden."""
    with opened(path) as store:
        for number in range(40):
            archive(store, [], births=[birth(f"s{number}", number)], path=f"/{number}")
        yield writer_of(store)


def plans_of(connection: Connection, ask: Callable[[Connection], object]) -> list[str]:
    """Return how the engine answers what is asked."""
    watched = Watched(connection)
    answer = ask(cast("Connection", watched))
    if isinstance(answer, Iterator):
        list(cast("Iterator[object]", answer))
    return watched.plans()


def is_full_scan(step: str) -> bool:
    """Whether a step reads every row of the sessions themselves."""
    words = step.split()
    is_sessions = words[:2] in (["SCAN", "sessions"], ["SCAN", "s"])
    return is_sessions and "INDEX" not in words


QUESTIONS: Final[dict[str, tuple[Callable[[Connection], object], str]]] = {
    "sums": (
        lambda connection: read_settled(connection, SessionFilter()),
        "USING COVERING INDEX sessions_counters",
    ),
    "who waits": (read_waiting_sessions, "USING INDEX sessions_waiting"),
    "who is not vouched for": (
        lambda connection: IndexReader(connection, "here").unvouched(),
        "USING INDEX sessions_by_vouch",
    ),
    "which files failed": (count_failed_files, "import_files_failed"),
    "a place": (
        lambda connection: IndexReader(connection, "here").at(1, 1),
        "images_by_place",
    ),
    "neighbours": (
        lambda connection: IndexReader(connection, "here").before(1, 2),
        "images_by_place",
    ),
    "materials": (
        lambda connection: IndexReader(connection, "here").with_materials(1, "e0"),
        "images_with_materials",
    ),
    "candidates": (
        lambda connection: IndexReader(connection, "here").offered([b"needle"]),
        "g VIRTUAL TABLE INDEX",
    ),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_by_its_index_and_reads_no_row_of_all_sessions(
    many: Connection, question: str
) -> None:
    ask, key = QUESTIONS[question]
    steps = plans_of(many, ask)
    assert any(key in step for step in steps), steps
    assert [step for step in steps if is_full_scan(step)] == []


def test_hidden_sessions_are_found_by_the_hidden_one(path: Path) -> None:
    with opened(path) as store:
        store.set_private("alpha", private=True)
        steps = plans_of(
            writer_of(store), lambda connection: read_settled(connection, SessionFilter())
        )
    assert any("sessions_hidden" in step for step in steps), steps
    assert any("sessions_by_parent" in step for step in steps), steps


# Versions


@pytest.mark.parametrize(
    ("column", "is_current"), [("index_version", None), ("redaction_version", False)]
)
def test_what_other_rules_indexed_is_not_vouched_for_or_redacted_again(
    path: Path, column: str, is_current: bool | None
) -> None:
    harm(path, f"UPDATE sessions SET {column} = {column} + 1 WHERE session_id = 'alpha'")  # noqa: S608 - a name above
    with opened(path) as store, store.snapshot() as reader:
        index = reader.message_index()
        assert index is not None
        vouched = index.vouched("alpha")
        assert (vouched and vouched.is_redaction_current) is is_current
        assert index.waiting() == ["alpha"]
        assert index.through("alpha").events == 0
        assert (INDEX_VERSION, REDACTION_VERSION) > (0, 0)


def test_an_index_of_other_rules_alone_is_made_anew_and_any_other_is_written_on(
    path: Path,
) -> None:
    harm(path, "UPDATE sessions SET index_version = -index_version - 1")
    with opened(path) as store:
        moss = [image(place, "moss") for place in range(MESSAGES)]
        store.write_index(page_of(images(store, "beta", *moss)))
        assert grams_left(store) == grams_of("moss")
        assert not is_vouched(store, "alpha")
        fern = [image(place, "fern") for place in range(MESSAGES)]
        store.write_index(page_of(images(store, "alpha", *fern)))
        assert grams_left(store) == grams_of("moss", "fern")
        assert store.check_index() == ()


def test_facts_of_a_session_come_with_its_vouch(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        say(store, "alpha", "good morning")
        page = replace(next_page(store, "alpha"), facts=SessionFacts(title="Garden"))
        append(store, page)
        with store.snapshot() as reader:
            index = reader.message_index()
            found = None if index is None else index.vouched("alpha")
            assert found is not None
            assert found.session.title == "Garden"
