"""Filters: which sessions and which messages a request is about.

Laws: a workspace is compared segment by segment, so that ``/work/app`` never means ``/work/app2``;
an instant that is not known passes no time filter; both ends of a time filter are inclusive.
"""

import unicodedata
from datetime import date
from typing import Final

from recense.core.instants import instant_from_text
from recense.core.late_patterns import late_pattern
from recense.core.text.quoting import quoted
from recense.core.values import Value
from recense.errors import InvalidRequest

_SEPARATOR: Final = late_pattern(r"[/\\]")
_DAY: Final = 24 * 60 * 60 * 1_000_000


class Period(Value, kw_only=True):
    """Instants from ``since`` to ``until``, both inclusive; None leaves an end open."""

    since: int | None = None
    until: int | None = None

    def holds(self, at: int | None) -> bool:
        """Whether an instant lies in the period; one that is not known does when both are open."""
        if at is None:
            return self.since is None and self.until is None
        return (self.since is None or self.since <= at) and (self.until is None or at <= self.until)


ANY_TIME: Final = Period()
"""The period of a request that names none."""


def period_of(since: str | None, until: str | None) -> Period:
    """Return the period that two texts name.

    A date without a time names its whole day (UTC), so that ``until`` a day includes it. Raises
    InvalidRequest for a text that names no instant, and for an end before its beginning.
    """
    first = _instant("since", since)
    last = _instant("until", until)
    if last is not None and until is not None and _is_date(until):
        last += _DAY - 1
    if first is not None and last is not None and first > last:
        raise InvalidRequest(
            f"since {since!r} is after until {until!r}: no instant is in between",
            hint="exchange the two",
        )
    return Period(since=first, until=last)


def is_at_or_below(path: str, workspace: str) -> bool:
    """Whether a path is the workspace or lies below it.

    Slashes of both kinds separate, one at the end says nothing; letters count with their case.
    """
    segments = _segments(workspace)
    return _segments(path)[: len(segments)] == segments


def _segments(path: str) -> list[str]:
    return _SEPARATOR.split(unicodedata.normalize("NFC", path).rstrip("/\\"))


def _instant(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    instant = instant_from_text(text)
    if instant is None:
        raise InvalidRequest(
            f"{name} is {quoted(text)}, which is no RFC 3339 instant",
            hint="write it like 2026-01-31T09:30:00Z, or 2026-01-31 for the whole day",
        )
    return instant


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text.strip())
    except ValueError:
        return False
    return True
