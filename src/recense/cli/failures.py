"""Failures: from an exception to the error that a person or a script reads, and the exit code."""

import traceback
from typing import Final

from typer import Abort, TyperException

from recense.cli import late
from recense.cli.lines import Line, line, span
from recense.cli.outcome import (
    BAD_USAGE,
    FAILED,
    INTERRUPTED,
    CommandOutcome,
    ErrorBody,
    ErrorEnvelope,
)
from recense.errors import InvalidRequest, RecenseError

INTERNAL_ERROR: Final = "internal_error"
INTERRUPTED_CODE: Final = "interrupted"


def failed(error: BaseException, program: str) -> CommandOutcome:
    """Return the outcome of a command that ended with an exception.

    ``program`` is the name of the program, for the hint to the help of the command that did not
    understand its words. A message
    may repeat what was typed, but no secret in it. What is not one of our errors is a bug of ours:
    its message may quote anything, so only its type is named.
    """
    match error:
        case TyperException():
            body = ErrorBody(
                code=InvalidRequest.code,
                message=late.redacted(error.format_message()),
                hint=f"see {_command_of(error, program)} --help",
                retryable=False,
            )
            exit_code = BAD_USAGE
        case RecenseError():
            body = ErrorBody(
                code=error.code,
                message=late.redacted(error.message),
                hint=late.redacted(error.hint),
                retryable=error.retryable,
            )
            exit_code = BAD_USAGE if type(error) is InvalidRequest else FAILED
        case KeyboardInterrupt() | Abort() | EOFError():
            body = ErrorBody(
                code=INTERRUPTED_CODE,
                message="interrupted; what was acknowledged before is kept",
                hint="run the same command again to go on",
                retryable=True,
            )
            exit_code = INTERRUPTED
        case _:
            body = ErrorBody(
                code=INTERNAL_ERROR,
                message=f"a bug in recense: {type(error).__name__}",
                hint="report it with the traceback on stderr",
                retryable=False,
            )
            exit_code = FAILED
    return CommandOutcome(
        document=ErrorEnvelope(error=body), render=lambda: error_lines(body), exit_code=exit_code
    )


def _command_of(error: TyperException, program: str) -> str:
    """Return the command whose words were not understood, as it is typed."""
    path: object = getattr(getattr(error, "ctx", None), "command_path", None)
    return path if isinstance(path, str) else program


def error_lines(body: ErrorBody) -> list[Line]:
    """Return an error as a person reads it."""
    lines = [line(span("recense: ", "bad"), body.message)]
    if body.hint:
        lines.append(line(span("hint: ", "faint"), body.hint))
    return lines


def is_bug(error: BaseException) -> bool:
    """Whether an exception is none that a command may end with, so that its traceback matters."""
    return not isinstance(
        error, TyperException | RecenseError | KeyboardInterrupt | Abort | EOFError
    )


def traceback_text(error: BaseException) -> str:
    """Return the traceback of an exception."""
    return "".join(traceback.format_exception(error))
