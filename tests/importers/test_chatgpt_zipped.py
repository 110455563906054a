import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.importers.chatgpt import zipped
from tests.end_to_end.worlds import on_sqlite
from tests.importers.builders import read
from tests.importers.trees import CHATGPT, NEWER, OLDER, conversation, export, node, root

SECOND = conversation([root(), node("x", "root", "user", "hello")], "x", session="c-2")


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive of these files, in this order."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


EXPORT = {"user.json": b"{}", "conversations.json": export(SECOND, NEWER), "chat.html": b"<html>"}


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_a_zipped_export_gives_the_records_of_the_bare_one(method: int) -> None:
    data = packed(EXPORT, method)
    assert CHATGPT.recognises(data)
    inside, bare = read(CHATGPT, data, "e.zip"), read(CHATGPT, EXPORT["conversations.json"])
    assert [record.content for record in inside.records] == [each.content for each in bare.records]
    assert inside.offset == bare.offset
    assert inside.pages[-1].fault == ""


def test_the_parts_of_an_export_are_read_one_after_the_other() -> None:
    parts = {"e/conversations-001.json": export(NEWER), "e/conversations-000.json": export(SECOND)}
    readout = read(CHATGPT, packed(parts))
    sessions = [record.source_session_id for record in readout.records]
    assert sessions == ["c-2"] * 3 + ["c-1"] * 8
    assert readout.offset == sum(map(len, parts.values()))


def test_reading_on_in_an_archive_counts_what_it_decodes_to() -> None:
    data = packed(EXPORT)
    many = conversation(
        [root(), *(node(f"u{n}", "root", "user", f"fern {n}") for n in range(600))], None
    )
    data = packed({"conversations.json": export(many, SECOND)})
    whole = read(CHATGPT, data)
    given = 0
    for page in whole.pages:
        given += len(page.records)
        rest = [
            record
            for later in CHATGPT.read(BytesIO(data), "e.zip", page.offset, page.state)
            for record in later.records
        ]
        assert rest == list(whole.records[given:])


@pytest.mark.parametrize(
    "files",
    [
        {"user.json": b"{}"},
        {"conversations.json": b'[{"uuid":"u","chat_messages":[]}]'},
        {"conversations.txt": export(OLDER)},
    ],
)
def test_an_archive_without_conversations_of_ours_is_not_recognised(
    files: dict[str, bytes],
) -> None:
    assert not CHATGPT.recognises(packed(files))


def test_an_archive_beside_an_export_is_not_claimed() -> None:
    assert not CHATGPT.claims("e/export.zip")


def test_a_damaged_archive_gives_what_it_can_and_says_what_is_wrong() -> None:
    data = packed(EXPORT, zipfile.ZIP_STORED)
    cut = data[:-30]
    assert "before its directory" in read(CHATGPT, cut).pages[-1].fault
    at = data.index(b"hello")
    broken = read(CHATGPT, data[:at] + b"jello" + data[at + 5 :])
    assert "cannot be read" in broken.pages[-1].fault
    locked = bytearray(packed(EXPORT))
    for header, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = 0
        while (start := locked.find(header, start)) >= 0:
            locked[start + flag] |= 1
            start += 4
    assert "cannot be read" in read(CHATGPT, bytes(locked)).pages[-1].fault


def test_an_archive_decodes_to_no_more_than_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipped, "DECODED_BYTES_MAX", len(export(SECOND)) + 50)
    readout = read(CHATGPT, packed(EXPORT))
    assert {record.source_session_id for record in readout.records} == {"c-2"}
    assert "decodes to more than" in readout.pages[-1].fault


def test_a_directory_beyond_its_bound_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipped, "ARCHIVE_DIRECTORY_BYTES_MAX", 100)
    readout = read(CHATGPT, packed(EXPORT))
    assert readout.records == ()
    assert "directory is larger" in readout.pages[-1].fault


@given(st.integers(0, 2000), st.binary(max_size=60))
def test_no_bytes_of_an_archive_make_reading_raise(at: int, junk: bytes) -> None:
    data = packed(EXPORT)
    broken = data[:at] + junk + data[at + len(junk) :]
    CHATGPT.recognises(broken)
    read(CHATGPT, broken)
    read(CHATGPT, data[:at])


def test_a_zipped_export_and_the_bare_one_are_the_same_sessions(tmp_path: Path) -> None:
    archive, bare = tmp_path / "export.zip", tmp_path / "conversations.json"
    archive.write_bytes(packed(EXPORT))
    bare.write_bytes(EXPORT["conversations.json"])
    with on_sqlite(tmp_path) as memory:
        assert memory.import_sessions(None, [str(archive)]).messages_new == 5
        assert memory.import_sessions(None, [str(archive)]).sources[0].files_unchanged == 1
        assert memory.import_sessions(None, [str(bare)]).messages_new == 0
