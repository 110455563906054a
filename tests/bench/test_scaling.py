import json
from pathlib import Path

import pytest

from recense.bench import scaling
from recense.bench.children import PYTHON, Children
from recense.bench.requests import ScaleRequest
from recense.bench.results import BenchResult, Row
from recense.bench.scaling import run_scale
from recense.bench.short_messages import SESSION_MESSAGES, make_short_messages, messages_at

BYTES_HELD = 200_000_000


@pytest.fixture(scope="module")
def result() -> BenchResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scaling, "PROCESSES", 1)
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # compiled once, not in each run
        return run_scale(ScaleRequest(scale=0.0002), lambda _: None)


def by_name(result: BenchResult) -> dict[str, Row]:
    return {row.name: row for row in result.rows}


def children_in(folder: Path, environment: dict[str, str]) -> Children:
    place = str(folder)
    return Children(f"sqlite://{place}/recense.db", place, f"{place}/compiled", environment)


def test_what_grows_tenfold_stands_beside_what_it_was(result: BenchResult) -> None:
    rows = by_name(result)
    for name in (
        "selective",
        "no_match",
        "half_corpus",
        "store_mb",
        "import_peak_rss_mb",
        "answer_peak_rss_mb",
    ):
        small, large = rows[f"{name}_1x"], rows[f"{name}_10x"]
        assert (small.ratio, large.baseline) == (None, f"{name}_1x")
        assert large.ratio == pytest.approx(large.value / small.value)
    assert rows["source_mb_10x"].value > rows["source_mb_1x"].value


def test_short_messages_are_measured_too(result: BenchResult) -> None:
    rows = by_name(result)
    assert rows["messages_1m.messages"].value == 200
    for name in ("index_peak_rss_mb", "selective", "first_answer_ms", "answer_peak_rss_mb"):
        assert rows[f"messages_1m.{name}"].value > 0
    assert rows["messages_1m.index_s"].unit == "s"


def test_what_was_kept_was_compared_before_a_figure_was_given(result: BenchResult) -> None:
    assert {
        "every session holds all the messages that were written, and no others",
        "a needle is found in the one message that holds it",
        "a fresh process finds a needle in the one message that holds it",
    } <= set(result.asserted)


def test_short_messages_are_those_of_the_seed_and_each_needle_stands_once(tmp_path: Path) -> None:
    contents: list[dict[str, bytes]] = []
    for name in ("one", "same"):
        folder = tmp_path / name
        folder.mkdir()
        corpus = make_short_messages(str(folder), seed=3, messages=SESSION_MESSAGES + 5)
        contents.append({path.name: path.read_bytes() for path in folder.iterdir()})
        assert list(corpus.messages.values()) == [SESSION_MESSAGES, 5]
        assert corpus.bytes == sum(map(len, contents[-1].values()))
        for needle in (*corpus.needles, *corpus.han_needles):
            counts = [content.count(needle.encode()) for content in contents[-1].values()]
            assert sum(counts) == 1
    assert contents[0] == contents[1]
    assert (messages_at(1), messages_at(0.01), messages_at(1e-9)) == (1_000_000, 10_000, 1)


def test_the_peak_of_a_child_is_its_own_and_not_its_parents(tmp_path: Path) -> None:
    held = bytearray(BYTES_HELD)  # what a child would begin with, were it handed down
    watched = children_in(tmp_path, {}).watched("--version")
    assert watched.out.startswith(b"recense ")
    assert watched.peak_bytes < BYTES_HELD == len(held)


def test_no_setting_of_the_machine_reaches_a_child(tmp_path: Path) -> None:
    environment = {"RECENSE_INCOGNITO": "on", "RECENSE_STORE": "elsewhere", "KEPT": "yes"}
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    ran = children_in(tmp_path, environment).run([PYTHON, "-c", code])
    seen = json.loads(ran.out)
    assert seen["RECENSE_STORE"] == f"sqlite://{tmp_path}/recense.db"
    assert seen["HOME"] == str(tmp_path)
    assert seen["KEPT"] == "yes"
    assert "RECENSE_INCOGNITO" not in seen


def test_a_child_that_fails_ends_the_benchmark(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="ended with 3"):
        children_in(tmp_path, {}).run([PYTHON, "-c", "raise SystemExit(3)"])
