"""What Recense's ranking stands beside: BM25 over whole documents, by an established library.

The documents are those that can be found, each with all its text. Only what shares a token with the
question is ranked; of equal scores the earlier document comes first.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import bm25s
import bm25s.stopwords
import Stemmer

from recense.bench.requests import SetName
from recense.core.values import Value

K1: Final = 1.2
B: Final = 0.75

Tokens = Callable[[str], list[str]]

_WORD: Final = re.compile(r"(?u)\b\w\w+\b")
"""Words of two characters or more, as bm25s and scikit-learn cut them."""

_UNICODE61: Final = re.compile(r"[^\W_]+")
"""Runs of letters and digits, as SQLite's unicode61 cuts them: a Chinese clause is one word."""

_stop_words: Final = frozenset(bm25s.stopwords.STOPWORDS_EN_PLUS)
_stemmer: Final = Stemmer.Stemmer("english")


class Baseline(Value, kw_only=True):
    """A way to rank, by its name in rows."""

    name: str
    tokens: Tokens


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return _WORD.findall(text.lower())


def stems(text: str) -> list[str]:
    """Return the stems (Snowball, English) of the words that are no stop words."""
    return _stemmer.stemWords([word for word in words(text) if word not in _stop_words])


def unicode61_words(text: str) -> list[str]:
    """Return the runs of letters and digits, in lower case."""
    return _UNICODE61.findall(text.lower())


def character_bigrams(text: str) -> list[str]:
    """Return each pair of neighbouring characters, punctuation and spaces among them."""
    return [text[index : index + 2] for index in range(len(text) - 1)]


BASELINES: Final[Mapping[SetName, tuple[Baseline, ...]]] = {
    "locomo": (
        Baseline(name="word_bm25_stemmed", tokens=stems),
        Baseline(name="word_bm25_plain", tokens=words),
        Baseline(name="character_bigram_bm25", tokens=character_bigrams),
    ),
    "memdaily": (
        Baseline(name="character_bigram_bm25", tokens=character_bigrams),
        Baseline(name="unicode61_word_bm25", tokens=unicode61_words),
    ),
}
"""For each set its baselines; the first is the one that figures are compared with."""


class Bm25:
    """An index over some documents."""

    def __init__(self, documents: Mapping[str, str], tokens: Tokens) -> None:
        self._places = tuple(documents)
        self._tokens = tokens
        known: dict[str, str] = {}  # each token once in memory: a corpus has millions
        cut = [
            [known.setdefault(token, token) for token in tokens(text)]
            for text in documents.values()
        ]
        self._known = frozenset(known)
        self._has_tokens = any(cut)
        self._index = bm25s.BM25(k1=K1, b=B)
        if self._has_tokens:
            self._index.index(cut, show_progress=False)

    def ranking(self, question: str) -> Sequence[str]:
        """Return the places of the documents that share a token with a question, best first."""
        asked = self._tokens(question)
        if not asked or not self._has_tokens:
            return ()
        scores = self._index.get_scores(asked).tolist()
        found = [index for index, score in enumerate(scores) if score > 0]
        return [self._places[index] for index in sorted(found, key=lambda index: -scores[index])]

    def best(self, question: str, count: int) -> Sequence[str]:
        """Return the places of up to ``count`` documents that share a token with a question, best
        first, by the library's own search; which of two equal ones comes first is its matter.
        """
        asked = [token for token in self._tokens(question) if token in self._known]
        if not asked:
            return ()
        k = min(count, len(self._places))
        documents, scores = self._index.retrieve([asked], k=k, show_progress=False)
        pairs = zip(documents.tolist()[0], scores.tolist()[0], strict=True)
        return [self._places[int(index)] for index, score in pairs if score > 0]
