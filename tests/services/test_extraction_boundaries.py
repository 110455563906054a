"""Reading a session is killed at every commit boundary, on either side, and run again by another
process: it completes, no batch that was recorded is asked again, and nothing is filed twice.
"""

from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.views import ExtractorView
from recense.errors import StoreUnavailable
from recense.limits import EXTRACTION_LEASE_TTL_MS
from recense.ports.extraction import Proposed
from recense.testing import Boundary, Fault, FaultyRecords
from tests.services.extraction_fakes import ScriptedExtractor
from tests.services.extraction_world import (
    KINDS,
    ExtractionWorld,
    extraction_world,
    run_one,
    stands,
    status,
)

PLACES: Final = ("moss", "fern", "reed")
TOKENS: Final = 40


def _noting(view: ExtractorView) -> Proposed:
    """Propose two facts of each message, one of them refused."""
    words = [part.text.split()[0] for each in view.messages for part in each.parts]
    return Proposed(
        proposals=tuple(
            Proposal(subject="user", predicate="likes", value=value, evidence=word)
            for word in words
            for value in (word, f"{word} in rain", "")
        ),
        tokens_in=TOKENS,
    )


def _say(world: ExtractionWorld) -> None:
    world.say(*(f"{place} {'y' * 300}" for place in PLACES))


def _extractor() -> ScriptedExtractor:
    return ScriptedExtractor(_noting, overhead_tokens=20)


def _every_boundary() -> list[Boundary]:
    """Return the boundaries that reading passes, but for those of letting go."""
    with extraction_world("memory", Path()) as world:
        _say(world)
        records = FaultyRecords(world.stores.records)
        run_one(world.extraction(_extractor(), records=records, chunk_tokens=100))
        return [each for each in records.passed if each.method != "release"]


def _name(boundary: Boundary) -> str:
    return f"{boundary.moment} {boundary.method} {boundary.call}"


def test_the_boundaries_are_those_of_records_budgets_facts_and_coverage() -> None:
    calls = Counter(each.method for each in _every_boundary())
    assert calls == {
        "acquire": 2,
        "append": 2 * (2 * len(PLACES) + 2 * len(PLACES)),
        "fenced_put": 2 * 2 * len(PLACES),
    }


@pytest.mark.parametrize("boundary", _every_boundary(), ids=_name)
def test_killed_at_a_boundary_reading_is_completed_by_another_and_nothing_is_done_twice(
    boundary: Boundary, tmp_path: Path
) -> None:
    kind = KINDS[boundary.call % len(KINDS)]
    with extraction_world(kind, tmp_path) as world:
        _say(world)
        fault = Fault.raising(boundary, StoreUnavailable("killed"))
        records = FaultyRecords(world.stores.records, [fault])
        dies = _extractor()
        with pytest.raises(StoreUnavailable):
            run_one(world.extraction(dies, records=records, chunk_tokens=100))
        recorded = sum(each.startswith("b-") for each in world.extraction_records())
        assert recorded in {len(dies.views), len(dies.views) - 1}
        world.uptime.advance(EXTRACTION_LEASE_TTL_MS + 1)
        world.clock.advance(EXTRACTION_LEASE_TTL_MS + 1)
        again = _extractor()
        extraction = world.extraction(again, chunk_tokens=100, holder="another")
        done = run_one(extraction)
        assert (done.end, done.failed) == ("complete", 0)
        assert [text.split()[0] for text in again.texts] == list(PLACES[recorded:])
        assert done.replayed in {0, 1}
        assert stands(extraction).strip == "ccc"
        events = world.memory.fact_history("user", "likes", limit=1_000).events
        assert Counter(each.value for each in events) == {
            value: 1 for place in PLACES for value in (place, f"{place} in rain")
        }
        budget = status(extraction).budget
        cut_off = len(dies.views) + len(again.views) - budget.spent // TOKENS
        assert budget.spent % TOKENS == 0
        assert cut_off in {0, 1}
        assert run_one(extraction).batches == 0


def test_what_was_recorded_is_filed_as_it_was_recorded_though_the_vocabulary_is_another(
    tmp_path: Path,
) -> None:
    for kind in KINDS:
        folder = tmp_path / kind
        folder.mkdir()
        with extraction_world(kind, folder) as world:
            _say(world)
            fault = Fault.raising(
                Boundary(method="fenced_put", call=1, moment="after"), StoreUnavailable("killed")
            )
            records = FaultyRecords(world.stores.records, [fault])
            with pytest.raises(StoreUnavailable):
                run_one(world.extraction(_extractor(), records=records))
            silent = ScriptedExtractor()
            world.uptime.advance(EXTRACTION_LEASE_TTL_MS + 1)
            done = run_one(world.extraction(silent))
            assert (done.end, done.replayed, done.batches, silent.views) == ("complete", 1, 0, [])
            assert len(world.facts()) == 2 * len(PLACES)
