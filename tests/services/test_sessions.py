"""Sessions through the API: what is refused at the border, what is cleaned, what is listed."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.adapters.memory.store import MemoryStore
from recense.errors import InvalidRequest, StoreConflict
from recense.limits import CONFLICTS_MAX, IDENTIFIER_CODE_POINTS_MAX, TITLE_CODE_POINTS_MAX
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.ports.transcripts import LedgerPage
from recense.services.memory import Memory
from recense.testing import SeededChance
from tests.end_to_end.worlds import memory_over, on_reference

LONG = "x" * (IDENTIFIER_CODE_POINTS_MAX + 1)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A memory over the reference store."""
    return on_reference(tmp_path)


def _said(
    event_id: str, payload: bytes = b'{"kind":"text","role":"user","text":"moss"}'
) -> AppendedEvent:
    return AppendedEvent(event_id=event_id, payload=payload)


@pytest.mark.parametrize("text", ["", " ", "a\nb", "a\x00b", "a\u2028b", "\ud800", LONG])
@pytest.mark.parametrize("field", ["session", "source", "parent"])
def test_an_identifier_that_cannot_be_kept_is_refused(
    memory: Memory, field: str, text: str
) -> None:
    request = replace(OpenSession(session="s"), **{field: text})
    with pytest.raises(InvalidRequest, match=field):
        memory.session_open(request)
    assert memory.sessions().total == 0


@pytest.mark.parametrize("source", ["claude_code", "codex", "claude_code:x"])
def test_nobody_writes_sessions_in_the_name_of_an_importer(memory: Memory, source: str) -> None:
    with pytest.raises(InvalidRequest, match="source"):
        memory.session_open(OpenSession(session="s", source=source))


@pytest.mark.parametrize("workspace", ["", "/a\nb", "/a\x1b[2J"])
def test_a_workspace_that_is_no_path_is_refused(memory: Memory, workspace: str) -> None:
    with pytest.raises(InvalidRequest, match="workspace"):
        memory.session_open(OpenSession(session="s", workspace=workspace))


def test_a_title_is_one_line_and_short_and_an_empty_one_is_none(memory: Memory) -> None:
    long = memory.session_open(OpenSession(session="a", title="of\n moss \x00 " + "y" * 600)).title
    assert long is not None
    assert long.startswith("of moss \ufffd y")
    assert len(long) == TITLE_CODE_POINTS_MAX
    assert memory.session_open(OpenSession(session="b", title=" \n")).title is None


@pytest.mark.parametrize("event_id", ["", "a\nb", LONG])
def test_an_event_id_that_cannot_be_kept_is_refused_with_the_whole_call(
    memory: Memory, event_id: str
) -> None:
    session = memory.session_open(OpenSession(session="s")).session
    with pytest.raises(InvalidRequest, match="event_id of event 1"):
        memory.session_append(session, [_said("good"), _said(event_id)])
    assert memory.transcript(session).total == 0


@pytest.mark.parametrize(
    "written", [b"\x00", b"\\u0000", b"\xed\xa0\x80", b"\\ud800", b"\\uDC00"], ids=repr
)
def test_what_is_no_text_is_replaced_in_a_payload(memory: Memory, written: bytes) -> None:
    session = memory.session_open(OpenSession(session="s")).session
    payload = b'{"kind":"text","role":"user","text":"moss ' + written + b' fern"}'
    memory.session_append(session, [_said("e", payload)])
    assert memory.transcript(session).messages[0].text == "moss \ufffd fern"


def test_a_pair_of_surrogates_stays_the_character_it_is(memory: Memory) -> None:
    session = memory.session_open(OpenSession(session="s")).session
    payload = json.dumps({"kind": "text", "role": "user", "text": "moss 🌿"}).encode()
    memory.session_append(session, [_said("e", payload)])
    assert memory.transcript(session).messages[0].text == "moss 🌿"


def test_a_workspace_lists_what_lies_below_it_and_no_neighbour(memory: Memory) -> None:
    for number, workspace in enumerate(("/work/app", "/work/app/web", "/work/app2", None)):
        memory.session_open(OpenSession(session=f"s{number}", workspace=workspace))
    listed = memory.sessions(workspace="/work/app/").sessions
    assert {each.workspace for each in listed} == {"/work/app", "/work/app/web"}


def test_negative_pages_are_refused(memory: Memory) -> None:
    session = memory.session_open(OpenSession(session="s")).session
    with pytest.raises(InvalidRequest, match="limit"):
        memory.sessions(limit=-1)
    with pytest.raises(InvalidRequest, match="offset"):
        memory.sessions(offset=-1)
    with pytest.raises(InvalidRequest, match="first"):
        memory.transcript(session, first=-1)
    with pytest.raises(InvalidRequest, match="count"):
        memory.transcript(session, count=-1)


class ContendedStore(MemoryStore):
    """A store in which another process comes first, this many times."""

    conflicts = 0

    def append(self, page: LedgerPage) -> None:
        if self.conflicts:
            self.conflicts -= 1
            raise StoreConflict("another was first")
        super().append(page)


def test_a_close_goes_on_after_conflicts_and_ends_when_they_do_not(tmp_path: Path) -> None:
    store = ContendedStore(SeededChance(3))
    memory = memory_over(store, tmp_path)
    session = memory.session_open(OpenSession(session="s")).session
    memory.session_append(session, [_said("e")])
    store.conflicts = CONFLICTS_MAX
    with pytest.raises(StoreConflict):
        memory.session_close(session)
    store.conflicts = CONFLICTS_MAX - 1
    assert memory.session_close(session).events == 1
    assert memory.session_close(session).events == 1
    assert memory.sessions().sessions[0].messages == 1
    with pytest.raises(InvalidRequest, match="closed"):
        memory.session_append(session, [_said("f")])
