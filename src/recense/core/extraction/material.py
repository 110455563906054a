"""What a model is shown of a session: a vocabulary and messages, as one text.

Law: nothing in the material can end its fence, or write what stands between fences. A fence is of
more backticks than any run of them inside, and what stands outside is ours: numbers, authors,
instants and the names of what is fenced.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta, tzinfo
from typing import Final

from recense.core.extraction.views import ExtractorView, ViewMessage
from recense.core.facts.changes import Definition
from recense.core.instants import EPOCH
from recense.limits import VOCABULARY_BYTES_MAX, VOCABULARY_LINE_CODE_POINTS_MAX

MATERIAL_FORM: Final = 1
"""Raised with every change of what is shown or how: an extractor's version depends on it."""

_BACKTICKS: Final = re.compile("`+")
_FENCE_MIN: Final = 3


def material(
    view: ExtractorView,
    vocabulary: Sequence[Definition],
    *,
    observed_at: int | None,
    zone: tzinfo,
    zone_name: str,
) -> str:
    """Return a view as text, oldest message first, instants in ``zone`` with their offset.

    Of the vocabulary it holds what VOCABULARY_BYTES_MAX leaves room for, in its order, and says how
    many predicates are left out.
    """
    written = f" The newest message was written at {_instant(observed_at, zone)}."
    parts = [
        f"The person's time zone is {_on_one_line(zone_name)}."
        + ("" if observed_at is None else written),
        "# Vocabulary",
        fenced(vocabulary_text(vocabulary)),
        "# Messages",
    ]
    for number, message in enumerate(view.messages, start=1):
        parts += _message(number, message, zone)
    return "\n\n".join(parts) + "\n"


def vocabulary_text(vocabulary: Sequence[Definition]) -> str:
    """Return a vocabulary as it is shown."""
    return "\n".join(_vocabulary(vocabulary)) or "(none yet)"


def _message(number: int, message: ViewMessage, zone: tzinfo) -> Iterator[str]:
    at = "" if message.at is None else f", {_instant(message.at, zone)}"
    yield f"## Message {number}{at}"
    for part in message.parts:
        yield f"{part.author}:\n{fenced(part.text)}"


def fenced(text: str) -> str:
    """Return a text between fences that nothing in it ends."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(_FENCE_MIN, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _instant(at: int | None, zone: tzinfo) -> str:
    if at is None:
        return ""
    try:
        moment = (EPOCH + timedelta(microseconds=at)).astimezone(zone)
    except OverflowError:  # at the very end of the calendar
        moment = EPOCH + timedelta(microseconds=at)
    return moment.isoformat(timespec="seconds")


def _vocabulary(definitions: Sequence[Definition]) -> Iterator[str]:
    room = VOCABULARY_BYTES_MAX
    for shown, definition in enumerate(definitions):
        line = _definition(definition)
        room -= len(line.encode()) + 1
        if room < 0:
            yield f"(and {len(definitions) - shown} more)"
            return
        yield line


def _definition(definition: Definition) -> str:
    count = "one value at a time" if definition.cardinality == "single" else "any number of values"
    kind = {"enum": "one of a list", "ref": "a subject"}.get(
        definition.value_type, f"a {definition.value_type}"
    )
    line = f"- {definition.predicate}: {count}, {kind}{_listed(definition.allowed)}"
    if definition.description:
        line = f"{line}. {definition.description}"
    line = _on_one_line(line)
    if len(line) > VOCABULARY_LINE_CODE_POINTS_MAX:
        line = line[: VOCABULARY_LINE_CODE_POINTS_MAX - 1] + "…"
    return line


def _listed(allowed: Iterable[str]) -> str:
    values = ", ".join(allowed)
    return f" ({values})" if values else ""


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
