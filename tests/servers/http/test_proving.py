"""For how long a call that lasts goes on where its key cannot be proved."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from recense.errors import KeyRefused, RecenseError, StoreBusy
from recense.limits import KEY_CACHE_MS_MAX, STREAM_KEY_SECONDS_MAX, STREAM_PROOF_SECONDS
from recense.servers.http.parts import CallState, ServerParts
from recense.servers.http.proving import LastingProof


class Proving:
    """A call whose key is asked about, at a time that is set by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.fails_with: RecenseError | None = None
        self.asked_anew: list[bool] = []
        self.proof = LastingProof(
            cast("ServerParts", SimpleNamespace(monotonic=lambda: self.seconds, workers=self)),
            cast("CallState", SimpleNamespace(proved_again=self.proved_again)),
        )

    async def run(self, work: Callable[[], object]) -> object:
        return work()

    def proved_again(self, *, anew: bool) -> None:
        self.asked_anew.append(anew)
        if self.fails_with is not None:
            raise self.fails_with

    def require_at(self, seconds: float) -> None:
        self.seconds = seconds
        asyncio.run(self.proof.require())


def test_the_store_is_asked_once_in_a_while_and_what_is_known_in_between() -> None:
    proving = Proving()
    for turns in (0.5, 1.0, 1.5, 2.0):
        proving.require_at(turns * STREAM_PROOF_SECONDS)
    assert proving.asked_anew == [False, True, False, True]


def test_a_store_that_cannot_be_asked_ends_a_stream_once_its_key_was_not_proved_for_long() -> None:
    proving = Proving()
    proving.fails_with = StoreBusy("another writes")
    proving.require_at(STREAM_KEY_SECONDS_MAX - 0.1)
    with pytest.raises(StoreBusy):
        proving.require_at(STREAM_KEY_SECONDS_MAX)


def test_a_key_that_is_refused_ends_a_stream_at_once() -> None:
    proving = Proving()
    proving.fails_with = KeyRefused("revoked")
    with pytest.raises(KeyRefused):
        proving.require_at(0.0)


def test_one_look_at_the_store_may_be_late_and_a_stream_lasts_no_longer_than_a_call() -> None:
    assert STREAM_PROOF_SECONDS * 2 < STREAM_KEY_SECONDS_MAX
    assert STREAM_KEY_SECONDS_MAX * 1000 <= KEY_CACHE_MS_MAX
