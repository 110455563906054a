"""Whether a call may be made: the table, and the laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.agents.beginning import (
    AlreadyCalled,
    AskedAction,
    CalledOtherwise,
    Proceed,
    StandsInTheWay,
    beginning,
)
from recense.core.agents.values import ACTION_CLASSES, ActionClass, ActionStatus
from tests.core.agents.agent_samples import action

SETTLED: tuple[ActionStatus, ...] = ("succeeded", "failed", "compensated")


def asked(action_class: ActionClass = "unsafe", call_id: str | None = None) -> AskedAction:
    return AskedAction(act="act", action_class=action_class, call_id=call_id)


def test_the_first_call_is_occurrence_0_and_each_settled_one_makes_it_one_more() -> None:
    assert beginning(asked(), None, None, 0) == Proceed(occurrence=0)
    assert beginning(asked(), None, None, 7) == Proceed(occurrence=7)


@pytest.mark.parametrize("status", ["open", "unknown"])
@pytest.mark.parametrize("action_class", ACTION_CLASSES)
@pytest.mark.parametrize("call_id", [None, "c1"])
def test_an_equal_act_without_a_known_outcome_stands_in_the_way(
    status: ActionStatus, action_class: ActionClass, call_id: str | None
) -> None:
    before = action(status, action_class)
    found = beginning(asked(action_class, call_id), None, before, 3)
    if action_class == "read" and call_id is not None:
        assert found == Proceed(occurrence=3)
    else:
        assert found == StandsInTheWay(action=before)


def test_a_read_does_not_pass_by_an_equal_act_that_touched_the_world() -> None:
    before = action("unknown", "unsafe")
    found = beginning(asked("read", "c1"), None, before, 0)
    assert found == StandsInTheWay(action=before)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*ACTION_CLASSES, "settle the oldest", "settle the newest"]),
            st.booleans(),
        ),
        max_size=30,
    )
)
def test_what_is_no_read_is_alone_among_its_equals(
    steps: list[tuple[ActionClass | str, bool]],
) -> None:
    """So the oldest of them says whether any other stands in the way."""
    unsettled = list[ActionClass]()
    for step, has_call_id in steps:
        if step in ACTION_CLASSES:
            oldest = action("open", unsettled[0]) if unsettled else None
            call_id = "c1" if has_call_id else None
            if isinstance(beginning(asked(step, call_id), None, oldest, 0), Proceed):
                unsettled.append(step)
        elif unsettled:
            unsettled.pop(0 if step == "settle the oldest" else -1)
        assert len(unsettled) <= 1 or set(unsettled) == {"read"}


@pytest.mark.parametrize("status", ["open", "unknown", *SETTLED])
def test_a_call_whose_own_id_was_used_is_that_call(status: ActionStatus) -> None:
    same = action(status, call_id="c1")
    oldest = None if status in SETTLED else same
    assert beginning(asked(call_id="c1"), same, oldest, 1) == AlreadyCalled(action=same)


def test_a_call_that_was_abandoned_may_be_made_under_its_own_id() -> None:
    same = action("abandoned", call_id="c1")
    assert beginning(asked(call_id="c1"), same, None, 1) == Proceed(occurrence=1)


def test_a_call_id_of_another_act_is_never_taken() -> None:
    for status in ("open", "abandoned"):
        other = action(status, act="another", call_id="c1")
        assert beginning(asked(call_id="c1"), other, None, 0) == CalledOtherwise(action=other)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["begin", "succeed", "fail", "unknown", "decide"]),
            st.none() | st.sampled_from(["c1", "c2", "c3"]),
        ),
        max_size=30,
    )
)
def test_at_most_one_equal_call_is_ever_under_way(steps: list[tuple[str, str | None]]) -> None:
    """Whatever is asked in whatever order: two equal unsafe calls are never open at once, and no
    occurrence is given twice.
    """
    unsettled = None
    by_call = dict[str, ActionStatus]()
    given = list[int]()
    settled = 0
    for step, call_id in steps:
        if step == "begin":
            status = by_call.get(call_id or "")
            same = None if status is None else action(status, call_id=call_id)
            found = beginning(asked(call_id=call_id), same, unsettled, settled)
            if isinstance(found, Proceed):
                assert unsettled is None
                given.append(found.occurrence)
                unsettled = action("open", call_id=call_id)
                by_call[call_id or "none"] = "open"
        elif unsettled is not None:
            status = "unknown" if step == "unknown" else "succeeded"
            by_call[unsettled.call_id or "none"] = status
            if status == "unknown":
                unsettled = action("unknown", call_id=unsettled.call_id)
            else:
                unsettled, settled = None, settled + 1
    assert given == sorted(set(given))
