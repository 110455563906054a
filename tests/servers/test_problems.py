"""Every error leaves as a problem, and says nothing that it should not."""

from collections.abc import Iterator

import msgspec
import pytest

from recense.errors import (
    IdentityRefused,
    KeyMissing,
    ModelUnavailable,
    RecenseError,
    ServerBusy,
    StoreBusy,
    StoreCorrupt,
)
from recense.servers.problems import (
    INTERNAL_ERROR,
    STATUS_BY_CODE,
    encoded,
    problem_headers,
    problem_of,
    retry_after_seconds,
)


def tree(error: type[RecenseError]) -> Iterator[type[RecenseError]]:
    yield error
    for child in error.__subclasses__():
        yield from tree(child)


def test_every_error_has_a_status_and_every_status_an_error() -> None:
    assert STATUS_BY_CODE.keys() == {each.code for each in tree(RecenseError)} | {INTERNAL_ERROR}


@pytest.mark.parametrize("error", list(tree(RecenseError)), ids=lambda each: each.__name__)
def test_a_problem_says_what_its_error_says(error: type[RecenseError]) -> None:
    problem = problem_of(error("what was wrong", hint="what to do"), trace="t")
    assert (problem.code, problem.status) == (error.code, STATUS_BY_CODE[error.code])
    assert (problem.detail, problem.hint) == ("what was wrong", "what to do")
    assert problem.retryable is error.retryable
    assert msgspec.json.decode(encoded(problem), type=type(problem)) == problem


def test_a_bug_is_told_by_its_type_alone() -> None:
    problem = problem_of(ValueError("the diary of mira"))
    assert (problem.status, problem.code) == (500, INTERNAL_ERROR)
    assert "mira" not in encoded(problem).decode()


def test_a_secret_in_a_message_does_not_leave() -> None:
    secret = "sk-ant-" + "api03-" + "x9Kq" * 20
    assert secret not in encoded(problem_of(StoreCorrupt(f"bad: {secret}"))).decode()


def test_what_may_be_tried_again_says_when() -> None:
    assert retry_after_seconds(StoreBusy("busy")) == 1
    assert retry_after_seconds(ServerBusy("busy", retry_after_seconds=7)) == 7
    assert retry_after_seconds(ModelUnavailable("busy", retry_after_seconds=9.4)) == 9
    assert retry_after_seconds(StoreCorrupt("damaged")) is None
    assert retry_after_seconds(ValueError("a bug")) is None


@pytest.mark.parametrize("error", [KeyMissing("no key"), IdentityRefused("no token")])
def test_who_has_not_proved_who_asks_is_told_by_what(error: RecenseError) -> None:
    assert problem_headers(error) == {"www-authenticate": 'Bearer realm="recense"'}


def test_the_headers_of_a_problem_say_when_to_ask_again_where_somebody_knows() -> None:
    assert problem_headers(ServerBusy("busy", retry_after_seconds=7)) == {"retry-after": "7"}
    assert problem_headers(ValueError("a bug")) == {}
