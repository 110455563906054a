"""Indexing: whatever the pages and whenever it is run, the rows are those of the whole session."""

import tracemalloc
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.adapters.memory.store import MemoryStore
from recense.adapters.sqlite.store import SqliteStore
from recense.conformance.index_material import indexed_of, is_vouched
from recense.conformance.material import append, archive, mark, next_page, record
from recense.core.transcript.events import Attachment, Event, PathChosen, Payload, Text, ToolResult
from recense.core.transcript.messages import can_match
from recense.core.transcript.records import Counts
from recense.core.transcript.transcript import project
from recense.errors import StoreBusy
from recense.limits import CONFLICTS_MAX
from recense.ports.index import IndexPage, MessageImage
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services import indexing
from recense.services.indexing import Indexed, image_of, index_sessions
from recense.testing import Boundary, Fault, FaultyStore, SeededChance
from tests.adapters.stores import opened
from tests.core.transcript.event_builders import answer, event, events, sessions_of_events, typed

NAME: Final = "s:one"


@contextmanager
def pages_of(events_bytes: int, page_bytes: int = 1, sessions: int = 512) -> Generator[None]:
    """Let a page of indexing end after so much."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexing, "PAGE_BYTES_MAX", events_bytes)
        patch.setattr(indexing, "INDEX_PAGE_BYTES_MAX", page_bytes)
        patch.setattr(indexing, "INDEX_PAGE_SESSIONS_MAX", sessions)
        yield


def say(store: TranscriptStore, new: list[Event], name: str = NAME) -> None:
    """Append events to a session, with the counts that projection gives of all of them."""
    with store.snapshot() as reader:
        if reader.session(name) is None:
            archive(store, [record(name, 0)], path=name)
    with store.snapshot() as reader:
        every = [*reader.events(name), *new]
    counts = project(every).counts
    page = next_page(store, name)
    store.append(replace(page, events=tuple(new), counts=counts, conversion=mark(1)))


def index(store: TranscriptStore, *, anew: bool = False) -> Indexed:
    return index_sessions(store, anew=anew, progress=_telling([]))


def _telling(told: list[tuple[int, int]]) -> Callable[[int, int], None]:
    """Return what writes down the progress that it is told."""

    def tell(done: int, total: int) -> None:
        told.append((done, total))

    return tell


def expected_of(every: list[Event]) -> list[tuple[object, ...]]:
    """Return what the index must hold of a session: the images of all its messages."""
    return [_without_ordinals(image_of(message, ())) for message in project(every).messages]


def _without_ordinals(image: MessageImage) -> tuple[object, ...]:
    plain = replace(image, more_ordinals=())
    return tuple(getattr(plain, name) for name in plain.__struct_fields__)


def found_of(store: TranscriptStore, name: str = NAME) -> list[tuple[object, ...]]:
    return [_without_ordinals(each) for each in indexed_of(store, name)]


def rows_of(store: TranscriptStore, name: str = NAME) -> list[MessageImage]:
    return indexed_of(store, name)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Generator[SqliteStore]:
    """A store for properties; each example takes a session of its own."""
    with opened(tmp_path_factory.mktemp("indexing") / "store.sqlite") as store:
        yield store


COUNTER: Final = iter(range(10**9))


@settings(max_examples=80)
@given(
    every=sessions_of_events(),
    page_bytes=st.sampled_from((1, 60, 200, 10**9)),
    cuts=st.sets(st.integers(0, 25), max_size=4),
)
def test_indexing_page_by_page_while_a_session_grows_gives_the_rows_of_indexing_once(
    shared: SqliteStore, every: list[Event], page_bytes: int, cuts: set[int]
) -> None:
    grown, once = (f"s:{next(COUNTER)}" for _ in range(2))
    readable = [each for each in every if each.payload != b"{"]
    ends = sorted({cut for cut in cuts if cut < len(readable)} | {len(readable)})
    with pages_of(page_bytes):
        for start, end in zip([0, *ends], ends, strict=False):
            say(shared, readable[start:end], grown)
            index(shared)
            assert found_of(shared, grown) == expected_of(readable[:end])
    say(shared, readable, once)
    with pages_of(10**9, 10**9):
        index(shared)
    assert rows_of(shared, grown) == rows_of(shared, once)
    assert found_of(shared, once) == expected_of(readable)
    assert is_vouched(shared, grown)
    assert is_vouched(shared, once)
    with shared.snapshot() as reader:
        found = reader.message_index()
        assert found is not None
        assert found.through(grown) == found.through(once)
    shared.forget([grown, once])


@pytest.mark.parametrize("page_bytes", [1, 10**9])
@pytest.mark.parametrize(
    "payloads",
    [
        pytest.param(
            (answer("first", message="m"), answer("second", message="m"), answer("third")),
            id="fragments of one reply",
        ),
        pytest.param(
            (
                ToolResult(call_id="a", content="done"),
                answer("well"),
                Attachment(name="plan.pdf", media_type="application/pdf", bytes=3, call_id="a"),
            ),
            id="what joins a result later",
        ),
        pytest.param(
            (
                typed("begin"),
                Text(role="user", text="also this", standing="queued"),
                answer("yes"),
                typed("also this"),
            ),
            id="a queued prompt that was typed after all",
        ),
        pytest.param(
            (
                typed("one way", parent="p"),
                answer("lost"),
                typed("another way", parent="p"),
                answer("kept"),
            ),
            id="a rewind",
        ),
        pytest.param(
            (
                Text(role="user", text="root", node="n1"),
                Text(role="model", text="left", node="n2"),
                Text(role="model", text="right", node="n3"),
                PathChosen(nodes=("n1", "n2")),
                PathChosen(nodes=("n1", "n3")),
            ),
            id="a path that is chosen again",
        ),
    ],
)
def test_what_needs_hindsight_is_indexed_as_it_turned_out(
    tmp_path: Path, payloads: tuple[Payload, ...], page_bytes: int
) -> None:
    every = events(*payloads)
    with opened(tmp_path / "store.sqlite") as store, pages_of(page_bytes):
        for number, new in enumerate(every, 1):
            say(store, [new])
            if number % 2:
                index(store)
        index(store)
        assert found_of(store) == expected_of(every)
        live = [each.live for each in rows_of(store)]
        assert live == [can_match(message) for message in project(every).messages]


def test_a_session_that_has_grown_costs_its_new_events(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        say(store, events(*(answer(f"word {n}") for n in range(50))))
        assert index(store) == Indexed(sessions=1, messages=50, begun_anew=False)
        say(store, [event(50, answer("one more"))])
        assert not is_vouched(store, NAME)
        assert index(store) == Indexed(sessions=1, messages=1, begun_anew=False)
        assert is_vouched(store, NAME)


def test_a_second_run_writes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        for name in ("s:one", "s:two", "s:three"):
            say(store, events(typed("good morning"), answer("good night")), name)
        assert index(store) == Indexed(sessions=3, messages=6, begun_anew=False)
        faulty = FaultyStore(store)
        assert index(faulty) == Indexed(sessions=0, messages=0, begun_anew=False)
        assert {each.method for each in faulty.passed} == {"mend_index"}
        assert index(store, anew=True) == Indexed(sessions=3, messages=6, begun_anew=False)


def test_a_damaged_index_is_begun_anew_and_said_to_be(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        say(store, events(typed("good morning")))
        index(store)
        store._file.writer.execute("DELETE FROM index_mark")  # pyright: ignore[reportPrivateUsage]
        assert index(store) == Indexed(sessions=1, messages=1, begun_anew=True)
        assert is_vouched(store, NAME)


def test_progress_is_told_after_each_page_and_ends_with_all(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with opened(tmp_path / "store.sqlite") as store, pages_of(10**9, 10**9, sessions=2):
        for number in range(5):
            say(store, events(typed("good morning")), f"s:{number}")
        index_sessions(store, anew=False, progress=_telling(told))
    assert told == [(2, 5), (4, 5), (5, 5)]


def test_a_long_session_is_told_of_while_it_is_indexed(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with opened(tmp_path / "store.sqlite") as store, pages_of(1):
        say(store, events(*(answer(f"word {n}") for n in range(4))))
        index_sessions(store, anew=False, progress=_telling(told))
    assert told == [(0, 1), (0, 1), (0, 1), (1, 1)]


def test_what_is_not_converted_or_still_arrives_is_not_indexed(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        say(store, events(typed("good morning")))
        archive(store, [record(NAME, 1)], path=NAME)
        assert index(store) == Indexed(sessions=0, messages=0, begun_anew=False)


def test_a_session_with_an_unreadable_event_is_never_vouched_for(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store, pages_of(1):
        say(store, events(typed("one"), b"{", typed("two")))
        assert index(store).sessions == 0
        # Damage that came after the session was converted: its row does not say so.
        page = next_page(store, NAME)
        append(store, replace(page, counts=Counts(messages=2)))
        index(store)
        assert not is_vouched(store, NAME)
        assert index(store).sessions == 0
        say(store, [event(3, typed("three"))])
        append(store, next_page(store, NAME))
        index(store)
        assert not is_vouched(store, NAME)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_run_that_is_cut_off_is_gone_on_with(tmp_path: Path, moment: str) -> None:
    every = events(*(answer(f"word {n}") for n in range(6)))
    with opened(tmp_path / "store.sqlite") as store, pages_of(1):
        say(store, every)
        at = Boundary(
            method="write_index", call=3, moment="before" if moment == "before" else "after"
        )
        faulty = FaultyStore(store, [Fault.raising(at, StoreBusy("somebody else"))])
        with pytest.raises(StoreBusy):
            index(faulty)
        assert not is_vouched(store, NAME)
        assert index(store).messages == (4 if moment == "before" else 3)
        assert found_of(store) == expected_of(every)
        assert is_vouched(store, NAME)


def _meanwhile(store: TranscriptStore, acts: dict[int, list[Event]]) -> FaultyStore:
    """Return a store to which others append before the n-th page of an index is written."""
    return FaultyStore(
        store,
        [
            Fault(
                at=Boundary(method="write_index", call=call, moment="before"),
                act=lambda new=new: say(store, new),
            )
            for call, new in acts.items()
        ],
    )


def test_a_session_that_others_write_meanwhile_is_indexed_as_far_as_it_was_read(
    tmp_path: Path,
) -> None:
    every = events(*(answer(f"word {n}") for n in range(4)))
    with opened(tmp_path / "store.sqlite") as store:
        say(store, every[:2])
        index(_meanwhile(store, {1: every[2:]}))
        assert not is_vouched(store, NAME)
        assert found_of(store) == expected_of(every[:2])
        assert index(store).messages == 2
        assert found_of(store) == expected_of(every)


def test_a_session_that_is_forgotten_meanwhile_is_no_session_brought_up_to_date(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        for name in ("s:one", "s:two"):
            say(store, events(typed("good morning")), name)
        at = Boundary(method="write_index", call=1, moment="before")
        faulty = FaultyStore(store, [Fault(at=at, act=lambda: store.forget(["s:one"]))])
        assert index(faulty) == Indexed(sessions=1, messages=1, begun_anew=False)
        assert index(store) == Indexed(sessions=0, messages=0, begun_anew=False)


def test_two_that_index_at_once_write_each_row_once(tmp_path: Path) -> None:
    every = events(*(answer(f"word {n}") for n in range(6)))
    with opened(tmp_path / "store.sqlite") as store, pages_of(1):
        say(store, every)
        at = Boundary(method="write_index", call=2, moment="before")
        index(FaultyStore(store, [Fault(at=at, act=lambda: index(store))]))
        assert found_of(store) == expected_of(every)
        assert is_vouched(store, NAME)


def test_a_session_that_is_never_as_it_was_read_is_left_to_the_next_run(tmp_path: Path) -> None:
    class AlwaysFaster(MemoryStore):
        """Keeps an index by name, and never takes a page of it."""

        calls = 0

        def write_index(self, page: IndexPage) -> frozenset[str]:
            self.calls += 1
            return frozenset()

        @contextmanager
        def snapshot(self) -> Generator[TranscriptReader]:
            with opened(tmp_path / "store.sqlite") as store, store.snapshot() as reader:
                yield reader

    with opened(tmp_path / "store.sqlite") as store:
        say(store, events(typed("good morning")))
        say(store, events(typed("good night")), "s:two")
    faster = AlwaysFaster(SeededChance(1))
    assert index(faster) == Indexed(sessions=0, messages=0, begun_anew=False)
    assert faster.calls == 2 * (CONFLICTS_MAX + 1)


def test_a_store_that_keeps_no_index_is_left_alone() -> None:
    store = MemoryStore(SeededChance(1))
    say(store, events(typed("good morning")))
    told: list[tuple[int, int]] = []
    done = index_sessions(store, anew=True, progress=_telling(told))
    assert (done, told) == (Indexed(sessions=0, messages=0, begun_anew=False), [])


def test_what_is_held_at_once_is_a_page_and_not_the_session(tmp_path: Path) -> None:
    size, page = 200_000, 400_000

    def peak_of(store: SqliteStore) -> int:
        tracemalloc.start()
        try:
            with pages_of(page, page):
                index(store)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peaks: list[int] = []
    for messages in (6, 60):
        with opened(tmp_path / f"{messages}.sqlite") as store:
            for start in range(0, messages, 6):
                texts = (f"{n} {'plain words here ' * (size // 17)}" for n in range(6))
                new = [event(start + n, answer(text)) for n, text in enumerate(texts)]
                with store.snapshot() as reader:
                    if reader.session(NAME) is None:
                        archive(store, [record(NAME, 0)], path=NAME)
                store.append(replace(next_page(store, NAME), events=tuple(new), conversion=mark(1)))
            peaks.append(peak_of(store))
            assert is_vouched(store, NAME)
    assert peaks[1] < 1.5 * peaks[0]


def test_a_session_without_events_is_vouched_for(tmp_path: Path) -> None:
    with opened(tmp_path / "store.sqlite") as store:
        say(store, [])
        assert index(store) == Indexed(sessions=1, messages=0, begun_anew=False)
        assert is_vouched(store, NAME)


def test_a_row_comes_as_it_stands_after_the_page(
    shared: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"s:{next(COUNTER)}"
    every = events(typed("one way", parent="p"), answer("done"), typed("another way", parent="p"))
    say(shared, every, name)
    pages: list[IndexPage] = []
    write = shared.write_index

    def keep(page: IndexPage) -> frozenset[str]:
        pages.append(page)
        return write(page)

    monkeypatch.setattr(shared, "write_index", keep)
    index(shared)
    ((images,),) = (page.sessions for page in pages)
    assert images.standings
    assert [row.live for row in images.rows] == [False, False, True]
