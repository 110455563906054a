"""Answers as Litestar sends them, and problems as answers."""

from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus

from litestar import Request, Response
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.response import Stream

from recense.errors import InvalidRequest, MethodRefused, NotFound, RecenseError
from recense.servers.http.bodies import JSON_TYPE
from recense.servers.http.parts import call_state
from recense.servers.problems import PROBLEM_TYPE, encoded, problem_headers, problem_of

Asked = Request[object, object, State]
"""A call as a handler is given it."""


def json_answer(body: bytes) -> Response[bytes]:
    """Return an answer in JSON that is encoded already."""
    return Response(body, status_code=200, media_type=JSON_TYPE)


def streamed(
    pieces: AsyncIterator[bytes],
    media_type: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Stream:
    """Return an answer that is sent piece by piece, as fast as it is taken."""
    return Stream(pieces, media_type=media_type, status_code=status, headers=dict(headers or {}))


def problem_answer(asked: Asked, error: Exception) -> Response[bytes]:
    """Return an error as an answer, and note it with the call."""
    state = call_state(asked.scope)
    refused = _of_routing(error) if isinstance(error, HTTPException) else error
    state.error = refused
    problem = problem_of(refused, trace=state.trace)
    headers = problem_headers(refused)
    if isinstance(error, HTTPException):
        headers |= error.headers or {}  # the router's, such as Allow
    return Response(
        encoded(problem), status_code=problem.status, media_type=PROBLEM_TYPE, headers=headers
    )


def _of_routing(error: HTTPException) -> RecenseError:
    """Return what an error of the router is in our words."""
    match error.status_code:
        case HTTPStatus.NOT_FOUND:
            return NotFound(
                "there is nothing at this address", hint="/schema lists all that there is"
            )
        case HTTPStatus.METHOD_NOT_ALLOWED:
            return MethodRefused(
                "this address takes another method", hint="the header Allow says which"
            )
        case _:
            return InvalidRequest(
                "the request cannot be understood", hint="/schema says what is expected"
            )
