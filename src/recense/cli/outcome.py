"""What a command hands back: a document for scripts, lines for a person, an exit code."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from recense.cli.lines import Line, text_lines
from recense.core.values import Value

ANSWERED: Final = 0
"""Done; an empty answer is an answer."""

FAILED: Final = 1
"""Refused or failed, or done in part: then with its report."""

BAD_USAGE: Final = 2
"""The command line was not understood, or asks for what is out of bounds."""

INTERRUPTED: Final = 130
"""The person stopped it: 128 and the number of the signal, as shells count."""

Document = TypeVar("Document", bound=Value)


PictureFor = Callable[[Mapping[str, str]], str]
"""Gives what a terminal with this environment is sent to show a picture; empty where it shows
none."""


class CommandOutcome(Value, kw_only=True):
    """What a command made. Nothing is written before it is whole.

    An outcome that is bytes has them in ``data``: a pipe or a file gets these alone, a terminal a
    ``picture`` where it shows any and the lines, and never the bytes.
    """

    document: Value
    render: Callable[[], Iterable[Line]]
    exit_code: int = ANSWERED
    data: bytes | None = None
    picture: PictureFor | None = None


def outcome(
    document: Document,
    render: Callable[[Document], Iterable[Line]],
    *,
    exit_code: int = ANSWERED,
) -> CommandOutcome:
    """Return the outcome whose lines are rendered from its document, when a person wants them."""
    return CommandOutcome(document=document, render=lambda: render(document), exit_code=exit_code)


class ErrorBody(Value, kw_only=True):
    """A failure as scripts read it; ``code`` is stable, ``message`` and ``hint`` are prose."""

    code: str
    message: str
    hint: str
    retryable: bool


class ErrorEnvelope(Value, kw_only=True):
    """The only document on stdout when a command with ``--json`` fails."""

    error: ErrorBody


class HelpText(Value, kw_only=True):
    """What ``--help`` and ``--version`` print, when they are asked for with ``--json``."""

    text: str


def page(text: str) -> CommandOutcome:
    """Return the outcome that is a text as it stands: help, or a version."""
    return outcome(HelpText(text=text), lambda document: text_lines(document.text))
