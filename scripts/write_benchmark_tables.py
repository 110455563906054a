"""Rewrite the tables of docs/benchmarks.md from results that benchmarks wrote with ``--json FILE``.

``python scripts/write_benchmark_tables.py FOLDER [DOCUMENT]`` takes every ``NAME.json`` in a folder
and replaces what stands in the document between ``<!-- table NAME -->`` and ``<!-- end -->``: by
default every row; ``<!-- table NAME ROW ROW -->`` by those rows alone, in that order, where ``*``
stands for anything. Words outside are left as they are, and so is a table of which there is no
result; a second run changes nothing.
"""

import re
import sys
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

import msgspec

from recense.bench.results import BenchResult, Row

DOCUMENT: Final = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
TABLE: Final = re.compile(
    r"(?P<first><!-- table (?P<name>[\w-]+)(?P<rows>[^\n]*?) -->\n).*?(?P<last><!-- end -->)",
    re.DOTALL,
)

_WHOLE: Final = frozenset(
    "questions terms sessions messages facts turns kills lives tokens".split()
)


def with_tables(document: str, results: Mapping[str, BenchResult]) -> str:
    """Return a document with each of its tables as the result of that name gives it.

    Raises ValueError where a table names a row that its result does not have.
    """

    def written(found: re.Match[str]) -> str:
        result = results.get(found["name"])
        if result is None:
            return found[0]
        return f"{found['first']}{_table(result, found['rows'].split())}{found['last']}"

    return TABLE.sub(written, document)


def read_results(folder: Path) -> dict[str, BenchResult]:
    """Return the results in a folder by the name of their file. Raises ValueError for another."""
    return {
        path.stem: msgspec.json.decode(path.read_bytes(), type=BenchResult)
        for path in sorted(folder.glob("*.json"))
    }


def _table(result: BenchResult, patterns: list[str]) -> str:
    rows = [
        f"| `{row.name}` | {_value(row)} | {_beside(row)} |"
        for row in _chosen(result, patterns or ["*"])
    ]
    about = ", ".join(f"{name} {number}" for name, number in result.versions.items())
    under = f"Seed {result.seed}, {result.machine}; {about}."
    return "\n".join(("| row | value | beside |", "|---|---|---|", *rows, "", under)) + "\n"


def _chosen(result: BenchResult, patterns: list[str]) -> list[Row]:
    chosen: dict[str, Row] = {}
    for pattern in patterns:
        matching = {row.name: row for row in result.rows if fnmatchcase(row.name, pattern)}
        if not matching:
            raise ValueError(f"the result of {result.bench} has no row {pattern!r}")
        chosen |= matching
    return list(chosen.values())


def _value(row: Row) -> str:
    error = "" if row.standard_error is None else f" ± {_number(row.standard_error, row.unit)}"
    return f"{_number(row.value, row.unit)}{error} {row.unit}".strip()


def _beside(row: Row) -> str:
    words: list[str] = []
    if row.ratio is not None:
        words.append(f"{row.ratio:.3g} × `{row.baseline}`")
    if row.paired is not None:
        pair = row.paired
        sign = "+" if pair.difference > 0 else ""
        difference = sign + _number(pair.difference, row.unit).replace("-", "−")
        error = _number(pair.standard_error, row.unit)
        words.append(f"won {pair.won}, lost {pair.lost}: {difference} ± {error}")
    return "; ".join(words)


def _number(value: float, unit: str) -> str:
    if unit in _WHOLE:
        return f"{value:,.0f}"
    if unit == "%":
        return f"{value:.1f}"
    if unit and abs(value) >= 100:  # noqa: PLR2004 -- three digits say enough
        return f"{value:,.0f}"
    return f"{value:.3f}" if not unit else f"{value:.3g}"


def main(words: list[str]) -> int:
    """Rewrite the document and return an exit code."""
    if len(words) not in {1, 2}:
        print("usage: write_benchmark_tables.py FOLDER [DOCUMENT]", file=sys.stderr)
        return 2
    document = Path(words[1]) if words[1:] else DOCUMENT
    before = document.read_text(encoding="utf-8")
    document.write_text(with_tables(before, read_results(Path(words[0]))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
