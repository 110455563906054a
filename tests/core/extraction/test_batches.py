"""Batches: what is read at once, and that reading batch after batch ends with everything read."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from recense.core.extraction.batches import Batch, batches_of, entries_of
from recense.core.extraction.coverage import CoverageEntry, Outcome, Reading, Unit, readings_of
from recense.core.extraction.exchanges import Exchange
from tests.core.extraction.pieces import CHARACTERS, users

TEXTS = st.lists(
    st.text(CHARACTERS, min_size=1, max_size=40).filter(str.strip)
    | st.sampled_from(["moss", "a long line of ferns " * 4]),
    max_size=8,
)


def _batches(
    readings: Sequence[Reading], *, chunk: int = 4, ceiling: int = 10**6, by: str = "me"
) -> list[Batch]:
    return list(batches_of(readings, read_by=by, chunk_tokens=chunk, ceiling_tokens=ceiling))


def _read(
    pieces: list[Exchange], entries: list[CoverageEntry], *, chunk: int = 4, ceiling: int = 10**6
) -> list[Batch]:
    return _batches(readings_of(pieces, entries), chunk=chunk, ceiling=ceiling)


def _bytes_shown(batches: Sequence[Batch]) -> Counter[tuple[Unit, int]]:
    return Counter(
        (part.exchange.unit, byte)
        for batch in batches
        for part in batch.parts
        for byte in range(part.window.start, part.window.end)
    )


@given(TEXTS, st.integers(1, 12))
def test_reading_all_batches_shows_every_byte_once_and_leaves_nothing(
    texts: list[str], chunk: int
) -> None:
    pieces = users(*texts)
    batches = _read(pieces, [], chunk=chunk)
    shown = _bytes_shown(batches)
    assert set(shown.values()) <= {1}
    assert shown.total() == sum(each.size for each in pieces)
    entries = [entry for batch in batches for entry in entries_of(batch, "nothing", 1)]
    assert _read(pieces, entries, chunk=chunk) == []
    assert all(each.is_covered for each in readings_of(pieces, entries))


@given(TEXTS, st.integers(1, 12), st.integers(1, 20), st.data())
def test_reading_that_fails_now_and_then_ends_and_shows_nothing_twice_that_was_read(
    texts: list[str], chunk: int, ceiling: int, data: st.DataObject
) -> None:
    pieces = users(*texts)
    entries: dict[tuple[str, int, int], CoverageEntry] = {}
    read: list[Batch] = []
    failures = data.draw(st.integers(0, 6))
    for _ in range(200):
        readings = readings_of(pieces, entries.values())
        batches = _batches(readings, chunk=chunk, ceiling=ceiling)
        if not batches:
            break
        batch = batches[0]
        fails = failures > 0 and data.draw(st.booleans())
        failures -= fails
        outcome: Outcome = "failed" if fails else "nothing"
        read += [] if fails else [batch]
        for entry in entries_of(batch, outcome, 1, reason="bad"):
            entries[entry.fingerprint, entry.occurrence, entry.start] = entry
        chunk = data.draw(st.integers(1, 12))
    readings = readings_of(pieces, entries.values())
    assert all(each.is_covered for each in readings)
    shown = _bytes_shown(read)
    assert set(shown.values()) <= {1}
    assert shown.total() + sum(each.omitted for each in readings) == sum(
        each.size for each in pieces
    )


@given(TEXTS, st.integers(1, 12), st.data())
def test_a_batch_is_consecutive_uncovered_pieces_oldest_first_within_its_tokens(
    texts: list[str], chunk: int, data: st.DataObject
) -> None:
    pieces = users(*texts)
    covered = [piece for piece in pieces if data.draw(st.booleans())]
    entries = [
        CoverageEntry(
            fingerprint=each.fingerprint,
            occurrence=each.occurrence,
            start=0,
            end=each.size,
            outcome="nothing",
            batch="b",
            at=1,
        )
        for each in covered
    ]
    batches = _read(pieces, entries, chunk=chunk)
    places = [[part.exchange.position for part in batch.parts] for batch in batches]
    of_units = {each.position for each in covered}
    assert not of_units & {place for batch in places for place in batch}
    flat = [place for batch in places for place in batch]
    assert flat == sorted(flat)
    for batch, at in zip(batches, places, strict=True):
        assert at == list(range(at[0], at[0] + len(at)))
        assert batch.tokens <= chunk


def test_a_covered_piece_between_two_ends_a_batch_and_is_not_shown_again() -> None:
    pieces = users("one", "two", "three")
    (middle,) = _read([pieces[1]], [])
    batches = _read(pieces, list(entries_of(middle, "facts", 1)), chunk=100)
    assert [[part.exchange.position for part in each.parts] for each in batches] == [[0], [2]]


def test_what_failed_is_read_alone_and_counts_its_attempts() -> None:
    pieces = users("one", "two", "three")
    (batch,) = _read(pieces, [], chunk=100)
    entries = list(entries_of(batch, "failed", 1, reason="bad"))
    again = _read(pieces, entries, chunk=100)
    assert [len(each.parts) for each in again] == [1, 1, 1]
    (entry,) = entries_of(again[0], "failed", 2, reason="worse")
    assert (entry.attempts, entry.reason) == (2, "worse")
    one_failed = [entries[1]]
    around = _read(pieces, one_failed, chunk=100)
    assert [[part.exchange.position for part in each.parts] for each in around] == [[0], [1], [2]]


def test_equal_pieces_are_two_units_and_both_are_shown() -> None:
    (batch,) = _read(users("moss", "moss"), [], chunk=100)
    assert [part.exchange.occurrence for part in batch.parts] == [0, 1]
    assert len(batch.view.messages) == 2
    assert len({entry.occurrence for entry in entries_of(batch, "nothing", 1)}) == 2


def test_an_oversized_piece_is_read_in_windows_a_batch_each_up_to_the_ceiling() -> None:
    (piece,) = users("x" * 100)
    batches = _read([piece], [], chunk=4, ceiling=10)
    assert [each.tokens for each in batches] == [4, 4, 2]
    assert [each.omitted is not None for each in batches] == [False, False, True]
    entries = [entry for each in batches for entry in entries_of(each, "nothing", 1)]
    (reading,) = readings_of([piece], entries)
    assert (reading.is_covered, reading.omitted) == (True, 60)
    assert [each.outcome for each in entries] == ["nothing"] * 3 + ["windowed"]


def test_a_last_window_that_failed_omits_nothing_yet() -> None:
    (piece,) = users("x" * 100)
    last = _read([piece], [], chunk=4, ceiling=10)[-1]
    assert [each.outcome for each in entries_of(last, "failed", 1)] == ["failed"]


def test_a_batch_has_the_same_id_for_the_same_reading_and_another_for_any_other() -> None:
    pieces = users("one", "two", "moss", "moss")
    (whole,) = _read(pieces, [], chunk=100)
    assert whole.batch_id == _read(pieces, [], chunk=50)[0].batch_id
    others = _read(pieces, [], chunk=1)
    by_another = _batches(readings_of(pieces, []), chunk=100, by="you")
    ids = [whole.batch_id, *(each.batch_id for each in (*others, *by_another))]
    assert len(set(ids)) == len(ids) == 6
