"""The words of records: how they are spelled for the engine's index of texts, and asked for.

Law: the engine's tokenizer (``ascii``) ends a token at every ASCII character that is no letter and
no digit, lowers capital letters, and cuts a long token. So each word is spelled with small letters,
digits and what is no ASCII alone, and stands after the key of its collection: two words of two
collections are one token only if they are one word of one collection. What the engine finds is then
exactly what `recense.core.recall.index_words` says.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Final

from recense.adapters.sqlite.driver import Connection, parts_of
from recense.adapters.sqlite.record_terms import Place
from recense.core.late_patterns import late_regex
from recense.core.recall.index_words import index_words
from recense.limits import WORDS_KEPT_MAX

_ESCAPE: Final = "\ue000"
"""A character of the private use area: before what an ASCII character is spelled as, and itself."""

_END_OF_KEY: Final = "w"
_LONG: Final = f"{_ESCAPE}z"
_TOKEN_CODE_POINTS_MAX: Final = 512
"""A longer word is spelled as its digest: the engine cuts tokens at 32,768 bytes."""

_SPELLED: Final = late_regex(f"[\\x00-/:-`{{-\\x7f{_ESCAPE}]")
_INSERT: Final = "INSERT INTO record_words(rowid, words)"
_TEXTS_AT_ONCE: Final = 4_096
_CODE_POINTS_AT_ONCE: Final = 4 * 1024 * 1024
"""The engine makes a segment of its index for each statement of several texts, and asks each of
them for each word."""

_MERGE_PAGES: Final = 500
"""Pages of the index that one commit of a purge rewrites: a tenth of a second."""


@lru_cache(maxsize=WORDS_KEPT_MAX)
def token(collection_key: int, word: str) -> str:
    """Return how a word of a collection is spelled."""
    return f"{collection_key}{_END_OF_KEY}{_spelled(word)}"


def _spelled(word: str) -> str:
    spelled = word
    if not (word.isascii() and word.isalnum() and word.islower()):
        spelled = _SPELLED.sub(lambda found: f"{_ESCAPE}{ord(found[0]):x}{_ESCAPE}", word)
    if len(spelled) > _TOKEN_CODE_POINTS_MAX:
        spelled = f"{_LONG}{blake2b(word.encode(), digest_size=32).hexdigest()}"
    return spelled


def asked_words(words: Iterable[str]) -> list[str]:
    """Return the words that a text can have, each once: none has a lone surrogate."""
    return [
        word
        for word in dict.fromkeys(words)
        if word.isascii() or not any("\ud800" <= character <= "\udfff" for character in word)
    ]


def index_texts(connection: Connection, texts: Iterable[tuple[Place, str]]) -> None:
    """Index texts, each with the place of its record."""
    rows = (
        (key, " ".join([token(collection, word) for word in index_words(text)]))
        for (collection, key), text in texts
    )
    for part in parts_of(rows, rows_max=_TEXTS_AT_ONCE, bytes_max=_CODE_POINTS_AT_ONCE):
        values = ", ".join(["(?, ?)"] * len(part))
        bindings = list(chain.from_iterable(part))
        connection.execute(f"{_INSERT} VALUES {values}", bindings, can_cache=False)


def any_of(tokens: Sequence[str]) -> str:
    """Return the engine's question for texts that have one of these tokens."""
    return " OR ".join(f'"{each}"' for each in tokens)


def all_of(tokens: Sequence[str]) -> str:
    """Return the engine's question for texts that have all of these tokens."""
    return " AND ".join(f'"{each}"' for each in tokens)


def purge_words_step(connection: Connection, *, is_first: bool) -> bool:
    """Merge some of the index, so that what was deleted leaves it; return whether more is left.

    The first step begins a merge of all of it, the others go on with that.
    """
    before = connection.total_changes()
    pages = -_MERGE_PAGES if is_first else _MERGE_PAGES
    connection.execute("INSERT INTO record_words(record_words, rank) VALUES ('merge', ?)", (pages,))
    return connection.total_changes() - before >= 2  # noqa: PLR2004 - the engine's own sign
