"""Facts about invented people, made from a seed: subjects by predicates, one in four corrected."""

import random
from collections.abc import Sequence
from typing import Final

from recense.operations.facts import RememberFact

_FIRST: Final = tuple(
    "ada bela cleo dora enno finn gesa hanno ines jule kaja lina milo nele".split()
)
_LAST: Final = tuple("aldra brenk castor dresk elmar foss grind holm ivers jansk kolb".split())
_PLACES: Final = tuple(
    "Bergen Lund Turku Aarhus Graz Ghent Porto Siena Tartu Bath 杭州 成都".split()
)
_THINGS: Final = tuple(
    "coffee chess rowing tango ferns opera kites maps jazz clay tea 围棋".split()
)
_WORK: Final = tuple("baker pilot nurse tailor clerk joiner printer diver tutor cook".split())
_TRADES: Final = tuple("mill yard press dock school bakery studio clinic".split())

PREDICATES: Final = ("lives_in", "works_at", "role", "likes", "prefers_editor")
CORRECTED: Final = 4
"""One statement in this many says anew what a person was said to be."""


def subject_of(number: int) -> str:
    """Return the name of a person; another for each number."""
    first, last = _FIRST[number % len(_FIRST)], _LAST[number // 7 % len(_LAST)]
    return f"{first} {last} {number}"


def made_facts(seed: int, count: int, begin: int = 0) -> list[RememberFact]:
    """Return statements ``begin`` to ``begin + count`` of a corpus, in the order in which they are
    made.
    """
    return [
        _made(random.Random(seed * 1_000_003 + place), place) for place in _places(begin, count)
    ]


def corrections(subject: str, count: int) -> list[RememberFact]:
    """Return statements of where one person lives, each of which corrects the one before."""
    return [
        RememberFact(subject=subject, predicate="lives_in", value=f"{_PLACES[n % 10]} {n}")
        for n in range(count)
    ]


def notes(subject: str, begin: int, count: int) -> list[RememberFact]:
    """Return notes on one subject, all different."""
    return [
        RememberFact(subject=subject, predicate="note", value=f"note {n} on {_THINGS[n % 12]}")
        for n in range(begin, begin + count)
    ]


def _places(begin: int, count: int) -> Sequence[int]:
    return range(begin, begin + count)


def _made(dice: random.Random, place: int) -> RememberFact:
    person = place // len(PREDICATES)
    predicate = PREDICATES[place % len(PREDICATES)]
    if place % CORRECTED == 0 and person:
        person = dice.randrange(person)
    return RememberFact(
        subject=subject_of(person), predicate=predicate, value=_value(dice, predicate)
    )


def _value(dice: random.Random, predicate: str) -> str:
    match predicate:
        case "lives_in":
            return f"{dice.choice(_PLACES)} {dice.randrange(400)}"
        case "works_at":
            return f"{dice.choice(_LAST).title()} {dice.choice(_TRADES)} {dice.randrange(900)}"
        case "role":
            return f"{dice.choice(_WORK)} of the {dice.choice(_TRADES)}"
        case "likes":
            return f"{dice.choice(_THINGS)} and {dice.choice(_THINGS)}"
        case _:
            return f"{dice.choice(_THINGS)} editor {dice.randrange(60)}"
