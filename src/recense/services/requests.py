"""Requests: what is asked is admitted, or refused before any store is touched.

Law: a value outside its bounds is refused by its name and its bounds; nothing is cut or ignored.
"""

from typing import Literal

from recense.core.recall.filters import Period, period_of
from recense.core.recall.terms import Term, admit_question, admit_terms
from recense.core.recall.when import AskedPeriod, asked_periods
from recense.core.transcript.records import Origin
from recense.core.values import Value
from recense.errors import Incognito, InvalidRequest
from recense.limits import MORE_MESSAGES_MAX, PASSAGES_MAX, RERANKED_HITS_MAX
from recense.operations.recall import Exclude, MoreRequest, RecallRequest
from recense.services.admission import typed


class Query(Value, kw_only=True):
    """A request of recall that was admitted: what is searched, and among what.

    ``asked_periods`` are those that the question names from where the asker stands;
    ``terms_are_derived`` says that the terms are the question's own words. ``reranked_max`` is how
    many hits a question re-ranks.
    """

    terms: tuple[Term, ...]
    terms_left_out: int = 0
    question: str | None
    limit: int
    session: str | None
    workspace: str | None
    period: Period
    origin: Origin | Literal["all"] | None
    exclude: Exclude | None
    asked_periods: tuple[AskedPeriod, ...] = ()
    terms_are_derived: bool = False
    reranked_max: int = RERANKED_HITS_MAX

    def given_terms(self) -> tuple[Term, ...]:
        """Return the terms that the caller gave; those that the question gave are in it."""
        return () if self.terms_are_derived else self.terms

    def folded_terms(self) -> tuple[str, ...]:
        """Return the forms that are searched, in the order of the terms."""
        return tuple(term.folded for term in self.terms)


def require_recall_allowed(*, incognito: bool) -> None:
    """Refuse whatever would read sessions while the person is incognito (Incognito)."""
    if incognito:
        raise Incognito(
            "incognito is on: nothing is recalled",
            hint="turn the setting incognito off (recense doctor says where it stands)",
        )


def admit(request: RecallRequest, now: int) -> Query:
    """Return the query of a request that is made now, before any store is touched.

    Raises InvalidRequest for a value outside its bounds, CredentialShaped for a text that redaction
    would change.
    """
    request = typed(request, RecallRequest)
    admit_limit(request.limit)
    if request.workspace is not None and not request.workspace.strip():
        raise InvalidRequest("workspace is blank", hint="leave it out to search every workspace")
    question = admit_question(request.question)
    admitted = admit_terms(request.terms, question)
    return Query(
        terms=admitted.terms,
        terms_left_out=admitted.left_out,
        question=question,
        limit=request.limit,
        session=request.session,
        workspace=request.workspace,
        period=period_of(request.since, request.until),
        origin=request.origin,
        exclude=request.exclude,
        asked_periods=() if question is None else asked_periods(question, now),
        terms_are_derived=not request.terms,
    )


def admit_limit(limit: int) -> None:
    """Refuse a number of passages outside its bounds (InvalidRequest)."""
    if not 1 <= limit <= PASSAGES_MAX:
        raise InvalidRequest(f"limit is {limit}; expected 1 to {PASSAGES_MAX}")


def admit_more(request: MoreRequest) -> MoreRequest:
    """Return the request as it is; raises InvalidRequest for a value outside its bounds."""
    request = typed(request, MoreRequest)
    for name, count in (("before", request.before), ("after", request.after)):
        if not 0 <= count <= MORE_MESSAGES_MAX:
            raise InvalidRequest(f"{name} is {count}; expected 0 to {MORE_MESSAGES_MAX}")
    if request.offset is not None and request.offset < 0:
        raise InvalidRequest(f"offset is {request.offset}; expected 0 or more")
    return request
