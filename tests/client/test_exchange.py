"""One call without a connection: what is sent, what comes of it, and when it is sent again."""

from collections.abc import Iterable, Iterator

import msgspec
import pytest

from recense.client.exchange import Outcome, Pause, Sending, ServerReply, Step, Unanswered, exchange
from recense.core.values import Value
from recense.errors import (
    InvalidRequest,
    NotFound,
    RecenseError,
    ServerBusy,
    ServerFault,
    ServerUnreachable,
    StoreConflict,
)
from recense.limits import CLIENT_ATTEMPTS_MAX, CLIENT_PAUSE_SECONDS_MAX
from recense.operations.operation import Operation
from recense.operations.problems import Problem


class Asked(Value, kw_only=True):
    word: str


class Said(Value, kw_only=True):
    word: str
    also: str = ""


READ = Operation(
    name="read", summary="Read.", request=Asked, answer=Said, surface="admin", scope="recall"
)
ONCE = msgspec.structs.replace(READ, name="once", changes=True, repeatable=False)


def said(word: str, **more: str) -> ServerReply:
    return ServerReply(
        status=200, body=msgspec.json.encode({"word": word, **more}), retry_after=None
    )


def problem(error: RecenseError, status: int, *, retry_after: str | None = None) -> ServerReply:
    told = Problem(
        type="about:blank",
        title="",
        status=status,
        code=error.code,
        detail=error.message,
        hint=error.hint,
        retryable=error.retryable,
    )
    return ServerReply(status=status, body=msgspec.json.encode(told), retry_after=retry_after)


def run(
    operation: Operation[Asked, Said], outcomes: Iterable[Outcome], *, key: str | None = None
) -> tuple[Said | RecenseError, list[Step]]:
    """Return what a call gives when its requests have these outcomes, and its steps."""
    left: Iterator[Outcome] = iter(outcomes)
    steps: list[Step] = []
    calling = exchange(operation, Asked(word="mira"), idempotency_key=key)
    outcome: Outcome = None
    while True:
        try:
            step = calling.send(outcome)
        except StopIteration as ended:
            return ended.value, steps
        except RecenseError as error:
            return error, steps
        steps.append(step)
        outcome = None if isinstance(step, Pause) else next(left)


def sent(steps: Iterable[Step]) -> int:
    return sum(isinstance(step, Sending) for step in steps)


def test_a_call_is_a_request_to_the_path_of_its_operation_and_gives_its_answer() -> None:
    answer, steps = run(READ, [said("Oslo")])
    assert answer == Said(word="Oslo")
    assert steps == [Sending(path="/v1/read", body=b'{"word":"mira"}', idempotency_key=None)]


def test_fields_that_a_newer_server_adds_are_passed_over() -> None:
    answer, _ = run(READ, [said("Oslo", also="here", newer="field")])
    assert answer == Said(word="Oslo", also="here")


@pytest.mark.parametrize("error", [InvalidRequest("a", hint="b"), NotFound("c")])
def test_what_a_server_tells_is_raised_as_the_error_it_is(error: RecenseError) -> None:
    raised, steps = run(READ, [problem(error, 400)])
    assert type(raised) is type(error)
    assert isinstance(raised, RecenseError)
    assert (raised.message, raised.hint) == (error.message, error.hint)
    assert sent(steps) == 1


def test_an_error_that_this_version_does_not_know_says_its_code() -> None:
    told = Problem(type="", title="", status=418, code="tea", detail="no coffee")
    raised, _ = run(
        READ, [ServerReply(status=418, body=msgspec.json.encode(told), retry_after=None)]
    )
    assert isinstance(raised, ServerFault)
    assert "tea" in raised.message
    assert "no coffee" in raised.message


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"\xff", b'{"word":1}', b"[" * 5000])
@pytest.mark.parametrize("status", [200, 302, 502])
def test_what_no_server_of_ours_sends_is_a_fault_and_no_answer(status: int, body: bytes) -> None:
    raised, steps = run(READ, [ServerReply(status=status, body=body, retry_after=None)])
    assert isinstance(raised, ServerFault)
    assert sent(steps) == 1


def test_what_may_be_repeated_is_sent_again_after_longer_and_longer_pauses() -> None:
    answer, steps = run(READ, [Unanswered(why="broken"), Unanswered(why="gone"), said("Oslo")])
    assert answer == Said(word="Oslo")
    pauses = [step.seconds for step in steps if isinstance(step, Pause)]
    assert len(pauses) == 2
    assert pauses[0] < pauses[1]


def test_what_never_comes_back_is_given_up() -> None:
    raised, steps = run(READ, [Unanswered(why="refused")] * CLIENT_ATTEMPTS_MAX)
    assert isinstance(raised, ServerUnreachable)
    assert "refused" in raised.message
    assert sent(steps) == CLIENT_ATTEMPTS_MAX


def test_what_may_not_be_repeated_is_sent_once_and_says_that_it_may_have_been_done() -> None:
    raised, steps = run(ONCE, [Unanswered(why="broken")])
    assert isinstance(raised, ServerUnreachable)
    assert "may have been done" in raised.message
    assert sent(steps) == 1


def test_a_conflict_of_what_may_not_be_repeated_is_told_and_not_sent_again() -> None:
    raised, steps = run(ONCE, [problem(StoreConflict("moved"), 409)])
    assert isinstance(raised, StoreConflict)
    assert sent(steps) == 1


def test_with_an_idempotency_key_it_may_be_repeated_under_that_key() -> None:
    answer, steps = run(ONCE, [Unanswered(why="broken"), said("Oslo")], key="k1")
    assert answer == Said(word="Oslo")
    keys = [step.idempotency_key for step in steps if isinstance(step, Sending)]
    assert keys == ["k1", "k1"]


def test_what_was_refused_before_anything_was_done_is_sent_again() -> None:
    busy = problem(ServerBusy("full"), 503, retry_after="2")
    answer, steps = run(ONCE, [busy, said("Oslo")])
    assert answer == Said(word="Oslo")
    assert Pause(seconds=2.0) in steps


def test_a_server_that_asks_to_be_left_alone_for_long_is_not_waited_for() -> None:
    long = str(int(CLIENT_PAUSE_SECONDS_MAX) + 1)
    raised, steps = run(READ, [problem(ServerBusy("full"), 503, retry_after=long)])
    assert isinstance(raised, ServerBusy)
    assert sent(steps) == 1


@pytest.mark.parametrize("key", ["", "é", "a b", "a\nb", "\ud800", "a" * 256])
def test_a_key_that_no_header_carries_is_refused_before_anything_is_sent(key: str) -> None:
    with pytest.raises(InvalidRequest):
        next(exchange(ONCE, Asked(word="mira"), idempotency_key=key))


def test_a_text_that_is_no_unicode_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(InvalidRequest):
        next(exchange(READ, Asked(word="\ud800"), idempotency_key=None))
