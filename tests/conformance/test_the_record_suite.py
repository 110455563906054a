"""The suite of records finds out what is wrong, and asks no more than is declared."""

from pathlib import Path
from typing import Final

import pytest

from recense.adapters.memory.records import MemoryRecords
from recense.conformance import RecordOpener, Report, all_record_checks, run_check
from tests.conformance import faulty_records as faulty
from tests.conformance.record_openers import MemoryOpener

PLANTS: Final[tuple[tuple[type[MemoryRecords], str], ...]] = (
    (faulty.reading(faulty.GetsByAnyCase), "what is there is got by its id"),
    (faulty.reading(faulty.CountsThePage), "a listing has the first"),
    (faulty.reading(faulty.StopsAtTenThousand), "ten thousand and one"),
    (faulty.reading(faulty.OrdersAsTexts), "pages follow each other"),
    (faulty.reading(faulty.FindsBeginnings), "any text is a legal word"),
    (faulty.reading(faulty.FindsSpacedWordsAlone), "every word of a text"),
    (faulty.reading(faulty.SearchesBeforeItFilters), "a search finds what is there now"),
    (faulty.reading(faulty.TiesAsTheyFall), "the nearest vectors"),
    (faulty.reading(faulty.TakesAnyDimension), "a vector of another length"),
    (faulty.MarksByCount, "a watermark is never used again"),
    (faulty.MarksByCount, "a watermark changes"),
    (faulty.MarksTogether, "a watermark changes"),
    (faulty.AppendsOnAnything, "an append on other counters"),
    (faulty.LosesTheRace, "of writers at the same time"),
    (faulty.BumpsWhatConflicts, "an append on other counters"),
    (faulty.AppendsOver, "an append that is repeated"),
    (faulty.StampsByTheClock, "stamps grow"),
    (faulty.PutsOneByOne, "a batch is kept whole"),
    (faulty.GivesTheLeaseAway, "a lease is one holder's"),
    (faulty.ForgetsEpochs, "epochs only grow"),
    (faulty.NeverExpires, "a lease whose time is over"),
    (faulty.NeverExpires, "with another boot"),
    (faulty.WritesWithoutTheLease, "who holds a lease no longer"),
    (faulty.WritesWhateverChanged, "what changed since it was read"),
    (faulty.LooksOnlyAtTheEpoch, "who holds a lease no longer"),
    (faulty.AnswersUndeclared, "what is there is got by its id"),
    (faulty.KeepsOldFields, "a record that is put again"),
    (faulty.RoundsIntegers, "every type of value"),
    (faulty.RoundsIntegers, "an equality finds"),
)


def outcome_of(beginning: str, opener: RecordOpener) -> str:
    (check,) = [each for each in all_record_checks() if each.sentence.startswith(beginning)]
    return run_check(check, "faulty", opener, MemoryOpener()).verdict


@pytest.mark.parametrize(
    ("plant", "beginning"), PLANTS, ids=lambda each: getattr(each, "__name__", each)
)
def test_a_store_that_breaks_its_word_is_found_out(
    plant: type[MemoryRecords], beginning: str
) -> None:
    assert outcome_of(beginning, MemoryOpener(plant)) == "failed"
    assert outcome_of(beginning, MemoryOpener()) == "passed"


def test_bytes_that_a_deletion_leaves_are_found(tmp_path: Path) -> None:
    assert outcome_of("of what is deleted no byte", faulty.LeavesBytes(tmp_path)) == "failed"
    opener = faulty.LeavesBytes(tmp_path, empties_it=True)
    assert outcome_of("of what is deleted no byte", opener) == "passed"
    assert outcome_of("of what was replaced no byte", opener) == "failed"


def test_the_state_machine_finds_what_no_single_check_looks_for() -> None:
    opener = MemoryOpener(faulty.KeepsOldFields)
    assert outcome_of("after any sequence of calls", opener) == "failed"


def test_what_the_opener_cannot_show_is_untested_and_not_passed() -> None:
    def plain(name: str) -> MemoryRecords:
        del name
        return MemoryRecords(MemoryOpener().uptime)

    assert outcome_of("of what is deleted no byte", plain) == "untested"
    assert outcome_of("with another boot", plain) == "untested"


def test_every_capability_has_a_check_that_needs_it_and_no_check_is_no_pass() -> None:
    assert len(all_record_checks()) >= 35
    assert not Report(outcomes=()).passed
