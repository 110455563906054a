"""The two streams of a process: what they can show, and writing on them.

Law: with ``--json`` stdout gets one JSON document and nothing else; progress and diagnostics go to
stderr. Whatever is written has been through `safe_text`, and no character that a console cannot
encode stops a command.
"""

import codecs
import errno
import io
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TextIO

import msgspec

from recense.cli import late
from recense.cli.lines import Line, plain_text
from recense.cli.outcome import PictureFor
from recense.cli.progress import ProgressLine
from recense.cli.safe_text import STEERING, safe_text
from recense.core.late_patterns import late_pattern
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import INPUT_BYTES_MAX

_SURROGATE: Final = late_pattern("[\ud800-\udfff]")
_STEERING: Final = late_pattern(f"[{STEERING}]")
"""What JSON may hold as it is and a terminal would obey; inside a JSON string an escape means the
same."""

_COLUMNS: Final = 80
"""Columns where no terminal says how many it has."""

_NOT_ASCII: Final = late_pattern("[^\x00-\x7f]")


def _json_escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def document_text(document: Value, *, ascii_only: bool) -> str:
    """Return a document as one line of JSON.

    Halves of surrogate pairs, which come in with file names that are not UTF-8, become U+FFFD: no
    JSON text can hold them. ``ascii_only`` escapes everything else than ASCII.

    The budgets of answers are of their plain UTF-8 JSON, as a server sends it. The escapes made
    here, for what a terminal would obey and with ``ascii_only``, come on top: they mean the same
    to whoever reads JSON, at up to six bytes for one.
    """
    text = json.dumps(msgspec.to_builtins(document), ensure_ascii=False, separators=(",", ":"))
    text = _SURROGATE.sub("\ufffd", text)
    return (_NOT_ASCII if ascii_only else _STEERING).sub(_json_escape, text)


def _speaks_utf8(stream: TextIO) -> bool:
    try:
        return codecs.lookup(stream.encoding or "utf-8").name == "utf-8"
    except LookupError:
        return False


class Terminal:
    """Where a command writes. Both streams may be terminals, files or pipes, each for itself."""

    def __init__(
        self,
        out: TextIO,
        err: TextIO,
        environment: Mapping[str, str],
        *,
        milliseconds: Callable[[], float] = lambda: time.monotonic() * 1000,
    ) -> None:
        self._out = out
        self._err = err
        self._environment = environment
        self._milliseconds = milliseconds
        for stream in (out, err):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")

    @classmethod
    def of_process(cls) -> "Terminal":
        """Return the terminal of this process; a stream that is closed goes nowhere."""
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:
                setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 -- open as long as the process
        return cls(sys.stdout, sys.stderr, os.environ)

    def document_text(self, document: Value) -> str:
        """Return a document as a line for stdout: readable where that speaks UTF-8, else ASCII."""
        return document_text(document, ascii_only=not _speaks_utf8(self._out)) + "\n"

    def write_lines(self, lines: Iterable[Line]) -> None:
        """Write lines on stdout."""
        self._write(self._out, list(lines))

    def write_error_lines(self, lines: Iterable[Line]) -> None:
        """Write lines on stderr. That nobody listens there any more is no reason to fail."""
        try:
            self._write(self._err, list(lines))
        except OSError:
            self.leave(self._err)

    def write_text(self, text: str) -> None:
        """Write text on stdout that is safe as it is."""
        self._out.write(text)
        self._out.flush()

    def write_data(self, data: bytes) -> None:
        """Write bytes on stdout, exactly. For one that is no terminal.

        Raises OSError where stdout takes none.
        """
        self._out.flush()
        try:
            stream = self._out.buffer
        except AttributeError as error:
            raise OSError(errno.EINVAL, "it takes no bytes") from error
        left = memoryview(data)
        while left:  # an unbuffered stream may take a part
            left = left[stream.write(left) :]
        stream.flush()

    @property
    def is_screen(self) -> bool:
        """Whether stdout is a terminal, which a person looks at and no bytes may reach."""
        return self._out.isatty()

    def write_picture(self, picture_for: PictureFor, lines: Iterable[Line]) -> None:
        """Write a picture on stdout where it shows any, then lines."""
        if self._obeys_escapes():
            self._out.write(picture_for(self._environment))
        self.write_lines(lines)

    def write_error_text(self, text: str) -> None:
        """Write text on stderr, made safe."""
        try:
            self._err.write(safe_text(text))
            self._err.flush()
        except OSError:
            self.leave(self._err)

    def progress(self) -> ProgressLine:
        """Return a progress line on stderr; it stays silent where stderr is no terminal."""
        return ProgressLine(
            self._err,
            shown=self._err.isatty(),
            drawn_over=self._obeys_escapes(),
            columns=shutil.get_terminal_size().columns,
            milliseconds=self._milliseconds,
        )

    def ask(self, question: str) -> bool | None:
        """Return whether a person says yes to a question; None where there is nobody to ask.

        Asked on stderr, answered on stdin, and only where both are terminals.
        """
        if sys.stdin is None or not sys.stdin.isatty() or not self._err.isatty():
            return None
        self.write_error_text(f"{question} [y/N] ")
        return sys.stdin.readline().strip().casefold() in {"y", "yes"}

    def read_input(self, is_asked_for: bool) -> str | None:
        """Return what stdin holds, without line breaks at its end; None where nobody gives any.

        A terminal is read only if the person asked for it, and a stdin that is closed never. Raises
        InvalidRequest for more than INPUT_BYTES_MAX, and for what is no UTF-8.
        """
        if sys.stdin is None or (sys.stdin.isatty() and not is_asked_for):
            return None
        try:
            content = sys.stdin.buffer.read(INPUT_BYTES_MAX + 1)
        except OSError as error:
            raise InvalidRequest(
                f"stdin cannot be read: {error.strerror}", hint="give the text as a word"
            ) from error
        if len(content) > INPUT_BYTES_MAX:
            raise InvalidRequest(
                f"stdin holds more than {INPUT_BYTES_MAX} bytes", hint="give a shorter text"
            )
        try:
            return content.decode("utf-8-sig").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InvalidRequest(
                f"stdin is no UTF-8: byte {error.start} is wrong", hint="convert it first"
            ) from error

    @property
    def columns(self) -> int:
        """How many columns what is made to fit may take: those of the terminal, 80 elsewhere."""
        given = self._environment.get("COLUMNS", "")
        if re.fullmatch("[1-9][0-9]{0,5}", given):
            return int(given)
        try:
            return os.get_terminal_size(self._out.fileno()).columns or _COLUMNS
        except (OSError, ValueError):
            return _COLUMNS

    def leave_out(self) -> None:
        """Give up stdout after its reader has gone."""
        self.leave(self._out)

    @staticmethod
    def leave(stream: TextIO) -> None:
        """Point a broken stream at nothing, so that the interpreter's last flush does not fail."""
        try:
            descriptor = stream.fileno()
        except (OSError, ValueError):
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)

    def _write(self, stream: TextIO, lines: list[Line]) -> None:
        if self._is_styled(stream):
            late.styled_writer()(stream, lines)
        else:
            stream.write(plain_text(lines))
        stream.flush()

    def _obeys_escapes(self) -> bool:
        return self._environment.get("TERM") not in {"dumb", "unknown"}

    def _is_styled(self, stream: TextIO) -> bool:
        return stream.isatty() and self._obeys_escapes() and not self._environment.get("NO_COLOR")
