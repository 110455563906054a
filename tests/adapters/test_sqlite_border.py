"""Every error of the driver becomes one of ours, in one place."""

import ast
import inspect
from pathlib import Path

import apsw
import msgspec
import pytest

import recense.adapters.sqlite as package
from recense.adapters.sqlite.border import border, translated
from recense.errors import (
    NotFound,
    StoreBusy,
    StoreCorrupt,
    StoreFault,
    StoreForeign,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)

DRIVER_ERRORS = [
    value
    for _, value in inspect.getmembers(apsw, inspect.isclass)
    if issubclass(value, apsw.Error) and value is not apsw.Error
]

OURS: dict[type[apsw.Error], type[StoreFault]] = {
    apsw.BusyError: StoreBusy,
    apsw.LockedError: StoreBusy,
    apsw.ProtocolError: StoreBusy,
    apsw.FullError: StoreFull,
    apsw.CorruptError: StoreCorrupt,
    apsw.NotADBError: StoreForeign,
    apsw.ReadOnlyError: StoreReadOnly,
    apsw.CantOpenError: StoreUnavailable,
    apsw.PermissionsError: StoreUnavailable,
    apsw.AuthError: StoreUnavailable,
    apsw.IOError: StoreUnavailable,
    apsw.NoLFSError: StoreUnavailable,
    apsw.NoMemError: StoreUnavailable,
    apsw.InterruptError: StoreUnavailable,
}


@pytest.mark.parametrize("theirs", DRIVER_ERRORS, ids=lambda theirs: theirs.__name__)
def test_every_error_of_the_driver_becomes_the_fault_it_means(theirs: type[apsw.Error]) -> None:
    with pytest.raises(StoreFault) as caught, border("/home/ada/store"):
        raise theirs("what the driver says")
    assert type(caught.value) is OURS.get(theirs, StoreFault)
    assert "/home/ada/store" in caught.value.message
    assert "what the driver says" in caught.value.message
    assert caught.value.hint
    assert isinstance(caught.value.__cause__, theirs)


def test_the_driver_has_the_errors_that_the_table_names() -> None:
    assert set(OURS) <= set(DRIVER_ERRORS)
    assert len(DRIVER_ERRORS) > 30


@pytest.mark.parametrize(
    ("code", "ours"),
    [
        (apsw.SQLITE_IOERR_CORRUPTFS, StoreCorrupt),
        (apsw.SQLITE_IOERR_SHORT_READ, StoreCorrupt),
        (apsw.SQLITE_IOERR_DATA, StoreCorrupt),
        (apsw.SQLITE_IOERR_WRITE, StoreUnavailable),
    ],
)
def test_a_failure_of_reading_that_means_damage_is_damage(
    code: int, ours: type[StoreFault]
) -> None:
    error = apsw.IOError("disk I/O error")
    error.extendedresult = code  # pyright: ignore[reportAttributeAccessIssue]
    assert type(translated(error, "store")) is ours


def test_a_row_that_no_release_wrote_is_damage() -> None:
    with pytest.raises(StoreCorrupt), border("store"):
        msgspec.convert("five", int)
    with pytest.raises(StoreCorrupt), border("store"):
        b"\xff".decode()


def test_text_that_is_no_unicode_is_refused_without_its_words() -> None:
    with pytest.raises(StoreFault) as caught, border("store"):
        "secret \ud800".encode()
    assert "secret" not in caught.value.message


def test_other_errors_pass_the_border_unchanged() -> None:
    for error in (NotFound("no session"), KeyError("a bug")):
        with pytest.raises(type(error)) as caught, border("store"):
            raise error
        assert caught.value is error


def test_no_other_file_knows_the_errors_of_the_driver() -> None:
    knowing = {
        path.name
        for path in Path(package.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "apsw"
        and node.attr.endswith("Error")
    }
    assert knowing == {"border.py", "peeking.py"}
