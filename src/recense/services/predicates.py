"""Which predicate a statement means: one that is defined, one that is new, or none.

In a closed registry what is not defined is refused. In an open one the first use defines, unless
the name says the same as one that is there (``likes`` and ``like``): then it becomes another name
of that, which can be split off again.
"""

from typing import Final

from msgspec.structs import replace

from recense.core.facts.changes import NOTE, Cardinality, Define, Definition, Merge, registry_event
from recense.core.facts.event import FactEvent
from recense.core.facts.registry import Registry, registry_at
from recense.core.facts.typed_values import type_of
from recense.core.facts.values import FactValue
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.services.admission import require_no_credential
from recense.services.fact_reading import FactMoment


class NewPredicate(Value, kw_only=True):
    """A predicate that a statement defines by its first use, the events that do so, and the
    registry that has it.
    """

    definition: Definition
    events: tuple[FactEvent, ...]
    registry: Registry


class Predicates:
    """Resolves names by the policy of a store: open or closed."""

    def __init__(self, *, is_open: bool) -> None:
        self.is_open: Final = is_open

    def resolved(
        self, moment: FactMoment, name: str, value: FactValue, cardinality: Cardinality | None
    ) -> NewPredicate | None:
        """Return what a name defines by its first use, None where it is defined.

        Raises InvalidRequest for a name that a closed registry does not have, and for a
        cardinality that contradicts the one that is defined; CredentialShaped for a new name that
        is a secret.
        """
        registry, now = moment.registry, moment.now
        definition = registry.definition(name)
        if definition is not None:
            if cardinality is not None and cardinality != definition.cardinality:
                raise InvalidRequest(
                    f"{name} is {definition.cardinality}-valued; the request says {cardinality}",
                    hint="recense registry redefine changes it for everybody",
                )
            return None
        require_no_credential("predicate", name)
        if not self.is_open:
            known = ", ".join(each.predicate for each in registry.definitions())
            raise InvalidRequest(
                f"{name!r} is no predicate of this registry, which is closed; it has: {known}",
                hint=f"file it under {NOTE.predicate}, or define it: recense registry define",
            )
        changes = _changes(_alike(registry, name, value), name, value, cardinality)
        events = tuple(registry_event(each, now + place) for place, each in enumerate(changes))
        return NewPredicate(
            definition=changes[0].definition,
            events=events,
            registry=registry_at((*moment.log.events, *events), now + 1),
        )


def _changes(
    alike: Definition | None, name: str, value: FactValue, cardinality: Cardinality | None
) -> tuple[Define] | tuple[Define, Merge]:
    """Return how a name becomes a predicate: by a definition of its own, or with the rules of one
    that is alike, into which it is merged.
    """
    if alike is None or cardinality not in {None, alike.cardinality}:
        own = Definition(
            predicate=name, cardinality=cardinality or "multi", value_type=type_of(value)
        )
        return (Define(definition=own),)
    same = replace(alike, predicate=name, description="", template=None)
    return Define(definition=same), Merge(predicate=name, into=alike.predicate)


def _alike(registry: Registry, name: str, value: FactValue) -> Definition | None:
    """Return the predicate whose name says the same, and which takes texts or numbers or truths as
    this one does; the first by name.
    """
    kind = type_of(value)
    for definition in registry.definitions():
        is_text = definition.value_type not in {"number", "boolean"}
        takes_it = is_text if kind == "string" else definition.value_type == kind
        if takes_it and _says_the_same(name, definition):
            return definition
    return None


def _says_the_same(name: str, definition: Definition) -> bool:
    """Whether a name has the words of a defined one, each with or without the ending of a verb or
    a plural. Other forms say other things: who *worked* there does not work there.

    Where one value alone can hold, a longer word may be the plural that says there are several.
    """
    words, others = _words(name), _words(definition.predicate)
    may_be_longer = definition.cardinality == "multi"
    return len(words) == len(others) and all(
        word == other
        or other in _with_ending(word)
        or (may_be_longer and word in _with_ending(other))
        for word, other in zip(words, others, strict=True)
    )


def _words(name: str) -> list[str]:
    return [word for word in name.split("_") if word]


def _with_ending(word: str) -> frozenset[str]:
    """Return a word with the endings of a verb or a plural; a short one has none: ``a``, ``as``."""
    if len(word) < _INFLECTED_MIN:
        return frozenset()
    return frozenset({f"{word}s", f"{word}es", f"{word.removesuffix('y')}ies"})


_INFLECTED_MIN: Final = 3
"""Letters of the shortest word that has endings."""
