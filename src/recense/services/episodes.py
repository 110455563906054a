"""Episodes: texts kept whole, in a collection of their own, each once.

Law: an episode is kept under the digest of its exact text; case matters, and keeping it again gives
the one there is. It replaces nothing. One that was withdrawn is found no more until it is told
again; its words stay for what was filed from it.
"""

from hashlib import sha256
from typing import Final

import msgspec
from msgspec.structs import replace

from recense.core.extraction.views import Author
from recense.core.text.redact import redact
from recense.core.values import Value
from recense.errors import StoreCorrupt
from recense.ports.record_rules import matches
from recense.ports.records import Equals, Record, RecordReader, RecordStore
from recense.services.fact_collections import EPISODES
from recense.services.fact_search import telling_words, text_scores

_MARK: Final = "t-"
_DIGITS: Final = 32
_STANDING: Final = Equals(field="standing", value=True)


class SpokenPart(Value, kw_only=True):
    """The code points of a text from ``start`` up to ``end``, and who said them."""

    author: Author
    start: int
    end: int


class Episode(Value, kw_only=True):
    """A text, when it was observed, who wrote it, and who says what in it: nothing is said in what
    no part covers. ``is_stated``: its caller said how it is filed, and nobody else reads it.
    """

    text: str
    observed_at: int
    writer: str = ""
    spoken: tuple[SpokenPart, ...] | None = None
    is_stated: bool = False

    @property
    def parts(self) -> tuple[SpokenPart, ...]:
        """Who says what; without anything known of it, whoever wrote the text says all."""
        if self.spoken is not None:
            return self.spoken
        author: Author = "agent" if self.writer else "user"
        return (SpokenPart(author=author, start=0, end=len(self.text)),)


_ENCODER: Final = msgspec.json.Encoder(order="sorted")
_DECODER: Final = msgspec.json.Decoder(Episode)


def episode_id(text: str) -> str:
    """Return the id of a text: by its digest."""
    return f"{_MARK}{sha256(text.encode()).hexdigest()[:_DIGITS]}"


def is_episode_id(text: str) -> bool:
    """Whether an id is an episode's, not an event's."""
    return text.startswith(_MARK)


def keep_episode(store: RecordStore, reader: RecordReader, episode: Episode) -> bool:
    """Keep an episode that is not there, or was withdrawn; return whether it was so.

    Of one that is there the last telling says who speaks in it, but for an agent's after a
    person's; when it was observed stays.
    """
    record = _standing(reader, episode_id(episode.text))
    if record is None:
        store.put([_record(episode, is_standing=True)])
        return True
    present = episode_of(record)
    told = replace(episode, observed_at=present.observed_at)
    if told != present and (present.writer or not episode.writer):
        store.put([_record(told, is_standing=True)])
    return False


def standing_episode(reader: RecordReader, key: str) -> Episode | None:
    """Return the episode of an id; None where there is none, or it was withdrawn."""
    record = _standing(reader, key)
    return None if record is None else episode_of(record)


def standing_episodes(reader: RecordReader) -> list[Episode]:
    """Return every episode that was not withdrawn, the newest first."""
    records = reader.list(EPISODES, (_STANDING,), counted=False).records
    return sorted(map(episode_of, records), key=lambda each: (-each.observed_at, each.text))


def withdraw_episode(store: RecordStore, reader: RecordReader, key: str) -> Episode | None:
    """Take an episode out of what is found and return it; None where it is not found already."""
    present = _standing(reader, key)
    if present is None:
        return None
    episode = episode_of(present)
    store.put([_record(episode, is_standing=False)])
    return episode


def found_episodes(reader: RecordReader, text: str, limit: int) -> list[Episode]:
    """Return the episodes that a text asks for, the best first; of equal ones the newer."""
    words = telling_words(text)
    if not words:
        return []
    records = reader.search_text(EPISODES, words, limit, (_STANDING,))
    scores = text_scores(records, words)
    found = [(scores[record.record_id], episode_of(record)) for record in records]
    found.sort(key=lambda each: (-each[0], -each[1].observed_at))
    return [episode for _, episode in found]


def shown_text(episode: Episode) -> str:
    """Return the words of an episode as they may leave."""
    return redact(episode.text).text


def _standing(reader: RecordReader, key: str) -> Record | None:
    """Return the record of an episode that is found; None where there is none, or was withdrawn."""
    record = reader.get(EPISODES, [key]).get(key)
    return record if record is not None and matches(record, (_STANDING,)) else None


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
