"""Changes: what one event does to the messages of a session, in the order in which they apply."""

from recense.core.transcript.messages import Flag, Material, Message, Run
from recense.core.values import Value


class Opened(Value, kw_only=True):
    """A message that an event opened, and the code points of its own text."""

    message: Message
    length: int


class Grown(Value, kw_only=True):
    """What a later event added to a message: runs, materials, code points of own text."""

    position: int
    runs: tuple[Run, ...] = ()
    materials: tuple[Material, ...] = ()
    length: int = 0


class Flagged(Value, kw_only=True):
    """A flag that messages ``first`` to ``last`` (inclusive) now carry."""

    first: int
    last: int
    flag: Flag


class Unflagged(Value, kw_only=True):
    """A flag that messages ``first`` to ``last`` (inclusive), which carry it, lose; ``counts``
    says whether they carry no other and count again.
    """

    first: int
    last: int
    flag: Flag
    counts: bool


class Thought(Value, kw_only=True):
    """What the model thought before the message that comes next."""

    text: str


Change = Opened | Grown | Flagged | Unflagged | Thought
"""What `recense.core.transcript.projection.Projector` says of an event."""


class Standing(Value, kw_only=True):
    """Messages (first and last inclusive) that no longer count, or, ``live``, count again."""

    first: int
    last: int
    live: bool
