"""Programs that tests run beside themselves: `python -m tests.adapters.programs NAME PATH …`."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from msgspec.structs import replace

from recense.adapters.sqlite.store import SqliteStore
from recense.conformance.material import (
    append,
    archive,
    birth,
    event,
    next_page,
    record,
    records_of,
    session_of,
)
from recense.errors import StoreConflict, StoreReadOnly
from recense.testing import Boundary, Fault, FaultyStore
from recense.testing.boundaries import Moment, WriteMethod
from tests.adapters.stores import open_store
from tests.adapters.work import work

NOBODY: Final = 65_534
"""The user that owns nothing."""


def be_killed_at(path: Path, method: str, call: str, moment: str) -> None:
    """Do the work and be killed at a boundary."""
    boundary = Boundary(
        method=cast("WriteMethod", method), call=int(call), moment=cast("Moment", moment)
    )
    work(FaultyStore(open_store(path), [Fault(at=boundary, act=_die)]))


def be_killed_inside(path: Path, commit: str) -> None:
    """Do the work and be killed inside a commit, after parts of it went to the log."""
    store = open_store(path)
    driver = cast("Any", store._file.writer)  # pyright: ignore[reportPrivateUsage]
    driver.execute("PRAGMA cache_size = 1")  # so that changed pages leave before the commit
    commits = 0

    def count() -> bool:
        nonlocal commits
        commits += 1
        if commits == int(commit):
            _die()
        return False

    driver.set_commit_hook(count)
    work(store)


def hold_the_lock(path: Path) -> None:
    """Begin a write, say so, and hold it until told to go."""
    store = open_store(path)
    with store._file.transaction():  # pyright: ignore[reportPrivateUsage]
        _say("held")
        sys.stdin.readline()


def read_until_told(path: Path) -> None:
    """Begin to read, say so, and say what is there when told to stop."""
    store = open_store(path)
    with store.snapshot() as reader:
        _say("reading")
        sys.stdin.readline()
        _say("read " + " ".join(each.session_id for each in reader.sessions()))
    store.close()


def read_without_permission(path: Path) -> None:
    """Become somebody who may not write, where this is root, and use the store."""
    if os.geteuid() == 0:
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
    try:
        store = open_store(path, create=False)
    except StoreReadOnly:
        _say("cannot open")
        return
    _say("can read" if len(records_of(store, "alpha")) == 1 else "reads nothing")
    try:
        archive(store, [record("alpha", 1)])
    except StoreReadOnly:
        _say("cannot write")
    _say("can read" if len(records_of(store, "alpha")) == 1 else "reads nothing")
    store.close()


def write_without_permission(path: Path) -> None:
    """Become somebody else, where this is root, and write."""
    if os.geteuid() == 0:
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
    store = open_store(path, create=False)
    archive(store, [record("alpha", 0)])
    _say("written")
    store.close()


def make_and_say_key(path: Path) -> None:
    """Make the store when told to, or find it, and say its key."""
    _say("ready")
    sys.stdin.readline()
    store = open_store(path, seed=os.getpid())
    _say(store.key().hex())
    store.close()


def write_pages(path: Path, name: str, pages: str) -> None:
    """Archive and append to a session of its own, from where it stands, and to one of all."""
    store = open_store(path)
    archive(store, [], births=[birth(name), birth("shared")], path=name)
    _say("ready")
    sys.stdin.readline()
    for n in range(session_of(store, name).records, int(pages)):
        archive(store, [record(name, n), record("shared", n, name=f"{name} {n}")], path=name)
        append(store, replace(next_page(store, name), events=(event(f"{name} {n}"),)))
        while not _appended_to_shared(store, f"{name} {n}"):
            pass
    store.close()


def _appended_to_shared(store: SqliteStore, event_id: str) -> bool:
    """Append an event to the shared session; False when somebody else was faster."""
    try:
        append(store, replace(next_page(store, "shared"), events=(event(event_id),)))
    except StoreConflict:
        return False
    return True


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


PROGRAMS: dict[str, Callable[..., None]] = {
    each.__name__: each
    for each in (
        be_killed_at,
        be_killed_inside,
        hold_the_lock,
        read_until_told,
        read_without_permission,
        write_without_permission,
        make_and_say_key,
        write_pages,
    )
}

if __name__ == "__main__":
    name, path, *rest = sys.argv[1:]
    PROGRAMS[name](Path(path), *rest)
