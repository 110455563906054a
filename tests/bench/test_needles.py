import random
from collections import Counter
from pathlib import Path

import pytest

from recense.bench import needles
from recense.bench.corpus import Hidden, make_corpus
from recense.bench.needle_facts import CHINESE, COMMON, ENGLISH, FORMS, make_facts
from recense.bench.needles import FACTS, run_needles
from recense.bench.requests import NeedlesRequest
from recense.bench.results import BenchResult, Row
from recense.core.text.redact import redact


@pytest.fixture(scope="module")
def result() -> BenchResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(needles, "FACTS_PER_SESSION", 5)
        patch.setattr(needles, "COMMON_MESSAGES_MIN", 1)
        return run_needles(NeedlesRequest(scale=0.002), lambda _: None)


def by_name(result: BenchResult) -> dict[str, Row]:
    return {row.name: row for row in result.rows}


def test_every_way_to_ask_stands_beside_word_ranking(result: BenchResult) -> None:
    rows = by_name(result)
    assert rows["needles.facts"].value == 20
    for way in ("rare", "common", "reworded"):
        ours, theirs = rows[f"needles.{way}.hit@1"], rows[f"baseline.needles.{way}.hit@1"]
        assert ours.baseline == "word_bm25"
        assert ours.paired is not None
        assert ours.paired.difference == pytest.approx(ours.value - theirs.value)


def test_a_fact_comes_first_for_its_rare_word(result: BenchResult) -> None:
    rows = by_name(result)
    assert rows["needles.rare.hit@1"].value >= 99
    assert {f"needles.rare.{sort}.hit@1" for sort in FORMS} <= rows.keys()


def test_what_was_hidden_was_looked_for_before_anything_was_asked(result: BenchResult) -> None:
    assert {
        "a fact stands in its message with both of its common words",
        "every fact arrived, and its rare word is in no other message",
    } <= set(result.asserted)


def test_facts_are_those_of_the_seed_and_no_two_share_their_words() -> None:
    facts = make_facts(FACTS, random.Random(5))
    assert facts == make_facts(FACTS, random.Random(5))
    assert len({frozenset(fact.common) for fact in facts}) == FACTS
    assert len({fact.rare for fact in facts}) == FACTS
    assert set(Counter(fact.sort for fact in facts).values()) <= {FACTS // 6, FACTS // 6 + 1}


def test_a_question_in_other_words_holds_none_of_the_facts_own() -> None:
    for fact in make_facts(FACTS, random.Random(5)):
        text = fact.hidden.text
        assert fact.rare in text
        assert all(word in text and word not in fact.question for word in fact.common)
        assert redact(f"{text}\n{fact.question}").text == f"{text}\n{fact.question}"


def test_common_words_are_told_apart() -> None:
    for word in COMMON:
        assert [other for other in COMMON if word in other] == [word]
        assert not any(word in said for said in (*ENGLISH.values(), *CHINESE.values()))


@pytest.mark.parametrize("by", ["user", "assistant", "tool"])
def test_what_is_hidden_stands_once_in_a_corpus(by: str, tmp_path: Path) -> None:
    hidden = [Hidden(by="user", text="hidden-1"), Hidden(by=by, text="hidden-2")]  # type: ignore[arg-type]
    guests = [f"guest{number}" for number in range(100)]
    corpus = make_corpus(str(tmp_path), seed=1, sessions=3, guests=guests, hidden=hidden)
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    counts = content.count(b"hidden-1"), content.count(b"hidden-2")
    assert counts == (1, 2 if by == "tool" else 1)  # a result is written twice
    has_guests = b" guest" in content
    assert has_guests
    assert len(corpus.messages) == 3


def test_fewer_sessions_of_the_same_size_have_more_turns_each(tmp_path: Path) -> None:
    sizes: list[int] = []
    for name, sessions, times in (("many", 40, 1), ("few", 4, 10)):
        folder = tmp_path / name
        folder.mkdir()
        corpus = make_corpus(str(folder), seed=1, sessions=sessions, times=times)
        assert len(corpus.messages) == sessions
        sizes.append(sum(corpus.messages.values()))
    assert 0.5 < sizes[0] / sizes[1] < 2
