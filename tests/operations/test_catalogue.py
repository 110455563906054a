import json
import re
from typing import cast

import msgspec
import pytest

from recense.operations.catalogue import OPERATIONS, OPERATIONS_BY_NAME
from recense.operations.operation import AnyOperation
from recense.operations.schemas import JsonObject, schema_of
from scripts.write_api_documents import DOCUMENTS, documents, losses, losses_of_file
from tests.rows import each_row


def _names(operation: AnyOperation) -> str:
    return operation.name


def test_an_operation_has_one_name() -> None:
    assert len(OPERATIONS_BY_NAME) == len(OPERATIONS)
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", name) for name in OPERATIONS_BY_NAME)


def test_a_summary_is_one_line_that_ends() -> None:
    line = re.compile(r"[A-Z][^\n]*\.")
    assert [each.name for each in OPERATIONS if not line.fullmatch(each.summary)] == []


def test_what_is_destructive_changes_something_and_what_changes_nothing_is_repeatable() -> None:
    for each in OPERATIONS:
        assert each.changes or not each.destructive, each.name
        assert each.changes or each.repeatable, each.name


def test_what_lasts_can_be_left_and_what_converges_changes_something() -> None:
    for each in OPERATIONS:
        assert each.abandonable or not each.lasting, each.name
        assert each.changes or not each.convergent, each.name


def test_the_document_of_the_server_names_what_is_done_again_after_a_kill() -> None:
    told = (DOCUMENTS / "server.md").read_text("utf-8")
    names = sorted(each.name for each in OPERATIONS if each.convergent)
    (line,) = [line for line in told.splitlines() if "are then done again" in line]
    assert [name for name in names if f"`{name}`" not in line] == []


@each_row("operation", OPERATIONS, ids=_names)
def test_a_request_refuses_fields_that_it_does_not_have_at_every_depth(
    operation: AnyOperation,
) -> None:
    schema = schema_of(operation.request)
    inner = cast("dict[str, JsonObject]", schema.get("$defs", {}))
    for each in (schema, *inner.values()):
        assert each.get("type") != "object" or each["additionalProperties"] is False


@each_row("operation", OPERATIONS, ids=_names)
def test_requests_and_answers_are_objects(operation: AnyOperation) -> None:
    assert schema_of(operation.request)["type"] == "object"
    assert schema_of(operation.answer)["type"] == "object"


def test_the_documents_are_what_the_catalogue_gives() -> None:
    made = documents()
    on_disk = {f"schemas/{path.name}" for path in (DOCUMENTS / "schemas").iterdir()}
    assert on_disk | {"api-v1.md"} == made.keys()
    stale = [name for name, text in made.items() if (DOCUMENTS / name).read_text("utf-8") != text]
    assert stale == [], "run scripts/write_api_documents.py"


def test_within_v1_nothing_that_is_documented_is_taken_away() -> None:
    made = documents()
    lost = [
        loss
        for path in sorted((DOCUMENTS / "schemas").glob("*.json"))
        for loss in losses_of_file(path, made)
    ]
    assert lost == []


def _operation(request: JsonObject) -> JsonObject:
    return {
        "operation": "ask",
        "surface": "text",
        "scope": "recall",
        "request": request,
        "answer": {"title": "Answer", "type": "object", "properties": {}, "required": []},
    }


def _fields(fields: JsonObject, required: tuple[str, ...] = ()) -> JsonObject:
    return {
        "title": "Asked",
        "type": "object",
        "properties": fields,
        "required": list(required),
    }


GONE = "is no longer allowed"
TEXT: JsonObject = {"type": "string"}
WHOLE: JsonObject = {"type": "integer"}
EITHER: JsonObject = {"anyOf": [TEXT, {"type": "null"}]}


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (_fields({"a": TEXT}), _fields({"a": TEXT, "b": WHOLE}), []),
        (_fields({"a": TEXT}), _fields({"a": EITHER}), []),
        (_fields({"a": WHOLE}), _fields({"a": {"type": "number"}}), []),
        (_fields({"a": TEXT}, ("a",)), _fields({"a": TEXT}), []),
        (_fields({"a": {"enum": ["x"]}}), _fields({"a": {"enum": ["x", "y"]}}), []),
        (_fields({"a": {"enum": ["x"]}}), _fields({"a": TEXT}), []),
        (_fields({"a": TEXT}), _fields({"a": {}}), []),
        (_fields({"a": TEXT}), _fields({}), ["ask.request.a: is gone"]),
        (
            _fields({"a": TEXT}),
            _fields({"a": WHOLE}),
            [f"ask.request.a: string {GONE}"],
        ),
        (
            _fields({"a": EITHER}),
            _fields({"a": TEXT}),
            [f"ask.request.a: null {GONE}"],
        ),
        (
            _fields({"a": {"type": "array", "items": TEXT}}),
            _fields({"a": {"type": "array", "items": WHOLE}}),
            [f"ask.request.a: string {GONE}"],
        ),
        (
            _fields({"a": {"enum": ["x", "y"]}}),
            _fields({"a": {"enum": ["x"]}}),
            ["ask.request.a: 'y' is no longer allowed"],
        ),
        (_fields({"a": TEXT}), _fields({"a": TEXT}, ("a",)), ["ask.request.a: must be given now"]),
        (
            _fields({"a": _fields({"b": TEXT})}),
            _fields({"a": _fields({})}),
            ["ask.request.a.b: is gone"],
        ),
        (
            _fields({"a": {"$ref": "#/$defs/B"}}) | {"$defs": {"B": _fields({"b": TEXT})}},
            _fields({"a": {"$ref": "#/$defs/B"}}) | {"$defs": {"B": _fields({})}},
            ["ask.request.a.b: is gone"],
        ),
    ],
)
def test_what_is_added_is_no_loss_and_what_is_taken_away_is_one(
    before: JsonObject, after: JsonObject, lost: list[str]
) -> None:
    assert [*losses(_operation(before), _operation(after))] == lost


def test_an_operation_that_is_gone_is_a_loss() -> None:
    made = documents()
    del made["schemas/recall.json"]
    assert losses_of_file(DOCUMENTS / "schemas" / "recall.json", made) == ["recall: is gone"]


def test_a_schema_is_one_that_a_struct_is_read_by() -> None:
    for each in OPERATIONS:
        json.dumps(schema_of(each.request))
        assert issubclass(each.request, msgspec.Struct)
