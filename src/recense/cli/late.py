"""What the command line loads late, and why.

``recense --help`` answers before a person notices waiting. So the engine, rich and each command are
loaded when they are needed, and only here: this is the one place of Recense with imports inside
functions.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TextIO

import typer

from recense.cli.lines import Line
from recense.cli.memory import OpenMemory


def command_app(module: str) -> typer.Typer:
    """Return the application (``app``) of a command's module."""
    app = import_module(module).app
    if not isinstance(app, typer.Typer):
        raise TypeError(f"{module}.app is {type(app).__name__}, expected typer.Typer")
    return app


def memory_opener() -> OpenMemory:
    """Return what opens the memory that the settings of this machine name."""
    from recense.cli.opening import open_configured  # noqa: PLC0415 -- the engine

    return open_configured


def styled_writer() -> Callable[[TextIO, Sequence[Line]], None]:
    """Return what writes lines in colour."""
    from recense.cli.styled import write_styled  # noqa: PLC0415 -- rich

    return write_styled


def installed_version() -> str:
    """Return the version of Recense that is installed."""
    from importlib.metadata import version  # noqa: PLC0415 -- a parser of package metadata

    return version("recense")
