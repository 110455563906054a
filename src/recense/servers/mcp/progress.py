"""Saying how far a call has come, to who asked to be told."""

import asyncio
from typing import Final, Protocol

from recense.limits import MCP_PROGRESS_SECONDS
from recense.operations.admin import Progress


class ReportProgress(Protocol):
    """Tells a client; does nothing where it did not ask."""

    async def __call__(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Send ``progress``, which is larger each time, and words."""
        ...


class ProgressTeller:
    """Tells a client at most once in MCP_PROGRESS_SECONDS, and that often even where there is
    nothing new: so it knows that somebody is at work.
    """

    def __init__(self, report: ReportProgress) -> None:
        self._report: Final = report
        self._newest: Progress | None = None

    def tell(self, progress: Progress) -> None:
        """Take how far it has come, from any thread."""
        self._newest = progress

    async def keep_telling(self) -> None:
        """Tell until cancelled."""
        count = 0
        while True:
            await asyncio.sleep(MCP_PROGRESS_SECONDS)
            count += 1
            await self._report(count, None, _words(self._newest))


def _words(progress: Progress | None) -> str:
    if progress is None:
        return "at work"
    of = "" if progress.total is None else f" of {progress.total}"
    return f"{progress.phase}: {progress.done}{of} {progress.unit}"
