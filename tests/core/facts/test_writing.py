"""What a statement writes: the laws that need no store."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from recense.core.facts.event import FactEvent, Touch, identified
from recense.core.facts.registry import registry_at
from recense.core.facts.values import ANY_VALUE, value_key
from recense.core.facts.writing import AdmittedStatement, decide
from tests.core.facts.histories import INSTANTS, NAMES, SUBJECTS, VALUES, focus_of, history

NOW = INSTANTS[4]
_KEY = value_key("nothing")
UNRELATED = identified(
    FactEvent(
        subject="nobody",
        predicate="note",
        value="nothing",
        value_key=_KEY,
        observed_at=INSTANTS[0],
        touches=(Touch(subject="nobody", predicate="note", value_key=_KEY),),
    )
)
"""What says nothing of any subject that a history is about."""


@given(
    st.integers(0, 2**32),
    st.sampled_from(SUBJECTS),
    st.sampled_from(NAMES),
    st.sampled_from((None, *VALUES)),
    st.booleans(),
    st.sampled_from((None, *INSTANTS)),
)
def test_the_first_thing_said_is_decided_as_anything_that_is_said(
    seed: int, subject: str, predicate: str, value: object, retraction: bool, at: int | None
) -> None:
    random = Random(seed)
    log = [
        event for event in history(random, focus_of(random), 12) if event.subject[:8] == "recense:"
    ]
    registry = registry_at(log, NOW)
    stated = value if isinstance(value, str | int | float) else None
    statement = AdmittedStatement(
        subject=subject,
        predicate=predicate,
        value=stated,
        value_key=ANY_VALUE if stated is None else value_key(stated),
        retraction=retraction or stated is None,
        observed_at=at,
    )
    assert decide(statement, [], registry, NOW) == decide(statement, [UNRELATED], registry, NOW)
