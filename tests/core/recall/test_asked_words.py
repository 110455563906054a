"""What the text of a hit holds of the words of a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.asked_words import AskedWord, hit_words, question_words
from recense.core.recall.stems import word_form
from recense.core.text.fold import fold
from recense.core.text.words import words
from recense.limits import RERANK_CODE_POINTS_MAX


def asked(*words_asked: str) -> tuple[AskedWord, ...]:
    return tuple(AskedWord(spelled=word, form=word_form(word)) for word in words_asked)


def test_a_questions_words_are_whole_and_no_stop_words() -> None:
    found = question_words("How did Maria's Pools fill up, the POOL?")
    assert [(word.spelled, word.form) for word in found] == [
        ("maria's", "maria"),
        ("pools", "pool"),
        ("fill", "fill"),
    ]
    assert [(word.spelled, word.weight) for word in question_words("我们的数据库")] == [
        ("数据", 0.75),
        ("据库", 0.75),
    ]


def test_whole_words_count_in_any_form() -> None:
    counted = hit_words("spooling; Maria pools the pool, pool.".casefold(), asked("pool", "fill"))
    assert counted.frequencies == (3, 0)
    assert counted.sketch == frozenset()


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("the board game", (1,)),
        ("a board for the game", (1,)),
        ("a board for all of these games", (0,)),
        ("game board", (0,)),
        ("game board, board: game", (1,)),
    ],
)
def test_neighbours_of_the_question_stand_together_within_three_words(
    text: str, together: tuple[int, ...]
) -> None:
    assert hit_words(text, asked("board", "game")).together == together


@pytest.mark.parametrize(
    ("question", "text", "frequencies"),
    [
        ("数据库", "把数据放到数据库", (2, 1)),
        ("数据 165cm", "数据是165cm的", (1, 1)),
        ("config.yaml", "see config.yaml, not config.yamls or myconfig.yaml", (1,)),
        ("families study", "his family; studied", (1, 1)),
        ("x1 café", "x1, x12, café and cafés", (1, 1)),
        ("月 日", "5月6日, 月份", (1, 1)),
        ("哈哈哈", "哈哈哈哈", (3,)),
    ],
)
def test_a_word_is_found_between_what_is_no_part_of_it(
    question: str, text: str, frequencies: tuple[int, ...]
) -> None:
    assert hit_words(text, question_words(question)).frequencies == frequencies


def test_pairs_stand_together_as_near_as_words_do() -> None:
    pairs = question_words("缓存 迁移")
    assert hit_words("缓存的，迁移", pairs).together == (1,)
    assert hit_words("缓存不是为了迁移", pairs).together == (0,)


def test_of_a_long_text_the_beginning_is_read() -> None:
    text = "pool " + "x " * RERANK_CODE_POINTS_MAX + "pool"
    assert hit_words(text, asked("pool")).frequencies == (1,)


@given(
    st.lists(
        st.sampled_from(
            ["pool", "pools", "Pooled", "spool", "filling", "fill", "库", "数据库", "-"]
        ),
        max_size=12,
    ),
    st.sampled_from([" ", "\n", ", "]),
)
def test_words_are_counted_as_if_the_text_were_cut(pieces: list[str], between: str) -> None:
    text = fold(between.join(pieces))
    forms = [word_form(word) for word in words(text)]
    asked_words = question_words("pool filled 数据库")
    assert hit_words(text, asked_words).frequencies == tuple(
        forms.count(word.form) for word in asked_words
    )
