"""What is kept between reads is what reading again would give."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.instants import text_from_instant
from recense.limits import FOLDED_PAIR_KEPT_MS_MAX, FOLDED_PAIRS_KEPT_MAX
from recense.operations.facts import (
    Beliefs,
    EvidenceRequest,
    ForgetFact,
    GetFacts,
    RememberFact,
)
from recense.services.fact_collections import EPISODES
from tests.services.watched_facts import FactWorld

MIRA = GetFacts(subject="mira", predicate="lives_in")


@pytest.fixture
def world() -> FactWorld:
    made = FactWorld()
    made.writing.remember_fact(lives_in("Bergen"))
    return made


def lives_in(place: str, subject: str = "Mira", observed_at: str | None = None) -> RememberFact:
    return RememberFact(subject=subject, predicate="lives_in", value=place, observed_at=observed_at)


def values(beliefs: Beliefs) -> list[object]:
    return [belief.value for belief in beliefs.beliefs]


def is_kept(world: FactWorld, request: GetFacts = MIRA) -> bool:
    before = world.store.listings
    world.facts.get(request)
    return world.store.listings == before


def test_a_second_read_lists_nothing_and_answers_the_same(world: FactWorld) -> None:
    first = world.facts.get(MIRA)
    assert is_kept(world)
    assert world.facts.get(MIRA) == first


def test_a_kept_answer_says_the_instant_at_which_it_is_given(world: FactWorld) -> None:
    world.facts.get(MIRA)
    world.clock.advance(1_500)
    assert world.facts.get(MIRA).as_of == text_from_instant(world.clock.now())


def test_an_answer_after_the_clock_stepped_back_is_not_before_what_it_is_made_of(
    world: FactWorld,
) -> None:
    said = world.facts.get(MIRA)
    world.clock.jump(0)
    assert world.facts.get(MIRA) == said


def test_a_write_of_anybody_ends_what_is_kept(world: FactWorld) -> None:
    world.facts.get(MIRA)
    world.writing.remember_fact(lives_in("Lund", subject="Tove"))
    assert not is_kept(world)


def test_a_write_of_ones_own_ends_what_is_kept_though_no_watermark_moves(world: FactWorld) -> None:
    world.store.forgets = True
    world.facts.get(MIRA)
    world.writing.remember_fact(lives_in("Oslo"))
    assert values(world.facts.get(MIRA)) == ["Bergen"]
    world.facts.forget_kept()
    assert values(world.facts.get(MIRA)) == ["Oslo"]


def test_nothing_is_kept_for_longer_than_its_time(world: FactWorld) -> None:
    world.facts.get(MIRA)
    world.clock.advance(FOLDED_PAIR_KEPT_MS_MAX - 1)
    assert is_kept(world)
    world.clock.advance(1)
    assert not is_kept(world)
    assert is_kept(world)


def test_words_that_were_erased_are_not_shown_from_what_is_kept(world: FactWorld) -> None:
    said = RememberFact(
        subject="Mira",
        predicate="lives_in",
        value="Oslo",
        evidence=(EvidenceRequest(excerpt="I moved to Oslo"),),
    )
    world.writing.remember_fact(said)
    assert world.facts.get(MIRA).beliefs[0].evidence[0].excerpt == "I moved to Oslo"
    assert is_kept(world)
    world.store.delete(EPISODES, [key for name, key in world.kept() if name == EPISODES])
    assert world.facts.get(MIRA).beliefs[0].evidence[0].excerpt is None


def test_an_instant_is_served_from_what_is_kept_only_when_it_is_not_before_it(
    world: FactWorld,
) -> None:
    world.facts.get(MIRA)
    now = world.clock.now()
    later = GetFacts(subject="mira", predicate="lives_in", as_of=text_from_instant(now + 1))
    earlier = GetFacts(subject="mira", predicate="lives_in", as_of=text_from_instant(now - 9))
    assert is_kept(world, later)
    assert world.facts.get(later).as_of == text_from_instant(now + 1)
    assert not is_kept(world, earlier)
    assert not is_kept(world, earlier)


def test_an_instant_before_a_statement_ahead_of_the_clock_is_read(world: FactWorld) -> None:
    now = world.clock.now()
    world.writing.remember_fact(lives_in("Oslo", observed_at=text_from_instant(now + 50_000_000)))
    between = GetFacts(subject="mira", predicate="lives_in", as_of=text_from_instant(now + 9))
    assert values(world.facts.get(MIRA)) == ["Oslo"]
    assert values(world.facts.get(between)) == ["Bergen"]


def test_an_instant_before_a_statement_elsewhere_that_is_ahead_is_read(world: FactWorld) -> None:
    now = world.clock.now()
    ahead = text_from_instant(now + 50_000_000)
    world.writing.remember_fact(
        RememberFact(subject="mira", predicate="likes", value="Bergen", observed_at=ahead)
    )
    between = GetFacts(subject="mira", predicate="lives_in", as_of=text_from_instant(now + 9))
    assert world.facts.get(MIRA).beliefs[0].elsewhere
    assert not world.facts.get(between).beliefs[0].elsewhere


def test_only_the_pairs_that_were_asked_for_last_are_kept(world: FactWorld) -> None:
    others = [
        GetFacts(subject=f"other {number}", predicate="lives_in")
        for number in range(FOLDED_PAIRS_KEPT_MAX)
    ]
    world.facts.get(MIRA)
    for other in others[:-1]:
        world.facts.get(other)
    assert is_kept(world)
    world.facts.get(others[-1])
    assert is_kept(world)
    assert not is_kept(world, others[0])


def test_a_watermark_that_moves_is_waited_for_three_times(world: FactWorld) -> None:
    def reads(restless: int) -> int:
        world.facts.forget_kept()
        world.store.restless = restless
        before = world.store.listings
        assert values(world.facts.get(MIRA)) == ["Bergen"]
        world.store.restless = 0
        return world.store.listings - before

    world.facts.get(MIRA)
    once = reads(0)
    assert reads(3) == 2 * once
    assert is_kept(world)
    assert reads(1_000) == 4 * once
    assert not is_kept(world)


def test_trouble_with_watermarks_is_no_trouble_for_who_reads(world: FactWorld) -> None:
    world.facts.get(MIRA)
    world.store.fails = True
    assert values(world.facts.get(MIRA)) == ["Bergen"]
    assert not is_kept(world)
    world.store.fails = False
    world.facts.get(MIRA)
    assert is_kept(world)


def test_what_is_asked_otherwise_is_read_otherwise(world: FactWorld) -> None:
    world.facts.get(MIRA)
    assert not is_kept(world, GetFacts(subject="mira", predicate="lives_in", min_confidence=0.5))
    assert not is_kept(world, GetFacts(subject="mira", predicate="lives_in", follow_refs=True))
    assert not is_kept(world, GetFacts(subject="mira", predicate="lives_in", follow_refs=True))


_PLACES = ("Bergen", "Oslo", "bergen")
_ACTIONS = st.one_of(
    st.tuples(
        st.sampled_from(("lives_in", "likes", "dislikes")), st.sampled_from(_PLACES), st.booleans()
    ),
    st.sampled_from(("read", "read", "read likes", "wait", "forget", "back")),
)


@given(st.lists(_ACTIONS, max_size=8))
def test_what_is_kept_is_what_reading_again_would_give(
    actions: list[tuple[str, str, bool] | str],
) -> None:
    world = FactWorld()
    for action in actions:
        _act(world, action)
        for request in (MIRA, GetFacts(subject="mira", predicate="likes")):
            answer = world.facts.get(request)
            world.facts.forget_kept()
            assert world.facts.get(request) == answer


def _act(world: FactWorld, action: tuple[str, str, bool] | str) -> None:
    now = world.clock.now()
    if isinstance(action, tuple):
        predicate, place, is_ahead = action
        at = text_from_instant(now + 40_000_000) if is_ahead else None
        world.writing.remember_fact(
            RememberFact(subject="mira", predicate=predicate, value=place, observed_at=at)
        )
        return
    steps: dict[str, Callable[[], object]] = {
        "read": lambda: world.facts.get(MIRA),
        "read likes": lambda: world.facts.get(GetFacts(subject="mira", predicate="likes")),
        "wait": lambda: world.clock.advance(20_000),
        "back": lambda: world.clock.jump(now - 60_000_000),
        "forget": lambda: world.writing.forget_fact(
            ForgetFact(subject="mira", predicate="lives_in", all_values=True)
        ),
    }
    steps[action]()
