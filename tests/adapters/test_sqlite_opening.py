"""Which files are opened, which are made, and which are left alone."""

import errno
import os
import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import apsw
import pytest

from recense.adapters.sqlite import connections as connections_module
from recense.adapters.sqlite import file as file_module
from recense.adapters.sqlite import schema
from recense.adapters.sqlite.connections import Synchronous, connect, connect_frozen
from recense.adapters.sqlite.driver import Connection, read_number
from recense.adapters.sqlite.rows import read_session
from recense.adapters.sqlite.store import open_sqlite
from recense.conformance.material import archive, blob_of, contents, record
from recense.errors import (
    StoreBusy,
    StoreCorrupt,
    StoreFault,
    StoreForeign,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
    StoreUnavailable,
)
from recense.testing import SeededChance
from tests.adapters.programs import NOBODY
from tests.adapters.stores import WAIT_SECONDS_MAX, open_store, opened, program


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def writing_connection(path: Path) -> Connection:
    return connect(path, busy_wait_ms=0)


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_without_create_nothing_is_made(tmp_path: Path) -> None:
    for path in (tmp_path / "store.sqlite", tmp_path / "new" / "store.sqlite"):
        with pytest.raises(StoreUnavailable) as caught:
            open_store(path, create=False)
        assert str(path) in caught.value.message
    assert list(tmp_path.iterdir()) == []


def test_without_create_an_empty_file_is_no_store_and_stays_empty(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    path.touch()
    with pytest.raises(StoreUnavailable):
        open_store(path, create=False)
    assert bytes_below(tmp_path) == {str(path): b""}


def test_with_create_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    path.touch()
    with opened(path) as store:
        assert store.check() == ()
    open_store(path, create=False).close()


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_new_store_and_its_folders_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "one" / "two" / "store.sqlite"
    before = os.umask(0)
    try:
        with opened(path) as store:
            archive(store, [record("alpha", 0)])
            modes = {each.name: mode_of(each) for each in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == {f"store.sqlite{suffix}": 0o600 for suffix in ("", "-wal", "-shm")}
    assert [mode_of(folder) for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_the_permissions_of_what_is_there_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    path.touch()
    path.chmod(0o640)
    tmp_path.chmod(0o755)
    open_store(path).close()
    assert (mode_of(path), mode_of(tmp_path)) == (0o640, 0o755)


@pytest.mark.parametrize(
    "name", ["Übung 数据 😀", "a b", "a?b#c%20", ":memory:", "file:x", "'\"--"]
)
def test_a_path_of_any_characters_is_that_path(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with opened(Path(name)) as store:
        archive(store, [record("alpha", 0)])
        before = contents(store)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    with opened(tmp_path / name) as store:
        assert contents(store) == before


def test_a_relative_path_stays_the_same_file_when_the_folder_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with opened(Path("store.sqlite")) as store:
        monkeypatch.chdir("/")
        archive(store, [record("alpha", 0)])
        with store.snapshot() as reader:
            assert reader.session("alpha") is not None


def test_a_database_of_another_program_is_foreign_and_not_touched(tmp_path: Path) -> None:
    for name, statement in [
        ("tables", "CREATE TABLE notes (text)"),
        ("id", "PRAGMA application_id = 77"),
        ("version", "PRAGMA user_version = 5"),
    ]:
        path = tmp_path / name / "notes.sqlite"
        path.parent.mkdir()
        other = sqlite3.connect(path)
        other.execute(statement)
        other.commit()
        other.close()
        before = bytes_below(path.parent)
        for create in (True, False):
            with pytest.raises(StoreForeign):
                open_store(path, create=create)
        assert bytes_below(path.parent) == before


@pytest.mark.parametrize(
    "content", [b'{"type":"user"}\n' * 100, bytes(range(256)) * 64, b"x"], ids=len
)
def test_a_file_that_is_no_database_is_foreign_and_not_touched(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(content)
    with pytest.raises(StoreForeign):
        open_store(path)
    assert bytes_below(tmp_path) == {str(path): content}


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        open_store(tmp_path)


def test_a_store_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable):
        open_store(tmp_path / "file" / "store.sqlite")


@pytest.mark.parametrize(
    ("code", "ours"),
    [("ENOSPC", StoreFull), ("EROFS", StoreReadOnly), ("EACCES", StoreUnavailable)],
)
def test_a_store_that_cannot_be_made_says_why(
    code: str, ours: type[StoreFault], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = getattr(errno, code)

    def refuses(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuses)
    with pytest.raises(ours) as caught:
        open_store(tmp_path / "store.sqlite")
    assert os.strerror(number) in caught.value.message


def test_a_store_of_a_later_release_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    open_store(path).close()
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 1000000")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreTooNew):
        open_store(path)
    assert path.read_bytes() == before


def test_a_store_that_has_lost_its_key_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    open_store(path).close()
    other = sqlite3.connect(path)
    other.execute("DELETE FROM meta")
    other.commit()
    other.close()
    with pytest.raises(StoreCorrupt):
        open_store(path)


def test_a_file_is_recognised_by_its_header(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    open_store(path).close()
    assert path.read_bytes()[68:72] == b"Recn"


def test_making_a_store_waits_for_another_that_writes(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    path.touch()
    other = connect(path, busy_wait_ms=0)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        open_store(path, busy_wait_ms=50)
    made: list[bytes] = []
    maker = threading.Thread(target=lambda: made.append(open_store(path).key()))
    maker.start()
    other.execute("ROLLBACK")
    maker.join(WAIT_SECONDS_MAX)
    assert len(made) == 1


def test_applying_the_schema_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    open_store(path).close()
    before = path.read_bytes()
    connection = connect(path, busy_wait_ms=0)
    schema.migrate(connection, b"another key")
    connection.close()
    assert path.read_bytes() == before


def test_a_migration_is_applied_whole_with_its_number_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    open_store(path).close()
    connection = connect(path, busy_wait_ms=0)
    good = "CREATE TABLE later (one INTEGER) STRICT; INSERT INTO later VALUES (1);"
    broken = "CREATE TABLE later (one INTEGER) STRICT; INSERT INTO nowhere VALUES (2);"
    with pytest.raises(apsw.SQLError):
        schema.migrate(connection, b"", (*schema.MIGRATIONS, broken))
    assert schema.schema_number(connection) == len(schema.MIGRATIONS)
    assert not connection.in_transaction
    for _ in range(2):
        schema.migrate(connection, b"", (*schema.MIGRATIONS, good, "DELETE FROM later;"))
        assert schema.schema_number(connection) == len(schema.MIGRATIONS) + 2
    assert connection.execute("SELECT count(*) FROM later").fetchall() == [(0,)]
    connection.close()
    with pytest.raises(StoreTooNew):
        open_store(path)


def test_a_store_of_the_first_schema_keeps_all_it_has_and_its_blobs_for_good(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.sqlite"
    path.touch()
    connection = connect(path, busy_wait_ms=0)
    schema.migrate(connection, bytes(32), schema.MIGRATIONS[:1])
    old = blob_of(b"old picture")
    connection.execute(
        """
        INSERT INTO sessions VALUES (1, 'alpha', 'sample', 'alpha', NULL, 'Garden', 3,
            'interactive', NULL, NULL, 5, 6, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        INSERT INTO session_states VALUES (1, x'', x'');
        INSERT INTO events VALUES (1, 0, 'e0', NULL, 6, 7, NULL, x'7b7d');
        """
    )
    connection.execute("INSERT INTO blobs VALUES (?, 0, ?)", (old.sha256, old.data))
    connection.close()
    with opened(path) as store:
        assert store.check() == ()
        with store.snapshot() as reader:
            (session,) = reader.sessions()
            (found,) = reader.events("alpha")
        assert (session.title, session.open_streams, session.shelved) == ("Garden", 0, False)
        assert (found.event_id, found.at, found.payload) == ("e0", 6, b"{}")
        archive(store, [record("alpha", 0, blobs=[old])], births=[], blobs=[old])
        forgotten = store.forget(["alpha"])
        assert (forgotten.events, forgotten.blobs) == (1, 0)
        with store.snapshot() as reader:
            assert reader.blob(old.sha256) == old.data
        assert store.check() == ()


@pytest.mark.parametrize("damage", ["", "DROP TABLE images;", "DROP TABLE grams_config;"])
def test_a_store_of_the_third_schema_is_indexed_again(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "store.sqlite"
    path.touch()
    connection = connect(path, busy_wait_ms=0)
    schema.migrate(connection, bytes(32), schema.MIGRATIONS[:3])
    connection.execute(
        """
        INSERT INTO sessions (session_key, session_id, source, source_session_id, title_rank,
            origin, events, records, converted_through, importer_version, messages, length,
            branch_messages, unreadable_events, bytes_beyond_limit, spilled_bodies, owned_messages,
            owned_length, closed, private, indexed_events, index_version)
            VALUES (1, 'alpha', 'sample', 'alpha', 0, 'interactive', 1, 0, 0, 1, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 1, 7);
        INSERT INTO session_states VALUES (1, x'', x'');
        INSERT INTO events (session_key, ordinal, event_id, recorded_at, payload)
            VALUES (1, 0, 'e0', 7, x'7b7d');
        INSERT INTO index_states VALUES (1, x'');
        INSERT INTO grams (rowid, image) VALUES (1, 'fern');
        """
    )
    connection.execute(damage)
    connection.close()
    with opened(path) as store:
        assert store.check() == ()
        assert store.check_index() == ()
        assert not store.mend_index()
        with store.snapshot() as reader:
            index = reader.message_index()
            assert index is not None
            assert index.waiting() == ["alpha"]
            assert list(index.offered([b"fern"])) == []


@pytest.mark.parametrize("name", ["a" * 300, "a\0b", "a\udcff"])
def test_a_name_that_no_file_can_have_is_no_store(name: str, tmp_path: Path) -> None:
    for create in (True, False):
        with pytest.raises(StoreUnavailable) as caught:
            open_store(tmp_path / name, create=create)
        assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_cannot_be_used_is_named_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite"
    with opened(path) as store:
        archive(store, [record("alpha", 0)])

    def cannot(*_: object) -> None:
        raise apsw.CantOpenError("unable to open database file")

    monkeypatch.setattr(file_module, "prepare_writer", cannot)
    monkeypatch.setattr(connections_module, "prepare_reader", cannot)
    (tmp_path / "store.sqlite-wal").write_bytes(bytes(4_152))
    with pytest.raises(StoreReadOnly) as caught:
        open_store(path)
    assert "log of 4152 bytes" in caught.value.message
    assert "-wal" in caught.value.hint


@pytest.mark.parametrize(
    ("error", "ours"),
    [(apsw.FullError, StoreFull), (apsw.ReadOnlyError, StoreReadOnly)],
)
def test_a_store_beside_which_nothing_can_be_made_is_read_as_it_lies_there(
    error: type[apsw.Error], ours: type[StoreFault], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite"
    with opened(path) as store:
        archive(store, [record("alpha", 0)])
        before = contents(store)

    def cannot(*_: object) -> None:
        raise error("no")

    monkeypatch.setattr(file_module, "prepare_writer", cannot)
    with opened(path) as store:
        assert contents(store) == before
        assert store.check() == ()
        with pytest.raises(ours):
            archive(store, [record("alpha", 1)])
        with pytest.raises(ours):
            store.forget(["alpha"])
        assert contents(store) == before


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_files_beside_a_store_that_was_once_write_protected_are_made_writable(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.sqlite"
    open_store(path).close()
    with TemporaryDirectory() as folder:  # tmp_path is closed to others
        theirs = Path(folder) / "store.sqlite"
        shutil.copy(path, theirs)
        for suffix in ("-wal", "-shm"):
            (Path(folder) / f"store.sqlite{suffix}").touch()
        for each in (Path(folder), *Path(folder).iterdir()):
            if os.geteuid() == 0:
                os.chown(each, NOBODY, NOBODY)
            each.chmod(0o700 if each.is_dir() else 0o600)
        for suffix in ("-wal", "-shm"):
            (Path(folder) / f"store.sqlite{suffix}").chmod(0o444)
        with program("write_without_permission", str(theirs)) as process:
            said, complaints = process.communicate(timeout=WAIT_SECONDS_MAX)
    assert (said, complaints) == ("written\n", "")


@pytest.mark.parametrize("connect_to", [writing_connection, connect_frozen])
def test_a_statement_is_planned_once_whatever_is_bound(
    connect_to: Callable[[Path], Connection], tmp_path: Path
) -> None:
    path = tmp_path / "store.sqlite"
    with opened(path) as store:
        archive(store, [record("alpha", 0)])
    connection = connect_to(path)
    planned: list[int] = []  # the engine asks for leave of each step while it plans

    def allow(step: int, *_: object) -> int:
        planned.append(step)
        return apsw.SQLITE_OK

    cast("apsw.Connection", connection).authorizer = allow
    assert read_session(connection, "nobody") is None
    assert planned
    planned.clear()
    found = read_session(connection, "s:alpha") or read_session(connection, "alpha")
    connection.close()
    assert found is not None
    assert not planned


def test_the_store_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with opened(path) as store:
        description = store.description()
    assert description["kind"] == "sqlite"
    assert description["place"] == str(path)
    assert description["schema"] == str(len(schema.MIGRATIONS))
    assert apsw.sqlite_lib_version() in description["engine"]
    assert "NORMAL" in description["durability"]


@pytest.mark.parametrize(("synchronous", "number"), [("normal", 1), ("full", 2)])
def test_the_setting_decides_what_a_commit_waits_for(
    synchronous: Synchronous, number: int, tmp_path: Path
) -> None:
    store = open_sqlite(
        tmp_path / "store.sqlite", synchronous=synchronous, chance=SeededChance(), create=True
    )
    writer = store._file.writer  # pyright: ignore[reportPrivateUsage]
    assert read_number(writer, "PRAGMA synchronous") == number
    assert synchronous.upper() in store.description()["durability"]
    store.close()


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_store_that_was_removed_or_replaced_while_open_is_neither_read_nor_written(
    tmp_path: Path, *, is_replaced: bool
) -> None:
    """What the engine would go on to write has no name, and is lost with the process."""
    path = tmp_path / "store.sqlite"
    file = file_module.open_sqlite_file(
        path, synchronous="normal", chance=SeededChance(1), create=True
    )
    with file.reading():
        pass  # a connection that is kept, and knows the file
    for beside in tmp_path.iterdir():
        beside.unlink()
    if is_replaced:
        open_store(path).close()
    others = bytes_below(tmp_path)
    for enter in (file.transaction, file.reading):
        with pytest.raises(StoreUnavailable, match=r"store\.sqlite"), enter():
            pass
    file.close()
    assert bytes_below(tmp_path) == others


def test_a_snapshot_that_is_open_outlives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with opened(path) as store:
        archive(store, [record("s", 0)])
        with store.snapshot() as reader:
            before = list(reader.files())
            for beside in tmp_path.iterdir():
                beside.unlink()
            assert list(reader.files()) == before != []
