"""Both importers on real files: counts and laws only, never a word of what the files say."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.core.transcript.events import Text
from recense.core.transcript.records import ArchivedRecord, SourceRecord
from recense.limits import STATE_BYTES_MAX
from recense.ports.sources import Importer
from tests.importers.builders import CLAUDE, CODEX, converted, read

CUTS = 20


def by_session(records: Iterable[SourceRecord]) -> dict[str, list[ArchivedRecord]]:
    """Return the parsed records of each session as they were read, without the gate."""
    sessions: dict[str, list[ArchivedRecord]] = defaultdict(list)
    for record in records:
        if record.disposition == "parsed":
            mine = sessions[record.source_session_id]
            mine.append(
                ArchivedRecord(
                    seq=len(mine),
                    position=record.position,
                    uuid=record.uuid,
                    identity=b"",
                    type=record.type,
                    at=record.at,
                    disposition=record.disposition,
                    record=record.record,
                )
            )
    return sessions


def transcripts(shared_data: Path, *folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((shared_data / "transcripts" / folder).rglob("*.jsonl"))


@pytest.mark.parametrize("importer", [CLAUDE, CODEX], ids=lambda importer: importer.name)
def test_no_file_makes_an_importer_raise_and_every_byte_is_accounted_for(
    shared_data: Path, importer: Importer
) -> None:
    files = list(transcripts(shared_data, "claude-code", "codex", "multi", "pi"))
    assert len(files) > 200
    for path in files:
        data = path.read_bytes()
        readout = read(importer, data, str(path))
        assert readout.offset + readout.waiting == len(data), path
        for records in by_session(readout.records).values():
            result = converted(importer, records)
            assert len(result.state) <= STATE_BYTES_MAX
            assert len(readout.state) <= STATE_BYTES_MAX


def test_real_files_are_understood_whole(shared_data: Path) -> None:
    dispositions: Counter[str] = Counter()
    waiting: list[str] = []
    for path in transcripts(shared_data, "claude-code"):
        data = path.read_bytes()
        if not (CLAUDE.claims(str(path)) and data and CLAUDE.recognises(data[: 64 * 1024])):
            continue
        readout = read(CLAUDE, data, str(path))
        dispositions.update(record.disposition for record in readout.records)
        if readout.waiting:
            waiting.append(path.name)
    assert dispositions["bad"] == 6  # what two fixtures have on purpose
    assert dispositions["parsed"] > 8_000
    assert len(waiting) == 3  # one record each, none of which names a session


def growing(shared_data: Path) -> list[tuple[Importer, Path]]:
    claude = shared_data / "transcripts" / "claude-code"
    codex = shared_data / "transcripts" / "codex"
    return [
        (CLAUDE, next(claude.glob("entire-growth/03_*.jsonl"))),
        (CLAUDE, next(claude.glob("entire-badline/37_*.jsonl"))),
        (CLAUDE, next(claude.glob("entire-fork/child_*.jsonl"))),
        (CLAUDE, claude / "claude-code-log" / "sidechain.jsonl"),
        (CLAUDE, claude / "spotter" / "subagent.jsonl"),
        (CODEX, next(codex.rglob("rollout-*.jsonl"))),
    ]


def test_real_files_give_the_same_records_and_events_wherever_they_are_cut(
    shared_data: Path,
) -> None:
    chance = random.Random(20260203)
    for importer, path in growing(shared_data):
        data = path.read_bytes()
        whole = read(importer, data, str(path))
        expected = [replace(record, size=0) for record in whole.records]
        cuts = sorted(chance.randrange(len(data)) for _ in range(CUTS))
        grown = read(importer, data, str(path), grown_at=cuts)
        assert [replace(record, size=0) for record in grown.records] == expected
        for cut in cuts:
            once = read(importer, data, str(path), grown_at=[cut])
            assert [replace(record, size=0) for record in once.records] == expected
        for records in by_session(whole.records).values():
            at_once = converted(importer, records)
            for _ in range(CUTS):
                places = [chance.randrange(len(records) + 1) for _ in range(3)]
                pieces = converted(importer, records, cuts=places)
                assert (pieces.events, pieces.state) == (at_once.events, at_once.state)


def test_a_growing_session_keeps_its_records(shared_data: Path) -> None:
    folder = shared_data / "transcripts" / "claude-code" / "entire-growth"
    captures = [read(CLAUDE, path.read_bytes()).records for path in sorted(folder.glob("*.jsonl"))]
    assert len(captures) == 4
    for earlier, later in pairwise(captures):
        if len(later) > len(earlier):
            common = [replace(record, size=0) for record in later[: len(earlier)]]
            assert common == [replace(record, size=0) for record in earlier]


def test_glued_lines_give_both_objects(shared_data: Path) -> None:
    folder = shared_data / "transcripts" / "claude-code" / "entire-badline"
    extra = 0
    for path in folder.glob("*.jsonl"):
        data = path.read_bytes()
        records = read(CLAUDE, data).records
        assert {record.disposition for record in records} <= {"parsed", "skipped"}
        extra += len(records) - len(data.strip().split(b"\n"))
    assert extra == 3


def test_a_fork_and_its_original_share_identities_and_event_ids(shared_data: Path) -> None:
    folder = shared_data / "transcripts" / "claude-code" / "entire-fork"
    sides: list[tuple[set[tuple[str, bytes]], set[str]]] = []
    for name in ("parent", "child"):
        records = read(CLAUDE, next(folder.glob(f"{name}_*.jsonl")).read_bytes()).records
        identities = {(record.uuid, record.content) for record in records if record.uuid}
        events = {
            event.event_id
            for mine in by_session(records).values()
            for event in converted(CLAUDE, mine).events
        }
        sides.append((identities, events))
    (parent, parent_events), (child, child_events) = sides
    assert len(parent & child) == 34
    assert parent_events <= child_events
    assert 0 < len(parent_events) < len(child_events)


def test_one_uuid_with_different_messages_loses_none(shared_data: Path) -> None:
    said: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for path in transcripts(shared_data, "claude-code"):
        for records in by_session(read(CLAUDE, path.read_bytes(), str(path)).records).values():
            for record in records:
                for event in CLAUDE.convert(b"", [record]).events:
                    if isinstance(event.payload, Text) and record.uuid is not None:
                        key = f"{record.uuid}/{event.payload.role}"
                        said[key].add((event.event_id, event.payload.text))
    several = [texts for texts in said.values() if len({text for _, text in texts}) > 1]
    assert len(several) >= 10
    for texts in several:
        by_id: dict[str, set[str]] = defaultdict(set)
        for event_id, text in texts:
            by_id[event_id].add(text)
        assert all(len(different) == 1 for different in by_id.values())


def test_a_resumed_sessions_last_record_written_again_is_the_same_record(
    shared_data: Path,
) -> None:
    folder = shared_data / "transcripts" / "claude-code" / "entire-badline"
    repeated = 0
    for path in folder.glob("*.jsonl"):
        records = [record for record in read(CLAUDE, path.read_bytes()).records if record.uuid]
        contents: dict[str | None, set[bytes]] = defaultdict(set)
        for record in records:
            contents[record.uuid].add(record.content)
        assert all(len(different) == 1 for different in contents.values())
        repeated += len(records) - len(contents)
    assert repeated == 3


def test_the_prompt_of_a_real_rollout_is_found_once(shared_data: Path) -> None:
    path = next((shared_data / "transcripts" / "codex").rglob("rollout-*.jsonl"))
    (records,) = by_session(read(CODEX, path.read_bytes(), str(path)).records).values()
    result = converted(CODEX, records)
    kinds = Counter(type(event.payload).__name__ for event in result.events)
    standings = Counter(
        event.payload.standing for event in result.events if isinstance(event.payload, Text)
    )
    assert kinds == {"Text": 2, "Thinking": 39, "ToolCall": 39, "ToolResult": 39}
    assert standings == {"boilerplate": 1, "typed": 1}


def test_surrogate_lines_are_settled(shared_data: Path) -> None:
    data = (shared_data / "unicode" / "surrogates.jsonl").read_bytes()
    for page in CLAUDE.read(BytesIO(data), "surrogates.jsonl", 0, b""):
        assert page.records == ()  # they name no session
    repaired = read(CODEX, data, "surrogates.jsonl").records
    assert [record.disposition for record in repaired] == ["skipped"] * 8
    for record in repaired:
        assert b"\x00" not in record.record
        record.record.decode()
