"""Extractors: who reads a part of a session and proposes facts.

Law: an extractor sees what is handed to it and nothing else, writes nothing, and is not trusted
with what becomes of its proposals. Its version changes with everything that its answers depend on
and a caller can know: rules, instructions, model.
"""

from collections.abc import Sequence
from typing import Protocol

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.views import ExtractorView
from recense.core.facts.changes import Definition
from recense.core.values import Value


class Proposed(Value, kw_only=True):
    """What an extractor made of a view. ``dropped`` says why parts of a model's answer were no
    proposals, one text each; ``tokens_in`` and ``tokens_out`` are what all calls for it took.
    """

    proposals: tuple[Proposal, ...] = ()
    dropped: tuple[str, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0


class Extractor(Protocol):
    """Reads views; may be asked by several threads."""

    @property
    def extractor_id(self) -> str:
        """What its coverage is kept under, as ``rules`` or ``openai:gpt-4.1-mini``."""
        ...

    @property
    def version(self) -> str:
        """Changes when it would read the same words otherwise."""
        ...

    def overhead_tokens(self, parts: int, vocabulary: Sequence[Definition]) -> int:
        """Return the most tokens that reading a view of so many parts sends beside the view's own:
        instructions, vocabulary and what stands around parts, of every call that one reading may
        make.
        """
        ...

    @property
    def answer_tokens(self) -> int:
        """The most tokens of the answers of one reading."""
        ...

    @property
    def readings_max(self) -> int:
        """How many times one reading sends its view at most; 0 where nothing is sent anywhere."""
        ...

    def propose(
        self,
        view: ExtractorView,
        vocabulary: Sequence[Definition],
        observed_at: int | None,
        timezone: str,
    ) -> Proposed:
        """Return what a view says, by the predicates of a vocabulary or under names of its own.

        ``observed_at`` is when its newest message was written, ``timezone`` the person's, as an
        IANA name or an offset. Raises ModelFault; then nothing was read.
        """
        ...
