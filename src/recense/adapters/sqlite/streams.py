"""Streams: text that is still arriving, a row or more for each arrival."""

from collections.abc import Iterable, Iterator
from typing import Final

from recense.adapters.sqlite.driver import Connection, read_number
from recense.adapters.sqlite.rows import add_redactions, read_session
from recense.limits import CHUNK_BYTES
from recense.ports.commits import OpenStream, StreamPage
from recense.ports.pages import require_stream, unknown_session

_MASK: Final = 0b1100_0000
_CONTINUATION: Final = 0b1000_0000
"""A byte of UTF-8 whose upper bits are these goes on with a character."""


def keep_stream_page(connection: Connection, page: StreamPage) -> None:
    """Keep what has arrived of a stream, inside the transaction that the caller has begun.

    What is there is not written again: an arrival makes rows of its own.
    """
    found = read_session(connection, page.session_id)
    if found is None:
        raise unknown_session(page.session_id)
    key, session = found
    name = (key, page.stream_key)
    held = read_number(
        connection, "SELECT length FROM streams WHERE session_key = ? AND stream_key = ?", name
    )
    require_stream(session, page, held or 0)
    if held is None:
        connection.execute(
            "INSERT INTO streams VALUES (?, ?, ?, ?, ?, 0)",
            (*name, session.events, page.at, page.payload),
        )
        connection.execute(
            "UPDATE sessions SET open_streams = open_streams + 1 WHERE session_key = ?", (key,)
        )
    connection.executemany(
        "INSERT INTO stream_segments VALUES (?1, ?2, (SELECT coalesce(max(segment) + 1, 0)"
        " FROM stream_segments WHERE session_key = ?1 AND stream_key = ?2), ?3)",
        ((*name, text) for text in segments(page.text)),
    )
    connection.execute(
        "UPDATE streams SET length = length + ? WHERE session_key = ? AND stream_key = ?",
        (len(page.text), *name),
    )
    add_redactions(connection, key, page.findings)


def end_streams(
    connection: Connection, key: int, stream_keys: Iterable[str], open_streams: int
) -> int:
    """Remove streams of a session; return how many of its ``open_streams`` are left."""
    for stream_key in stream_keys:
        name = (key, stream_key)
        connection.execute(
            "DELETE FROM stream_segments WHERE session_key = ? AND stream_key = ?", name
        )
        ended = connection.execute(
            "DELETE FROM streams WHERE session_key = ? AND stream_key = ? RETURNING 1", name
        ).fetchall()
        open_streams -= len(ended)
    return open_streams


def read_streams(connection: Connection, key: int) -> list[OpenStream]:
    """Return the open streams of a session, by where and by what name they began."""
    streams = connection.execute(
        "SELECT stream_key, after_ordinal, at, payload FROM streams WHERE session_key = ?"
        " ORDER BY after_ordinal, stream_key",
        (key,),
    ).fetchall()
    return [
        OpenStream(
            stream_key=stream_key,
            after_ordinal=after_ordinal,
            at=at,
            payload=payload,
            text="".join(_segments_held(connection, key, stream_key)),
        )
        for stream_key, after_ordinal, at, payload in streams
    ]


def segments(text: str) -> Iterator[str]:
    """Yield a text in runs of at most CHUNK_BYTES bytes of UTF-8; nothing for no text."""
    data = text.encode()
    start = 0
    while start < len(data):
        end = min(start + CHUNK_BYTES, len(data))
        while end < len(data) and data[end] & _MASK == _CONTINUATION:
            end -= 1
        yield data[start:end].decode()
        start = end


def _segments_held(connection: Connection, key: int, stream_key: str) -> Iterator[str]:
    rows = connection.execute(
        "SELECT text FROM stream_segments WHERE session_key = ? AND stream_key = ?"
        " ORDER BY segment",
        (key, stream_key),
    )
    for (text,) in rows:
        yield text
