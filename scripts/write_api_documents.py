"""Rewrite docs/api-v1.md and docs/schemas from the catalogue of operations.

``python scripts/write_api_documents.py`` writes what has changed, and a second run changes nothing.
Within v1 an operation only grows: what removes a field, asks for one that was not asked for, or
narrows a type is refused, and nothing is written. ``--narrow`` writes it all the same: for what no
release had yet.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

from recense.operations.catalogue import OPERATIONS, AnyOperation
from recense.operations.schemas import JsonObject, schema_of

DOCUMENTS: Final = Path(__file__).resolve().parent.parent / "docs"
SURFACES: Final = {
    "text": "Words in, words out: for models and people who need not know how facts are filed.",
    "typed": "Facts by subject, predicate and value.",
    "agent": "For agents that resume: what they write down, and what they are given.",
    "admin": "Sessions and the store: for programs that write sessions, and who keeps a store.",
}
_HEAD: Final = """# API v1

Every operation, as every door has it: `POST /v1/NAME` over HTTP, the tool NAME over MCP, the method
of that name of a client.
Requests and answers are JSON; what is asked and answered in full is in [schemas](schemas), one file
for each operation.
This page and the schemas are written by `scripts/write_api_documents.py` from the catalogue in
`src/recense/operations/catalogue.py`.

A field that a request does not have is refused, with the nearest name that there is.
A client ignores fields of an answer that it does not know: within v1 operations, fields and values
are added, and none is taken away.

*Scope* is what a key has to allow.
*Changes*: something may be different afterwards; a key that is read-only may not ask for it.
*Repeatable*: asked again right after, it changes nothing more, so that who got no answer may ask
again.
*Destructive*: what was said is withdrawn or removed.
"""


def documents() -> dict[str, str]:
    """Return each document by its path within the folder of documents."""
    written = {"api-v1.md": _page()}
    for operation in OPERATIONS:
        text = json.dumps(described(operation), ensure_ascii=False, indent=2)
        written[f"schemas/{operation.name}.json"] = f"{text}\n"
    return written


def described(operation: AnyOperation) -> JsonObject:
    """Return an operation with its schemas, as its file has it."""
    return {
        "operation": operation.name,
        "summary": operation.summary,
        "surface": operation.surface,
        "scope": operation.scope,
        "changes": operation.changes,
        "repeatable": operation.repeatable,
        "destructive": operation.destructive,
        "request": schema_of(operation.request),
        "answer": schema_of(operation.answer),
    }


def losses(before: JsonObject, after: JsonObject) -> Iterator[str]:
    """Yield what an operation, as its file had it, has lost: what breaks who relied on it."""
    name = before["operation"]
    for property_name in ("surface", "scope"):
        if before[property_name] != after[property_name]:
            yield f"{name}: its {property_name} is another"
    for side in ("request", "answer"):
        old, new = _object(before[side]), _object(after[side])
        comparison = _Comparison(_object(old.get("$defs", {})), _object(new.get("$defs", {})))
        yield from comparison.losses(old, new, f"{name}.{side}")


class _Comparison:
    """Compares schemas, each with its own definitions."""

    def __init__(self, old: Mapping[str, object], new: Mapping[str, object]) -> None:
        self._old: Final = old
        self._new: Final = new
        self._compared: Final[set[tuple[str, str]]] = set()

    def losses(self, old: JsonObject, new: JsonObject, place: str) -> Iterator[str]:
        """Yield what the old schema allows, or has, and the new one does not."""
        pair = str(old.get("$ref")), str(new.get("$ref"))
        if pair in self._compared:
            return
        if "$ref" in old:
            self._compared.add(pair)
        allowed = [*_alternatives(new, self._new)]
        for alternative in _alternatives(old, self._old):
            yield from self._narrowed(alternative, allowed, place)

    def _narrowed(
        self, old: JsonObject, allowed: Sequence[JsonObject], place: str
    ) -> Iterator[str]:
        if {} in allowed:
            return  # anything is allowed
        if "enum" in old:
            values = {value for each in allowed for value in _list(each.get("enum"))}
            if not any(each.get("type") == "string" for each in allowed):
                for value in _list(old["enum"]):
                    if value not in values:
                        yield f"{place}: {value!r} is no longer allowed"
            return
        same = [each for each in allowed if _kind(each) == _kind(old)]
        if not same:
            is_wider = old.get("type") == "integer" and any(
                each.get("type") == "number" for each in allowed
            )
            if not is_wider:
                yield f"{place}: {_kind(old)} is no longer allowed"
            return
        for part in ("items", "additionalProperties"):
            if isinstance(same[0].get(part), dict) and isinstance(old.get(part), dict):
                yield from self.losses(_object(old[part]), _object(same[0][part]), place)
        yield from self._lost_fields(old, same[0], place)

    def _lost_fields(self, old: JsonObject, new: JsonObject, place: str) -> Iterator[str]:
        now = _object(new.get("properties", {}))
        for name, schema in _object(old.get("properties", {})).items():
            if name in now:
                yield from self.losses(_object(schema), _object(now[name]), f"{place}.{name}")
            else:
                yield f"{place}.{name}: is gone"
        before = _list(old.get("required"))
        for name in _list(new.get("required")):
            if name not in before:
                yield f"{place}.{name}: must be given now"


def _alternatives(schema: JsonObject, definitions: Mapping[str, object]) -> Iterator[JsonObject]:
    """Yield what a schema allows one of, with what it refers to in its place."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        yield from _alternatives(_object(definitions[name]), definitions)
    elif "anyOf" in schema:
        for each in _list(schema["anyOf"]):
            yield from _alternatives(_object(each), definitions)
    else:
        yield {key: value for key, value in schema.items() if key not in {"default", "$defs"}}


def _kind(schema: JsonObject) -> str:
    """Return what tells alternatives of one schema apart: the name of a struct, or a type."""
    return str(schema["title"] if "properties" in schema else schema.get("type"))


def _object(value: object) -> JsonObject:
    if not isinstance(value, dict):
        raise TypeError(f"expected an object of JSON, found {value!r}")
    return cast("JsonObject", value)


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _page() -> str:
    parts = [_HEAD]
    for surface, words in SURFACES.items():
        chosen = [each for each in OPERATIONS if each.surface == surface]
        if chosen:
            parts.append(f"\n## {surface.capitalize()}\n\n{words}\n")
            parts.extend(_section(each) for each in chosen)
    return "".join(parts)


def _section(operation: AnyOperation) -> str:
    marks = {
        "changes": operation.changes,
        "repeatable": operation.changes and operation.repeatable,
        "destructive": operation.destructive,
    }
    marked = (name for name, is_so in marks.items() if is_so)
    said = ", ".join((f"scope {operation.scope}", *marked))
    asked, answered = schema_of(operation.request), schema_of(operation.answer)
    return (
        f"\n### {operation.name}\n\n{operation.summary}\n*{said.capitalize()}.*"
        f" [Schema](schemas/{operation.name}.json).\n\n"
        f"**Asked**: {_words(asked)}\n{_asked_fields(asked)}\n"
        f"**Answered**: {_words(answered)}\n{_answered_fields(answered)}"
    )


def _words(schema: JsonObject) -> str:
    """Return what a struct says of itself, as one paragraph."""
    return " ".join(str(schema.get("description", "")).replace("``", "`").split())


def _asked_fields(schema: JsonObject) -> str:
    """Return the fields of a request as a table, nothing where there are none."""
    required = _list(schema.get("required"))
    fields = _object(schema.get("properties", {}))
    rows = [
        f"| `{name}` | {_type(field)} | {'required' if name in required else _default(field)} |\n"
        for name, field in ((name, _object(each)) for name, each in fields.items())
    ]
    return "".join(("\n| field | type | without it |\n|---|---|---|\n", *rows)) if rows else ""


def _answered_fields(schema: JsonObject) -> str:
    """Return the fields of an answer as a table."""
    fields = _object(schema.get("properties", {}))
    rows = [f"| `{name}` | {_type(_object(each))} |\n" for name, each in fields.items()]
    return "".join(("\n| field | type |\n|---|---|\n", *rows))


def _default(field: JsonObject) -> str:
    return f"`{json.dumps(field['default'], ensure_ascii=False)}`" if "default" in field else ""


def _type(field: JsonObject) -> str:
    """Return a type in few words."""
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "anyOf" in field:
        return " or ".join(_type(_object(each)) for each in _list(field["anyOf"]))
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in _list(field["enum"]))
    if field.get("type") == "array":
        return f"list of {_type(_object(field.get('items', {})))}"
    if field.get("type") == "object" and isinstance(field.get("additionalProperties"), dict):
        return f"object of {_type(_object(field['additionalProperties']))}"
    return str(field.get("type", "any"))


def _written(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def main(arguments: Sequence[str]) -> int:
    """Write the documents and return an exit code: 1 where that would take something away."""
    made = documents()
    lost = [
        loss
        for path in sorted((DOCUMENTS / "schemas").glob("*.json"))
        for loss in losses_of_file(path, made)
    ]
    if lost and "--narrow" not in arguments:
        print("\n".join(("within v1 an operation only grows:", *lost)), file=sys.stderr)
        return 1
    for path in (DOCUMENTS / "schemas").glob("*.json"):
        if f"schemas/{path.name}" not in made:
            path.unlink()
    for name, text in made.items():
        path = DOCUMENTS / name
        if _written(path) != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")
    return 0


def losses_of_file(path: Path, made: Mapping[str, str]) -> list[str]:
    """Return what the operation of a file has lost in what is made now."""
    before = _object(json.loads(_written(path)))
    now = made.get(f"schemas/{path.name}")
    if now is None:
        return [f"{before['operation']}: is gone"]
    return [*losses(before, _object(json.loads(now)))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
