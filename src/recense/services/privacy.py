"""Privacy of sessions: hidden, shown again, forgotten.

Laws: a hidden session, and that of a sub-agent of it, is read by nothing but what names it.
Forgetting takes a session with the sessions of its sub-agents, for they hold its words; what other
sessions hold of it, as forks do, is theirs, is named, and goes only when that is asked for. What
was forgotten does not come back: the store's tombstones keep it out of every later import.
"""

from collections.abc import Iterable, Mapping, Sequence

from recense.core.text.redact import redact
from recense.core.transcript.records import Session
from recense.operations.privacy import ForgetPlan, ForgetReport, Fork, HiddenSession
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.naming import find_session, required_session


class Privacy:
    """The privacy of the sessions of one store."""

    def __init__(self, store: TranscriptStore) -> None:
        self._store = store

    def is_forgotten(self, session: str) -> bool:
        """Return whether a session was forgotten, by its id."""
        with self._store.snapshot() as reader:
            return reader.is_forgotten(session)

    def set_private(self, session: str, *, private: bool) -> HiddenSession:
        """Hide a session from every search, or show it again; doing it again changes nothing.

        The sessions of its sub-agents are hidden with it (`recense.services.eligibility`). Raises
        NotFound when no session has this name, InvalidRequest when several have it.
        """
        with self._store.snapshot() as reader:
            named = find_session(reader, session)
        row = self._store.set_private(named.session_id, private=private)
        return HiddenSession(session=row.session_id, private=row.private)

    def plan(self, session: str, *, with_forks: bool) -> ForgetPlan:
        """Return what `forget` would remove and leave. Writes nothing; raises as `forget`."""
        with self._store.snapshot() as reader:
            return _plan(reader, session, with_forks=with_forks)

    def forget(self, session: str, *, with_forks: bool) -> ForgetReport:
        """Remove a session and its sub-agents' sessions, and with ``with_forks`` every session that
        holds records of them.

        The bytes are gone from every file of the store when this returns, unless ``bytes_gone`` is
        false. A session that was forgotten may be named again by its id: then only what is left of
        it in the store's log is removed. Raises NotFound when no session has this name and none
        was forgotten under it, InvalidRequest when several have it.
        """
        with self._store.snapshot() as reader:
            plan = _plan(reader, session, with_forks=with_forks)
        gone = self._store.forget(plan.sessions)
        return ForgetReport(
            sessions=plan.sessions,
            records=gone.records,
            events=gone.events,
            messages=gone.messages,
            blobs=gone.blobs,
            forks=plan.forks,
            bytes_gone=gone.bytes_gone,
        )


def _plan(reader: TranscriptReader, session: str, *, with_forks: bool) -> ForgetPlan:
    if reader.is_forgotten(session) and reader.session(session) is None:
        return ForgetPlan(sessions=(session,), forks=())
    rows = {row.session_id: row for row in reader.sessions()}
    named = required_session(rows.values(), session)
    chosen = _with_sub_agents([named.session_id], rows)
    if with_forks:
        chosen = _with_sub_agents([*chosen, *_forks(reader, chosen, rows)], rows)
    forks = _forks(reader, chosen, rows)
    return ForgetPlan(
        sessions=tuple(chosen),
        forks=tuple(
            Fork(session=name, title=_title(rows[name]), shared_records=shared)
            for name, shared in sorted(forks.items())
        ),
    )


def _forks(
    reader: TranscriptReader, chosen: Sequence[str], rows: Mapping[str, Session]
) -> dict[str, int]:
    """Return the other sessions that hold text of these, and how many records they are known to
    share: by identity, and, where a source gives its records none, by the family that its sessions
    say they are of.
    """
    forks = reader.holders(chosen)
    families = {rows[name].revision_root or name for name in chosen}
    for row in rows.values():
        if row.session_id not in chosen and (row.revision_root or row.session_id) in families:
            forks.setdefault(row.session_id, 0)
    return forks


def _with_sub_agents(names: Iterable[str], rows: Mapping[str, Session]) -> list[str]:
    """Return the sessions and all whose parent is one of them, theirs too, each once."""
    children: dict[str, list[str]] = {}
    for row in rows.values():
        if row.parent_session_id is not None and row.origin == "subagent":
            children.setdefault(row.parent_session_id, []).append(row.session_id)
    found: dict[str, None] = {}
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = None
            pending += children.get(name, ())
    return sorted(found)


def _title(session: Session) -> str | None:
    return None if session.title is None else redact(session.title).text
