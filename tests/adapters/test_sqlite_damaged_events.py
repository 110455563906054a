"""A damaged event is found, and read as one that nobody can decode: never as another text."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.adapters.sqlite.connections import connect
from recense.adapters.sqlite.driver import SqlValue
from recense.conformance.material import append, archive, birth, event, next_page
from recense.core.transcript.events import Event
from tests.adapters.stores import opened

WORDS = b'{"kind":"text","role":"user","text":"deploy the garden"}'
COLUMNS = ("event_id", "invocation_id", "at", "recorded_at", "identity", "payload", "checksum")
BEYOND = 2**62
"""An instant of no year between 1 and 9999."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite"
    with opened(path) as store:
        archive(store, [], births=[birth("alpha")])
        events = tuple(
            replace(event(f"e{n}", WORDS), invocation_id="run 1" if n else None) for n in range(3)
        )
        append(store, replace(next_page(store, "alpha"), events=events))
        assert store.check() == ()
    return path


def harm(path: Path, statement: str, *bindings: SqlValue) -> None:
    connection = connect(path, busy_wait_ms=0)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute(statement, bindings)
    connection.close()


def read(path: Path) -> tuple[list[Event], list[str]]:
    """Return the events of the session and the faults that are found."""
    with opened(path) as store, store.snapshot() as reader:
        return list(reader.events("alpha")), list(store.check())


@pytest.mark.parametrize("bit", range(0, 8 * len(WORDS), 5))
def test_a_flipped_bit_of_a_payload_is_found_and_never_read(path: Path, bit: int) -> None:
    flipped = bytearray(WORDS)
    flipped[bit // 8] ^= 1 << bit % 8
    before, _ = read(path)
    harm(path, "UPDATE events SET payload = ? WHERE ordinal = 1", bytes(flipped))
    found, faults = read(path)
    assert (found[0], found[2]) == (before[0], before[2])
    assert (found[1].event_id, found[1].payload, found[1].at) == ("e1", b"", None)
    assert faults == ["event 1 of session key 1 is damaged: it is not what was kept"]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("event_id", "e7"),
        ("event_id", "CAST(x'ff' AS TEXT)"),
        ("invocation_id", "run 2"),
        ("invocation_id", None),
        ("at", 3_001),
        ("at", BEYOND),
        ("at", None),
        ("recorded_at", 4_001),
        ("identity", b"other"),
        ("identity", None),
        ("checksum", 7),
    ],
)
def test_any_other_column_is_found_as_well(path: Path, column: str, value: SqlValue) -> None:
    if isinstance(value, str) and value.startswith("CAST"):
        harm(path, f"UPDATE events SET {column} = {value} WHERE ordinal = 1")  # noqa: S608
    else:
        harm(path, f"UPDATE events SET {column} = ? WHERE ordinal = 1", value)  # noqa: S608
    found, faults = read(path)
    assert (found[1].payload, found[1].at, found[1].identity) == (b"", None, None)
    assert len(faults) == 1
    assert "event 1" in faults[0]


def test_an_event_at_another_ordinal_is_found(path: Path) -> None:
    harm(path, "UPDATE events SET ordinal = -1 WHERE ordinal = 1")
    harm(path, "UPDATE events SET ordinal = 1 WHERE ordinal = 2")
    harm(path, "UPDATE events SET ordinal = 2 WHERE ordinal = -1")
    found, faults = read(path)
    assert [each.payload for each in found] == [WORDS, b"", b""]
    assert len(faults) == 2


def test_an_event_without_a_checksum_is_read_as_it_is_but_for_an_impossible_instant(
    path: Path,
) -> None:
    before, _ = read(path)
    harm(path, "UPDATE events SET checksum = NULL")
    assert read(path) == (before, [])
    harm(path, "UPDATE events SET at = ? WHERE ordinal = 1", BEYOND)
    found, faults = read(path)
    assert (found[1].payload, found[1].at) == (b"", None)
    assert len(faults) == 1


@pytest.mark.parametrize("column", ["created_at", "last_event_at"])
def test_a_session_with_an_impossible_instant_is_read_without_it_and_named(
    path: Path, column: str
) -> None:
    harm(path, f"UPDATE sessions SET {column} = ?", BEYOND)  # noqa: S608
    with opened(path) as store, store.snapshot() as reader:
        (found,) = reader.sessions()
        assert getattr(found, column) is None
        assert store.check() == ("session alpha has an instant that no calendar has",)
