"""What a server says of itself to a person."""

from recense.cli.lines import Line, line, span
from recense.servers.http.options import Listening


def listening_line(listening: Listening) -> Line:
    """Return the line that says where a server listens, once it does."""
    keys = "without keys" if listening.insecure else "with keys"
    return line(
        "serving ", span(listening.store, "title"), f" at {listening.address}, {keys}; Ctrl-C stops"
    )


def served_lines(listening: Listening) -> list[Line]:
    """Return what is said when a server has stopped."""
    return [line(f"stopped serving {listening.store} at {listening.address}")]
