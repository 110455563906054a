"""Proposals in what a model answered, however it was written down.

Laws:

- A part that cannot be read takes no other with it, and is never passed over in silence: each is a
  reason in ``dropped``. An answer of which nothing can be read is an error, never an empty list.
- "Nothing" has to be said, by an empty list.
- Nothing here judges whether a proposal is true: that is for who knows what was read.
"""

import re
from collections.abc import Iterator
from typing import Final, cast

import msgspec

from recense.core.extraction.loose_json import BrokenValue, FoundValue, values_in
from recense.core.extraction.proposals import Proposal
from recense.core.facts.values import FactValue, require_value
from recense.core.text.json_text import settled_text
from recense.core.values import Value
from recense.errors import InvalidRequest, ModelAnswerUnusable
from recense.limits import DROPPED_REASONS_MAX, PROPOSALS_MAX

FACTS_KEY: Final = "facts"
"""The key under which an answer lists what it proposes."""

_LONE_KEY: Final = "predicate"
"""What an object has that is a proposal by itself, outside of any list."""

_IS_OURS: Final = re.compile(
    r'[\[{\s]{0,8}+"(?:facts|subject|predicate|value|kind|confidence|evidence|replaces)"'
)
"""How broken JSON begins that was meant to be an answer: braces in prose do not."""

_THOUGHTS: Final = re.compile(r"\s*+<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
"""What some models say before they answer."""

_EMPTY_LIST: Final = re.compile(r"^[ \t]*+\[\s*+\][ \t]*+\r?$", re.MULTILINE)

_KINDS: Final = ("fact", "preference")


class SalvagedAnswer(Value, kw_only=True):
    """What could be read of an answer. ``dropped`` says of each part that could not be why; where
    these are many the last says how many more. ``is_cut`` says that the answer ended in the middle:
    the proposals are those before, and there were to be more.
    """

    proposals: tuple[Proposal, ...]
    dropped: tuple[str, ...] = ()
    is_cut: bool = False


def proposals_in(answer: str) -> SalvagedAnswer:
    """Return the proposals in an answer, in order, each once and at most PROPOSALS_MAX.

    They are a list under ``facts``, a list by itself or objects by themselves; fenced, among other
    words, in several pieces or with small faults (`recense.core.extraction.loose_json`). Raises
    ModelAnswerUnusable, saying what is wrong, where there is neither a proposal nor an empty list.
    """
    thoughts = _THOUGHTS.match(answer)
    text = answer if thoughts is None else answer[thoughts.end() :]
    if not text.strip():
        raise ModelAnswerUnusable(
            f"the answer has no text; expected JSON with a list under {FACTS_KEY!r}",
            hint="a model that thinks at length may need more tokens for its answer",
        )
    collected = _Collected()
    for found in values_in(text):
        collected.take(found, text)
    if _EMPTY_LIST.search(text):
        collected.has_list = True
    return collected.salvaged()


class _Collected:
    """What was found so far."""

    def __init__(self) -> None:
        self.has_list = False
        self._proposals: dict[bytes, Proposal] = {}
        self._dropped: list[str] = []
        self._dropped_more = 0
        self._is_cut = False
        self._items = 0
        self._broken_at = -1

    def take(self, found: FoundValue | BrokenValue, text: str) -> None:
        """Add what a value of the answer proposes."""
        if isinstance(found, FoundValue):
            self._is_cut = self._is_cut or found.is_cut
            for item in self._items_of(found.value):
                self._add(item)
        elif found.at > self._broken_at and _IS_OURS.match(text, found.start):
            self._broken_at = found.at  # what is around it breaks at the same place
            self._drop(f"no JSON at character {found.at}: {found.reason}")

    def salvaged(self) -> SalvagedAnswer:
        """Return it all. Raises ModelAnswerUnusable where that is nothing."""
        dropped = list(self._dropped)
        if self._dropped_more:
            dropped.append(f"and {self._dropped_more} more")
        if not self._proposals:
            self._require_nothing_said(dropped)
        return SalvagedAnswer(
            proposals=tuple(self._proposals.values()),
            dropped=tuple(dropped),
            is_cut=self._is_cut,
        )

    def _require_nothing_said(self, dropped: list[str]) -> None:
        """Raise ModelAnswerUnusable unless the answer says that there is nothing."""
        if self._is_cut:
            what = "the answer ends in the middle, before its first item is whole"
        elif dropped:
            what = f"nothing in the answer is a proposal: {'; '.join(dropped[:3])}"
        elif not self.has_list:
            what = f"the answer has no list under {FACTS_KEY!r}"
        else:
            return
        raise ModelAnswerUnusable(f"{what}; expected JSON with a list under {FACTS_KEY!r}")

    def _items_of(self, value: object, *, is_text: bool = False) -> Iterator[object]:
        """Yield what is meant as a proposal in a value; a list in it may be written as text."""
        if isinstance(value, list):
            members = cast("list[object]", value)
            if any(isinstance(each, dict) and _LONE_KEY in each for each in members):
                yield from members
            else:
                for each in members:
                    yield from self._items_of(each, is_text=is_text)
        elif isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            if FACTS_KEY in fields:
                yield from self._listed(fields[FACTS_KEY], is_text=is_text)
            elif _LONE_KEY in fields:
                yield fields
            else:
                for each in fields.values():
                    yield from self._items_of(each, is_text=is_text)

    def _listed(self, facts: object, *, is_text: bool) -> Iterator[object]:
        if isinstance(facts, list):
            self.has_list = True
            yield from cast("list[object]", facts)
        elif isinstance(facts, str) and not is_text:
            self.has_list = self.has_list or _EMPTY_LIST.search(facts) is not None
            for found in values_in(facts):
                if isinstance(found, FoundValue):
                    self._is_cut = self._is_cut or found.is_cut
                    yield from self._items_of(found.value, is_text=True)
                else:
                    self.take(found, facts)
        else:
            self._drop(f"{FACTS_KEY!r} is {_named(facts)}; expected a list")

    def _add(self, item: object) -> None:
        self._items += 1
        read = _proposal_of(item)
        if isinstance(read, str):
            self._drop(f"item {self._items}: {read}")
            return
        key = msgspec.json.encode(read)  # True is not 1 here
        if key in self._proposals:
            return
        if len(self._proposals) == PROPOSALS_MAX:
            self._drop(f"item {self._items}: beyond the {PROPOSALS_MAX} of one answer")
            return
        self._proposals[key] = read

    def _drop(self, reason: str) -> None:
        if len(self._dropped) < DROPPED_REASONS_MAX:
            self._dropped.append(reason)
        else:
            self._dropped_more += 1


def _proposal_of(item: object) -> Proposal | str:
    """Return an item as a proposal, or why it is none."""
    if not isinstance(item, dict):
        return f"it is {_named(item)}; expected an object"
    fields = cast("dict[str, object]", item)
    texts: list[str] = []
    for name in ("subject", "predicate", "evidence"):
        text = fields.get(name)
        if not isinstance(text, str) or not text.strip():
            return f"{name!r} is {_named(text)}; expected words"
        texts.append(settled_text(text).strip())
    subject, predicate, evidence = texts
    value = _value_of(fields.get("value"))
    if value is None:
        return f"'value' is {_named(fields.get('value'))}; expected words, a number or a boolean"
    kind = "fact" if fields.get("kind") is None else fields.get("kind")
    if kind not in _KINDS:
        return f"'kind' is {_named(kind)} that is none; expected one of {', '.join(_KINDS)}"
    confidence = 1.0 if fields.get("confidence") is None else fields.get("confidence")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        return f"'confidence' is {_named(confidence)}; expected a number"
    if not 0 <= confidence <= 1:
        return "'confidence' is out of bounds; expected 0 to 1"
    replaces = _replaced(fields.get("replaces"))
    if replaces is None:
        return "'replaces' is no list of values"
    return Proposal(
        subject=subject,
        predicate=predicate,
        value=value,
        evidence=evidence,
        kind=kind,
        confidence=float(confidence),
        replaces=replaces,
    )


def _replaced(given: object) -> tuple[FactValue, ...] | None:
    """Return the values in a list, or one by itself; None for anything else."""
    if given is None:
        return ()
    members = cast("list[object]", given) if isinstance(given, list) else [given]
    values = [value for each in members if (value := _value_of(each)) is not None]
    return tuple(values) if len(values) == len(members) else None


def _value_of(given: object) -> FactValue | None:
    """Return a value that can be kept, or None."""
    try:
        value = require_value(settled_text(given).strip() if isinstance(given, str) else given)
    except InvalidRequest:
        return None
    return value if value or not isinstance(value, str) else None


def _named(given: object) -> str:
    """Return what sort of JSON something is; never what it says."""
    match given:
        case None:
            return "absent"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "text" if given.strip() else "empty text"
        case list():
            return "a list"
        case _:
            return "an object"
