"""Converting anew: a better importer needs nothing but the archive."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.core.transcript.events import Text, encode_payload
from recense.core.transcript.records import ArchivedRecord
from recense.errors import InvalidRequest
from recense.importers.claude_code import ClaudeCode
from recense.operations.recall import RecallRequest
from recense.operations.sessions import AppendedEvent
from recense.ports.sources import Conversion, Importer
from recense.ports.transcripts import TranscriptStore
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.testing import FakeClock
from recense.wiring import Importers, Policy, join
from tests.end_to_end.worlds import sqlite_store, with_records
from tests.importers.builders import SESSION, claude_assistant, claude_user, lines, text_block


class Better(ClaudeCode):
    """A later version that makes more of each text."""

    version = ClaudeCode.version + 1

    def convert(self, state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
        made = super().convert(state, records)
        events = tuple(
            replace(event, payload=replace(event.payload, text=f"better {event.payload.text}"))
            if isinstance(event.payload, Text)
            else event
            for event in made.events
        )
        return replace(made, events=events)


def _memory(store: TranscriptStore, home: Path, importer: Importer, policy: Policy) -> Memory:
    return join(
        with_records(store),
        importers=Importers(working={"claude_code": importer}),
        clock=FakeClock(),
        machine=Machine(environment={}, home=str(home)),
        policy=policy,
    )


KEPT = Policy()
DROPPED = Policy(keep_source="drop")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A session of six hundred messages: several pages."""
    made = tmp_path / "session.jsonl"
    made.write_bytes(
        lines(
            record
            for number in range(1, 600, 2)
            for record in (
                claude_user(number, f"press fern {number}"),
                claude_assistant(number + 1, text_block(f"pressed {number}")),
            )
        )
    )
    return made


def _texts(memory: Memory) -> list[str]:
    shown = memory.transcript(SESSION, count=1_000).messages
    return [message.text for message in shown]


def test_a_better_importer_converts_again_without_the_source_file(
    tmp_path: Path, file: Path
) -> None:
    store = sqlite_store(tmp_path)
    before = _memory(store, tmp_path, ClaudeCode(), KEPT)
    before.import_sessions("claude_code", [str(file)])
    anchor = before.recall(RecallRequest(terms=("fern 77",))).passages[0].anchor
    file.unlink()
    better = _memory(store, tmp_path, Better(), KEPT)
    assert [check.name for check in better.doctor().checks if not check.ok] == ["conversion"]
    report = better.convert()
    assert all(check.ok for check in better.doctor().checks)
    assert (report.sessions_converted, report.records_converted) == (1, 600)
    assert report.messages_new == 0
    texts = _texts(better)
    assert len(texts) == 600
    assert all(text.startswith("better ") for text in texts)
    assert (
        better.recall(RecallRequest(terms=("better press fern 77",))).passages[0].anchor == anchor
    )
    assert better.convert().sessions_converted == 0
    assert store.check() == ()


def test_converting_again_ends_where_a_first_conversion_would(tmp_path: Path, file: Path) -> None:
    store = sqlite_store(tmp_path)
    _memory(store, tmp_path, ClaudeCode(), KEPT).import_sessions("claude_code", [str(file)])
    again = _memory(store, tmp_path, Better(), KEPT)
    again.convert()
    fresh = _memory(sqlite_store(tmp_path, "fresh.db"), tmp_path, Better(), KEPT)
    fresh.import_sessions("claude_code", [str(file)])
    assert again.digest() == fresh.digest()


def test_an_import_converts_again_what_an_earlier_version_converted(
    tmp_path: Path, file: Path
) -> None:
    store = sqlite_store(tmp_path)
    _memory(store, tmp_path, ClaudeCode(), KEPT).import_sessions("claude_code", [str(file)])
    better = _memory(store, tmp_path, Better(), KEPT)
    report = better.import_sessions("claude_code", [str(file)])
    assert report.messages_new == 0
    assert report.sources[0].records.duplicate == 600
    assert _texts(better)[0] == "better press fern 1"


def test_what_waits_is_read_as_it_will_be_converted(tmp_path: Path, file: Path) -> None:
    store = sqlite_store(tmp_path)
    _memory(store, tmp_path, ClaudeCode(), KEPT).import_sessions("claude_code", [str(file)])
    with file.open("ab") as growing:
        growing.write(lines([claude_user(601, "press moss")]))
    better = _memory(store, tmp_path, Better(), KEPT)
    better.import_sessions("claude_code", [str(file)], archive_only=True)
    read = _texts(better)
    better.convert()
    assert read == _texts(better)
    assert len(read) == 601


def test_what_was_dropped_stays_as_it_was_converted(tmp_path: Path, file: Path) -> None:
    store = sqlite_store(tmp_path)
    _memory(store, tmp_path, ClaudeCode(), DROPPED).import_sessions("claude_code", [str(file)])
    better = _memory(store, tmp_path, Better(), DROPPED)
    assert better.convert().sessions_converted == 0
    assert _texts(better)[0] == "press fern 1"


def test_nothing_is_appended_to_an_imported_session(tmp_path: Path, file: Path) -> None:
    memory = _memory(sqlite_store(tmp_path), tmp_path, ClaudeCode(), KEPT)
    memory.import_sessions("claude_code", [str(file)])
    event = AppendedEvent(event_id="e", payload=encode_payload(Text(role="user", text="mine")))
    with pytest.raises(InvalidRequest, match="imported"):
        memory.session_append(f"claude_code:{SESSION}", [event])
