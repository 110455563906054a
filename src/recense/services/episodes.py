"""Episodes: texts kept whole, in a collection of their own, each once.

Law: an episode is kept under the digest of its exact text; case matters, and keeping it again gives
the one there is. It replaces nothing. One that was withdrawn is found no more until it is told
again; its words stay for what was filed from it.
"""

from hashlib import sha256
from typing import Final

import msgspec

from recense.core.text.redact import redact
from recense.core.values import Value
from recense.errors import StoreCorrupt
from recense.ports.records import Equals, Record, RecordReader, RecordStore
from recense.services.fact_collections import EPISODES
from recense.services.fact_search import telling_words, text_scores

_MARK: Final = "t-"
_DIGITS: Final = 32
_STANDING: Final = Equals(field="standing", value=True)


class Episode(Value, kw_only=True):
    """A text, when it was observed, and who wrote it."""

    text: str
    observed_at: int
    writer: str = ""


class FoundEpisode(Value, kw_only=True):
    """An episode, its id, and what it is worth for what was asked."""

    episode_id: str
    episode: Episode
    score: float


_ENCODER: Final = msgspec.json.Encoder(order="sorted")
_DECODER: Final = msgspec.json.Decoder(Episode)


def episode_id(text: str) -> str:
    """Return the id of a text: by its digest."""
    return f"{_MARK}{sha256(text.encode()).hexdigest()[:_DIGITS]}"


def is_episode_id(text: str) -> bool:
    """Whether an id is an episode's, not an event's."""
    return text.startswith(_MARK)


def keep_episode(store: RecordStore, reader: RecordReader, episode: Episode) -> bool:
    """Keep an episode that is not there, or was withdrawn; return whether it was so."""
    key = episode_id(episode.text)
    present = reader.get(EPISODES, [key]).get(key)
    if present is not None and present.fields.get(_STANDING.field) is True:
        return False
    store.put([_record(episode, is_standing=True)])
    return True


def withdraw_episode(store: RecordStore, reader: RecordReader, key: str) -> Episode | None:
    """Take an episode out of what is found and return it; None where it is not found already."""
    present = reader.get(EPISODES, [key]).get(key)
    if present is None or present.fields.get(_STANDING.field) is not True:
        return None
    episode = episode_of(present)
    store.put([_record(episode, is_standing=False)])
    return episode


def found_episodes(reader: RecordReader, text: str, limit: int) -> list[FoundEpisode]:
    """Return the episodes that a text asks for, the best first; of equal ones the newer."""
    words = telling_words(text)
    if not words:
        return []
    records = reader.search_text(EPISODES, words, limit, (_STANDING,))
    scores = text_scores(records, words)
    found = [
        FoundEpisode(
            episode_id=record.record_id,
            episode=episode_of(record),
            score=scores[record.record_id],
        )
        for record in records
    ]
    return sorted(found, key=lambda each: (-each.score, -each.episode.observed_at))


def shown_text(episode: Episode) -> str:
    """Return the words of an episode as they may leave."""
    return redact(episode.text).text


def _record(episode: Episode, *, is_standing: bool) -> Record:
    return Record(
        collection=EPISODES,
        record_id=episode_id(episode.text),
        body=_ENCODER.encode(episode),
        fields={"observed_at": episode.observed_at, _STANDING.field: is_standing},
        text=episode.text,
    )


def episode_of(record: Record) -> Episode:
    """Return the text that a record keeps. Raises StoreCorrupt, by its id."""
    try:
        return _DECODER.decode(record.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreCorrupt(
            f"the episode {record.record_id!r} cannot be read: {error}",
            hint="a later release may have written it",
        ) from error
