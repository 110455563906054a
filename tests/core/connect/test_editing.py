"""What is not ours stays byte for byte, whatever a client's document looks like."""

import json
import tomllib
from typing import Any, cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recense.core.connect.clients import CLIENTS, hook_additions, server_addition
from recense.core.connect.editing import holds, is_vacant, spliced, without
from recense.core.connect.jsonc import JsonGroup, JsonNode, plain, scan
from recense.core.connect.splices import Addition, Form, Spliced, digest_of, inserted
from recense.errors import ClientFileUnusable
from tests.core.connect.documents import json_documents, toml_texts

WORDS = ("/opt/a b/é/recense", "mcp", "--store", "/home/mira/時 'x\".db")
SERVER = server_addition(CLIENTS["opencode"], "recense", WORDS)
HOOKS = hook_additions(CLIENTS["claude-code"], ("/opt/a b/recense-hook",))
TABLE = server_addition(CLIENTS["codex"], "recense", WORDS)
NOTIFY = hook_additions(CLIENTS["codex"], ("/opt/a b/recense-hook",))

JSON_DOCUMENTS = json_documents([SERVER.path, ("hooks", "x")])


def undone(form: Form, made: Spliced) -> str:
    return without(form, made.text, made.splices, digest_of(made.text))


def meaning(text: str) -> object:
    node = scan(text)
    return None if node is None else plain(node)


# --- JSON with comments ---------------------------------------------------------------------------


@given(JSON_DOCUMENTS)
def test_a_json_document_is_the_same_after_connecting_and_removing(text: str) -> None:
    made = spliced("json", text, (SERVER, *HOOKS))
    assert undone("json", made) == text


@given(JSON_DOCUMENTS)
def test_connecting_twice_is_connecting_once(text: str) -> None:
    made = spliced("json", text, (SERVER, *HOOKS))
    again = spliced("json", made.text, (SERVER, *HOOKS))
    assert (again.text, again.splices) == (made.text, ())
    assert holds("json", made.text, made.splices)


@given(JSON_DOCUMENTS)
def test_connecting_adds_our_entry_to_a_json_document_and_changes_nothing_else(text: str) -> None:
    made = spliced("json", text, (SERVER,))
    before: dict[str, Any] = cast("dict[str, Any]", meaning(text) or {})
    after: dict[str, Any] = cast("dict[str, Any]", meaning(made.text))
    assert after["mcp"]["servers"].pop("recense") == SERVER.value
    old: dict[str, Any] | None = before.get("mcp")
    if old is None or "servers" not in old:
        assert after["mcp"].pop("servers") == {}
    if old is None:
        assert after.pop("mcp") == {}
    assert after == before


@given(JSON_DOCUMENTS)
def test_every_insertion_leaves_what_stood_around_it(text: str) -> None:
    made = spliced("json", text, (SERVER, *HOOKS))
    now = text
    for each in (each for splice in made.splices for each in splice.insertions):
        assert inserted(now, each)[: each.at] + inserted(now, each)[each.at + len(each.text) :] == (
            now
        )
        now = inserted(now, each)
    assert now == made.text


@given(JSON_DOCUMENTS)
def test_removing_from_a_document_that_was_rewritten_takes_our_entry_and_nothing_else(
    text: str,
) -> None:
    made = spliced("json", text, (SERVER, *HOOKS))
    rewritten = json.dumps(meaning(made.text), indent=1)
    left = without("json", rewritten, made.splices, digest_of(made.text))
    before = meaning(text)
    assert meaning(left) == (before or {})
    json.loads(left)  # still strict


@given(JSON_DOCUMENTS)
def test_removing_from_a_document_that_was_changed_elsewhere_leaves_that_as_it_is(
    text: str,
) -> None:
    made = spliced("json", text, (SERVER, *HOOKS))
    changed = made.text + "// seen\n"
    left = without("json", changed, made.splices, digest_of(made.text))
    assert meaning(left) == (meaning(text) or {})
    assert left.endswith("// seen\n")


@given(JSON_DOCUMENTS, st.data())
def test_a_json_document_cut_short_is_refused_or_taken_as_it_is(
    text: str, data: st.DataObject
) -> None:
    cut = text[: data.draw(st.integers(0, len(text)))]
    try:
        made = spliced("json", cut, (SERVER,))
    except ClientFileUnusable:
        return
    assert undone("json", made) == cut


@given(JSON_DOCUMENTS)
def test_a_scanned_node_is_where_it_says(text: str) -> None:
    root = scan(text)

    def check(node: JsonNode) -> None:
        assert plain(node) == meaning(text[node.start : node.end])
        for member in node.members if isinstance(node, JsonGroup) else ():
            assert member.comma is None or text[member.comma - 1] == ","
            check(member.node)

    if root is not None:
        check(root)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda x: st.lists(x) | st.dictionaries(st.text(max_size=3), x),
        max_leaves=8,
    )
)
def test_what_json_writes_is_scanned_as_json_reads_it(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)):
        if not any("\ud800" <= character <= "\udfff" for character in text):
            assert meaning(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "7",
        "{",
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        '{"a": 1,,}',
        "{,}",
        "{'a': 1}",
        "{a: 1}",
        '{"a": NaN}',
        '{"a": 01}',
        '{"a": "\n"}',
        r'{"a": "\q"}',
        '{"a": 1} x',
        "/* open",
        '{"mcp": null}',
        '{"mcp": []}',
        '{"mcp": {}, "mcp": {}}',
        '{"mcp": {"servers": 3}}',
        '{"a": ' + "[" * 200 + "]" * 200 + "}",
        '{"a": ' + "9" * 5_000 + "}",
    ],
)
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(ClientFileUnusable):
        spliced("json", text, (SERVER,))


def test_an_entry_that_somebody_else_wrote_is_refused() -> None:
    with pytest.raises(ClientFileUnusable, match=r"mcp\.servers\.recense is there already"):
        spliced("json", '{"mcp": {"servers": {"recense": {"command": ["x"]}}}}', (SERVER,))


def test_an_entry_that_is_exactly_as_wanted_is_left_whoever_wrote_it() -> None:
    text = json.dumps({"mcp": {"servers": {"recense": SERVER.value}}})
    assert spliced("json", text, (SERVER,)) == Spliced(text=text, present=(SERVER,))


def test_a_hook_that_was_set_by_hand_is_not_set_again() -> None:
    by_hand = {"hooks": [{"type": "command", "command": "recense-hook", "timeout": 60}]}
    text = json.dumps({"hooks": {"Stop": [by_hand]}})
    made = spliced("json", text, HOOKS)
    assert [each.path for each in made.present] == [("hooks", "Stop")]
    assert len(made.splices) == len(HOOKS) - 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("{}", '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"x": 1}', '{"x": 1, "a": {"b": 1}}'),
        ('{"x": 1,}', '{"x": 1, "a": {"b": 1}}'),
        ('{\n\t"x": 1 // one\n}\n', '{\n\t"x": 1, // one\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'),
        ('{\n "x": 1, // one\n}', '{\n "x": 1, // one\n "a": {\n  "b": 1\n }\n}'),
        ('{\r\n    "a": {}\r\n}', '{\r\n    "a": {\r\n        "b": 1\r\n    }\r\n}'),
        ('{\n  "a": {\n  }\n}', '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"a": {"x": 1 /* x */ } /* y */\n}', '{"a": {"x": 1, "b": 1 /* x */ } /* y */\n}'),
        (
            '{\n  "x": 1 /* on\n  two */ }',
            '{\n  "x": 1,\n  "a": {\n    "b": 1\n  } /* on\n  two */ }',
        ),
    ],
)
def test_a_member_is_written_as_its_neighbours_are(text: str, expected: str) -> None:
    assert spliced("json", text, (Addition(path=("a", "b"), value=1),)).text == expected


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        ('{\n  "x": 1, // one\n  "a": 1,\n  "y": 2\n}', '{\n  "x": 1, // one\n  "y": 2\n}'),
        ('{\n  "x": 1, // one\n  "a": 1\n}', '{\n  "x": 1 // one\n}'),
        ('{"x": 1, /* two */ "a": 1}', '{"x": 1 /* two */}'),
        ('{"a": 1, "x": 1}', '{ "x": 1}'),
        ('{\n  // one\n  "a": 1 }', "{\n  // one\n   }"),
        ("{}", "{}"),
    ],
)
def test_what_was_changed_since_loses_our_member_and_keeps_the_rest(
    changed: str, left: str
) -> None:
    made = spliced("json", '{"x": 1}', (Addition(path=("a",), value=1),))
    assert without("json", changed, made.splices, digest_of(made.text)) == left


def test_a_comma_of_theirs_at_the_end_stays() -> None:
    made = spliced("json", '{\n  "x": 1,\n}', (Addition(path=("a",), value=1),))
    changed = made.text.replace("1,", "3,", 1)
    left = without("json", changed, made.splices, digest_of(made.text))
    assert left == '{\n  "x": 3,\n}'


# --- TOML -----------------------------------------------------------------------------------------


def is_toml(text: str) -> bool:
    try:
        tomllib.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return False
    return True


@given(toml_texts())
def test_a_toml_document_is_the_same_after_connecting_and_removing(text: str) -> None:
    try:
        made = spliced("toml", text, (TABLE, *NOTIFY))
    except ClientFileUnusable:
        assert not is_toml(text)
        return
    assert undone("toml", made) == text
    again = spliced("toml", made.text, (TABLE, *NOTIFY))
    assert (again.text, again.splices) == (made.text, ())
    document = tomllib.loads(made.text.removeprefix("\ufeff"))
    assert document["mcp_servers"].pop("recense") == TABLE.value
    assert document.pop("notify") == NOTIFY[0].value
    before = tomllib.loads(text.removeprefix("\ufeff"))
    assert repr(document) in {repr(before), repr({**before, "mcp_servers": {}})} or (
        document.keys() == before.keys() | {"mcp_servers"}
    )


@given(toml_texts(), toml_texts())
def test_removing_from_a_toml_document_that_others_added_to_leaves_what_they_added(
    text: str, more: str
) -> None:
    more = more.removeprefix("\ufeff")
    try:
        made = spliced("toml", text, (TABLE, *NOTIFY))
        changed = made.text + more
        meant = tomllib.loads(changed.removeprefix("\ufeff"))
    except ValueError:
        assume(False)  # noqa: FBT003 -- the words of Hypothesis
        return
    except ClientFileUnusable:
        return
    if meant["mcp_servers"]["recense"] != TABLE.value:
        return  # what was added went into our own table: that is refused
    left = without("toml", changed, made.splices, digest_of(made.text))
    del meant["mcp_servers"]["recense"], meant["notify"]
    document = tomllib.loads(left.removeprefix("\ufeff"))
    document.setdefault("mcp_servers", {})
    assert repr(sorted(document.items())) == repr(sorted(meant.items()))
    assert left.endswith(more)


def test_a_notify_that_has_another_use_is_left_out_and_not_refused() -> None:
    made = spliced("toml", 'notify = ["say", "done"]\n', (TABLE, *NOTIFY))
    assert made.left_out == NOTIFY
    assert [splice.addition for splice in made.splices] == [TABLE]


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = {}",
        "mcp_servers = 3",
        "[mcp_servers.recense]\ncommand = 'x'",
        "[[mcp_servers]]",
        "= 1",
        "a = 1\na = 2",
        "a = " + "[" * 2_000,
    ],
)
def test_a_toml_document_that_nothing_can_be_added_to_is_refused(text: str) -> None:
    with pytest.raises(ClientFileUnusable):
        spliced("toml", text, (TABLE,))


def test_lines_that_were_rewritten_are_left_to_the_person() -> None:
    made = spliced("toml", "", (TABLE,))
    changed = made.text.replace("args =", "args  =")
    with pytest.raises(ClientFileUnusable, match="not as they were written"):
        without("toml", changed, made.splices, digest_of(made.text))


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        ("json", "", True),
        ("json", " {\n}\n", True),
        ("json", "{} // mine", False),
        ("json", '{"a": 1}', False),
        ("toml", "\n", True),
        ("toml", "# mine", False),
    ],
)
def test_a_document_that_says_nothing_is_known(form: Form, text: str, expected: bool) -> None:
    assert is_vacant(form, text) is expected
