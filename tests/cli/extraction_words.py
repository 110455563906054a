"""Command lines that read sessions for facts, and answers that are not the usual ones, as pages."""

from tests.cli import extraction_samples
from tests.cli.fake_extraction import ExtractionAnswers

WORDS: dict[str, tuple[str, ...]] = {
    "extract": ("extract",),
    "extract status": ("extract", "status"),
    "extract run": ("extract", "run", extraction_samples.HARBOUR),
}
"""Every command that reads sessions, as it answers in words."""

ANSWERS: dict[str, tuple[str, ExtractionAnswers]] = {
    "extract_status_unread": (
        "extract status",
        ExtractionAnswers(status=extraction_samples.ONE_UNREAD),
    ),
    "extract_status_nothing": (
        "extract status",
        ExtractionAnswers(status=extraction_samples.NO_SESSION),
    ),
    "extract_run_in_part": (
        "extract run",
        ExtractionAnswers(report=extraction_samples.NOT_ALL_READ),
    ),
    "extract_run_nothing": (
        "extract run",
        ExtractionAnswers(report=extraction_samples.NOTHING_LEFT),
    ),
}
