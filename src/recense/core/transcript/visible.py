"""Visible text: what of an event is matched and shown (10-ledger §2).

A user's message is what the person wrote; an answer is the answer; a tool call is its name, its
intent and the arguments a person would recognise it by; a tool result is text, not JSON. Nothing
else of an event is ever matched. What stands between brackets by our own hand (markers, captions,
truncation marks) is synthetic: shown, never matched.
"""

from collections.abc import Iterable, Iterator
from typing import Final, cast

from recense.core.text.fold import fold, folded_length
from recense.core.text.hidden_characters import ESCAPES
from recense.core.text.markers import MARKER_START
from recense.core.text.redact import MARKER
from recense.core.transcript.events import ToolCall, ToolResult
from recense.core.transcript.messages import Run
from recense.core.values import Value
from recense.limits import TOOL_RESULT_BYTES_MAX

VISIBLE_ARGUMENTS: Final = frozenset(
    {
        "command",
        "cmd",
        "description",
        "file_path",
        "filePath",
        "path",
        "paths",
        "file",
        "files",
        "notebook_path",
        "url",
        "uri",
        "query",
        "queries",
        "q",
        "pattern",
        "glob",
        "prompt",
    }
)
"""Argument names whose values a person would look for: command line, description, path, URL, query,
pattern, prompt, in the spellings that agents use."""

JOINT: Final = "\uffff"
"""Stands between the runs of an image; `fold` leaves none of it in text."""


class CutText(Value, kw_only=True):
    """Text up to the matched limit, and how many bytes of it lie beyond."""

    text: str
    bytes_beyond: int


def runs_of(text: str) -> tuple[Run, ...]:
    """Return a text as runs: redaction markers are synthetic, all else is its own."""
    if MARKER_START not in text:
        return (Run(text=text),) if text else ()
    runs: list[Run] = []
    end = 0
    for marker in MARKER.finditer(text):
        if marker.start() > end:
            runs.append(Run(text=text[end : marker.start()]))
        runs.append(Run(text=marker.group(), synthetic=True))
        end = marker.end()
    if end < len(text):
        runs.append(Run(text=text[end:]))
    return tuple(runs)


def on_new_line(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """Return the runs with the line break before them that joins fragments."""
    if not runs:
        return ()
    if runs[0].synthetic:
        return (Run(text="\n", synthetic=True), *runs)
    return (Run(text="\n" + runs[0].text), *runs[1:])


def image(runs: Iterable[Run]) -> str:
    """Return the image of these runs: own runs folded one by one, joined by U+FFFF."""
    return JOINT.join([fold(run.text) for run in runs if not run.synthetic])


def own_length(runs: Iterable[Run]) -> int:
    """Return the code points of the image of these runs."""
    lengths = [folded_length(run.text) for run in runs if not run.synthetic]
    return sum(lengths) + len(JOINT) * max(0, len(lengths) - 1)


def without_escapes(text: str) -> str:
    """Return the text without terminal escape sequences."""
    if "\x1b" not in text:
        return text
    return ESCAPES.sub("", text)


def tool_call_text(call: ToolCall) -> str:
    """Return a tool call's visible lines: name, intent, visible arguments in document order."""
    lines = [call.name]
    if call.intent:
        lines.append(call.intent)
    arguments = call.arguments
    if isinstance(arguments, dict):
        for key, value in cast("dict[str, object]", arguments).items():
            if key in VISIBLE_ARGUMENTS:
                line = _argument_line(value)
                if line and line not in lines:
                    lines.append(line)
    elif isinstance(arguments, str):
        lines.append(arguments)
    return "\n".join(lines)


def tool_result_text(result: ToolResult) -> CutText:
    """Return a tool result's text: its string leaves in document order, one a line, no escapes.

    At most TOOL_RESULT_BYTES_MAX bytes of UTF-8, cut back to a line break where there is one.
    """
    text = without_escapes("\n".join(_leaves(result.content)))
    if len(text) * 4 <= TOOL_RESULT_BYTES_MAX:
        return CutText(text=text, bytes_beyond=0)
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= TOOL_RESULT_BYTES_MAX:
        return CutText(text=text, bytes_beyond=0)
    kept = encoded[:TOOL_RESULT_BYTES_MAX]
    line_break = kept.rfind(b"\n")
    if line_break > 0:
        kept = kept[:line_break]
    cut = kept.decode("utf-8", "ignore")
    return CutText(text=cut, bytes_beyond=len(encoded) - len(cut.encode()))


def _argument_line(value: object) -> str:
    """Return an argument as a person would type it: a list of words is a command line."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        words = cast("list[object]", value)
        return " ".join(word for word in words if isinstance(word, str))
    return ""


def _leaves(content: object) -> Iterator[str]:
    """Yield the string leaves of a JSON value in document order.

    The ``type`` of a content block is a label of the wire and no text.
    """
    stack = [content]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if item:
                yield item
        elif isinstance(item, dict):
            pairs = cast("dict[str, object]", item).items()
            stack.extend(value for key, value in reversed(pairs) if key != "type")
        elif isinstance(item, list):
            stack.extend(reversed(cast("list[object]", item)))
