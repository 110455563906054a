"""Working states, and what names an agent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from recense.core.agents.ids import is_agent_id, require_agent_id
from recense.core.agents.values import StateUpdate, WorkingState, merged
from recense.errors import InvalidRequest

texts = st.text(max_size=5)
lists = st.lists(texts, max_size=3).map(tuple)
FIELDS = {
    "goal": texts,
    "plan": lists,
    "progress": texts,
    "focus": texts,
    "decisions": lists,
    "open_questions": lists,
    "notes": texts,
    "step": st.integers(0, 9),
    "milestone": texts,
}
states = st.builds(WorkingState, **FIELDS)
updates = st.builds(StateUpdate, **{name: st.just(UNSET) | drawn for name, drawn in FIELDS.items()})


@given(states, updates)
def test_a_field_that_is_given_replaces_and_one_that_is_not_stays(
    state: WorkingState, update: StateUpdate
) -> None:
    after = merged(state, update)
    for name in FIELDS:
        asked = getattr(update, name)
        assert getattr(after, name) == (getattr(state, name) if asked is UNSET else asked)


@given(states, updates)
def test_the_same_update_twice_is_the_update_once(state: WorkingState, update: StateUpdate) -> None:
    once = merged(state, update)
    assert merged(once, update) == once


@pytest.mark.parametrize("text", ["a", "mail-worker", "A.b_c:d-9", "x" * 128])
def test_what_names_an_agent(text: str) -> None:
    assert is_agent_id(text)
    require_agent_id("an agent", text)


@pytest.mark.parametrize("text", ["", "x" * 129, "a/b", "a b", "ä", "a\n", "a~2", "\ud800"])
def test_what_names_none(text: str) -> None:
    assert not is_agent_id(text)
    with pytest.raises(InvalidRequest, match="an agent is"):
        require_agent_id("an agent", text)
