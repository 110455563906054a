"""What hits say for one another: their sessions, and the dates of the question."""

from datetime import date
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.instants import EPOCH
from recense.core.recall.bm25 import Corpus, corpus_of, score, term_figures
from recense.core.recall.evidence import DATE_WEIGHT, evidence_of, scored_with
from recense.core.recall.hits import Hit
from recense.core.recall.whole_sessions import SessionSizes, session_totals
from recense.core.transcript.messages import MessageKind
from tests.core.recall.hits_by_hand import hit

DAY = 24 * 60 * 60 * 1_000_000


def instant(day: date) -> int:
    return (day.toordinal() - EPOCH.toordinal()) * DAY


def sizes_of(lengths: dict[str, int]) -> SessionSizes:
    return SessionSizes(sessions=len(lengths), length=sum(lengths.values()), lengths=lengths)


def scores(question: str, hits: list[Hit], lengths: dict[str, int]) -> dict[tuple[str, int], float]:
    weights = [1.0] * len(hits[0].frequencies)
    corpus = corpus_of(0, 0, [each.length for each in hits])
    figures = term_figures(corpus, (each.frequencies for each in hits), weights)
    evidence = evidence_of(question, hits, weights, sizes_of(lengths))
    return {
        (each.hit.session_id, each.hit.position): each.score
        for each in scored_with(evidence, hits, figures, corpus)
    }


def test_a_session_is_one_document_of_its_hits() -> None:
    hits = [
        hit(0, 1, 0, session="a"),
        hit(1, 2, 3, session="a", kind="tool_result"),
        hit(0, 0, 1, session="b"),
    ]
    pairs = [(each, each.frequencies) for each in hits]
    totals = session_totals(pairs, [1.0, 0.5], sizes_of({"a": 300, "b": 100, "c": 200}))
    assert totals.frequencies == {"a": [2.0, 1.5], "b": [0.0, 1.0]}
    assert totals.corpus == Corpus(messages=3, length=600)
    assert [figure.df for figure in totals.figures] == [1, 2]
    assert [figure.weight for figure in totals.figures] == [1.5, 0.75]
    norm = 0.25 + 0.75 * 300 / 200
    part = 1.5 * totals.figures[0].idf * 2 * 2.2 / (2 + 1.2 * norm)
    assert totals.parts("a")[0] == pytest.approx(part)


def test_the_session_that_speaks_of_it_more_often_comes_first() -> None:
    hits = [hit(0, 1, session="a"), *(hit(place, 1, session="b") for place in range(0, 9, 3))]
    found = scores("deploy", hits, {"a": 100, "b": 100, "c": 100, "d": 100})
    assert found["b", 0] > found["a", 0]


def test_machine_output_gains_half_of_what_a_session_gives() -> None:
    hits = [hit(0, 1), hit(1, 1, kind="tool_result")]
    found = scores("deploy", hits, {"s": 20, "t": 50})
    assert found["s", 1] == pytest.approx(found["s", 0] / 2)


def test_a_hit_at_the_date_of_the_question_gains_by_how_few_are_near() -> None:
    hits = [
        hit(0, 1, at=instant(date(2023, 7, 7))),
        hit(1, 1, at=instant(date(2023, 8, 3))),
        hit(2, 1, at=instant(date(2023, 9, 7))),
        hit(3, 1, at=None),
    ]
    plain = scores("deploy", hits, {"s": 40})
    found = scores("deploy in July 2023", hits, {"s": 40})
    evidence = evidence_of("deploy in July 2023", hits, [1.0], sizes_of({"s": 40}))
    assert evidence.date_figures is not None
    assert (evidence.date_figures.df, evidence.date_figures.weight) == (2, DATE_WEIGHT)
    gain = DATE_WEIGHT * evidence.date_figures.idf
    assert [found["s", place] - plain["s", place] for place in range(4)] == pytest.approx(
        [gain, gain / 2, 0.0, 0.0]
    )
    assert [evidence.date_part(each) for each in hits] == pytest.approx([gain, gain / 2, 0.0, 0.0])


kinds: st.SearchStrategy[MessageKind] = st.sampled_from(["user", "assistant", "tool_result"])
instants = st.none() | st.integers(0, 400).map(lambda day: instant(date(2023, 1, 1)) + day * DAY)


@st.composite
def hit_lists(draw: st.DrawFn) -> list[Hit]:
    return [
        hit(
            place,
            draw(st.integers(0, 5)),
            draw(st.integers(1, 5)),
            session=draw(st.sampled_from("abc")),
            kind=draw(kinds),
            at=draw(instants),
            length=draw(st.integers(1, 5_000)),
        )
        for place in range(draw(st.integers(1, 12)))
    ]


@given(hit_lists(), st.data())
def test_scores_do_not_depend_on_the_order_of_hits(hits: list[Hit], data: st.DataObject) -> None:
    lengths = {"a": 4_000, "b": 10, "d": 7}
    shuffled = data.draw(st.permutations(hits))
    question = "deploy in March 2023"
    assert scores(question, hits, lengths) == scores(question, shuffled, lengths)


@given(hit_lists())
def test_no_hit_is_lost_and_no_score_falls_below_bm25(hits: list[Hit]) -> None:
    corpus = corpus_of(0, 0, [each.length for each in hits])
    figures = term_figures(corpus, (each.frequencies for each in hits), [1.0, 1.0])
    evidence = evidence_of("deploy in March 2023", hits, [1.0, 1.0], sizes_of({}))
    scored = scored_with(evidence, hits, figures, corpus)
    assert [each.hit for each in scored] == hits
    for each in scored:
        assert each.score >= score(figures, each.hit, corpus) > 0
        assert each.score == pytest.approx(
            score(figures, each.hit, corpus)
            + evidence.date_part(each.hit)
            + fsum(evidence.whole.parts(each.hit.session_id))
            * (0.5 if each.hit.kind == "tool_result" else 1.0)
        )
