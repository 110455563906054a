"""Patterns that are compiled when they are first used.

Law: a module that names many patterns costs a process only those it uses. A command answers one
question and ends, and to compile every pattern of the house takes longer than the answer. The
module ``regex`` is loaded with the first pattern that needs it, for the same reason.

What is returned here is used by its methods, as a compiled pattern is; it is none, so it does not
go where one is expected by its type (`re.sub(pattern, …)`, `isinstance`). A pattern that is no
pattern raises where it is first used.
"""

import functools
import re
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, AnyStr, Final, cast

if TYPE_CHECKING:
    import regex


class _LatePattern:
    """Takes every attribute from the pattern that it compiles when it is first asked for one.

    What was asked for stays with it, so that a second use is as fast as that of any attribute.
    """

    def __init__(self, compiled: Callable[[], object]) -> None:
        self._compiled: Final = functools.cache(compiled)

    def __getattr__(self, name: str) -> object:
        found: object = getattr(self._compiled(), name)
        setattr(self, name, found)
        return found


def late_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what ``re.compile`` returns, as far as its methods go, compiled at its first use."""
    return cast("re.Pattern[AnyStr]", _LatePattern(lambda: re.compile(pattern, flags)))


def late_regex(pattern: AnyStr) -> "regex.Pattern[AnyStr]":
    """Return what ``regex.compile`` returns, in the same way; flags stand in the pattern."""
    late = _LatePattern(lambda: import_module("regex").compile(pattern))
    return cast("regex.Pattern[AnyStr]", late)
