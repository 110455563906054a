"""Who gets a place in an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.quota import choose, family_of_session
from recense.core.transcript.records import Origin, Session

ranked = st.lists(st.sampled_from("abcd"), max_size=30).map(lambda each: list(enumerate(each)))


def chosen(items: list[tuple[int, str]], limit: int) -> list[tuple[int, str, str]]:
    return [(*item, how) for item, how in choose(items, lambda item: item[1], limit)]


@given(ranked, st.integers(1, 25))
def test_places_are_filled_in_rank_order_and_none_is_wasted(
    items: list[tuple[int, str]], limit: int
) -> None:
    places = chosen(items, limit)
    assert len(places) == min(limit, len(items))
    assert places == sorted(places)


@given(ranked, st.integers(1, 25))
def test_a_session_takes_its_share_first_and_more_only_when_others_have_theirs(
    items: list[tuple[int, str]], limit: int
) -> None:
    places = chosen(items, limit)
    share = max(1, limit // 3)
    for session in "abcd":
        mine = [rank for rank, each in items if each == session]
        first = [rank for rank, each, how in places if each == session and how == "first_pass"]
        assert first == mine[: len(first)]
        assert len(first) <= share
    if any(how == "filled" for _, _, how in places):
        for session in "abcd":
            held = sum(each == session for _, each in items)
            took = sum(each == session and how == "first_pass" for _, each, how in places)
            assert took == min(share, held)


def test_one_session_may_fill_the_answer_when_nobody_else_hits() -> None:
    assert [how for *_, how in chosen([(rank, "a") for rank in range(5)], 4)] == [
        *("first_pass", "filled", "filled", "filled")
    ]


def session(name: str, parent: str | None, origin: Origin = "subagent") -> Session:
    return Session(
        session_id=name,
        source="s",
        source_session_id=name,
        origin=origin,
        parent_session_id=parent,
    )


@pytest.mark.parametrize(
    ("name", "counts_for"),
    [
        ("root", "root"),
        ("agent", "root"),
        ("deep", "root"),
        ("lost", "gone"),
        ("headless", "headless"),
    ],
)
def test_sub_agents_count_against_the_session_that_started_them(name: str, counts_for: str) -> None:
    sessions = {
        "root": session("root", None, "interactive"),
        "agent": session("agent", "root"),
        "deep": session("deep", "agent"),
        "lost": session("lost", "gone"),
        "headless": session("headless", "root", "headless"),
    }
    assert family_of_session(name, sessions) == counts_for


def test_a_circle_of_parents_ends() -> None:
    sessions = {"a": session("a", "b"), "b": session("b", "a")}
    assert family_of_session("a", sessions) in sessions
