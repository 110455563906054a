"""Problems: how an error leaves a server, as RFC 9457 has it.

Laws: the stable code of an error decides the status, and every code has one. What a problem says of
a request is what the error says, secrets hidden; of a bug of ours nothing but that it is one: its
message may quote anything.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import msgspec

from recense.core.text.redact import redact
from recense.errors import ModelUnavailable, RecenseError, ServerBusy, TooManyRequests
from recense.operations.problems import Problem

PROBLEM_TYPE: Final = "application/problem+json"
"""The media type of a problem."""

INTERNAL_ERROR: Final = "internal_error"
"""The code of a bug of ours."""

STATUS_BY_CODE: Final[Mapping[str, int]] = {
    "recense_error": 500,
    "request_refused": 400,
    "invalid_request": 400,
    "idempotency_mismatch": 422,
    "credential_shaped": 400,
    "cancelled": 503,
    "incognito": 403,
    "not_confirmed": 400,
    "needs_confirmation": 409,
    "budget_exhausted": 429,
    "not_found": 404,
    "material_unavailable": 422,
    "namespace_invalid": 400,
    "output_unwritable": 500,
    "access_refused": 403,
    "key_missing": 401,
    "key_refused": 401,
    "scope_missing": 403,
    "identity_mismatch": 403,
    "identity_refused": 401,
    "identity_unavailable": 503,
    "call_refused": 400,
    "host_refused": 403,
    "origin_refused": 403,
    "method_refused": 405,
    "content_type_refused": 415,
    "range_refused": 416,
    "request_too_large": 413,
    "request_timed_out": 408,
    "too_many_requests": 429,
    "server_busy": 503,
    "request_in_progress": 409,
    "outcome_unknown": 409,
    "source_fault": 422,
    "source_unreadable": 422,
    "source_unrecognised": 422,
    "store_fault": 503,
    "store_busy": 503,
    "store_conflict": 409,
    "store_full": 503,
    "store_corrupt": 503,
    "store_read_only": 503,
    "store_foreign": 503,
    "store_too_new": 503,
    "store_unavailable": 503,
    "lease_held": 409,
    "lease_lost": 409,
    "dimension_mismatch": 409,
    "unsupported": 501,
    "model_fault": 502,
    "model_timed_out": 504,
    "model_unavailable": 503,
    "model_rejected": 502,
    "material_rejected": 502,
    "model_answer_unusable": 502,
    "remote_fault": 502,
    "server_unreachable": 502,
    "server_fault": 502,
    "client_fault": 500,
    "client_file_unusable": 500,
    "client_file_changed": 500,
    "connection_unproven": 500,
    "settings_invalid": 500,
    "missing_extra": 501,
    INTERNAL_ERROR: 500,
}
"""The status of every code there is."""

_RETRY_AFTER_SECONDS: Final = 1
"""When to try again what may succeed unchanged, where the error does not say."""

_ENCODER: Final = msgspec.json.Encoder()


def code_of(error: BaseException) -> str:
    """Return the stable code of an error; INTERNAL_ERROR for a bug of ours."""
    return error.code if isinstance(error, RecenseError) else INTERNAL_ERROR


def problem_of(error: BaseException, *, trace: str = "") -> Problem:
    """Return the problem that an error is to who called."""
    if not isinstance(error, RecenseError):
        return _problem(
            INTERNAL_ERROR,
            f"a bug in recense: {type(error).__name__}",
            hint="report it; the log of the server has where it happened, under the trace",
            trace=trace,
        )
    return _problem(
        error.code,
        redact(error.message).text,
        hint=redact(error.hint).text,
        retryable=error.retryable,
        trace=trace,
    )


def retry_after_seconds(error: BaseException) -> int | None:
    """Return after how many seconds the same call may succeed; None where it may not, or where
    nobody can say.
    """
    match error:
        case TooManyRequests() | ServerBusy():
            return error.retry_after_seconds
        case ModelUnavailable():
            return round(error.retry_after_seconds or _RETRY_AFTER_SECONDS)
        case RecenseError(retryable=True):
            return _RETRY_AFTER_SECONDS
        case _:
            return None


def problem_headers(error: BaseException) -> dict[str, str]:
    """Return the headers of the problem of an error, beside its media type and length: when to ask
    again, and by what to prove who asks where that is not proved (RFC 9110, 11.6.1).
    """
    headers: dict[str, str] = {}
    seconds = retry_after_seconds(error)
    if seconds is not None:
        headers["retry-after"] = str(seconds)
    if STATUS_BY_CODE[code_of(error)] == HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = 'Bearer realm="recense"'
    return headers


def encoded(problem: Problem) -> bytes:
    """Return a problem as JSON."""
    return _ENCODER.encode(problem)


def _problem(code: str, detail: str, *, hint: str, trace: str, retryable: bool = False) -> Problem:
    status = STATUS_BY_CODE[code]
    return Problem(
        type=f"urn:recense:problem:{code}",
        title=HTTPStatus(status).phrase,
        status=status,
        code=code,
        detail=detail,
        hint=hint,
        retryable=retryable,
        trace=trace,
    )
