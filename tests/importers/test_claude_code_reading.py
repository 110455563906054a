import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.importers import lines as lines_module
from recense.limits import PAGE_BYTES_MAX, PAGE_RECORDS_MAX, STATE_BYTES_MAX
from tests.importers.builders import (
    CLAUDE,
    SESSION,
    claude_assistant,
    claude_record,
    claude_user,
    line,
    lines,
    read,
    text_block,
    tool_result,
)


def sessions(data: bytes, path: str = "session.jsonl") -> list[str]:
    return [record.source_session_id for record in read(CLAUDE, data, path).records]


def dispositions(*records: object, path: str = "session.jsonl") -> list[str]:
    return [record.disposition for record in read(CLAUDE, lines(records), path).records]


# --- which session --------------------------------------------------------------------------------


def test_a_record_belongs_to_the_session_it_names_whatever_the_file_is_called() -> None:
    data = lines(
        [
            claude_user(1, "press the fern"),
            claude_user(2, "and the moss", sessionId="other"),
            claude_user(3, "label both"),
        ]
    )
    assert sessions(data, "a/b/unlike.jsonl") == [SESSION, "other", SESSION]


def test_a_record_that_names_no_session_belongs_to_that_of_the_record_before() -> None:
    summary = {"type": "summary", "summary": "Ferns", "leafUuid": "u1"}
    data = lines([claude_user(1, "a"), summary, claude_user(2, "b", sessionId="other"), summary])
    assert sessions(data) == [SESSION, SESSION, "other", "other"]


def test_records_at_the_head_wait_for_the_first_that_names_a_session() -> None:
    summary = {"type": "summary", "summary": "Ferns", "leafUuid": "u1"}
    head = lines([summary, summary])
    alone = read(CLAUDE, head)
    assert (alone.records, alone.offset, alone.waiting) == ((), 0, len(head))
    whole = read(CLAUDE, head + line(claude_user(1, "a")), grown_at=[10, len(head)])
    assert [record.source_session_id for record in whole.records] == [SESSION] * 3
    assert [record.position for record in whole.records] == [0, 1, 2]
    assert whole.waiting == 0


def test_past_the_bound_the_name_of_the_file_names_the_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines_module, "UNCLAIMED_BYTES_MAX", 100)
    snapshot: dict[str, object] = {"type": "x", "messageId": "m", "snapshot": {}}
    data = lines([snapshot] * 3 + [claude_user(1, "a")])
    assert sessions(data, "stem.jsonl") == ["stem", "stem", "stem", SESSION]
    assert sessions(lines([snapshot] * 3), "stem.jsonl") == ["stem"] * 3


def test_a_bad_line_at_the_head_waits_too_and_belongs_to_the_session_that_follows() -> None:
    assert sessions(b"oops\n") == []
    assert sessions(b"oops\n" + line(claude_user(1, "a"))) == [SESSION, SESSION]


def test_an_agent_with_an_id_is_a_session_below_the_one_it_names() -> None:
    record = claude_user(1, "look", agentId="abc", isSidechain=True)
    assert sessions(line(record)) == [f"{SESSION}/abc"]


@pytest.mark.parametrize(
    "path",
    [
        "p/agent-abc.jsonl",
        f"p/{SESSION}/subagents/agent-abc.jsonl",
        f"p/{SESSION}/subagents/workflows/run1/agent-abc.jsonl",
    ],
)
def test_the_name_of_an_agents_file_gives_the_agent_where_records_do_not(path: str) -> None:
    assert sessions(line(claude_user(1, "look", isSidechain=True)), path) == [f"{SESSION}/abc"]


def test_an_agent_whose_records_name_itself_as_the_session_is_put_below_its_parent() -> None:
    own = claude_user(1, "look", agentId="abc", isSidechain=True, sessionId="agent-abc")
    path = f"p/{SESSION}/subagents/agent-abc.jsonl"
    assert sessions(line(own), path) == [f"{SESSION}/abc"]
    both = own | {"sessionId": f"{SESSION}#agent-abc"}
    assert sessions(line(both), path) == [f"{SESSION}/abc"]


def test_agents_between_the_lines_are_told_apart_by_their_roots() -> None:
    side = {"isSidechain": True}
    data = lines(
        [
            claude_user(1, "main"),
            claude_user(10, "first agent", parentUuid=None, **side),
            claude_user(20, "second agent", parentUuid=None, **side),
            claude_assistant(11, text_block("x"), parentUuid="u10", **side),
            claude_assistant(21, text_block("y"), parentUuid="u20", **side),
            claude_record(22, "progress", parentUuid="u21", data={"type": "q"}, **side),
            claude_assistant(23, text_block("z"), parentUuid="u22", **side),
            claude_assistant(2, text_block("w"), parentUuid="u1"),
            {"type": "summary", "summary": "s", "leafUuid": "u2"},
        ]
    )
    first, second = f"{SESSION}/u10", f"{SESSION}/u20"
    assert sessions(data) == [
        SESSION,
        first,
        second,
        first,
        second,
        second,
        second,
        SESSION,
        SESSION,
    ]


def test_the_root_of_an_agent_is_found_again_after_a_pause() -> None:
    side = {"isSidechain": True}
    data = lines(
        [
            claude_user(1, "agent", parentUuid=None, **side),
            claude_assistant(2, text_block("x"), **side),
            claude_assistant(3, text_block("y"), **side),
        ]
    )
    cut = data.index(b"\n") + 1
    assert read(CLAUDE, data, grown_at=[cut, cut + 5]).records == read(CLAUDE, data).records


@pytest.mark.parametrize("name", ["a/b", "", "x" * 200, "tab\there", 7, None, ["s"]])
def test_an_impossible_session_name_names_nothing(name: object) -> None:
    data = lines([claude_user(1, "a"), claude_user(2, "b", sessionId=name)])
    assert sessions(data) == [SESSION, SESSION]


def test_parentage_tells_sub_agents_by_the_slash() -> None:
    child = CLAUDE.parentage("a/b")
    assert (child.origin, child.parent_source_session_id) == ("subagent", "a")
    own = CLAUDE.parentage("a")
    assert (own.origin, own.parent_source_session_id) == ("interactive", None)


# --- what becomes of a record ---------------------------------------------------------------------


def test_second_copies_and_undo_data_are_kept_and_not_converted() -> None:
    assert dispositions(
        claude_user(1, "a"),
        claude_record(2, "progress", data={"type": "bash_progress", "output": "x"}),
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        {"type": "queue-operation", "operation": "dequeue", "sessionId": SESSION},
        {"type": "queue-operation", "operation": "enqueue", "content": "b", "sessionId": SESSION},
        claude_record(3, "attachment", attachment={"type": "skill_listing"}),
        claude_record(4, "attachment", attachment={"type": "hook_success", "stdout": "x"}),
        claude_record(5, "system", subtype="turn_duration", durationMs=3),
        claude_record(6, "system", subtype="away_summary", content="x"),
        claude_record(7, "a-kind-of-next-week", content="x"),
        {"silly": "this"},
    ) == [
        "parsed",
        "skipped",
        "skipped",
        "skipped",
        "parsed",
        "skipped",
        "parsed",
        "skipped",
        "parsed",
        "skipped",
        "skipped",
    ]


def test_kinds_are_labelled_with_their_detail() -> None:
    data = lines(
        [
            claude_user(1, "a"),
            claude_record(2, "progress", data={"type": "bash_progress"}),
            claude_record(3, "system", subtype="api_error"),
            claude_record(4, "attachment", attachment={"type": "hook_success"}),
            {"type": "queue-operation", "operation": "remove"},
            {"silly": 1},
        ]
    )
    records = read(CLAUDE, data + b"oops\n").records
    assert [record.type for record in records] == [
        "user",
        "progress/bash_progress",
        "system/api_error",
        "attachment/hook_success",
        "queue-operation/remove",
        "unknown",
        "bad",
    ]


def test_an_agent_that_was_only_warmed_up_is_skipped_whole() -> None:
    side = {"isSidechain": True, "agentId": "abc", "parentUuid": None}
    data = lines(
        [
            claude_user(1, "Warmup", **side),
            claude_assistant(2, text_block("ready"), **side | {"parentUuid": "u1"}),
        ]
    )
    assert [r.disposition for r in read(CLAUDE, data).records] == ["skipped", "skipped"]
    cut = data.index(b"\n") + 1
    grown = read(CLAUDE, data, grown_at=[cut])
    assert [r.disposition for r in grown.records] == ["skipped", "skipped"]
    blocks = claude_user(1, [text_block("Warmup")], **side)
    assert dispositions(blocks) == ["skipped"]


def test_a_person_who_types_warmup_is_heard() -> None:
    assert dispositions(claude_user(1, "Warmup")) == ["parsed"]


@pytest.mark.parametrize("agent", ["acompact-1f", "aprompt_suggestion-1f"])
def test_agents_that_the_harness_runs_for_itself_are_skipped(agent: str) -> None:
    assert dispositions(
        claude_user(1, "condense", agentId=agent, isSidechain=True),
        path=f"agent-{agent}.jsonl",
    ) == ["skipped"]


def test_a_record_without_an_instant_takes_the_last_one_before_it() -> None:
    summary = {"type": "summary", "summary": "s", "leafUuid": "u1"}
    data = lines([summary, claude_user(1, "a"), summary]) + b"oops\n"
    instants = [record.at for record in read(CLAUDE, data).records]
    assert instants[0] is None
    assert instants[1] is not None
    assert instants[1:] == [instants[1]] * 3


def test_a_bad_line_is_kept_with_its_reason_and_stops_nothing() -> None:
    data = line(claude_user(1, "a")) + b"oops\n" + line(claude_user(2, "b"))
    records = read(CLAUDE, data).records
    assert [record.disposition for record in records] == ["parsed", "bad", "parsed"]
    assert (records[1].record, records[1].reason, records[1].position) == (b"oops", "not JSON", 1)


def test_glued_objects_are_both_read() -> None:
    data = line(claude_user(1, "a")).strip() + line(claude_user(2, "b"))
    assert [record.uuid for record in read(CLAUDE, data).records] == ["u1", "u2"]


# --- identity -------------------------------------------------------------------------------------


def content(record: dict[str, object]) -> bytes:
    (only,) = read(CLAUDE, line(record)).records
    return only.content


def test_what_a_copy_stamps_anew_is_no_part_of_a_records_identity() -> None:
    original = claude_assistant(2, text_block("fern"))
    copy = original | {
        "sessionId": "fork",
        "session_id": "fork",
        "slug": "quiet-walking-moss",
        "parentUuid": None,
        "logicalParentUuid": "u9",
        "cwd": "/elsewhere",
        "version": "2.9.9",
        "gitBranch": "other",
        "forkedFrom": {"sessionId": SESSION, "messageUuid": "u2"},
    }
    message = original["message"]
    assert isinstance(message, dict)
    copy["message"] = {**message, "context_management": None, "usage": {"output_tokens": 44}}
    assert content(copy) == content(original)
    boundary = claude_record(3, "system", subtype="compact_boundary", content="c")
    again = boundary | {"sessionId": "fork", "slug": "s", "parentUuid": None, "cwd": "/x"}
    assert content(again) == content(boundary)


@pytest.mark.parametrize(
    "change",
    [
        {"message": {"role": "user", "content": "moss"}},
        {"message": {"role": "assistant", "content": "fern"}},
        {"timestamp": "2026-02-03T12:00:00.000Z"},
        {"type": "assistant"},
    ],
)
def test_one_uuid_with_another_message_is_another_record(change: dict[str, object]) -> None:
    original = claude_user(1, "fern")
    assert content(original | change) != content(original)


def test_the_order_and_spacing_of_keys_is_no_part_of_a_records_identity() -> None:
    record = claude_user(1, [text_block("fern")])
    turned = dict(reversed(record.items()))
    assert content(turned) == content(record)


# --- pages and states -----------------------------------------------------------------------------


def test_pages_hold_no_more_records_than_the_bound() -> None:
    data = lines(claude_user(number, "x") for number in range(1, PAGE_RECORDS_MAX + 10))
    pages = read(CLAUDE, data).pages
    assert [len(page.records) for page in pages] == [PAGE_RECORDS_MAX, 9]


def test_pages_hold_no_more_bytes_than_the_bound_and_one_larger_record_is_alone() -> None:
    half = "x" * (PAGE_BYTES_MAX // 2 + 1)
    huge = "y" * (PAGE_BYTES_MAX + 1)
    contents = ["a", half, half, "b", huge, "c"]
    data = lines(claude_user(number, text) for number, text in enumerate(contents, 1))
    sizes = [
        [sum(record.size for record in page.records), len(page.records)]
        for page in read(CLAUDE, data).pages
    ]
    assert [count for _, count in sizes] == [2, 2, 1, 1]
    assert [size <= PAGE_BYTES_MAX for size, _ in sizes] == [True, True, False, True]


def test_reading_on_from_any_page_gives_the_rest() -> None:
    data = lines(claude_user(number, "x") for number in range(1, 3 * PAGE_RECORDS_MAX))
    whole = read(CLAUDE, data)
    first = whole.pages[0]
    grown = read(CLAUDE, data, grown_at=[first.offset])
    assert grown.records == whole.records
    assert grown.state == whole.state


def test_the_state_stays_within_its_bound_whatever_a_file_holds() -> None:
    wide = "s" * 100
    data = lines(
        claude_user(
            number,
            "Warmup" if number % 2 else "go",
            sessionId=f"{wide}{number % 500}",
            uuid=f"{wide}-{number}",
            parentUuid=None,
            isSidechain=True,
        )
        for number in range(1, 3000)
    )
    assert all(len(page.state) <= STATE_BYTES_MAX for page in read(CLAUDE, data).pages)


SIDE_RECORDS: list[dict[str, object]] = [
    {"type": "summary", "summary": "s", "leafUuid": "u1"},
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    {"type": "queue-operation", "operation": "enqueue", "content": "q", "sessionId": SESSION},
]


@st.composite
def transcript_records(draw: st.DrawFn) -> dict[str, object]:
    number = draw(st.integers(1, 9))
    agent = draw(st.sampled_from(["", "", "abc", "acompact-1"]))
    return claude_user(
        number,
        draw(st.sampled_from(["fern", "Warmup", [tool_result("t1", "moss")], None])),
        isSidechain=draw(st.booleans()),
        parentUuid=f"u{number - 2}" if number > 2 else None,
        **({"agentId": agent} if agent else {}),
    )


JUNK = st.sampled_from([b"\n", b"oops\n", b"{}\n", b"[1]\n", b'{"type":1}{"a":2}\n', b"\xff\n"])
CLAUDE_FILES = st.lists(
    st.sampled_from(SIDE_RECORDS).map(line)
    | transcript_records().map(line)
    | transcript_records().map(lambda record: line(record).strip())
    | JUNK,
    max_size=12,
).map(b"".join)


@given(CLAUDE_FILES, st.lists(st.integers(0, 4000), max_size=5))
def test_a_file_that_grows_by_any_bytes_gives_the_records_of_the_whole(
    data: bytes, sizes: list[int]
) -> None:
    whole = read(CLAUDE, data)
    grown = read(CLAUDE, data, grown_at=[min(size, len(data)) for size in sizes])
    assert [replace(record, size=0) for record in grown.records] == [
        replace(record, size=0) for record in whole.records
    ]
    assert whole.offset + whole.waiting == len(data)
    assert grown.offset + grown.waiting == len(data)


@given(st.binary(max_size=300))
def test_no_bytes_make_reading_raise(data: bytes) -> None:
    read(CLAUDE, data)
    CLAUDE.recognises(data)
