import json
from pathlib import Path

import pytest

from recense.bench.importing import APPENDS, run_import
from recense.bench.requests import ImportRequest
from recense.bench.results import BenchResult, Row
from recense.errors import SourceUnreadable


@pytest.fixture(scope="module")
def result() -> BenchResult:
    return run_import(ImportRequest(scale=0.002), lambda _: None)


def by_name(result: BenchResult) -> dict[str, Row]:
    return {row.name: row for row in result.rows}


def test_an_import_is_measured_by_the_rows_that_scripts_rely_on(result: BenchResult) -> None:
    rows = by_name(result)
    assert {
        "archive_mb_s",
        "convert_mb_s",
        "visible_mb_s",
        "store_bytes_per_byte",
        "peak_rss_mb",
    } <= rows.keys()
    assert all(row.value > 0 for row in result.rows)
    assert (rows["archive_mb_s"].baseline, rows["convert_mb_s"].baseline) == (
        "sqlite_insert",
        "read_and_decode",
    )


def test_a_ratio_is_that_of_the_same_run(result: BenchResult) -> None:
    rows = by_name(result)
    for name in ("archive_mb_s", "convert_mb_s"):
        beside = rows[f"{rows[name].baseline}_mb_s"]
        assert rows[name].ratio == pytest.approx(rows[name].value / beside.value)


def test_what_was_imported_was_compared_before_a_figure_was_given(result: BenchResult) -> None:
    assert {
        "every session holds all the messages that were written, and no others",
        "a needle is found in the one message that holds it",
        "a second import of unchanged files finds nothing new",
        "importing what was appended reads what was appended",
        "every message that was appended arrived once",
    } <= set(result.asserted)


def test_a_session_grows_a_hundred_times_and_each_byte_is_read_once(result: BenchResult) -> None:
    rows = by_name(result)
    assert len(rows["append_ms"].runs) == APPENDS == 100
    assert rows["append_read_bytes_per_byte"].value == 1


def test_real_files_are_measured_where_they_lie(tmp_path: Path) -> None:
    said = {"role": "user", "content": "the pier is closed"}
    record = {"type": "user", "sessionId": "s", "uuid": "u", "message": said}
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps(record) + "\nno json\n", encoding="utf-8")
    rows = by_name(run_import(ImportRequest(real=str(tmp_path)), lambda _: None))
    assert rows["source_mb"].value == pytest.approx(file.stat().st_size / 1e6)
    assert "append_ms" not in rows
    assert [path.name for path in tmp_path.iterdir()] == ["s.jsonl"]


def test_a_folder_of_real_files_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match="nowhere"):
        run_import(ImportRequest(real=str(tmp_path / "nowhere")), lambda _: None)


def test_a_folder_without_a_session_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="the import found messages"):
        run_import(ImportRequest(real=str(tmp_path)), lambda _: None)
