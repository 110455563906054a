"""A value as a person types it: read by the type of its predicate.

Law: nothing is guessed where the registry knows. A predicate of numbers takes a number or nothing;
one of truths takes true, false, yes or no; whatever else is a text, as is all that is said under a
predicate that nobody defined.
"""

import re
from typing import Final, Literal, assert_never

from recense.cli.memory import MemoryOperations
from recense.core.facts.changes import Definition
from recense.core.facts.values import FactValue, ValueType
from recense.errors import InvalidRequest
from recense.operations.facts import RegistryView

ValueForm = Literal["text", "number", "boolean"]
"""How the word of a value is read."""

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
_DIGITS_MAX: Final = 400
"""Characters of a number: a double of full length has 325, and more is a text."""

_TRUTHS: Final = {"true": True, "yes": True, "false": False, "no": False}


def forced_form(*, text: bool, number: bool, boolean: bool) -> ValueForm | None:
    """Return the form that flags ask for. Raises InvalidRequest for more than one."""
    given: list[ValueForm] = []
    if text:
        given.append("text")
    if number:
        given.append("number")
    if boolean:
        given.append("boolean")
    if len(given) > 1:
        raise InvalidRequest(
            f"--{given[0]} and --{given[1]} are given; expected one form of VALUE",
            hint="leave both out to have VALUE read by the type of its predicate",
        )
    return given[0] if given else None


def definition_of(view: RegistryView, predicate: str) -> Definition | None:
    """Return the rules of a predicate by any of its names; None where it has none."""
    for definition in view.definitions:
        name = definition.predicate
        if predicate == name or predicate in view.names.get(name, ()):
            return definition
    return None


def form_of(view: RegistryView, predicate: str) -> ValueForm:
    """Return the form in which the values of a predicate are typed."""
    definition = definition_of(view, predicate)
    return "text" if definition is None else _form_of_type(definition.value_type)


def _form_of_type(value_type: ValueType) -> ValueForm:
    match value_type:
        case "number":
            return "number"
        case "boolean":
            return "boolean"
        case "string" | "enum" | "date" | "ref":
            return "text"
        case _:
            assert_never(value_type)


def value_typed(
    memory: MemoryOperations, words: str, predicate: str, form: ValueForm | None
) -> FactValue:
    """Return what a typed value stands for: in the form that a flag asks for, else in that of its
    predicate, by the memory's registry. Raises InvalidRequest for a word that is none of its form.
    """
    if form is not None:
        return typed_value(words, form)
    return typed_value(words, form_of(memory.registry(), predicate), predicate)


def typed_value(words: str, form: ValueForm, predicate: str = "") -> FactValue:
    """Return what a typed value stands for. ``predicate`` is the one that asks for this form, empty
    where a flag does. Raises InvalidRequest for a word that is none of its form.
    """
    match form:
        case "text":
            return words
        case "number":
            number = number_in(words)
            if number is None:
                raise _unlike(words, "a number, such as 8000 or 2.5", form, predicate)
            return number
        case "boolean":
            truth = _TRUTHS.get(words.strip().casefold())
            if truth is None:
                raise _unlike(words, "true or false, yes or no", form, predicate)
            return truth
        case _:
            assert_never(form)


def number_in(words: str) -> int | float | None:
    """Return the number that a text spells in decimal digits, None where it spells none."""
    spelled = words.strip()
    if len(spelled) > _DIGITS_MAX or not _NUMBER.fullmatch(spelled):
        return None
    return int(spelled) if _WHOLE.fullmatch(spelled) else float(spelled)


def share_named(option: str, words: str) -> float:
    """Return the number from 0 to 1 that a text spells. Raises InvalidRequest for any other."""
    number = number_in(words)
    if number is None or not 0 <= number <= 1:
        raise InvalidRequest(f"{option} {words!r} is no number from 0 to 1", hint="for example 0.8")
    return float(number)


def _unlike(words: str, expected: str, form: ValueForm, predicate: str) -> InvalidRequest:
    asked = f"{predicate} takes" if predicate else f"--{form} takes"
    return InvalidRequest(
        f"VALUE is {words!r}; {asked} {expected}",
        hint="recense registry list says which type each predicate has",
    )
