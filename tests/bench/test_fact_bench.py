"""The benchmark of facts, at a size at which only its rows and what it asserts are looked at."""

import random
from typing import Self

import pytest

from recense.bench import fact_peers, facts
from recense.bench.fact_corpus import corrections, made_facts, notes
from recense.bench.fact_peer import LANGGRAPH, MEM0, MODULES, PeerAnswer, PeerFact
from recense.bench.facts import run_facts
from recense.bench.requests import FactsRequest
from recense.bench.results import BenchResult, Row
from recense.bench.stub_embedder import DIMENSIONS, embedded, stub_embedder


@pytest.fixture(scope="module")
def result() -> BenchResult:
    with pytest.MonkeyPatch.context() as patch:
        for name, small in {"REMEMBERED": 4, "READ": 2, "SEARCHED": 2, "FOLDS": 1}.items():
            patch.setattr(facts, name, small)
        patch.setattr(facts, "FOLDED_EVENTS", 50)
        return run_facts(FactsRequest(facts=40), lambda _: None)


def by_name(result: BenchResult) -> dict[str, Row]:
    return {row.name: row for row in result.rows}


def test_facts_are_measured_by_the_rows_that_scripts_rely_on(result: BenchResult) -> None:
    rows = by_name(result)
    for name in (
        "remember_per_s",
        "bulk_per_s",
        "bulk_per_s.at_4",
        "bulk_per_s.in_all",
        "cached_read_us",
        "uncached_read_us",
        "fold_10k_ms",
        "search_100k_ms",
        "remember_per_s.at_4",
        "uncached_read_us.at_40",
        "search_ms.at_40",
        "notes.remember_per_s",
        "notes.first_page_ms",
        "store_mb",
    ):
        assert rows[name].value > 0


def test_what_was_asserted_is_said(result: BenchResult) -> None:
    assert "what was remembered is read back" in result.asserted
    assert "a search for a sentence finds what it says" in result.asserted


def test_each_peer_is_measured_or_said_to_be_missing(result: BenchResult) -> None:
    rows = by_name(result)
    for peer in (LANGGRAPH, MEM0):
        is_there = rows[f"{peer}.is_installed"].value == 1
        assert (f"{peer}.search_ms" in rows) == is_there


class _RunningPeer:
    def __init__(self) -> None:
        self.did: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def do(self, work: str, given: list[PeerFact]) -> PeerAnswer:
        self.did.append(work)
        return PeerAnswer(seconds=tuple(0.5 for _ in given), right=len(given))


def _running_peer(_name: str, _folder: str, _embedder: str) -> _RunningPeer:
    return _RunningPeer()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure little."""
    for name, small in {"REMEMBERED": 4, "READ": 2, "SEARCHED": 2, "FOLDS": 1}.items():
        monkeypatch.setattr(facts, name, small)
    monkeypatch.setattr(facts, "FOLDED_EVENTS", 20)


@pytest.mark.usefixtures("few")
def test_a_peer_that_ends_at_once_is_said_not_to_run_and_all_else_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(facts, "is_installed", MODULES.__contains__)
    monkeypatch.setattr(fact_peers, "PROGRAM", ("-c", "raise SystemExit(1)"))
    rows = by_name(run_facts(FactsRequest(facts=20), lambda _: None))
    assert [rows[f"{peer}.is_running"].value for peer in (LANGGRAPH, MEM0)] == [0, 0]
    assert f"{MEM0}.remember_per_s" not in rows
    assert rows["notes.first_page_ms"].value > 0


@pytest.mark.usefixtures("few")
def test_a_peer_that_is_there_stands_beside_the_smallest_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(facts, "is_installed", MODULES.__contains__)
    monkeypatch.setattr(facts, "running_peer", _running_peer)
    rows = by_name(run_facts(FactsRequest(facts=20), lambda _: None))
    beside = rows[f"{MEM0}.remember_per_s"]
    assert beside.value == 2
    assert beside.baseline == "remember_per_s.at_1"
    assert beside.ratio == 2 / rows["remember_per_s.at_1"].value


def test_one_seed_makes_one_corpus_in_any_pieces() -> None:
    whole = made_facts(7, 60)
    assert whole == [*made_facts(7, 25), *made_facts(7, 35, 25)]
    assert whole != made_facts(8, 60)
    pairs = {(each.subject, each.predicate) for each in whole}
    assert len(pairs) < len(whole)


def test_corrections_and_notes_are_all_different() -> None:
    assert len({each.value for each in corrections("x", 30)}) == 30
    assert len({each.value for each in notes("x", 5, 30)}) == 30


def test_the_stub_embeds_words_alone() -> None:
    dice = random.Random(7)
    words = [f"word{dice.randrange(99)}" for _ in range(6)]
    assert embedded(" ".join(words)) == embedded("  ".join(words).upper())
    assert len(embedded("")) == DIMENSIONS
    with stub_embedder() as address:
        assert address.startswith("http://127.0.0.1:")
