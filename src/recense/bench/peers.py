"""What stands beside recall: other ways to look for a term in the same messages or files.

Each is asked for as many results as an answer of ours has passages, with their texts.
"""

import os
import shutil
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol, cast

import apsw
import msgspec

from recense.adapters.sqlite.driver import Connection
from recense.bench.baselines import Bm25, words
from recense.bench.kept import KeptMessage
from recense.limits import PASSAGES_DEFAULT

RG: Final = "rg"
FTS5: Final = "fts5_unicode61"
WORD_BM25: Final = "word_bm25"

_RG_FOUND: Final = 0
_RG_FOUND_NOTHING: Final = 1


class Peer(Protocol):
    """One way to look for a term."""

    def ask(self, term: str) -> int:
        """Look for a term as a person would; return how many results there are, up to a limit."""
        ...


class Ripgrep:
    """``rg``, looking through the source files for the bytes of a term, as JSON writes it."""

    def __init__(self, program: str, folder: str) -> None:
        self._program: Final = program
        self._folder: Final = folder

    def words(self, term: str) -> list[str]:
        """Return the command line."""
        written = msgspec.json.encode(term)[1:-1].decode()
        options = ("--no-config", "-i", "-l", "-F")
        return [self._program, *options, "-e", written, self._folder]

    def ask(self, term: str) -> int:
        """Return how many files hold the term."""
        ran = subprocess.run(self.words(term), capture_output=True, check=False)  # noqa: S603 -- a program that is installed, and words of ours
        if ran.returncode not in {_RG_FOUND, _RG_FOUND_NOTHING}:
            raise OSError(f"{RG} failed: {ran.stderr.decode(errors='replace')}")
        return len(ran.stdout.splitlines())


def ripgrep(folder: str) -> Ripgrep | None:
    """Return what searches a folder, None where rg is not installed."""
    program = shutil.which(RG)
    return None if program is None else Ripgrep(program, folder)


class WordIndex:
    """SQLite's FTS5 over the messages, cut into words by ``unicode61``; a term is a phrase."""

    def __init__(self, connection: Connection, kept: Sequence[KeptMessage]) -> None:
        self._connection: Final = connection
        self._anchors: Final = [each.anchor for each in kept]
        connection.execute("CREATE VIRTUAL TABLE said USING fts5 (text, tokenize = unicode61)")
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO said (rowid, text) VALUES (?, ?)",
            ((place, each.text) for place, each in enumerate(kept)),
        )
        connection.execute("COMMIT")

    def ask(self, term: str) -> int:
        """Return how many messages are shown, best first."""
        rows = self._connection.execute(
            "SELECT text FROM said WHERE said MATCH ? ORDER BY rank LIMIT ?",
            (_phrase(term), PASSAGES_DEFAULT),
        )
        return len(rows.fetchall())

    def places(self, term: str) -> frozenset[str]:
        """Return the anchors of all messages that are found."""
        rows = self._connection.execute(
            "SELECT rowid FROM said WHERE said MATCH ?", (_phrase(term),)
        )
        return frozenset(self._anchors[cast("int", place)] for (place,) in rows)


@contextmanager
def word_index(path: str, kept: Sequence[KeptMessage]) -> Generator[WordIndex]:
    """Build an index in a file of its own."""
    connection = cast("Connection", apsw.Connection(path))
    try:
        connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
        yield WordIndex(connection, kept)
    finally:
        connection.close()


class WordRanking:
    """BM25 over the messages by an established library, words in lower case, in memory."""

    def __init__(self, kept: Sequence[KeptMessage]) -> None:
        self._texts: Final = {each.anchor: each.text for each in kept}
        self._index: Final = Bm25(self._texts, words)

    def ask(self, term: str) -> int:
        """Return how many messages are shown, best first."""
        return len([self._texts[place] for place in self._index.best(term, PASSAGES_DEFAULT)])

    def places(self, term: str) -> frozenset[str]:
        """Return the anchors of all messages that are found."""
        return frozenset(self._index.ranking(term))


def _phrase(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def bytes_of(path: str) -> int:
    """Return the size of a file and of the log beside it."""
    return sum(os.path.getsize(name) for name in (path, f"{path}-wal") if os.path.exists(name))
