"""Asking by the index and without it: what the tests of narrowing share."""

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from recense.core.instants import text_from_instant
from recense.core.transcript.events import Text, encode_payload
from recense.core.transcript.messages import Message
from recense.errors import RecenseError
from recense.operations.recall import RecallAnswer, RecallRequest
from recense.operations.sessions import AppendedEvent
from recense.ports.transcripts import TranscriptStore
from recense.services.conversion import load_session
from recense.services.importing import Machine
from recense.services.memory import Memory
from recense.services.rebuilding import rebuilt
from recense.testing import FakeClock
from recense.wiring import Policy, join, load_importers
from tests.end_to_end.histories import (
    EPOCH,
    run,
)
from tests.end_to_end.worlds import sqlite_store, with_records

STORE = "recense.db"

EMPTY_INDEX = (
    "DELETE FROM images",
    "DELETE FROM index_states",
    "DELETE FROM index_mark",
    "INSERT INTO grams(grams) VALUES ('delete-all')",
    "UPDATE sessions SET indexed_events = 0, index_version = 0, redaction_version = 0",
)


def outcome(ask: Callable[[], object]) -> object:
    """Return what an operation gives, without how it came about, or the code of its refusal."""
    try:
        given = ask()
    except RecenseError as refusal:
        return refusal.code
    if isinstance(given, RecallAnswer):
        return replace(given, took_ms=0.0, path="scan")
    return replace(cast("Any", given), took_ms=0.0) if hasattr(given, "took_ms") else given


def copied(folder: Path, target: Path, *statements: str) -> Path:
    """Copy a store that nobody writes to, then execute statements on the copy."""
    target.mkdir()
    for file in folder.glob(f"{STORE}*"):
        shutil.copy(file, target / file.name)
    if statements:
        run(target / STORE, *statements)
    return target


def ask_both_ways(memory: Memory, asked: Sequence[RecallRequest]) -> Counter[str]:
    """Ask each question by the index and by the full scan; count what came of it."""
    counts: Counter[str] = Counter()
    for request in asked:
        try:
            verified = memory.verify_scan(replace(request, explain=True))
        except RecenseError as refusal:
            counts[refusal.code] += 1
            continue
        assert verified.is_equal, (request, verified.difference)
        counts[verified.answer.path] += 1
        counts["hits"] += bool(verified.answer.passages)
    return counts


def on_keeping(folder: Path) -> Memory:
    """Return a memory over a SQLite file that keeps secrets as they are."""
    return join(
        with_records(sqlite_store(folder)),
        importers=load_importers(),
        clock=FakeClock(),
        machine=Machine(environment={}, home=str(folder)),
        policy=Policy(redact_secrets=False),
    )


def said(event_id: str, text: str) -> AppendedEvent:
    payload = encode_payload(Text(role="user", text=text))
    return AppendedEvent(event_id=event_id, at=text_from_instant(EPOCH), payload=payload)


def assert_rebuilt(store: TranscriptStore) -> int:
    """Rebuild every message of the sessions that the index answers for; return how many."""
    importers = load_importers().working
    count = 0
    with store.snapshot() as reader:
        index = reader.message_index()
        assert index is not None
        for session in list(reader.sessions()):
            vouched = index.vouched(session.session_id)
            if vouched is None:
                continue
            for message in load_session(reader, session, importers).transcript.messages:
                row = index.at(vouched.number, message.position)
                assert row is not None
                events = reader.events_at(session.session_id, (row.ordinal, *row.more_ordinals))
                assert _without_place(rebuilt(events)) == _without_place(message)
                assert row.live == (not message.flags)
                assert row.turn == message.turn
                count += 1
    store.close()
    return count


def _without_place(message: Message) -> Message:
    return replace(message, position=0, ordinal=0, turn="", flags=frozenset(), thinking=())
