"""A question is answered from one moment, whatever others write meanwhile."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

from recense.adapters.sqlite.store import open_sqlite
from recense.operations.recall import RecallRequest
from recense.operations.sessions import OpenSession
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.memory import Memory
from recense.testing import SeededChance
from tests.end_to_end.narrowing import (
    STORE,
    copied,
    outcome,
    said,
)
from tests.end_to_end.worlds import memory_over, on_sqlite, sqlite_store
from tests.importers.builders import claude_user, lines


class Interrupted:
    """Anything that reads, which lets something happen once, before its ``nth`` step: a call of a
    method, or the next item of what one yields.
    """

    def __init__(self, target: object, act: Callable[[], object], nth: int) -> None:
        self._target = target
        self._left = [nth, act]

    @property
    def steps_left(self) -> int:
        return cast("int", self._left[0])

    def __getattr__(self, name: str) -> object:
        member = getattr(self._target, name)
        return self._wrapped(member) if callable(member) else member

    def _wrapped(self, member: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            self._step()
            given = member(*arguments, **named)
            if isinstance(given, Iterator):
                return self._stepping(cast("Iterator[object]", given))
            return self._sharing(given) if hasattr(given, "offered") else given

        return call

    def _sharing(self, target: object) -> "Interrupted":
        inner = Interrupted(target, lambda: None, 0)
        inner._left = self._left
        return inner

    def _stepping(self, items: Iterator[object]) -> Iterator[object]:
        for item in items:
            self._step()
            yield item

    def _step(self) -> None:
        self._left[0] = cast("int", self._left[0]) - 1
        if self._left[0] == 0:
            cast("Callable[[], object]", self._left[1])()


class InterruptedStore:
    """A store whose snapshots are interrupted."""

    def __init__(self, store: TranscriptStore, act: Callable[[], object], nth: int) -> None:
        self._store = store
        self._act = act
        self._nth = nth
        self.steps = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    @contextmanager
    def snapshot(self) -> Generator[TranscriptReader]:
        with self._store.snapshot() as reader:
            interrupted = Interrupted(reader, self._act, self._nth)
            yield cast("TranscriptReader", interrupted)
            self.steps = self._nth - interrupted.steps_left


def _meanwhile(folder: Path, act: Callable[[Memory], object]) -> None:
    store = open_sqlite(
        folder / STORE,
        synchronous="normal",
        chance=SeededChance(1),
        create=False,
        busy_wait_ms=5,  # who asks does not go on before this is done
    )
    with memory_over(store, folder) as other:
        act(other)


CHANGES: dict[str, Callable[[Memory], object]] = {
    "converting": lambda memory: memory.convert(),
    "indexing": lambda memory: memory.index(anew=True),
    "forgetting": lambda memory: memory.forget_session("api:kept"),
    "appending": lambda memory: memory.session_append("api:kept", [said("late", "fern late")]),
    "hiding": lambda memory: memory.hide_session("api:kept"),
}


def _growing(folder: Path) -> None:
    """Make a store of a session that is indexed and one that waits for conversion."""
    source = folder / "session.jsonl"
    with on_sqlite(folder) as memory:
        memory.session_open(OpenSession(session="kept"))
        memory.session_append("api:kept", [said("a", "fern one"), said("b", "fern two")])
        memory.index()
        source.write_bytes(lines([claude_user(1, "fern three"), claude_user(2, "fern four")]))
        memory.import_sessions(None, [str(source)], archive_only=True)


@pytest.mark.parametrize("change", CHANGES)
def test_what_others_write_while_a_question_is_asked_is_seen_whole_or_not_at_all(
    tmp_path: Path, change: str
) -> None:
    _growing(tmp_path)
    request = RecallRequest(terms=("fern",), limit=25)
    with on_sqlite(tmp_path) as memory:
        before = memory.recall(request)
    assert len(before.passages) == 4
    nth, steps = 1, 1
    while nth <= steps:
        folder = copied(tmp_path, tmp_path / f"{nth}")
        act = lambda f=folder: _meanwhile(f, CHANGES[change])  # noqa: E731
        store = InterruptedStore(sqlite_store(folder), act, nth)
        with memory_over(cast("TranscriptStore", store), folder) as memory:
            during, steps = memory.recall(request), store.steps
            after = memory.recall_by_scan(request)
        told = [outcome(lambda a=each: a) for each in (during, before, after)]
        assert told[0] in told[1:], nth
        if change == "converting":
            assert sorted(each.position for each in during.passages) == [0, 0, 1, 1]
        nth += 2
    assert steps > 8
