"""What has hurt others about histories that are written twice, disks that fill, and runs that do
not reach their end.
"""

import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec
import pytest
import zstandard
from msgspec.structs import replace

from recense.core.transcript.records import ArchivedRecord, SourcePage
from recense.importers.claude_code import ClaudeCode
from recense.limits import PAGE_BYTES_MAX
from recense.operations.admin import ImportReport, SourceReport
from recense.operations.recall import RecallRequest
from recense.ports.sources import Conversion, Importer
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.testing import FakeClock, SeededChance
from recense.wiring import Importers, join, load_importers
from tests.cli.running import environment_with
from tests.end_to_end.worlds import on_reference, on_sqlite, sqlite_store, with_records
from tests.importers.builders import (
    SESSION,
    claude_assistant,
    claude_user,
    codex_event,
    codex_message,
    codex_meta,
    lines,
    text_block,
)

SECONDS_MAX = 60
FORK = "0a1b2c3d-0000-4000-8000-000000000002"
REPLAYED = 1_000
REPLAYS = 5
FILLING = 6
FILLED = 150


@pytest.fixture(params=["sqlite", "reference"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """A memory over each store."""
    memory = on_sqlite(tmp_path) if request.param == "sqlite" else on_reference(tmp_path)
    with memory:
        yield memory


def _source(report: ImportReport, name: str) -> SourceReport:
    return {source.source: source for source in report.sources}[name]


def _hits(memory: Memory, term: str) -> tuple[int, int]:
    """Return how many passages a term gives, and in how many messages it was counted (df)."""
    answer = memory.recall(RecallRequest(terms=(term,), limit=25, explain=True))
    counted = {
        score.df
        for passage in answer.passages
        for score in (passage.explanation.terms if passage.explanation else ())
    }
    assert len(counted) <= 1
    return len(answer.passages), max(counted, default=0)


# --- what is written twice ------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["plain", "compressed", "both"])
def test_a_rollout_and_its_compressed_copy_are_one_session_whichever_came_first(
    memory: Memory, tmp_path: Path, first: str
) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    plain = folder / f"rollout-2026-02-03T11-00-00-{SESSION}.jsonl"
    packed = folder / f"{plain.name}.zst"
    content = lines(
        [
            codex_meta(),
            codex_message("user", "how many sheets of fern?", at=1),
            codex_event("user_message", at=1, message="how many sheets of fern?"),
            codex_message("assistant", "forty sheets", at=2),
        ]
    )
    if first in ("plain", "both"):
        plain.write_bytes(content)
    if first in ("compressed", "both"):
        packed.write_bytes(zstandard.compress(content))
    begun = memory.import_sessions("codex", [str(folder)])
    plain.write_bytes(content)
    packed.write_bytes(zstandard.compress(content))
    ended = memory.import_sessions("codex", [str(folder)])
    assert (begun.messages_new, ended.messages_new) == (2, 0)
    assert memory.sessions().total == 1
    assert _hits(memory, "sheets") == (1, 2)


def test_a_codex_fork_and_its_parent_in_one_store_count_what_they_share_once(
    memory: Memory, tmp_path: Path
) -> None:
    shared = [
        codex_message("user", "press the fern", at=1),
        codex_message("assistant", "the fern is pressed", at=2),
        codex_message("user", "and label it fern", at=3),
        codex_message("assistant", "labelled", at=4),
    ]
    fork_meta = codex_meta(id=FORK, forked_from_id=SESSION)
    parent = [codex_meta(), *shared, codex_message("user", "archive the fern", at=5)]
    fork = [fork_meta, codex_meta(), *shared, codex_message("user", "photograph the fern", at=9)]
    for name, records in (("parent", parent), ("fork", fork)):
        path = tmp_path / f"rollout-2026-02-03T11-00-00-{name}.jsonl"
        path.write_bytes(lines(records))
    memory.import_sessions("codex", [str(tmp_path)])
    assert memory.sessions().total == 2
    answer = memory.recall(RecallRequest(terms=("fern",), limit=25, explain=True))
    texts = Counter(
        message.text
        for passage in answer.passages
        for message in passage.messages
        if message.is_anchor
    )
    assert max(texts.values()) == 1
    assert {passage.session for passage in answer.passages} == {f"codex:{FORK}"}
    assert "photograph the fern" in texts


def test_a_history_that_compactions_replay_costs_once_per_line_and_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,000 messages, written again after each of 5 compactions: work by lines, never squared."""
    history = [claude_user(number, f"prompt {number}") for number in range(1, REPLAYED + 1)]
    written: list[object] = list(history)
    for replay in range(REPLAYS):
        boundary = claude_user(9_000 + replay, "This session is being continued.")
        written += [boundary | {"isCompactSummary": True}, *history]
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines(written))
    looked: Counter[str] = Counter()
    read, convert = ClaudeCode.read, ClaudeCode.convert

    def counted_read(
        self: ClaudeCode, file: BinaryIO, path: str, offset: int, state: bytes
    ) -> Iterator[SourcePage]:
        for page in read(self, file, path, offset, state):
            looked["read"] += len(page.records)
            yield page

    def counted_convert(
        self: ClaudeCode, state: bytes, records: Sequence[ArchivedRecord]
    ) -> Conversion:
        looked["converted"] += len(records)
        return convert(self, state, records)

    monkeypatch.setattr(ClaudeCode, "read", counted_read)
    monkeypatch.setattr(ClaudeCode, "convert", counted_convert)
    with on_sqlite(tmp_path) as memory:
        report = memory.import_sessions("claude_code", [str(path)])
        records = _source(report, "claude_code").records
        assert report.messages_new == REPLAYED + REPLAYS
        assert (records.parsed, records.duplicate) == (REPLAYED + REPLAYS, REPLAYED * REPLAYS)
        assert memory.transcript(f"claude_code:{SESSION}", count=1).total == REPLAYED + REPLAYS
    assert looked == {"read": len(written), "converted": REPLAYED + REPLAYS}


def test_a_message_larger_than_every_page_is_kept_whole_between_its_neighbours(
    memory: Memory, tmp_path: Path
) -> None:
    long = "the press holds a fern; " * (2 * PAGE_BYTES_MAX // 24) + "zwitschermaschine"
    path = tmp_path / "session.jsonl"
    path.write_bytes(
        lines(
            [
                claude_user(1, "before the moss"),
                claude_assistant(2, text_block(long)),
                claude_user(3, "after the moss"),
            ]
        )
    )
    report = memory.import_sessions("claude_code", [str(path)])
    assert report.messages_new == 3
    answer = memory.recall(RecallRequest(terms=("zwitschermaschine",)))
    assert [passage.position for passage in answer.passages] == [1]
    anchor = next(each for each in answer.passages[0].messages if each.is_anchor)
    assert anchor.length == len(long)
    assert anchor.text.endswith("zwitschermaschine")
    again = memory.import_sessions("claude_code", [str(path)])
    assert (again.messages_new, _source(again, "claude_code").files_unchanged) == (0, 1)


# --- runs that do not reach their end, and runs that do -------------------------------------------


def _folder(home: Path, sessions: int, messages: int) -> Path:
    folder = home / "projects"
    folder.mkdir()
    for session in range(sessions):
        records = [
            claude_user(number, f"prompt {number} of {session}: {_noise(session, number)}")
            | {"sessionId": f"s{session}"}
            for number in range(1, messages + 1)
        ]
        (folder / f"{session:02}.jsonl").write_bytes(lines(records))
    return folder


def _noise(session: int, number: int) -> str:
    """Return words that no compression makes small."""
    chance = SeededChance(session * 10_000 + number)
    return " ".join(chance.token(5).hex() for _ in range(30))


def test_one_run_reaches_the_fixed_point(memory: Memory, tmp_path: Path) -> None:
    folder = _folder(tmp_path, sessions=12, messages=4)
    nested = folder / "s3" / "subagents"
    nested.mkdir(parents=True)
    agent = claude_user(1, "look for ferns") | {"sessionId": "s3", "agentId": "a1b2c3d4"}
    (nested / "agent-a1b2c3d4.jsonl").write_bytes(lines([agent | {"isSidechain": True}]))
    first = memory.import_sessions("claude_code", [str(folder)])
    digest = memory.digest()
    assert first.messages_new == 12 * 4 + 1
    for _ in range(2):
        again = memory.import_sessions("claude_code", [str(folder)])
        source = _source(again, "claude_code")
        assert (again.messages_new, again.sessions_new, source.bytes) == (0, 0, 0)
        assert source.files_unchanged == source.files_found == 13
        assert memory.digest() == digest


def _bounded_import(
    home: Path, source: Path, bytes_max: int
) -> "subprocess.CompletedProcess[bytes]":
    """Import in a process of its own, no file of which may grow beyond a number of bytes."""
    words = ["import", str(source), "--json", "--store", str(home / "recense.db")]
    return subprocess.run(
        [sys.executable, "-m", "recense", *words],
        capture_output=True,
        check=False,
        timeout=SECONDS_MAX,
        env=environment_with({"HOME": str(home)}),
        cwd=home,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max)),
    )


def test_a_disk_that_fills_during_an_import_is_said_and_what_was_committed_is_kept(
    tmp_path: Path,
) -> None:
    source = _folder(tmp_path, sessions=FILLING, messages=FILLED)
    with on_sqlite(tmp_path, "undisturbed.db") as memory:
        memory.import_sessions("claude_code", [str(source)])
        undisturbed = memory.digest()
    size = (tmp_path / "undisturbed.db").stat().st_size
    ran = _bounded_import(tmp_path, source, size // 2)
    error = msgspec.json.decode(ran.stdout)["error"]
    assert ran.returncode == 1
    assert error["code"] == "store_unavailable"
    assert error["hint"]
    with on_sqlite(tmp_path) as memory:
        health = memory.doctor()
        assert {check.name: check.ok for check in health.checks}["store_integrity"]
        assert 0 < health.counts["records"] < FILLING * FILLED
        kept = memory.recall(RecallRequest(terms=("prompt 1 of 0",))).passages
        assert len(kept) == 1
        report = memory.import_sessions("claude_code", [str(source)])
        records = _source(report, "claude_code").records
        assert records.parsed + health.counts["records"] == FILLING * FILLED
        assert memory.digest() == undisturbed


class _Blind(ClaudeCode):
    """The importer as it was before it knew its own format."""

    version = ClaudeCode.version - 1

    def recognises(self, head: bytes) -> bool:
        return not head


class _Mute(ClaudeCode):
    """The importer as it was before it found a word in what it read."""

    version = ClaudeCode.version - 1

    def convert(self, state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
        return replace(super().convert(state, records), events=())


@pytest.mark.parametrize("older", [_Blind(), _Mute()])
def test_a_file_that_failed_is_tried_again_when_the_importer_is_a_better_one(
    tmp_path: Path, older: Importer
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines([claude_user(1, "press the fern")]))
    better = load_importers()
    before = Importers(working={**better.working, "claude_code": older})
    for _ in range(2):
        with _memory(tmp_path, before) as memory:
            report = memory.import_sessions("claude_code", [str(path)])
            assert _source(report, "claude_code").files_failed == 1
            assert not memory.doctor().ok
    with _memory(tmp_path, better) as memory:
        report = memory.import_sessions("claude_code", [str(path)])
        assert _source(report, "claude_code").files_imported == 1
        assert _hits(memory, "fern") == (1, 1)
        assert memory.doctor().ok


def _memory(folder: Path, importers: Importers) -> Memory:
    return join(
        with_records(sqlite_store(folder)),
        importers=importers,
        clock=FakeClock(),
        machine=Machine(environment={}, home=str(folder)),
    )


def test_listing_sessions_opens_no_session_file(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _folder(tmp_path, sessions=12, messages=1)
    memory.import_sessions("claude_code", [str(folder)])

    def refuse(*_arguments: object, **_options: object) -> None:
        raise AssertionError("a session file was opened")

    monkeypatch.setattr("builtins.open", refuse)
    listed = memory.sessions(limit=5)
    assert (len(listed.sessions), listed.total) == (5, 12)
