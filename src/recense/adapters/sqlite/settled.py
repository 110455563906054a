"""Settled sessions, summed by the engine: no row of theirs comes into memory.

Law: what is summed here is what `recense.core.transcript.totals.totals_of` sums over the rows.
"""

import json
import threading
from typing import Final, cast
from weakref import WeakKeyDictionary

from recense.adapters.sqlite.driver import Connection, SqlValue, read_number
from recense.adapters.sqlite.rows import INSTANTS
from recense.core.transcript.records import Origin
from recense.core.transcript.totals import SessionFilter, SettledSessions, Totals, together
from recense.limits import SUMS_KEPT_MAX

_HIDDEN: Final = """
WITH RECURSIVE hidden(id) AS (
    SELECT session_id FROM sessions WHERE private = 1
    UNION
    SELECT s.session_id FROM hidden h CROSS JOIN sessions s INDEXED BY sessions_by_parent
    ON s.parent_session_id = h.id WHERE s.origin = 'subagent'
)
"""
"""The sessions that a person hid, and the sub-agents of those at any remove: found by their
parents, where the engine by itself would look at every sub-agent there is."""

_SUMS: Final = f"""
    count(*), min(CASE WHEN created_at BETWEEN {INSTANTS.start} AND {INSTANTS.stop - 1}
                  THEN created_at END),
    sum(messages), sum(length), sum(owned_messages), sum(owned_length),
    sum(bytes_beyond_limit > 0), sum(bytes_beyond_limit),
    sum(spilled_bodies > 0), sum(spilled_bodies),
    sum(branch_messages > 0), sum(branch_messages)
"""

_SETTLED: Final = "converted_through >= records"


class SettledSums:
    """Sums of settled sessions by the connections that read them; for any thread.

    Law: a sum is told again only where the engine says that nobody has written to the store since
    it was read.
    """

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._kept: Final[WeakKeyDictionary[Connection, _Sums]] = WeakKeyDictionary()

    def read(self, connection: Connection, wanted: SessionFilter) -> SettledSessions:
        """Return what `read_settled` says in the read transaction of a connection."""
        version = read_number(connection, "PRAGMA data_version")
        with self._lock:
            kept_of, sums = self._kept.get(connection, (None, {}))
        found = sums.get(wanted) if kept_of == version else None
        if found is None:
            found = read_settled(connection, wanted)
            others = sums if kept_of == version and len(sums) < SUMS_KEPT_MAX else {}
            with self._lock:
                self._kept[connection] = (version, {**others, wanted: found})
        return found


_Sums = tuple[int | None, dict[SessionFilter, SettledSessions]]


def read_settled(connection: Connection, wanted: SessionFilter) -> SettledSessions:
    """Return what the counters of settled sessions say together."""
    has_hidden = read_number(connection, "SELECT EXISTS (SELECT 1 FROM sessions WHERE private = 1)")
    prelude, visible = (_HIDDEN, " AND session_id NOT IN hidden") if has_hidden else ("", "")
    near, bindings = _near(wanted)
    totals = Totals()
    left_out: dict[Origin, int] = {}
    rows = connection.execute(
        f"{prelude}SELECT origin, {_SUMS} FROM sessions"  # noqa: S608 - of names above alone
        f" WHERE {_SETTLED}{visible}{near} GROUP BY origin",
        bindings,
    )
    for origin, *sums in rows:
        if wanted.origins is None or origin in wanted.origins:
            totals = together(totals, _totals(*sums))
        else:
            left_out[origin] = sums[0]
    hidden = (
        read_number(connection, f"{_HIDDEN}SELECT count(*) FROM hidden") if has_hidden else 0  # noqa: S608 - as above
    )
    unreadable = connection.execute(
        f"{prelude}SELECT session_id, origin, unreadable_events FROM sessions"  # noqa: S608 - as above
        f" WHERE unreadable_events > 0 AND {_SETTLED}{visible}{near}",
        bindings,
    )
    damage = {
        session_id: events
        for session_id, origin, events in unreadable
        if wanted.origins is None or origin in wanted.origins
    }
    return SettledSessions(
        totals=together(totals, Totals(unreadable=damage)),
        left_out=left_out,
        hidden=hidden or 0,
    )


def read_workspaces(connection: Connection) -> list[str]:
    """Return the distinct workspaces of the settled sessions, in order."""
    rows = connection.execute(
        f"SELECT DISTINCT workspace FROM sessions"  # noqa: S608 - of names above alone
        f" WHERE {_SETTLED} AND workspace IS NOT NULL ORDER BY workspace"
    )
    return [workspace for (workspace,) in rows]


def _near(wanted: SessionFilter) -> tuple[str, tuple[SqlValue, ...]]:
    """Return the conditions of a filter but for its origins, and what they bind."""
    conditions = ""
    bindings: list[SqlValue] = []
    if wanted.session_id is not None:
        conditions += " AND session_id = ?"
        bindings.append(wanted.session_id)
    if wanted.workspaces is not None:
        conditions += " AND workspace IN (SELECT value FROM json_each(?))"
        bindings.append(json.dumps(sorted(wanted.workspaces)))
    return conditions, tuple(bindings)


def _totals(*sums: object) -> Totals:
    (
        sessions,
        oldest,
        messages,
        length,
        owned_messages,
        owned_length,
        beyond_sessions,
        beyond_bytes,
        spilled_sessions,
        spilled_bodies,
        branch_sessions,
        branch_messages,
    ) = cast("tuple[int, ...]", sums)
    return Totals(
        sessions=sessions,
        oldest=oldest,
        messages=messages,
        length=length,
        owned_messages=owned_messages,
        owned_length=owned_length,
        beyond_sessions=beyond_sessions,
        beyond_bytes=beyond_bytes,
        spilled_sessions=spilled_sessions,
        spilled_bodies=spilled_bodies,
        branch_sessions=branch_sessions,
        branch_messages=branch_messages,
    )
