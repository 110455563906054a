"""Visibility: which sessions a person hid."""

from collections.abc import Callable

from recense.core.transcript.records import Session


def is_hidden(session: Session, session_of: Callable[[str], Session | None]) -> bool:
    """Whether a person hid a session, or the session that it is a sub-agent of, at any remove."""
    seen: set[str] = set()
    current: Session | None = session
    while current is not None and current.session_id not in seen:
        if current.private:
            return True
        if current.origin != "subagent" or current.parent_session_id is None:
            return False
        seen.add(current.session_id)
        current = session_of(current.parent_session_id)
    return False
