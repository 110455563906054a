"""Outputs that the agent keeps in files of their own."""

import os
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recense.core.transcript.events import Payload, ToolResult
from recense.core.transcript.records import SourceRecord
from recense.importers.claude_code import spilled as module
from recense.operations.recall import RecallRequest
from recense.services.memory import Memory
from tests.end_to_end.worlds import on_reference, on_sqlite
from tests.importers.builders import (
    CLAUDE,
    SESSION,
    Readout,
    archived,
    claude_assistant,
    claude_user,
    converted,
    lines,
    read,
    text_block,
    tool_result,
    tool_use,
)

BODY = "fern 1\nfern 2\n" * 4_000


def preview(name: str) -> str:
    return (
        "<persisted-output>\nOutput too large (54KB). Full output saved to: "
        f"/home/mira/.claude/projects/-h/{SESSION}/tool-results/{name}\n\n"
        "Preview (first 2KB):\nfern 1\n</persisted-output>"
    )


RECORDS = [
    claude_user(1, "list the ferns"),
    claude_assistant(2, tool_use("t1", "Bash", command="ls")),
    claude_user(3, [tool_result("t1", preview("b1.txt"))]),
    claude_assistant(4, text_block("so many")),
]


@pytest.fixture
def spill(tmp_path: Path) -> Path:
    """The body of the output, beside the session's file."""
    folder = tmp_path / SESSION / "tool-results"
    folder.mkdir(parents=True)
    (folder / "b1.txt").write_text(BODY, encoding="utf-8")
    return folder / "b1.txt"


def read_in(folder: Path, records: Sequence[object], name: str = f"{SESSION}.jsonl") -> Readout:
    return read(CLAUDE, lines(records), str(folder / name))


def payloads_in(folder: Path, records: Sequence[object] = RECORDS) -> list[Payload]:
    return converted(CLAUDE, archived(CLAUDE, read_in(folder, records).records)).payloads()


def results_in(folder: Path, records: Sequence[object] = RECORDS) -> list[ToolResult]:
    return [each for each in payloads_in(folder, records) if isinstance(each, ToolResult)]


@pytest.mark.usefixtures("spill")
def test_the_whole_body_stands_in_for_its_preview(tmp_path: Path) -> None:
    assert results_in(tmp_path) == [ToolResult(call_id="t1", content=BODY)]


@pytest.mark.usefixtures("spill")
def test_a_body_is_a_record_of_no_bytes_before_its_preview_and_at_its_place(tmp_path: Path) -> None:
    readout = read_in(tmp_path, RECORDS)
    kinds = [(record.type, record.position, record.uuid) for record in readout.records]
    assert kinds[2:4] == [("recense-spilled-output", 2, "u3:spilled"), ("user", 2, "u3")]
    assert readout.records[2].size == 0
    assert readout.offset == len(lines(RECORDS))
    assert readout.records[2].source_session_id == SESSION
    assert readout.records[2].at == readout.records[3].at


def test_a_body_that_is_gone_is_a_gap(tmp_path: Path) -> None:
    assert results_in(tmp_path) == [
        ToolResult(call_id="t1", content=preview("b1.txt"), spilled=True)
    ]


def test_a_body_that_was_cut_says_so_and_stays_a_gap(
    tmp_path: Path, spill: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SPILLED_BYTES_MAX", 14)
    beyond = spill.stat().st_size - 14
    cut = f"fern 1\nfern 2\n\n[… {beyond} bytes more]"
    assert results_in(tmp_path) == [ToolResult(call_id="t1", content=cut, spilled=True)]


@pytest.mark.parametrize(
    "name",
    ["../../outside.txt", "/etc/hostname", "..", "", "link.txt", "pipe", "folder", "a\\b/nothing"],
)
def test_nothing_outside_of_the_sessions_own_folder_and_no_pipe_is_opened(
    tmp_path: Path, spill: Path, name: str
) -> None:
    (tmp_path / "outside.txt").write_text("private", encoding="utf-8")
    (spill.parent / "link.txt").symlink_to(tmp_path / "outside.txt")
    (spill.parent / "folder").mkdir()
    os.mkfifo(spill.parent / "pipe")
    records = [claude_user(1, "go"), claude_user(2, [tool_result("t1", preview(name))])]
    assert [result.spilled for result in results_in(tmp_path, records)] == [True]


@pytest.mark.usefixtures("spill")
def test_a_folder_of_outputs_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    other = "0a1b2c3d-0000-4000-8000-000000000009"
    (tmp_path / other).mkdir()
    (tmp_path / other / "tool-results").symlink_to(tmp_path / SESSION / "tool-results")
    records = [record | {"sessionId": other} for record in RECORDS]
    assert [result.spilled for result in results_in(tmp_path, records)] == [True]


@pytest.mark.parametrize(
    "name",
    [
        f"{SESSION}/subagents/agent-a1.jsonl",
        f"{SESSION}/subagents/workflows/w1/agent-a1.jsonl",
        "agent-a1.jsonl",
    ],
)
@pytest.mark.usefixtures("spill")
def test_the_outputs_of_a_sub_agent_lie_with_its_parent(tmp_path: Path, name: str) -> None:
    records = [record | {"agentId": "a1", "isSidechain": True} for record in RECORDS]
    found = [record for record in read_in(tmp_path, records, name).records if record.size == 0]
    assert [record.source_session_id for record in found] == [f"{SESSION}/a1"]


@pytest.mark.usefixtures("spill")
def test_of_results_in_one_record_each_has_its_own_body(tmp_path: Path) -> None:
    (tmp_path / SESSION / "tool-results" / "b2.txt").write_text("moss", encoding="utf-8")
    failed = tool_result("t2", [text_block(preview("b2.txt"))], is_error=True)
    records = [claude_user(1, [tool_result("t1", preview("b1.txt")), failed])]
    assert results_in(tmp_path, records) == [
        ToolResult(call_id="t1", content=BODY),
        ToolResult(call_id="t2", content="moss", failed=True),
    ]


def identities(records: Sequence[SourceRecord]) -> list[tuple[object, ...]]:
    return [(record.uuid, record.position, record.content) for record in records]


def test_reading_again_without_the_body_gives_the_same_records_but_for_it(
    tmp_path: Path, spill: Path
) -> None:
    with_body = read_in(tmp_path, RECORDS).records
    spill.write_text("written anew", encoding="utf-8")
    assert identities(read_in(tmp_path, RECORDS).records) == identities(with_body)
    spill.unlink()
    without = identities(read_in(tmp_path, RECORDS).records)
    assert without == [each for each in identities(with_body) if ":spilled" not in str(each[0])]


@given(st.lists(st.integers(0, 3_000), max_size=4), st.lists(st.integers(0, 6), max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.usefixtures("spill")
def test_growth_and_cuts_change_neither_records_nor_events(
    tmp_path: Path, sizes: list[int], cuts: list[int]
) -> None:
    data = lines(RECORDS)
    path = str(tmp_path / f"{SESSION}.jsonl")
    whole = read(CLAUDE, data, path)
    grown = read(CLAUDE, data, path, grown_at=[min(size, len(data)) for size in sizes])
    assert [record.record for record in grown.records] == [
        record.record for record in whole.records
    ]
    parsed = archived(CLAUDE, whole.records)
    at_once = converted(CLAUDE, parsed)
    pieces = converted(CLAUDE, parsed, cuts=[min(cut, len(parsed)) for cut in cuts])
    assert (pieces.events, pieces.state) == (at_once.events, at_once.state)


@pytest.mark.usefixtures("spill")
def test_pages_never_part_a_body_from_its_preview_and_keep_their_bounds(tmp_path: Path) -> None:
    records = [
        claude_user(number, [tool_result(f"t{number}", preview("b1.txt"))])
        for number in range(1, 300)
    ]
    pages = list(CLAUDE.read(BytesIO(lines(records)), str(tmp_path / f"{SESSION}.jsonl"), 0, b""))
    assert all(len(page.records) <= 256 and page.records[-1].size for page in pages)
    assert sum(len(page.records) for page in pages) == 598
    assert all(sum(len(record.record) for record in page.records) < 5_000_000 for page in pages)


@pytest.mark.parametrize("store", [on_reference, on_sqlite])
def test_what_was_read_stays_when_the_body_is_gone_and_nothing_comes_twice(
    tmp_path: Path, spill: Path, store: Callable[[Path], Memory]
) -> None:
    spill.write_text(BODY + "zwitschermaschine", encoding="utf-8")
    file = tmp_path / f"{SESSION}.jsonl"
    file.write_bytes(lines(RECORDS))
    memory = store(tmp_path)
    first = memory.import_sessions("claude_code", [str(file)]).sources[0]
    assert first.messages_new == len(RECORDS)
    assert first.bytes == file.stat().st_size
    spill.unlink()
    file.write_bytes(lines([{"type": "mode", "sessionId": SESSION}, *RECORDS]))  # read anew
    again = memory.import_sessions("claude_code", [str(file)]).sources[0]
    assert again.messages_new == 0
    answer = memory.recall(RecallRequest(terms=("zwitschermaschine",), origin="all"))
    assert len(answer.passages) == 1
