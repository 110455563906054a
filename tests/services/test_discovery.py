"""Finding files: each regular file once, a reason for the rest, and an end whatever the tree."""

import os
import socket
from pathlib import Path

import pytest

from recense.importers.claude_code import ClaudeCode
from recense.services.discovery import FoundFile, LeftOut, find_files


def _found(*paths: Path, named: bool = True) -> tuple[list[str], dict[str, str]]:
    """Return names found in order, and reasons of what was left out by name."""
    results = list(find_files(ClaudeCode(), [str(path) for path in paths], named=named))
    names = [Path(each.path).name for each in results if isinstance(each, FoundFile)]
    reasons = {Path(each.path).name: each.reason for each in results if isinstance(each, LeftOut)}
    return names, reasons


def test_files_are_found_below_a_folder_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "notes.txt", "deep/c.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("", encoding="utf-8")
    assert _found(tmp_path) == (["a.jsonl", "b.jsonl", "c.jsonl"], {})


def test_a_pipe_and_a_socket_are_left_out_with_a_reason_and_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    os.mkfifo(tmp_path / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.jsonl")
        names, reasons = _found(tmp_path)
    assert names == []
    assert reasons == {
        "pipe.jsonl": "not a regular file",
        "socket.jsonl": "not a regular file",
    }


@pytest.mark.parametrize("named", [True, False])
def test_what_an_importer_passes_over_is_left_out_with_its_reason(
    tmp_path: Path, named: bool
) -> None:
    run = tmp_path / "subagents" / "workflows" / "run1"
    run.mkdir(parents=True)
    for name in ("journal.jsonl", "agent-1f.jsonl"):
        (run / name).write_text("", encoding="utf-8")
    names, reasons = _found(tmp_path, run / "journal.jsonl", named=named)
    assert names == ["agent-1f.jsonl"]
    assert list(reasons) == ["journal.jsonl"]


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path)
    names, reasons = _found(tmp_path)
    assert names == ["one.jsonl"]
    assert reasons == {"loop": "a folder already visited"}


def test_a_file_reached_by_two_names_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "two.jsonl").symlink_to(tmp_path / "one.jsonl")
    names, reasons = _found(tmp_path)
    assert names == ["one.jsonl"]
    assert reasons == {"two.jsonl": "the same file as one already found"}


def test_a_link_to_nothing_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere.jsonl")
    assert _found(tmp_path) == ([], {"gone.jsonl": "no such file or directory"})


def test_a_missing_path_fails_when_a_person_named_it_and_is_silent_as_a_default(
    tmp_path: Path,
) -> None:
    missing = tmp_path / "missing"
    assert _found(missing) == ([], {"missing": "no such file or directory"})
    assert _found(missing, named=False) == ([], {})


def test_a_named_file_is_taken_whatever_its_name(tmp_path: Path) -> None:
    odd = tmp_path / "session.txt"
    odd.write_text("", encoding="utf-8")
    assert _found(odd) == (["session.txt"], {})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_may_not_be_read_is_a_failure(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    assert _found(tmp_path) == ([], {"closed": "permission denied"})


def test_folders_nested_deeper_than_python_calls_are_walked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(1_200):
        os.mkdir("d")
        os.chdir("d")
    (tmp_path / "one.jsonl").write_text("", encoding="utf-8")
    names, _ = _found(tmp_path)
    for _ in range(1_200):  # deeper than a later clean-up could go
        os.chdir("..")
        os.rmdir("d")
    assert names == ["one.jsonl"]
