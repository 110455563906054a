from pathlib import Path

import pytest

from recense.bench.asking import documents, memory_at, ranking, write_case
from recense.bench.locomo import read_locomo
from recense.bench.material import Question, RetrievalCase, Said, SetSession
from recense.bench.measuring import Assertions
from recense.bench.memdaily import read_memdaily
from recense.bench.quality import Answered, rows_of, run_quality
from recense.bench.requests import QualityRequest
from recense.bench.results import BenchResult, Row
from recense.errors import SourceUnreadable
from recense.operations.admin import Progress
from tests.bench.invented_sets import write_sets

METRICS = ("hit@1", "hit@5", "hit@10", "mrr", "recall@5")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_sets(tmp_path_factory.mktemp("data")))


@pytest.fixture(scope="module")
def result(data: str) -> BenchResult:
    return run_quality(QualityRequest(data=data), lambda _: None)


def values(result: BenchResult) -> dict[str, float]:
    return {row.name: row.value for row in result.rows}


def test_every_row_that_scripts_rely_on_is_there(result: BenchResult) -> None:
    names = values(result).keys()
    for set_name in ("locomo", "memdaily"):
        for metric in METRICS:
            assert {f"{set_name}.{metric}", f"baseline.{set_name}.{metric}"} <= names
    assert "baseline.word_bm25_plain.locomo.mrr" in names
    assert len(names) == len(result.rows)


def test_what_stands_in_the_sets_is_found(result: BenchResult) -> None:
    found = values(result)
    assert found["locomo.questions"] == 9
    assert found["locomo.hit@1"] == 100
    assert found["locomo.mrr"] == 1
    # The plum's evidence is in both sessions, and only one of them speaks of a plum.
    assert found["locomo.recall@5"] == pytest.approx(100 * (1 + 1 + 1 / 2) / 3)
    assert found["memdaily.questions"] == 3
    assert found["memdaily.hit@1"] == found["memdaily.recall@5"] == 100


def test_a_half_asks_its_own_cases_and_both_halves_are_all(data: str) -> None:
    asked = {
        half: values(run_quality(QualityRequest(data=data, half=half), lambda _: None))
        for half in ("dev", "test")
    }
    assert [asked[half]["locomo.questions"] for half in ("dev", "test")] == [6, 3]
    assert [asked[half]["memdaily.questions"] for half in ("dev", "test")] == [2, 1]


def test_no_figure_depends_on_the_seed(data: str, result: BenchResult) -> None:
    other = run_quality(QualityRequest(data=data, seed=8), lambda _: None)
    assert values(other) == pytest.approx(values(result))


def test_a_row_stands_beside_its_main_baseline_question_by_question(result: BenchResult) -> None:
    for row in result.rows:
        set_name, _, metric = row.name.partition(".")
        if set_name == "baseline" or metric == "questions":
            assert (row.baseline, row.paired) == (None, None)
            continue
        assert row.baseline == {"locomo": "word_bm25_stemmed"}.get(
            set_name, "character_bigram_bm25"
        )
        assert row.paired is not None
        count = row.paired.won + row.paired.lost + row.paired.equal
        assert count == values(result)[f"{set_name}.questions"]
        beside = values(result)[f"baseline.{row.name}"]
        assert row.value - beside == pytest.approx(row.paired.difference)
        assert row.ratio == pytest.approx(row.value / beside)


def test_rows_are_worked_out_by_hand() -> None:
    others = {"word_bm25_plain": (), "character_bigram_bm25": ()}
    answered = [
        Answered(
            right=frozenset({"a"}),
            rankings={"recall": ("b", "a"), "word_bm25_stemmed": ("a",), **others},
        ),
        Answered(
            right=frozenset({"a", "c"}),
            rankings={"recall": ("c", "b"), "word_bm25_stemmed": ("b", "d"), **others},
        ),
    ]
    rows: dict[str, Row] = {row.name: row for row in rows_of("locomo", answered)}
    assert rows["locomo.hit@1"].value == 50
    assert rows["locomo.hit@5"].value == 100
    assert rows["locomo.mrr"].value == 0.75
    assert rows["locomo.recall@5"].value == 75
    assert rows["baseline.locomo.mrr"].value == 0.5
    assert rows["baseline.word_bm25_plain.locomo.mrr"].value == 0
    paired = rows["locomo.mrr"].paired
    assert paired is not None
    assert (paired.won, paired.lost, paired.equal) == (1, 1, 0)


def test_nothing_of_a_set_stands_in_the_result(result: BenchResult) -> None:
    shown = repr(result)
    for word in ("plum", "kite", "Ilka", "talk-1", "风筝"):
        assert word not in shown


def test_progress_counts_the_questions_of_each_set(data: str) -> None:
    reports: list[Progress] = []
    run_quality(QualityRequest(data=data, sets=("memdaily",)), reports.append)
    assert [(each.done, each.total, each.unit) for each in reports] == [
        (1, 3, "questions"),
        (2, 3, "questions"),
        (3, 3, "questions"),
    ]


def test_sets_that_are_absent_are_an_error_that_says_where_they_were_looked_for(
    tmp_path: Path,
) -> None:
    with pytest.raises(SourceUnreadable, match="retrieval"):
        run_quality(QualityRequest(data=str(tmp_path)), lambda _: None)


def test_a_half_without_a_case_is_no_result(tmp_path: Path) -> None:
    data = str(write_sets(tmp_path, conversations=1, trajectories=1))
    with pytest.raises(AssertionError, match="has cases in half 'test'"):
        run_quality(QualityRequest(data=data, half="test"), lambda _: None)


def test_what_is_indexed_is_what_is_kept(data: str) -> None:
    case = read_locomo(f"{data}/retrieval").cases[0]
    whole = documents(case, "sessions")
    assert list(whole) == ["session_1", "session_2"]
    assert whole["session_1"].splitlines() == [said.text for said in case.sessions[0].said]
    messages = documents(read_memdaily(f"{data}/retrieval").cases[0], "messages")
    assert list(messages) == ["0", "1", "2", "3"]


def test_each_message_of_a_set_of_messages_can_be_named_by_an_answer(
    data: str, tmp_path: Path
) -> None:
    case = read_memdaily(f"{data}/retrieval").cases[0]
    with memory_at("memory:", str(tmp_path)) as memory:
        places = write_case(memory, case, Assertions())
        for said in case.sessions[0].said:
            assert ranking(memory, said.text, "messages", places)[0] == said.place


def test_a_message_that_does_not_arrive_as_it_is_stops_the_benchmark(tmp_path: Path) -> None:
    said = Said(place="1", role="user", text="the key is " + "ghp_" + "a1B2" * 9)
    session = SetSession(place="s", at=("2024-01-01T00:00:00Z",), said=(said,))
    asked = Question(text="which key?", right=frozenset({"s"}))
    case = RetrievalCase(name="case", sessions=(session,), questions=(asked,))
    with (
        memory_at("memory:", str(tmp_path)) as memory,
        pytest.raises(AssertionError, match="every message of the set arrived"),
    ):
        write_case(memory, case, Assertions())
