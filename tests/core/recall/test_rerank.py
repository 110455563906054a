"""What a question adds to the order of hits."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.asked_words import AskedWord, HitWords
from recense.core.recall.bm25 import Corpus
from recense.core.recall.hits import ScoredHit, in_order
from recense.core.recall.rerank import TURN_SHARE, Reranked, rerank
from recense.core.recall.stems import word_form
from recense.core.recall.whole_sessions import SessionSizes
from recense.core.transcript.messages import MessageKind
from tests.core.recall.hits_by_hand import hit

CORPUS = Corpus(messages=100, length=1_000)
SIZES = SessionSizes(sessions=2, length=1_000, lengths={"s": 500, "other": 500})
KINDS: list[MessageKind] = ["user", "assistant", "tool_result"]


def scored(
    number: int,
    score: float,
    *,
    kind: MessageKind = "assistant",
    turn: str | None = None,
    session: str = "s",
) -> ScoredHit:
    return ScoredHit(hit=hit(number, session=session, kind=kind, turn=turn), score=score)


def asked(*words: str) -> tuple[AskedWord, ...]:
    return tuple(AskedWord(spelled=word, form=word_form(word)) for word in words)


def words(*frequencies: int, sketch: frozenset[int] = frozenset()) -> HitWords:
    together = (0,) * max(0, len(frequencies) - 1)
    return HitWords(frequencies=frequencies, together=together, sketch=sketch)


def reranked(
    ranked: list[ScoredHit], held: dict[int, HitWords], words_asked: tuple[AskedWord, ...] = ()
) -> Reranked:
    words_of = {(each.hit.session_id, each.hit.position): each for each in ranked}
    of_hit = {key: held[key[1]] for key in words_of if key[1] in held}
    return rerank(ranked, of_hit, words_asked, CORPUS, SIZES)


def positions(done: Reranked) -> list[int]:
    return [each.hit.position for each in done.ranked]


def test_a_whole_word_of_the_question_lifts_a_hit_by_its_bm25_and_by_its_sessions() -> None:
    ranked = [scored(0, 1.0), scored(9, 0.99, session="other")]
    done = reranked(ranked, {0: words(0), 9: words(2)}, asked("pool"))
    assert positions(done) == [9, 0]
    figures = done.figures
    assert figures.word_figures[0].df == 1
    assert figures.whole.figures[0].df == 1
    added = figures.word_parts(done.ranked[0].hit)[0]
    assert done.ranked[0].score == pytest.approx(0.99 + added + figures.whole.parts("other")[0])
    assert done.ranked[1].score == 1.0


def test_two_words_that_stand_together_lift_a_hit() -> None:
    ranked = [scored(0, 1.0), scored(9, 0.99)]
    apart = HitWords(frequencies=(1, 1), together=(0,))
    beside = HitWords(frequencies=(1, 1), together=(1,))
    done = reranked(ranked, {0: apart, 9: beside}, asked("board", "game"))
    assert positions(done) == [9, 0]
    assert done.figures.phrase_parts(ranked[0].hit) == [0.0]
    (added,) = done.figures.phrase_parts(ranked[1].hit)
    assert done.ranked[0].score - done.ranked[1].score == pytest.approx(added - 0.01)


def test_a_word_beside_a_hit_counts_a_share_where_the_hit_lacks_it() -> None:
    ranked = [
        scored(0, 5.0, turn="x"),
        scored(4, 4.0, kind="user", turn="x"),
        scored(5, 3.0, turn="y"),
        scored(9, 2.0, turn="z"),
    ]
    held = {0: words(1, 0), 4: words(0, 1), 5: words(0, 0), 9: words(0, 0)}
    done = reranked(ranked, held, asked("pool", "fill"))
    pool, _ = done.figures.word_parts(ranked[0].hit)
    _, fill = done.figures.word_parts(ranked[1].hit)
    assert {each.hit.position: each.support for each in done.ranked} == pytest.approx(
        {0: TURN_SHARE * fill, 4: TURN_SHARE * pool, 5: TURN_SHARE * fill, 9: 0.0}
    )


def test_of_hits_that_say_the_same_the_best_stays_unless_a_person_said_them() -> None:
    ranked = [
        scored(0, 5.0),
        scored(10, 4.0),
        scored(20, 3.0, kind="user"),
        scored(30, 2.0, kind="user"),
        scored(40, 1.0, kind="tool_result"),
    ]
    same = {number: words(sketch=frozenset(range(32))) for number in (0, 10, 20, 30, 40)}
    assert positions(reranked(ranked, same)) == [0, 20, 30]


def test_hits_beyond_the_pool_stay_behind_as_they_were() -> None:
    ranked = [scored(number, 1.0 - number / 100) for number in range(5)]
    done = reranked(ranked, {0: words(0), 1: words(9)}, asked("pool"))
    assert positions(done) == [1, 0, 2, 3, 4]
    assert done.ranked[2:] == ranked[2:]


@st.composite
def pools(draw: st.DrawFn) -> list[tuple[ScoredHit, HitWords]]:
    count = draw(st.integers(1, 8))
    return [
        (
            ScoredHit(
                hit=hit(
                    place,
                    session=draw(st.sampled_from(["s", "other"])),
                    turn=draw(st.sampled_from("xyz")),
                    kind=draw(st.sampled_from(KINDS)),
                    length=draw(st.integers(1, 400)),
                ),
                score=draw(st.floats(0, 9, allow_subnormal=False)),
            ),
            HitWords(
                frequencies=(draw(st.integers(0, 4)), draw(st.integers(0, 4))),
                together=(draw(st.integers(0, 1)),),
            ),
        )
        for place in range(count)
    ]


@given(pools(), st.data())
def test_the_order_of_hits_changes_no_score_no_hit_is_lost_and_no_score_falls(
    pool: list[tuple[ScoredHit, HitWords]], data: st.DataObject
) -> None:
    held = {each.hit.position: of_hit for each, of_hit in pool}
    given_hits = [each for each, _ in pool]
    before = {each.hit.position: each.score for each in given_hits}
    shuffled = data.draw(st.permutations(given_hits))
    done = reranked(given_hits, held, asked("pool", "fill"))
    again = reranked(shuffled, held, asked("pool", "fill"))
    assert done.ranked == again.ranked == in_order(done.ranked)
    assert sorted(positions(done)) == sorted(before)
    for each in done.ranked:
        assert each.score >= before[each.hit.position]
    for first, second in pairwise(done.ranked):
        assert first.score >= second.score
