"""Reviewers: who looks at proposals once more before they are recorded.

Law: a reviewer sees proposals with the words that say them and what is held about the same
subjects, never what was read; and says of each proposal that it is filed, or not. It adds nothing:
there is no way to say it, and who names what it was not shown is not believed at all.
"""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from recense.core.extraction.quotation import Quotation
from recense.core.facts.changes import Definition
from recense.core.facts.event import Source
from recense.core.facts.values import FactValue
from recense.core.values import Value


class HeldBelief(Value, kw_only=True):
    """What is held about a subject now, by its canonical names."""

    event_id: str
    subject: str
    predicate: str
    value: FactValue
    source: Source


class SubjectNames(Value, kw_only=True):
    """A subject by its canonical name, and its other names, sorted."""

    subject: str
    aliases: tuple[str, ...]


class ReviewContext(Value, kw_only=True):
    """What proposals are held against: current beliefs about their subjects, the subjects that were
    spoken of last, most recent first, and the predicates that are registered.
    """

    beliefs: tuple[HeldBelief, ...]
    subjects: tuple[SubjectNames, ...]
    vocabulary: tuple[Definition, ...]


class ReviewVerdict(Value, kw_only=True):
    """What becomes of the proposal at a place, from 0: it is filed, says what another or a belief
    says, or is not borne out by its words. ``replaces`` are the ids of beliefs of the same subject
    and predicate that hold no longer.
    """

    position: int
    verdict: Literal["keep", "duplicate", "unsupported"]
    replaces: tuple[str, ...] = ()


class Reviewer(Protocol):
    """Looks at proposals; may be asked by several threads."""

    @property
    def reviewer_id(self) -> str:
        """What it is called."""
        ...

    def review(
        self, proposals: Sequence[Quotation], context: Callable[[], ReviewContext]
    ) -> Sequence[ReviewVerdict]:
        """Return verdicts, one for a proposal at most; one of which nothing is said is filed.

        ``context`` reads what they are held against. Raises ModelFault; then nothing is filed.
        """
        ...
