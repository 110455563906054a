"""Versions of the rules by which an index is made: what other rules made is not vouched for.

Laws: a change of what projection, folding, images or grams give is another INDEX_VERSION; a change
of what redaction finds is another REDACTION_VERSION, and leaves the grams as they are: what the
index then offers is redacted again. A test holds the sources of these rules to the versions here.
"""

from hashlib import blake2b
from typing import Final

from recense.core.text.fold import FOLD_VERSION

_PROJECTION: Final = 1
_IMAGES: Final = 1
_GRAMS: Final = 3

REDACTION_VERSION: Final = 2
"""Of the rules of redaction; stored with each session's images."""

_VERSION_BYTES: Final = 6

INDEX_VERSION: Final = 1 + int.from_bytes(
    blake2b(
        f"{_PROJECTION} {FOLD_VERSION} {_IMAGES} {_GRAMS}".encode(), digest_size=_VERSION_BYTES
    ).digest(),
    "big",
)
"""Of projection, folding (with the Unicode of this Python), images and grams, as one number above
0: 0 is no index."""
