"""What rules are made of: the beginning of a clause, and readers of what follows it."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from recense.core.extraction import rules_values as values
from recense.core.late_patterns import late_pattern
from recense.core.values import Value

NOTE: Final = "note"
"""Under what a clause is filed that no predicate fits."""


class Stated(Value, kw_only=True):
    """What a clause says: ``value`` is a piece of it."""

    predicate: str
    value: str


Read = Callable[[str, str], Iterable[Stated]]
"""What a rule makes of the rest of a clause, given first, and of the whole clause."""


class Rule(NamedTuple):
    """A beginning of a clause, and the readers of what follows it."""

    begins: re.Pattern[str]
    reads: tuple[Read, ...]


def rule(begins: str, *reads: Read) -> Rule:
    """Return a rule; of several readers the first that finds anything decides."""
    return Rule(late_pattern(begins, re.IGNORECASE), reads)


def phrases(table: str) -> str:
    """Return an expression for any of the phrases of a table, given between bars and lines."""
    found = (each.strip() for each in table.replace("\n", "|").split("|"))
    return f"(?:{'|'.join(filter(None, found))})"


def one(predicate: str, reader: Callable[[str], str | None]) -> Read:
    """Return a reader of one value of a predicate."""

    def read(rest: str, _clause: str) -> Iterator[Stated]:
        value = reader(rest)
        if value is not None:
            yield Stated(predicate=predicate, value=value)

    return read


def several(predicate: str, reader: Callable[[str], tuple[str, ...]]) -> Read:
    """Return a reader of the values of a predicate, each a statement of its own."""

    def read(rest: str, _clause: str) -> Iterator[Stated]:
        for value in reader(rest):
            yield Stated(predicate=predicate, value=value)

    return read


def whole_clause(reader: Callable[[str], str | None]) -> Read:
    """Return a reader that keeps the whole clause as a note, where another finds a value in it."""

    def read(rest: str, clause: str) -> Iterator[Stated]:
        if reader(rest) is not None:
            yield Stated(predicate=NOTE, value=values.trimmed_end(clause))

    return read


def said_by(rules: Iterable[Rule], clause: str) -> tuple[Stated, ...]:
    """Return what the first of the rules that finds anything in a clause makes of it."""
    for each in rules:
        begins = each.begins.match(clause)
        if begins is None:
            continue
        for read in each.reads:
            found = tuple(read(clause[begins.end() :], clause))
            if found:
                return found
    return ()
