"""A progress line: one line on stderr, drawn over, gone when the work is done."""

from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, TextIO

from recense.cli.columns import columns_of, cut_to
from recense.cli.safe_text import safe_line
from recense.limits import PROGRESS_EVERY_MS, PROGRESS_LINE_EVERY_MS, PROGRESS_SILENT_MS
from recense.operations.admin import Progress

BAR_COLUMNS: Final = 20


def progress_text(progress: Progress, columns: int) -> str:
    """Return a report as a line of at most ``columns`` columns, ASCII but for its label."""
    if progress.total:
        share = min(progress.done / progress.total, 1.0)
        bar = "#" * int(share * BAR_COLUMNS)
        counted = f"[{bar:.<{BAR_COLUMNS}}] {share:4.0%} "
        counts = f"{progress.done:,} of {progress.total:,} {progress.unit}"
    else:
        counted, counts = "", f"{progress.done:,} {progress.unit}"
    return cut_to(safe_line(f"{progress.phase} {counted}{counts}  {progress.label}"), columns)


class ProgressLine:
    """Draws progress reports; a context manager that wipes what it drew.

    Silent where nothing may be ``shown`` and for the first PROGRESS_SILENT_MS. Where a terminal
    cannot be ``drawn_over``, each report is a line of its own, and there are fewer. When stderr is
    gone it falls silent: progress is never a reason to fail.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        shown: bool,
        drawn_over: bool,
        columns: int,
        milliseconds: Callable[[], float],
    ) -> None:
        self._stream = stream
        self._shown = shown
        self._drawn_over = drawn_over
        self._columns = max(columns - 1, 1)
        self._milliseconds = milliseconds
        self._next = milliseconds() + PROGRESS_SILENT_MS
        self._drawn = 0

    def __call__(self, progress: Progress) -> None:
        """Take a report; draw it when it is time to."""
        now = self._milliseconds()
        if not self._shown or now < self._next:
            return
        self._next = now + (PROGRESS_EVERY_MS if self._drawn_over else PROGRESS_LINE_EVERY_MS)
        text = progress_text(progress, self._columns)
        if self._drawn_over:
            taken = columns_of(text)
            self._write("\r" + text + " " * (self._drawn - taken))
            self._drawn = taken
        else:
            self._write(text + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.wipe()

    def wipe(self) -> None:
        """Take away what is drawn, so that something else can be written; more may be drawn."""
        if self._drawn:
            self._write("\r" + " " * self._drawn + "\r")
            self._drawn = 0

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._shown = False
