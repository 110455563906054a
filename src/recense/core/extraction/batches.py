"""Batches: what is read at once.

Laws: a batch is consecutive pieces that are not covered, oldest first, as many as fit into its
tokens and parts. A covered piece between two others ends it and is not shown again. A piece that is
larger is read in windows, a batch each, up to a ceiling. What failed before is read alone, so that
one piece that nobody can read keeps no other from being read.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256

from recense.core.extraction.coverage import CoverageEntry, Outcome, Reading
from recense.core.extraction.exchanges import Exchange, Window, tokens_of, window
from recense.core.extraction.views import ExtractorView
from recense.core.text.tokens import BYTES_PER_TOKEN
from recense.core.values import Value
from recense.limits import VIEW_PARTS_MAX


class BatchPart(Value, kw_only=True):
    """A piece, or a window of one, in a batch; ``attempts`` counts how often it failed before."""

    exchange: Exchange
    window: Window
    attempts: int = 0


class Batch(Value, kw_only=True):
    """What is read at once of a session by a reader. ``batch_id`` is 32 hexadecimal digits, the
    same for the same reading; ``omitted`` is the rest of a piece that is beyond the ceiling.
    """

    batch_id: str
    parts: tuple[BatchPart, ...]
    omitted: BatchPart | None = None

    @property
    def view(self) -> ExtractorView:
        """What is shown."""
        return ExtractorView(messages=tuple(part.window.message for part in self.parts))

    @property
    def tokens(self) -> int:
        """The tokens that are shown."""
        return sum(tokens_of(part.window.end - part.window.start) for part in self.parts)


def batches_of(
    readings: Iterable[Reading], *, read_by: str, chunk_tokens: int, ceiling_tokens: int
) -> Iterator[Batch]:
    """Yield all that is left to read, in the order in which it is to be read.

    ``read_by`` names session, reader and version. Whoever fails at a window of a piece leaves the
    windows after it for another time: they are covered in order.
    """
    parts: list[BatchPart] = []
    tokens = shown = 0
    for each in readings:
        cost, pieces = tokens_of(each.left), len(each.exchange.parts)
        is_alone = each.attempts > 0 or each.through > 0 or not _fits(cost, pieces, chunk_tokens)
        is_full = not _fits(tokens + cost, shown + pieces, chunk_tokens)
        if parts and (each.is_covered or is_alone or is_full):
            yield _batch(read_by, parts)
            parts, tokens, shown = [], 0, 0
        if each.is_covered:
            continue
        if is_alone:
            yield from _windows(each, read_by, chunk_tokens, ceiling_tokens)
        else:
            parts.append(_part(each, each.through, each.left))
            tokens += cost
            shown += pieces
    if parts:
        yield _batch(read_by, parts)


def entries_of(
    batch: Batch, outcome: Outcome, at: int, *, reason: str = ""
) -> tuple[CoverageEntry, ...]:
    """Return what is recorded of a batch that was read, or failed to be."""
    entries = [_entry(part, batch.batch_id, outcome, at, reason) for part in batch.parts]
    if batch.omitted is not None and outcome != "failed":
        entries.append(_entry(batch.omitted, batch.batch_id, "windowed", at, ""))
    return tuple(entries)


def _fits(tokens: int, parts: int, chunk_tokens: int) -> bool:
    return tokens <= chunk_tokens and parts <= VIEW_PARTS_MAX


def _windows(
    each: Reading, read_by: str, chunk_tokens: int, ceiling_tokens: int
) -> Iterator[Batch]:
    """Yield the batches of one piece, a window each, up to the ceiling or its end."""
    size = each.exchange.size
    ceiling = max(each.through + 1, ceiling_tokens * BYTES_PER_TOKEN)
    start = each.through
    while start < min(size, ceiling):
        part = _part(each, start, min(chunk_tokens * BYTES_PER_TOKEN, ceiling - start))
        start = part.window.end
        omitted = None
        if ceiling <= start < size:
            rest = Window(start=start, end=size, message=part.window.message)
            omitted = BatchPart(exchange=each.exchange, window=rest)
        yield _batch(read_by, [part], omitted)


def _part(each: Reading, start: int, bytes_max: int) -> BatchPart:
    return BatchPart(
        exchange=each.exchange,
        window=window(each.exchange, start, bytes_max),
        attempts=each.attempts if start == each.through else 0,
    )


def _batch(read_by: str, parts: Iterable[BatchPart], omitted: BatchPart | None = None) -> Batch:
    kept = tuple(parts)
    digest = sha256(read_by.encode("utf-8", "replace"))
    for part in kept:
        exchange = part.exchange
        span = f"\n{exchange.fingerprint} {exchange.occurrence} {part.window.start}"
        digest.update(f"{span} {part.window.end}".encode())
    return Batch(batch_id=digest.hexdigest()[:32], parts=kept, omitted=omitted)


def _entry(part: BatchPart, batch_id: str, outcome: Outcome, at: int, reason: str) -> CoverageEntry:
    return CoverageEntry(
        fingerprint=part.exchange.fingerprint,
        occurrence=part.exchange.occurrence,
        start=part.window.start,
        end=part.window.end,
        outcome=outcome,
        batch=batch_id,
        at=at,
        attempts=part.attempts + 1 if outcome == "failed" else 0,
        reason=reason,
    )
