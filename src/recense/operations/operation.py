"""What an operation is: described once, for every door that offers it."""

from typing import Generic, Literal, TypeVar

from recense.core.values import Value

Surface = Literal["text", "typed", "agent", "admin"]
"""Who asks: a model in words, one that knows the registry, an agent about itself, or who keeps the
store."""

Scope = Literal["recall", "remember", "agent", "import", "admin"]
"""What a credential has to allow."""

_Asked_co = TypeVar("_Asked_co", bound=Value, covariant=True)
_Answered_co = TypeVar("_Answered_co", bound=Value, covariant=True)


class Operation(Value, Generic[_Asked_co, _Answered_co], kw_only=True):
    """An operation as it is on the wire: its name, in a line what it does, what is asked and what
    is answered.

    ``changes``: something may be different afterwards. ``repeatable``: asking the same again right
    after changes nothing more, so that who got no answer may ask again. ``destructive``: what was
    said is withdrawn or removed. ``secret``: what is answered is shown once and kept nowhere, so
    that nobody who asks again is given it.

    ``lasting``: it may take minutes, so that servers work on it apart from the others.
    ``abandonable``: it may be left half-way where nobody waits for the answer any more.
    ``convergent``: of a call with a key of its own a second one changes nothing more, whatever came
    between: all that it writes has keys that are made of that one.
    """

    name: str
    summary: str
    request: type[_Asked_co]
    answer: type[_Answered_co]
    surface: Surface
    scope: Scope
    changes: bool = False
    repeatable: bool = True
    destructive: bool = False
    secret: bool = False
    lasting: bool = False
    abandonable: bool = False
    convergent: bool = False


AnyOperation = Operation[Value, Value]
"""An operation, whatever it asks and answers."""
