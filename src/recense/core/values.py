"""The base of every value: frozen, keyword-only, compared by content."""

from typing import dataclass_transform

import msgspec


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Value(msgspec.Struct, frozen=True):
    """An immutable value; two values with equal fields are equal.

    Subclasses inherit ``frozen`` (the decorator tells type checkers so) and add ``kw_only=True``,
    which msgspec does not inherit.
    """
