"""What a statement says: subjects, predicates and values, and when two values are one.

Law: two values are equal when their keys are. A text is compared by NFC, casefold, NFC and kept as
it is written; numbers compare by value, whatever their type; True equals nothing but True.
"""

import math
import re
import unicodedata
from hashlib import sha256
from typing import Final, Literal, assert_never

from recense.core.text.quoting import quoted
from recense.errors import InvalidRequest
from recense.limits import (
    FACT_TEXT_BYTES_MAX,
    PREDICATE_BYTES_MAX,
    SUBJECT_CODE_POINTS_MAX,
)

FactValue = str | int | float | bool
"""An integer is of 64 bits, a double is finite, a text has at most FACT_TEXT_BYTES_MAX bytes."""

ValueType = Literal["string", "number", "boolean", "enum", "date", "ref"]

Truth = Literal["yes", "no", "unknown"]
"""Whether a value holds; ``unknown`` is not ``no``."""

ANY_VALUE: Final = "*"
"""What stands for a value's key where a retraction names no value."""

RESERVED: Final = "recense:"
"""How the subjects begin under which we keep records of our own, the registry's."""

_PREDICATE: Final = re.compile(r"[a-z][a-z0-9_]*")
_INT64: Final = range(-(2**63), 2**63)


def value_key(value: FactValue) -> str:
    """Return the SHA-256 (64 hexadecimal digits) of a value's typed canonical form."""
    return sha256(_canonical(value)).hexdigest()


def is_reserved(subject: str) -> bool:
    """Whether records under a subject are our own, and say nothing about the world."""
    return subject.startswith(RESERVED)


def utf8_bytes(what: str, text: str) -> bytes:
    """Return the bytes of a text. Raises InvalidRequest for one with a lone surrogate."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidRequest(f"{what} is no Unicode text: it has a lone surrogate") from error


def normal_subject(text: str) -> str:
    """Return a subject as it is kept: NFC, trimmed, lower case.

    Raises InvalidRequest for one that is empty, too long or reserved, or has a lone surrogate.
    """
    utf8_bytes("the subject", text)
    subject = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).strip().lower())
    if not 1 <= len(subject) <= SUBJECT_CODE_POINTS_MAX:
        raise InvalidRequest(
            f"a subject of {len(subject)} code points; expected 1 to {SUBJECT_CODE_POINTS_MAX}",
            hint="name who or what the fact is about",
        )
    if is_reserved(subject):
        raise InvalidRequest(
            f"the subject {quoted(subject)} is reserved: Recense keeps its own records under "
            f"{RESERVED!r}",
            hint="choose another name",
        )
    return subject


def require_predicate(text: str) -> str:
    """Return a predicate's name as it is. Raises InvalidRequest for one that is no name."""
    if not _PREDICATE.fullmatch(text) or len(text) > PREDICATE_BYTES_MAX:
        raise InvalidRequest(
            f"the predicate {quoted(text)} is no name; expected a letter, then letters, digits and "
            f"underscores, all lower case, at most {PREDICATE_BYTES_MAX} in all",
            hint="for example lives_in",
        )
    return text


def require_value(value: object) -> FactValue:
    """Return a value that can be kept.

    Raises InvalidRequest for another type, an integer beyond 64 bits, a number that is not finite,
    a text that is too long, and one with lone surrogates.
    """
    match value:
        case bool():
            return value
        case int():
            if value in _INT64:
                return value
            raise InvalidRequest(f"an integer of {value.bit_length()} bits; expected at most 64")
        case float():
            if math.isfinite(value):
                return value
            raise InvalidRequest(f"the number {value} is not finite")
        case str():
            return _require_text(value)
        case _:
            raise InvalidRequest(
                f"a value of type {type(value).__name__}; expected text, a number or true or false"
            )


def _require_text(value: str) -> str:
    size = len(utf8_bytes("the value", value))
    if size > FACT_TEXT_BYTES_MAX:
        raise InvalidRequest(
            f"a value of {size} bytes; expected at most {FACT_TEXT_BYTES_MAX}",
            hint="keep long texts with `recense remember`, which has no predicate",
        )
    return value


def _canonical(value: FactValue) -> bytes:
    match value:
        case bool():
            return b"boolean:true" if value else b"boolean:false"
        case int():
            return b"number:%d" % value
        case float():
            is_whole = value.is_integer()
            return b"number:%d" % int(value) if is_whole else f"number:{value!r}".encode()
        case str():
            folded = unicodedata.normalize("NFC", value).casefold()
            return b"string:" + unicodedata.normalize("NFC", folded).encode()
        case _:
            assert_never(value)
