"""Which hits repeat one that ranks before them."""

from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.repeats import SKETCH_MAX, RepeatCandidate, kept, sketch

LONG = [f"word{number}" for number in range(200)]


def candidate(
    words: list[str],
    *,
    by_person: bool = False,
    holds: frozenset[int] = frozenset(),
    length: int = 1_000,
) -> RepeatCandidate:
    return RepeatCandidate(by_person=by_person, length=length, sketch=sketch(words), holds=holds)


def changed(words: list[str], place: int) -> list[str]:
    return [*words[:place], "another", *words[place + 1 :]]


def test_of_texts_that_say_nearly_the_same_the_first_stays() -> None:
    assert kept([candidate(LONG), candidate(changed(LONG, 90))]) == [True, False]
    assert kept([candidate(LONG), candidate(["sure", *LONG, "done"])]) == [True, False]
    assert kept([candidate(LONG), candidate(LONG[:100])]) == [True, True]


def test_one_other_word_of_a_short_text_is_another_text() -> None:
    short = LONG[:12]
    assert kept([candidate(short), candidate(short)]) == [True, False]
    assert kept([candidate(short), candidate(changed(short, 6))]) == [True, True]


def test_one_that_goes_on_is_another_text() -> None:
    assert kept([candidate(LONG), candidate(LONG, length=900)]) == [True, False]
    assert kept([candidate(LONG), candidate(LONG, length=2_000)]) == [True, True]


def test_few_words_repeat_nothing() -> None:
    assert kept([candidate(LONG[:7])] * 3) == [True, True, True]


def test_what_a_person_said_stays_and_is_repeated_by_others() -> None:
    said = candidate(LONG, by_person=True)
    assert kept([said, said, candidate(LONG)]) == [True, True, False]


def test_what_holds_a_word_that_the_better_one_lacks_stays() -> None:
    first = candidate(LONG, holds=frozenset({0}))
    other = candidate(changed(LONG, 90), holds=frozenset({0, 1}))
    assert kept([first, other]) == [True, True]
    assert kept([other, first]) == [True, False]


def edited(size: int, without: frozenset[int], more: frozenset[int]) -> frozenset[int]:
    return frozenset(range(size)) - without | more


SKETCHES = st.builds(
    edited,
    st.sampled_from([0, 1, 2, 7, 13, 14, 20, 40, SKETCH_MAX]),
    st.frozensets(st.integers(0, SKETCH_MAX), max_size=9),
    st.frozensets(st.integers(100, 110), max_size=9),
)


@given(st.lists(SKETCHES, max_size=12))
def test_what_stays_is_as_if_each_were_compared_with_each(sketches: list[frozenset[int]]) -> None:
    ranked = [
        RepeatCandidate(by_person=False, length=100, sketch=each, holds=frozenset())
        for each in sketches
    ]
    stays = list[frozenset[int]]()
    expected = list[bool]()
    for each in sketches:
        is_repeat = any(each and len(each & one) >= 0.85 * len(each | one) for one in stays)
        expected.append(not is_repeat)
        if not is_repeat:
            stays.append(each)
    assert kept(ranked) == expected


@given(st.lists(st.sampled_from("abcdef"), max_size=80))
def test_a_sketch_is_of_the_words_and_bounded(words: list[str]) -> None:
    assert sketch(words) == sketch(list(words))
    assert len(sketch(words)) <= SKETCH_MAX
    assert bool(sketch(words)) == (len(words) >= 8)


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=12), max_size=8))
def test_the_first_of_all_stays_and_nothing_goes_without_one_like_it(
    texts: list[list[str]],
) -> None:
    candidates = [candidate(words) for words in texts]
    stays = kept(candidates)
    assert all(stays[:1])
    for place, is_kept in enumerate(stays):
        assert is_kept or any(
            earlier.sketch & candidates[place].sketch
            for earlier, was_kept in zip(candidates[:place], stays[:place], strict=True)
            if was_kept
        )
