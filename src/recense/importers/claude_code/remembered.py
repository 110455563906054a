"""What conversion remembers of earlier records because later ones go back to it; all of it bounded.

A result names only its call, so what a call read names the image in its result. A file that a
person named stands in a record after the prompt. A queued prompt may be delivered with images long
after it was queued. The whole body of a spilled output comes before its preview.
"""

from typing import Final

from msgspec.structs import replace

from recense.core.transcript.events import Attachment, ToolCall
from recense.core.transcript.remembering import forget_oldest, stand_in
from recense.core.values import Value
from recense.importers.lines import mapping_of, text_of
from recense.limits import (
    FILE_NAME_CODE_POINTS_MAX,
    FILES_NAMED_MAX,
    QUEUED_KEYS_MAX,
    SPILLED_CALLS_MAX,
)

_STAND_IN_BYTES: Final = 8

_SHOWN_SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg", ".pdf")
"""Files of which a model is shown more than text."""


class RememberedState(Value, kw_only=True, array_like=True):
    """The key of the prompt that waits for an answer, calls whose body came, names of files by
    their call, and keys of queued prompts by their words.
    """

    prompt: str = ""
    bodies: tuple[bytes, ...] = ()
    files: dict[bytes, str] = {}
    queued: dict[bytes, str] = {}


class Remembered:
    """Is told what records say and asked by those that go back to it.

    ``prompt`` is the message key of the prompt that no model has answered yet, or "".
    """

    def __init__(self, state: RememberedState) -> None:
        self.prompt = state.prompt
        self._bodies = dict.fromkeys(state.bodies)
        self._files = dict(state.files)
        self._queued = dict(state.queued)

    def state(self) -> RememberedState:
        """Return what a later page must know."""
        return RememberedState(
            prompt=self.prompt,
            bodies=tuple(self._bodies),
            files=self._files,
            queued=self._queued,
        )

    def saw_body(self, call_id: str) -> None:
        """The whole output of a call came."""
        self._bodies[stand_in(call_id, _STAND_IN_BYTES)] = None
        forget_oldest(self._bodies, SPILLED_CALLS_MAX)

    def has_body(self, call_id: str) -> bool:
        """Whether the whole output of a call came before."""
        return stand_in(call_id, _STAND_IN_BYTES) in self._bodies

    def saw_call(self, call: ToolCall) -> None:
        """A tool was called, perhaps to read an image or a document."""
        path = text_of(mapping_of(call.arguments).get("file_path"))
        name = path.replace("\\", "/").rpartition("/")[2]
        if name.lower().endswith(_SHOWN_SUFFIXES) and len(name) <= FILE_NAME_CODE_POINTS_MAX:
            self._files[stand_in(call.call_id, _STAND_IN_BYTES)] = name
            forget_oldest(self._files, FILES_NAMED_MAX)

    def named(self, attachment: Attachment) -> Attachment:
        """Return a material with the name of the file that its call read, where it has none."""
        if attachment.name or attachment.call_id is None:
            return attachment
        name = self._files.get(stand_in(attachment.call_id, _STAND_IN_BYTES), "")
        return replace(attachment, name=name)

    def queued_as(self, words: str, key: str) -> str:
        """Return the message key under which these words were queued first; this one if now."""
        digest = stand_in(words.strip(), _STAND_IN_BYTES)
        first = self._queued.setdefault(digest, key)
        forget_oldest(self._queued, QUEUED_KEYS_MAX)
        return first
