"""Requests: what a caller hands in, as any mapping, becomes a request or is refused.

Law: an unknown field is an error that names the nearest known one; nothing is ignored.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Literal, TypeVar, cast

import msgspec

from recense.core.recall.filters import Period, period_of
from recense.core.recall.terms import Term, admit_question, admit_terms
from recense.core.transcript.records import Origin
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import MORE_MESSAGES_MAX, PASSAGES_MAX
from recense.operations.recall import Exclude, MoreRequest, RecallRequest

_Request = TypeVar("_Request", RecallRequest, MoreRequest)


class Query(Value, kw_only=True):
    """A request of recall that was admitted: what is searched, and among what."""

    terms: tuple[Term, ...]
    question: str | None
    limit: int
    session: str | None
    workspace: str | None
    period: Period
    origin: Origin | Literal["all"] | None
    exclude: Exclude | None

    def folded_terms(self) -> tuple[str, ...]:
        """Return the forms that are searched, in the order of the terms."""
        return tuple(term.folded for term in self.terms)


def recall_request(fields: Mapping[str, object]) -> RecallRequest:
    """Return the recall request of these fields; raises InvalidRequest where they are none."""
    return _request(fields, RecallRequest)


def more_request(fields: Mapping[str, object]) -> MoreRequest:
    """Return the recall_more request of these fields; raises InvalidRequest where they are none."""
    return _request(fields, MoreRequest)


def admit(request: RecallRequest) -> Query:
    """Return the query of a request, before any store is touched.

    Raises InvalidRequest for a value outside its bounds, CredentialShaped for a text that redaction
    would change.
    """
    if not 1 <= request.limit <= PASSAGES_MAX:
        raise InvalidRequest(f"limit is {request.limit}; expected 1 to {PASSAGES_MAX}")
    if request.workspace is not None and not request.workspace.strip():
        raise InvalidRequest("workspace is blank", hint="leave it out to search every workspace")
    question = admit_question(request.question)
    return Query(
        terms=admit_terms(request.terms, question),
        question=question,
        limit=request.limit,
        session=request.session,
        workspace=request.workspace,
        period=period_of(request.since, request.until),
        origin=request.origin,
        exclude=request.exclude,
    )


def admit_more(request: MoreRequest) -> MoreRequest:
    """Return the request as it is; raises InvalidRequest for a value outside its bounds."""
    for name, count in (("before", request.before), ("after", request.after)):
        if not 0 <= count <= MORE_MESSAGES_MAX:
            raise InvalidRequest(f"{name} is {count}; expected 0 to {MORE_MESSAGES_MAX}")
    if request.offset is not None and request.offset < 0:
        raise InvalidRequest(f"offset is {request.offset}; expected 0 or more")
    return request


def _request(fields: Mapping[str, object], kind: type[_Request]) -> _Request:
    _refuse_unknown(fields, kind.__struct_fields__, "")
    exclude = fields.get("exclude")
    if isinstance(exclude, Mapping):
        named = cast("Mapping[str, object]", exclude)
        _refuse_unknown(named, Exclude.__struct_fields__, "exclude.")
    try:
        return msgspec.convert(dict(fields), kind)
    except msgspec.ValidationError as error:
        raise InvalidRequest(f"a field has a wrong value: {error}") from error


def _refuse_unknown(fields: Mapping[str, object], known: Sequence[str], prefix: str) -> None:
    for name in fields:
        if name not in known:
            nearest = get_close_matches(name, known, n=1, cutoff=0.0)[0]
            raise InvalidRequest(
                f"unknown field {prefix + name!r}; the nearest known one is {prefix + nearest!r}",
                hint="the fields are " + ", ".join(prefix + field for field in known),
            )
