"""Writes that meet those of other processes, and are made again on what is there then."""

from collections.abc import Callable
from typing import TypeVar

from recense.errors import StoreConflict
from recense.limits import CONFLICTS_MAX

_Result = TypeVar("_Result")


def in_spite_of_conflicts(write: Callable[[], _Result]) -> _Result:
    """Return what a write returns, made again when another write came between.

    ``write`` reads what it builds on each time. After CONFLICTS_MAX attempts the last StoreConflict
    is raised.
    """
    for _ in range(CONFLICTS_MAX - 1):
        try:
            return write()
        except StoreConflict:
            continue
    return write()
