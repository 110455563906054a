"""Values as a person types them: instants, dates, origins."""

from typing import Final, Literal

from recense.core.instants import instant_from_text, text_from_instant
from recense.core.transcript.records import Origin
from recense.errors import InvalidRequest

_DAY_MICROSECONDS: Final = 24 * 60 * 60 * 1_000_000

_DATE_LENGTH: Final = len("2026-03-01")
"""The longest ISO 8601 date; what is longer has a time too."""

OriginOrAll = Origin | Literal["all"]

ORIGINS: Final[tuple[OriginOrAll, ...]] = (
    "interactive",
    "subagent",
    "headless",
    "agent",
    "all",
)


def since_text(option: str, text: str) -> str:
    """Return the wire form of an instant, or of the first instant (UTC) of a date.

    Raises InvalidRequest, naming the option, for anything else.
    """
    return _wire_form(option, text, date_shift=0)


def until_text(option: str, text: str) -> str:
    """Return the wire form of an instant, or of the last instant (UTC) of a date.

    Raises InvalidRequest, naming the option, for anything else.
    """
    return _wire_form(option, text, date_shift=_DAY_MICROSECONDS - 1)


def _wire_form(option: str, text: str, *, date_shift: int) -> str:
    stripped = text.strip()
    instant = instant_from_text(stripped)
    if instant is not None:
        try:
            return text_from_instant(instant + (date_shift if len(stripped) <= _DATE_LENGTH else 0))
        except OverflowError:
            pass  # a zone took it out of the years there are: refused below like any other text
    raise InvalidRequest(
        f"{option} {text!r} is neither a date nor an instant",
        hint=f"{option} 2026-03-01, or {option} 2026-03-01T09:30:00Z",
    )


def origin_named(text: str) -> OriginOrAll:
    """Return the origin of this name. Raises InvalidRequest for a name that is none."""
    for origin in ORIGINS:
        if text == origin:
            return origin
    raise InvalidRequest(
        f"--origin {text!r} is none of {', '.join(ORIGINS)}", hint="--origin all for every one"
    )
