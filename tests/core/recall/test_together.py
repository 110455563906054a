"""What two terms say when they are near one another."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.bm25 import Corpus
from recense.core.recall.hits import ScoredHit, in_order, key_of
from recense.core.recall.together import (
    NEAR_BYTES,
    nearness,
    pair_figures,
    paired_hits,
    scored_together,
)
from recense.core.transcript.messages import MessageKind
from recense.limits import PAIRED_HITS_MAX, PAIRED_PLACES_MAX, RERANK_CODE_POINTS_MAX
from tests.core.recall.hits_by_hand import hit

CORPUS = Corpus(messages=1_000, length=50_000)


def scored(
    number: int,
    score: float,
    *frequencies: int,
    kind: MessageKind = "assistant",
    echo: bool = False,
) -> ScoredHit:
    return ScoredHit(
        hit=hit(number, *(frequencies or (1, 1)), kind=kind, echo=echo),
        score=score,
    )


def share(bytes_between: int) -> float:
    return 1 - bytes_between / NEAR_BYTES


@pytest.mark.parametrize(
    ("text", "bytes_between"),
    [
        ("cachepool", None),  # neither is a word
        ("cache pool", 1),
        ("pool/cache", 1),
        ("the cache of the pool", 8),
        ("cache, then pool; a pool, a cache", 4),  # where they come nearest
        ("caches and pools", 6),  # in whatever form, the ending being between
        ("the carpool of a cache", None),
        ("cached_pool", 2),
        (f"cache{' ' * NEAR_BYTES}pool", None),
        (f"cache{' ' * (NEAR_BYTES - 1)}pool", NEAR_BYTES - 1),
    ],
)
def test_two_terms_are_near_by_the_bytes_between_their_whole_words(
    text: str, bytes_between: int | None
) -> None:
    expected = 0.0 if bytes_between is None else share(bytes_between)
    assert nearness(text, ["cache", "pool"]) == pytest.approx((expected,))


def test_letters_that_no_space_separates_are_whole_wherever_they_stand() -> None:
    assert nearness("把缓存的备份删掉", ["备份", "缓存"]) == (share(len("的".encode())),)
    assert nearness("缓存timeout", ["timeout", "缓存"]) == (1.0,)
    assert nearness("数据库的迁移", ["数据", "据库"]) == (0.0,)  # they share a letter


def test_only_terms_that_follow_one_another_are_near() -> None:
    found = nearness("the cache, a pool, the lock", ["lock", "cache", "pool"])
    assert found == (0.0, share(6), share(4))


def test_a_phrase_is_one_term_and_no_neighbour_of_a_word_in_it() -> None:
    assert nearness("the busy timeout is over", ["busy timeout", "timeout"]) == (0.0,)


def test_the_beginning_of_a_long_text_is_looked_at() -> None:
    text = "x " * (RERANK_CODE_POINTS_MAX // 2)
    assert nearness(text + "cache pool", ["cache", "pool"]) == (0.0,)
    assert nearness("cache pool " + text, ["cache", "pool"]) == (share(1),)


def test_of_a_term_that_stands_everywhere_the_first_places_are_looked_at() -> None:
    often = "a b " * (PAIRED_PLACES_MAX + NEAR_BYTES)
    assert nearness(often + "a cache", ["a", "cache"]) == (0.0,)
    assert nearness("a cache " + often, ["a", "cache"]) == (share(1),)


def test_near_terms_count_in_full_in_machine_output() -> None:
    given_hits = [scored(0, 3.0), scored(9, 1.0, kind="tool_result"), scored(5, 2.0)]
    near = {key_of(given_hits[0].hit): (0.5,), key_of(given_hits[1].hit): (0.5,)}
    figures = pair_figures(near, [1.0, 1.0], CORPUS)
    assert figures.pairs == ((0, 1),)
    assert figures.figures[0].df == 2
    said, printed, other = scored_together(given_hits, figures)
    assert said.score - 3.0 == pytest.approx(printed.score - 1.0)
    assert said.score - 3.0 == pytest.approx(figures.parts(said.hit)[0])
    assert other == given_hits[2]


def test_a_pair_says_more_the_fewer_messages_hold_it() -> None:
    rare = pair_figures({("s", 0): (1.0,), ("s", 1): (0.0,)}, [1.0, 1.0], CORPUS)
    frequent = pair_figures({("s", 0): (1.0,), ("s", 1): (0.2,)}, [1.0, 1.0], CORPUS)
    assert rare.parts(hit(0))[0] > frequent.parts(hit(0))[0] > frequent.parts(hit(1))[0] > 0


def test_the_best_hits_with_two_terms_are_looked_at_and_machine_output_is_not_halved() -> None:
    many = [scored(number, 1.0 + number, 1, 1) for number in range(PAIRED_HITS_MAX + 10)]
    printed = scored(9_000, 8.0, 1, 2, 0, kind="tool_result")
    others = [scored(9_001, 900.0, 3, 0, 0), scored(9_002, 901.0, 1, 1, echo=True)]
    found = paired_hits([*others, printed, *many])
    assert len(found) == PAIRED_HITS_MAX
    assert [each.hit.position for each in found[:2]] == [PAIRED_HITS_MAX + 9, PAIRED_HITS_MAX + 8]
    assert printed in found
    assert many[10] not in found
    assert not {each.hit.position for each in others} & {each.hit.position for each in found}


@given(
    st.text("ab c数据的.\n\uffff", max_size=60),
    st.lists(st.sampled_from(["a", "b", "ab", "c", "数据", "据", "."]), min_size=2, unique=True),
)
def test_nearness_is_a_share_and_does_not_hang_on_the_order_of_terms(
    text: str, terms: list[str]
) -> None:
    found = nearness(text, terms)
    assert len(found) == len(terms) * (len(terms) - 1) // 2
    assert all(0 <= each <= 1 for each in found)
    turned = dict(
        zip(
            map(frozenset, combinations(reversed(terms), 2)),
            nearness(text, terms[::-1]),
            strict=True,
        )
    )
    pairs = map(frozenset, combinations(terms, 2))
    assert {pair: turned[pair] for pair in turned} == dict(zip(pairs, found, strict=True))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.floats(0, 1)), min_size=1, unique_by=lambda x: x[0])
)
def test_a_score_never_falls_and_the_order_given_changes_nothing(
    given_hits: list[tuple[int, float]],
) -> None:
    hits = [scored(number, float(number % 3)) for number, _ in given_hits]
    near = {("s", number): (share,) for number, share in given_hits}
    done = scored_together(hits, pair_figures(near, [1.0, 1.0], CORPUS))
    assert all(after.score >= before.score for before, after in zip(hits, done, strict=True))
    backwards = pair_figures(dict(reversed(near.items())), [1.0, 1.0], CORPUS)
    assert in_order(scored_together(hits[::-1], backwards)) == in_order(done)
