"""Coverage: what was read is recorded, what is left is derived."""

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from recense.core.extraction.coverage import (
    Coverage,
    CoverageEntry,
    Outcome,
    coverage_of,
    readings_of,
    totalled,
)
from recense.core.extraction.exchanges import Exchange, tokens_of
from tests.core.extraction.pieces import users

OUTCOMES: Final[tuple[Outcome, ...]] = ("facts", "nothing", "windowed", "failed")
COUNTS: Final = st.integers(0, 10**9)


def _entry(
    piece: Exchange,
    start: int = 0,
    end: int | None = None,
    outcome: Outcome = "nothing",
    attempts: int = 0,
) -> CoverageEntry:
    return CoverageEntry(
        fingerprint=piece.fingerprint,
        occurrence=piece.occurrence,
        start=start,
        end=piece.size if end is None else end,
        outcome=outcome,
        batch="b",
        at=1,
        attempts=attempts,
        reason="it said nothing" if attempts else "",
    )


def test_what_was_read_and_said_nothing_is_covered_as_what_said_something_is() -> None:
    one, two, three = users("one", "two", "three")
    readings = readings_of([one, two, three], [_entry(one), _entry(two, outcome="facts")])
    assert [each.is_covered for each in readings] == [True, True, False]
    assert [each.left for each in readings] == [0, 0, 5]


def test_what_failed_is_not_covered_and_says_why_and_how_often() -> None:
    (piece,) = users("one")
    (reading,) = readings_of([piece], [_entry(piece, outcome="failed", attempts=3)])
    assert (reading.is_covered, reading.attempts, reading.reason) == (False, 3, "it said nothing")
    assert coverage_of([reading]).failed == 1
    assert reading.left == piece.size


def test_what_failed_and_was_read_after_all_is_covered() -> None:
    (piece,) = users("one")
    entries = [_entry(piece, outcome="failed", attempts=3), _entry(piece)]
    for given_in in (entries, entries[::-1]):
        (reading,) = readings_of([piece], given_in)
        assert (reading.is_covered, reading.attempts, reading.reason) == (True, 0, "")


def test_of_equal_pieces_as_many_are_covered_as_were_read() -> None:
    pieces = users("moss", "moss", "moss")
    readings = readings_of(pieces, [_entry(pieces[0]), _entry(pieces[2])])
    assert [each.is_covered for each in readings] == [True, False, True]


def test_windows_are_covered_in_order_and_one_behind_a_gap_counts_for_nothing() -> None:
    (piece,) = users("0123456789")
    (gap,) = readings_of([piece], [_entry(piece, 0, 3), _entry(piece, 6, 10)])
    assert (gap.is_covered, gap.through, gap.left) == (False, 3, 7)
    whole = [_entry(piece, 6, 10), _entry(piece, 3, 6), _entry(piece, 0, 3)]
    (read,) = readings_of([piece], whole)
    assert (read.is_covered, read.through, read.left) == (True, 10, 0)


def test_a_failure_at_a_window_that_is_read_by_now_is_no_failure() -> None:
    (piece,) = users("0123456789")
    entries = [
        _entry(piece, 0, 3, "failed", 1),
        _entry(piece, 0, 3),
        _entry(piece, 3, 6, "failed", 2),
    ]
    (reading,) = readings_of([piece], entries)
    assert (reading.through, reading.attempts) == (3, 2)


def test_what_is_beyond_the_ceiling_is_covered_and_told_as_omitted() -> None:
    (piece,) = users("0123456789")
    entries = [_entry(piece, 0, 3), _entry(piece, 3, 10, "windowed")]
    (reading,) = readings_of([piece], entries)
    assert (reading.is_covered, reading.omitted, reading.left) == (True, 7, 0)
    assert coverage_of([reading]).tokens_omitted == tokens_of(7)


@given(
    st.lists(st.sampled_from(["fern", "moss", "a longer line of lichens"]), max_size=6),
    st.data(),
)
def test_any_entries_whatever_make_readings_that_add_up(
    texts: list[str], data: st.DataObject
) -> None:
    pieces = users(*texts)
    entries: list[CoverageEntry] = []
    for piece in pieces:
        for _ in range(data.draw(st.integers(0, 3))):
            start = data.draw(st.integers(0, piece.size - 1))
            end = data.draw(st.integers(start + 1, piece.size))
            outcome = data.draw(st.sampled_from(OUTCOMES))
            attempts = data.draw(st.integers(1, 5)) if outcome == "failed" else 0
            entries.append(_entry(piece, start, end, outcome, attempts))
    shuffled = data.draw(st.permutations(entries))
    readings = readings_of(pieces, shuffled)
    assert [each.exchange for each in readings] == pieces
    for each in readings:
        assert 0 <= each.through <= each.exchange.size
        assert each.is_covered == (each.left == 0)
        assert not (each.is_covered and each.attempts)
    coverage = coverage_of(readings)
    assert coverage.covered + coverage.uncovered == coverage.messages == len(pieces)
    assert coverage.failed <= coverage.uncovered
    assert totalled([coverage, coverage]).uncovered == 2 * coverage.uncovered


@given(
    st.lists(
        st.builds(
            Coverage,
            messages=COUNTS,
            covered=COUNTS,
            failed=COUNTS,
            tokens_uncovered=COUNTS,
            tokens_omitted=COUNTS,
        ),
        max_size=5,
    )
)
def test_coverages_together_are_their_sums(coverages: list[Coverage]) -> None:
    together = totalled(coverages)
    for name in Coverage.__struct_fields__:
        assert getattr(together, name) == sum(getattr(each, name) for each in coverages)
