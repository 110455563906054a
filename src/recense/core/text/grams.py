"""Grams: the three-byte pieces by which an index narrows a search for any text.

Laws:

- A gram is three neighbouring bytes of UTF-8, so that one Han, kana or Hangul character is a gram
  by itself, and every script is treated alike.
- Where a folded term stands in an image, all of the term's grams stand in one of the image's
  windows: `windows` overlap by WINDOW_OVERLAP_BYTES, and a longer term asks by as much of it. So an
  index over windows can leave out what lacks a gram, and never a message that holds the term.
"""

from collections.abc import Iterator
from typing import Final

from recense.limits import GRAMS_ASKED_MAX, WINDOW_BYTES, WINDOW_OVERLAP_BYTES

GRAM_BYTES: Final = 3

_FREQUENT_FIRST: Final = b" etaoinsrlhdcumpfg\nyw.bv0k1-/,2\"_:x=()j3q54z'9687"
"""Bytes of code and prose in many languages, the most frequent first: which grams are asked is a
matter of speed alone."""

_RARITIES: Final = tuple(
    _FREQUENT_FIRST.index(byte) if byte in _FREQUENT_FIRST else len(_FREQUENT_FIRST)
    for byte in range(256)
)
"""By byte, its place by frequency."""


def windows(image: bytes) -> Iterator[bytes]:
    """Yield an image in overlapping windows of at most WINDOW_BYTES; at least one.

    A long log in one piece would hold nearly every gram, and be offered for nearly every term.
    """
    yield image[:WINDOW_BYTES]
    stride = WINDOW_BYTES - WINDOW_OVERLAP_BYTES
    for start in range(stride, len(image) - WINDOW_OVERLAP_BYTES, stride):
        yield image[start : start + WINDOW_BYTES]


def window_count(image: bytes) -> int:
    """Return how many windows `windows` yields."""
    stride = WINDOW_BYTES - WINDOW_OVERLAP_BYTES
    return 1 + len(range(stride, len(image) - WINDOW_OVERLAP_BYTES, stride))


def asked_grams(folded_term: bytes) -> tuple[bytes, ...]:
    """Return the grams by which a term is asked for: distinct, at most GRAMS_ASKED_MAX of them, the
    seemingly rarest; none for a term shorter than a gram, which cannot be asked for.
    """
    asked = folded_term[:WINDOW_OVERLAP_BYTES]
    grams = dict.fromkeys(asked[at : at + GRAM_BYTES] for at in range(len(asked) - GRAM_BYTES + 1))
    return tuple(sorted(grams, key=_rarity, reverse=True)[:GRAMS_ASKED_MAX])


def _rarity(gram: bytes) -> int:
    """Return how rare a gram seems: the sum over its bytes of their place by frequency."""
    return sum(_RARITIES[byte] for byte in gram)
