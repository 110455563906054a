"""The operation that gives the bytes of a material."""

from typing import Literal

from recense.core.transcript.messages import Material
from recense.core.values import Value


class MaterialRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """The material whose bytes are asked for, by the id that an answer gave it."""

    material: str


class MaterialBytes(Value, kw_only=True):
    """A material and its bytes as they leave.

    ``material`` is what is kept, as recall describes it. ``data`` is that, or what ``changed`` says
    was made of it: an image ``scaled`` to leave, a text with secrets ``redacted``. ``media_type``
    and ``sha256`` are those of ``data``.
    """

    material: Material
    media_type: str
    sha256: str
    data: bytes
    changed: Literal["scaled", "redacted"] | None = None
