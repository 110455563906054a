"""The order of hits, copies, and one anchor a turn."""

from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.hits import Hit, ScoredHit, best_of_each_turn, in_order, without_copies


def hit(
    start: int,
    ordinal: int,
    *,
    at: int | None = None,
    turn: str = "t",
    identity: bytes | None = None,
) -> Hit:
    return Hit(
        start=start,
        session_id=f"s{start}",
        ordinal=ordinal,
        position=ordinal,
        turn=turn,
        kind="user",
        at=at,
        identity=identity,
        frequencies=(1,),
        length=1,
    )


hits = st.lists(
    st.builds(
        hit,
        st.integers(0, 3),
        st.integers(0, 5),
        at=st.sampled_from([None, -1, 0, 7]),
        turn=st.sampled_from("tu"),
        identity=st.sampled_from([None, b"a", b"b"]),
    ),
    max_size=20,
    unique_by=lambda each: (each.start, each.ordinal),
)
scored = st.builds(ScoredHit, hit=hits.filter(bool).map(lambda each: each[0]), score=st.just(1.0))


@given(hits)
def test_each_identity_counts_once_in_the_session_that_began_first(drawn: list[Hit]) -> None:
    kept = without_copies(drawn)
    assert [(each.start, each.ordinal) for each in kept] == sorted(
        (each.start, each.ordinal)
        for each in drawn
        if each.identity is None
        or each.start == min(other.start for other in drawn if other.identity == each.identity)
    )


@given(
    st.lists(st.tuples(hits.filter(bool).map(lambda each: each[0]), st.sampled_from([0.5, 2.0])))
)
def test_hits_come_by_score_then_the_later_then_by_place(drawn: list[tuple[Hit, float]]) -> None:
    ordered = in_order(ScoredHit(hit=each, score=score) for each, score in drawn)
    keys = [
        (
            -each.score,
            each.hit.at is None,
            -(each.hit.at or 0),
            each.hit.session_id,
            each.hit.ordinal,
        )
        for each in ordered
    ]
    assert keys == sorted(keys)
    assert len(ordered) == len(drawn)


def test_the_first_of_each_turn_stays() -> None:
    ranked = [
        ScoredHit(hit=each, score=9.0 - number)
        for number, each in enumerate(
            [hit(0, 3), hit(0, 1), hit(1, 1), hit(0, 9, turn="u"), hit(1, 0)]
        )
    ]
    assert best_of_each_turn(ranked) == [ranked[0], ranked[2], ranked[3]]
