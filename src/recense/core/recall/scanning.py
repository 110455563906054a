"""Scanning: looking for a term in the stored bytes of events, without projecting them.

Law: a payload is *scan-safe* for what its event gives to messages: each line of the folded text, as
JSON spells it, stands in the payload with the letters A to Z in lower case. Then a term without a
line break that stands in the message stands, spelled likewise, in the payload of one of its events:
fragments meet at line breaks alone. Of an event that is not scan-safe nothing is known.
"""

from collections.abc import Iterable, Sequence

import msgspec

from recense.core.text.fold import fold
from recense.core.transcript.messages import Run

_LINE_BREAK = "\n"


def is_scan_safe(payload: bytes, runs: Iterable[Run]) -> bool:
    """Whether a payload is scan-safe for the runs that its event gives to messages."""
    lowered = payload.lower()
    return all(_stands_in(fold(run.text), lowered) for run in runs if not run.synthetic)


def scanned_spellings(folded_terms: Sequence[str]) -> tuple[bytes, ...] | None:
    """Return what to look for in lower-cased payloads, one for each term; None where a term has a
    line break, which no single payload may hold as the message has it.
    """
    if any(_LINE_BREAK in term for term in folded_terms):
        return None
    return tuple(_spelled(term) for term in folded_terms)


def _stands_in(folded: str, lowered: bytes) -> bool:
    if _spelled(folded) in lowered:
        return True
    at = 0
    for line in folded.split(_LINE_BREAK):  # leaves of a result are lines of its message
        spelled = _spelled(line)
        at = lowered.find(spelled, at)
        if at < 0:
            return False
        at += len(spelled)
    return True


def _spelled(text: str) -> bytes:
    """Return a text as it stands between the quotes of JSON, in lower case."""
    return msgspec.json.encode(text)[1:-1].lower()
