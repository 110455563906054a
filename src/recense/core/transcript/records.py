"""Archive records: a session in its source's own form, one row a record, in source order.

Law: the archive keeps what the source said, minus secrets. Every record is kept, also those that
conversion leaves out; a record that was archived once at its place is never archived again.
"""

from typing import Final, Literal

from msgspec.structs import replace

from recense.core.values import Value

Disposition = Literal["parsed", "duplicate", "skipped", "bad"]
"""What an archived record is: converted into events; a second copy of a record that the session
already holds; kept but not converted (progress, undo data); or not understood."""

Fate = Disposition | Literal["forgotten"]
"""What became of a record that was to be archived: kept as one of these, or, of a session or a text
that a person had forgotten, not kept at all."""

Origin = Literal["interactive", "subagent", "headless", "agent"]
"""Who drove a session: a person at a prompt; an agent that another session started; a run without
a terminal; an agent that writes through the API."""

AGENT_SOURCE: Final = "agent"
"""The source of agents' sessions: what their ids begin with."""


class Blob(Value, kw_only=True):
    """Bytes kept once under their SHA-256 (lower-case hex)."""

    sha256: str
    data: bytes


class SourceRecord(Value, kw_only=True):
    """One record as an importer read it, before redaction.

    ``source_session_id`` names the session it belongs to in the source's words (a sub-agent's is
    ``parent/agent``). ``position`` is its place among the objects of its file, from 0. ``uuid`` is
    the source's id for it, where the source has ids that survive copying. ``content`` is what its
    identity hashes: the record without what a copy rewrites. ``size`` is the number of source bytes
    it accounts for, separators included. ``reason`` says why, when ``disposition`` is bad.
    ``blobs`` are payloads that were lifted out of the record, which refers to them.
    """

    source_session_id: str
    position: int
    uuid: str | None = None
    type: str
    at: int | None
    disposition: Literal["parsed", "skipped", "bad"]
    record: bytes
    content: bytes
    size: int
    reason: str = ""
    blobs: tuple[Blob, ...] = ()


class SourcePage(Value, kw_only=True):
    """Records that are archived in one commit, and where reading goes on after them.

    ``offset`` is the source byte after the last record of the page; ``state`` is what the importer
    needs to read on from there, at most STATE_BYTES_MAX bytes. ``waiting`` is the number of bytes
    after ``offset`` that were seen and not taken (a torn last line); it is 0 but on the last page.
    There ``fault`` may say what is wrong with the file beyond its records (a list that is not
    closed): what is taken of it stays, and the file has failed.
    """

    records: tuple[SourceRecord, ...]
    offset: int
    state: bytes
    waiting: int = 0
    fault: str = ""


class ArchivedRecord(Value, kw_only=True):
    """One row of the archive: what conversion reads.

    ``seq`` is its place in its session, from 0 and without holes. ``record`` has been through the
    gate: secrets are markers, long base64 payloads are blob references. ``uuid`` and ``position``
    are the source's; ``identity`` is `recense.core.ids.identity`.
    """

    seq: int
    position: int
    uuid: str | None
    identity: bytes
    type: str
    at: int | None
    disposition: Disposition
    record: bytes


class SessionBirth(Value, kw_only=True):
    """What must be known of a session when its first record or event is kept.

    ``created_at`` is the instant of that first record where it has one, and never changes again.
    ``source_path`` is the file it was first read from; None for a session born through the API.
    """

    session_id: str
    source: str
    source_session_id: str
    origin: Origin
    parent_session_id: str | None
    created_at: int | None
    source_path: str | None = None


TITLE_BY_PROMPT: Final = 0
"""The rank of the first prompt that was typed."""

TITLE_BY_SUMMARY: Final = 1
"""The rank of a summary that belongs to the session."""

TITLE_BY_MODEL: Final = 2
TITLE_BY_PERSON: Final = 3


def title_replaces(rank: int, held: int) -> bool:
    """Whether a title of this rank takes the place of one of the rank ``held``: of a lower one, and
    of an equal one but for a prompt. The last given title holds, the first prompt stays first.
    """
    return rank >= max(held, TITLE_BY_SUMMARY)


class SessionFacts(Value, kw_only=True):
    """What the records or events of a page say about their session; None says nothing.

    ``title_rank`` is one of the ranks above; `title_replaces` says which of two titles holds.
    ``revision_root`` is the session of which this one is an edited and resent version, at the root
    of such a family; ``shelved`` says that the person put the session away in its own tool.
    """

    workspace: str | None = None
    title: str | None = None
    title_rank: int = TITLE_BY_PROMPT
    origin: Origin | None = None
    parent_session_id: str | None = None
    revision_root: str | None = None
    shelved: bool | None = None


class Counts(Value, kw_only=True):
    """Counters of a session that conversion stores, so that no question has to read the session.

    ``messages`` and ``length`` (code points of folded own text) count the messages that can match:
    not boilerplate, not superseded, not on an abandoned branch. The others are the gap counters of
    20-recall §9: messages on abandoned branches, unreadable events, bytes of visible text beyond
    the matched limit, and result bodies that the source spilled and we do not have.
    """

    messages: int = 0
    length: int = 0
    branch_messages: int = 0
    unreadable_events: int = 0
    bytes_beyond_limit: int = 0
    spilled_bodies: int = 0


class Session(Value, kw_only=True):
    """One row of the sessions table.

    ``events`` is the number of events (the head), ``records`` the number of archived records, of
    which the first ``converted_through`` have been converted. ``counts`` counts what the session
    holds; ``owned_messages`` and ``owned_length`` leave out messages whose identity an earlier
    session holds too (smaller (created_at, session_id), no instant last). ``open_streams`` counts
    the texts that are still arriving. A ``private`` session is read by nothing but what names it.
    """

    session_id: str
    source: str
    source_session_id: str
    workspace: str | None = None
    title: str | None = None
    title_rank: int = TITLE_BY_PROMPT
    origin: Origin = "interactive"
    parent_session_id: str | None = None
    source_path: str | None = None
    created_at: int | None = None
    last_event_at: int | None = None
    events: int = 0
    records: int = 0
    converted_through: int = 0
    convert_state: bytes = b""
    projection_state: bytes = b""
    importer_version: int = 0
    counts: Counts = Counts()
    owned_messages: int = 0
    owned_length: int = 0
    open_streams: int = 0
    revision_root: str | None = None
    closed: bool = False
    private: bool = False
    shelved: bool = False


def born(birth: SessionBirth) -> Session:
    """Return the row of a session of which nothing but its birth is known."""
    return Session(
        session_id=birth.session_id,
        source=birth.source,
        source_session_id=birth.source_session_id,
        origin=birth.origin,
        parent_session_id=birth.parent_session_id,
        source_path=birth.source_path,
        created_at=birth.created_at,
    )


def with_facts(session: Session, facts: SessionFacts) -> Session:
    """Return the session with what a page says about it; `title_replaces` says which title holds.

    The first workspace stays: a session is where it was started. Origin and parent, once said by a
    record, replace what the session's id alone could tell.
    """
    takes_title = facts.title is not None and (
        session.title is None or title_replaces(facts.title_rank, session.title_rank)
    )
    return replace(
        session,
        workspace=session.workspace or facts.workspace,
        title=facts.title if takes_title else session.title,
        title_rank=facts.title_rank if takes_title else session.title_rank,
        origin=facts.origin or session.origin,
        parent_session_id=facts.parent_session_id or session.parent_session_id,
        revision_root=facts.revision_root or session.revision_root,
        shelved=session.shelved if facts.shelved is None else facts.shelved,
    )


def is_settled(session: Session) -> bool:
    """Whether all archived records of a session are converted."""
    return session.converted_through >= session.records


def without_states(session: Session) -> Session:
    """Return a row without its states of conversion and projection, the largest part of it."""
    return replace(session, convert_state=b"", projection_state=b"")


def start_key(created_at: int | None, session_id: str) -> tuple[bool, int, str]:
    """Return the order of sessions by start: known instants first, then the id decides."""
    return (created_at is None, created_at or 0, session_id)


def session_id_of(source: str, source_session_id: str) -> str:
    """Return a session's id: its source and the source's own id, ``claude_code:0f…``."""
    return f"{source}:{source_session_id}"
