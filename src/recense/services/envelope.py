"""The envelope of an answer of recall: everything within its bytes, and what had to be dropped."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from recense.core.recall.passages import fair_shares
from recense.core.transcript.messages import Material
from recense.limits import (
    ENVELOPE_BYTES_MAX,
    MATERIALS_BYTES_MAX,
    PASSAGE_BYTES_MAX,
    PASSAGE_BYTES_MIN,
)
from recense.operations.recall import BudgetDropped, Gap, RecallAnswer
from recense.services.gaps import in_contract_order
from recense.services.presenting import PassageDraft, fit, json_size, materials_within
from recense.services.recalled_facts import FactsFound
from recense.services.requests import Query
from recense.services.searching import Searched

_LATER_BYTES: Final = 128
"""Room for what is known last: how long it took, and what was dropped."""


class ChosenHit(msgspec.Struct, frozen=True, kw_only=True):
    """A hit that is shown: its draft, and the materials of its turn."""

    draft: PassageDraft
    materials: tuple[Material, ...]


def envelope(
    chosen: Sequence[ChosenHit],
    gaps: tuple[Gap, ...],
    query: Query,
    found: Searched,
    facts: FactsFound,
) -> RecallAnswer:
    """Return the answer within its bytes: passages share what the rest leaves, in fair parts."""
    materials = {material.id: material for each in chosen for material in each.materials}
    views = tuple(materials_within(materials.values(), MATERIALS_BYTES_MAX))
    answer = RecallAnswer(
        facts=facts.facts,
        passages=(),
        materials=views,
        gaps=in_contract_order(gaps),
        terms=tuple(term.spelled for term in query.terms),
        took_ms=0.0,
        path=found.path,
    )
    # Measured with the longest of the ways: by which one it was found has no say in what fits.
    frame = json_size(replace(answer, path="narrowed"))
    room = ENVELOPE_BYTES_MAX - _LATER_BYTES - frame - len(chosen)
    drafts = [each.draft for each in chosen[: max(0, room // PASSAGE_BYTES_MIN)]]
    whole = [fit(draft, PASSAGE_BYTES_MAX) for draft in drafts]
    sizes = [0 if passage is None else json_size(passage) for passage in whole]
    if sum(sizes) > room:
        shares = fair_shares(sizes, room)
        whole = [
            passage if share == size else fit(draft, share)
            for draft, passage, share, size in zip(drafts, whole, shares, sizes, strict=True)
        ]
    passages = tuple(passage for passage in whole if passage is not None)
    dropped = BudgetDropped(n=len(chosen) - len(passages), materials=len(materials) - len(views))
    if dropped.n or dropped.materials:
        gaps = (*gaps, dropped)
    return replace(answer, passages=passages, gaps=in_contract_order(gaps))
