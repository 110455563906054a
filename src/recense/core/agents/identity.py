"""Which call of a tool is the same as which other.

Law: an action is named by what it is, never by where it stands. A caller's own id of a call names
it, since a retry of the call repeats that; without one an action is its tool, its arguments and how
many equal ones had ended before. So a call that is repeated by accident meets the one before it,
and a call that is repeated on purpose is another.

Names are keyed with the store's secret: arguments may hold what nobody should be able to guess from
a digest.
"""

import math
from hashlib import blake2b
from typing import Final, cast

import msgspec

from recense.core.ids import DIGEST_BYTES
from recense.core.text.json_text import settled_text
from recense.core.text.redact import redact
from recense.errors import InvalidRequest
from recense.limits import NESTING_MAX

_SAFE_INTEGERS: Final = 2**53
"""From here on a double does not name one integer any more."""

_encoder: Final = msgspec.json.Encoder(order="sorted")


def canonical_json(what: str, value: object) -> bytes:
    """Return the one JSON of a value: keys in the order of their code points, no white space, a
    number that is integral written as one, the items of a set in an order of their own, and for a
    lone surrogate or a NUL U+FFFD.

    Raises InvalidRequest for what has no JSON, saying ``what`` it should have been: a number that
    is not finite, a key that is no text, an object of the caller's own, what is nested too deep.
    """
    try:
        return _encoder.encode(_canonical(msgspec.to_builtins(value, order="sorted"), NESTING_MAX))
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise InvalidRequest(
            f"{what} cannot be written as JSON: {redact(str(error)).text}",
            hint="give texts, numbers, truth values, lists and objects with texts as keys",
        ) from error


def act_id(store_key: bytes, agent: str, tool: str, args: bytes) -> str:
    """Return what names a tool with its canonical arguments: 32 hexadecimal digits."""
    return _named(store_key, b"act", agent.encode(), tool.encode(), args)


def called_id(store_key: bytes, agent: str, call_id: str) -> str:
    """Return the id of the action that a call of this id is: 32 hexadecimal digits."""
    return _named(store_key, b"call", agent.encode(), call_id.encode())


def occurring_id(store_key: bytes, act: str, occurrence: int) -> str:
    """Return the id of the action that is this occurrence of an act: 32 hexadecimal digits."""
    return _named(store_key, b"occurrence", act.encode(), str(occurrence).encode())


def _named(store_key: bytes, *parts: bytes) -> str:
    digest = blake2b(key=store_key, digest_size=DIGEST_BYTES, person=b"action")
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _canonical(value: object, levels: int) -> object:
    """Return a value of which at most so many levels are nested: more could be written, and not be
    read again by who is called from deeper down.
    """
    if isinstance(value, dict | list | tuple) and not levels:
        raise ValueError(f"it is nested in more than {NESTING_MAX} levels")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number of JSON")
        is_integral = value.is_integer() and abs(value) < _SAFE_INTEGERS
        return int(value) if is_integral else value
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {_key(name): _canonical(each, levels - 1) for name, each in items}
    if isinstance(value, str):
        return settled_text(value)
    if isinstance(value, list | tuple):
        return [_canonical(each, levels - 1) for each in cast("list[object]", value)]
    return value


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a key is {name!r}")
    return settled_text(name)
