"""The order of hits, copies, and one anchor a turn."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.recall.hits import (
    Hit,
    ScoredHit,
    best_of_each_turn,
    in_order,
    of_freshest_revisions,
    without_copies,
)
from recense.core.transcript.records import Session


def hit(
    start: int,
    ordinal: int,
    *,
    at: int | None = None,
    turn: str = "t",
    identity: bytes | None = None,
) -> Hit:
    return Hit(
        start=(False, start, f"s{start}"),
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
    assert sorted((each.start, each.ordinal) for each in kept) == sorted(
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
    assert list(best_of_each_turn(ranked)) == [ranked[0], ranked[2], ranked[3]]


def session(name: str, last: int | None, root: str | None = None) -> Session:
    return Session(
        session_id=name, source="s", source_session_id=name, last_event_at=last, revision_root=root
    )


def test_of_a_family_of_revisions_the_freshest_that_hit_answers() -> None:
    rows = {
        "s0": session("s0", 5),
        "s1": session("s1", 9, "s0"),
        "s2": session("s2", 7, "s0"),
        "s3": session("s3", 1),
    }
    drawn = [hit(0, 0), hit(2, 0), hit(2, 1), hit(3, 0)]  # the freshest of all did not hit
    assert of_freshest_revisions(drawn, rows) == [hit(2, 0), hit(2, 1), hit(3, 0)]


@given(hits)
def test_sessions_of_no_family_keep_all_their_hits(drawn: list[Hit]) -> None:
    kept = of_freshest_revisions(drawn, {})
    assert sorted(kept, key=repr) == sorted(drawn, key=repr)


def test_an_echo_comes_after_every_other_hit_whatever_its_score() -> None:
    plain = ScoredHit(hit=hit(0, 0), score=0.1)
    echo = ScoredHit(hit=replace(hit(1, 0), echo=True), score=9.0)
    assert in_order([echo, plain]) == [plain, echo]
