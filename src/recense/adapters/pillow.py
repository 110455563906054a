"""Scaling images with Pillow, which the extra ``images`` brings.

Law: bytes from a session are hostile. Only formats that Pillow reads by itself are opened (others
start programs), an image is decoded only when its header says it has few enough pixels, and one at
a time. Whatever Pillow raises or warns of damaged bytes is no answer rather than an error.
"""

import io
import warnings
from collections.abc import Iterator
from threading import Lock
from typing import Final

from PIL import Image, ImageOps

from recense.ports.images import ScaledImage

_FORMATS: Final = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")

_KEPT_MODES: Final = frozenset({"L", "LA", "RGB", "RGBA"})
"""Modes that PNG has and that scale as they are; of any other, like a palette, colours are made
first."""

_JPEG_QUALITIES: Final = (85, 60, 35)
"""Tried in this order until the bytes are few enough."""

_DAMAGE: Final = (
    OSError,  # no image, or one that ends too early
    SyntaxError,  # a broken PNG
    ValueError,  # impossible sizes and modes
    OverflowError,
    EOFError,
    Image.DecompressionBombError,
)
"""What Pillow raises for bytes that are not the image they say they are."""


_one_at_a_time: Final = Lock()
"""An image takes memory by its pixels, and warnings are turned off for the whole process."""


class PillowScaler:
    """The images of Pillow; see `recense.ports.images.ImageScaler`."""

    def scaled(
        self, data: bytes, *, side_max: int, pixels_max: int, bytes_max: int
    ) -> ScaledImage | None:
        """Return a smaller image, or None where there is none to return."""
        with _one_at_a_time, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is damaged, and of a size that we judge
            try:
                with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
                    if image.width * image.height > pixels_max:
                        return None
                    versions = _versions(image, side_max)
                    return next((each for each in versions if len(each.data) <= bytes_max), None)
            except _DAMAGE:
                return None


def _versions(image: Image.Image, side_max: int) -> Iterator[ScaledImage]:
    """Yield an image, scaled, in the formats that anybody can read, the most faithful first."""
    is_photograph = image.format == "JPEG"
    if image.mode not in _KEPT_MODES:
        image = image.convert("RGBA")
    image.thumbnail((side_max, side_max))
    image = ImageOps.exif_transpose(image)
    if not is_photograph:
        yield ScaledImage(data=_saved(image, "PNG"), media_type="image/png")
    opaque = image.convert("RGB")
    for quality in _JPEG_QUALITIES:
        yield ScaledImage(data=_saved(opaque, "JPEG", quality=quality), media_type="image/jpeg")


def _saved(image: Image.Image, kind: str, **options: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()
