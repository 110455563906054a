"""Files of other programs are replaced as a whole, or not at all."""

import os
import stat
from pathlib import Path

import pytest

from recense.errors import ClientFileChanged, ClientFileUnusable
from recense.services import client_files
from recense.services.client_files import (
    back_up,
    read_client_file,
    remove_client_file,
    write_client_file,
)


def everything(folder: Path) -> dict[str, object]:
    """Return every path below a folder with what it holds."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"{}\r\n")
    path.chmod(0o640)
    file = read_client_file(str(path))
    assert write_client_file(file, "\ufeffé") == ()
    assert everything(tmp_path) == {"settings.json": "\ufeffé".encode()}
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_file_is_made_with_its_folders_and_removed_with_them(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "settings.json"
    folders = write_client_file(read_client_file(str(path)), "x")
    assert folders == (str(tmp_path / "a"), str(tmp_path / "a" / "b"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / "a" / "mine").touch()
    remove_client_file(read_client_file(str(path)), folders)
    assert everything(tmp_path) == {"a": None, "a/mine": b""}


def test_a_change_between_reading_and_writing_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("one", encoding="utf-8")
    file = read_client_file(str(path))
    path.write_text("two", encoding="utf-8")
    for change in (lambda: write_client_file(file, "x"), lambda: remove_client_file(file, ())):
        with pytest.raises(ClientFileChanged):
            change()
    assert everything(tmp_path) == {"settings.json": b"two"}


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    file = read_client_file(str(path))
    path.write_text("theirs", encoding="utf-8")
    with pytest.raises(ClientFileChanged):
        write_client_file(file, "ours")
    assert everything(tmp_path) == {"settings.json": b"theirs"}


def test_through_a_symbolic_link_the_file_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles"
    kept.mkdir()
    (kept / "settings.json").write_text("one", encoding="utf-8")
    link = tmp_path / "settings.json"
    link.symlink_to(Path("dotfiles", "settings.json"))
    write_client_file(read_client_file(str(link)), "two")
    assert link.is_symlink()
    assert (kept / "settings.json").read_text(encoding="utf-8") == "two"
    assert back_up(read_client_file(str(link)), "now") == str(kept / "settings.json.now.bak")


def test_a_link_to_nothing_has_its_file_made_where_it_leads(tmp_path: Path) -> None:
    link = tmp_path / "settings.json"
    link.symlink_to(tmp_path / "far" / "settings.json")
    folders = write_client_file(read_client_file(str(link)), "x")
    assert (tmp_path / "far" / "settings.json").read_text(encoding="utf-8") == "x"
    remove_client_file(read_client_file(str(link)), folders)
    assert list(tmp_path.iterdir()) == [link]


def test_a_read_only_file_is_refused_whoever_asks(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("one", encoding="utf-8")
    path.chmod(0o444)
    with pytest.raises(ClientFileUnusable, match="is read-only"):
        write_client_file(read_client_file(str(path)), "two")
    assert everything(tmp_path) == {"settings.json": b"one"}


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ClientFileUnusable, match="no regular file"):
            read_client_file(str(path))


def test_a_file_that_is_too_long_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_files, "CLIENT_FILE_BYTES_MAX", 3)
    (tmp_path / "settings.json").write_text("four", encoding="utf-8")
    with pytest.raises(ClientFileUnusable, match="has 4 bytes"):
        read_client_file(str(tmp_path / "settings.json"))


def test_a_file_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes("{}".encode("utf-16"))
    with pytest.raises(ClientFileUnusable, match="not written in UTF-8"):
        assert read_client_file(str(path)).text


def test_a_folder_that_cannot_be_made_is_said_in_our_words(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(ClientFileUnusable, match="cannot be"):
        write_client_file(read_client_file(str(tmp_path / "a" / "b" / "settings.json")), "x")


def test_a_full_disk_leaves_the_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.json"
    path.write_text("one", encoding="utf-8")
    file = read_client_file(str(path))

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(client_files, "_keep", full)
    with pytest.raises(ClientFileUnusable, match="No space left"):
        write_client_file(file, "two")
    with pytest.raises(ClientFileUnusable, match="No space left"):
        write_client_file(read_client_file(str(tmp_path / "a" / "new.json")), "two")
    assert everything(tmp_path) == {"settings.json": b"one"}


def test_a_copy_says_when_and_never_replaces_another(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("one", encoding="utf-8")
    path.chmod(0o604)
    file = read_client_file(str(path))
    assert [Path(back_up(file, "then")).name for _ in range(2)] == [
        "settings.json.then.bak",
        "settings.json.then-2.bak",
    ]
    assert stat.S_IMODE((tmp_path / "settings.json.then.bak").stat().st_mode) == 0o604
