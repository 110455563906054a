"""Cancelling what takes long: whoever asked may not wait for the answer any more.

Law: what is cancelled ends with Cancelled, before its next piece of work; nothing that was written
before is taken back.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TypeVar

from recense.core.transcript.messages import LoadedSession
from recense.core.transcript.records import Session
from recense.errors import Cancelled
from recense.limits import PIECES_BETWEEN_CHECKS
from recense.ports.transcripts import TranscriptReader
from recense.services.conversion import Load

IsCancelled = Callable[[], bool]
"""Whether the caller waits no more; asked often, from any thread."""

_Piece = TypeVar("_Piece")


def never() -> bool:
    """Whether a call that nobody can cancel is cancelled."""
    return False


def require_wanted(is_cancelled: IsCancelled) -> None:
    """Raise Cancelled where the answer is not waited for any more."""
    if is_cancelled():
        raise Cancelled(
            "the call was cancelled, and its answer is not made",
            hint="ask again for the answer",
        )


def while_wanted(pieces: Iterable[_Piece], is_cancelled: IsCancelled) -> Iterator[_Piece]:
    """Yield pieces of work as they come, and ask once for every PIECES_BETWEEN_CHECKS of them
    whether they are wanted. Raises Cancelled.
    """
    source = iter(pieces)

    def batches() -> Iterator[tuple[_Piece, ...]]:
        while batch := tuple(islice(source, PIECES_BETWEEN_CHECKS)):
            require_wanted(is_cancelled)
            yield batch

    return chain.from_iterable(batches())


def load_while_wanted(load: Load, is_cancelled: IsCancelled) -> Load:
    """Return what loads sessions as ``load`` does, for as long as they are wanted."""

    def loaded(reader: TranscriptReader, session: Session) -> LoadedSession:
        require_wanted(is_cancelled)
        return load(reader, session)

    return loaded
