"""Outputs that were too large for a session's file, read from where the agent put them.

A result then says where its whole body lies and shows how it begins. While the body is there, it is
read in the moment in which the preview is, and comes before it as a record of its own: of type
`SPILLED_OUTPUT`, of no bytes of the file, identified by the preview's uuid and the call. The agent
deletes such files; what was read stays.

Law: nothing is opened but a regular file, by its bare name, in the folder ``tool-results`` of the
session itself, or of its parent where it is a sub-agent's. What is not there stays a gap.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import Final

import msgspec

from recense.core.text.json_text import settled_text
from recense.importers.lines import SourceLine, identifier_of, list_of, mapping_of, text_of
from recense.limits import SPILLED_BYTES_MAX, SPILLED_CALLS_MAX

SPILLED_OUTPUT: Final = "recense-spilled-output"
"""The type of the records that hold such bodies."""

_PREVIEW: Final = "<persisted-output>"
_PREVIEW_BYTES: Final = _PREVIEW.encode()
_SAVED_TO: Final = re.compile(r"Full output saved to: ([^\r\n]+)")
_FOLDER: Final = "tool-results"
_SUBAGENTS: Final = "subagents"

_WHOSE: Final = ("sessionId", "agentId", "isSidechain", "parentUuid", "timestamp", "cwd")
"""What the record of a body has of the record with its preview."""


def is_preview(content: object) -> bool:
    """Whether a result's content says that its body lies elsewhere."""
    return isinstance(content, str) and content.startswith(_PREVIEW)


def with_spilled_outputs(
    lines: Iterable[SourceLine], path: PurePath, session_of: Callable[[SourceLine], str | None]
) -> Iterator[SourceLine]:
    """Yield the lines, before each that holds previews the bodies that are there.

    Of one line at most SPILLED_CALLS_MAX bodies and SPILLED_BYTES_MAX bytes are read.
    """
    for line in lines:
        if line.value is not None and _PREVIEW_BYTES in line.record:
            folder = _folder_of(path, session_of(line))
            if folder is not None:
                yield from _bodies(line.value, folder)
        yield line


def session_above(path: PurePath) -> str | None:
    """Return the session in whose folder the file of a sub-agent lies, where there is one."""
    folder = _session_folder(path)
    return None if folder is None else identifier_of(folder.name)


def _session_folder(path: PurePath) -> PurePath | None:
    return next((each.parent for each in path.parents if each.name == _SUBAGENTS), None)


def _folder_of(path: PurePath, session: str | None) -> PurePath | None:
    above = _session_folder(path)
    if above is not None:
        return above
    name = (session or "").partition("/")[0]
    return None if name in ("", ".", "..") else path.parent / name


def _bodies(value: dict[str, object], folder: PurePath) -> Iterator[SourceLine]:
    room = SPILLED_BYTES_MAX
    uuid = identifier_of(value.get("uuid"))
    blocks = list_of(mapping_of(value.get("message")).get("content"))
    for block in map(mapping_of, blocks[:SPILLED_CALLS_MAX]):
        name = _named_file(block)
        body = None if uuid is None or name is None else _body_of(folder, name, room)
        if body is None:
            continue
        data, beyond = body
        room -= len(data)
        text = settled_text(data.decode("utf-8", "replace"))
        record = {key: value[key] for key in _WHOSE if key in value} | {
            "type": SPILLED_OUTPUT,
            "uuid": f"{uuid}:spilled",
            "tool_use_id": text_of(block.get("tool_use_id")),
            "is_error": block.get("is_error") is True,
            "file": name,
            "beyond": beyond,
            "text": f"{text}\n[… {beyond} bytes more]" if beyond else text,
        }
        yield SourceLine(record=msgspec.json.encode(record), value=record, size=0)


def _named_file(block: dict[str, object]) -> str | None:
    """Return the bare name of the file that a result's preview names."""
    content = block.get("content")
    blocks = list_of(content)
    text = mapping_of(blocks[0]).get("text") if blocks else content
    saved = _SAVED_TO.search(text) if isinstance(text, str) and is_preview(text) else None
    if block.get("type") != "tool_result" or saved is None:
        return None
    name = saved.group(1).strip().replace("\\", "/").rpartition("/")[2]
    return None if name in ("", ".", "..") else name


def _body_of(folder: PurePath, name: str, room: int) -> tuple[bytes, int] | None:
    """Return the bytes of a body, as many as there is room for, and how many lie beyond."""
    inside = os.path.join(os.path.realpath(folder), _FOLDER, "")
    path = os.path.realpath(os.path.join(folder, _FOLDER, name))
    try:
        status = os.stat(path)
        if not path.startswith(inside) or not stat.S_ISREG(status.st_mode) or room <= 0:
            return None
        with open(path, "rb") as file:
            data = file.read(room)
    except (OSError, ValueError):  # not there, or not for us: the preview stays, marked as a gap
        return None
    return data, max(0, status.st_size - len(data))
