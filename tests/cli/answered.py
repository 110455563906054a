"""Command lines whose answers golden files hold, as documents and as pages."""

import os
from pathlib import Path

from tests.cli import agent_words, extraction_words, fact_words, fake_connecting, key_words, samples
from tests.cli.fake_memory import FakeMemory

Case = tuple[tuple[str, ...], FakeMemory]
"""The words of a command line, and the memory that answers it."""

ANSWERED: dict[str, Case] = {
    "import": (("import",), FakeMemory()),
    "import_partial": (("import",), FakeMemory(imported=samples.PARTLY_IMPORTED)),
    "recall": (("recall", "timetable"), FakeMemory()),
    "more": (("more", samples.ANCHOR), FakeMemory()),
    "sessions_list": (("sessions", "list"), FakeMemory()),
    "sessions_show": (("sessions", "show", samples.SESSION), FakeMemory()),
    "grep": (("grep", "timetable"), FakeMemory()),
    "convert": (("convert",), FakeMemory()),
    "index": (("index",), FakeMemory()),
    "recall_verified": (("recall", "timetable", "--verify-scan"), FakeMemory()),
    "recall_different": (
        ("recall", "timetable", "--verify-scan"),
        FakeMemory(difference=samples.DIFFERENCE),
    ),
    "doctor_digest": (("doctor", "--digest"), FakeMemory()),
    "bench": (("bench", "quality"), FakeMemory()),
    **{
        name.replace(" ", "_").replace("-", "_"): (words, FakeMemory())
        for name, words in {
            **fact_words.WORDS,
            **agent_words.WORDS,
            **extraction_words.WORDS,
            **key_words.WORDS,
            **fake_connecting.WORDS,
        }.items()
    },
}


def golden_text(file: Path, text: str) -> str:
    """Return what a golden file says; with `RECENSE_WRITE_GOLDEN=1` it says this text from now on.
    Read the difference before you keep it.
    """
    if os.environ.get("RECENSE_WRITE_GOLDEN"):
        file.write_text(text, encoding="utf-8", newline="\n")
    return file.read_text(encoding="utf-8")
