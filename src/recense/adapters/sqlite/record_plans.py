"""What the engine is asked for a condition on records, in statements.

Law: statements consist of constant texts alone, and values are always bound; lists of values are
filled up to a power of two, so that there are few texts and each is prepared once.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from recense.adapters.sqlite.driver import SqlValue, filled, marks
from recense.adapters.sqlite.record_terms import LIST_KINDS, OBSERVED_AT, IndexTerm, term_of
from recense.limits import RECORD_TERMS_ASKED_MAX
from recense.ports.records import (
    RECORDED_AT,
    Between,
    Condition,
    ContainsAny,
    Equals,
    OneOf,
    Where,
)

_LIST_KINDS: Final = frozenset(LIST_KINDS.values())
COLUMNS: Final[Mapping[str, str]] = {OBSERVED_AT: "r.observed_at", RECORDED_AT: "r.recorded_at"}
"""Where a record has what it is ordered by."""

_TEXTS_SOUGHT_MAX: Final = 4
"""Texts that the fields of a record are searched for before they are decoded."""

_SMALLEST_TEXT: Final = ""
"""The engine takes every number for smaller than every text, and this text for the smallest."""


class Clause(msgspec.Struct, frozen=True):
    """A part of a statement with what is bound in it."""

    text: str
    bindings: tuple[SqlValue, ...] = ()


class RecordPlan(msgspec.Struct, frozen=True):
    """Conditions, by what serves them.

    ``at_once`` is a list that the index has of every record, also of those that wait. ``terms`` and
    ``bounds`` hold of what is indexed; ``rest`` no index knows.
    """

    at_once: IndexTerm | None
    terms: tuple[IndexTerm, ...]
    bounds: tuple[Between, ...]
    rest: Where


def plan_of(where: Where, asked_max: int = RECORD_TERMS_ASKED_MAX) -> RecordPlan:
    """Return how conditions are served: an index is asked for ``asked_max`` values of all of them
    together.
    """
    terms: list[IndexTerm] = []
    bounds: list[Between] = []
    rest: list[Condition] = []
    for condition in where:
        term = term_of(condition)
        if term is not None and len(term.values) <= asked_max:
            asked_max -= len(term.values)
            terms.append(term)
        elif isinstance(condition, Between) and condition.field in COLUMNS:
            bounds.append(condition)
        else:
            rest.append(condition)
    terms.sort(key=lambda term: term.kind)
    at_once = terms[0] if terms and terms[0].kind in _LIST_KINDS else None
    return RecordPlan(at_once, tuple(terms), tuple(bounds), tuple(rest))


def matching_keys(collection_key: int, term: IndexTerm) -> Clause:
    """Return the query for the keys of records with a term, each once."""
    distinct = "DISTINCT " if len(term.values) > 1 and term.kind in _LIST_KINDS else ""
    values = filled(term.values)
    return Clause(
        f"SELECT {distinct}record_key FROM record_terms"  # noqa: S608 - of names above alone
        f" WHERE value IN ({marks(values)}) AND term_kind = ? AND collection_key = ?",
        (*values, term.kind, collection_key),
    )


def has_term(collection_key: int, term: IndexTerm, key: str) -> Clause:
    """Return the condition that the record with this key has a term."""
    values = filled(term.values)
    return Clause(
        "EXISTS (SELECT 1 FROM record_terms"  # noqa: S608 - of names above alone
        f" WHERE value IN ({marks(values)}) AND term_kind = ? AND collection_key = ?"
        f" AND record_key = {key})",
        (*values, term.kind, collection_key),
    )


def fields_hold(where: Where) -> Clause:
    """Return a condition that all records meet that match, and few others: texts stand in the
    encoded fields byte for byte.
    """
    for condition in where:
        match condition:
            case Equals(value=str(value)):
                return _holds_one((value,))
            case OneOf(values=values) | ContainsAny(values=values):
                texts = tuple(value for value in values if isinstance(value, str))
                if len(texts) == len(values) <= _TEXTS_SOUGHT_MAX:
                    return _holds_one(texts)
            case _:
                pass
    return Clause("1")


def _holds_one(texts: Sequence[str]) -> Clause:
    found = joined([Clause("instr(r.fields, ?)", (text.encode(),)) for text in texts], " OR ")
    return Clause(f"({found.text or 0})", found.bindings)


def joined(clauses: Iterable[Clause], between: str = " AND ") -> Clause:
    """Return clauses as one."""
    found = list(clauses)
    bindings = tuple(value for clause in found for value in clause.bindings)
    return Clause(between.join(clause.text for clause in found), bindings)


def is_between(column: str, condition: Between) -> Clause:
    """Return the condition that a column is of the type of the bounds and between them."""
    is_text = isinstance(condition.at_least, str) or isinstance(condition.at_most, str)
    parts: list[Clause] = []
    if condition.at_least is not None:
        parts.append(Clause(f"{column} >= ?", (condition.at_least,)))
    elif is_text:
        parts.append(Clause(f"{column} >= ?", (_SMALLEST_TEXT,)))
    if condition.at_most is not None:
        parts.append(Clause(f"{column} <= ?", (condition.at_most,)))
    elif not is_text:
        parts.append(Clause(f"{column} < ?", (_SMALLEST_TEXT,)))
    return joined(parts)
