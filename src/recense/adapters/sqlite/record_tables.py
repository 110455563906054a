"""The tables of records (`recense.ports.records`), as a migration.

Laws: a field lies in ``records.fields`` as it was given, which decides. ``record_terms``,
``record_order`` and ``record_words`` repeat some fields and the words of texts, for an index to
serve. Lists are repeated at once, all else when some hundred records wait for it: a record on its
own would change a page of the file in a dozen places, and a commit writes whole pages. Records
that wait have keys beyond ``indexed_through`` and are looked at one by one.
"""

from typing import Final

RECORD_TABLES: Final = """
-- records is how many there are. The row of an empty collection stays: a watermark is never reused.
-- The row with the key 0 is the whole store's, and only it has the last three columns: no stamp and
-- no record_key is used twice.
CREATE TABLE record_collections (
    collection_key INTEGER PRIMARY KEY,
    name TEXT UNIQUE CHECK ((name IS NULL) = (collection_key = 0)),
    watermark INTEGER NOT NULL,
    records INTEGER NOT NULL,
    last_stamp INTEGER,
    last_key INTEGER NOT NULL,
    indexed_through INTEGER NOT NULL
) STRICT;

INSERT INTO record_collections VALUES (0, NULL, 0, 0, NULL, 0, 0);

-- fields is a MessagePack map; vector are numbers of single precision, little endian. observed_at
-- is the field of that name where it is a number or a text.
CREATE TABLE records (
    record_key INTEGER PRIMARY KEY,
    collection_key INTEGER NOT NULL,
    record_id TEXT NOT NULL,
    recorded_at INTEGER,
    observed_at ANY,
    fields BLOB NOT NULL,
    text TEXT,
    vector BLOB,
    body BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX records_by_id ON records (collection_key, record_id);
CREATE INDEX records_with_vectors ON records (collection_key) WHERE vector IS NOT NULL;

-- term_kind says which field it is and of which type (recense.adapters.sqlite.record_terms). The
-- value comes first, so that values with one beginning, in whatever field, lie on one page.
CREATE TABLE record_terms (
    value ANY NOT NULL,
    term_kind INTEGER NOT NULL,
    collection_key INTEGER NOT NULL,
    record_key INTEGER NOT NULL,
    PRIMARY KEY (value, term_kind, collection_key, record_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE record_order (
    collection_key INTEGER NOT NULL,
    term_kind INTEGER NOT NULL,
    value ANY NOT NULL,
    record_id TEXT NOT NULL,
    record_key INTEGER NOT NULL,
    PRIMARY KEY (collection_key, term_kind, value, record_id)
) STRICT, WITHOUT ROWID;

-- Index words of texts, spelled so that the tokenizer takes each as it is
-- (recense.adapters.sqlite.record_words); rowid is record_key.
CREATE VIRTUAL TABLE record_words USING fts5(
    words, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1
);

CREATE TABLE record_counters (
    name TEXT NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- until_ms is on the clock of the boot that is named.
CREATE TABLE record_leases (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    boot_id TEXT NOT NULL,
    until_ms INTEGER NOT NULL,
    ttl_ms INTEGER NOT NULL,
    released INTEGER NOT NULL CHECK (released IN (0, 1))
) STRICT, WITHOUT ROWID;
"""
