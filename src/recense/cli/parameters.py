"""Reading the values of options without Typer's own machinery.

Typer makes values out of words with pydantic, which takes longer to load than a question takes to
answer. Ours are texts, whole numbers, lists of texts and flags: here they are read in a few lines,
and pydantic stays unloaded.
"""

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
    whole number from 0 on and is not; TypeError for a parameter of a type that no command has.
    """
    if value is None:
        if parameter.required:
            raise typer.BadParameter("it is missing", param=parameter)
        return None
    annotation = parameter.type_descriptor.annotation
    if annotation is str or get_origin(annotation) is list:
        return value
    if annotation is int:
        try:
            number = int(str(value))
        except ValueError:
            number = -1
        if number < 0:
            raise typer.BadParameter(
                f"{str(value)!r} is not a whole number from 0 on", param=parameter
            )
        return number
    raise TypeError(f"a parameter of type {annotation!r} needs reading here")
