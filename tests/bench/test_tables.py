import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from msgspec.structs import replace

from recense.bench.results import BenchResult
from tests.cli import samples
from tests.cli.running import PROJECT, SECONDS_MAX

SCRIPT = PROJECT / "scripts" / "write_benchmark_tables.py"
RESULT = samples.MEASURED
FIRST = RESULT.rows[0].name
DOCUMENT = f"""# Figures
before
<!-- table small -->
old
<!-- end -->
between
<!-- table small {FIRST} -->
<!-- end -->
<!-- table other -->
kept
<!-- end -->
after
"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_benchmark_tables", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def written(script: ModuleType, document: str, results: dict[str, BenchResult]) -> str:
    text: object = script.with_tables(document, results)
    assert isinstance(text, str)
    return text


def test_a_second_run_changes_nothing(script: ModuleType) -> None:
    once = written(script, DOCUMENT, {"small": RESULT})
    assert once != DOCUMENT
    assert written(script, once, {"small": RESULT}) == once


def test_only_what_stands_between_markers_is_replaced(script: ModuleType) -> None:
    text = written(script, DOCUMENT, {"small": RESULT})
    outside = ["# Figures", "before", "between", "kept", "after"]
    assert [line for line in text.splitlines() if line in outside] == outside
    assert "old" not in text


def test_a_table_has_every_row_or_those_that_it_names(script: ModuleType) -> None:
    every, some = written(script, DOCUMENT, {"small": RESULT}).split("between")
    for row in RESULT.rows:
        assert every.count(f"| `{row.name}` |") == 1
        assert some.count(f"| `{row.name}` |") == (row.name == FIRST)


def test_a_row_that_is_not_there_is_an_error(script: ModuleType) -> None:
    with pytest.raises(ValueError, match="no row"):
        written(script, DOCUMENT, {"small": replace(RESULT, rows=RESULT.rows[1:])})


def test_a_document_that_no_result_is_for_stays_as_it_is(script: ModuleType) -> None:
    assert written(script, DOCUMENT, {}) == DOCUMENT


def test_the_program_rewrites_a_document_from_a_folder(tmp_path: Path) -> None:
    document = tmp_path / "figures.md"
    document.write_text(DOCUMENT, encoding="utf-8")
    (tmp_path / "small.json").write_bytes(msgspec.json.encode(RESULT))
    line = [sys.executable, str(SCRIPT), str(tmp_path), str(document)]
    texts: list[str] = []
    for _ in range(2):
        subprocess.run(line, check=True, timeout=SECONDS_MAX)
        texts.append(document.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert f"| `{FIRST}` |" in texts[0]


def test_every_table_of_the_document_is_of_a_benchmark(script: ModuleType) -> None:
    text = (PROJECT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    names = [found["name"].partition("-")[0] for found in script.TABLE.finditer(text)]
    benches = "quality import recall cold scale needles facts agents extract serve".split()
    assert set(names) == set(benches)
    assert text.count("<!-- end -->") == len(names)
