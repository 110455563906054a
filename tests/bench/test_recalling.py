import random
import shutil
from pathlib import Path

import pytest

from recense.bench import cold, peers, recalling
from recense.bench.asking import memory_at
from recense.bench.cold import run_cold
from recense.bench.corpus import make_corpus
from recense.bench.drawing import HITS_MAX, SORTS, draw_terms, located
from recense.bench.kept import KeptMessage, kept_messages, opened
from recense.bench.measuring import row_of_percentile
from recense.bench.recalling import run_speed
from recense.bench.reference import is_ascii_stable, reference_recall
from recense.bench.requests import ColdRequest, SpeedRequest
from recense.bench.results import BenchResult, Row
from recense.core.text.fold import fold
from recense.operations.recall import RecallRequest


def by_name(result: BenchResult) -> dict[str, Row]:
    return {row.name: row for row in result.rows}


@pytest.fixture(scope="module")
def result() -> BenchResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recalling, "TERMS_PER_SORT", 4)
        return run_speed(SpeedRequest(scale=0.003, sessions=3), lambda _: None)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    source = folder / "source"
    source.mkdir()
    make_corpus(str(source), seed=7, sessions=4)
    with memory_at(f"sqlite://{folder / 'recense.db'}", str(folder)) as memory:
        memory.import_sessions("claude_code", [str(source)])
    return folder / "recense.db"


@pytest.fixture(scope="module")
def kept(store: Path) -> list[KeptMessage]:
    with opened(str(store)) as source:
        return list(kept_messages(source))


def test_recall_is_measured_by_the_rows_that_scripts_rely_on(result: BenchResult) -> None:
    rows = by_name(result)
    scan = rows["full_scan"].value
    for name in (
        "selective_ascii",
        "selective_ascii.p95",
        "selective_cjk",
        "no_match",
        "half_corpus",
        "reference_method",
        "scan_cold",
    ):
        assert rows[name].unit == "ms"
        assert rows[name].baseline == "full_scan"
        assert rows[name].ratio == pytest.approx(rows[name].value / scan)


def test_every_peer_has_rows_of_its_own_and_its_misses_are_counted(result: BenchResult) -> None:
    rows = by_name(result)
    for peer in ("reference_method", "fts5_unicode61", "word_bm25"):
        for group in ("selective_ascii", "selective_cjk", "half_corpus", "no_match"):
            assert rows[f"{peer}.{group}"].unit == "ms"
    asked = rows["selective_cjk.terms"].value
    assert rows["fts5_unicode61.selective_cjk.terms_missed"].value > asked / 2
    assert ("rg.selective_ascii" in rows) == (shutil.which("rg") is not None)


def test_the_corpus_may_be_in_fewer_sessions(result: BenchResult) -> None:
    assert by_name(result)["sessions"].value == 3


def test_what_was_answered_was_compared_before_a_figure_was_given(result: BenchResult) -> None:
    assert {
        "every passage is anchored at another message that holds the term",
        "no turn that holds the term is missing, up to the limit",
        "every way to recall gives one answer, row for row and score for score",
        "the narrowed answer is that of the full scan",
        "an absent word is in no message",
    } <= set(result.asserted)


@pytest.mark.parametrize("sort", SORTS)
def test_a_drawn_term_is_of_its_sort_and_in_one_to_twenty_messages(
    sort: str, kept: list[KeptMessage]
) -> None:
    drawn = draw_terms(kept, sort, 5, random.Random(1))
    assert len({term.term for term in drawn}) == 5
    for term in drawn:
        assert SORTS[sort].fullmatch(term.term)
        holding = {each.anchor for each in kept if fold(term.term) in each.image}
        assert term.places == holding
        assert 1 <= len(holding) <= HITS_MAX
        assert 1 <= term.turns <= len(holding)
    assert drawn == draw_terms(kept, sort, 5, random.Random(1))


def test_a_corpus_without_selective_terms_gives_none() -> None:
    same = KeptMessage(session="s", turn="t", anchor="a", text="word", image="word")
    many = [
        KeptMessage(session="s", turn=f"{n}", anchor=f"{n}", text="word", image="word")
        for n in range(HITS_MAX + 1)
    ]
    assert [each.term for each in draw_terms([same], "ascii", 2, random.Random(1))] == ["word"]
    assert draw_terms(many, "ascii", 1, random.Random(1)) == []


def test_the_reference_method_reads_only_what_a_term_is_in_and_answers_the_same(
    store: Path, kept: list[KeptMessage]
) -> None:
    request = RecallRequest(terms=("needle00002q",))
    with opened(str(store)) as source, reference_recall(source, kept) as recall:
        answer = recall.recall(request)
    with memory_at(f"sqlite://{store}", str(store.parent)) as memory:
        assert memory.recall(request).passages == answer.passages
    (place,) = located("needle00002q", kept).places
    assert [passage.anchor for passage in answer.passages] == [place]


@pytest.mark.parametrize(
    ("text", "is_stable"), [("Plain", True), ("数据 x", True), ("É", False), ("ﬁ", False)]
)
def test_a_text_is_stable_when_folding_is_lowering_ascii(text: str, is_stable: bool) -> None:
    assert is_ascii_stable(text) == is_stable


def test_p95_is_a_run_that_nineteen_in_twenty_do_not_exceed() -> None:
    assert row_of_percentile("x", "ms", [*range(1, 21)], 95).value == 19
    assert row_of_percentile("x", "ms", [3.0], 95).value == 3


@pytest.mark.parametrize("program", [None, "/bin/rg"])
def test_a_folder_is_searched_by_rg_only_where_it_is_installed(
    program: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def which(name: str) -> str | None:
        return program if name == "rg" else None

    monkeypatch.setattr(peers.shutil, "which", which)
    found = peers.ripgrep("folder")
    assert (found is None) == (program is None)
    assert found is None or found.words('a"b')[-2:] == ['a\\"b', "folder"]


def test_a_fresh_process_is_measured_beside_a_bare_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setattr(cold, "RUNS", 1)
    monkeypatch.setattr(cold, "WATCHED_RUNS", 1)
    result = run_cold(ColdRequest(scale=0.001), lambda _: None)
    rows = by_name(result)
    assert rows["peak_rss_mb"].value > 5
    assert 0 < rows["python.first_answer_ms"].value < rows["first_answer_ms"].value
    beside = rows["python_apsw_msgspec.first_answer_ms"].value
    assert rows["first_answer_ms"].ratio == pytest.approx(rows["first_answer_ms"].value / beside)
    assert result.asserted == ("a fresh process finds a needle in the one message that holds it",)
