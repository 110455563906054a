"""Terms drawn from what a store holds: each stands in one to twenty messages.

Law: where a term stands is decided by looking into every message, and by nothing that answers.
"""

import random
import re
from collections.abc import Sequence
from typing import Final

from recense.bench.kept import KeptMessage
from recense.bench.measuring import Assertions
from recense.core.text.fold import fold
from recense.core.text.redact import redact
from recense.core.values import Value
from recense.limits import PASSAGES_DEFAULT
from recense.operations.recall import BudgetDropped, RecallAnswer

HITS_MAX: Final = 20
"""A term in more messages is not selective."""

SORTS: Final = {
    "ascii": re.compile(r"[A-Za-z]{4,}"),
    "code": re.compile(r"\w+[_./:=(]+[\w./:=(]{2,24}", re.ASCII),
    "cjk": re.compile("[\u4e00-\u9fff]{2}"),
}
"""What a term of each sort looks like."""

_WINDOW_CODE_POINTS: Final = 300
_TRIES_PER_TERM: Final = 2_000


class DrawnTerm(Value, kw_only=True):
    """A term, the anchors of the messages that hold it, and in how many turns these are."""

    term: str
    places: frozenset[str]
    turns: int


def located(term: str, kept: Sequence[KeptMessage], hits_max: int | None = None) -> DrawnTerm:
    """Return where a term stands: everywhere, or in the first ``hits_max`` messages."""
    folded = fold(term)
    places: set[str] = set()
    turns: set[tuple[str, str]] = set()
    for message in kept:
        if folded in message.image:
            places.add(message.anchor)
            turns.add((message.session, message.turn))
            if len(places) == hits_max:
                break
    return DrawnTerm(term=term, places=frozenset(places), turns=len(turns))


def draw_terms(
    kept: Sequence[KeptMessage], sort: str, count: int, dice: random.Random
) -> list[DrawnTerm]:
    """Return up to ``count`` terms of a sort, fewer where the messages hold no more.

    A term is taken from a window in a message, each drawn with equal chance, so that it may be a
    part of a word.
    """
    drawn: dict[str, DrawnTerm] = {}
    refused: set[str] = set()
    for _ in range(count * _TRIES_PER_TERM):
        if len(drawn) == count:
            break
        text = dice.choice(kept).text
        start = dice.randrange(max(1, len(text) - _WINDOW_CODE_POINTS))
        found = SORTS[sort].findall(text, start, start + _WINDOW_CODE_POINTS)
        term = dice.choice(found) if found else ""
        if not term or term in drawn or term in refused:
            continue
        where = located(term, kept, HITS_MAX + 1)
        if len(where.places) > HITS_MAX or redact(term).text != term:
            refused.add(term)
        else:
            drawn[term] = where
    return list(drawn.values())


def hold_complete(answer: RecallAnswer, sought: DrawnTerm, asserted: Assertions) -> None:
    """Assert that an answer to one term shows what holds it, and as much of it as it may."""
    anchors = [passage.anchor for passage in answer.passages]
    asserted.hold(
        len(set(anchors)) == len(anchors) and sought.places.issuperset(anchors),
        "every passage is anchored at another message that holds the term",
        sought.term,
    )
    dropped = sum(gap.n for gap in answer.gaps if isinstance(gap, BudgetDropped))
    asserted.hold(
        len(anchors) + dropped == min(PASSAGES_DEFAULT, sought.turns),
        "no turn that holds the term is missing, up to the limit",
        f"{sought.term!r} gave {len(anchors)} of {sought.turns}",
    )
