"""What a benchmark found: rows, and what it asserted before it reported them.

The names of rows are what scripts rely on.
"""

from recense.core.values import Value


class Paired(Value, kw_only=True):
    """One question at a time beside the baseline, on the same questions.

    ``difference`` is ours less the baseline's in the row's unit, ``standard_error`` that of the
    mean of the single differences.
    """

    won: int
    lost: int
    equal: int
    difference: float
    standard_error: float


class Row(Value, kw_only=True):
    """One figure: the median of its runs, beside a baseline of the same run where there is one.

    ``standard_error`` is that of a mean over questions, in the row's unit.
    """

    name: str
    unit: str
    value: float
    runs: tuple[float, ...]
    baseline: str | None = None
    ratio: float | None = None
    standard_error: float | None = None
    paired: Paired | None = None


class BenchResult(Value, kw_only=True):
    """What one run of a benchmark found, on which machine, with which versions."""

    bench: str
    seed: int
    machine: str
    versions: dict[str, str]
    rows: tuple[Row, ...]
    asserted: tuple[str, ...]
