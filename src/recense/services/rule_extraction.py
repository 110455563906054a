"""The extractor `rules`: explicit statements alone, with no model, no key and no network.

It finds few facts and is there to be sure of them; what it looks for, and what it leaves alone, is
in `recense.core.extraction.rules`.
"""

from collections.abc import Sequence
from typing import Final

from recense.core.extraction.rules import RULES_VERSION, rule_proposals
from recense.core.extraction.views import ExtractorView
from recense.core.facts.changes import Definition
from recense.ports.extraction import Proposed

_EXTRACTOR_ID: Final = "rules"


class RuleExtractor:
    """An `Extractor` that sends nothing anywhere, and answers equal views equally.

    It files by the names of the starter registries, whatever the vocabulary.
    """

    @property
    def extractor_id(self) -> str:
        """What its coverage is kept under."""
        return _EXTRACTOR_ID

    @property
    def version(self) -> str:
        """Changes when the rules would find something else."""
        return str(RULES_VERSION)

    def overhead_tokens(self, parts: int, vocabulary: Sequence[Definition]) -> int:
        """Return 0: nothing is sent."""
        del parts, vocabulary
        return 0

    @property
    def answer_tokens(self) -> int:
        """None: nothing is sent."""
        return 0

    @property
    def readings_max(self) -> int:
        """None: nothing is sent."""
        return 0

    def propose(
        self,
        view: ExtractorView,
        vocabulary: Sequence[Definition],
        observed_at: int | None,
        timezone: str,
    ) -> Proposed:
        """Return the explicit statements of a view; never raises."""
        return Proposed(proposals=rule_proposals(view))
