"""Values as tools of all kinds write them: instants, arguments, payloads."""

from typing import Final, cast

import msgspec

from recense.core.instants import instant_from_text
from recense.importers.lines import mapping_of

_LAST_INSTANT: Final = 253_402_300_799_999_999
"""The end of the year 9999: what is later has no wire form."""

_UNITS: Final = ((1e17, 1e-3), (1e14, 1.0), (1e11, 1e3), (0.0, 1e6))
"""From which number on it counts nanoseconds, microseconds, milliseconds, seconds; and how many
microseconds one of them is. The bounds are years apart from any instant of these decades."""

_NUMBER_MAX: Final = 1e20


def instant_of(value: object) -> int | None:
    """Return the instant that a number (since 1970, in seconds or parts of them), such a number as
    text, or an ISO 8601 text names; None for 0, for what names none, and for what is no instant of
    the years 1970 to 9999.
    """
    if isinstance(value, str):
        text = value.strip()
        try:
            value = float(text)
        except ValueError:
            return instant_from_text(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _NUMBER_MAX:
        return None
    scale = next(scale for bound, scale in _UNITS if value >= bound)
    instant = round(value * scale)
    return instant if 0 < instant <= _LAST_INSTANT else None


def arguments_of(value: object) -> object:
    """Return what a tool is given: the JSON object that a text holds, else what was given."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        decoded = cast("object", msgspec.json.decode(value))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return value
    return mapping_of(cast("object", decoded)) if isinstance(decoded, dict) else value


def size_of(value: object) -> int:
    """Return a number of bytes as a source gives it, 0 where it gives none."""
    is_size = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 2**53
    return int(cast("float", value)) if is_size else 0
