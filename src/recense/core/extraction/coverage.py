"""Coverage: what a reader has read of a session, and what follows is left.

Laws:

- What has been read is recorded, what has not is derived: an entry is added when a batch was read,
  and everything else is the difference to the session as it is now, worked out when asked.
- An entry is of an exchange's fingerprint and occurrence, and of the bytes that were read; so equal
  pieces are two units, and a long one is covered when its windows reach its end.
- *Nothing* is a result: what was read and said nothing is not read again. *Failed* is none: it
  stays uncovered, and visible.
- Entries are of one reader in one version; another has read nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec.structs import replace

from recense.core.extraction.exchanges import Exchange, tokens_of
from recense.core.values import Value

Outcome = Literal["facts", "nothing", "windowed", "failed"]
"""What came of reading: facts were proposed; none were; the rest is beyond the ceiling and is not
read; or no answer could be used."""

Unit = tuple[str, int]
"""A piece of a session by its fingerprint and occurrence."""


class CoverageEntry(Value, kw_only=True):
    """That the bytes from ``start`` up to ``end`` of a piece were read, or failed to be, at an
    instant, in a batch. ``attempts`` counts the readings that failed, and ``reason`` says why the
    last one did.
    """

    fingerprint: str
    occurrence: int
    start: int
    end: int
    outcome: Outcome
    batch: str
    at: int
    attempts: int = 0
    reason: str = ""


class Reading(Value, kw_only=True):
    """How far a piece is read: ``through`` a byte; ``is_covered`` where nothing of it is left.
    ``omitted`` bytes are beyond the ceiling. ``attempts`` and ``reason`` are of what failed there.
    """

    exchange: Exchange
    through: int
    is_covered: bool
    omitted: int = 0
    attempts: int = 0
    reason: str = ""

    @property
    def left(self) -> int:
        """The bytes that are left to read."""
        return 0 if self.is_covered else self.exchange.size - self.through


class Coverage(Value, kw_only=True):
    """How far a session is read by a reader: pieces, and tokens of those that are left."""

    messages: int
    covered: int
    failed: int
    tokens_uncovered: int
    tokens_omitted: int

    @property
    def uncovered(self) -> int:
        """The pieces that are not covered, those that failed included."""
        return self.messages - self.covered


_NOT_READ: Final[tuple[CoverageEntry, ...]] = ()


def readings_of(
    exchanges: Iterable[Exchange], entries: Iterable[CoverageEntry]
) -> tuple[Reading, ...]:
    """Return how far each piece is read, in the order of the pieces."""
    by_unit: dict[Unit, list[CoverageEntry]] = defaultdict(list)
    for entry in entries:
        by_unit[entry.fingerprint, entry.occurrence].append(entry)
    return tuple(_reading(each, by_unit.get(each.unit, _NOT_READ)) for each in exchanges)


def left_since(readings: Iterable[Reading], since: int) -> tuple[Reading, ...]:
    """Return how far each piece is read where what was written before an instant, or nobody knows
    when, is left alone: it counts as covered.
    """
    return tuple(
        replace(each, is_covered=each.is_covered or (each.exchange.at or 0) < since)
        for each in readings
    )


def left_after(readings: Iterable[Reading], attempts: int) -> tuple[Reading, ...]:
    """Return how far each piece is read where what failed so many times is left alone: it counts as
    covered.
    """
    return tuple(
        replace(each, is_covered=each.is_covered or each.attempts >= attempts) for each in readings
    )


def coverage_of(readings: Sequence[Reading]) -> Coverage:
    """Return how far a session is read, by the readings of its pieces."""
    return Coverage(
        messages=len(readings),
        covered=sum(each.is_covered for each in readings),
        failed=sum(each.attempts > 0 for each in readings if not each.is_covered),
        tokens_uncovered=sum(tokens_of(each.left) for each in readings),
        tokens_omitted=sum(tokens_of(each.omitted) for each in readings),
    )


def totalled(coverages: Iterable[Coverage]) -> Coverage:
    """Return the coverage of several sessions together."""
    sums: Mapping[str, int] = dict.fromkeys(Coverage.__struct_fields__, 0)
    for each in coverages:
        sums = {name: total + getattr(each, name) for name, total in sums.items()}
    return Coverage(**sums)


def _reading(exchange: Exchange, entries: Sequence[CoverageEntry]) -> Reading:
    """Return how far a piece is read: windows follow one another from its beginning."""
    read = {entry.start: entry for entry in entries if entry.outcome != "failed"}
    through, omitted = 0, 0
    is_covered = False
    while (entry := read.get(through)) is not None:
        if entry.outcome == "windowed":
            omitted = exchange.size - entry.start
            is_covered = True
            break
        through = entry.end
        if through >= exchange.size:
            is_covered = True
            break
    failed = {entry.start: entry for entry in entries if entry.outcome == "failed"}.get(through)
    if is_covered or failed is None:
        return Reading(exchange=exchange, through=through, is_covered=is_covered, omitted=omitted)
    return Reading(
        exchange=exchange,
        through=through,
        is_covered=False,
        attempts=failed.attempts,
        reason=failed.reason,
    )
