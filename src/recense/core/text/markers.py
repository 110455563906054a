"""What stands where a secret was."""

from typing import Final

MARKER_START: Final = "[redacted:"
"""How every marker begins."""


def marker(kind: str) -> str:
    """What stands where a secret of ``kind`` was."""
    return f"{MARKER_START}{kind}]"
