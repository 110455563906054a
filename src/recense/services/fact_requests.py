"""Requests with a key of their own: each is done once, and answers the same when it comes again.

Law: the key, what was asked and what was answered are one record, in the commit of the write; also
where nothing else was written.
"""

import re
from hashlib import sha256
from typing import Final

import msgspec

from recense.core.values import Value
from recense.errors import IdempotencyMismatch, StoreCorrupt
from recense.operations.facts import ForgetFact, ForgottenFacts, RememberedFact, RememberFact
from recense.ports.records import Record, RecordReader
from recense.services.admission import require_identifier
from recense.services.fact_collections import CONTROL
from recense.services.fact_records import request_id

_DERIVED_PREFIX: Final = "http-"
_DERIVED_DIGITS: Final = 40
_DERIVED: Final = re.compile(rf"{_DERIVED_PREFIX}[0-9a-f]{{{_DERIVED_DIGITS}}}")

_ENCODER: Final = msgspec.json.Encoder(order="sorted")


class RequestOutcome(Value, kw_only=True):
    """What became of a request with a key of its own: what it asked, and what it was answered."""

    asked: str
    answer: msgspec.Raw


_DECODER: Final = msgspec.json.Decoder(RequestOutcome)


def derived_key(call: str) -> str:
    """Return the key of a request whose caller gave one to the call and none to the request;
    ``call`` stands for that key, and for what was asked under it. It is never shown: who asked has
    not seen it.
    """
    return f"{_DERIVED_PREFIX}{sha256(call.encode()).hexdigest()[:_DERIVED_DIGITS]}"


def admit_key(key: str | None) -> None:
    """Refuse a key that names no request (InvalidRequest), or is a secret (CredentialShaped)."""
    if key is not None:
        require_identifier("the idempotency key", key)


def known_answer(reader: RecordReader, request: RememberFact | ForgetFact) -> bytes | None:
    """Return what the request was answered before, None where it is new or has no key.

    Raises IdempotencyMismatch for a key that another request has, and StoreCorrupt where what
    became of it cannot be read.
    """
    key = request.idempotency_key
    if key is None:
        return None
    found = reader.get(CONTROL, [request_id(key)]).get(request_id(key))
    if found is None:
        return None
    outcome = outcome_of(found)
    if outcome.asked != _digest(request):
        shown = "" if _DERIVED.fullmatch(key) else f" {key!r}"
        raise IdempotencyMismatch(
            f"the idempotency key{shown} was used for another request",
            hint="a key is for one request and its repetitions; use a new one",
        )
    return bytes(outcome.answer)


def outcome_of(record: Record) -> RequestOutcome:
    """Return what became of a request. Raises StoreCorrupt, by the record's id."""
    try:
        return _DECODER.decode(record.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreCorrupt(
            f"what became of the request {record.record_id!r} cannot be read: {error}",
            hint="a later release may have written it; see what holds, then use a new key",
        ) from error


def outcome_record(
    key: str, request: RememberFact | ForgetFact, answer: RememberedFact | ForgottenFacts
) -> Record:
    """Return the record that lets a request be answered the same again."""
    outcome = RequestOutcome(asked=_digest(request), answer=msgspec.Raw(_ENCODER.encode(answer)))
    return Record(collection=CONTROL, record_id=request_id(key), body=_ENCODER.encode(outcome))


def _digest(request: RememberFact | ForgetFact) -> str:
    return sha256(_ENCODER.encode(request)).hexdigest()
