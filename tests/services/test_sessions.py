"""Sessions through the API: what is refused at the border, what is cleaned, what is listed."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.adapters.memory.store import MemoryStore
from recense.errors import CredentialShaped, InvalidRequest, StoreConflict
from recense.limits import CONFLICTS_MAX, IDENTIFIER_CODE_POINTS_MAX, TITLE_CODE_POINTS_MAX
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.ports.commits import LedgerPage
from recense.services.memory import Memory
from recense.testing import Boundary, Fault, FaultyStore, SeededChance
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

    def append(self, page: LedgerPage) -> int:
        if self.conflicts:
            self.conflicts -= 1
            raise StoreConflict("another was first")
        return super().append(page)


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


def test_an_event_is_appended_once_however_often_it_is_sent(memory: Memory) -> None:
    session = memory.session_open(OpenSession(session="s")).session
    first = memory.session_append(session, [_said("a"), _said("a"), _said("b")])
    again = memory.session_append(session, [_said("b"), _said("c")])
    assert (first.appended, first.already_held) == (2, 1)
    assert (again.appended, again.already_held) == (1, 1)
    assert memory.transcript(session).total == 3


def test_opening_a_session_again_changes_nothing(memory: Memory) -> None:
    opened = memory.session_open(OpenSession(session="s", title="moss"))
    assert memory.session_open(OpenSession(session="s", title="fern")) == opened


def test_a_closed_session_takes_nothing_more_and_stays_closed(memory: Memory) -> None:
    session = memory.session_open(OpenSession(session="s")).session
    memory.session_append(session, [_said("a")])
    assert memory.session_close(session) == memory.session_close(session)
    with pytest.raises(InvalidRequest, match="closed"):
        memory.session_append(session, [_said("b")])
    assert memory.transcript(session).total == 1


def test_an_append_that_is_overtaken_by_a_close_is_refused(tmp_path: Path) -> None:
    store = MemoryStore(SeededChance(1))
    other = memory_over(store, tmp_path)
    session = other.session_open(OpenSession(session="s")).session
    before = Boundary(method="append", call=1, moment="before")
    fault = Fault(at=before, act=lambda: other.session_close(session))
    with pytest.raises(InvalidRequest, match="closed"):
        memory_over(FaultyStore(store, [fault]), tmp_path).session_append(session, [_said("a")])
    assert other.transcript(session).total == 0


@pytest.mark.parametrize("field", ["session", "workspace", "parent"])
def test_a_secret_where_it_would_be_kept_as_it_is_is_refused(memory: Memory, field: str) -> None:
    secret = "gh" + "p_" + "Q7w9Zk3LmT5xRb8VnC2yHd6PfJ4sGa1UeWoX"
    request = replace(OpenSession(session="s"), **{field: secret})
    with pytest.raises(CredentialShaped, match=field) as refused:
        memory.session_open(request)
    assert secret not in f"{refused.value.message} {refused.value.hint}"


@pytest.mark.parametrize("field", ["session", "title", "origin", "created_at"])
def test_a_value_of_another_type_is_refused(memory: Memory, field: str) -> None:
    request = replace(OpenSession(session="s"), **{field: 7})
    with pytest.raises(InvalidRequest, match=field):
        memory.session_open(request)


def test_a_key_that_this_release_does_not_know_survives(tmp_path: Path) -> None:
    store = MemoryStore(SeededChance(1))
    memory = memory_over(store, tmp_path)
    session = memory.session_open(OpenSession(session="s")).session
    payload = b'{"kind":"text","role":"user","text":"moss","mood":"green"}'
    memory.session_append(session, [_said("a", payload)])
    with store.snapshot() as reader:
        assert [event.payload for event in reader.events(session)] == [payload]
