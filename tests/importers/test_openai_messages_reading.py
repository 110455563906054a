import json
from collections.abc import Iterable, Sequence
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.transcript.records import SourceRecord
from recense.importers.openai_messages import OpenAiMessages
from recense.limits import PAGE_RECORDS_MAX
from recense.ports.sources import Importer
from tests.importers.builders import line, lines, read

OPENAI: Importer = OpenAiMessages()

TALK: list[dict[str, object]] = [
    {"role": "system", "content": "be kind"},
    {"role": "user", "content": "where do ferns grow"},
    {"role": "assistant", "content": "in damp shade"},
    {"role": "user", "content": [{"type": "text", "text": "and mosses"}]},
    {"role": "assistant", "content": None, "refusal": "no"},
]
OTHER: list[dict[str, object]] = [{"role": "user", "content": "hello"}]


def document(value: object, indent: int | None = None) -> bytes:
    return json.dumps(value, indent=indent).encode()


def forms(talk: Sequence[object]) -> dict[str, bytes]:
    """Return the same messages in every form of a file."""
    return {
        "lines": lines(talk),
        "a list": document(talk),
        "a list over lines": document(talk, 2),
        "an object": document({"model": "m", "messages": talk}),
        "an object over lines": document({"messages": talk}, 1),
        "a request": document({"model": "m", "input": talk}),
        "an object a line": line({"messages": talk}),
        "a list of objects": document([{"messages": talk}]),
        "with a mark at the start": b"\xef\xbb\xbf" + document(talk),
    }


FORMS = forms(TALK)


def messages(data: bytes, path: str = "talk.json") -> list[SourceRecord]:
    """Return the records of a file that are messages."""
    return [each for each in read(OPENAI, data, path).records if each.type != "conversation"]


def sessions(data: bytes, path: str = "talk.json") -> set[str]:
    return {record.source_session_id for record in read(OPENAI, data, path).records}


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS)
def test_a_file_of_any_form_is_recognised_and_gives_its_messages(data: bytes) -> None:
    assert OPENAI.recognises(data)
    readout = read(OPENAI, data)
    records = messages(data)
    assert [json.loads(record.record) for record in records] == TALK
    assert [record.type for record in records] == [str(each["role"]) for each in TALK]
    assert {record.disposition for record in readout.records} == {"parsed"}
    assert readout.offset == len(data)


def test_messages_that_name_no_session_are_one_by_file_and_opening() -> None:
    (named,) = sessions(FORMS["lines"])
    assert named.startswith("talk-")
    assert {name for data in FORMS.values() for name in sessions(data)} == {named}
    for elsewhere in ("/home/mira/deep/talk.json", "talk.jsonl", "walk.json"):
        assert sessions(FORMS["lines"], elsewhere) != {named}
    assert sessions(document(OTHER)) != {named}
    other_orders = [{"role": "system", "content": "it is noon"}, *TALK[1:]]
    assert sessions(document(other_orders)) == {named}


def test_files_of_one_name_and_one_opening_are_told_apart_unless_they_name_a_session() -> None:
    for data in (*FORMS.values(), document({"messages": TALK[:1]}), line({"messages": []})):
        first, second = (sessions(data, f"/runs/{run}/messages.json") for run in (1, 2))
        assert len(first) == len(second) == 1
        assert first != second
        for session in (*first, *second):
            assert session.startswith("messages-")
            assert "runs" not in session
    named = document({"messages": TALK, "session_id": "s-1"})
    assert sessions(named, "/runs/1/messages.json") == sessions(named, "/runs/2/messages.json")


def test_a_name_that_can_be_no_id_is_not_part_of_one() -> None:
    for name in ("фёрн.json", "a" * 300 + ".json", ".json"):
        (session,) = sessions(FORMS["a list"], name)
        assert session.isascii()
        assert len(session) < 100


def test_the_session_of_messages_does_not_tell_a_secret_of_the_opening() -> None:
    def opening(secret: str) -> set[str]:
        return sessions(lines([{"role": "user", "content": f"the password is {secret}"}]))

    assert opening("hun" + "ter2A9xQ") == opening("tul" + "ip77bVw0")


@pytest.mark.parametrize("key", ["id", "session_id", "conversation_id", "thread_id"])
def test_a_conversation_that_names_its_session_belongs_to_it(key: str) -> None:
    made = {key: "s-1", "messages": TALK}
    for data in (document(made), line(made), document([made]), document(made, 1)):
        assert sessions(data) == {"s-1"}
    if key != "id":
        spoken = [{**each, key: "s-1"} for each in TALK]
        assert sessions(lines(spoken)) == sessions(document(spoken)) == {"s-1"}


def test_each_line_with_messages_is_a_conversation_of_its_own() -> None:
    data = line({"messages": TALK}) + line({"messages": OTHER}) + line({"messages": TALK})
    records = read(OPENAI, data).records
    assert len({record.source_session_id for record in records}) == 2
    first, third = records[:6], records[8:]
    assert [replace(each, size=0) for each in first] == [replace(each, size=0) for each in third]


def test_a_log_that_says_a_conversation_again_and_longer_is_one_session() -> None:
    grown = [line({"messages": TALK[:size], "created": size}) for size in range(2, 6)]
    records = [record for record in read(OPENAI, b"".join(grown)).records if record.position]
    kept = {(record.source_session_id, record.position, record.content) for record in records}
    assert len(kept) == len(TALK)


def test_a_list_written_anew_and_longer_gives_the_same_records_first() -> None:
    def identities(talk: Sequence[object]) -> list[tuple[str, int, str | None, bytes]]:
        return [
            (each.source_session_id, each.position, each.uuid, each.content)
            for each in read(OPENAI, document(talk)).records
        ]

    whole = identities(TALK)
    for size in range(2, 5):
        assert identities(TALK[:size]) == whole[:size]


def test_a_message_with_an_id_of_its_own_is_known_by_it() -> None:
    message = {"role": "user", "content": "a", "id": "msg_0123456789abcdef"}
    small = {"role": "user", "content": "a", "id": "msg_1"}
    records = read(OPENAI, lines([message, small])).records
    assert [record.uuid for record in records] == ["msg_0123456789abcdef", None]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"timestamp": "2026-02-03T10:00:00Z"}, 1_770_112_800_000_000),
        ({"created_at": 1_770_112_800}, 1_770_112_800_000_000),
        ({"created": 1_770_112_800.5}, 1_770_112_800_500_000),
        ({"timestamp": 1_770_112_800_000}, 1_770_112_800_000_000),
        ({"timestamp": 1_770_112_800_000_000}, 1_770_112_800_000_000),
        ({"timestamp": 1_770_112_800_000_000_000}, 1_770_112_800_000_000),
        ({"timestamp": "1770112800"}, 1_770_112_800_000_000),
        ({"timestamp": None, "created": "2026-02-03T10:00:00+00:00"}, 1_770_112_800_000_000),
        ({"timestamp": "noon"}, None),
        ({"timestamp": True}, None),
        ({}, None),
    ],
)
def test_an_instant_is_read_in_any_unit(fields: dict[str, object], expected: int | None) -> None:
    message = {"role": "user", "content": "a"} | fields
    for data in (line(message), document([message]), line({"messages": OTHER} | fields)):
        assert read(OPENAI, data).records[-1].at == expected


def test_a_message_without_an_instant_takes_the_one_before() -> None:
    talk = [TALK[0], {**TALK[1], "timestamp": 1_770_112_800}, TALK[2]]
    for data in (lines(talk), document({"messages": talk})):
        at = 1_770_112_800_000_000
        assert [record.at for record in messages(data)] == [None, at, at]


def test_what_is_no_message_is_kept_and_does_not_fail_the_rest() -> None:
    data = lines([*TALK[:2], {"type": "ping"}, {"role": 5}]) + b"oops\n[1]\n" + lines(TALK[2:])
    found = [(record.type, record.disposition) for record in read(OPENAI, data).records]
    assert found == [
        ("system", "parsed"),
        ("user", "parsed"),
        ("unknown", "skipped"),
        ("unknown", "skipped"),
        ("bad", "bad"),
        ("bad", "bad"),
        ("assistant", "parsed"),
        ("user", "parsed"),
        ("assistant", "parsed"),
    ]


def test_a_role_in_another_case_or_of_another_kind_is_a_message() -> None:
    talk = [{"role": "User", "content": "a"}, {"role": "narrator", "content": "b"}]
    assert [record.type for record in read(OPENAI, lines(talk)).records] == ["user", "narrator"]
    assert OPENAI.recognises(lines(talk))


def test_all_waits_until_a_message_tells_whose_it_is() -> None:
    orders = lines([TALK[0]])
    waiting = read(OPENAI, orders)
    assert (waiting.records, waiting.offset, waiting.waiting) == ((), 0, len(orders))
    grown = read(OPENAI, FORMS["lines"], grown_at=[len(orders)])
    assert len(grown.records) == len(TALK)
    assert read(OPENAI, b"oops\n").waiting == len(b"oops\n")


def test_a_torn_list_gives_what_is_whole_and_says_that_it_is_torn() -> None:
    data = FORMS["a list"]
    readout = read(OPENAI, data[:-20])
    assert len(readout.records) == 4
    assert readout.pages[-1].fault == "the list ends before it is closed"
    assert read(OPENAI, FORMS["lines"][:-5]).pages[-1].fault == ""


MANY: list[object] = [{"role": "user", "content": f"fern {number}"} for number in range(700)]


@pytest.mark.parametrize("data", forms(MANY).values(), ids=forms(MANY))
def test_reading_on_after_any_page_gives_the_records_of_the_whole(data: bytes) -> None:
    whole = read(OPENAI, data)
    assert max(len(page.records) for page in whole.pages) <= PAGE_RECORDS_MAX
    given = 0
    for page in whole.pages:
        given += len(page.records)
        rest = [
            record
            for later in OPENAI.read(BytesIO(data), "session.jsonl", page.offset, page.state)
            for record in later.records
        ]
        assert rest == list(whole.records[given:])


def _chunks(parts: Iterable[bytes]) -> bytes:
    return b"".join(parts)


LINES = st.lists(
    st.sampled_from(
        [*map(line, TALK), line({"messages": TALK}), b"oops\n", b"\n", b"\r\n", line({"a": 1})]
    )
).map(_chunks)


@given(LINES, st.lists(st.integers(0, 2000), max_size=4))
def test_lines_that_grow_by_any_bytes_give_the_records_of_the_whole(
    data: bytes, sizes: list[int]
) -> None:
    whole = read(OPENAI, data)
    grown = read(OPENAI, data, grown_at=[min(size, len(data)) for size in sizes])
    assert whole.offset + whole.waiting == len(data)
    assert _without_form(grown.records) == _without_form(whole.records)


def _without_form(records: Iterable[SourceRecord]) -> list[SourceRecord]:
    return [replace(record, size=0) for record in records]


@given(
    st.lists(st.sampled_from([*TALK, {"messages": TALK}, {"a": 1}, 5])),
    st.lists(st.integers(0, 2000), max_size=4),
)
def test_a_list_cut_anywhere_and_mended_gives_the_records_of_the_whole(
    talk: list[object], sizes: list[int]
) -> None:
    data = document(talk)
    whole = read(OPENAI, data)
    grown = read(OPENAI, data, grown_at=[min(size, len(data)) for size in sizes])
    assert whole.offset + whole.waiting == len(data)
    assert _without_form(grown.records) == _without_form(whole.records)


@given(st.binary(max_size=200))
def test_no_bytes_make_reading_raise(data: bytes) -> None:
    for head in (b"", b"[", b'{"messages":[', b'{"role":"user","content":"a"}\n', b'[{"input":'):
        readout = read(OPENAI, head + data)
        assert readout.offset + readout.waiting == len(head + data)
        OPENAI.recognises(head + data)


def test_nul_and_lone_surrogates_are_settled() -> None:
    talk = [{"role": "user", "content": "a\x00b\ud800c"}]
    for data in (document(talk), document({"messages": talk}), document(talk[0]) + b"\n"):
        record = messages(data)[0]
        assert json.loads(record.record)["content"] == "a\ufffdb\ufffdc"


LONG = "x" * 70_000
OWN_HEADS = {
    **FORMS,
    "a long first message": document([{"role": "system", "content": LONG}])[:65_536],
    "content before the role": document([{"content": LONG, "role": "system"}])[:65_536],
    "a bad line first": b"oops\n" + line(TALK[1]),
    "items": b'{"model":"m","input":[{"type":"reasoning","summary":[]}]}',
    "an item": line({"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"}),
    "a call first": b'[{"role":"assistant","tool_calls":[]}]',
    "cut in a list": b'{"model": "m", "messages": [',
    "cut before its list": document({"model": "m", "tools": [LONG], "messages": TALK})[:65_536],
    "cut at once": b"{",
    "nothing": b"",
}
FOREIGN_HEADS = {
    "blocks of another service": document(
        [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t"}]},
        ]
    ),
    "parts": line({"role": "user", "parts": [{"text": "a"}]}),
    "a message in an envelope": line({"type": "message", "message": {"role": "user"}}),
    "a role and no words": line({"id": "m", "role": "user", "time": {"created": 1}}),
    "an agent's record": line({"uuid": "u", "sessionId": "s", "role": "user", "content": "a"}),
    "a role of its own": line({"role": "human", "content": "a"}),
    "messages of its own": document({"messages": [{"id": "m", "type": "user", "content": "a"}]}),
    "an export": b'[{"title":"t","mapping":{},"current_node":"n"}]',
    "texts to embed": document({"model": "m", "input": ["a", "b"]}),
    "lists in a list": document([TALK]),
    "another long first record": line({"type": "user", "content": LONG})[:65_536],
    "numbers": b"[1]",
    "an empty list": b"[]",
    "prose": b"# Notes\n\nferns\n",
}


@pytest.mark.parametrize("head", OWN_HEADS.values(), ids=OWN_HEADS)
def test_messages_are_recognised(head: bytes) -> None:
    assert OPENAI.recognises(head)


@pytest.mark.parametrize("head", FOREIGN_HEADS.values(), ids=FOREIGN_HEADS)
def test_what_is_in_another_format_is_not_recognised(head: bytes) -> None:
    assert not OPENAI.recognises(head)


def test_only_names_that_say_so_are_claimed_and_no_folder_is_its_own() -> None:
    assert OPENAI.roots({"HOME": "/home/mira"}, "/home/mira") == ()
    claimed = ["a/ferns.messages.json", "a/x.openai.jsonl", "A.MESSAGES.JSONL"]
    foreign = ["messages.json", "a/ui_messages.json", "a.json", "a.jsonl", "package.json"]
    assert all(OPENAI.claims(path) for path in claimed)
    assert not any(OPENAI.claims(path) for path in foreign)
