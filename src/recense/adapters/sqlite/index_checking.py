"""Looking for damage of the message index: what the engine finds in it, what its tables owe each
other, and whether texts are found by their own grams.

Law: nothing is written and nothing is repaired; an index is disposable, and what is found here is
mended by making it anew.
"""

from collections.abc import Iterator
from typing import Final

from recense.adapters.sqlite.border import DriverError
from recense.adapters.sqlite.driver import Connection, read_number
from recense.adapters.sqlite.indexing import is_as_marked, match_query, missing_tables
from recense.core.text.grams import GRAM_BYTES, windows
from recense.limits import GRAMS_CHECKED_MAX, IMAGES_CHECKED_MAX

_GRAMS_FINDINGS: Final = ("main.grams", 'table "grams"')
"""What the engine's findings about the full-text index name it by."""

_OWED: Final[tuple[tuple[str, str], ...]] = (
    (
        "session {} is vouched for, and has other messages in the index than its rows say",
        """
        SELECT session_id FROM sessions s
        LEFT JOIN (SELECT session_key, count(*) AS n FROM messages GROUP BY 1) m USING (session_key)
        LEFT JOIN (SELECT session_key, count(*) AS n, sum(live) AS live FROM images GROUP BY 1) i
            USING (session_key)
        WHERE s.vouch > 0 AND (coalesce(m.n, 0) <> coalesce(i.n, 0)
            OR s.messages <> coalesce(i.live, 0))
        """,
    ),
    (
        "the full-text index holds {} windows, and its texts have another number of them",
        """
        SELECT n FROM (SELECT count(*) AS n FROM grams_docsize)
        WHERE n <> (SELECT coalesce(sum(windows), 0) FROM images)
        """,
    ),
    (
        "images of a session with the key {}, which there is not",
        """
        SELECT DISTINCT session_key FROM images
        WHERE session_key NOT IN (SELECT session_key FROM sessions)
        """,
    ),
)


def index_faults_found(connection: Connection) -> Iterator[str]:
    """Yield what is damaged of the message index, in words; nothing when it is whole."""
    try:
        for name in missing_tables(connection):
            yield f"the table {name} of the message index is missing"
        for (finding,) in connection.execute("PRAGMA integrity_check(grams)"):
            if finding != "ok":
                yield f"SQLite: {finding}"
        if not is_as_marked(connection):
            yield "the full-text index is not the one that was written"
        for sentence, query in _OWED:
            for (name,) in connection.execute(query):
                yield sentence.format(name)
        yield from _unfound_images(connection)
    except DriverError as error:
        yield f"SQLite: {error}"


def is_about_grams(finding: str) -> bool:
    """Whether a finding of the engine is about the full-text index."""
    return any(name in finding for name in _GRAMS_FINDINGS)


def can_read_grams(connection: Connection) -> bool:
    """Whether the engine can read the full-text index at all."""
    try:
        connection.execute("SELECT 1 FROM grams LIMIT 0").fetchall()
    except DriverError:
        return False
    return True


def _unfound_images(connection: Connection) -> Iterator[str]:
    """Yield the texts, of some that lie evenly among all, that their own grams do not find."""
    count = read_number(connection, "SELECT count(*) FROM images") or 0
    step = max(1, count // IMAGES_CHECKED_MAX)
    rows = connection.execute(
        "SELECT image_key, session_key, position, image FROM"
        " (SELECT *, row_number() OVER (ORDER BY image_key) AS place FROM images)"
        " WHERE place % ? = 0",
        (step,),
    )
    for image_key, session_key, position, image in rows:
        for rowid, window in enumerate(windows(image), image_key):
            grams = _spread_grams(window)
            found = not grams or (
                b"\x00" not in window  # no fold gives it, and the engine takes it for an end
                and read_number(
                    connection,
                    "SELECT count(*) FROM grams WHERE grams MATCH ? AND rowid = ?",
                    (match_query([grams]), rowid),
                )
            )
            if not found:
                yield (
                    f"message {position} of the session with the key {session_key} is not found by"
                    " its own text"
                )
                break


def _spread_grams(window: bytes) -> list[bytes]:
    """Return some grams of a window, from all of it."""
    last = len(window) - GRAM_BYTES + 1
    step = max(1, last // GRAMS_CHECKED_MAX)
    return [window[at : at + GRAM_BYTES] for at in range(0, last, step)][:GRAMS_CHECKED_MAX]
