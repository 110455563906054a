"""Materials: the bytes of an attachment, for whoever may see the message it is on.

Laws: an id names a material on a message that recall could show now, and is never a path. Whatever
an id leads to that may not be seen (nothing, another's, a private session, a message that is left
out) is one and the same answer. A text is redacted before it leaves, also where secrets are kept.
Nothing is written.
"""

import hashlib
from collections.abc import Callable

from recense.core.ids import split_material_id, unknown_material
from recense.core.transcript.materials import shown
from recense.core.transcript.messages import Material, can_match
from recense.core.transcript.payload_texts import redacted_payload
from recense.errors import MaterialUnavailable, MissingExtra, StoreCorrupt
from recense.limits import (
    IMAGE_BYTES_MAX,
    IMAGE_PIXELS_MAX,
    IMAGE_SIDE_PIXELS_MAX,
    MATERIAL_BYTES_MAX,
)
from recense.operations.materials import MaterialBytes
from recense.ports.images import ImageScaler
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.conversion import Load
from recense.services.eligibility import readable_session
from recense.services.requests import require_recall_allowed


class Materials:
    """The materials of one store.

    ``load_scaler`` gives what scales images, or None where nothing can; it is asked when needed.
    """

    def __init__(
        self,
        store: TranscriptStore,
        load: Load,
        load_scaler: Callable[[], ImageScaler | None],
        *,
        incognito: bool,
    ) -> None:
        self._store = store
        self._load = load
        self._load_scaler = load_scaler
        self._incognito = incognito

    def recall_material(self, material_id: str) -> MaterialBytes:
        """Return a material and its bytes. Repeating it gives the same.

        An image of at most IMAGE_BYTES_MAX leaves as it is, a larger one scaled to
        IMAGE_SIDE_PIXELS_MAX. Raises Incognito; NotFound for an id that leads to nothing this
        caller may see, whatever the reason; MaterialUnavailable for bytes that the source never
        gave, that are damaged, or that are more than leaves; MissingExtra for a large image where
        nothing can scale it.
        """
        require_recall_allowed(incognito=self._incognito)
        session_id, event_id = split_material_id(material_id)
        with self._store.snapshot() as reader:
            material = self._found(reader, session_id, event_id)
            data = _blob(reader, material)
        kept = shown(material, session_id)
        if material.kind == "image":
            return self._image(kept, data)
        if len(data) > MATERIAL_BYTES_MAX:
            raise MaterialUnavailable(
                f"the material has {len(data)} bytes; at most {MATERIAL_BYTES_MAX} leave",
                hint="the session's own file has it",
            )
        return _redacted(kept, data)

    def _found(self, reader: TranscriptReader, session_id: str, event_id: str) -> Material:
        loaded = readable_session(reader, self._load, session_id)
        for message in () if loaded is None else loaded.transcript.messages:
            for material in message.materials:
                if material.id == event_id and can_match(message):
                    return material
        raise unknown_material()

    def _image(self, kept: Material, data: bytes) -> MaterialBytes:
        if len(data) <= IMAGE_BYTES_MAX:
            return _redacted(kept, data)
        scaler = self._load_scaler()
        if scaler is None:
            raise MissingExtra(
                f"the image has {len(data)} bytes; at most {IMAGE_BYTES_MAX} leave as they are, and"
                " nothing is installed that can scale it",
                hint="pip install 'recense[images]'",
            )
        scaled = scaler.scaled(
            data,
            side_max=IMAGE_SIDE_PIXELS_MAX,
            pixels_max=IMAGE_PIXELS_MAX,
            bytes_max=IMAGE_BYTES_MAX,
        )
        if scaled is None:
            raise MaterialUnavailable(
                f"the image has {len(data)} bytes, more than {IMAGE_BYTES_MAX}, and cannot be"
                f" scaled: it is damaged, of an unknown format, or of more than {IMAGE_PIXELS_MAX}"
                " pixels",
                hint="the session's own file has it",
            )
        return MaterialBytes(
            material=kept,
            media_type=scaled.media_type,
            sha256=_digest(scaled.data),
            data=scaled.data,
            changed="scaled",
        )


def _blob(reader: TranscriptReader, material: Material) -> bytes:
    """Return the bytes that are kept of a material; raises MaterialUnavailable."""
    if material.sha256 is None:
        raise MaterialUnavailable(
            "the bytes of this material are not kept by themselves: its source named a file, gave"
            " more than is kept, or gave so little that it stands in the message's own record",
            hint="the session's own file may have it",
        )
    try:
        data = reader.blob(material.sha256)
    except StoreCorrupt as error:
        raise _damaged() from error
    if data is None or _digest(data) != material.sha256:
        raise _damaged()
    return data


def _damaged() -> MaterialUnavailable:
    return MaterialUnavailable(
        "the bytes of this material are damaged or lost in the store",
        hint="recense doctor says what is wrong",
    )


def _redacted(kept: Material, data: bytes) -> MaterialBytes:
    """Return a material whose bytes leave as they are, but for the secrets of a text."""
    leaving = redacted_payload(data)
    return MaterialBytes(
        material=kept,
        media_type=kept.media_type,
        sha256=_digest(leaving),
        data=leaving,
        changed=None if leaving == data else "redacted",
    )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
