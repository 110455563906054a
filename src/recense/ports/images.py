"""Images: what we ask of a library that can read and scale them."""

from typing import Protocol

from recense.core.values import Value


class ScaledImage(Value, kw_only=True):
    """An image that was made smaller, and what it is now."""

    data: bytes
    media_type: str


class ImageScaler(Protocol):
    """Makes images smaller."""

    def scaled(
        self, data: bytes, *, side_max: int, pixels_max: int, bytes_max: int
    ) -> ScaledImage | None:
        """Return an image (of an animation the first) with its longer side at most ``side_max``
        pixels, upright, in at most ``bytes_max`` bytes of PNG or JPEG.

        An image of more than ``pixels_max`` pixels is never decoded. None for one, and for bytes
        that are no image that is understood or whose image is damaged.
        """
        ...
