"""Needles: what a question is after comes first, whatever else a store holds."""

from math import fsum

import pytest
from msgspec.structs import replace

from recense.core.transcript.messages import Message, MessageKind
from recense.limits import RERANKED_HITS_MAX
from recense.operations.recall import Explanation, Passage, RecallRequest
from tests.core.recall.messages_by_hand import message
from tests.services.recall_world import SECOND, T0, World

DAY = 24 * 60 * 60 * SECOND


def passages(world: World, question: str, *terms: str, limit: int = 8) -> tuple[Passage, ...]:
    request = RecallRequest(question=question, terms=terms, limit=limit)
    return world.recall().recall(replace(request, explain=True)).passages


def found(world: World, question: str, *terms: str) -> list[tuple[str, int]]:
    return [(each.session, each.position) for each in passages(world, question, *terms)]


def explanation(passage: Passage) -> Explanation:
    assert passage.explanation is not None
    return passage.explanation


@pytest.fixture(scope="module")
def haystack() -> World:
    """Return 2,000 sessions that speak of the same few things, and one word in one of them."""
    world = World()
    topics = ("the timetable", "a cache", "the pool", "a migration", "数据库的迁移", "the tests")
    for number in range(2_000):
        said = [f"please look at {topics[(number + each) % 6]} again" for each in range(3)]
        if number == 1_234:
            said[1] += ", and mind the zeppelin"
        if number == 777:
            said[2] = "the cache of the timetable is stale"
        if number == 1_500:
            said[0] += "，还有琥珀缓冲区"
        world.add(
            f"n{number}",
            *(
                message(place, text, kind="assistant" if place == 1 else "user", turn=f"t{place}")
                for place, text in enumerate(said)
            ),
        )
    return world


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("where did we speak of the zeppelin?", ("s:n1234", 1)),
        ("what was it about zeppelins and the cache and the tests?", ("s:n1234", 1)),
        ("琥珀缓冲区是什么？", ("s:n1500", 0)),
    ],
)
def test_a_word_of_its_own_comes_first_among_two_thousand_sessions(
    haystack: World, question: str, place: tuple[str, int]
) -> None:
    assert found(haystack, question)[0] == place


def test_two_common_words_that_stand_together_once_come_first(haystack: World) -> None:
    assert found(haystack, "which timetable has a cache?")[0] == ("s:n777", 2)
    assert found(haystack, "is it stale?", "timetable", "cache")[0] == ("s:n777", 2)


def test_hits_beyond_those_that_are_reranked_follow_them_as_they_were(haystack: World) -> None:
    request = RecallRequest(question="which timetable has a cache?", limit=12)
    recall = haystack.recall()
    with_all, with_ten, again = (
        recall.recall(replace(request, explain=True), reranked_max=number).passages
        for number in (RERANKED_HITS_MAX, 10, 10)
    )
    assert with_ten == again
    assert len(with_ten) == len(with_all) == 12
    assert [_is_reranked(each) for each in with_ten] == [True] * 10 + [False] * 2
    assert all(map(_is_reranked, with_all))
    assert with_ten[0].anchor == with_all[0].anchor


def _is_reranked(passage: Passage) -> bool:
    return any(each.of == "question" for each in explanation(passage).terms)


def test_one_rare_word_comes_before_fifty_sessions_with_two_common_ones() -> None:
    world = World()
    for number in range(50):
        text = "deploy the service, then deploy the service again"
        world.add(
            f"common{number}", *(message(place, text, turn=f"t{place}") for place in range(9))
        )
    world.add(
        "rare",
        message(0, "the weather is fine", turn="t0"),
        message(1, "the kubelet did not come back", turn="t1"),
    )
    assert found(world, "did we deploy the service to a kubelet?")[0] == ("s:rare", 1)


def test_the_session_that_is_about_it_comes_before_one_that_mentions_it() -> None:
    world = World()
    world.add("aside", message(0, "the pool timed out", turn="t0"), *_chatter(1, 9))
    world.add(
        "about",
        message(0, "why does the pool run out?", turn="t0"),
        message(1, "a timeout of the pool leaks its connections", kind="assistant", turn="t0"),
        message(2, "the pool timed out", turn="t2"),
        *_chatter(3, 7),
    )
    for number in range(20):
        world.add(f"other{number}", *_chatter(0, 10))
    first = passages(world, "the pool timed out")[0]
    assert first.session == "s:about"
    assert {each.of for each in explanation(first).terms} >= {
        *("term", "session", "question", "question_session", "phrase")
    }


def test_a_date_in_the_question_prefers_what_was_said_then() -> None:
    world = World()
    for number in range(12):
        at = T0 + 30 * number * DAY  # T0 is 14 November 2023
        world.add(f"n{number:02}", message(0, "the release is out", at=at), start=at)
    assert found(world, "what was released?")[0][0] == "s:n11"  # of equals the later one
    first = passages(world, "what was released in March 2024?")[0]
    assert first.session == "s:n04"  # 13 March 2024
    (dated,) = [each for each in explanation(first).terms if each.of == "date"]
    assert (dated.term, dated.tf, dated.df) == ("march 2024", 1.0, 1)


def test_nearly_the_same_output_takes_one_place() -> None:
    world = World()
    lines = [f"line {number} of the deploy log is fine" for number in range(40)]
    for number in range(6):
        text = "\n".join([*lines, f"finished as {number}"])
        world.add(f"n{number}", message(0, text, kind="tool_result"))
    world.add("said", message(0, "the deploy log is fine", kind="assistant"))
    assert len(found(world, "is the deploy log fine?")) == 2
    assert len(world.recall().recall(RecallRequest(terms=("deploy log",))).passages) == 7


def test_the_parts_that_are_explained_add_up_to_the_score(haystack: World) -> None:
    for passage in passages(haystack, "the zeppelin, the cache and the timetable in November 2023"):
        why = explanation(passage)
        assert passage.score == pytest.approx(
            fsum([*(each.score for each in why.terms), why.support])
        )
        assert why.corpus_sessions == 2_000


def test_one_term_without_a_question_is_scored_by_bm25_alone(haystack: World) -> None:
    answer = haystack.recall().recall(RecallRequest(terms=("timetable",), explain=True))
    for passage in answer.passages:
        why = explanation(passage)
        assert {each.of for each in why.terms} == {"term"}
        assert (why.support, why.corpus_sessions) == (0.0, 0)
        assert passage.score == pytest.approx(fsum(each.score for each in why.terms))


@pytest.mark.parametrize("kind", ["user", "tool_result"])
def test_two_terms_on_one_line_come_before_two_that_stand_apart(kind: MessageKind) -> None:
    world = World()
    for number in range(30):
        world.add(f"cache{number}", message(0, "some cache, and what fills it"), *_chatter(1, 9))
        world.add(f"pool{number}", message(0, "some pool, and what drains it"), *_chatter(1, 9))
    apart = f"a cache {'and so on ' * 5} a pool"
    world.add("apart", message(0, apart), *_chatter(1, 3))
    log = "\n".join(f"{number} ok" for number in range(40))
    line = "the cache was refused by the pool (code 17)"
    world.add("line", message(0, f"{log}\n{line}\n{log}", kind=kind), *_chatter(1, 3))
    answer = world.recall().recall(RecallRequest(terms=("pool", "cache"), explain=True))
    first, second = answer.passages[:2]
    assert (first.session, second.session) == ("s:line", "s:apart")
    why = explanation(first)
    (together,) = [each for each in why.terms if each.of == "together"]
    assert (together.term, together.df) == ("pool + cache", 1)
    assert first.score == pytest.approx(fsum(each.score for each in why.terms))


def test_with_a_question_its_own_words_are_looked_at_together_and_not_the_terms(
    haystack: World,
) -> None:
    (first, *_) = passages(haystack, "is the cache of the timetable stale?", "cache", "timetable")
    parts = {each.of for each in explanation(first).terms}
    assert "phrase" in parts
    assert "together" not in parts


def _chatter(first: int, count: int) -> list[Message]:
    return [
        message(place, f"something else, number {place}", turn=f"t{place}")
        for place in range(first, first + count)
    ]
