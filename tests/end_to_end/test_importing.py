"""Importing: what is new is read once, what is old is left alone, what is broken is named."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from recense.adapters.memory.store import MemoryStore
from recense.core.text.known_secrets import NOTHING_KNOWN, KnownSecrets
from recense.errors import InvalidRequest
from recense.operations.admin import ImportFailure, ImportReport, SourceReport
from recense.operations.recall import NotImported, RecallRequest
from recense.ports.transcripts import TranscriptStore
from recense.services.memory import Memory
from recense.testing import Boundary, Fault, FaultyStore, SeededChance
from tests.end_to_end.worlds import memory_over, on_reference, on_sqlite, sqlite_store
from tests.importers.builders import (
    claude_assistant,
    claude_user,
    codex_message,
    codex_meta,
    lines,
    text_block,
)

NEEDLE = "zwitschermaschine"


@pytest.fixture(params=["sqlite", "reference"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Memory:
    """A memory over each store."""
    return on_sqlite(tmp_path) if request.param == "sqlite" else on_reference(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the session of a test is written."""
    folder = tmp_path / "projects"
    folder.mkdir()
    return folder / "session.jsonl"


def _reference_store(_folder: Path) -> TranscriptStore:
    return MemoryStore(SeededChance(2))


def _import(memory: Memory, path: Path) -> tuple[ImportReport, SourceReport]:
    report = memory.import_sessions("claude_code", [str(path)])
    return report, report.sources[0]


def _found(memory: Memory, term: str) -> int:
    return len(memory.recall(RecallRequest(terms=(term,), limit=25, origin="all")).passages)


def test_a_file_that_grew_gives_exactly_what_is_new(memory: Memory, file: Path) -> None:
    file.write_bytes(lines([claude_user(1, "press the fern")]))
    _import(memory, file)
    with file.open("ab") as growing:
        growing.write(lines([claude_assistant(2, text_block("pressed")), claude_user(3, "good")]))
    report, source = _import(memory, file)
    assert (report.messages_new, report.sessions_new, source.records.parsed) == (2, 0, 2)
    assert source.records.duplicate == 0


def test_an_unchanged_file_is_not_opened_again(
    memory: Memory, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_bytes(lines([claude_user(1, "press the fern")]))
    _import(memory, file)

    def refuse(*_arguments: object) -> None:
        raise AssertionError("an unchanged file was opened")

    monkeypatch.setattr("builtins.open", refuse)
    _, source = _import(memory, file)
    assert (source.files_found, source.files_unchanged, source.bytes) == (1, 1, 0)


def test_a_torn_last_line_waits_and_is_taken_when_it_is_whole(memory: Memory, file: Path) -> None:
    whole = lines([claude_user(1, "press the fern"), claude_user(2, NEEDLE)])
    file.write_bytes(whole[:-20])
    _, source = _import(memory, file)
    assert source.bytes_by["waiting"] > 0
    assert sum(source.bytes_by.values()) == len(whole) - 20
    assert _found(memory, NEEDLE) == 0
    file.write_bytes(whole)
    report, _ = _import(memory, file)
    assert report.messages_new == 1
    assert _found(memory, NEEDLE) == 1


def test_a_touched_file_adds_nothing(memory: Memory, file: Path) -> None:
    file.write_bytes(lines([claude_user(1, "press the fern")]))
    _import(memory, file)
    os.utime(file, ns=(1, 1))
    report, source = _import(memory, file)
    assert (report.messages_new, source.records.parsed) == (0, 0)


def test_importing_changes_neither_content_nor_time_of_a_file(memory: Memory, file: Path) -> None:
    content = lines([claude_user(1, "press the fern")])
    file.write_bytes(content)
    os.utime(file, ns=(1_000_000_007, 1_000_000_009))
    _import(memory, file)
    assert file.read_bytes() == content
    assert file.stat().st_mtime_ns == 1_000_000_009


def test_a_file_rewritten_shorter_keeps_what_was_imported_and_adds_what_is_new(
    memory: Memory, file: Path
) -> None:
    file.write_bytes(lines([claude_user(1, "press the fern"), claude_user(2, "and the moss")]))
    _import(memory, file)
    file.write_bytes(lines([claude_user(1, "press the fern"), claude_user(3, NEEDLE)]))
    report, source = _import(memory, file)
    assert (report.messages_new, source.records.duplicate) == (1, 1)
    assert (_found(memory, "moss"), _found(memory, NEEDLE)) == (1, 1)


def test_a_moved_file_is_the_same_session(memory: Memory, file: Path) -> None:
    file.write_bytes(lines([claude_user(1, "press the fern")]))
    _import(memory, file)
    report, _ = _import(memory, file.rename(file.with_name("renamed.jsonl")))
    assert (report.messages_new, report.sessions_new) == (0, 0)


def test_what_was_imported_stays_when_the_file_is_gone(memory: Memory, file: Path) -> None:
    file.write_bytes(lines([claude_user(1, f"press the {NEEDLE}")]))
    _import(memory, file)
    file.unlink()
    _import(memory, file.parent)
    passage = memory.recall(RecallRequest(terms=(NEEDLE,))).passages[0]
    assert not passage.source_available


def test_history_that_a_compaction_repeats_counts_once(memory: Memory, file: Path) -> None:
    history = [claude_user(number, f"prompt {number}") for number in range(1, 51)]
    copies = [record | {"parentUuid": None} for record in history]
    file.write_bytes(lines([*history, *copies * 5]))
    report, source = _import(memory, file)
    assert report.messages_new == 50
    assert (source.records.parsed, source.records.duplicate) == (50, 250)


def test_one_bad_line_is_counted_and_the_others_are_imported(memory: Memory, file: Path) -> None:
    good = [lines([claude_user(number, f"prompt {number}")]) for number in (1, 2)]
    file.write_bytes(good[0] + b'{"type": "user", oops}\n' + good[1])
    report, source = _import(memory, file)
    assert (report.messages_new, source.records.bad, source.files_imported) == (2, 1, 1)


def test_one_poisoned_file_among_many_stops_none_of_them(memory: Memory, file: Path) -> None:
    for number in range(12):
        record = claude_user(1, f"prompt {number}", sessionId=f"s{number}")
        (file.parent / f"{number:02}.jsonl").write_bytes(lines([record]))
    (file.parent / "05.jsonl").write_bytes(b"\x00\xff\xfe" * 4_000)
    report, source = _import(memory, file.parent)
    assert (source.files_imported, source.files_failed, report.messages_new) == (11, 1, 11)
    assert source.failures[0].path.endswith("05.jsonl")
    assert source.failures[0].reason


def test_a_file_that_gives_nothing_is_a_failure_and_stays_one(memory: Memory, file: Path) -> None:
    file.write_bytes(lines([{"type": "summary", "summary": "of nothing", "leafUuid": "x"}]))
    for _ in range(2):
        _, source = _import(memory, file)
        assert (source.files_failed, source.files_imported) == (1, 0)
        assert source.failures[0].reason
    gaps = memory.recall(RecallRequest(terms=("fern",))).gaps
    assert NotImported(source="claude_code", files=1) in gaps
    assert not memory.doctor().ok


@pytest.mark.parametrize("converted_by", ["convert", "import"])
def test_a_file_that_gives_nothing_is_a_failure_also_when_it_is_converted_later(
    memory: Memory, file: Path, converted_by: str
) -> None:
    file.write_bytes(lines([claude_user(1, [])]))
    memory.import_sessions("claude_code", [str(file)], archive_only=True)
    if converted_by == "convert":
        memory.convert()
        assert not memory.doctor().ok
    _, source = _import(memory, file)
    assert (source.files_failed, source.files_unchanged) == (1, 0)
    assert source.failures[0].reason == "its records gave no message"
    assert not memory.doctor().ok
    file.write_bytes(lines([claude_user(1, []), claude_user(2, "press the fern")]))
    _, source = _import(memory, file)
    assert (source.files_failed, source.files_imported) == (0, 1)
    assert memory.doctor().ok


def test_a_file_that_was_named_by_mistake_is_told_once(memory: Memory, file: Path) -> None:
    notes = file.with_name("notes.md")
    notes.write_text("no session", encoding="utf-8")
    report = memory.import_sessions(None, [str(notes)])
    assert sum(source.files_failed for source in report.sources) == 1
    assert memory.doctor().ok


def _reports(memory: Memory, source: str | None, *paths: Path) -> dict[str, SourceReport]:
    report = memory.import_sessions(source, [str(path) for path in paths])
    return {each.source: each for each in report.sources}


def test_what_no_importer_recognises_is_told_of_none_that_it_may_not_belong_to(
    memory: Memory, file: Path
) -> None:
    notes, claimed = file.with_name("notes.md"), file.with_name("a.messages.json")
    for path in (notes, claimed):
        path.write_text("no session", encoding="utf-8")
    missing = file.with_name("missing")
    reports = _reports(memory, None, notes, claimed, missing)
    failed = {name: [each.path for each in of.failures] for name, of in reports.items()}
    assert {name: paths for name, paths in failed.items() if paths} == {
        "openai_messages": [str(claimed)],
        "unknown": [str(missing), str(notes)],
    }
    assert (reports["unknown"].files_found, reports["unknown"].files_failed) == (1, 2)
    for path in (notes, missing):
        reports = _reports(memory, "codex", path)
        assert list(reports) == ["codex"]
        assert [each.path for each in reports["codex"].failures] == [str(path)]


def test_a_folder_gives_a_source_that_a_person_named_also_what_begins_as_its_files_do(
    memory: Memory, file: Path
) -> None:
    folder = file.parent / "talks"
    folder.mkdir()
    talk: list[dict[str, object]] = [{"role": "user", "content": NEEDLE}]
    (folder / "ferns.JSON").write_text(json.dumps(talk), encoding="utf-8")
    (folder / "moss.jsonl").write_bytes(lines(talk))
    (folder / "package.json").write_text('{"name": "ferry"}', encoding="utf-8")
    (folder / "empty.json").write_bytes(b"")
    (folder / "notes.txt").write_text(json.dumps(talk), encoding="utf-8")
    source = _reports(memory, "openai_messages", folder)["openai_messages"]
    assert (source.files_found, source.files_imported, source.failures) == (2, 2, ())
    assert _found(memory, NEEDLE) == 2


def test_a_path_that_gives_no_file_has_failed(memory: Memory, file: Path) -> None:
    folder = file.parent / "empty"
    folder.mkdir()
    (folder / "ferns.json").write_text('[{"role": "user"}]', encoding="utf-8")
    by_name = "; recense import SOURCE PATH knows files by how they begin, and not only by name"
    for source, blamed, more in ((None, "unknown", by_name), ("codex", "codex", "")):
        of = _reports(memory, source, folder)[blamed]
        assert (of.files_found, of.files_failed) == (0, 1)
        reason = f"no session file was found{more}"
        assert of.failures == (ImportFailure(path=str(folder), reason=reason),)
    assert not any(of.failures for of in _reports(memory, None).values())


def test_files_of_which_something_stays_as_it_was_are_counted_where_secrets_are_named(
    memory: Memory, file: Path
) -> None:
    known = KnownSecrets.of(["Tulip7" + "Harbour91"])

    def missed(known: KnownSecrets) -> int:
        return memory.import_sessions(None, [str(file)], known_secrets=known).secrets_missed

    file.write_bytes(lines([claude_user(1, NEEDLE)]))
    assert missed(known) == 0
    assert missed(NOTHING_KNOWN) == 0
    assert missed(known) == 1
    file.write_bytes(lines([claude_user(1, NEEDLE), claude_user(2, NEEDLE)]))
    assert missed(known) == 1


@pytest.mark.parametrize("make", [sqlite_store, _reference_store])
@pytest.mark.parametrize("method", ["archive", "append"])
def test_two_imports_at_once_report_together_what_there_is_more(
    make: Callable[[Path], TranscriptStore],
    method: Literal["archive", "append"],
    tmp_path: Path,
) -> None:
    """The second one runs whole between two commits of the first; a fork repeats a message."""
    folder = tmp_path / "projects"
    folder.mkdir()
    for number in range(4):
        session = [claude_user(n, f"{number}: {n}", sessionId=f"s{number}") for n in range(3)]
        (folder / f"{number}.jsonl").write_bytes(lines(session))
    (folder / "4.jsonl").write_bytes(lines([claude_user(0, "0: 0", sessionId="s4")]))
    store = make(tmp_path)
    reports: list[ImportReport] = []

    def by(of: TranscriptStore) -> None:
        reports.append(memory_over(of, tmp_path).import_sessions(None, [str(folder)]))

    boundary = Boundary(method=method, call=2, moment="before")
    by(FaultyStore(store, [Fault(at=boundary, act=lambda: by(store))]))
    kept = memory_over(store, tmp_path)
    assert len(reports) == 2
    assert sum(report.messages_new for report in reports) == kept.doctor().counts["messages"]
    assert sum(report.sessions_new for report in reports) == kept.doctor().counts["sessions"]


def test_one_text_for_paths_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidRequest, match="paths"):
        memory.import_sessions(None, "/")


def test_a_path_that_is_not_there_is_told_once(memory: Memory, file: Path) -> None:
    _, source = _import(memory, file.with_name("nowhere"))
    assert source.files_failed == 1
    assert memory.doctor().ok


def test_the_failure_of_a_file_that_is_gone_is_taken_back(memory: Memory, file: Path) -> None:
    file.write_bytes(b"not a session\n")
    _import(memory, file.parent)
    assert not memory.doctor().ok
    file.unlink()
    _import(memory, file.parent)
    assert memory.doctor().ok


def test_a_file_that_becomes_another_agents_is_no_failure_any_more(
    memory: Memory, file: Path
) -> None:
    rollout = file.with_name("rollout-2026-02-03T11-00-00-x.jsonl")
    rollout.write_bytes(b'{"beginning": 1}\n')
    memory.import_sessions(None, [str(rollout)])
    assert not memory.doctor().ok
    rollout.write_bytes(lines([codex_meta(), codex_message("user", NEEDLE, at=1)]))
    memory.import_sessions(None, [str(rollout)])
    assert memory.doctor().ok
    assert _found(memory, NEEDLE) == 1


def test_a_file_that_cannot_be_read_is_a_gap_until_it_can(
    memory: Memory, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_bytes(lines([claude_user(1, NEEDLE)]))

    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", refuse)
        _, source = _import(memory, file)
    assert source.failures[0].reason == "permission denied"
    assert (
        NotImported(source="claude_code", files=1)
        in memory.recall(RecallRequest(terms=(NEEDLE,))).gaps
    )
    _import(memory, file)
    assert _found(memory, NEEDLE) == 1
    assert memory.doctor().ok


def test_a_file_in_a_foreign_format_is_a_failure_with_a_reason(memory: Memory, file: Path) -> None:
    started = [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]
    file.write_bytes(lines(started))
    report = memory.import_sessions(None, [str(file)])
    failures = [failure for source in report.sources for failure in source.failures]
    assert len(failures) == 1
    assert "not in a format" in failures[0].reason


def test_an_empty_file_is_skipped_with_a_reason(memory: Memory, file: Path) -> None:
    file.write_bytes(b"")
    _, source = _import(memory, file)
    assert (source.files_skipped, source.skipped[0].reason) == (1, "empty")


def test_archiving_alone_is_enough_to_find_a_message(memory: Memory, file: Path) -> None:
    file.write_bytes(lines([claude_user(1, f"press the {NEEDLE}")]))
    memory.import_sessions("claude_code", [str(file)], archive_only=True)
    answered = memory.recall(RecallRequest(terms=(NEEDLE,)))
    converted = memory.convert()
    assert converted.records_converted == 1
    again = memory.recall(RecallRequest(terms=(NEEDLE,)))
    assert answered.passages == again.passages
    assert len(again.passages) == 1


def test_a_folder_name_never_decides_the_workspace(memory: Memory, file: Path) -> None:
    for number, folder in enumerate(("/a/b-c", "/a/b/c")):
        record = claude_user(1, "hello", sessionId=f"s{number}", cwd=folder)
        (file.parent / f"{number}.jsonl").write_bytes(lines([record]))
    _import(memory, file.parent)
    assert {each.workspace for each in memory.sessions().sessions} == {"/a/b-c", "/a/b/c"}


def test_a_needle_in_the_last_line_of_a_hundred_thousand_is_found(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    line = lines([claude_assistant(7, text_block("the press is full"))])
    with file.open("wb") as writing:
        writing.write(lines([claude_user(1, "count the sheets")]))
        for number in range(2, 100_000):
            own = line.replace(b'"u7"', b'"u%d"' % number)
            writing.write(own.replace(b"msg_7", b"m%d" % number))
        writing.write(lines([claude_user(100_000, f"where is the {NEEDLE}?")]))
    with on_sqlite(tmp_path) as memory:
        report, _ = _import(memory, file)
        assert report.messages_new == 100_000
        assert _found(memory, NEEDLE) == 1
