"""A problem: how an error leaves a server, as RFC 9457 has it."""

from recense.core.values import Value


class Problem(Value, kw_only=True):
    """A problem on the wire. ``code`` is for programs and never changes its meaning, ``detail`` and
    ``hint`` are for people; ``retryable`` says that the same call may succeed later unchanged.
    ``trace`` is the trace of the call, by which it is found in the logs.
    """

    type: str
    title: str
    status: int
    code: str
    detail: str
    hint: str = ""
    retryable: bool = False
    trace: str = ""
