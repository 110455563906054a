"""The registry as lines: the predicates as a table, what became of a change, the log.

Pure: structs in, lines out.
"""

from collections.abc import Sequence
from typing import Final

from recense.cli.columns import columns_of, padded
from recense.cli.lines import Line, line, span
from recense.cli.render_facts import cut_words
from recense.cli.render_reasons import rule_line
from recense.cli.render_recall import counted
from recense.cli.safe_text import safe_line
from recense.core.facts.changes import Cardinality, Definition
from recense.core.values import Value
from recense.operations.facts import (
    ExplainedRule,
    RegistryChanged,
    RegistryLog,
    RegistryView,
)

VALUES: Final[dict[Cardinality, str]] = {"single": "one", "multi": "several"}
"""How many values a subject has at a time."""

_HEAD: Final = ("predicate", "values", "type")


class LoadedRegistry(Value, kw_only=True):
    """What became of definitions that were loaded: how many were given, how many of them are new,
    and the names of those of a starter that have other rules already, which stay.
    """

    given: int
    defined: int
    kept: tuple[str, ...]
    changes: tuple[RegistryChanged, ...]


def registry_lines(view: RegistryView) -> list[Line]:
    """Return the predicates as a table: name, how many values, type, and what else is ruled."""
    rows = [
        (each.predicate, VALUES[each.cardinality], each.value_type) for each in view.definitions
    ]
    shown = [tuple(safe_line(cell) for cell in row) for row in (_HEAD, *rows)]
    widths = [max(columns_of(row[column]) for row in shown) for column in range(len(_HEAD))]
    lines = [line(span(_row(shown[0], widths), "faint"), span("rules", "faint"))]
    for definition, row in zip(view.definitions, shown[1:], strict=True):
        names = view.names.get(definition.predicate, ())
        lines.append(line(_row(row, widths), span(_rules(definition, names), "faint")))
    lines += [
        line(f"{', '.join(name for name in names if name != subject)}: the same as {subject}")
        for subject, names in sorted(view.subjects.items())
    ]
    use = "a predicate is defined by its first use" if view.is_open else "others are refused"
    total = counted(len(view.definitions), "predicate")
    lines.append(line(span(f"{total}; the registry is {_open(view)}: {use}", "faint")))
    return lines


def _open(view: RegistryView) -> str:
    return "open" if view.is_open else "closed"


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(padded(cell, width) + "  " for cell, width in zip(cells, widths, strict=True))


def definition_words(definition: Definition) -> str:
    """Return the rules of a predicate in a few words."""
    how_many = "one value at a time" if definition.cardinality == "single" else "several values"
    rules = _rules(definition, ())
    return f"{how_many}, of type {definition.value_type}" + (f"; {rules}" if rules else "")


def _rules(definition: Definition, names: Sequence[str]) -> str:
    others = [name for name in names if name != definition.predicate]
    return "; ".join(
        part
        for part in (
            f"also {', '.join(others)}" if others else "",
            f"one of {', '.join(definition.allowed)}" if definition.allowed else "",
            f"excludes {', '.join(definition.excludes)}" if definition.excludes else "",
            "historical" if definition.historical else "",
            definition.description.rstrip("."),
            f'"{definition.template}"' if definition.template else "",
        )
        if part
    )


def changed_lines(changed: RegistryChanged, words: str) -> list[Line]:
    """Return what became of a change that these words say."""
    if not changed.stored:
        return [line(span("already so: ", "faint"), cut_words(words))]
    lines = [line(cut_words(words))]
    if changed.event_id is not None:
        lines.append(line(span(changed.event_id, "faint"), indent=3))
    return lines


def loaded_lines(loaded: LoadedRegistry) -> list[Line]:
    """Return how many definitions are new, and which names keep the rules that they had."""
    known = loaded.given - loaded.defined - len(loaded.kept)
    lines = [line(f"Defined {counted(loaded.defined, 'predicate')}; {known:,} known already.")]
    if loaded.kept:
        names = ", ".join(loaded.kept)
        lines.append(line(f"Defined otherwise already, and left as they are: {names}", indent=3))
    return lines


def log_lines(log: RegistryLog) -> list[Line]:
    """Return every change, in order, with the instant at which it was written; what there is from
    the beginning by name.
    """
    beginning = sorted((each for each in log.changes if each.since is None), key=_text)
    later = [each for each in log.changes if each.since is not None]
    lines = [rule_line(change, indent=0) for change in (*beginning, *later)]
    lines.append(line(span(counted(len(log.changes), "change"), "faint")))
    return lines


def _text(change: ExplainedRule) -> str:
    return change.text
