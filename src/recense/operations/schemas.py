"""JSON Schemas of operations, as documents, tools and clients are given them."""

import msgspec

JsonObject = dict[str, object]
"""A JSON object, decoded."""


def schema_of(kind: type[msgspec.Struct]) -> JsonObject:
    """Return the JSON Schema (2020-12) of a struct: an object at the root, and what it refers to
    under ``$defs``, in order of their names.
    """
    _, components = msgspec.json.schema_components(
        [kind], ref_template="#/$defs/{name}", schema_hook=any_value
    )
    root: JsonObject = dict(components[kind.__name__])
    inner = {name: components[name] for name in sorted(components) if name != kind.__name__}
    return root | {"$defs": inner} if inner else root


def any_value(kind: type) -> JsonObject:
    """Return the schema of ``object``, which is any JSON value; what msgspec asks where it knows
    none. Raises NotImplementedError for every other type.
    """
    if kind is not object:
        raise NotImplementedError(f"{kind.__name__} has no JSON form")
    return {"description": "Any JSON value."}
