"""What a person or an agent tells: one text, and who says what in it."""

from typing import Final

from recense.core.extraction.views import Author
from recense.core.facts.values import utf8_bytes
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import FACT_TEXT_BYTES_MAX
from recense.operations.texts import RememberText, TextMessage
from recense.services.episodes import SpokenPart
from recense.services.fact_admission import FactAdmission

_BETWEEN: Final = "\n\n"
"""What stands between two messages that are kept as one text."""


class ToldText(Value, kw_only=True):
    """A text as it is kept. ``spoken`` is who says what in it, where messages were told."""

    text: str
    spoken: tuple[SpokenPart, ...] | None = None


def told_text(request: RememberText, admission: FactAdmission) -> ToldText:
    """Return what a request tells. Raises InvalidRequest for what is blank or too long."""
    text = admission.text(_text_of(request))
    if not request.messages:
        return ToldText(text=text)
    said = [admission.text(_line(each)) for each in request.messages]
    if _BETWEEN.join(said) != text:  # a secret that is only one beside what follows it
        return ToldText(text=text, spoken=(SpokenPart(author="agent", start=0, end=len(text)),))
    parts: list[SpokenPart] = []
    start = 0
    for message, line in zip(request.messages, said, strict=True):
        begin = start + len(_heading(message) if line.startswith(_heading(message)) else "")
        author = _author(message.role, is_persons=not request.writer)
        parts.append(SpokenPart(author=author, start=begin, end=start + len(line)))
        start += len(line) + len(_BETWEEN)
    return ToldText(text=text, spoken=tuple(parts))


def _text_of(request: RememberText) -> str:
    """Return the text to keep: as it is, or the messages each under its role."""
    if (request.text is None) == (not request.messages):
        raise InvalidRequest(
            "expected either a text or messages", hint="recense remember TEXT, or --messages FILE"
        )
    text = _BETWEEN.join(map(_line, request.messages)) if request.text is None else request.text
    size = len(utf8_bytes("the text", text))
    if not text.strip() or size > FACT_TEXT_BYTES_MAX:
        raise InvalidRequest(
            f"a text of {size} bytes; expected 1 to {FACT_TEXT_BYTES_MAX} that are not all blank",
            hint="keep a long text in parts, or import it as a session",
        )
    return text


def _line(message: TextMessage) -> str:
    return f"{_heading(message)}{message.text}"


def _heading(message: TextMessage) -> str:
    return f"{message.role}: "


def _author(role: str, *, is_persons: bool) -> Author:
    """Return who says what a message of a role says: what an agent hands on as the person's words
    is the agent's.
    """
    match role.strip().casefold():
        case "user":
            return "user" if is_persons else "agent"
        case "tool":
            return "tool"
        case _:
            return "agent"
