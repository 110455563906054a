"""Verifying: whether two ways of answering gave the same answer, and if not, the first difference.

Law: everything of an answer counts but how long it took and which way it was found.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

import msgspec

from recense.operations.recall import Gap, Passage, RecallAnswer

_encoder = msgspec.json.Encoder()


def first_difference(narrowed: RecallAnswer, scan: RecallAnswer) -> str:
    """Return the first difference between the answer by the index and that of the full scan, in
    words; empty where there is none.
    """
    return next(_differences(narrowed, scan), "")


def _differences(narrowed: RecallAnswer, scan: RecallAnswer) -> Iterator[str]:
    if narrowed.terms != scan.terms:
        yield f"the terms are {narrowed.terms}, by the full scan {scan.terms}"
    yield from _of_passages(narrowed.passages, scan.passages)
    yield from _of_gaps(narrowed.gaps, scan.gaps)
    if narrowed.materials != scan.materials:
        yield (
            f"the answer lists {len(narrowed.materials)} materials, the full scan "
            f"{len(scan.materials)}, and they are not the same"
        )
    if narrowed.facts != scan.facts:
        yield "the facts are not the same"


def _of_passages(narrowed: Sequence[Passage], scan: Sequence[Passage]) -> Iterator[str]:
    for rank, (ours, theirs) in enumerate(zip_longest(narrowed, scan), 1):
        if ours is None or theirs is None:
            missing, found = ("answer", theirs) if ours is None else ("full scan", ours)
            yield f"passage {rank} is missing from the {missing}: {_place(found)}"
        elif ours.anchor != theirs.anchor:
            yield f"passage {rank} is {_place(ours)}, by the full scan {_place(theirs)}"
        elif ours.score != theirs.score:
            yield (
                f"passage {rank} ({_place(ours)}) has the score {ours.score!r}, by the full scan "
                f"{theirs.score!r}"
            )
        elif ours != theirs:
            yield f"passage {rank} ({_place(ours)}) differs in {', '.join(_fields(ours, theirs))}"


def _of_gaps(narrowed: Sequence[Gap], scan: Sequence[Gap]) -> Iterator[str]:
    for ours, theirs in zip_longest(narrowed, scan):
        if ours != theirs:
            yield f"the answer says {_json(ours)}, the full scan {_json(theirs)}"


def _place(passage: Passage | None) -> str:
    if passage is None:
        return "nothing"
    return f"message {passage.position} of session {passage.session}"


def _fields(ours: Passage, theirs: Passage) -> Iterator[str]:
    """Yield the names of the fields in which two passages differ."""
    return (name for name in ours.__struct_fields__ if getattr(ours, name) != getattr(theirs, name))


def _json(gap: Gap | None) -> str:
    return "nothing" if gap is None else _encoder.encode(gap).decode()
