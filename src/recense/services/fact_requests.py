"""Requests with a key of their own: done once, and answered the same when they come again."""

from hashlib import sha256
from typing import Final, TypeVar

import msgspec

from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import IDENTIFIER_CODE_POINTS_MAX
from recense.operations.facts import ForgetFact, ForgottenFacts, Remembered, RememberFact
from recense.ports.records import Record, RecordReader
from recense.services.fact_records import CONTROL, request_id

_ENCODER: Final = msgspec.json.Encoder(order="sorted")
_Answer = TypeVar("_Answer", Remembered, ForgottenFacts)


class RequestOutcome(Value, kw_only=True):
    """What became of a request with a key of its own: what it asked, and what it was answered."""

    asked: str
    answer: msgspec.Raw


def known_answer(
    reader: RecordReader, request: RememberFact | ForgetFact, answer_type: type[_Answer]
) -> _Answer | None:
    """Return what the request was answered before, None where it is new.

    Raises InvalidRequest for a key that cannot be one or that another request has.
    """
    key = request.idempotency_key
    if key is None:
        return None
    if not (0 < len(key) <= IDENTIFIER_CODE_POINTS_MAX):
        raise InvalidRequest(
            f"an idempotency key of {len(key)} characters; expected 1 to "
            f"{IDENTIFIER_CODE_POINTS_MAX}"
        )
    found = reader.get(CONTROL, [request_id(key)]).get(request_id(key))
    if found is None:
        return None
    outcome = msgspec.json.decode(found.body, type=RequestOutcome)
    if outcome.asked != _digest(request):
        raise InvalidRequest(
            f"the idempotency key {key!r} was used for another request",
            hint="a key is for one request and its repetitions; use a new one",
        )
    return msgspec.json.decode(outcome.answer, type=answer_type)


def outcome_record(
    key: str, request: RememberFact | ForgetFact, answer: Remembered | ForgottenFacts
) -> Record:
    """Return the record of what became of a request."""
    outcome = RequestOutcome(asked=_digest(request), answer=msgspec.Raw(_ENCODER.encode(answer)))
    return Record(collection=CONTROL, record_id=request_id(key), body=_ENCODER.encode(outcome))


def _digest(request: RememberFact | ForgetFact) -> str:
    return sha256(_ENCODER.encode(request)).hexdigest()
