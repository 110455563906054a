"""Streams through the API: what is stored as it arrives, what waits, and what ends a stream."""

from pathlib import Path

import pytest

from recense.adapters.memory.store import MemoryStore
from recense.errors import CredentialShaped, InvalidRequest, NotFound, StoreBusy, StoreConflict
from recense.operations.admin import TranscriptMessage
from recense.operations.grep import GrepRequest
from recense.operations.recall import MoreRequest, RecallRequest
from recense.operations.sessions import AppendedEvent, OpenSession, StreamDelta, StreamReport
from recense.services import streams
from recense.services.memory import Memory
from recense.testing import Boundary, Fault, FaultyStore, SeededChance
from tests.end_to_end.worlds import memory_over, on_reference

SESSION = "api:s"
TOKEN = "gh" + "p_" + "Zr7Kq2MvX9tB4wLhD8nPc3FyGs6JaU5eRkTo"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A memory over the reference store, with one open session."""
    return _opened(on_reference(tmp_path))


def _opened(memory: Memory) -> Memory:
    memory.session_open(OpenSession(session="s"))
    return memory


def _stream(memory: Memory, *deltas: str, stream: str = "reply") -> StreamReport:
    for delta in deltas[:-1]:
        memory.session_stream(SESSION, StreamDelta(stream=stream, delta=delta))
    return memory.session_stream(SESSION, StreamDelta(stream=stream, delta=deltas[-1]))


def _complete(memory: Memory, text: str, stream: str = "reply") -> None:
    payload = f'{{"kind":"text","role":"model","text":"{text}"}}'.encode()
    event = AppendedEvent(event_id=stream, stream=stream, payload=payload)
    memory.session_append(SESSION, [event])


def _messages(memory: Memory) -> tuple[TranscriptMessage, ...]:
    return memory.transcript(SESSION).messages


def _texts(memory: Memory) -> list[str]:
    return [message.text for message in _messages(memory)]


def test_a_text_that_is_arriving_reads_as_one_message(memory: Memory) -> None:
    report = _stream(memory, "deploy ", "in progress")
    assert report == StreamReport(session=SESSION, stream="reply", stored=18, held=0)
    assert _texts(memory) == ["deploy in progress"]


def test_a_term_across_two_pieces_is_found_by_recall_more_and_grep(memory: Memory) -> None:
    _stream(memory, "deploy ", "in progress")
    (passage,) = memory.recall(RecallRequest(terms=("oy in pro",))).passages
    assert passage.messages[0].text == "deploy in progress"
    assert memory.recall_more(MoreRequest(anchor=passage.anchor)).messages == passage.messages
    assert memory.grep(GrepRequest(pattern="oy in pro")).total == 1


def test_the_completed_event_takes_the_place_of_the_stream_and_its_anchor(memory: Memory) -> None:
    _stream(memory, "deploy ", "in progress")
    (open_message,) = _messages(memory)
    _complete(memory, "deploy in progress, done")
    (settled,) = _messages(memory)
    assert settled.text == "deploy in progress, done"
    assert (settled.anchor, settled.turn) == (open_message.anchor, open_message.turn)


def test_a_session_reads_the_same_while_its_last_text_arrives_and_after(memory: Memory) -> None:
    prompt = AppendedEvent(
        event_id="p", payload=b'{"kind":"text","role":"user","text":"deploy it"}'
    )
    memory.session_append(SESSION, [prompt])
    _stream(memory, "deploy ", "in progress")
    before = _messages(memory)
    _complete(memory, "deploy in progress")
    assert _messages(memory) == before


def test_open_streams_stand_in_the_order_in_which_they_began(memory: Memory) -> None:
    _stream(memory, "one two ", stream="z")
    payload = b'{"kind":"text","role":"model","text":"between"}'
    memory.session_append(SESSION, [AppendedEvent(event_id="e", payload=payload)])
    _stream(memory, "five six ", stream="b")
    _stream(memory, "three four ", stream="a")
    assert _texts(memory) == ["between", "one two ", "three four ", "five six "]


def test_a_piece_that_comes_after_completion_is_dropped(memory: Memory) -> None:
    _stream(memory, "deploy ")
    _complete(memory, "deployed")
    assert _stream(memory, "too late ").dropped
    assert _texts(memory) == ["deployed"]


def test_another_process_knows_of_the_completion(tmp_path: Path) -> None:
    store = MemoryStore(SeededChance(3))
    one, other = _opened(memory_over(store, tmp_path)), memory_over(store, tmp_path)
    _stream(one, "deploy ")
    _complete(other, "deployed")
    assert _stream(one, "too late ").dropped
    assert _texts(one) == ["deployed"]


def test_completing_again_changes_nothing(memory: Memory) -> None:
    _stream(memory, "deploy ")
    _complete(memory, "deployed")
    _complete(memory, "deployed twice")
    assert _texts(memory) == ["deployed"]


def test_a_completed_event_has_the_key_of_its_stream_as_id(memory: Memory) -> None:
    event = AppendedEvent(
        event_id="e", stream="reply", payload=b'{"kind":"text","role":"model","text":"x"}'
    )
    with pytest.raises(InvalidRequest, match="reply"):
        memory.session_append(SESSION, [event])


def test_what_a_secret_arrives_in_waits_and_is_hidden_when_it_ends(memory: Memory) -> None:
    report = _stream(memory, "use ", TOKEN[:20])
    assert (report.stored, report.held) == (4, 20)
    assert _texts(memory) == ["use "]
    report = _stream(memory, TOKEN[20:] + " now and then ")
    assert report.held == 0
    assert _texts(memory) == ["use [redacted:github-token] now and then "]


def test_closing_a_session_makes_events_of_its_streams_with_what_was_held(memory: Memory) -> None:
    _stream(memory, "deploy it n")
    _stream(memory, "x", stream="short")
    closed = memory.session_close("s")
    assert closed.events == 2
    assert _texts(memory) == ["deploy it n", "x"]
    with pytest.raises(InvalidRequest, match="closed"):
        _stream(memory, "more")


def test_a_stream_of_a_process_that_died_stays_readable_and_goes_on_in_the_next(
    tmp_path: Path,
) -> None:
    store = MemoryStore(SeededChance(3))
    _stream(_opened(memory_over(store, tmp_path)), "the password", ": ")
    heir = memory_over(store, tmp_path)
    assert _texts(heir) == ["the password"]
    _stream(heir, ": hun" + "ter2\nand more ")
    assert _texts(heir) == ["the password: [redacted:password]\nand more "]


def test_of_two_writers_the_second_is_refused_and_then_goes_on_from_what_is_stored(
    tmp_path: Path,
) -> None:
    store = MemoryStore(SeededChance(3))
    one, other = _opened(memory_over(store, tmp_path)), memory_over(store, tmp_path)
    _stream(one, "one ")
    _stream(other, "two ")
    with pytest.raises(StoreConflict, match="another process"):
        _stream(one, "three ")
    assert _texts(one) == ["one two "]
    _stream(one, "four ")
    assert _texts(one) == ["one two four "]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_piece_that_failed_may_be_sent_again_and_is_kept_once(
    tmp_path: Path, moment: str
) -> None:
    boundary = Boundary(method="stream", call=2, moment="before" if moment == "before" else "after")
    fault = Fault.raising(boundary, StoreBusy("another process is writing"))
    memory = _opened(memory_over(FaultyStore(MemoryStore(SeededChance(3)), [fault]), tmp_path))
    _stream(memory, "one ")
    with pytest.raises(StoreBusy):
        _stream(memory, "two ")
    _stream(memory, "two ")
    assert _texts(memory) == ["one two "]


def test_a_character_that_is_cut_in_half_is_put_together(memory: Memory) -> None:
    _stream(memory, "a \ud83d", "\ude00 b \ud83d", "c \x00 ")
    assert _texts(memory) == ["a \U0001f600 b \ufffdc \ufffd "]


def test_a_user_may_stream_too_and_opens_a_turn(memory: Memory) -> None:
    memory.session_stream(SESSION, StreamDelta(stream="ask", delta="please wait ", role="user"))
    (message,) = _messages(memory)
    assert (message.role, message.turn) == ("user", "ask")


@pytest.mark.parametrize(
    "delta",
    [
        StreamDelta(stream="", delta="x"),
        StreamDelta(stream="a\nb", delta="x"),
        StreamDelta(stream="k", delta="x", message=""),
        StreamDelta(stream="k", delta="x", at="yesterday"),
    ],
)
def test_a_piece_with_a_field_that_cannot_be_kept_is_refused(
    memory: Memory, delta: StreamDelta
) -> None:
    with pytest.raises(InvalidRequest):
        memory.session_stream(SESSION, delta)


def test_a_secret_is_no_key_of_a_stream(memory: Memory) -> None:
    with pytest.raises(CredentialShaped):
        memory.session_stream(SESSION, StreamDelta(stream=TOKEN, delta="x"))


def test_an_unknown_session_is_not_found(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.session_stream("nobody", StreamDelta(stream="k", delta="x"))


def test_streams_that_hold_nothing_make_room_and_others_are_never_given_up(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "STREAMS_ARRIVING_MAX", 2)
    _stream(memory, "done ", stream="a")
    _stream(memory, "held sk-", stream="b")
    _stream(memory, "held sk-", stream="c")
    with pytest.raises(InvalidRequest, match="2 streams"):
        _stream(memory, "x ", stream="a")
    _complete(memory, "held", stream="b")
    assert _stream(memory, "again ", stream="a").stored == len("done again ")


def test_a_session_that_is_forgotten_takes_its_streams_along(memory: Memory) -> None:
    _stream(memory, "deploy ")
    memory.forget_session(SESSION)
    with pytest.raises(NotFound):
        _stream(memory, "more ")


def test_what_closing_hid_is_counted_by_kind(memory: Memory) -> None:
    _stream(memory, f"use {TOKEN} ", "now ")
    memory.session_close(SESSION)
    assert "[redacted:github-token]" in _texts(memory)[0]
    assert memory.doctor().ok


def test_a_stream_that_begins_while_its_event_is_appended_is_taken_back(tmp_path: Path) -> None:
    store = MemoryStore(SeededChance(3))
    other = _opened(memory_over(store, tmp_path))
    before = Boundary(method="stream", call=1, moment="before")
    fault = Fault(at=before, act=lambda: _complete(other, "deployed"))
    memory = memory_over(FaultyStore(store, [fault]), tmp_path)
    assert _stream(memory, "deploy ").dropped
    assert _texts(other) == ["deployed"]
    with store.snapshot() as reader:
        assert reader.streams(SESSION) == []
