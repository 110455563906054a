"""Texts that were kept are read for facts, as sessions are: `recense.services.session_extraction`.

Laws: a text is read where it stands, so that one that was withdrawn is shown to nobody. One of
which its caller said how it is filed is not read of itself. An answer is recorded beside the text;
telling the text again files it from there and asks nobody.
"""

from collections.abc import Sequence
from typing import Final

from recense.core.extraction.coverage import Reading
from recense.core.extraction.exchanges import Exchange, told_exchanges
from recense.core.extraction.quotation import Quotation
from recense.core.extraction.views import ViewPart
from recense.core.text.redact import redact
from recense.core.values import Value
from recense.errors import NotFound
from recense.limits import TITLE_CODE_POINTS_MAX
from recense.operations.extraction import FiledProposal, FilingOutcome, SessionRun
from recense.operations.facts import EvidenceRequest
from recense.ports.records import RecordStore
from recense.services.episodes import (
    Episode,
    episode_id,
    shown_text,
    standing_episode,
    standing_episodes,
)
from recense.services.extraction_budget import DailyBudget, RunBudget
from recense.services.extraction_records import batches_of_session
from recense.services.extraction_runs import WordsOrigin
from recense.services.session_extraction import SessionReading

_WAITS: Final[FilingOutcome] = "needs_confirmation"


class KeptTexts:
    """Gives the texts that were kept, as `recense.services.extraction_runs.ReadableTexts`."""

    def __init__(self, records: RecordStore) -> None:
        self._records: Final = records

    def pieces(self, session_id: str) -> list[Exchange]:
        """Return the pieces of a text; none of one that was withdrawn."""
        episode = self._episode(session_id)
        return [] if episode is None else told_exchanges(_parts(episode), episode.observed_at)

    def is_shown(self, session_id: str) -> bool:
        """Whether a text was not withdrawn."""
        return self._episode(session_id) is not None

    def called(self, session_id: str) -> str:
        """Return what a text is called in an error."""
        return f"text {session_id!r}"

    def origin(self, session_id: str, quoted: Quotation) -> WordsOrigin:
        """Return where words come from: their text, and whoever wrote that."""
        episode = self._episode(session_id)
        return WordsOrigin(
            evidence=EvidenceRequest(excerpt=quoted.excerpt, episode=session_id),
            writer="" if episode is None else episode.writer,
        )

    def _episode(self, key: str) -> Episode | None:
        with self._records.snapshot() as reader:
            return standing_episode(reader, key)


class ReadableText(Value, kw_only=True):
    """A text that can be read: its id, and its first words as they may leave."""

    key: str
    words: str


def readable(episode: Episode) -> ReadableText:
    """Return a text as it is named where it is read."""
    return ReadableText(
        key=episode_id(episode.text), words=shown_text(episode)[:TITLE_CODE_POINTS_MAX]
    )


class ReadText(Value, kw_only=True):
    """What came of a text: what was filed of it now, what had been before, and why some of it, or
    all, is not read; ``dropped`` counts what of answers was no proposal.
    """

    now: tuple[FiledProposal, ...]
    before: tuple[FiledProposal, ...]
    unread: str
    dropped: int


class TextReading:
    """Reads the texts of one store by one extractor."""

    def __init__(
        self, records: RecordStore, texts: KeptTexts, reading: SessionReading, days: DailyBudget
    ) -> None:
        """``reading`` reads single texts, of ``texts``."""
        self._records: Final = records
        self._texts: Final = texts
        self.reading: Final = reading
        self._days: Final = days

    def read(self, key: str) -> ReadText:
        """Read what is left of a text and return all that came of it, now and before.

        Raises the faults of the store; whatever a model does is told in ``unread``.
        """
        with self._records.snapshot() as reader:
            kept = batches_of_session(reader, self.reading.read_by(key))
        before = [each for batch in kept for each in batch.filed if each.outcome != _WAITS]
        before += self.reading.waiting(key)
        run = self.reading.read(key, RunBudget(self._days, None), _unheard, is_named=True)
        return ReadText(
            now=run.proposals,
            before=tuple(before),
            unread=self._unread(key, run),
            dropped=len(run.dropped),
        )

    def every(self) -> list[ReadableText]:
        """Return all texts that are to be read, the newest first."""
        with self._records.snapshot() as reader:
            standing = standing_episodes(reader)
        return [readable(each) for each in standing if not each.is_stated]

    def named(self, key: str) -> ReadableText:
        """Return the text of an id. Raises NotFound."""
        with self._records.snapshot() as reader:
            episode = standing_episode(reader, key)
        if episode is None:
            raise NotFound(f"{self._texts.called(key)} is not there; expected the id of a text")
        return readable(episode)

    def _unread(self, key: str, run: SessionRun) -> str:
        """Return why something is left to read; empty where nothing is."""
        if run.end == "complete":
            return ""
        reasons = (run.reason, *_failures(self.reading.readings(key)))
        return next(filter(None, reasons), "it was not read to its end")


def _parts(episode: Episode) -> Sequence[ViewPart]:
    shown = [
        ViewPart(
            author=each.author, text=redact(episode.text[each.start : each.end]).text, event_id=""
        )
        for each in episode.parts
    ]
    return [each for each in shown if each.text.strip()]


def _failures(readings: Sequence[Reading]) -> list[str]:
    return [each.reason for each in readings if each.attempts and not each.is_covered]


def _unheard(_tokens: int) -> None:
    """Take progress and say nothing."""
