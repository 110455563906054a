"""Storage narrows, the predicate decides: the index changes no answer, whatever is kept, asked or
damaged.
"""

import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from msgspec.structs import replace

from recense.adapters.sqlite.connections import connect
from recense.adapters.sqlite.store import open_sqlite
from recense.core.instants import text_from_instant
from recense.core.transcript.events import Text, encode_payload
from recense.core.transcript.messages import Message
from recense.core.values import Value
from recense.errors import RecenseError, StoreBusy
from recense.operations.recall import MoreRequest, RecallAnswer, RecallRequest
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.ports.sources import Importer
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services import indexing
from recense.services.conversion import load_session
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.services.rebuilding import rebuilt
from recense.testing import Boundary, FakeClock, Fault, FaultyStore, SeededChance
from recense.wiring import Importers, Policy, join, load_importers
from tests.end_to_end.histories import (
    EPOCH,
    History,
    State,
    build,
    grep_requests,
    requests,
    run,
)
from tests.end_to_end.killed_indexing import SMALL
from tests.end_to_end.worlds import memory_over, on_sqlite, sqlite_store
from tests.importers.builders import claude_user, lines

PROJECT = Path(__file__).parents[2]
STORE = "recense.db"

EMPTY_INDEX = (
    "DELETE FROM images",
    "DELETE FROM index_states",
    "DELETE FROM index_mark",
    "INSERT INTO grams(grams) VALUES ('delete-all')",
    "UPDATE sessions SET indexed_events = 0, index_version = 0, redaction_version = 0",
)


def outcome(ask: Callable[[], object]) -> object:
    """Return what an operation gives, without how it came about, or the code of its refusal."""
    try:
        given = ask()
    except RecenseError as refusal:
        return refusal.code
    if isinstance(given, RecallAnswer):
        return replace(given, took_ms=0.0, path="scan")
    return replace(cast("Any", given), took_ms=0.0) if hasattr(given, "took_ms") else given


def copied(folder: Path, target: Path, *statements: str) -> Path:
    """Copy a store that nobody writes to, then execute statements on the copy."""
    target.mkdir()
    for file in folder.glob(f"{STORE}*"):
        shutil.copy(file, target / file.name)
    if statements:
        run(target / STORE, *statements)
    return target


def ask_both_ways(memory: Memory, asked: Sequence[RecallRequest]) -> Counter[str]:
    """Ask each question by the index and by the full scan; count what came of it."""
    counts: Counter[str] = Counter()
    for request in asked:
        try:
            verified = memory.verify_scan(request, explain=True)
        except RecenseError as refusal:
            counts[refusal.code] += 1
            continue
        assert verified.is_equal, (request, verified.difference)
        counts[verified.answer.path] += 1
        counts["hits"] += bool(verified.answer.passages)
    return counts


def on_keeping(folder: Path) -> Memory:
    """Return a memory over a SQLite file that keeps secrets as they are."""
    return join(
        sqlite_store(folder),
        importers=load_importers(),
        clock=FakeClock(),
        machine=Machine(environment={}, home=str(folder)),
        policy=Policy(redact_secrets=False),
    )


# --- whatever is kept and asked -------------------------------------------------------------------


@pytest.mark.parametrize(("opener", "in_small_pages"), [(on_sqlite, False), (on_keeping, True)])
@pytest.mark.parametrize(
    ("seed", "state"), [(0, "none"), (1, "stale"), (2, "stale"), (3, "whole"), (4, "whole")]
)
def test_the_index_changes_no_answer(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    state: State,
    opener: Callable[[Path], Memory],
    in_small_pages: bool,
) -> None:
    if in_small_pages:
        for name, value in SMALL.items():
            monkeypatch.setattr(indexing, name, value)
    with opener(tmp_path) as memory:
        history = build(
            2 * seed + in_small_pages, memory, tmp_path / "source", steps=20, state=state
        )
        asked = list(requests(history, 24))
        patterns = list(grep_requests(history, 6))
        ways = ask_both_ways(memory, asked)
        assert ways["narrowed"] or state != "whole"
        assert ways["hits"] > 3
        copied(tmp_path, tmp_path / "plain", *EMPTY_INDEX)
        with opener(tmp_path / "plain") as plain:
            for request in asked:
                _assert_alike(memory, plain, history, request)
            for pattern in patterns:
                assert outcome(lambda p=pattern: memory.grep(p)) == outcome(
                    lambda p=pattern: plain.grep(p)
                ), pattern
        _assert_rebuilt(memory_store(tmp_path))


def memory_store(folder: Path) -> TranscriptStore:
    """Return the store in a folder once more."""
    return sqlite_store(folder)


def _assert_alike(indexed: Memory, plain: Memory, history: History, request: RecallRequest) -> None:
    """Ask a memory with and one without an index, and go on from what they answer."""
    found = outcome(lambda: indexed.recall(request))
    assert found == outcome(lambda: plain.recall(request)), request
    if not isinstance(found, RecallAnswer):
        return
    for passage in found.passages[:2]:
        more = MoreRequest(
            anchor=passage.anchor,
            before=history.chance.randrange(9),
            after=history.chance.randrange(9),
            offset=history.chance.choice((None, None, 1, 5_000)),
            exclude=request.exclude,
        )
        assert outcome(lambda m=more: indexed.recall_more(m)) == outcome(
            lambda m=more: plain.recall_more(m)
        ), more
    for material in found.materials[:1]:
        assert outcome(lambda m=material.id: indexed.recall_material(m)) == outcome(
            lambda m=material.id: plain.recall_material(m)
        ), material


def _assert_rebuilt(store: TranscriptStore) -> int:
    """Rebuild every message of the sessions that the index answers for; return how many."""
    importers = load_importers().working
    count = 0
    with store.snapshot() as reader:
        index = reader.message_index()
        assert index is not None
        for session in list(reader.sessions()):
            vouched = index.vouched(session.session_id)
            if vouched is None:
                continue
            for message in load_session(reader, session, importers).transcript.messages:
                row = index.at(vouched.number, message.position)
                assert row is not None
                events = reader.events_at(session.session_id, (row.ordinal, *row.more_ordinals))
                assert _without_place(rebuilt(events)) == _without_place(message)
                assert row.live == (not message.flags)
                assert row.turn == message.turn
                count += 1
    store.close()
    return count


def _without_place(message: Message) -> Message:
    return replace(message, position=0, ordinal=0, turn="", flags=frozenset(), thinking=())


def test_messages_of_real_files_are_rebuilt_from_their_own_events(
    tmp_path: Path, shared_data: Path
) -> None:
    files = sorted((shared_data / "transcripts").rglob("*.jsonl"))
    small = [str(file) for file in files if file.stat().st_size < 30_000]
    with on_sqlite(tmp_path) as memory:
        memory.import_sessions(None, small[::3])
        memory.index()
    assert _assert_rebuilt(memory_store(tmp_path)) > 100


class Later:
    """An importer of a later version, that gives the same."""

    def __init__(self, importer: Importer) -> None:
        self._importer = importer
        self.version = importer.version + 1

    def __getattr__(self, name: str) -> object:
        return getattr(self._importer, name)


def test_sessions_that_another_version_of_their_importer_begins_anew_are_found_as_before(
    tmp_path: Path,
) -> None:
    with on_sqlite(tmp_path) as memory:
        history = build(7, memory, tmp_path / "source", steps=25, state="whole")
        asked = list(requests(history, 12))
    later = {name: cast("Importer", Later(each)) for name, each in load_importers().working.items()}
    with join(
        sqlite_store(tmp_path),
        importers=Importers(working=later),
        clock=FakeClock(1),
        machine=Machine(environment={}, home=str(tmp_path)),
    ) as memory:
        ask_both_ways(memory, asked)
        assert memory.convert().sessions_converted > 0
        assert ask_both_ways(memory, asked)["narrowed"] > 0


# --- whatever the index has suffered --------------------------------------------------------------

WORDS = ("moss", "数据库", "数", "-", "needle 7919", "丁", "nowhere")
HEAD = "zx fern - needle"


class Herbarium(Value, kw_only=True):
    """A closed store of two dozen sessions, wholly indexed, over many pages of every table; what a
    full scan answers of each of the words, and what follows one anchor.
    """

    folder: Path
    answers: tuple[object, ...]
    anchor: str
    more: object

    def damaged(self, target: Path, *statements: str) -> Path:
        """Copy the store, execute statements on the copy, and return its folder."""
        return copied(self.folder, target, *statements)

    def assert_answered(self, memory: Memory) -> Counter[str]:
        """Ask a memory everything; count the ways by which it found."""
        ways: Counter[str] = Counter()
        for word, expected in zip(WORDS, self.answers, strict=True):
            found = memory.recall(RecallRequest(terms=(word,)))
            assert outcome(lambda f=found: f) == expected, (word, found.path)
            ways[found.path] += 1
        more = MoreRequest(anchor=self.anchor, before=2, after=2)
        assert outcome(lambda: memory.recall_more(more)) == self.more
        return ways


@pytest.fixture(scope="module")
def herbarium(tmp_path_factory: pytest.TempPathFactory) -> Herbarium:
    folder = tmp_path_factory.mktemp("herbarium")
    with on_sqlite(folder) as memory:
        for session in range(24):
            opened = memory.session_open(OpenSession(session=f"s{session}"))
            memory.session_append(opened.session, [_sheet(session, n) for n in range(10)])
        memory.index()
        asked = [RecallRequest(terms=(word,)) for word in WORDS]
        answers = [memory.recall_by_scan(request) for request in asked]
        anchor = answers[0].passages[0].anchor
        return Herbarium(
            folder=folder,
            answers=tuple(outcome(lambda a=answer: a) for answer in answers),
            anchor=anchor,
            more=memory.recall_more(MoreRequest(anchor=anchor, before=2, after=2)),
        )


def _sheet(session: int, number: int) -> AppendedEvent:
    rare = "".join(
        chr(0x4E00 + (session * 37 + number * 91 + k * k * 13) % 9000) for k in range(70)
    )
    text = f"{HEAD} {session * number * 7919 % 1_000_003} moss 数据库 {rare}"
    return AppendedEvent(
        event_id=f"e{session}-{number}",
        at=text_from_instant(EPOCH + number),
        payload=encode_payload(Text(role="user" if number % 3 == 0 else "model", text=text)),
    )


SEEN = "seen"
UNSEEN = "unseen"
HARMLESS = "harmless"

DAMAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "emptied grams": (SEEN, ("DELETE FROM grams",)),
    "grams all deleted": (SEEN, ("INSERT INTO grams(grams) VALUES ('delete-all')",)),
    "emptied images": (SEEN, ("DELETE FROM images",)),
    "some images gone": (SEEN, ("DELETE FROM images WHERE image_key % 2 = 0",)),
    "emptied marks": (SEEN, ("DELETE FROM index_mark",)),
    "emptied states": (SEEN, ("DELETE FROM index_states",)),
    "all emptied": (
        SEEN,
        (
            *("DELETE FROM images", "DELETE FROM index_states", "DELETE FROM index_mark"),
            "INSERT INTO grams(grams) VALUES ('delete-all')",
        ),
    ),
    "overwritten images": (SEEN, ("UPDATE images SET image = zeroblob(length(image))",)),
    "dropped grams": (SEEN, ("DROP TABLE grams",)),
    "dropped images": (SEEN, ("DROP TABLE images",)),
    "dropped states": (SEEN, ("DROP TABLE index_states",)),
    "dropped marks": (SEEN, ("DROP TABLE index_mark",)),
    "all dropped": (
        SEEN,
        tuple(f"DROP TABLE {each}" for each in ("grams", "images", "index_states", "index_mark")),
    ),
    "an index of images dropped": (HARMLESS, ("DROP INDEX images_by_place",)),
    **{
        f"{table} {way}": (SEEN, (statement.format(table=table),))
        for table in ("grams_data", "grams_idx", "grams_docsize", "grams_config")
        for way, statement in (
            ("emptied", "DELETE FROM {table}"),
            ("dropped", "DROP TABLE {table}"),
        )
    },
    "leaves gone": (SEEN, ("DELETE FROM grams_data WHERE id > 10",)),
    "leaves emptied": (SEEN, ("UPDATE grams_data SET block = x'' WHERE id > 10",)),
    "leaves cut": (
        SEEN,
        ("UPDATE grams_data SET block = substr(block, 1, length(block) / 2) WHERE id > 10",),
    ),
    "leaves zeroed": (
        SEEN,
        ("UPDATE grams_data SET block = zeroblob(length(block)) WHERE id > 10",),
    ),
    "leaves of chance": (
        SEEN,
        ("UPDATE grams_data SET block = randomblob(length(block)) WHERE id > 10",),
    ),
    "terms of chance": (SEEN, ("UPDATE grams_idx SET term = randomblob(length(term))",)),
    "terms that lead nowhere": (SEEN, ("UPDATE grams_idx SET pgno = 0",)),
    "the engine's structure of chance": (
        SEEN,
        ("UPDATE grams_data SET block = randomblob(length(block)) WHERE id = 10",),
    ),
    "other rules of indexing": (
        HARMLESS,
        ("UPDATE sessions SET index_version = index_version + session_key % 3 - 1",),
    ),
    "other rules of redaction": (
        HARMLESS,
        ("UPDATE sessions SET redaction_version = redaction_version + session_key % 2",),
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_no_damage_of_the_index_changes_an_answer_and_indexing_again_mends_it(
    tmp_path: Path, herbarium: Herbarium, damage: str
) -> None:
    kind, statements = DAMAGES[damage]
    with on_sqlite(herbarium.damaged(tmp_path / "damaged", *statements)) as memory:
        ways = herbarium.assert_answered(memory)
        checks = {check.name: check.ok for check in memory.doctor().checks}
        assert checks == checks | {"index": kind != SEEN, "store_integrity": True}
        memory.index(anew=kind == SEEN and "narrowed" in ways)
        assert set(herbarium.assert_answered(memory)) == {"narrowed"}


def _pages_of_the_index(store: Path) -> list[tuple[str, int]]:
    """Return (table, page number) of every page that the index alone uses."""
    connection = connect(store, busy_wait_ms=0)
    try:
        rows = connection.execute(
            "SELECT name, pageno FROM dbstat WHERE name GLOB 'grams*' OR name GLOB 'image*'"
            " OR name GLOB 'index_*' ORDER BY name, pageno"
        ).fetchall()
    finally:
        connection.close()
    return cast("list[tuple[str, int]]", rows)


def test_no_page_of_the_index_that_is_zeroed_changes_an_answer_unless_the_doctor_tells(
    tmp_path: Path, herbarium: Herbarium
) -> None:
    pages = _pages_of_the_index(herbarium.folder / STORE)
    tables = Counter(name for name, _ in pages)
    assert tables["grams_data"] > 10
    assert tables["images"] > 10
    tried = [page for at, page in enumerate(pages) if tables[page[0]] < 3 or at % 13 == 0]
    folder = herbarium.damaged(tmp_path / "damaged")
    for name, number in tried:
        with (folder / STORE).open("r+b") as file:
            file.seek((number - 1) * 4096)
            kept = file.read(4096)
            file.seek(-4096, 1)
            file.write(bytes(4096))
        with on_sqlite(folder) as memory:
            try:
                herbarium.assert_answered(memory)
            except AssertionError:
                told = [check.name for check in memory.doctor().checks if not check.ok]
                assert told, (name, number)
        with (folder / STORE).open("r+b") as file:
            file.seek((number - 1) * 4096)
            file.write(kept)


# --- while others write ---------------------------------------------------------------------------


class Interrupted:
    """Anything that reads, which lets something happen once, before its ``nth`` step: a call of a
    method, or the next item of what one yields.
    """

    def __init__(self, target: object, act: Callable[[], object], nth: int) -> None:
        self._target = target
        self._left = [nth, act]

    @property
    def steps_left(self) -> int:
        return cast("int", self._left[0])

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._target, name)
        return self._wrapped(member) if callable(member) else member

    def _wrapped(self, member: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self._step()
            given = member(*arguments, **named)
            if isinstance(given, Iterator):
                return self._stepping(given)
            return self._sharing(given) if hasattr(given, "offered") else given

        return call

    def _sharing(self, target: object) -> "Interrupted":
        inner = Interrupted(target, lambda: None, 0)
        inner._left = self._left
        return inner

    def _stepping(self, items: Iterator[Any]) -> Iterator[Any]:
        for item in items:
            self._step()
            yield item

    def _step(self) -> None:
        self._left[0] = cast("int", self._left[0]) - 1
        if self._left[0] == 0:
            cast("Callable[[], object]", self._left[1])()


class InterruptedStore:
    """A store whose snapshots are interrupted."""

    def __init__(self, store: TranscriptStore, act: Callable[[], object], nth: int) -> None:
        self._store = store
        self._act = act
        self._nth = nth
        self.steps = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        with self._store.snapshot() as reader:
            interrupted = Interrupted(reader, self._act, self._nth)
            yield cast("TranscriptReader", interrupted)
            self.steps = self._nth - interrupted.steps_left


def _meanwhile(folder: Path, act: Callable[[Memory], object]) -> None:
    store = open_sqlite(
        folder / STORE,
        synchronous="normal",
        chance=SeededChance(1),
        create=False,
        busy_wait_ms=5,  # who asks does not go on before this is done
    )
    with memory_over(store, folder) as other:
        act(other)


CHANGES: dict[str, Callable[[Memory], object]] = {
    "converting": lambda memory: memory.convert(),
    "indexing": lambda memory: memory.index(anew=True),
    "forgetting": lambda memory: memory.forget_session("api:kept"),
    "appending": lambda memory: memory.session_append("api:kept", [_said("late", "fern late")]),
    "hiding": lambda memory: memory.hide_session("api:kept"),
}


def _said(event_id: str, text: str) -> AppendedEvent:
    payload = encode_payload(Text(role="user", text=text))
    return AppendedEvent(event_id=event_id, at=text_from_instant(EPOCH), payload=payload)


def _growing(folder: Path) -> None:
    """Make a store of a session that is indexed and one that waits for conversion."""
    source = folder / "session.jsonl"
    with on_sqlite(folder) as memory:
        memory.session_open(OpenSession(session="kept"))
        memory.session_append("api:kept", [_said("a", "fern one"), _said("b", "fern two")])
        memory.index()
        source.write_bytes(lines([claude_user(1, "fern three"), claude_user(2, "fern four")]))
        memory.import_sessions(None, [str(source)], archive_only=True)


@pytest.mark.parametrize("change", CHANGES)
def test_what_others_write_while_a_question_is_asked_is_seen_whole_or_not_at_all(
    tmp_path: Path, change: str
) -> None:
    _growing(tmp_path)
    request = RecallRequest(terms=("fern",), limit=25)
    with on_sqlite(tmp_path) as memory:
        before = memory.recall(request)
    assert len(before.passages) == 4
    nth, steps = 1, 1
    while nth <= steps:
        folder = copied(tmp_path, tmp_path / f"{nth}")
        act = lambda f=folder: _meanwhile(f, CHANGES[change])  # noqa: E731
        store = InterruptedStore(sqlite_store(folder), act, nth)
        with memory_over(cast("TranscriptStore", store), folder) as memory:
            during, steps = memory.recall(request), store.steps
            after = memory.recall_by_scan(request)
        told = [outcome(lambda a=each: a) for each in (during, before, after)]
        assert told[0] in told[1:], nth
        if change == "converting":
            assert sorted(each.position for each in during.passages) == [0, 0, 1, 1]
        nth += 2
    assert steps > 8


# --- forgetting, and being killed -----------------------------------------------------------------


def _grams(store: Path) -> set[bytes]:
    """Return every gram that the index holds."""
    connection = connect(store, busy_wait_ms=0)
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.held USING fts5vocab(main, grams, row)")
        terms = connection.execute("SELECT term FROM temp.held").fetchall()
    finally:
        connection.close()
    return {cast("str", term).encode("latin-1") for (term,) in terms}


def test_the_grams_of_a_forgotten_session_are_gone_from_the_index_and_from_every_byte(
    tmp_path: Path,
) -> None:
    gone, stays = "龘", "鱻"
    as_written = gone.encode().decode("latin-1").encode()
    with on_sqlite(tmp_path) as memory:
        for name, text in {"kept": f"fern {stays} of the shade", "gone": f"fern {gone}"}.items():
            memory.session_open(OpenSession(session=name))
            memory.session_append(f"api:{name}", [_said(f"{name} {n}", text) for n in range(9)])
            memory.index()
    held = _grams(tmp_path / STORE)
    assert {gone.encode(), stays.encode(), b"fer"} <= held
    with on_sqlite(tmp_path) as memory:
        assert memory.forget_session("api:gone").bytes_gone
        assert memory.verify_scan(RecallRequest(terms=("fern",))).is_equal
    held = _grams(tmp_path / STORE)
    assert gone.encode() not in held
    assert {stays.encode(), b"fer"} <= held
    whole = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert as_written not in whole
    assert gone.encode() not in whole


def _images(store: Path) -> list[object]:
    """Return what the index holds, but for the numbers by which it knows texts."""
    connection = connect(store, busy_wait_ms=0)
    try:
        return [
            *connection.execute(
                "SELECT session_id, position, windows, ordinal, more_ordinals, turn, kind, i.at,"
                " identity, live, echo, has_materials, i.length, redacted, image"
                " FROM images i JOIN sessions USING (session_key) ORDER BY session_id, position"
            ),
            *connection.execute(
                "SELECT session_id, vouch, indexed_events FROM sessions ORDER BY 1"
            ),
        ]
    finally:
        connection.close()


def test_indexing_that_is_killed_at_any_commit_boundary_is_completed_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SMALL.items():
        monkeypatch.setattr(indexing, name, value)
    made = tmp_path / "made"
    made.mkdir()
    with on_sqlite(made) as memory:
        build(3, memory, tmp_path / "source", steps=14, state="none")
        memory.convert()
    run(made / STORE, *EMPTY_INDEX)
    store = FaultyStore(sqlite_store(copied(made, tmp_path / "undisturbed")))
    with memory_over(store, tmp_path) as memory:
        memory.index()
    undisturbed = _images(tmp_path / "undisturbed" / STORE)
    boundaries = [each for each in store.passed if each.method != "mend_index"]
    assert len(boundaries) > 6
    for number, boundary in enumerate(boundaries):
        folder = copied(made, tmp_path / str(number))
        if number in {0, 3, len(boundaries) - 1}:  # each kind in earnest, the others as cheap
            _die_indexing(folder, boundary)
        else:
            fault = Fault.raising(boundary, StoreBusy("another process is writing"))
            faulty = FaultyStore(sqlite_store(folder), [fault])
            with memory_over(faulty, folder) as memory, pytest.raises(StoreBusy):
                memory.index()
        with on_sqlite(folder) as memory:
            assert memory.verify_scan(RecallRequest(terms=("fern",))).is_equal
            memory.index()
            assert all(check.ok for check in memory.doctor().checks if check.name == "index")
        assert _images(folder / STORE) == undisturbed, boundary


def _die_indexing(folder: Path, boundary: Boundary) -> None:
    arguments = (str(folder), msgspec.json.encode(boundary).decode())
    died = subprocess.run(
        [sys.executable, "-m", "tests.end_to_end.killed_indexing", *arguments],
        cwd=PROJECT,
        timeout=60,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, boundary
