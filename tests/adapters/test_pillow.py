"""Images that are too large, hostile or broken, and what becomes of them."""

import io
import struct
import zlib

import pytest
from PIL import Image

from recense.adapters.pillow import PillowScaler
from recense.ports.images import ScaledImage

MEGABYTE = 1024 * 1024


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def scaled(
    data: bytes, *, side: int = 100, pixels: int = 64_000_000, size: int = 5 * MEGABYTE
) -> ScaledImage | None:
    return PillowScaler().scaled(data, side_max=side, pixels_max=pixels, bytes_max=size)


def opened(answer: ScaledImage | None) -> Image.Image:
    assert answer is not None
    image = Image.open(io.BytesIO(answer.data))
    assert answer.media_type == f"image/{(image.format or '').lower()}"
    image.load()
    return image


def png_of(width: int, height: int) -> bytes:
    """Return a PNG whose header says it has this size; nothing of its pixels is there."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 1_000))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"])
@pytest.mark.parametrize(("size", "expected"), [((400, 200), (100, 50)), ((20, 300), (7, 100))])
def test_the_longer_side_is_as_long_as_it_may_be(
    kind: str, size: tuple[int, int], expected: tuple[int, int]
) -> None:
    answer = opened(scaled(encoded(Image.new("RGB", size, "red"), kind)))
    assert answer.size == expected
    assert answer.format == ("JPEG" if kind == "JPEG" else "PNG")


def test_a_small_image_is_not_made_larger() -> None:
    assert opened(scaled(encoded(Image.new("RGB", (30, 20)), "PNG"))).size == (30, 20)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_images_of_every_mode_are_scaled(mode: str) -> None:
    assert opened(scaled(encoded(Image.new(mode, (400, 200)), "PNG"))).size == (100, 50)


def test_transparency_stays() -> None:
    clear = Image.new("RGBA", (400, 200), (255, 0, 0, 0))
    assert opened(scaled(encoded(clear, "PNG"))).getextrema()[-1] == (0, 0)


def test_a_photograph_comes_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    data = encoded(Image.new("RGB", (400, 200)), "JPEG", exif=exif)
    assert opened(scaled(data)).size == (50, 100)


def test_an_image_that_stays_too_large_becomes_a_photograph_or_nothing() -> None:
    noise = Image.effect_noise((400, 400), 100)
    data = encoded(noise, "PNG")
    as_png, as_jpeg = (scaled(data, side=400, size=size) for size in (200_000, 90_000))
    assert as_png is not None
    assert as_jpeg is not None
    assert (as_png.media_type, as_jpeg.media_type) == ("image/png", "image/jpeg")
    assert len(as_jpeg.data) <= 90_000
    assert scaled(data, side=400, size=1_000) is None


@pytest.mark.parametrize("side", [8_001, 60_000, 2**31 - 1])
def test_a_bomb_is_not_decoded_and_is_no_warning(side: int) -> None:
    assert scaled(png_of(side, 8_000)) is None
    assert scaled(encoded(Image.new("1", (500, 500)), "PNG"), pixels=249_999) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no image",
        b"\x89PNG\r\n\x1a\n",
        png_of(0, 0),
        png_of(1_000, 1_000),
        encoded(Image.new("RGB", (400, 200)), "PNG")[:60],
        encoded(Image.new("RGB", (400, 200)), "JPEG")[:300],
        b"GIF89a" + b"\xff" * 50,
        b"II*\x00" + b"\xff" * 50,
        b"BM" + b"\xff" * 100,
        b"RIFF\xff\xff\xff\xffWEBPVP8 " + b"\x00" * 50,
    ],
    ids=range(11),
)
def test_broken_bytes_are_no_image(data: bytes) -> None:
    assert scaled(data) is None


def test_formats_that_start_programs_are_not_opened() -> None:
    postscript = encoded(Image.new("RGB", (400, 200)), "EPS")
    assert scaled(postscript) is None
