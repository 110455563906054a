"""How a message of ours repeats what a caller gave: on one line, short, and never a secret."""

from recense.core.text.json_text import settled_text
from recense.core.text.redact import redact
from recense.limits import QUOTED_CODE_POINTS_MAX


def quoted(text: str) -> str:
    """Return a text in quotation marks, in ASCII: secrets as their markers, a long end left out."""
    shown = redact(settled_text(text)).text
    return ascii(
        shown if len(shown) <= QUOTED_CODE_POINTS_MAX else shown[:QUOTED_CODE_POINTS_MAX] + "..."
    )
