"""Damage that comes after a session was kept is told by every answer, never passed over."""

from pathlib import Path

import pytest

from recense.adapters.sqlite.connections import connect
from recense.adapters.sqlite.driver import SqlValue
from recense.operations.grep import GrepRequest
from recense.operations.recall import RecallRequest, SessionUnreadable
from tests.end_to_end.worlds import on_sqlite
from tests.importers.builders import SESSION, claude_assistant, claude_user, lines, text_block

OTHER = b'{"kind":"note","text":"other"}'
BEYOND = 2**62
"""An instant of no year between 1 and 9999."""

DAMAGES: dict[str, tuple[str, tuple[SqlValue, ...]]] = {
    "a payload that was changed": ("UPDATE events SET payload = ? WHERE ordinal = 1", (OTHER,)),
    "an instant beyond all": ("UPDATE events SET at = ? WHERE ordinal = 1", (BEYOND,)),
    "an event that is gone": ("DELETE FROM events WHERE ordinal = 1", ()),
    "all events gone": ("DELETE FROM events", ()),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_answer_says_that_a_session_cannot_be_read_whole(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(
        lines([claude_user(1, "press the fern"), claude_assistant(2, text_block("the moss too"))])
    )
    with on_sqlite(tmp_path) as memory:
        memory.import_sessions("claude_code", [str(file)])
    connection = connect(tmp_path / "recense.db", busy_wait_ms=0)
    connection.execute(*DAMAGES[damage])
    connection.close()
    with on_sqlite(tmp_path) as memory:
        lost = 2 if damage == "all events gone" else 1
        gap = SessionUnreadable(session=f"claude_code:{SESSION}", events=lost)
        assert gap in memory.recall(RecallRequest(terms=("moss",))).gaps
        assert gap in memory.grep(GrepRequest(pattern="moss")).gaps
        assert gap in memory.transcript(SESSION).gaps
        assert any(not check.ok for check in memory.doctor().checks)
