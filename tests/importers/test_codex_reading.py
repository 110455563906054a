import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.importers.codex import compressed
from tests.importers.builders import (
    CODEX,
    SESSION,
    codex_event,
    codex_line,
    codex_message,
    codex_meta,
    line,
    lines,
    read,
)

NAME_ID = "019a93b9-f380-7600-98ff-940e6b99603c"
NAME = f"sessions/2026/02/03/rollout-2026-02-03T11-00-00-{NAME_ID}.jsonl"

OLD_HEADER: dict[str, object] = {
    "id": SESSION,
    "timestamp": "2025-08-01T09:00:00.000Z",
    "instructions": None,
    "git": {},
}
ROLLOUT = [codex_meta(), codex_message("user", "press the fern"), codex_event("token_count")]


def sessions(data: bytes, path: str = NAME) -> list[str]:
    return [record.source_session_id for record in read(CODEX, data, path).records]


def test_the_first_header_names_the_session_and_later_ones_came_with_copied_lines() -> None:
    data = lines([codex_meta(), codex_message("user", "a"), codex_meta(id="parent"), *ROLLOUT])
    assert set(sessions(data)) == {SESSION}


def test_the_first_line_of_the_older_form_names_the_session() -> None:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}
    assert sessions(lines([OLD_HEADER, {"record_type": "state"}, item])) == [SESSION] * 3


def test_without_a_header_the_name_of_the_file_does() -> None:
    data = lines([codex_message("user", "a")])
    assert sessions(data) == [NAME_ID]
    assert sessions(data, NAME + ".zst") == [NAME_ID]
    assert sessions(data, "notes.jsonl") == ["notes"]


def test_a_bad_line_before_the_header_belongs_to_its_session() -> None:
    assert sessions(b"oops\n" + line(codex_meta())) == [SESSION, SESSION]
    assert sessions(b"oops\n") == []


def test_records_have_no_uuid_and_are_identified_by_all_they_say() -> None:
    records = read(CODEX, lines(ROLLOUT), NAME).records
    assert {record.uuid for record in records} == {None}
    assert len({record.content for record in records}) == len(ROLLOUT)


def test_what_measures_or_says_again_is_kept_and_not_converted() -> None:
    records = [
        codex_meta(),
        codex_line("turn_context", {"cwd": "/x"}),
        codex_line("world_state", {"full": True}),
        codex_line("response_item", {"type": "reasoning", "summary": []}),
        codex_line("response_item", {"type": "ghost_snapshot"}),
        codex_line("response_item", {"type": "an_item_of_next_week"}),
        codex_event("agent_reasoning", text="x"),
        codex_event("exec_command_end", stdout="x"),
        codex_event("token_count", info=None),
        codex_event("user_message", message="x"),
        codex_line("compacted", {"message": "x"}),
        {"record_type": "state"},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
    ]
    found = [(record.type, record.disposition) for record in read(CODEX, lines(records)).records]
    assert found == [
        ("session_meta", "parsed"),
        ("turn_context", "parsed"),
        ("world_state", "skipped"),
        ("response_item/reasoning", "parsed"),
        ("response_item/ghost_snapshot", "skipped"),
        ("response_item/an_item_of_next_week", "skipped"),
        ("event_msg/agent_reasoning", "skipped"),
        ("event_msg/exec_command_end", "skipped"),
        ("event_msg/token_count", "skipped"),
        ("event_msg/user_message", "parsed"),
        ("compacted", "parsed"),
        ("state", "skipped"),
        ("function_call", "parsed"),
    ]


def test_lines_of_the_older_form_take_the_instant_of_the_header() -> None:
    item: dict[str, object] = {"type": "reasoning", "summary": []}
    header, reasoning = read(CODEX, lines([OLD_HEADER, item])).records
    assert header.at is not None
    assert reasoning.at == header.at


@given(
    st.lists(st.sampled_from([*map(line, ROLLOUT), b"oops\n", b"\n", line(OLD_HEADER)])).map(
        b"".join
    ),
    st.lists(st.integers(0, 2000), max_size=4),
)
def test_a_file_that_grows_by_any_bytes_gives_the_records_of_the_whole(
    data: bytes, sizes: list[int]
) -> None:
    whole = read(CODEX, data, NAME)
    grown = read(CODEX, data, NAME, grown_at=[min(size, len(data)) for size in sizes])
    assert [replace(record, size=0) for record in grown.records] == [
        replace(record, size=0) for record in whole.records
    ]
    assert whole.offset + whole.waiting == len(data)


@given(st.binary(max_size=300))
def test_no_bytes_make_reading_raise(data: bytes) -> None:
    read(CODEX, data)
    read(CODEX, b"\x28\xb5\x2f\xfd" + data)
    CODEX.recognises(data)
    CODEX.recognises(b"\x28\xb5\x2f\xfd" + data)


# --- compressed -----------------------------------------------------------------------------------


def packed(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def test_a_compressed_rollout_gives_the_records_of_the_plain_one() -> None:
    data = lines(ROLLOUT)
    plain, zipped = read(CODEX, data, NAME), read(CODEX, packed(data), NAME + ".zst")
    assert zipped.records == plain.records
    assert zipped.offset == plain.offset
    half = data.index(b"\n") + 1
    frames = packed(data[:half]) + packed(data[half:])
    assert read(CODEX, frames, NAME + ".zst").records == plain.records


def test_reading_on_in_a_compressed_rollout_counts_what_it_decodes_to() -> None:
    data = lines(codex_message("user", f"fern {number}" * 50) for number in range(600))
    zipped = packed(data)
    whole = read(CODEX, zipped, NAME)
    assert len(whole.pages) > 1
    again = read(CODEX, zipped, NAME, grown_at=[len(zipped)])
    assert again.records == whole.records
    assert whole.offset == len(data)


def test_a_damaged_compressed_rollout_ends_in_a_bad_record_that_says_so() -> None:
    data = lines(codex_message("user", f"{number**9} fern") for number in range(4000))
    zipped = packed(data)
    cut = read(CODEX, zipped[: len(zipped) // 2], NAME)
    assert len(cut.records) > 1
    assert (cut.records[-1].disposition, cut.records[-1].reason) == (
        "bad",
        "the compressed data ends too early",
    )
    assert cut.waiting == 0
    spoilt = bytearray(zipped)
    spoilt[len(zipped) // 2 : len(zipped) // 2 + 40] = b"\xff" * 40
    assert read(CODEX, bytes(spoilt), NAME).records[-1].disposition == "bad"


def test_a_small_file_that_stands_for_an_enormous_one_is_cut_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compressed, "DECODED_BYTES_MAX", 1_000_000)
    bomb = packed(line(codex_meta()) + b"\n" * 50_000_000)
    records = read(CODEX, bomb, NAME).records
    assert records[-1].reason == "the compressed data decodes to more than 1000000 bytes"
