"""Instants: integer microseconds since 1970-01-01T00:00:00Z in memory, RFC 3339 UTC on the wire.

Law: on the wire an instant always has six fractional digits and a ``Z``, so that text order is time
order and a reader never has to guess a zone.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from recense.limits import SECONDS_KEPT_MAX

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND: Final = timedelta(microseconds=1)
_EPOCH_WITHOUT_ZONE: Final = EPOCH.replace(tzinfo=None)

_SECOND: Final = 1_000_000


def instant_from_text(text: str) -> int | None:
    """Return the instant that an ISO 8601 / RFC 3339 text names, or None when it names none.

    A text without a zone is read as UTC: the sources we read write UTC, and a guess by the
    machine's zone would make two machines disagree. Digits beyond microseconds are dropped. What
    lies outside the years 1 to 9999 in UTC has no wire form and is none.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment.astimezone(UTC) - EPOCH) // MICROSECOND
    except (ValueError, OverflowError):
        return None


def text_from_instant(instant: int) -> str:
    """Return the wire form of an instant: ``2026-01-02T03:04:05.000006Z``.

    Raises OverflowError for an instant outside the years 1 to 9999, which no instant read by
    `instant_from_text` is.
    """
    second, microseconds = divmod(instant, _SECOND)
    return f"{_text_from_second(second)}.{microseconds:06}Z"


@lru_cache(maxsize=SECONDS_KEPT_MAX)
def _text_from_second(second: int) -> str:
    return (_EPOCH_WITHOUT_ZONE + timedelta(seconds=second)).isoformat()
