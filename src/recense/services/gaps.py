"""Gaps: what an answer says about how far it looked.

Law: gaps are complete, and the same whichever way the sessions were read: they are sums of counters
that conversion stored with the eligible sessions. An empty answer can then never be mistaken for an
unsearched store.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, get_args

from recense.core.instants import text_from_instant
from recense.core.recall.bm25 import TermFigures
from recense.core.recall.terms import Term
from recense.core.transcript.records import Origin, Session
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
from recense.ports.transcripts import ImportFile

FACTS_REASON: Final = "this release keeps no facts"
SEMANTIC_REASON: Final = "this release compares words, not meanings"

_PLACES: Final = {kind: place for place, kind in enumerate(get_args(Gap))}


def in_contract_order(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """Return gaps in the order in which the contract names their kinds."""
    return tuple(sorted(gaps, key=lambda gap: _PLACES[type(gap)]))


def gaps_of_sessions(
    eligible: Sequence[Session],
    left_out: Mapping[Origin, int],
    *,
    unconverted: int,
    unsearched: int,
) -> Iterator[Gap]:
    """Yield the gaps of the sessions that were searched or left out."""
    began = [session.created_at for session in eligible if session.created_at is not None]
    yield SessionsSearched(n=len(eligible), oldest=text_from_instant(min(began)) if began else None)
    yield from _unreadable(eligible)
    for origin in sorted(left_out):
        yield OriginLeftOut(origin=origin, sessions=left_out[origin])
    beyond = [session.counts.bytes_beyond_limit for session in eligible]
    if any(beyond):
        yield TextBeyondLimit(sessions=sum(map(bool, beyond)), bytes=sum(beyond))
    spilled = [session.counts.spilled_bodies for session in eligible]
    if any(spilled):
        yield SpilledBodyMissing(sessions=sum(map(bool, spilled)), bodies=sum(spilled))
    branches = [session.counts.branch_messages for session in eligible]
    if any(branches):
        yield BranchesLeftOut(sessions=sum(map(bool, branches)), messages=sum(branches))
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


def gaps_of_channels(*, asked_a_question: bool) -> Iterator[Gap]:
    """Yield a gap for each channel that this release does not have."""
    yield FactsUnavailable(reason=FACTS_REASON)
    if asked_a_question:
        yield SemanticUnavailable(reason=SEMANTIC_REASON)


def gaps_of_privacy(sessions: int) -> Iterator[Gap]:
    """Yield a gap for the sessions that a person hid."""
    if sessions:
        yield PrivateExcluded(sessions=sessions)


def gaps_of_files(files: Iterator[ImportFile]) -> Iterator[Gap]:
    """Yield a gap for each source of which files are known that failed to import."""
    failed = Counter(file.source for file in files if file.reason)
    for source in sorted(failed):
        yield NotImported(source=source, files=failed[source])


def _unreadable(eligible: Sequence[Session]) -> Iterator[Gap]:
    """Yield the sessions with unreadable events, those with most of them by name."""
    ranked = sorted(
        (session for session in eligible if session.counts.unreadable_events),
        key=lambda session: (-session.counts.unreadable_events, session.session_id),
    )
    for session in ranked[:UNREADABLE_SESSIONS_NAMED_MAX]:
        yield SessionUnreadable(session=session.session_id, events=session.counts.unreadable_events)
    rest = ranked[UNREADABLE_SESSIONS_NAMED_MAX:]
    if rest:
        yield SessionUnreadable(
            session=None,
            sessions=len(rest),
            events=sum(session.counts.unreadable_events for session in rest),
        )
