"""What the command line asks of a memory about reading sessions for facts."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from recense.errors import RecenseError
from recense.operations.admin import Progress

if TYPE_CHECKING:
    from recense.operations.extraction import (
        ExtractionStatus,
        ExtractReport,
        ExtractRequest,
        SessionRun,
    )


class ExtractionOperations(Protocol):
    """Reading the sessions of a memory.

    Every method raises what `recense.errors` lists and nothing else; NotFound for a session that is
    not there.
    """

    def status(
        self, sessions: Sequence[str], progress: Callable[[Progress], None]
    ) -> "ExtractionStatus":
        """Return how far sessions are read, and what the rest costs."""
        ...

    def run(
        self, request: "ExtractRequest", progress: Callable[[Progress], None]
    ) -> "ExtractReport":
        """Read what is left of sessions."""
        ...

    def followed(
        self,
        wait: Callable[[float], bool],
        tell: "Callable[[SessionRun | RecenseError], None]",
    ) -> Callable[[float], bool]:
        """Return what reads what is due of sessions as they grow, and then waits."""
        ...
