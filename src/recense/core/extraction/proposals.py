"""Proposals: what a reader of a session takes for facts, before anything is believed.

Law: a proposal is data of unknown worth. It is looked at as any statement is, its evidence must
stand in what was read, and its source is told by who wrote those words, never by the proposal.
"""

from recense.core.facts.event import Kind
from recense.core.facts.values import FactValue
from recense.core.values import Value


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
