"""Reading what arrives: JSON to the struct of an operation, and why not."""

import re
from difflib import get_close_matches
from typing import Final, TypeVar, get_args

import msgspec

from recense.core.text.quoting import quoted
from recense.core.text.redact import redact
from recense.errors import InvalidRequest

_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*?)`", re.DOTALL)

_Asked = TypeVar("_Asked", bound=msgspec.Struct)


def read_wire(kind: type[_Asked], json: bytes) -> _Asked:
    """Return what JSON asks.

    Raises InvalidRequest for what is no JSON, lacks a field, or has one of a wrong type; and for a
    field that there is not, with the nearest name that there is.
    """
    try:
        return msgspec.json.decode(json, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        found = _UNKNOWN.search(str(error))
        if found is None:
            raise InvalidRequest(
                f"{kind.__name__} cannot be read: {redact(str(error)).text}",
                hint=f"its fields are {', '.join(_names(kind))}",
            ) from error
        near = get_close_matches(found[1], _names(kind), n=1, cutoff=0.0)
        raise InvalidRequest(
            f"{kind.__name__} has no field {quoted(found[1])}; the nearest is {near[0]!r}",
            hint=f"its fields are {', '.join(_names(kind))}",
        ) from error


def _names(kind: type[msgspec.Struct]) -> list[str]:
    """Return the names of the fields of a struct and of those in it, as they are on the wire."""
    names: dict[str, None] = {}
    for field in msgspec.structs.fields(kind):
        names[field.encode_name] = None
        for inner in (field.type, *get_args(field.type)):
            if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                names.update(dict.fromkeys(_names(inner)))
    return list(names)
