"""Passages: what is shown around a hit.

Laws: neighbours are of the anchor's turn, and only what was said and done (user, assistant,
tool_call): a tool result is shown when it is the anchor itself. Room is spent on the anchor,
then on the message that opened its turn, then outward from the anchor, and a side that ran out
of room is closed, so that what is shown of a side has no holes. A text is redacted whole before
it is cut.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from math import fsum
from typing import Final

import msgspec

from recense.core.text.fold import FoldedText
from recense.core.transcript.messages import Message, Run
from recense.core.values import Value

NEIGHBOURS: Final = frozenset({"user", "assistant", "tool_call"})
"""The kinds of messages that are shown around an anchor."""

_OCCURRENCES_MAX: Final = 200
"""Occurrences that are weighed to find the best place in a message; a log may hold many more."""


class Surroundings(Value, kw_only=True):
    """Places of messages around an anchor: nearest first on each side, at most as many as asked
    for.

    ``opening`` is the user message that opened the turn where the side before does not reach it.
    ``more_before`` and ``more_after`` say that the turn has further neighbours.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    opening: int | None
    more_before: bool
    more_after: bool

    def outward(self) -> Iterator[tuple[int, bool]]:
        """Yield (place, whether it is before the anchor), nearest first, sides in turn."""
        before = [(place, True) for place in self.before]
        after = [(place, False) for place in self.after]
        for pair in zip_longest(before, after):
            yield from (neighbour for neighbour in pair if neighbour is not None)


class TextSpan(Value, kw_only=True):
    """Code points [start, end) of a text."""

    start: int
    end: int


def surroundings(
    messages: Sequence[Message],
    anchor: int,
    before: int,
    after: int,
    is_visible: Callable[[Message], bool],
) -> Surroundings:
    """Return what may be shown around the message at place ``anchor``.

    ``messages`` are a session's by position; ``is_visible`` says which of them may be seen at
    all. No opening is named when nothing before was asked for.
    """
    turn = messages[anchor].turn

    def neighbours(places: range) -> list[int]:
        return [
            place
            for place in places
            if messages[place].turn == turn
            and messages[place].kind in NEIGHBOURS
            and is_visible(messages[place])
        ]

    earlier = neighbours(range(anchor - 1, -1, -1))
    later = neighbours(range(anchor + 1, len(messages)))
    openings = [
        place
        for place in earlier[before:]
        if messages[place].event_id == turn and messages[place].kind == "user"
    ]
    return Surroundings(
        before=tuple(earlier[:before]),
        after=tuple(later[:after]),
        opening=openings[0] if openings and before else None,
        more_before=len(earlier) > before,
        more_after=len(later) > after,
    )


class _Occurrence(msgspec.Struct, frozen=True, order=True):
    """A term in folded own text; ``start`` and ``end`` count from the beginning of the whole
    text.
    """

    start: int
    end: int
    term: int
    run: int


def best_span(
    runs: Sequence[Run], folded_terms: Sequence[str], weights: Sequence[float], reach: int
) -> TextSpan | None:
    """Return the place in a text where the terms stand closest together, or None where none stands.

    ``runs`` are the redacted text's; own text alone is searched. Of the places no longer than
    ``reach`` folded code points (or of one occurrence) it is the one whose distinct terms weigh
    most, then the shortest, then the first. The first 200 occurrences are considered.
    """
    folded = [None if run.synthetic else FoldedText(run.text) for run in runs]
    bases = [0]
    for run, of_run in zip(runs, folded, strict=True):
        bases.append(bases[-1] + len(of_run.folded if of_run else run.text))
    occurrences = sorted(
        _Occurrence(bases[run] + start, bases[run] + start + len(term), number, run)
        for number, term in enumerate(folded_terms)
        for run, start in islice(_finds(folded, term), _OCCURRENCES_MAX)
    )[:_OCCURRENCES_MAX]
    if not occurrences:
        return None
    first, last = _closest(occurrences, weights, reach)
    return TextSpan(
        start=_original(runs, folded, bases, first)[0], end=_original(runs, folded, bases, last)[1]
    )


def _finds(folded: Sequence[FoldedText | None], term: str) -> Iterator[tuple[int, int]]:
    """Yield (run, folded offset in it) of the non-overlapping occurrences of a term, in order."""
    for run, of_run in enumerate(folded):
        at = of_run.folded.find(term) if of_run else -1
        while of_run and at >= 0:
            yield run, at
            at = of_run.folded.find(term, at + len(term))


def _closest(
    occurrences: Sequence[_Occurrence], weights: Sequence[float], reach: int
) -> tuple[_Occurrence, _Occurrence]:
    """Return the first and the last occurrence of the best place; see `best_span`."""
    best = (-1.0, 0, 0, 0)
    left = 0
    for right, last in enumerate(occurrences):
        while left < right and last.end - occurrences[left].start > reach:
            left += 1
        held = Counter(occurrence.term for occurrence in occurrences[left : right + 1])
        first = left
        while first < right and held[occurrences[first].term] > 1:
            held[occurrences[first].term] -= 1
            first += 1
        worth = fsum(weights[term] for term in held)
        closeness = occurrences[first].start - last.end
        if (worth, closeness) > best[:2]:
            best = (worth, closeness, first, right)
    return occurrences[best[2]], occurrences[best[3]]


def _original(
    runs: Sequence[Run],
    folded: Sequence[FoldedText | None],
    bases: Sequence[int],
    occurrence: _Occurrence,
) -> tuple[int, int]:
    """Return where an occurrence stands in the whole text."""
    of_run = folded[occurrence.run]
    base = bases[occurrence.run]
    text_base = sum(len(run.text) for run in runs[: occurrence.run])
    start, end = (
        of_run.original_span(occurrence.start - base, occurrence.end - base) if of_run else (0, 0)
    )
    return text_base + start, text_base + end


def fair_shares(sizes: Sequence[int], total: int) -> list[int]:
    """Return how much of ``total`` each of several wants gets: all alike, none more than it wants.

    What one leaves over the others share. The shares add up to at most ``total``.
    """
    shares = [0] * len(sizes)
    left = total
    order = sorted(range(len(sizes)), key=lambda index: (sizes[index], index))
    for done, index in enumerate(order):
        shares[index] = min(sizes[index], left // (len(sizes) - done))
        left -= shares[index]
    return shares
