"""Proposals: what a reader of a session takes for facts, before anything is believed.

Law: a proposal is data of unknown worth. It is looked at as any statement is, its evidence must
stand in what was read, and its source is told by who wrote those words, never by the proposal.
"""

from collections.abc import Iterator
from math import isfinite
from typing import Final

from msgspec.structs import replace

from recense.core.facts.event import Kind
from recense.core.facts.values import FactValue
from recense.core.text.redact import redact
from recense.core.values import Value

_INTEGERS: Final = range(-(2**63), 2**63)


class Proposal(Value, kw_only=True):
    """A fact that may stand in what was read. ``evidence`` are the words that say it, verbatim but
    for white space; ``replaces`` are values of the same subject and predicate that hold no longer.
    """

    subject: str
    predicate: str
    value: FactValue
    evidence: str
    kind: Kind = "fact"
    confidence: float = 1.0
    replaces: tuple[FactValue, ...] = ()


def texts_of(proposal: Proposal) -> Iterator[str]:
    """Yield every text of a proposal."""
    values = (proposal.value, *proposal.replaces)
    for each in (proposal.subject, proposal.predicate, proposal.evidence, *values):
        if isinstance(each, str):
            yield each


def can_be_kept(proposal: Proposal) -> bool:
    """Whether a proposal can be written down as it is: whole characters, and numbers that are some,
    integers of 64 bits.
    """
    values = (proposal.value, *proposal.replaces, proposal.confidence)
    return all(map(_is_keepable, (*texts_of(proposal), *values)))


def presentable(proposal: Proposal) -> Proposal:
    """Return a proposal as it may be kept and shown whatever it says: secrets are hidden, halves of
    characters replaced, and a number that cannot be kept is its digits.
    """
    return replace(
        proposal,
        subject=_shown(proposal.subject),
        predicate=_shown(proposal.predicate),
        value=_presentable(proposal.value),
        evidence=_shown(proposal.evidence),
        confidence=proposal.confidence if isfinite(proposal.confidence) else 0.0,
        replaces=tuple(map(_presentable, proposal.replaces)),
    )


def _is_keepable(value: FactValue) -> bool:
    if isinstance(value, str):
        return value.isascii() or value.encode(errors="replace").decode() == value
    return isfinite(value) if isinstance(value, float) else value in _INTEGERS


def _presentable(value: FactValue) -> FactValue:
    return value if not isinstance(value, str) and _is_keepable(value) else _shown(str(value))


def _shown(text: str) -> str:
    return redact(text.encode(errors="replace").decode()).text
