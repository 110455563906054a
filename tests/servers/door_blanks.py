"""What two answers to one question may differ in, and nothing else."""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import zip_longest
from typing import Final, cast

from recense.services.control_health import CONTROL_FILE
from tests.servers.doors import Json

OF_THE_MOMENT: Final[Mapping[str, str]] = {
    "took_ms": "how long it took",
    "as_of": "of which instant it is, where none was asked for",
    "days_ago": "counted from now",
    "day": "the day of a budget is the one that it is",
}
"""Fields of which every answer has its own, and why."""

OF_THE_DOOR: Final[Mapping[str, str]] = {
    "digest": "it is made of the instants at which things were written",
    "namespace": "each door has one to itself",
}
"""Fields that are one's own in a namespace of one's own, and why."""

OF_THE_MACHINE: Final[Mapping[str, str]] = {
    CONTROL_FILE: "it is of all namespaces, and is shown to who runs the process alone"
}
"""Checks of the doctor that one door has alone, and why."""

_ID: Final = re.compile(
    r"rcl_[a-z2-7]{16}_[a-z2-7]{52}|\b[a-z2-7]{16}\b|\be-[0-9a-f]{26}\b|\b[0-9a-f]{32}\b"
)
_CALLER: Final = re.compile(r"process \d+|key [a-z2-7]{16}|recense agent")
"""How an agent's holder is named who gave no name: after what it came by."""
_LEFT: Final = re.compile(r"\b\d+ ms\b")
"""How long a lease still holds."""
_ITS_OWN: Final = "<its own>"
_ABSENT: Final = "<absent>"
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


def of_no_moment(said: Json) -> Json:
    """Return what was said without the values of fields that are of the moment."""
    return _without(said, OF_THE_MOMENT.keys())


def blanked(said: Json) -> Json:
    """Return what was said without what is the door's own: ids are numbered in the order in which
    they come, so that the same is still the same; an instant is only that it is one.
    """
    numbers: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"<id {len(numbers) + 1}>")

    def in_text(text: str) -> str:
        if _CALLER.fullmatch(text):
            return "<caller>"
        return _LEFT.sub("<left>", _INSTANT.sub("<instant>", _ID.sub(numbered, text)))

    def walked(value: Json) -> Json:
        match value:
            case str():
                return in_text(value)
            case list():
                return [walked(each) for each in cast("list[Json]", value)]
            case dict():
                fields = cast("dict[str, Json]", value)
                return {in_text(name): walked(each) for name, each in fields.items()}
            case _:
                return value

    return walked(_without(said, OF_THE_MOMENT.keys() | OF_THE_DOOR.keys()))


def differences(one: Json, other: Json, at: str = "") -> list[str]:
    """Return where two answers differ, and what stands there: nothing where they are equal."""
    pairs: list[tuple[str, Json, Json]]
    if isinstance(one, dict) and isinstance(other, dict):
        fields, others = cast("dict[str, Json]", one), cast("dict[str, Json]", other)
        pairs = [
            (f"{at}.{name}", fields.get(name, _ABSENT), others.get(name, _ABSENT))
            for name in {**fields, **others}
        ]
    elif isinstance(one, list) and isinstance(other, list):
        both = zip_longest(cast("list[Json]", one), cast("list[Json]", other), fillvalue=_ABSENT)
        pairs = [(f"{at}[{number}]", *pair) for number, pair in enumerate(both)]
    else:
        return [] if one == other else [f"{at}: {one!r} is not {other!r}"]
    return [each for place, left, right in pairs for each in differences(left, right, place)]


def _is_of_the_machine(said: Json) -> bool:
    return isinstance(said, dict) and cast("dict[str, Json]", said).get("name") in OF_THE_MACHINE


def _without(said: Json, names: AbstractSet[str]) -> Json:
    match said:
        case list():
            each_of = cast("list[Json]", said)
            return [_without(each, names) for each in each_of if not _is_of_the_machine(each)]
        case dict():
            fields = cast("dict[str, Json]", said)
            if fields.get("name") == "namespace" and "origin" in fields:
                # A setting: a flag names it to the command line, and its key to a server.
                return {**fields, "origin": _ITS_OWN}
            return {
                name: _ITS_OWN if name in names else _without(each, names)
                for name, each in fields.items()
            }
        case _:
            return said
