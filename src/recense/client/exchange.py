"""One call of an operation over HTTP, without a connection: what is sent, what is made of what
comes back, and when it is sent again.

Laws:

- A call is sent again by itself only where that cannot do anything twice: it may be repeated, has
  an idempotency key, or was refused before anything was done.
- What comes back is the answer of the operation or an error of the tree that the server itself
  raised; fields that a newer server adds are passed over.
"""

from collections.abc import Generator
from typing import Final, TypeVar

import msgspec

from recense.client.problems import error_of, is_refused_untouched, retry_after_seconds
from recense.core.values import Value
from recense.errors import InvalidRequest, RecenseError, ServerFault, ServerUnreachable
from recense.limits import (
    CLIENT_ATTEMPTS_MAX,
    CLIENT_PAUSE_SECONDS,
    CLIENT_PAUSE_SECONDS_MAX,
)
from recense.operations.idempotency import require_idempotency_key
from recense.operations.operation import Operation

OK: Final = 200

_Request = TypeVar("_Request", bound=Value)
_Answer = TypeVar("_Answer", bound=Value)


class Sending(Value, kw_only=True):
    """A request to send: the path behind the server's address, the body, and the key under which
    the server does it once, if any.
    """

    path: str
    body: bytes
    idempotency_key: str | None


class Pause(Value, kw_only=True):
    """Seconds to wait before the next step."""

    seconds: float


class ServerReply(Value, kw_only=True):
    """What came back, whole; ``retry_after`` is the header of that name, and ``address`` that under
    which the server was asked.
    """

    status: int
    body: bytes
    retry_after: str | None
    address: str = ""


class Unanswered(Value, kw_only=True):
    """Why nothing whole came back."""

    why: str


Step = Sending | Pause
Outcome = ServerReply | Unanswered | None
"""What became of a step: of a pause, nothing."""


def exchange(
    operation: Operation[_Request, _Answer], request: _Request, *, idempotency_key: str | None
) -> Generator[Step, Outcome, _Answer]:
    """Yield what is to be done next, take what became of it, and return the answer.

    Raises the error that the server tells, ServerUnreachable where nothing whole came back,
    ServerFault for what no server of ours sends, and InvalidRequest for what cannot be sent.
    """
    if idempotency_key is not None:
        require_idempotency_key(idempotency_key)
    sending = Sending(
        path=f"/v1/{operation.name}", body=_body(request), idempotency_key=idempotency_key
    )
    may_repeat = operation.repeatable or idempotency_key is not None
    for attempt in range(1, CLIENT_ATTEMPTS_MAX + 1):
        outcome = yield sending
        match outcome:
            case ServerReply(status=status) if status == OK:
                return _answer(operation, outcome)
            case ServerReply():
                error: RecenseError = error_of(outcome.status, outcome.body, outcome.address)
                again = error.retryable and (may_repeat or is_refused_untouched(error))
                wanted = retry_after_seconds(outcome.retry_after)
            case Unanswered(why=why):
                error = _unreachable(operation, why, may_repeat=may_repeat)
                again, wanted = may_repeat, 0.0
            case None:
                raise TypeError("a request was sent, and what became of it is not told")
        pause = max(wanted, CLIENT_PAUSE_SECONDS * 2 ** (attempt - 1))
        if not again or attempt == CLIENT_ATTEMPTS_MAX or pause > CLIENT_PAUSE_SECONDS_MAX:
            raise error
        yield Pause(seconds=pause)
    raise AssertionError("the last attempt returns or raises")


def _body(request: Value) -> bytes:
    try:
        return msgspec.json.encode(request)
    except (UnicodeEncodeError, OverflowError, RecursionError, TypeError) as error:
        raise InvalidRequest(
            f"{type(request).__name__} cannot be written as JSON: {type(error).__name__}",
            hint="a text with a lone surrogate is no Unicode text, and numbers have 64 bits",
        ) from error


def _answer(operation: Operation[_Request, _Answer], reply: ServerReply) -> _Answer:
    try:
        return msgspec.json.decode(reply.body, type=operation.answer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ServerFault(
            f"{operation.name} was answered with {len(reply.body)} bytes that are no answer of its "
            f"kind: {error}",
            hint="look whether the address is that of a server of recense, and how new it is",
        ) from error


def _unreachable(
    operation: Operation[_Request, _Answer], why: str, *, may_repeat: bool
) -> ServerUnreachable:
    done = "" if may_repeat else "; it may have been done all the same"
    return ServerUnreachable(
        f"{operation.name} was not answered: {why}{done}",
        hint="look whether the server runs, and under which address"
        if may_repeat
        else "look what is there before asking again, or give an idempotency key",
    )
