"""What all benchmarks do: assert, take medians, and name the machine and its versions."""

import math
import os
import platform
import statistics
from collections.abc import Callable, Sequence
from importlib.metadata import version
from time import perf_counter
from typing import TypeVar

import apsw

from recense.bench.results import Row

_Result = TypeVar("_Result")


class Assertions:
    """What held in a run, in the order in which it was first looked at."""

    def __init__(self) -> None:
        self._held: dict[str, None] = {}

    def hold(self, condition: bool, sentence: str, detail: str = "") -> None:  # noqa: FBT001 -- as assert
        """Note that a sentence holds; raise AssertionError where it does not.

        A benchmark that is wrong has no figures to report, and what is wrong is a bug of ours.
        """
        if not condition:
            raise AssertionError(f"it does not hold that {sentence}{detail and ': '}{detail}")
        self._held[sentence] = None

    def sentences(self) -> tuple[str, ...]:
        """Return what held, each sentence once."""
        return tuple(self._held)


def row(
    name: str,
    unit: str,
    runs: Sequence[float],
    *,
    baseline: str | None = None,
    ratio: float | None = None,
) -> Row:
    """Return the row whose value is the median of its runs."""
    return Row(
        name=name,
        unit=unit,
        value=statistics.median(runs),
        runs=tuple(runs),
        baseline=baseline,
        ratio=ratio,
    )


def row_of_percentile(name: str, unit: str, runs: Sequence[float], percent: int) -> Row:
    """Return the row of the smallest run that so many in a hundred do not exceed."""
    value = sorted(runs)[math.ceil(percent / 100 * len(runs)) - 1]
    return Row(name=name, unit=unit, value=value, runs=tuple(runs))


def machine() -> str:
    """Return what kind of machine this is, without its name: architecture, system and cores."""
    return f"{platform.machine()} {platform.system()}, {os.cpu_count()} cores"


def versions(*libraries: str) -> dict[str, str]:
    """Return the versions that every figure depends on, and those of some libraries."""
    return {
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        **{library: version(library) for library in ("recense", *libraries)},
    }


def seconds(work: Callable[[], _Result]) -> tuple[_Result, float]:
    """Return the result of a piece of work, and how many seconds it took."""
    began = perf_counter()
    result = work()
    return result, perf_counter() - began
