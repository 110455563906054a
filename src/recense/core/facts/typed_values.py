"""What a predicate's type asks of a value. Nothing is coerced: the refusal says what was expected.

Only what is written is checked so: what an earlier definition allowed stays readable.
"""

import re
from datetime import date
from typing import Final, assert_never

from recense.core.facts.changes import Definition
from recense.core.facts.values import FactValue, ValueType, normal_subject
from recense.core.instants import instant_from_text
from recense.core.text.quoting import quoted
from recense.errors import InvalidRequest

_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", re.ASCII)
_DATE_WORDS: Final = "a date as YYYY-MM-DD, YYYY-MM or YYYY, or an instant"


def require_typed(value: FactValue, definition: Definition) -> FactValue:
    """Return a value as the definition takes it; raises InvalidRequest for one of another type.

    A reference is a subject: it is trimmed. The message names no predicate: who files texts may not
    know that there are any.
    """
    value_type = definition.value_type
    match value_type:
        case "number":
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise _refused(value, "a number")
            return value
        case "boolean":
            if not isinstance(value, bool):
                raise _refused(value, "true or false")
            return value
        case "string":
            return _require_string(value, "text")
        case "enum":
            text = _require_string(value, f"one of {', '.join(definition.allowed)}")
            if text not in definition.allowed:
                raise _refused(value, f"one of {', '.join(definition.allowed)}")
            return text
        case "date":
            text = _require_string(value, _DATE_WORDS)
            if not _is_date(text):
                raise _refused(value, _DATE_WORDS)
            return text
        case "ref":
            text = _require_string(value, "the name of a subject")
            normal_subject(text)  # refuses what names none; the value stays as it is written
            return as_kept(text, definition)
        case _:
            assert_never(value_type)


def as_kept(value: FactValue, definition: Definition | None) -> FactValue:
    """Return a value as a definition that takes it keeps it: a reference without blanks around."""
    is_reference = definition is not None and definition.value_type == "ref"
    return value.strip() if is_reference and isinstance(value, str) else value


def type_of(value: FactValue) -> ValueType:
    """Return the type that a value has by itself: what a predicate that is new takes."""
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case _:
            assert_never(value)


def _require_string(value: FactValue, expected: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _refused(value, expected)
    return value


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    if found is None:
        return "T" in text and instant_from_text(text) is not None
    year, month, day = (int(part or 1) for part in found.groups())
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _refused(value: FactValue, expected: str) -> InvalidRequest:
    return InvalidRequest(
        f"the value {quoted(str(value))} is of another kind: expected {expected}",
        hint="nothing is converted; `recense registry list` says what is taken where",
    )
