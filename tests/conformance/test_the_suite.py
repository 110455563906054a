"""The suite finds the faults it is there for, and never calls tested what was not."""

import importlib.util
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import ClassVar

import pytest
from hypothesis import Phase, settings
from msgspec.structs import replace

from recense.adapters.memory.store import MemoryReader, MemoryStore
from recense.conformance import Check, Opener, Outcome, Report, all_checks, run_check
from recense.conformance.running import Verdict
from recense.conformance.vocabulary import Case, CheckFailed, check, expect_equal, expect_raises
from recense.core.transcript.records import ArchivedRecord, Session
from recense.errors import NotFound, StoreBusy, StoreConflict
from recense.ports.transcripts import (
    ArchiveOutcome,
    ArchivePage,
    LedgerPage,
    TranscriptReader,
    TranscriptStore,
)
from recense.testing import SeededChance
from tests.conformance.openers import memory_opener
from tests.conformance.test_stores import STATEFUL


class KeepsWhatItRefuses(MemoryStore):
    def archive(self, page: ArchivePage) -> ArchiveOutcome:
        super().archive(replace(page, records=()))
        return super().archive(replace(page, expected=page.file))


class NeverConflicts(MemoryStore):
    def append(self, page: LedgerPage) -> None:
        with self.snapshot() as reader:
            session = reader.session(page.session_id)
        if session is not None:
            through = session.converted_through
            page = replace(page, expected_events=session.events, expected_through=through)
        super().append(page)


class ForgetsGrowth(MemoryStore):
    def append(self, page: LedgerPage) -> None:
        super().append(replace(page, grown=()))


class BendsAnswers(MemoryStore):
    reader: ClassVar[type[MemoryReader]]

    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        yield self.reader(self._state)


class OwnsAll(BendsAnswers):
    class reader(MemoryReader):  # noqa: N801 - the attribute that is bent
        def sessions(self) -> Iterator[Session]:
            for session in super().sessions():
                yield replace(session, owned_messages=session.counts.messages)


class CutsCharacters(BendsAnswers):
    class reader(MemoryReader):  # noqa: N801 - as above
        def records(
            self, session_id: str, after: int, count_max: int, bytes_max: int
        ) -> list[ArchivedRecord]:
            return [
                replace(each, record=each.record.decode("utf-8", "ignore").encode())
                for each in super().records(session_id, after, count_max, bytes_max)
            ]


class IgnoresTheBound(BendsAnswers):
    class reader(MemoryReader):  # noqa: N801 - as above
        def records(
            self, session_id: str, after: int, count_max: int, bytes_max: int
        ) -> list[ArchivedRecord]:
            return super().records(session_id, after, count_max, 2**40)


class SeesTheFuture(MemoryStore):
    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        reader = MemoryReader(self._state)
        object.__setattr__(self, "_live", [*getattr(self, "_live", []), reader])
        yield reader

    def append(self, page: LedgerPage) -> None:
        super().append(page)
        for reader in getattr(self, "_live", []):
            object.__setattr__(reader, "_state", self._state)


PLANTED: dict[type[MemoryStore], str] = {
    KeepsWhatItRefuses: "a record of a session that was never introduced is refused, "
    "and its page with it",
    NeverConflicts: "a page on another head or another conversion is a conflict, "
    "and nothing of it is kept",
    ForgetsGrowth: "growth counts for the owner alone",
    OwnsAll: "a shared message is owned by the session that starts first, "
    "whoever is imported first",
    CutsCharacters: "NUL, characters beyond the first plane, no bytes and a megabyte survive",
    IgnoresTheBound: "records are read in pages of a number of bytes, "
    "and never fewer than one record",
    SeesTheFuture: "a snapshot does not see what is written after it",
}


def opener_of(kind: type[MemoryStore]) -> Opener:
    chance = SeededChance()
    stores: dict[str, TranscriptStore] = {}

    def opener(name: str) -> TranscriptStore:
        return stores.setdefault(name, kind(chance))

    return opener


def outcome_of(sentence: str, subject: Opener) -> Outcome:
    (found,) = (each for each in all_checks() if each.sentence == sentence)
    return run_check(found, "planted", subject, memory_opener())


@pytest.mark.parametrize("kind", PLANTED, ids=lambda kind: kind.__name__)
def test_a_planted_fault_fails_the_check_that_is_for_it(kind: type[MemoryStore]) -> None:
    assert outcome_of(PLANTED[kind], opener_of(kind)).verdict == "failed"


@pytest.fixture
def _first_finding() -> Iterator[None]:
    """Hypothesis reports what it finds first: making it small is not what is tested."""
    name = settings.get_current_profile_name()
    settings.register_profile(
        "first finding", settings.get_profile(name), phases=[Phase.generate], derandomize=True
    )
    settings.load_profile("first finding")
    yield
    settings.load_profile(name)


@pytest.mark.usefixtures("_first_finding")
@pytest.mark.parametrize(
    "kind",
    [ForgetsGrowth, OwnsAll, NeverConflicts, IgnoresTheBound],
    ids=lambda kind: kind.__name__,
)
def test_the_state_machine_finds_a_planted_fault_and_tells_the_steps(
    kind: type[MemoryStore],
) -> None:
    outcome = outcome_of(STATEFUL, opener_of(kind))
    assert outcome.verdict == "failed"
    assert "state = Machine()" in outcome.detail


def test_a_store_that_is_new_when_it_is_opened_again_fails() -> None:
    chance = SeededChance()

    def opener(name: str) -> TranscriptStore:
        return MemoryStore(chance)

    assert outcome_of("a store opened again holds what it held", opener).verdict == "failed"


def test_without_hypothesis_the_state_machine_is_untested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def finds_nothing(name: str) -> None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", finds_nothing)
    outcome = outcome_of(STATEFUL, memory_opener())
    assert outcome.verdict == "untested"
    assert "Hypothesis" in outcome.detail


@pytest.mark.parametrize(
    ("verdicts", "passed"),
    [
        ([], False),
        (["passed"], True),
        (["passed", "failed"], False),
        (["passed", "untested"], False),
    ],
)
def test_a_report_passes_when_there_were_checks_and_all_of_them_passed(
    verdicts: list[Verdict], passed: bool
) -> None:
    outcomes = tuple(Outcome(sentence="it works", verdict=each) for each in verdicts)
    assert Report(outcomes=outcomes).passed is passed


def test_a_report_says_each_verdict_and_their_sum() -> None:
    report = Report(
        outcomes=(
            Outcome(sentence="it opens", verdict="passed"),
            Outcome(sentence="it closes", verdict="failed", detail="it stays open"),
        )
    )
    assert report.lines() == [
        "passed    it opens",
        "failed    it closes  (it stays open)",
        "1 passed, 1 failed, 0 untested",
    ]


def test_an_error_of_the_subject_fails_the_check_by_its_name() -> None:
    def attempt(case: Case) -> None:
        raise StoreBusy("somebody else is writing")

    outcome = run_check(
        Check(sentence="it answers", attempt=attempt), "x", memory_opener(), memory_opener()
    )
    assert outcome.verdict == "failed"
    assert outcome.detail == "StoreBusy: somebody else is writing"


def test_an_error_that_is_no_fault_of_a_store_passes_through() -> None:
    def attempt(case: Case) -> None:
        raise KeyError("a bug")

    with pytest.raises(KeyError):
        run_check(
            Check(sentence="it answers", attempt=attempt), "x", memory_opener(), memory_opener()
        )


def test_no_two_checks_say_the_same() -> None:
    sentence = all_checks()[0].sentence
    with pytest.raises(ValueError, match="two checks"):
        check(sentence)(lambda _: None)


def test_an_expected_error_has_to_be_of_exactly_its_class() -> None:
    def conflict() -> None:
        raise StoreConflict("moved")

    expect_raises("it", StoreConflict, conflict)
    for call in (lambda: None, conflict):
        with pytest.raises(CheckFailed):
            expect_raises("it", NotFound, call)


def test_a_long_value_is_cut_where_it_is_shown() -> None:
    with pytest.raises(CheckFailed) as failure:
        expect_equal("bytes", b"x" * 10_000, b"")
    assert len(str(failure.value)) < 1_000
