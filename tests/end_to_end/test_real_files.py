"""Real session files: nothing is lost, nothing twice, and memory stays small.

The files belong to others and are no part of the project; without them these tests skip, loudly.
"""

import json
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import cast

import msgspec
import pytest

from recense.operations.admin import ImportReport
from recense.operations.recall import RecallRequest
from tests.end_to_end.worlds import digest_of, grow, on_reference, on_sqlite

MEMORY_BYTES_MAX = 300 * 1024 * 1024

IMPORT_SCRIPT = """
import sys
from pathlib import Path
import msgspec
from tests.end_to_end.peaks import peak_bytes
from tests.end_to_end.worlds import on_sqlite

folder, *paths = sys.argv[1:]
with on_sqlite(Path(folder)) as memory:
    report = memory.import_sessions(None, paths)
    again = memory.import_sessions(None, paths)
    checks = memory.doctor().checks
is_whole = all(check.ok for check in checks if check.name != "imports")
sys.stdout.write(msgspec.json.encode([report, again, peak_bytes(), is_whole]).decode())
"""


@pytest.fixture(scope="module")
def sources(shared_data: Path) -> list[Path]:
    """The folders of Claude Code and Codex sessions."""
    return [shared_data / "transcripts" / "claude-code", shared_data / "transcripts" / "codex"]


class Imported(msgspec.Struct, frozen=True, array_like=True):
    """Both reports of importing everything twice in a process of its own, and its peak memory."""

    report: ImportReport
    again: ImportReport
    peak_bytes: int
    is_whole: bool


@pytest.fixture(scope="module")
def imported(sources: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """What importing everything twice did."""
    folder = tmp_path_factory.mktemp("real")
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_SCRIPT, str(folder), *map(str, sources)],
        capture_output=True,
        check=True,
        timeout=300,
        cwd=Path(__file__).parents[2],
    )
    return msgspec.json.decode(done.stdout, type=Imported)


def test_every_byte_of_every_file_that_was_read_is_accounted_for(
    imported: Imported, sources: list[Path]
) -> None:
    unread = {
        failure.path
        for source in imported.report.sources
        for failure in (*source.failures, *source.skipped)
        if failure.reason.startswith("not in a format of") or failure.reason == "empty"
    }
    read = [
        path
        for folder in sources
        for path in folder.rglob("*.jsonl")
        if path.name != "journal.jsonl" and str(path) not in unread
    ]
    assert len(unread) < len(read) / 10
    assert sum(source.files_found for source in imported.report.sources) >= len(read)
    for source in imported.report.sources:
        assert source.bytes == sum(source.bytes_by.values())
    assert sum(source.bytes for source in imported.report.sources) == sum(
        path.stat().st_size for path in read
    )


def test_importing_everything_again_finds_nothing_new(imported: Imported) -> None:
    assert imported.report.messages_new > 1_000
    assert (imported.again.messages_new, imported.again.sessions_new) == (0, 0)
    assert all(source.files_imported == 0 for source in imported.again.sources)


def test_importing_everything_stays_within_the_promised_memory(imported: Imported) -> None:
    assert imported.peak_bytes < MEMORY_BYTES_MAX


def test_a_store_of_everything_is_whole(imported: Imported) -> None:
    assert imported.is_whole


def test_four_captures_of_a_growing_session_equal_the_last_alone(
    sources: list[Path], tmp_path: Path
) -> None:
    captures = sorted((sources[0] / "entire-growth").glob("*_full.jsonl"))
    assert len(captures) == 4
    grown = digest_of(on_reference(tmp_path), *captures)
    assert grown == digest_of(on_sqlite(tmp_path), captures[-1])


@pytest.mark.parametrize(
    "name",
    [
        "episodic-memory/large-conversation.jsonl",
        "claude-code-log/sidechain.jsonl",
        "entire-badline/37_995ebed6e4_2_full.jsonl",
        "spotter/tool_heavy.jsonl",
        "codex",
    ],
)
def test_a_file_that_grew_by_random_cuts_equals_the_whole(
    sources: list[Path], tmp_path: Path, name: str
) -> None:
    whole = sources[0] / name
    if name == "codex":
        whole = next(sources[1].rglob("rollout-*.jsonl"))
    size = whole.stat().st_size
    dice = random.Random(name)
    growing = tmp_path / "growing" / whole.name
    growing.parent.mkdir()
    with on_sqlite(tmp_path) as memory:
        grow(whole, growing, sorted(dice.sample(range(1, size), 20)), memory)
        grown = memory.digest()
    assert grown.messages > 0
    with on_sqlite(tmp_path, "whole.db") as memory:
        assert digest_of(memory, whole) == grown.digest


def test_a_fork_pair_gives_equal_answers_in_either_order_and_counts_shared_messages_once(
    sources: list[Path], tmp_path: Path
) -> None:
    parent, child = sorted((sources[0] / "entire-fork").glob("*.jsonl"), reverse=True)
    assert parent.name.startswith("parent")
    shared = _uuids(parent) & _uuids(child)
    assert shared
    with on_reference(tmp_path) as first, on_sqlite(tmp_path) as second:
        assert digest_of(first, parent, child) == digest_of(second, child, parent)
        listed = first.sessions().sessions
        words = RecallRequest(terms=("the",), limit=25, origin="all")
        answers = [memory.recall(words) for memory in (first, second)]
        assert answers[0].passages == answers[1].passages
        assert len({passage.anchor for passage in answers[0].passages}) == len(answers[0].passages)
    with on_reference(tmp_path) as alone:
        reports = [alone.import_sessions(None, [str(path)]) for path in (parent, child)]
    held = sum(session.messages for session in listed)
    assert 0 < held - sum(report.messages_new for report in reports) <= len(shared)


def test_objects_glued_on_one_line_are_both_there(sources: list[Path], tmp_path: Path) -> None:
    for file in (sources[0] / "entire-badline").glob("*.jsonl"):
        with on_reference(tmp_path) as memory:
            report = memory.import_sessions("claude_code", [str(file)])
        records = report.sources[0].records
        assert records.bad == 0
        lines = sum(1 for line in file.read_bytes().splitlines() if line.strip())
        assert records.parsed + records.skipped + records.duplicate == lines + 1


def test_uuids_that_carry_different_messages_in_different_files_lose_none(
    sources: list[Path], tmp_path: Path
) -> None:
    by_uuid: dict[str, dict[str, Path]] = defaultdict(dict)
    for file in sorted(sources[0].rglob("*.jsonl")):
        for record in _records(file):
            uuid, message = record.get("uuid"), record.get("message")
            if isinstance(uuid, str) and isinstance(message, dict):
                by_uuid[uuid].setdefault(json.dumps(message, sort_keys=True), file)
    handed = {uuid: files for uuid, files in by_uuid.items() if len(files) > 1}
    assert len(handed) >= 20
    files = sorted({path for each in handed.values() for path in each.values()})
    together = _shown(files, tmp_path)
    for path in files:
        assert _shown([path], tmp_path) <= together


def _shown(files: list[Path], folder: Path) -> set[tuple[str, str, str]]:
    """Return session, kind and text of every message of these files, flagged ones included."""
    with on_reference(folder) as memory:
        memory.import_sessions(None, [str(path) for path in files])
        return {
            (session.session, message.kind, message.text)
            for session in memory.sessions(limit=1_000).sessions
            for message in memory.transcript(
                session.session, count=100_000, everything=True
            ).messages
        }


def _uuids(file: Path) -> set[str]:
    return {str(record["uuid"]) for record in _records(file) if record.get("uuid")}


def _records(file: Path) -> list[dict[str, object]]:
    """Return the objects of a file, glued ones apart, read by the standard library."""
    decoder = json.JSONDecoder()
    found: list[dict[str, object]] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        rest = line.strip()
        while rest:
            try:
                value, end = decoder.raw_decode(rest)
            except ValueError:
                break
            if isinstance(value, dict):
                found.append(cast("dict[str, object]", value))
            rest = rest[end:].lstrip()
    return found
