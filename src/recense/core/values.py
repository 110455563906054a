"""The base of every value: frozen, keyword-only, compared by content."""

from typing import dataclass_transform

import msgspec


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Value(msgspec.Struct, frozen=True, gc=False):
    """An immutable value; two values with equal fields are equal.

    What is made of values cannot come to hold itself, so the collector of cycles need not look at
    any (``gc=False``): where thousands are in memory, looking cost a tenth of a bulk write.
    Subclasses inherit both (the decorator tells type checkers of ``frozen``) and add
    ``kw_only=True``, which msgspec does not inherit.
    """
