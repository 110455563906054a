"""What cannot be read of facts, or was changed: a named error where it is read, and the doctor."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.adapters.sqlite.connections import connect
from recense.errors import StoreCorrupt
from recense.operations.facts import EvidenceRequest, GetFacts, RememberFact, SearchFacts
from recense.operations.texts import RememberText
from recense.ports.records import Record
from recense.services.fact_collections import CONTROL, EPISODES, MEMORY
from recense.services.fact_health import FactCounts, count_facts
from tests.services.fact_world import FactWorld, fact_world

REQUEST = RememberFact(
    subject="mira",
    predicate="likes",
    value="tea",
    evidence=(EvidenceRequest(excerpt="I like tea"),),
    idempotency_key="request 1",
)

Harm = Callable[[bytes], bytes]
_NOTHING: Harm = lambda _: b"{"  # noqa: E731


def _harmed(world: FactWorld, collection: str, mark: str, harm: Harm = _NOTHING) -> Record:
    """Damage the record of a collection whose body holds a mark."""
    with world.store.snapshot() as reader:
        found = [each for each in reader.list(collection).records if mark.encode() in each.body]
    harmed = replace(found[0], body=harm(found[0].body))
    world.store.put([harmed])
    return harmed


def _checked(world: FactWorld) -> FactCounts:
    return count_facts(world.store)


def _tell(world: FactWorld) -> None:
    world.memory.remember_fact(REQUEST)
    world.memory.remember(RememberText(text="Mira sails."))


@pytest.fixture
def told(world: FactWorld) -> FactWorld:
    """A statement with evidence and a key of its own, and a text."""
    _tell(world)
    counts = _checked(world)
    assert counts.faults == ()
    assert counts.check().ok
    assert counts.events > 1
    return world


def test_an_event_that_cannot_be_read_is_named(told: FactWorld) -> None:
    harmed = _harmed(told, MEMORY, '"value":"tea"')
    with pytest.raises(StoreCorrupt, match=harmed.record_id):
        told.values("mira", "likes")
    (fault,) = _checked(told).faults
    assert harmed.record_id in fault
    assert not _checked(told).check().ok


def test_a_change_of_the_registry_that_cannot_be_read_is_named(told: FactWorld) -> None:
    harmed = _harmed(told, MEMORY, "lives_in", lambda body: body.replace(b"define", b"devise"))
    (fault,) = _checked(told).faults
    assert harmed.record_id in fault


def test_an_event_that_was_changed_is_named(told: FactWorld) -> None:
    harmed = _harmed(told, MEMORY, '"value":"tea"', lambda body: body.replace(b"tea", b"ale"))
    (fault,) = _checked(told).faults
    assert harmed.record_id in fault
    assert "not what was written" in fault


def test_words_of_evidence_that_cannot_be_read_are_named(told: FactWorld) -> None:
    harmed = _harmed(told, EPISODES, "I like tea")
    for ask in (
        lambda: told.values("mira", "likes"),
        lambda: told.memory.search_facts(SearchFacts(text="tea")),
        lambda: told.memory.facts(GetFacts()),
        lambda: told.memory.explain_fact("mira"),
    ):
        with pytest.raises(StoreCorrupt, match=harmed.record_id):
            ask()
    assert [harmed.record_id in fault for fault in _checked(told).faults] == [True]


def test_an_answer_that_cannot_be_read_is_named(told: FactWorld) -> None:
    harmed = _harmed(told, CONTROL, "asked")
    with pytest.raises(StoreCorrupt, match=harmed.record_id):
        told.memory.remember_fact(REQUEST)
    assert [harmed.record_id in fault for fault in _checked(told).faults] == [True]


def test_a_text_that_cannot_be_read_is_named(told: FactWorld) -> None:
    harmed = _harmed(told, EPISODES, "Mira sails")
    assert [harmed.record_id in fault for fault in _checked(told).faults] == [True]


def test_what_cannot_even_be_listed_is_a_fault_among_others(tmp_path: Path) -> None:
    with fact_world("sqlite", tmp_path) as world:
        _tell(world)
        connection = connect(tmp_path / "recense.db", busy_wait_ms=0)
        connection.execute("UPDATE records SET fields = x'7b' WHERE record_id LIKE 'e-%'")
        connection.close()
        harmed = _harmed(world, EPISODES, "Mira sails")
        listing, text = _checked(world).faults
    assert "never written so" in listing
    assert harmed.record_id in text
