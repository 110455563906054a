"""The score: BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).

    score(m) = kind_weight(m) · Σ_t weight_t · idf_t · tf · (k1 + 1) / (tf + k1 · norm(m))
    norm(m)  = 1 - b + b · length(m) / (total length / N)
    idf_t    = ln(1 + (N - df_t + 0.5) / (df_t + 0.5))

with k1 = 1.2 and b = 0.75. N and the total length come from stored counts, df from verified hits.

Laws: N is at least the number of verified hits, and the total length at least theirs, so that no
score is negative or undefined whatever the counts say. With N = 0 every score is 0. Contributions
are added with `math.fsum`, so that the order of terms changes no score.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, log
from typing import Final

from recense.core.recall.hits import Hit
from recense.core.transcript.messages import MessageKind
from recense.core.values import Value

K1: Final = 1.2
B: Final = 0.75

_KIND_WEIGHTS: Final[Mapping[MessageKind, float]] = {
    "user": 1.0,
    "assistant": 1.0,
    "tool_call": 1.0,
    "tool_result": 0.5,
    "summary": 0.5,
    "note": 0.5,
}


class Corpus(Value, kw_only=True):
    """The messages among which a term is rare or frequent, and their length in all."""

    messages: int
    length: int


class TermFigures(Value, kw_only=True):
    """How many hits a term has, what that says, and how much the term counts."""

    df: int
    idf: float
    weight: float


def corpus_of(messages: int, length: int, hit_lengths: Sequence[int]) -> Corpus:
    """Return the corpus of the stored figures, made large enough to hold the verified hits."""
    return Corpus(messages=max(messages, len(hit_lengths)), length=max(length, sum(hit_lengths)))


def term_figures(
    corpus: Corpus, frequencies: Iterable[Sequence[float]], weights: Sequence[float]
) -> tuple[TermFigures, ...]:
    """Return the figures of each term, by the weights of the terms and the frequencies of all
    hits.
    """
    df = [0] * len(weights)
    for of_hit in frequencies:
        for term, frequency in enumerate(of_hit):
            df[term] += frequency > 0
    return tuple(
        TermFigures(df=each, idf=inverse_document_frequency(corpus, each), weight=weight)
        for each, weight in zip(df, weights, strict=True)
    )


def inverse_document_frequency(corpus: Corpus, df: int) -> float:
    """Return how much a term that ``df`` messages hold says about a message."""
    return log(1 + (corpus.messages - df + 0.5) / (df + 0.5))


def length_norm(corpus: Corpus, length: int, b: float = B) -> float:
    """Return 1 for a message of average length, less for a shorter one, more for a longer one; the
    smaller ``b``, the less.
    """
    average = corpus.length / corpus.messages if corpus.messages else 0.0
    return 1 - b + b * length / average if average else 1.0


def contributions(
    figures: Sequence[TermFigures],
    frequencies: Sequence[float],
    corpus: Corpus,
    length: int,
    kind: MessageKind,
    *,
    b: float = B,
) -> list[float]:
    """Return what each term adds to the score of a message."""
    saturation = K1 * length_norm(corpus, length, b)
    scale = kind_weight(kind) * (K1 + 1) if corpus.messages else 0.0
    return [
        scale * term.weight * term.idf * frequency / (frequency + saturation) if frequency else 0.0
        for term, frequency in zip(figures, frequencies, strict=True)
    ]


def scores_of(figures: Sequence[TermFigures], hits: Iterable[Hit], corpus: Corpus) -> list[float]:
    """Return the scores of hits, in their order: of each the sum of its `contributions`."""
    if len(figures) == 1:  # nothing to sum up
        return _scores_of_one(figures[0], hits, corpus)
    return [
        fsum(contributions(figures, hit.frequencies, corpus, hit.length, hit.kind)) for hit in hits
    ]


def _scores_of_one(term: TermFigures, hits: Iterable[Hit], corpus: Corpus) -> list[float]:
    """Return what `contributions` says of one term, for many hits."""
    # Half of all messages may be hits: nothing that they have in common is asked again, and what is
    # multiplied is so in the same order, so that no score differs by a bit.
    unit = {
        kind: (weight * (K1 + 1) if corpus.messages else 0.0) * term.weight * term.idf
        for kind, weight in _KIND_WEIGHTS.items()
    }
    average = corpus.length / corpus.messages if corpus.messages else 0.0
    start = 1 - B
    scores: list[float] = []
    for hit in hits:
        (frequency,) = hit.frequencies
        norm = start + B * hit.length / average if average else 1.0
        scores.append(unit[hit.kind] * frequency / (frequency + K1 * norm) if frequency else 0.0)
    return scores


def kind_weight(kind: MessageKind) -> float:
    """Return how much a kind of message counts: a term's frequency in machine output is evidence of
    an index entry, not of an answer.
    """
    return _KIND_WEIGHTS[kind]
