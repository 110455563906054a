"""The tables, and the steps by which a file came to have them.

Laws: a migration that was released is never edited; a change is another one at the end. Each is
applied in one transaction together with its number (``PRAGMA user_version``), so that a file is
always at exactly one of them. A number beyond ours means a later release: the file is left alone.

Every table has an integer key of its own (no WITHOUT ROWID but for the smallest): rows are long
texts, and a table that is its own index keeps a row over a quarter of a page outside the page;
measured on real records it took 1.39 bytes a byte of text instead of 1.16.
"""

from collections.abc import Sequence
from typing import Final

from recense.adapters.sqlite.driver import Connection, read_number
from recense.adapters.sqlite.record_tables import RECORD_TABLES
from recense.errors import StoreCorrupt, StoreTooNew

APPLICATION_ID: Final = 0x5265636E
"""``Recn`` in ASCII, in the header of every file of ours."""

_KEY: Final = "key"

_TRANSCRIPTS: Final = """
CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- session_key stands for the session in every other table: its id is long, its rows are many.
CREATE TABLE sessions (
    session_key INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    source_session_id TEXT NOT NULL,
    workspace TEXT,
    title TEXT,
    title_rank INTEGER NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('interactive', 'subagent', 'headless', 'agent')),
    parent_session_id TEXT,
    source_path TEXT,
    created_at INTEGER,
    last_event_at INTEGER,
    events INTEGER NOT NULL,
    records INTEGER NOT NULL,
    converted_through INTEGER NOT NULL,
    importer_version INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    length INTEGER NOT NULL,
    branch_messages INTEGER NOT NULL,
    unreadable_events INTEGER NOT NULL,
    bytes_beyond_limit INTEGER NOT NULL,
    spilled_bodies INTEGER NOT NULL,
    owned_messages INTEGER NOT NULL,
    owned_length INTEGER NOT NULL,
    closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
    private INTEGER NOT NULL CHECK (private IN (0, 1))
) STRICT;

CREATE INDEX sessions_by_start ON sessions (created_at IS NULL, created_at, session_id);

-- Apart from sessions: a state is long, changes with every page, and lists do not want it.
CREATE TABLE session_states (
    session_key INTEGER PRIMARY KEY,
    convert_state BLOB NOT NULL,
    projection_state BLOB NOT NULL
) STRICT;

-- length is the record's own; record is absent where it is in archive_chunks, or dropped.
CREATE TABLE archive_records (
    session_key INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    position INTEGER NOT NULL,
    uuid TEXT,
    identity BLOB NOT NULL,
    type TEXT NOT NULL,
    at INTEGER,
    disposition TEXT NOT NULL
        CHECK (disposition IN ('parsed', 'duplicate', 'skipped', 'bad')),
    length INTEGER NOT NULL,
    form TEXT NOT NULL CHECK (form IN ('plain', 'zstd', 'chunked', 'dropped')),
    record BLOB CHECK ((record IS NULL) = (form IN ('chunked', 'dropped'))),
    PRIMARY KEY (session_key, seq)
) STRICT;

CREATE UNIQUE INDEX archive_records_by_identity
    ON archive_records (session_key, identity, position);

CREATE TABLE archive_chunks (
    session_key INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    form TEXT NOT NULL CHECK (form IN ('plain', 'zstd')),
    bytes BLOB NOT NULL,
    length INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    PRIMARY KEY (session_key, seq, chunk)
) STRICT;

CREATE TABLE events (
    session_key INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    invocation_id TEXT,
    at INTEGER,
    recorded_at INTEGER NOT NULL,
    identity BLOB,
    payload BLOB NOT NULL,
    PRIMARY KEY (session_key, ordinal)
) STRICT;

CREATE UNIQUE INDEX events_by_id ON events (session_key, event_id);

CREATE TABLE messages (
    session_key INTEGER NOT NULL,
    position INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    identity BLOB,
    length INTEGER NOT NULL,
    live INTEGER NOT NULL CHECK (live IN (0, 1)),
    PRIMARY KEY (session_key, position)
) STRICT;

-- Who holds an identity, and how much of it, without a look at the rows.
CREATE INDEX messages_by_identity ON messages (identity, session_key, length)
    WHERE live = 1 AND identity IS NOT NULL;

CREATE TABLE blobs (
    sha256 TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (sha256, chunk)
) STRICT;

CREATE TABLE import_files (
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    state BLOB NOT NULL,
    tail_sha256 TEXT NOT NULL,
    importer_version INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (source, path)
) STRICT;
"""

_FORGETTING: Final = """
ALTER TABLE sessions ADD COLUMN open_streams INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN revision_root TEXT;
ALTER TABLE sessions ADD COLUMN shelved INTEGER NOT NULL DEFAULT 0 CHECK (shelved IN (0, 1));

-- Of every other column; NULL for an event that was kept before there was one.
ALTER TABLE events ADD COLUMN checksum INTEGER;

-- length is the number of code points in all segments.
CREATE TABLE streams (
    session_key INTEGER NOT NULL,
    stream_key TEXT NOT NULL,
    after_ordinal INTEGER NOT NULL,
    at INTEGER,
    payload BLOB NOT NULL,
    length INTEGER NOT NULL,
    PRIMARY KEY (session_key, stream_key)
) STRICT;

CREATE TABLE stream_segments (
    session_key INTEGER NOT NULL,
    stream_key TEXT NOT NULL,
    segment INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session_key, stream_key, segment)
) STRICT;

-- Who refers to a blob. 0 is nobody we know: such a blob was there before this table, and stays.
CREATE TABLE blob_holders (
    sha256 TEXT NOT NULL,
    session_key INTEGER NOT NULL,
    PRIMARY KEY (sha256, session_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX blob_holders_by_session ON blob_holders (session_key);

INSERT INTO blob_holders SELECT sha256, 0 FROM blobs WHERE chunk = 0;

-- What the gate hid: how often which kind of secret.
CREATE TABLE redactions (
    session_key INTEGER NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (session_key, kind)
) STRICT, WITHOUT ROWID;

-- Forgotten sessions (recense.core.ids.tombstone) and identities of forgotten records.
CREATE TABLE tombstones (
    name BLOB NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
"""

_FIRST_INDEX_TABLES: Final = """
CREATE TABLE index_states (
    session_key INTEGER PRIMARY KEY,
    state BLOB NOT NULL
) STRICT;

-- image_key is the rowid of the first of the image's windows in grams; the next ones follow it.
-- more_ordinals are the events after the first that are in the message, as JSON. redacted is absent
-- where it is the image. Texts come last: what is read without them does not touch them.
CREATE TABLE images (
    image_key INTEGER PRIMARY KEY,
    session_key INTEGER NOT NULL,
    position INTEGER NOT NULL,
    windows INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    more_ordinals TEXT,
    turn TEXT NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER,
    identity BLOB,
    live INTEGER NOT NULL CHECK (live IN (0, 1)),
    echo INTEGER NOT NULL CHECK (echo IN (0, 1)),
    has_materials INTEGER NOT NULL CHECK (has_materials IN (0, 1)),
    length INTEGER NOT NULL,
    redacted BLOB,
    image BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX images_by_place ON images (session_key, position);
CREATE INDEX images_with_materials ON images (session_key, turn) WHERE has_materials = 1;

-- Grams are three bytes: texts are given to it with each byte as a character.
CREATE VIRTUAL TABLE grams USING fts5(
    image, tokenize = 'trigram case_sensitive 1', detail = none,
    content = '', contentless_delete = 1
);

-- One segment for each commit: what is gathered in memory is a page of indexing.
INSERT INTO grams(grams, rank) VALUES ('hashsize', 67108864);

-- By what the records of grams that say what it holds are known again.
CREATE TABLE index_mark (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    mark BLOB NOT NULL
) STRICT;
"""
_INDEX: Final = (
    """
-- Whether a payload can be looked through without projecting it; NULL where that is not known.
ALTER TABLE events ADD COLUMN scan_safe INTEGER;

-- How far a session is indexed, and by which rules; see recense.ports.index.
ALTER TABLE sessions ADD COLUMN indexed_events INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN index_version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN redaction_version INTEGER NOT NULL DEFAULT 0;

-- By which rules the index answers for all of a session; 0 where it does not. It is computed, so
-- that no write of another kind can forget to take a vouch back.
ALTER TABLE sessions ADD COLUMN vouch INTEGER GENERATED ALWAYS AS (
    CASE WHEN indexed_events = events AND converted_through = records AND open_streams = 0
        AND unreadable_events = 0 THEN index_version ELSE 0 END
) VIRTUAL;

CREATE INDEX sessions_by_vouch ON sessions (vouch);
-- What a question sums up over all sessions, without a look at their rows.
CREATE INDEX sessions_counters ON sessions (
    origin, converted_through, records, created_at, messages, length, owned_messages, owned_length,
    bytes_beyond_limit, spilled_bodies, branch_messages
);
CREATE INDEX sessions_by_source_id ON sessions (source_session_id);
CREATE INDEX sessions_by_parent ON sessions (parent_session_id)
    WHERE parent_session_id IS NOT NULL;
CREATE INDEX sessions_waiting ON sessions (session_key) WHERE converted_through < records;
CREATE INDEX sessions_hidden ON sessions (session_key) WHERE private = 1;
CREATE INDEX sessions_unreadable ON sessions (session_key) WHERE unreadable_events > 0;
CREATE INDEX import_files_failed ON import_files (source) WHERE reason <> '';

"""
    + _FIRST_INDEX_TABLES
)

INDEX_TABLES: Final = (
    _FIRST_INDEX_TABLES
    + """
-- In how many of some texts a gram stands, for those that stand in several: a term is asked for by
-- its rarest grams. The mark says by which rowid of grams they were last counted.
CREATE TABLE gram_counts (
    gram BLOB NOT NULL PRIMARY KEY,
    texts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE index_mark ADD COLUMN counted_at INTEGER NOT NULL DEFAULT 0;
"""
)
"""The tables of the message index alone: what is in them can be made anew, and so can they."""

NO_INDEX: Final = """
-- The engine lets go of a table of grams only if it can read this.
CREATE TABLE IF NOT EXISTS grams_config (k PRIMARY KEY, v) WITHOUT ROWID;
INSERT OR REPLACE INTO grams_config VALUES ('version', 4);
DROP TABLE IF EXISTS grams;
DROP TABLE IF EXISTS grams_config;
DROP TABLE IF EXISTS grams_data;
DROP TABLE IF EXISTS grams_docsize;
DROP TABLE IF EXISTS grams_idx;
DROP TABLE IF EXISTS images;
DROP TABLE IF EXISTS index_states;
DROP TABLE IF EXISTS index_mark;
DROP TABLE IF EXISTS gram_counts;
UPDATE sessions SET indexed_events = 0, index_version = 0, redaction_version = 0
    WHERE index_version <> 0;
"""
"""Takes the message index away, however damaged it is, and with it every vouch."""

MIGRATIONS: Final[tuple[str, ...]] = (
    _TRANSCRIPTS,
    _FORGETTING,
    _INDEX,
    NO_INDEX + INDEX_TABLES,
    RECORD_TABLES,
)
"""Append only: the schema's number is how many of these a file has seen."""


def schema_number(connection: Connection) -> int:
    """Return how many migrations the file has seen."""
    return read_number(connection, "PRAGMA user_version") or 0


def read_key(connection: Connection, place: str) -> bytes:
    """Return the store's secret key. Raises StoreCorrupt when it is lost."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (_KEY,)).fetchone()
    if row is None:
        raise StoreCorrupt(
            f"store {place!r} has lost its key: what it holds can no longer be told from copies",
            hint="restore the file from a backup",
        )
    return row[0]


def migrate(connection: Connection, key: bytes, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Apply the migrations that the file has not seen; a second call does nothing.

    The first also makes the file ours and keeps ``key`` as the store's. Several processes may do
    this at once: each step is taken by one of them. Raises StoreTooNew and leaves the file alone
    when it has seen more migrations than there are.
    """
    while schema_number(connection) != len(migrations):
        connection.execute("BEGIN IMMEDIATE")
        try:
            number = schema_number(connection)
            if number > len(migrations):
                raise StoreTooNew(
                    f"the store has schema {number}, this release knows {len(migrations)}",
                    hint="use the release that wrote it, or a later one",
                )
            if number < len(migrations):
                connection.execute(migrations[number])
                connection.execute(f"PRAGMA user_version = {number + 1}")
            if number == 0:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute("INSERT INTO meta VALUES (?, ?)", (_KEY, key))
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
