"""Gaps: what an answer says about how far it looked.

Law: gaps are complete, and the same whichever way the sessions were read: they are sums of counters
that conversion stored with the eligible sessions. An empty answer can then never be mistaken for an
unsearched store.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, get_args

from recense.core.instants import text_from_instant
from recense.core.recall.bm25 import TermFigures
from recense.core.recall.terms import Term
from recense.core.transcript.records import Origin
from recense.core.transcript.totals import Totals
from recense.limits import UNREADABLE_SESSIONS_NAMED_MAX
from recense.operations.recall import (
    BranchesLeftOut,
    FactsUnavailable,
    Gap,
    NotConverted,
    NotImported,
    OriginLeftOut,
    PrivateExcluded,
    SemanticUnavailable,
    SessionsSearched,
    SessionUnreadable,
    SpilledBodyMissing,
    TermsLeftOut,
    TextBeyondLimit,
    UnmatchedTerm,
)

SEMANTIC_REASON: Final = "this release compares words, not meanings"

_PLACES: Final = {kind: place for place, kind in enumerate(get_args(Gap))}


def in_contract_order(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """Return gaps in the order in which the contract names their kinds."""
    return tuple(sorted(gaps, key=lambda gap: _PLACES[type(gap)]))


def gaps_of_sessions(
    totals: Totals,
    left_out: Mapping[Origin, int],
    *,
    unconverted: int,
    unsearched: int,
) -> Iterator[Gap]:
    """Yield the gaps of the sessions that were searched (``totals``) or left out."""
    oldest = None if totals.oldest is None else text_from_instant(totals.oldest)
    yield SessionsSearched(n=totals.sessions, oldest=oldest)
    yield from _unreadable(totals.unreadable)
    for origin in sorted(left_out):
        yield OriginLeftOut(origin=origin, sessions=left_out[origin])
    if totals.beyond_sessions:
        yield TextBeyondLimit(sessions=totals.beyond_sessions, bytes=totals.beyond_bytes)
    if totals.spilled_sessions:
        yield SpilledBodyMissing(sessions=totals.spilled_sessions, bodies=totals.spilled_bodies)
    if totals.branch_sessions:
        yield BranchesLeftOut(sessions=totals.branch_sessions, messages=totals.branch_messages)
    if unconverted:
        yield NotConverted(n=unconverted)
    if unsearched:
        yield NotConverted(n=unsearched, searched=False)


def gaps_of_terms(
    terms: Sequence[Term], figures: Sequence[TermFigures], *, left_out: int
) -> Iterator[Gap]:
    """Yield a gap for each term that no verified hit holds, and one for those left out."""
    if left_out:
        yield TermsLeftOut(n=left_out)
    for term, of_term in zip(terms, figures, strict=True):
        if not of_term.df:
            yield UnmatchedTerm(term=term.spelled)


def gaps_of_channels(why_no_facts: str, *, asked_a_question: bool) -> Iterator[Gap]:
    """Yield a gap for each channel that did not answer; ``why_no_facts`` is empty where facts
    did.
    """
    if why_no_facts:
        yield FactsUnavailable(reason=why_no_facts)
    if asked_a_question:
        yield SemanticUnavailable(reason=SEMANTIC_REASON)


def gaps_of_privacy(sessions: int) -> Iterator[Gap]:
    """Yield a gap for the sessions that a person hid."""
    if sessions:
        yield PrivateExcluded(sessions=sessions)


def gaps_of_files(failed: Mapping[str, int]) -> Iterator[Gap]:
    """Yield a gap for each source of which files are known that failed to import."""
    for source in sorted(failed):
        yield NotImported(source=source, files=failed[source])


def _unreadable(events: Mapping[str, int]) -> Iterator[Gap]:
    """Yield the sessions with unreadable events, those with most of them by name."""
    ranked = sorted(events.items(), key=lambda each: (-each[1], each[0]))
    for session_id, count in ranked[:UNREADABLE_SESSIONS_NAMED_MAX]:
        yield SessionUnreadable(session=session_id, events=count)
    rest = ranked[UNREADABLE_SESSIONS_NAMED_MAX:]
    if rest:
        yield SessionUnreadable(
            session=None, sessions=len(rest), events=sum(count for _, count in rest)
        )
