"""What the hook loads late, and why.

A hook runs after every turn of an agent, which waits for it. What a transcript that did not change
needs is loaded in a moment; what archives one that did takes ten times as long, and is loaded here,
inside a function, and nowhere else.
"""

from collections.abc import Sequence


def redacted(text: str) -> str:
    """Return a text with its secrets replaced by markers."""
    from recense.core.text.redact import redact  # noqa: PLC0415 -- the engine of redaction

    return redact(text).text


def archive_files(
    environment: dict[str, str], home: str, working_folder: str, paths: Sequence[str]
) -> list[str]:
    """Archive files, see `recense.hook.work.archive_files`."""
    from recense.hook import work  # noqa: PLC0415 -- the engine

    return work.archive_files(environment, home, working_folder, paths)
