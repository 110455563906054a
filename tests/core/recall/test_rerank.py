"""What a question adds to the order of hits."""

import pytest

from recense.core.recall.bm25 import contributions
from recense.core.recall.hits import Hit, ScoredHit
from recense.core.recall.rerank import (
    SUPPORT_WEIGHT,
    HitWords,
    hit_words,
    question_words,
    rerank,
)
from recense.core.transcript.messages import MessageKind


def scored(
    number: int, score: float, *, kind: MessageKind = "assistant", turn: str | None = None
) -> ScoredHit:
    hit = Hit(
        start=(False, 0, "s"),
        session_id="s",
        ordinal=number,
        position=number,
        turn=turn or f"t{number}",
        kind=kind,
        at=None,
        identity=None,
        frequencies=(1,),
        length=10,
    )
    return ScoredHit(hit=hit, score=score)


def words(*frequencies: int, digest: bytes = b"") -> HitWords:
    return HitWords(frequencies=frequencies, digest=digest)


def test_a_questions_words_are_whole_and_no_stop_words() -> None:
    assert question_words("How did the Pool fill up, the POOL?") == ("pool", "fill")
    assert question_words("我们的数据库") == ("数据", "据库")


def test_only_whole_words_count() -> None:
    counted = hit_words("pooling the pool, pool.", ["pool", "fill"])
    assert counted.frequencies == (2, 0)
    assert counted.digest == b""


def test_a_long_text_has_a_digest_of_its_words_and_of_nothing_else() -> None:
    text = "one two three four five six seven eight nine"
    assert hit_words(text, []).digest
    assert hit_words(text, []) == hit_words(text.replace(" ", ", "), [])
    assert hit_words(text, []) != hit_words(text + " ten", [])


def test_a_whole_word_of_the_question_lifts_a_hit_by_its_bm25() -> None:
    ranked = [scored(0, 1.0), scored(1, 0.99)]
    done = rerank(ranked, {("s", 0): words(0), ("s", 1): words(2)}, ["pool"])
    assert [each.hit.position for each in done.ranked] == [1, 0]
    added = contributions(done.figures, (2,), done.corpus, 10, "assistant")[0]
    assert done.ranked[0].score == pytest.approx(0.99 + added)
    assert done.corpus.messages == 2
    assert done.figures[0].df == 1


def test_question_and_answer_of_a_turn_support_each_other() -> None:
    ranked = [
        scored(0, 3.0),
        scored(1, 2.5, kind="user", turn="x"),
        scored(2, 2.0, turn="x"),
        scored(3, 1.0, kind="tool_result", turn="x"),
    ]
    done = rerank(ranked, {("s", number): words() for number in range(4)}, [])
    assert [(each.hit.position, each.support) for each in done.ranked] == [
        (1, SUPPORT_WEIGHT * 2.0),
        (0, 0.0),
        (2, SUPPORT_WEIGHT * 2.5),
        (3, 0.0),
    ]
    assert done.ranked[0].score == 2.5 + SUPPORT_WEIGHT * 2.0


def test_of_hits_with_the_same_words_the_best_stays_unless_a_person_said_them() -> None:
    ranked = [
        scored(0, 5.0),
        scored(1, 4.0),
        scored(2, 3.0, kind="user"),
        scored(3, 2.0, kind="user"),
        scored(4, 1.0, kind="tool_result"),
    ]
    same = {("s", number): words(digest=b"same") for number in range(5)}
    done = rerank(ranked, same, [])
    assert [each.hit.position for each in done.ranked] == [0, 2, 3]


def test_hits_beyond_the_pool_stay_behind_as_they_were() -> None:
    ranked = [scored(number, 1.0 - number / 100) for number in range(5)]
    done = rerank(ranked, {("s", 0): words(0), ("s", 1): words(9)}, ["pool"])
    assert [each.hit.position for each in done.ranked] == [1, 0, 2, 3, 4]
    assert done.ranked[2:] == ranked[2:]
