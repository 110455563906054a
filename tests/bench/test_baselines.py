import math

from hypothesis import given
from hypothesis import strategies as st

from recense.bench.baselines import (
    BASELINES,
    Baseline,
    Bm25,
    character_bigrams,
    stems,
    unicode61_words,
    words,
)

DOCUMENTS = {
    "pier": "smoked tea on the pier, and more tea",
    "storm": "a kite in the storm",
    "boat": "a green boat, painted on the pier",
}


def test_tokens_are_cut_as_their_name_says() -> None:
    assert words("Painted a boat, twice") == ["painted", "boat", "twice"]
    assert stems("We painted the boats") == ["paint", "boat"]
    assert unicode61_words("船漆成了绿色。Kite_2!") == ["船漆成了绿色", "kite", "2"]
    assert character_bigrams("熏茶。") == ["熏茶", "茶。"]


def test_the_score_that_orders_is_bm25_worked_out_by_hand() -> None:
    lengths = {place: len(words(text)) for place, text in DOCUMENTS.items()}
    assert lengths == {"pier": 8, "storm": 4, "boat": 6}

    def score(tf: int, df: int, length: int) -> float:
        idf = math.log(1 + (3 - df + 0.5) / (df + 0.5))
        return idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * length / 6))

    # "tea" stands twice in the longest document, "kite" once in the shortest.
    assert score(2, 1, 8) > score(1, 1, 4) > score(1, 1, 6)
    assert Bm25(DOCUMENTS, words).ranking("kite tea") == ["pier", "storm"]
    # "green" is rarer than "pier", which "boat" has too.
    assert score(1, 1, 6) + score(1, 2, 6) > score(1, 2, 8)
    assert Bm25(DOCUMENTS, words).ranking("green pier") == ["boat", "pier"]


def test_only_what_shares_a_token_is_ranked_and_equal_scores_keep_their_order() -> None:
    index = Bm25({"b": "kite", "a": "kite", "c": "tea"}, words)
    assert index.ranking("kite") == ["b", "a"]
    assert list(index.ranking("boat")) == []
    assert list(index.ranking("")) == []


def test_documents_without_a_token_are_an_index_that_finds_nothing() -> None:
    assert list(Bm25({"a": "", "b": "?"}, words).ranking("kite")) == []


@given(st.text(max_size=30), st.sampled_from([each for of in BASELINES.values() for each in of]))
def test_any_question_gives_a_ranking_of_places_that_are_there(
    question: str, baseline: Baseline
) -> None:
    found = Bm25(DOCUMENTS, baseline.tokens).ranking(question)
    assert len(set(found)) == len(found)
    assert set(found) <= set(DOCUMENTS)


def test_the_first_baseline_of_a_set_is_the_one_that_figures_are_compared_with() -> None:
    of = {each: tuple(b.name for b in baselines) for each, baselines in BASELINES.items()}
    assert of == {
        "locomo": ("word_bm25_stemmed", "word_bm25_plain", "character_bigram_bm25"),
        "memdaily": ("character_bigram_bm25", "unicode61_word_bm25"),
    }


def test_the_best_are_the_first_of_the_ranking() -> None:
    index = Bm25(DOCUMENTS, words)
    for question in ("green pier", "kite tea", "pier", "nowhere", ""):
        ranking = list(index.ranking(question))
        assert list(index.best(question, 1)) == ranking[:1]
        assert sorted(index.best(question, 25)) == sorted(ranking)
    assert list(Bm25({"a": ""}, words).best("kite", 2)) == []
