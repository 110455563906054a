"""Tables that one test checks row by row.

A test of its own for each row is collected by both processes, set up, torn down and reported: that
takes ten milliseconds, and most rows are checked in one. So a long table of quick rows is walked in
one test, which still checks every row and names each that failed.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, Final, cast

import pytest

_FAILURES: Final = (Exception, pytest.fail.Exception)
"""What ends the check of one row; the others are still checked."""

_NAME_CHARACTERS_MAX: Final = 200
"""Of a row's name in a report: hostile rows are long."""


def each_row(
    names: str | Sequence[str],
    rows: Iterable[object],
    *,
    ids: Callable[[Any], object] | Iterable[str] = repr,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that checks all rows in one test, and fails once, naming each that failed.

    ``names``, ``rows`` and ``ids`` are as `pytest.mark.parametrize` takes them; other parameters of
    the test stay its parameters. A row must leave nothing behind for the next one: fixtures are
    made once for all of them. A table without a row is a failure.
    """
    parameters = [names] if isinstance(names, str) else list(names)
    table = list(rows)
    named = [str(ids(row)) for row in table] if callable(ids) else list(ids)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def of_all_rows(**others: object) -> None:
            assert table, "a table has a row"
            failures: list[BaseException] = []
            failed: list[str] = []
            for name, row in zip(named, table, strict=True):
                values = (row,) if isinstance(names, str) else cast("Iterable[object]", row)
                try:
                    test(**others, **dict(zip(parameters, values, strict=True)))
                except _FAILURES as failure:
                    failed.append(name[:_NAME_CHARACTERS_MAX])
                    failure.add_note(f"row: {failed[-1]}")
                    failures.append(failure)
            if failures:
                message = f"{len(failures)} of {len(table)} rows failed: {', '.join(failed)}"
                raise BaseExceptionGroup(message, failures)

        signature = inspect.signature(test)
        kept = [one for name, one in signature.parameters.items() if name not in parameters]
        object.__setattr__(of_all_rows, "__signature__", signature.replace(parameters=kept))
        return of_all_rows

    return decorate
