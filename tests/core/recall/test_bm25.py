"""The score, and the laws that keep it defined."""

import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.bm25 import (
    Corpus,
    contributions,
    corpus_of,
    inverse_document_frequency,
    kind_weight,
    length_norm,
    scores_of,
    term_figures,
)
from recense.core.recall.hits import Hit
from recense.core.transcript.messages import MessageKind

counts = st.integers(0, 10_000)


def test_the_score_is_the_published_formula() -> None:
    corpus = Corpus(messages=100, length=10_000)
    figures = term_figures(corpus, [(2, 0)] + [(0, 1)] * 9, [1.0, 1.0])
    idf = math.log(1 + (100 - 1 + 0.5) / (1 + 0.5))
    norm = 1 - 0.75 + 0.75 * 50 / 100
    assert contributions(figures, (2, 0), corpus, 50, "user") == pytest.approx(
        [idf * 2 * 2.2 / (2 + 1.2 * norm), 0.0]
    )
    assert [figure.df for figure in figures] == [1, 9]


@pytest.mark.parametrize(
    ("kind", "weight"),
    [
        *(("user", 1.0), ("assistant", 1.0), ("tool_call", 1.0)),
        *(("tool_result", 0.5), ("summary", 0.5), ("note", 0.5)),
    ],
)
def test_machine_output_counts_half(kind: MessageKind, weight: float) -> None:
    assert kind_weight(kind) == weight
    corpus = Corpus(messages=10, length=100)
    figures = term_figures(corpus, [(1,)], [1.0])
    whole = contributions(figures, (1,), corpus, 10, "user")[0]
    assert contributions(figures, (1,), corpus, 10, kind)[0] == whole * weight


def test_the_smaller_b_the_less_length_counts() -> None:
    corpus = Corpus(messages=10, length=100)
    assert length_norm(corpus, 40) == 1 - 0.75 + 0.75 * 4
    assert length_norm(corpus, 40, 0.2) == pytest.approx(0.8 + 0.2 * 4)
    assert length_norm(corpus, 40, 0.0) == 1.0
    figures = term_figures(corpus, [(1,)], [0.6])
    assert contributions(figures, (1,), corpus, 40, "user", b=0.0) == pytest.approx(
        [0.6 * figures[0].idf]
    )


@given(counts, counts, st.lists(st.integers(1, 500), max_size=20), st.integers(1, 9))
def test_a_corpus_holds_its_hits_and_no_score_is_undefined(
    messages: int, length: int, hit_lengths: list[int], frequency: int
) -> None:
    corpus = corpus_of(messages, length, hit_lengths)
    assert corpus.messages >= len(hit_lengths)
    assert corpus.length >= sum(hit_lengths)
    figures = term_figures(corpus, [(frequency,)] * len(hit_lengths), [1.0])
    for each in hit_lengths:
        score = contributions(figures, (frequency,), corpus, each, "user")[0]
        assert math.isfinite(score)
        assert score > 0


hits = st.builds(
    Hit,
    start=st.just((False, 0, "s")),
    session_id=st.just("s"),
    ordinal=st.just(0),
    position=st.just(0),
    turn=st.just("t"),
    kind=st.sampled_from(get_args(MessageKind)),
    at=st.none(),
    identity=st.none(),
    frequencies=st.tuples(st.integers(0, 9)),
    length=counts,
)


@given(counts, counts, st.lists(hits, max_size=20), st.floats(0.1, 1.0))
def test_many_hits_of_one_term_score_as_each_by_itself(
    messages: int, length: int, found: list[Hit], weight: float
) -> None:
    corpus = corpus_of(messages, length, [hit.length for hit in found])
    figures = term_figures(corpus, [hit.frequencies for hit in found], [weight])
    assert scores_of(figures, found, corpus) == [
        contributions(figures, hit.frequencies, corpus, hit.length, hit.kind)[0] for hit in found
    ]


def test_nothing_scores_in_an_empty_corpus() -> None:
    corpus = Corpus(messages=0, length=0)
    figures = term_figures(corpus, [], [1.0])
    assert contributions(figures, (3,), corpus, 7, "user") == [0.0]
    assert length_norm(corpus, 7) == 1.0


@given(st.integers(1, 1_000), st.data())
def test_a_rarer_term_says_more(messages: int, data: st.DataObject) -> None:
    corpus = Corpus(messages=messages, length=messages)
    df = data.draw(st.integers(0, messages))
    idf = inverse_document_frequency(corpus, df)
    assert idf > 0
    assert df == 0 or idf < inverse_document_frequency(corpus, df - 1)
