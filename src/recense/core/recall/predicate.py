"""The predicate: whether a message holds a term, decided on its text and on nothing else.

A message is runs of its own and of synthetic text. Its *image* is its own runs, folded one by
one, joined by U+FFFF (which no fold holds, so that no term matches across two runs). Its
*redacted image* is the same after redacting the visible text whole, with markers as synthetic
text. Then

    matches(m, t)  =  fold(t) in image(m)  and  fold(t) in redacted_image(m)

The first clause makes a search of stored text a sound superset; the second is the security
boundary. The frequency of a term is its non-overlapping count in the redacted image, and a
message's length the redacted image's code points. Redaction is the dear half and is only done
for what passes the first clause.
"""

from collections.abc import Iterable, Iterator, Sequence

from recense.core.text.redact import Edit, find_edits
from recense.core.transcript.messages import Message, Run, visible_text
from recense.core.transcript.visible import image
from recense.core.values import Value


class Match(Value, kw_only=True):
    """That a message is a hit: each term's frequency, in the order of the terms, at least one above
    zero; and the message's length.
    """

    frequencies: tuple[int, ...]
    length: int


def matching(message: Message, folded_terms: Sequence[str]) -> Match | None:
    """Return how the terms match a message, or None when none does. Flags are the caller's
    matter.
    """
    stored = image(message.runs)
    candidates = [term in stored for term in folded_terms]
    if not any(candidates):
        return None
    edits = find_edits(visible_text(message))
    redacted = image(_edited_runs(message.runs, edits)) if edits else stored
    frequencies = tuple(
        redacted.count(term) if candidate else 0
        for term, candidate in zip(folded_terms, candidates, strict=True)
    )
    return Match(frequencies=frequencies, length=len(redacted)) if any(frequencies) else None


def image_frequencies(
    stored: bytes, redacted: bytes | None, folded_terms: Sequence[bytes]
) -> tuple[int, ...]:
    """Return each term's frequency in a message by its images in UTF-8, all 0 where none matches.

    ``redacted`` is None where redaction changes nothing. In UTF-8 a text stands in another one
    exactly where its bytes do.
    """
    if redacted is None:
        return tuple([stored.count(term) for term in folded_terms])
    return tuple([redacted.count(term) if term in stored else 0 for term in folded_terms])


def redacted_runs(message: Message) -> tuple[Run, ...]:
    """Return the runs of a message after redacting its visible text whole.

    Together they are the redacted text; markers are synthetic runs, and what stood on both sides of
    one is two runs.
    """
    edits = find_edits(visible_text(message))
    return tuple(_edited_runs(message.runs, edits)) if edits else message.runs


def _edited_runs(runs: Iterable[Run], edits: Sequence[Edit]) -> Iterator[Run]:
    """Yield the runs with each edit's span replaced by a synthetic run, also across runs."""
    start = 0
    at = 0
    waiting = list(reversed(edits))
    for run in runs:
        end = start + len(run.text)
        while waiting and waiting[-1].start < end:
            edit = waiting[-1]
            if edit.start >= start:
                yield from _piece(run, at - start, edit.start - start)
                yield Run(text=edit.replacement, synthetic=True)
            at = edit.end
            if edit.end > end:
                break
            waiting.pop()
        if at < end:
            yield from _piece(run, max(at, start) - start, len(run.text))
            at = end
        start = end


def _piece(run: Run, start: int, end: int) -> Iterator[Run]:
    if start < end:
        yield Run(text=run.text[start:end], synthetic=run.synthetic)
