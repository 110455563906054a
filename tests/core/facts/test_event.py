"""Events: their ids, and their bytes."""

from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.facts.event import Evidence, FactEvent, Touch, decoded, encoded, identified
from recense.core.facts.values import value_key
from recense.errors import StoreCorrupt
from tests.core.facts.histories import focus_of, history

STATEMENT = FactEvent(
    subject="mira",
    predicate="lives_in",
    value="Lisbon",
    value_key=value_key("Lisbon"),
    observed_at=1_700_000_000_000_000,
    evidence=(Evidence(excerpt="x", anchor="m"),),
    touches=(Touch(subject="mira", predicate="lives_in", value_key=value_key("Lisbon")),),
)


def test_an_id_never_changes() -> None:
    assert identified(STATEMENT).event_id == "e-c31c6360c89095999bf31f7add"
    assert identified(identified(STATEMENT)) == identified(STATEMENT)


def test_an_equal_statement_has_an_equal_id_whenever_it_was_received() -> None:
    later = msgspec.structs.replace(STATEMENT, recorded_at=5)
    assert identified(later).event_id == identified(STATEMENT).event_id
    assert identified(later).recorded_at == 5


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "preference"},
        {"subject": "ann"},
        {"predicate": "works_in"},
        {"value": "lisbon"},
        {"confidence": 0.5},
        {"source": "imported"},
        {"writer": "one"},
        {"retraction": True},
        {"observed_at": 0},
        {"evidence": ()},
        {"touches": ()},
    ],
)
def test_every_field_but_the_stamp_counts_in_the_id(change: dict[str, object]) -> None:
    other = msgspec.structs.replace(STATEMENT, **change)
    assert identified(other).event_id != identified(STATEMENT).event_id


def test_true_and_one_have_two_ids() -> None:
    ids = {
        identified(msgspec.structs.replace(STATEMENT, value=value)).event_id
        for value in (True, 1, 1.0, "1")
    }
    assert len(ids) == 4


@given(st.integers(0, 2**32).map(Random), st.integers(0, 10))
def test_what_was_encoded_is_decoded(random: Random, size: int) -> None:
    for event in history(random, focus_of(random), size):
        again = decoded(encoded(event), event.event_id, event.recorded_at)
        assert again == event
        assert repr(again) == repr(event), "numbers keep their type"
        assert encoded(again) == encoded(event)


def test_canonical_bytes_have_sorted_keys_and_neither_id_nor_stamp() -> None:
    event = msgspec.structs.replace(identified(STATEMENT), recorded_at=7)
    assert encoded(event) == encoded(STATEMENT)
    fields = list(msgspec.json.decode(encoded(event), type=dict[str, object]))
    assert fields == sorted(fields)
    assert {"event_id", "recorded_at"}.isdisjoint(fields)


@pytest.mark.parametrize(
    "body",
    [
        encoded(STATEMENT)[:-1] + b',"mood":"good"}',
        encoded(STATEMENT)[:-1],
        encoded(STATEMENT).replace(b"mira", b"\xff"),
        b'{"observed_at":1}',
        b'{"subject":"a","predicate":"b","observed_at":"soon"}',
        b'{"subject":"a","predicate":"b","observed_at":1,"value":[]}',
        b"",
        b"null",
    ],
)
def test_what_is_no_event_is_an_error_that_names_it(body: bytes) -> None:
    with pytest.raises(StoreCorrupt, match="e-123"):
        decoded(body, "e-123", 1)
