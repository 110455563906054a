"""Claims and outcomes of requests with an idempotency key."""

import pytest

from recense.adapters.memory.records import MemoryRecords
from recense.adapters.system import SystemUptime
from recense.errors import IdempotencyMismatch, OutcomeUnknown, RequestInProgress
from recense.limits import IDEMPOTENCY_ANSWER_BYTES_MAX, IDEMPOTENCY_KEPT_SECONDS
from recense.services.request_outcomes import (
    KeptAnswer,
    RequestClaim,
    RequestOfKey,
    RequestOutcomes,
)
from recense.testing.chance import SeededChance
from recense.testing.clock import FakeClock

ASKED = RequestOfKey(key_id="mira", operation="hide_session", key="k1", asked=b"{}")
DAY_MS = IDEMPOTENCY_KEPT_SECONDS * 1_000


class Store:
    """A store, its clock, and processes that serve it one after the other."""

    def __init__(self) -> None:
        self.clock = FakeClock(1_800_000_000_000_000)
        self.records = MemoryRecords(SystemUptime())
        self.processes = 0

    def process(self) -> RequestOutcomes:
        self.processes += 1
        return RequestOutcomes(self.records, self.clock, SeededChance(self.processes))


def claimed(outcomes: RequestOutcomes, *, again: bool = False) -> RequestClaim:
    begun = outcomes.begin(ASKED, may_be_done_again=again)
    assert isinstance(begun, RequestClaim)
    return begun


def test_an_answer_is_given_again_also_by_another_process() -> None:
    store = Store()
    outcomes = store.process()
    outcomes.keep(claimed(outcomes), b'{"done":1}')
    for process in (outcomes, store.process()):
        assert process.begin(ASKED, may_be_done_again=False) == KeptAnswer(answer=b'{"done":1}')


def test_what_a_process_that_ended_had_begun_is_not_done_again() -> None:
    store = Store()
    claimed(store.process())
    with pytest.raises(OutcomeUnknown):
        store.process().begin(ASKED, may_be_done_again=False)


def test_what_a_process_that_ended_had_begun_is_done_again_where_that_is_harmless() -> None:
    store = Store()
    claimed(store.process(), again=True)
    later = store.process()
    later.keep(claimed(later, again=True), b"1")
    assert later.begin(ASKED, may_be_done_again=True) == KeptAnswer(answer=b"1")


def test_what_this_process_is_doing_is_in_progress() -> None:
    outcomes = Store().process()
    claim = claimed(outcomes)
    with pytest.raises(RequestInProgress):
        outcomes.begin(ASKED, may_be_done_again=True)
    outcomes.leave(claim)
    with pytest.raises(OutcomeUnknown):
        outcomes.begin(ASKED, may_be_done_again=False)


def test_what_was_not_done_leaves_its_key_free() -> None:
    outcomes = Store().process()
    outcomes.undo(claimed(outcomes))
    other = RequestOfKey(key_id="mira", operation="hide_session", key="k1", asked=b'{"a":1}')
    assert isinstance(outcomes.begin(other, may_be_done_again=False), RequestClaim)


def test_a_key_is_for_one_request_of_one_caller_and_operation() -> None:
    outcomes = Store().process()
    outcomes.keep(claimed(outcomes), b"1")
    other = RequestOfKey(key_id="mira", operation="hide_session", key="k1", asked=b'{"a":1}')
    with pytest.raises(IdempotencyMismatch):
        outcomes.begin(other, may_be_done_again=True)
    for free in (
        RequestOfKey(key_id="ola", operation="hide_session", key="k1", asked=b"{}"),
        RequestOfKey(key_id="mira", operation="unhide_session", key="k1", asked=b"{}"),
        RequestOfKey(key_id="mira", operation="hide_session", key="k2", asked=b"{}"),
    ):
        assert isinstance(outcomes.begin(free, may_be_done_again=False), RequestClaim)


def test_an_answer_that_is_too_long_is_not_kept_but_that_it_was_done() -> None:
    outcomes = Store().process()
    outcomes.keep(claimed(outcomes), b'"' + b"a" * IDEMPOTENCY_ANSWER_BYTES_MAX + b'"')
    assert outcomes.begin(ASKED, may_be_done_again=True) == KeptAnswer(answer=None)


def test_after_a_day_a_key_is_as_new_and_what_was_kept_is_swept() -> None:
    store = Store()
    outcomes = store.process()
    outcomes.keep(claimed(outcomes), b"1")
    store.clock.advance(DAY_MS - 1)
    assert isinstance(outcomes.begin(ASKED, may_be_done_again=False), KeptAnswer)
    assert outcomes.sweep() == 0
    store.clock.advance(1)
    outcomes.keep(claimed(outcomes), b"2")
    assert outcomes.sweep() == 1
    assert outcomes.begin(ASKED, may_be_done_again=False) == KeptAnswer(answer=b"2")
