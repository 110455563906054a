import json
from io import BytesIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.transcript.records import SourceRecord
from recense.importers.chatgpt import reading
from recense.limits import PAGE_RECORDS_MAX
from tests.importers.builders import read
from tests.importers.trees import (
    BACK,
    CHATGPT,
    FIRST,
    MOSSES,
    NEWER,
    OLDER,
    ORCHIDS,
    START,
    conversation,
    export,
    node,
    nodes_of,
    root,
)

SECOND = conversation([root(), node("x", "root", "user", "hello")], "x", session="c-2")


def names(records: tuple[SourceRecord, ...]) -> list[str | None]:
    return [record.uuid for record in records]


def test_each_node_is_a_record_as_the_export_has_it_and_a_head_comes_last() -> None:
    records = read(CHATGPT, export(NEWER)).records
    assert names(records) == ["root", "u1", "a1", "u2", "a2", "u3", "a3", "c-1"]
    assert {record.source_session_id for record in records} == {"c-1"}
    nodes = [json.loads(record.record) for record in records[:-1]]
    assert {each["id"]: each for each in nodes} == NEWER["mapping"]
    head = json.loads(records[-1].record)
    assert head["recense_path"] == ["root", "u1", "a1", "u3", "a3"]
    assert "mapping" not in head
    assert head["title"] == "Ferns"


def test_a_node_without_a_message_is_kept_and_not_converted() -> None:
    records = read(CHATGPT, export(OLDER)).records
    assert [(record.type, record.disposition) for record in records] == [
        ("node", "skipped"),
        ("node/user", "parsed"),
        ("node/assistant", "parsed"),
        ("node/user", "parsed"),
        ("node/assistant", "parsed"),
        ("conversation", "parsed"),
    ]


def test_a_later_export_rewrites_nothing_that_identifies_a_node() -> None:
    def identities(*conversations: object) -> set[tuple[str | None, bytes]]:
        records = read(CHATGPT, export(*conversations)).records
        return {(record.uuid, record.content) for record in records if record.uuid != "c-1"}

    assert identities(OLDER) < identities(NEWER) < identities(BACK)
    assert identities(SECOND, OLDER) == identities(OLDER, SECOND)
    positions = {record.position for record in read(CHATGPT, export(SECOND, NEWER)).records}
    assert positions == {0}


def test_a_head_is_another_when_something_happened_and_else_the_same() -> None:
    def head(made: dict[str, object]) -> bytes:
        return read(CHATGPT, export(made)).records[-1].content

    assert head(OLDER) == head(OLDER | {"safe_urls": ["x"], "default_model_slug": "new"})
    others = [
        OLDER | change for change in ({"title": "T"}, {"update_time": 1}, {"is_archived": True})
    ]
    assert len({head(made) for made in [OLDER, NEWER, *others]}) == 5


def test_a_conversation_is_named_by_either_id_else_by_its_root() -> None:
    nameless = {key: value for key, value in OLDER.items() if key not in {"id", "conversation_id"}}
    for made, expected in [
        (OLDER, {"c-1"}),
        (nameless | {"id": "only"}, {"only"}),
        (nameless | {"conversation_id": "other", "id": "only"}, {"other"}),
    ]:
        records = read(CHATGPT, export(made)).records
        assert {record.source_session_id for record in records} == expected
    first = read(CHATGPT, export(nameless), "a.json").records
    second = read(CHATGPT, export(SECOND, nameless), "b.json").records
    assert first[0].source_session_id == second[-1].source_session_id
    assert first[0].source_session_id.startswith("tree-")


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (START, 1_700_000_000_250_000),
        (1_700_000_000, 1_700_000_000_000_000),
        ("1700000000.25", 1_700_000_000_250_000),
        ("2023-11-14T22:13:20.25Z", 1_700_000_000_250_000),
        (1_700_000_000_250, 1_700_000_000_250_000),
        (None, 1_600_000_000_000_000),
        (0, 1_600_000_000_000_000),
        ("soon", 1_600_000_000_000_000),
        (-1e300, 1_600_000_000_000_000),
        (True, 1_600_000_000_000_000),
        ({}, 1_600_000_000_000_000),
    ],
)
def test_an_instant_is_read_in_any_form_and_else_is_the_one_before(
    time: object, expected: int
) -> None:
    made = conversation(
        [root(), node("u1", "root", create_time=time)], "u1", create_time=1_600_000_000
    )
    assert read(CHATGPT, export(made)).records[1].at == expected


def test_what_is_no_conversation_is_kept_and_said() -> None:
    data = b'[{"id":"c-9","other":1}, 12, {"mapping":[1]}, ' + json.dumps(OLDER).encode() + b"]"
    records = read(CHATGPT, data).records
    found = [(record.disposition, record.reason[:16]) for record in records[:3]]
    assert found == [
        ("skipped", ""),
        ("bad", "no JSON object"),
        ("bad", "a conversation w"),
    ]
    assert names(records[3:]) == ["root", "u1", "a1", "u2", "a2", "c-1"]


def test_a_conversation_without_nodes_is_its_head() -> None:
    for tree in ("{}", "null"):
        made = json.dumps(OLDER | {"mapping": "TREE"}).replace('"TREE"', tree).encode()
        (record,) = read(CHATGPT, made).records
        assert (record.type, record.disposition) == ("conversation", "parsed")


def test_broken_nodes_are_kept_beside_the_others() -> None:
    tree = {"root": root(), "n": 5, "m": {"message": "x"}, "u1": node("u1", "root", "user", "hi")}
    records = read(CHATGPT, export(OLDER | {"mapping": tree, "current_node": "u1"})).records
    assert {record.uuid: record.disposition for record in records} == {
        "n": "bad",
        "m": "skipped",
        "root": "skipped",
        "u1": "parsed",
        "c-1": "parsed",
    }


def test_one_conversation_alone_is_a_file_too() -> None:
    listed = read(CHATGPT, export(OLDER)).records
    alone = read(CHATGPT, json.dumps(OLDER, indent=1).encode()).records
    assert [record.content for record in alone] == [record.content for record in listed]


def test_a_mark_at_the_start_line_ends_nul_and_lone_surrogates_are_settled() -> None:
    made = conversation([root(), node("u1", "root", "user", "a\x00b\ud800c")], "u1")
    plain = json.dumps([made], indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass")
    forms = [
        json.dumps([made], indent=1).encode(),
        plain.replace(rb"\u0000", b"\x00"),
        b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n"),
    ]
    for data in forms:
        readout = read(CHATGPT, data)
        said = json.loads(readout.records[1].record)["message"]["content"]["parts"]
        assert said == ["a\ufffdb\ufffdc"]
        assert readout.offset == len(data)


MANY = conversation(
    [
        root(),
        *(node(f"u{n}", f"u{n - 1}" if n else "root", "user", f"fern {n}") for n in range(700)),
    ],
    "u699",
    session="c-3",
)


def test_reading_on_after_any_page_gives_the_records_of_the_whole() -> None:
    data = export(SECOND, MANY, OLDER)
    whole = read(CHATGPT, data)
    assert len(whole.pages) >= len(whole.records) // PAGE_RECORDS_MAX
    assert max(len(page.records) for page in whole.pages) <= PAGE_RECORDS_MAX
    given = 0
    for page in whole.pages:
        given += len(page.records)
        rest = [
            record
            for later in CHATGPT.read(BytesIO(data), "x.json", page.offset, page.state)
            for record in later.records
        ]
        assert rest == list(whole.records[given:])


def test_a_conversation_that_changed_under_a_page_is_told_anew() -> None:
    page = read(CHATGPT, export(MANY)).pages[0]
    grown = conversation(
        [root(), node("z", "root"), *list(nodes_of(MANY))[1:]], "u699", session="c-3"
    )
    for data in (export(grown), export(OLDER)):
        pages = list(CHATGPT.read(BytesIO(data), "x.json", page.offset, page.state))
        records = [record for each in pages for record in each.records]
        expected = read(CHATGPT, data).records
        assert names(tuple(records)) == names(expected)
        offset = page.offset
        for each in pages:
            assert each.offset - offset == sum(record.size for record in each.records)
            offset = each.offset


CONVERSATIONS = st.lists(st.sampled_from([OLDER, NEWER, SECOND, {"other": 1}, 5, {"mapping": 3}]))


@given(
    CONVERSATIONS,
    st.sampled_from([None, 1]),
    st.lists(st.integers(0, 9000), max_size=4),
)
def test_a_file_cut_anywhere_and_mended_gives_the_records_of_the_whole(
    made: list[object], indent: int | None, sizes: list[int]
) -> None:
    data = export(*made, indent=indent) + b"\n"
    whole = read(CHATGPT, data)
    grown = read(CHATGPT, data, grown_at=[min(size, len(data)) for size in sizes])
    assert [replace(record, size=0) for record in grown.records] == [
        replace(record, size=0) for record in whole.records
    ]
    assert whole.offset + whole.waiting == len(data)


def test_a_torn_export_gives_what_is_whole_and_says_that_it_is_torn() -> None:
    data = export(SECOND, OLDER)
    for size in (len(data) - 1, len(data) - 90, len(export(SECOND)) - 1):
        readout = read(CHATGPT, data[:size])
        assert names(readout.records)[:3] == ["root", "x", "c-2"]
        assert readout.pages[-1].fault == "the list ends before it is closed"
        assert readout.offset + readout.waiting == size
    assert read(CHATGPT, data).pages[-1].fault == ""
    alone = json.dumps(OLDER).encode()
    assert read(CHATGPT, alone[:-1]).pages[-1].fault == "the file ends inside an object"


@given(st.binary(max_size=200))
@example(b"PK\x03\x04")
def test_no_bytes_make_reading_raise(data: bytes) -> None:
    for head in (b"", b"[", b'[{"mapping":', b'{"mapping":{"a":'):
        readout = read(CHATGPT, head + data)
        if (head + data).startswith(b"PK\x03\x04"):  # an archive, whose bytes are those within it
            assert readout.pages[-1].fault
        else:
            assert readout.offset + readout.waiting == len(head + data)
        CHATGPT.recognises(head + data)


def test_a_conversation_beyond_the_bound_is_bad_and_the_next_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("recense.importers.json_list.OBJECT_BYTES_MAX", len(export(SECOND)))
    monkeypatch.setattr("recense.importers.json_list.READ_BYTES", 100)
    data = export(NEWER, SECOND)
    records = read(CHATGPT, data).records
    assert [record.disposition for record in records] == ["bad", "skipped", "parsed", "parsed"]
    assert records[0].reason.startswith("an object longer than")
    assert sum(record.size for record in records) == len(data)


def test_a_tree_of_too_many_nodes_is_bad_before_it_is_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("recense.importers.json_list.OBJECT_PARTS_MAX", 9)
    tree = {str(number): {"list": [number, {"a": [1, 2]}]} for number in range(10)}
    small = {key: tree[key] for key in list(tree)[:9]}
    made = {"id": "c-4", "current_node": "0"}
    record, *others = read(CHATGPT, export(made | {"mapping": tree}, SECOND | {"a": 1})).records
    assert record.disposition == "bad"
    assert "nodes" in record.reason
    assert "fields" in others[0].reason
    assert len(read(CHATGPT, export(made | {"mapping": small})).records) == 10


def test_the_types_of_a_head_are_those_that_conversion_looks_for() -> None:
    assert read(CHATGPT, export(OLDER)).records[-1].type == reading.HEAD


OWN_HEADS = {
    "an export": export(OLDER, NEWER),
    "spread over lines": export(OLDER, indent=2),
    "one conversation": json.dumps(OLDER).encode(),
    "with a mark at the start": b"\xef\xbb\xbf" + export(OLDER),
    "cut inside its tree": export(OLDER)[:700],
    "cut before its tree": export(OLDER)[:30],
    "cut inside a name": b'[{"mod',
    "cut at once": b"[",
    "nothing": b"",
}
FOREIGN_HEADS = {
    "another service's export": b'[{"uuid":"u","name":"n","chat_messages":[]}]',
    "messages": b'[{"role":"user","content":"a"}]',
    "a tree of something else": b'{"mapping":{"a":"b"},"version":3}',
    "a mapping that is none": b'[{"mapping":"x","title":"t"}]',
    "a torn line of another": b'{"ty',
    "a name of another": b'[{"uui',
    "an empty list": b"[]",
    "numbers": b"[1,2]",
    "prose": b"# Notes\n",
    "lines": b'{"type":"user"}\n{"mapping":{},"current_node":"a"}',
}


@pytest.mark.parametrize("head", OWN_HEADS.values(), ids=OWN_HEADS)
def test_an_export_is_recognised(head: bytes) -> None:
    assert CHATGPT.recognises(head)


@pytest.mark.parametrize("head", FOREIGN_HEADS.values(), ids=FOREIGN_HEADS)
def test_what_is_no_export_is_not_recognised(head: bytes) -> None:
    assert not CHATGPT.recognises(head)


def test_only_names_of_exports_are_claimed_and_no_folder_is_its_own() -> None:
    assert CHATGPT.roots({"HOME": "/home/mira"}, "/home/mira") == ()
    claimed = ["e/conversations.json", "conversations-000.json", "e/conversations-12.json"]
    foreign = [
        "e/user.json",
        "shared_conversations.json",
        "conversations.jsonl",
        "conversations-.json",
    ]
    assert all(CHATGPT.claims(path) for path in claimed)
    assert not any(CHATGPT.claims(path) for path in foreign)


def test_the_parts_of_the_tree_builder_hang_together() -> None:
    assert len(nodes_of(NEWER)) == len(FIRST) + len(ORCHIDS) + len(MOSSES)
