"""How a caller names a session: by its id, or by its source's own id for it, where one has it."""

from collections.abc import Iterable

from recense.core.text.quoting import quoted
from recense.core.transcript.records import Session
from recense.errors import InvalidRequest, NotFound
from recense.ports.transcripts import TranscriptReader


def session_named(sessions: Iterable[Session], name: str) -> Session | None:
    """Return the session with this id, else the only one whose id in its source's words it is.

    None when there is none. Raises InvalidRequest when sessions of several sources have that id.
    """
    named: list[Session] = []
    for session in sessions:
        if session.session_id == name:
            return session
        if session.source_session_id == name:
            named.append(session)
    if len(named) > 1:
        ids = ", ".join(session.session_id for session in named)
        raise InvalidRequest(
            f"{quoted(name)} names several sessions: {ids}", hint="use one whole id"
        )
    return named[0] if named else None


def required_session(sessions: Iterable[Session], name: str) -> Session:
    """Return what `session_named` does; raises NotFound when there is none."""
    session = session_named(sessions, name)
    if session is None:
        raise unknown_session(name)
    return session


def unknown_session(name: str) -> NotFound:
    """Return the error of a name that leads to no session which may be shown."""
    return NotFound(f"no session {quoted(name)}", hint="list the sessions: recense sessions list")


def find_session(reader: TranscriptReader, name: str) -> Session:
    """Return the session of this name, by its id without a look at the others; raises as
    `required_session`.
    """
    return reader.session(name) or required_session(reader.sessions(), name)
