"""The fold says what the plain model says, whatever the history.

`RECENSE_HISTORIES=100000` has it try as many histories, from the seed `RECENSE_SEED`.
"""

import os
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.facts.belief import Belief
from recense.core.facts.event import FactEvent
from recense.core.facts.fold import fold, holds
from recense.core.facts.order import known
from recense.core.facts.registry import registry_at
from recense.core.facts.values import value_key
from tests.core.facts.histories import VALUES, focus_of, history, shuffled
from tests.core.facts.naive import REGISTRY, naive_beliefs, naive_holds, naive_walk

HISTORIES = int(os.environ.get("RECENSE_HISTORIES", "300"))
SEED = int(os.environ.get("RECENSE_SEED", "20261130"))
PARTS = 10


def require_equal(events: list[FactEvent], subject: str, name: str, known_by: int | None) -> None:
    """Compare beliefs, and what is said of every value, at every instant."""
    seen = known(events, known_by)
    log = [event for event in seen if event.subject == REGISTRY]
    said = [event for event in seen if event.subject != REGISTRY]
    for as_of in sorted({-1, *(event.observed_at for event in events)}):
        registry = registry_at(log, as_of)
        folded = fold(said, registry, subject, name, as_of)
        walked = naive_walk(events, subject, name, as_of, known_by)
        found = [plain(belief) for belief in folded.beliefs]
        expected = naive_beliefs(walked)
        assert found == expected, (subject, name, as_of, known_by)
        assert repr([one["value"] for one in found]) == repr([one["value"] for one in expected])
        for value in VALUES:
            truth = holds(folded, registry, name, value_key(value), as_of)
            assert truth == naive_holds(walked, value), (subject, name, value, as_of, known_by)


def plain(belief: Belief) -> dict[str, object]:
    """Return a belief as the model has it."""
    contested = belief.contested
    return {
        **msgspec.structs.asdict(belief),
        "evidence": list(belief.evidence),
        "replaced": [msgspec.structs.asdict(one) for one in belief.replaced],
        "contested": None if contested is None else msgspec.structs.asdict(contested),
    }


def compare(random: Random, size: int) -> None:
    """Compare the fold and the model over one random history."""
    focus = focus_of(random)
    events = shuffled(random, history(random, focus, size))
    known_by = random.choice((None, None, random.randint(-1, size + 4)))
    subject, name = focus.subject_near(random), focus.predicate_near(random)
    require_equal(events, subject, name, known_by)


@given(st.integers(0, 2**32).map(Random), st.integers(0, 30))
def test_the_fold_equals_the_model(random: Random, size: int) -> None:
    compare(random, size)


@pytest.mark.parametrize("part", range(PARTS))
def test_the_fold_equals_the_model_over_many_histories(part: int) -> None:
    for number in range(part, HISTORIES, PARTS):
        random = Random(f"{SEED} {number}")
        try:
            compare(random, random.randint(0, 30))
        except AssertionError as error:
            error.add_note(f"seed {SEED}, history {number}")
            raise
