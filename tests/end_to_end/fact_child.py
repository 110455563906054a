"""A process that remembers facts in a file, and may die at a commit.

usage: python -m tests.end_to_end.fact_child die FOLDER OPERATION MOMENT
       python -m tests.end_to_end.fact_child move FOLDER FIRST
       python -m tests.end_to_end.fact_child write FOLDER WRITER COUNT

``die`` does one operation and kills itself, hard, before or after its commit. ``move`` states where
Mira lives, a new town each time, and prints the number of each statement when it is acknowledged,
until somebody kills it. ``write`` states COUNT things, by five kinds of contention.
"""

import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from recense.adapters.sqlite.file import open_sqlite_file
from recense.adapters.sqlite.records import SqliteRecords
from recense.adapters.system import SystemClock
from recense.operations.facts import ForgetFact, RememberFact
from recense.ports.records import Append, Appended
from recense.services.fact_memory import FactMemory
from recense.testing import FakeUptime, SeededChance
from tests.services.fact_world import services

MOVE = RememberFact(subject="mira", predicate="lives_in", value="Oslo", idempotency_key="the move")
FORGET = ForgetFact(
    subject="mira", predicate="lives_in", value="Bergen", idempotency_key="the move"
)
DEFINE = RememberFact(subject="mira", predicate="shoe_size", value=42, idempotency_key="the move")


def records_in(folder: Path) -> SqliteRecords:
    """Return the records in a file in a folder, made when it is not there."""
    file = open_sqlite_file(
        folder / "recense.db", synchronous="normal", chance=SeededChance(1), create=True
    )
    return SqliteRecords(file, FakeUptime())


@contextmanager
def facts_in(folder: Path) -> Generator[FactMemory]:
    """Open the facts in a file in a folder, by the clock of the system, for a block."""
    records = records_in(folder)
    try:
        yield services(records, SystemClock())
    finally:
        records.close()


class _DyingRecords(SqliteRecords):
    """Records that end their process before or after the first commit."""

    moment = "before"

    def append(self, append: Append, *, now: int) -> Appended:
        """Die, or add records and die."""
        if self.moment == "after":
            super().append(append, now=now)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("the process outlived its end")


def _die(folder: Path, operation: str, moment: str) -> None:
    file = open_sqlite_file(
        folder / "recense.db", synchronous="normal", chance=SeededChance(1), create=False
    )
    records = _DyingRecords(file, FakeUptime())
    records.moment = moment
    memory = services(records, SystemClock())
    if operation == "forget":
        memory.forget_fact(FORGET)
    else:
        memory.remember_fact(MOVE if operation == "move" else DEFINE)


def town(number: int) -> RememberFact:
    """Return the statement of a number: a town of its own, under a key of its own."""
    return RememberFact(
        subject="mira",
        predicate="lives_in",
        value=f"town {number}",
        idempotency_key=f"move {number}",
    )


def _move(folder: Path, first: int) -> None:
    with facts_in(folder) as memory:
        for number in count(first):
            memory.remember_fact(town(number))
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


def written(writer: int, statements: int) -> list[RememberFact]:
    """Return what a process states: things of its own, a value that all state anew, one that all
    state alike, the same request as all others, and predicates that nobody defined.
    """
    kinds = (
        RememberFact(subject=f"writer {writer}", predicate="note", value="line"),
        RememberFact(subject="all", predicate="lives_in", value=f"town {writer}"),
        RememberFact(subject="all", predicate="likes", value="thing"),
        RememberFact(subject="all", predicate="plans", value="plan", idempotency_key="plan"),
        RememberFact(subject="all", predicate="kind_", value=f"seen by {writer}"),
    )
    return [
        _numbered(kinds[number % len(kinds)], number // len(kinds)) for number in range(statements)
    ]


def _numbered(statement: RememberFact, number: int) -> RememberFact:
    """Return a statement of a kind by its number; new predicates are five, to be defined by all."""
    if statement.predicate == "kind_":
        name = f"kind_{'abcde'[number % 5]}"
        return replace(statement, predicate=name, value=f"{statement.value} {number}")
    key = None if statement.idempotency_key is None else f"plan {number}"
    return replace(statement, value=f"{statement.value} {number}", idempotency_key=key)


def main() -> None:
    """Do what the first argument says."""
    what, folder, *rest = sys.argv[1:]
    if what == "die":
        _die(Path(folder), *rest)
    elif what == "move":
        _move(Path(folder), int(rest[0]))
    else:
        with facts_in(Path(folder)) as memory:
            for statement in written(int(rest[0]), int(rest[1])):
                memory.remember_fact(statement)


if __name__ == "__main__":
    main()
