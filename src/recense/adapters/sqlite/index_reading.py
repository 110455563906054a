"""Reading the message index in one snapshot.

Law: what is read is what was written, or StoreCorrupt says that it is not: what the index is marked
by is compared once in a snapshot, before the first answer.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

from recense.adapters.sqlite.border import index_border
from recense.adapters.sqlite.driver import (
    Connection,
    Row,
    StoredBytes,
    filled,
    marks,
    read_number,
)
from recense.adapters.sqlite.indexing import indexed_events, is_as_marked, match_query
from recense.adapters.sqlite.rows import read_outline_of
from recense.core.recall.versions import INDEX_VERSION, REDACTION_VERSION
from recense.core.text.grams import (
    asked_grams,
    distinct_grams,
    piece_of,
    window_count,
    window_start,
)
from recense.errors import StoreCorrupt
from recense.limits import GRAMS_ASKED_MAX, WINDOW_BYTES
from recense.ports.index import IndexedThrough, MessageImage, VouchedSession

_PLACE: Final = (
    "position, ordinal, more_ordinals, turn, kind, at, identity, live, echo, has_materials, length"
)
_PLACE_OF_ONE: Final = ", ".join(f"i.{name}" for name in ["session_key", *_PLACE.split(", ")])
_SELECT: Final = f"SELECT {_PLACE}, redacted, image FROM images"  # noqa: S608 - of names above alone
# That redaction changes a text is told also where the text is not asked for: it is shown by that.
_SELECT_PLACES: Final = f"SELECT {_PLACE}, iif(redacted IS NULL, NULL, x''), x'' FROM images"  # noqa: S608 - as above

_EVERY: Final = f"SELECT windows, session_key, {_PLACE}, redacted, image FROM images"  # noqa: S608 - as above
# Most texts are of one window, and told at once: a short one is looked into by the engine, a long
# one by us, who are faster at that. Of a text of several (o) the windows are looked into.
_NAMED: Final = f"""
SELECT g.rowid, coalesce(i.windows, o.windows), coalesce(i.image_key, o.image_key), {_PLACE_OF_ONE},
    iif(i.windows = 1, i.redacted, NULL), iif(i.windows = 1, i.image, NULL)
FROM grams g LEFT JOIN images i ON i.image_key = g.rowid
LEFT JOIN images o ON i.image_key IS NULL AND o.image_key =
    (SELECT image_key FROM images WHERE image_key <= g.rowid ORDER BY image_key DESC LIMIT 1)
WHERE grams MATCH ?1
"""  # noqa: S608 - of names above alone
_SHORT_BYTES: Final = 1_024
_MAY_HOLD: Final = f" AND (i.windows > 1 OR length(i.image) >= {_SHORT_BYTES} OR {{}}) IS NOT FALSE"
_IN_ORDER: Final = " ORDER BY g.rowid"

_LOOKED_FOR_MAX: Final = 4
"""Terms that the engine looks for in a text itself: it takes longer than we do for many of them."""

_LONG: Final = f"SELECT session_key, {_PLACE}, redacted, image FROM images WHERE image_key = ?"  # noqa: S608 - as above

_WINDOWS: Final = "SELECT count(*) FROM grams_docsize"

_VOUCHED: Final = "SELECT session_key, redaction_version = ? FROM sessions WHERE vouch = ?"


class IndexReader:
    """A `recense.ports.index.IndexedMessages` of one read transaction; for one thread."""

    def __init__(self, connection: Connection, place: str) -> None:
        self._connection: Final = connection
        self._place: Final = place
        self._is_known_whole = False

    def unvouched(self) -> list[str]:
        """Return the ids of the settled sessions for which the index does not answer."""
        with index_border(self._place):
            self._require_whole()
            rows = self._connection.execute(
                "SELECT session_id FROM sessions INDEXED BY sessions_by_vouch"
                " WHERE (vouch < ?1 OR vouch > ?1) AND converted_through >= records",
                (INDEX_VERSION,),
            )
            return [session_id for (session_id,) in rows]

    def waiting(self) -> list[str]:
        """Return the ids of the sessions that indexing would do something for, by start."""
        with index_border(self._place):
            rows = self._connection.execute(
                "SELECT session_id FROM sessions"
                " WHERE converted_through >= records AND open_streams = 0 AND unreadable_events = 0"
                " AND (indexed_events <> events OR abs(index_version) <> ?"
                " OR redaction_version <> ?)"
                " ORDER BY created_at IS NULL, created_at, session_id",
                (INDEX_VERSION, REDACTION_VERSION),
            )
            return [session_id for (session_id,) in rows]

    def through(self, session_id: str) -> IndexedThrough:
        """Return how far a session is indexed."""
        with index_border(self._place):
            row = self._connection.execute(
                "SELECT indexed_events, index_version, redaction_version, state FROM sessions"
                " JOIN index_states USING (session_key) WHERE session_id = ?",
                (session_id,),
            ).fetchone()
        if row is None:
            return IndexedThrough(events=0, state=b"")
        *indexed, state = row
        events = indexed_events(*indexed, version=INDEX_VERSION, redaction=REDACTION_VERSION)
        return IndexedThrough(events=events, state=state if events else b"")

    def number(self, session_id: str) -> int | None:
        """Return the number of a session of which anything is indexed."""
        with index_border(self._place):
            return read_number(
                self._connection,
                "SELECT session_key FROM sessions JOIN index_states USING (session_key)"
                " WHERE session_id = ?",
                (session_id,),
            )

    def vouched(self, session_id: str) -> VouchedSession | None:
        """Return the session of this id if the index answers for it."""
        with index_border(self._place):
            self._require_whole()
            return self._vouched(f"{_VOUCHED} AND session_id = ?", session_id)

    def vouched_number(self, number: int) -> VouchedSession | None:
        """Return the session of this number if the index answers for it."""
        with index_border(self._place):
            self._require_whole()
            return self._vouched(f"{_VOUCHED} AND session_key = ?", number)

    def offered(self, folded_terms: Sequence[bytes]) -> Iterator[tuple[int, MessageImage]]:
        """Yield session number and message for every message that may hold one of the terms."""
        with index_border(self._place):
            self._require_whole()
            grams = [self._asked_grams(term) for term in folded_terms]
            yield from self._named(grams, folded_terms) if all(grams) else self._every()

    def _asked_grams(self, folded_term: bytes) -> Sequence[bytes]:
        """Return the rarest grams of a term, as far as they were counted."""
        grams = distinct_grams(folded_term)
        if len(grams) <= GRAMS_ASKED_MAX:
            return grams
        asked = filled(grams)
        counts = self._connection.execute(
            f"SELECT gram, texts FROM gram_counts WHERE gram IN ({marks(asked)})",  # noqa: S608 - marks alone
            asked,
        )
        return asked_grams(grams, dict(counts.fetchall()))

    def _every(self) -> Iterator[tuple[int, MessageImage]]:
        """Yield all messages."""
        held = 0
        for row in self._connection.execute(_EVERY):
            held += row[0]
            yield row[1], _message(row[2:])
        if held != read_number(self._connection, _WINDOWS):
            raise StoreCorrupt(
                f"store {self._place!r}: the message index lacks texts of which it has grams",
                hint="make it anew: recense index --anew",
            )

    def _named(
        self, grams: Sequence[Sequence[bytes]], folded_terms: Sequence[bytes]
    ) -> Iterator[tuple[int, MessageImage]]:
        """Yield the messages in which these grams stand together, but for most of those in which
        none of the terms does.
        """
        looked_for = folded_terms if len(folded_terms) <= _LOOKED_FOR_MAX else ()
        looks = " OR ".join(f"instr(i.image, ?{place})" for place in range(2, 2 + len(looked_for)))
        rows = self._connection.execute(
            _NAMED + (_MAY_HOLD.format(looks) if looks else "") + _IN_ORDER,
            (match_query(grams), *looked_for),
        )
        with closing(_LongTexts(self._connection, self._place, folded_terms)) as long_texts:
            for row in rows:
                if row[1] != 1:
                    if long_texts.holds(*row[:3]):
                        yield long_texts.message()
                elif len(row[-1]) < _SHORT_BYTES or any(map(row[-1].__contains__, folded_terms)):
                    yield row[3], _message(row[4:])

    def at(self, number: int, position: int) -> MessageImage | None:
        """Return the message at a position of a session, with its texts, or None."""
        with index_border(self._place):
            row = self._connection.execute(
                f"{_SELECT} WHERE session_key = ? AND position = ?", (number, position)
            ).fetchone()
        return None if row is None else _message(row)

    def of_event(self, number: int, event_id: str) -> MessageImage | None:
        """Return the message that an event opened, without its texts, or None."""
        with index_border(self._place):
            row = self._connection.execute(
                f"{_SELECT_PLACES} WHERE session_key = ?1 AND ordinal ="  # noqa: S608 - as above
                " (SELECT ordinal FROM events WHERE session_key = ?1 AND event_id = ?2)",
                (number, event_id),
            ).fetchone()
        return None if row is None else _message(row)

    def before(self, number: int, position: int) -> Iterator[MessageImage]:
        """Yield the messages before a position, the nearest first, without their texts."""
        return self._places("AND position < ? ORDER BY position DESC", number, position)

    def after(self, number: int, position: int) -> Iterator[MessageImage]:
        """Yield the messages after a position, the nearest first, without their texts."""
        return self._places("AND position > ? ORDER BY position", number, position)

    def with_materials(self, number: int, turn: str) -> list[MessageImage]:
        """Return the messages of a turn that have materials, by position, without their texts."""
        with index_border(self._place):
            rows = self._connection.execute(
                f"{_SELECT_PLACES} INDEXED BY images_with_materials"
                " WHERE session_key = ? AND turn = ? AND has_materials = 1 ORDER BY position",
                (number, turn),
            )
            return [_message(row) for row in rows]

    def _places(self, rest: str, number: int, value: int | str) -> Iterator[MessageImage]:
        with index_border(self._place):
            rows = self._connection.execute(
                f"{_SELECT_PLACES} WHERE session_key = ? {rest}", (number, value)
            )
            for row in rows:
                yield _message(row)

    def _vouched(self, statement: str, name: int | str) -> VouchedSession | None:
        row = self._connection.execute(
            statement, (REDACTION_VERSION, INDEX_VERSION, name)
        ).fetchone()
        session = None if row is None else read_outline_of(self._connection, row[0])
        if row is None or session is None:
            return None
        return VouchedSession(number=row[0], session=session, is_redaction_current=bool(row[1]))

    def _require_whole(self) -> None:
        if not self._is_known_whole and not is_as_marked(self._connection):
            raise StoreCorrupt(
                f"store {self._place!r}: the message index is not the one that was written",
                hint="make it anew: recense index --anew",
            )
        self._is_known_whole = True


class _LongTexts:
    """The texts of several windows, looked into window by window, in the order of their rowids."""

    def __init__(self, connection: Connection, place: str, folded_terms: Sequence[bytes]) -> None:
        self._connection: Final = connection
        self._place: Final = place
        self._pieces: Final = [piece_of(term) for term in folded_terms]
        self._blob: StoredBytes | None = None
        self._key: int | None = None
        self._is_told = False

    def holds(self, rowid: int, windows: int | None, key: int | None) -> bool:
        """Whether a term, or the beginning of a long one, stands in a window of the text with a
        key, and in none that was looked into before. Raises StoreCorrupt when it is of no text.
        """
        if windows is None or key is None or rowid >= key + windows:
            raise self._lacks_text()
        if self._blob is None or key != self._key:
            self._blob = self._opened(key)
            if window_count(self._blob.length()) != windows:
                raise self._lacks_text()
            self._key = key
            self._is_told = False
        elif self._is_told:
            return False
        self._blob.seek(window_start(rowid - key))
        self._is_told = any(map(self._blob.read(WINDOW_BYTES).__contains__, self._pieces))
        return self._is_told

    def message(self) -> tuple[int, MessageImage]:
        """Return session number and message of the text that was looked into last."""
        (row,) = self._connection.execute(_LONG, (self._key,))
        return row[0], _message(row[1:])

    def close(self) -> None:
        """Let go of the text."""
        if self._blob is not None:
            self._blob.close()

    def _opened(self, key: int) -> StoredBytes:
        if self._blob is None:
            return self._connection.blob_open("main", "images", "image", key, False)  # noqa: FBT003 - the driver's own
        self._blob.reopen(key)
        return self._blob

    def _lacks_text(self) -> StoreCorrupt:
        return StoreCorrupt(
            f"store {self._place!r}: the message index has grams of a text that is not there",
            hint="make it anew: recense index --anew",
        )


def _message(row: Row) -> MessageImage:
    """Return the message of the columns of `_SELECT`."""
    # Every message that may hit passes here: this is as direct as it can be.
    (
        position,
        ordinal,
        more_ordinals,
        turn,
        kind,
        at,
        identity,
        live,
        echo,
        has_materials,
        length,
        redacted,
        image,
    ) = row
    return MessageImage(
        position=position,
        ordinal=ordinal,
        more_ordinals=tuple(json.loads(more_ordinals)) if more_ordinals else (),
        turn=turn,
        kind=kind,
        at=at,
        identity=identity,
        live=live == 1,
        echo=echo == 1,
        has_materials=has_materials == 1,
        length=length,
        redacted=redacted,
        image=image,
    )
