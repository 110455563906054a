"""Reading the values of options without Typer's own machinery.

Typer makes values out of words with pydantic, which takes longer to load than a question takes to
answer. Ours are texts, whole numbers, lists of texts and flags: here they are read in a few lines,
and pydantic stays unloaded.
"""

import math
from typing import get_origin

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption


def read_plainly(command: TyperCommand | TyperGroup) -> None:
    """Make a command, and those below it, read their values with `plain_value`.

    Flags need no reading; `--help` needs to be a flag that was not given rather than no value.
    """
    help_option = command.get_help_option(typer.Context(command))
    if help_option is not None:
        help_option.default = False
    for parameter in command.params:
        if not isinstance(parameter, TyperArgument | TyperOption):
            continue
        if parameter.type_descriptor.annotation is not bool:
            parameter.process_value = PlainReader(parameter)
    if isinstance(command, TyperGroup):
        for below in command.commands.values():
            if isinstance(below, TyperCommand | TyperGroup):
                read_plainly(below)


class PlainReader:
    """`plain_value` of one parameter, in the shape of Typer's ``process_value``."""

    def __init__(self, parameter: TyperArgument | TyperOption) -> None:
        self._parameter = parameter

    def __call__(self, ctx: object, value: object) -> object:
        """Return the value for a command that this context belongs to."""
        return plain_value(self._parameter, value)


def plain_value(parameter: TyperArgument | TyperOption, value: object) -> object:
    """Return the value that a parameter's word or words stand for; None where none was given.

    Raises typer.BadParameter for a missing word that is required, and for a word that should be a
    whole number within the parameter's ``min``, or 0, and ``max`` and is not; TypeError for a
    parameter of a type that no command has.
    """
    if value is None:
        if parameter.required:
            raise typer.BadParameter("it is missing", param=parameter)
        return None
    annotation = parameter.type_descriptor.annotation
    if annotation is str or get_origin(annotation) is list:
        return value
    if annotation is int:
        return _number_within(parameter, str(value))
    raise TypeError(f"a parameter of type {annotation!r} needs reading here")


def _number_within(parameter: TyperArgument | TyperOption, word: str) -> int:
    least = 0 if parameter.min is None else int(parameter.min)
    most = math.inf if parameter.max is None else int(parameter.max)
    try:
        number = int(word)
    except ValueError:
        number = None
    if number is None or not least <= number <= most:
        to = "on" if parameter.max is None else f"to {most}"
        raise typer.BadParameter(
            f"{word!r} is not a whole number from {least} {to}", param=parameter
        )
    return number
