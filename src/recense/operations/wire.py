"""Reading what arrives: JSON to the struct of an operation, and why not."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final, TypeVar, get_args

import msgspec

from recense.core.text.quoting import quoted
from recense.core.text.redact import redact
from recense.errors import InvalidRequest

_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*?)`", re.DOTALL)
# Where in what was sent a fault is, when that is inside of a field; nothing for the outermost.
_INSIDE: Final = re.compile(r"^Object .* - at `\$\.|- at `\$\.[^`]*[.\[]", re.DOTALL)

_Asked = TypeVar("_Asked", bound=msgspec.Struct)


def read_wire(kind: type[_Asked], json: bytes) -> _Asked:
    """Return what JSON asks.

    Raises InvalidRequest for what is no JSON, lacks a field, or has one of a wrong type; and for a
    field that there is not, with the nearest name that there is.
    """
    try:
        return msgspec.json.decode(json, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _unread(kind, error) from error


def read_words(kind: type[_Asked], words: Iterable[tuple[str, str]]) -> _Asked:
    """Return what words ask: names of fields, each once, and their values as text, as they stand
    in the query of an address.

    Raises as `read_wire`.
    """
    fields: dict[str, str] = {}
    for name, value in words:
        if name in fields:
            raise InvalidRequest(f"{quoted(name)} is given more than once", hint="give it once")
        fields[name] = value
    try:
        return msgspec.convert(fields, kind, strict=False)
    except msgspec.MsgspecError as error:
        raise _unread(kind, error) from error


def _unread(kind: type[msgspec.Struct], error: Exception) -> InvalidRequest:
    """Return why nothing could be read."""
    names = _names(kind, with_inner=_INSIDE.search(str(error)) is not None)
    hint = f"its fields are {', '.join(names)}" if names else "it has no fields"
    found = _UNKNOWN.search(str(error))
    if found is None:
        return InvalidRequest(
            f"{kind.__name__} cannot be read: {redact(str(error)).text}", hint=hint
        )
    near = get_close_matches(found[1], names, n=1, cutoff=0.0)
    nearest = f"; the nearest is {near[0]!r}" if near else ""
    return InvalidRequest(f"{kind.__name__} has no field {quoted(found[1])}{nearest}", hint=hint)


def _names(kind: type[msgspec.Struct], *, with_inner: bool) -> list[str]:
    """Return the names of the fields of a struct as they are on the wire, and of those in it where
    these are wanted.
    """
    names: dict[str, None] = {}
    for field in msgspec.structs.fields(kind):
        names[field.encode_name] = None
        for inner in (field.type, *get_args(field.type)) if with_inner else ():
            if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                names.update(dict.fromkeys(_names(inner, with_inner=True)))
    return list(names)
