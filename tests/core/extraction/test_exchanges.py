"""Exchange messages: how a session falls into the pieces that are read."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.extraction.exchanges import Exchange, exchanges_of, tokens_of, window
from recense.core.text.tokens import estimate_tokens
from recense.core.transcript.messages import Message, Run, visible_text
from tests.core.extraction.pieces import CHARACTERS, message, sessions, texts, users
from tests.core.text.secret_shapes import SHAPES

PIECES = st.lists(st.text(CHARACTERS, min_size=1, max_size=12), min_size=1, max_size=4)


def _shown(messages: list[Message]) -> set[str]:
    return {
        each.event_id
        for each in messages
        if not each.flags and each.kind not in {"summary", "note"} and visible_text(each).strip()
    }


def _agent_piece(parts: list[str]) -> Exchange | None:
    """Return a piece of one call and its results, of these texts; None where all are blank."""
    first, *rest = parts
    messages = [message(0, "tool_call", first, call_id="c")]
    messages += [
        message(place, "tool_result", each, call_id="c") for place, each in enumerate(rest, 1)
    ]
    return next(iter(exchanges_of(messages)), None)


@given(sessions())
def test_everything_that_was_said_is_in_one_piece_and_in_no_other(messages: list[Message]) -> None:
    shown = [part.event_id for each in exchanges_of(messages) for part in each.parts]
    assert Counter(shown) == Counter(_shown(messages))


@given(sessions())
def test_a_call_and_its_results_are_never_apart(messages: list[Message]) -> None:
    of_event = {
        part.event_id: place
        for place, each in enumerate(exchanges_of(messages))
        for part in each.parts
    }
    calls = {each.call_id: each for each in messages if each.kind == "tool_call"}
    for result in messages:
        call = calls.get(result.call_id) if result.kind == "tool_result" else None
        if (
            call is not None
            and not call.flags
            and {call.event_id, result.event_id} <= of_event.keys()
        ):
            assert of_event[call.event_id] == of_event[result.event_id]


@given(sessions())
def test_a_piece_has_one_message_of_the_person_alone_or_none(messages: list[Message]) -> None:
    for each in exchanges_of(messages):
        authors = [part.author for part in each.parts]
        assert "user" not in authors or authors == ["user"]


@given(sessions(), st.integers(0, 14))
def test_what_a_prefix_gives_is_the_beginning_of_the_whole_but_for_the_last_and_late_results(
    messages: list[Message], cut: int
) -> None:
    before, whole = exchanges_of(messages[:cut]), exchanges_of(messages)
    begun = {each.position: each for each in whole}
    late = {each.event_id for each in messages[cut:]}
    for piece in before:
        grown = begun[piece.position]
        kept = tuple(part for part in grown.parts if part.event_id not in late)
        assert kept == piece.parts
        if grown.parts == piece.parts:
            assert grown.fingerprint == piece.fingerprint
    shown = [each.position for each in before if begun[each.position].parts == each.parts]
    assert shown == sorted(shown)


def test_a_late_result_changes_the_piece_of_its_call_and_no_other() -> None:
    messages = [
        message(0, "user", "sort the mosses"),
        message(1, "assistant", "I begin"),
        message(2, "tool_call", "sort()", call_id="slow"),
        message(3, "user", "and the ferns"),
        message(4, "tool_call", "count()", call_id="fast"),
        message(5, "tool_result", "12", call_id="fast"),
    ]
    before = exchanges_of(messages)
    after = exchanges_of([*messages, message(6, "tool_result", "sorted", call_id="slow")])
    assert [each.is_open for each in before] == [False, True, False, False]
    assert [one.fingerprint == two.fingerprint for one, two in zip(before, after, strict=True)] == [
        True,
        False,
        True,
        True,
    ]
    assert not after[1].is_open


@given(sessions())
def test_equal_pieces_are_told_apart_by_how_many_there_were_before(messages: list[Message]) -> None:
    seen: Counter[str] = Counter()
    for each in exchanges_of([*messages, *messages]):
        assert each.unit == (each.fingerprint, seen[each.fingerprint])
        seen[each.fingerprint] += 1


@given(sessions(), st.integers(0, 10**15))
def test_no_instant_no_event_id_and_no_place_is_in_a_fingerprint(
    messages: list[Message], at: int
) -> None:
    moved = [
        replace(each, at=at, event_id=f"x{each.event_id}", position=each.position + 7, turn="x")
        for each in messages
    ]
    one, other = exchanges_of(messages), exchanges_of(moved)
    assert [each.unit for each in one] == [each.unit for each in other]


def test_who_wrote_the_words_and_where_a_part_ends_are_in_a_fingerprint() -> None:
    def fingerprint(*given: Message) -> str:
        return exchanges_of(given)[0].fingerprint

    assert (
        len(
            {
                fingerprint(message(0, "user", "ab")),
                fingerprint(message(0, "user", "ab", by_person=False)),
                fingerprint(message(0, "tool_result", "ab")),
                fingerprint(
                    message(0, "tool_call", "a", call_id="c"), message(1, "tool_call", "b")
                ),
                fingerprint(
                    message(0, "tool_call", "ab", call_id="c"), message(1, "tool_call", "")
                ),
            }
        )
        == 4
    )  # the last says what the second does


def test_a_secret_is_in_no_piece_and_in_no_size() -> None:
    for shape in SHAPES:
        (piece,) = users(shape.text)
        assert shape.secret not in texts(piece)
        assert piece.size == len(texts(piece).encode())


@given(PIECES, st.integers(1, 20))
def test_the_windows_of_a_piece_joined_are_its_text_and_none_is_empty(
    parts: list[str], bytes_max: int
) -> None:
    piece = _agent_piece(parts)
    if piece is None:
        return
    joined, start = "", 0
    while start < piece.size:
        shown = window(piece, start, bytes_max)
        size = sum(len(part.text.encode()) for part in shown.message.parts)
        assert shown.start == start
        assert 0 < shown.end - start == size
        characters = sum(len(part.text) for part in shown.message.parts)
        assert size <= bytes_max or characters == 1
        assert all(part.text for part in shown.message.parts)
        joined += "".join(part.text for part in shown.message.parts)
        start = shown.end
    assert joined == texts(piece)


def test_a_window_ends_after_a_line_and_names_the_event_of_each_part() -> None:
    piece = _agent_piece(["look()\n", "line one\nline two\nline three\n"])
    assert piece is not None
    first = window(piece, 0, 22)
    assert [(part.event_id, part.text) for part in first.message.parts] == [
        ("e0", "look()\n"),
        ("e1", "line one\n"),
    ]
    second = window(piece, first.end, 1_000)
    assert [part.text for part in second.message.parts] == ["line two\nline three\n"]


@pytest.mark.parametrize(
    ("said", "bytes_max", "first"),
    [
        ("I am well. My name is Mira. I row.", 18, "I am well. "),
        ("I am well. My name is Mira. I row.", 29, "I am well. My name is Mira. "),
        ("我很好。我叫米拉。我划船。", 30, "我很好。我叫米拉。"),
        ("my name is mira and i row", 14, "my name is "),
        ("米拉米拉米拉", 7, "米拉"),
    ],
)
def test_a_window_without_a_line_ends_after_a_sentence_or_a_word(
    said: str, bytes_max: int, first: str
) -> None:
    """A statement that is cut in a word has a value that nobody said."""
    (piece,) = users(said)
    shown = window(piece, 0, bytes_max)
    assert [part.text for part in shown.message.parts] == [first]


def test_a_lone_surrogate_has_a_length_and_takes_no_window_down() -> None:
    messages = [replace(message(0, "user", "x"), runs=(Run(text="a\ud800b" * 5),))]
    (piece,) = exchanges_of(messages)
    assert piece.size == len(texts(piece).encode("utf-8", "replace"))
    start = 0
    while start < piece.size:
        start = window(piece, start, 4).end
    assert start == piece.size


@given(st.text(CHARACTERS))
def test_tokens_of_bytes_are_those_of_their_text(text: str) -> None:
    assert tokens_of(len(text.encode())) == estimate_tokens(text)


@given(sessions())
def test_pieces_come_in_the_order_in_which_they_begin(messages: list[Message]) -> None:
    places = [each.position for each in exchanges_of(messages)]
    assert all(one < other for one, other in pairwise(places))
