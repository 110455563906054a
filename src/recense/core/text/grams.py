"""Grams: the three-byte pieces by which an index narrows a search for any text.

Laws:

- A gram is three neighbouring bytes of UTF-8, so that one Han, kana or Hangul character is a gram
  by itself, and every script is treated alike.
- Where a folded term stands in an image, all of the term's grams stand in one of the image's
  windows: `windows` overlap by WINDOW_OVERLAP_BYTES, and a longer term asks by as much of it
  (`piece_of`). So an index over windows can leave out what lacks a gram, and a window that lacks
  the piece, and never a message that holds the term.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from struct import pack
from typing import Final

from recense.limits import GRAMS_ASKED_MAX, WINDOW_BYTES, WINDOW_OVERLAP_BYTES

GRAM_BYTES: Final = 3
_NUMBER_BYTES: Final = 4
"""Bytes of a number in memory that a gram fits in."""

_FREQUENT_FIRST: Final = b" etaoinsrlhdcumpfg\nyw.bv0k1-/,2\"_:x=()j3q54z'9687"
"""Bytes of code and prose in many languages, the most frequent first: which of the grams that no
count tells apart are asked is a matter of speed alone."""

_RARITIES: Final = tuple(
    _FREQUENT_FIRST.index(byte) if byte in _FREQUENT_FIRST else len(_FREQUENT_FIRST)
    for byte in range(256)
)
"""By byte, its place by frequency."""


def window_start(number: int) -> int:
    """Return at which byte of an image a window begins; the first has the number 0."""
    return number * (WINDOW_BYTES - WINDOW_OVERLAP_BYTES)


def windows(image: bytes) -> Iterator[bytes]:
    """Yield an image in overlapping windows of at most WINDOW_BYTES; at least one.

    A long log in one piece would hold nearly every gram, and be offered for nearly every term.
    """
    yield image[:WINDOW_BYTES]
    stride = WINDOW_BYTES - WINDOW_OVERLAP_BYTES
    for start in range(stride, len(image) - WINDOW_OVERLAP_BYTES, stride):
        yield image[start : start + WINDOW_BYTES]


def window_count(image_bytes: int) -> int:
    """Return how many windows `windows` yields of an image of so many bytes."""
    stride = WINDOW_BYTES - WINDOW_OVERLAP_BYTES
    return 1 + len(range(stride, image_bytes - WINDOW_OVERLAP_BYTES, stride))


def distinct_grams(folded_term: bytes) -> tuple[bytes, ...]:
    """Return the grams by which a term may be asked for, each once; none for a term shorter than a
    gram, which cannot be asked for.
    """
    return tuple(dict.fromkeys(_grams(piece_of(folded_term))))


def asked_grams(grams: Iterable[bytes], texts: Mapping[bytes, int]) -> tuple[bytes, ...]:
    """Return the grams by which a term is asked for, of those that it has: the rarest, at most
    GRAMS_ASKED_MAX of them.

    ``texts`` says in how many of some texts a gram stands, in none where it says nothing; of
    equals the seemingly rarer is the rarer.
    """
    by_rarity = sorted(grams, key=lambda gram: (texts.get(gram, 0), -_rarity(gram)))
    return tuple(by_rarity[:GRAMS_ASKED_MAX])


def gram_counts(images: Iterable[bytes]) -> dict[bytes, int]:
    """Return in how many of these texts each of their grams stands."""
    counts: Counter[int] = Counter()
    for image in images:
        counts.update(set(_numbers(image)))
    return {_gram_of(number): count for number, count in counts.items()}


def piece_of(folded_term: bytes) -> bytes:
    """Return as much of a term as stands in one window wherever the term stands."""
    return folded_term[:WINDOW_OVERLAP_BYTES]


def _rarity(gram: bytes) -> int:
    """Return how rare a gram seems: the sum over its bytes of their place by frequency."""
    return sum(_RARITIES[byte] for byte in gram)


def _numbers(text: bytes) -> Sequence[int]:
    """Return every gram of a text, in order, as the number that its bytes and a zero are in memory:
    numbers are told apart several times as fast as bytes.
    """
    count = max(0, len(text) - GRAM_BYTES + 1)
    cells = bytearray(_NUMBER_BYTES * count)
    for place in range(GRAM_BYTES):
        cells[place::_NUMBER_BYTES] = text[place : place + count]
    return memoryview(cells).cast("I")


def _gram_of(number: int) -> bytes:
    return pack("=I", number)[:GRAM_BYTES]


def _grams(text: bytes) -> Iterator[bytes]:
    return (text[at : at + GRAM_BYTES] for at in range(len(text) - GRAM_BYTES + 1))
