"""Totals: what counters stored with sessions say of many of them together.

Law: every figure of an answer that is about sessions it did not find a hit in is one of these sums,
so that it is the same whichever way the sessions were read.
"""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from recense.core.transcript.records import Origin, Session
from recense.core.values import Value


class Totals(Value, kw_only=True):
    """Sums over some sessions.

    ``oldest`` is when the first of them began, of those of which it is known. ``messages`` and
    ``length`` are held, ``owned_messages`` and ``owned_length`` owned. Of the gap counters of
    `recense.core.transcript.records.Counts` it is said how many sessions have any, and how much in
    all; ``unreadable`` are the unreadable events by the id of each session that has some.
    """

    sessions: int = 0
    oldest: int | None = None
    messages: int = 0
    length: int = 0
    owned_messages: int = 0
    owned_length: int = 0
    beyond_sessions: int = 0
    beyond_bytes: int = 0
    spilled_sessions: int = 0
    spilled_bodies: int = 0
    branch_sessions: int = 0
    branch_messages: int = 0
    unreadable: Mapping[str, int] = {}


class SessionFilter(Value, kw_only=True):
    """Which sessions a request asks for; None asks for any."""

    session_id: str | None = None
    workspaces: frozenset[str] | None = None
    origins: frozenset[Origin] | None = None

    def is_near(self, session: Session) -> bool:
        """Whether a session passes all but the origins."""
        if self.session_id is not None and session.session_id != self.session_id:
            return False
        return self.workspaces is None or session.workspace in self.workspaces

    def passes(self, session: Session) -> bool:
        """Whether a session is asked for."""
        return self.is_near(session) and (self.origins is None or session.origin in self.origins)


class SettledSessions(Value, kw_only=True):
    """What the store's counters say of the sessions that are wholly converted.

    ``totals`` are of those that a filter asks for and nobody hid; ``left_out`` counts, by origin,
    those that pass all of it but the origins. ``hidden`` is the number of hidden sessions among
    all of the store, converted or not, whatever is asked for.
    """

    totals: Totals
    left_out: Mapping[Origin, int]
    hidden: int


def totals_of(sessions: Iterable[Session]) -> Totals:
    """Return the totals of sessions, added one by one."""
    rows = list(sessions)
    counts = [row.counts for row in rows]
    return Totals(
        sessions=len(rows),
        oldest=min((row.created_at for row in rows if row.created_at is not None), default=None),
        messages=sum(each.messages for each in counts),
        length=sum(each.length for each in counts),
        owned_messages=sum(row.owned_messages for row in rows),
        owned_length=sum(row.owned_length for row in rows),
        beyond_sessions=sum(each.bytes_beyond_limit > 0 for each in counts),
        beyond_bytes=sum(each.bytes_beyond_limit for each in counts),
        spilled_sessions=sum(each.spilled_bodies > 0 for each in counts),
        spilled_bodies=sum(each.spilled_bodies for each in counts),
        branch_sessions=sum(each.branch_messages > 0 for each in counts),
        branch_messages=sum(each.branch_messages for each in counts),
        unreadable={
            row.session_id: row.counts.unreadable_events
            for row in rows
            if row.counts.unreadable_events
        },
    )


def together(first: Totals, second: Totals) -> Totals:
    """Return the totals of two groups of sessions that share none."""
    known = [each.oldest for each in (first, second) if each.oldest is not None]
    return Totals(
        sessions=first.sessions + second.sessions,
        oldest=min(known, default=None),
        messages=first.messages + second.messages,
        length=first.length + second.length,
        owned_messages=first.owned_messages + second.owned_messages,
        owned_length=first.owned_length + second.owned_length,
        beyond_sessions=first.beyond_sessions + second.beyond_sessions,
        beyond_bytes=first.beyond_bytes + second.beyond_bytes,
        spilled_sessions=first.spilled_sessions + second.spilled_sessions,
        spilled_bodies=first.spilled_bodies + second.spilled_bodies,
        branch_sessions=first.branch_sessions + second.branch_sessions,
        branch_messages=first.branch_messages + second.branch_messages,
        unreadable={**first.unreadable, **second.unreadable},
    )


def with_damage(totals: Totals, damage: Mapping[str, int]) -> Totals:
    """Return totals with unreadable events that reading showed, where that is more than was known.

    ``damage`` is by session id, of sessions among those of the totals.
    """
    if not damage:
        return totals
    unreadable = dict(totals.unreadable)
    for session_id, events in damage.items():
        unreadable[session_id] = max(events, unreadable.get(session_id, 0))
    return replace(totals, unreadable=unreadable)
