"""Remembering a bounded number of things in little room, for state that goes from page to page."""

from hashlib import blake2b
from typing import TypeVar

_Key = TypeVar("_Key")
_Entry = TypeVar("_Entry")


def forget_oldest(entries: dict[_Key, _Entry], count_max: int) -> None:
    """Leave at most ``count_max`` entries: those that came last."""
    while len(entries) > count_max:
        del entries[next(iter(entries))]


def stand_in(text: str, size: int) -> bytes:
    """Return ``size`` bytes that stand for a text, so that state does not grow with it.

    The same text gives the same bytes; two texts give the same by chance only. Lone surrogates are
    taken as they are.
    """
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()
