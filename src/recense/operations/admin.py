"""The operations on what is kept: importing, sessions, health; their structs on the wire."""

from typing import Final, Literal

from recense.core.transcript.messages import Material, MessageKind, Role
from recense.core.transcript.records import Origin
from recense.core.values import Value
from recense.operations.recall import Gap


class Progress(Value, kw_only=True):
    """How far a long piece of work has come.

    ``done`` and ``total`` count ``unit`` (``files``, ``bytes``, ``sessions``, ``records``);
    ``total`` is None while nobody knows it. ``label`` names what is being worked on. ``done`` never
    falls within a phase.
    """

    phase: Literal["finding", "archiving", "converting", "indexing", "searching", "extracting"]
    done: int
    total: int | None
    unit: str
    label: str


class NothingAsked(Value, kw_only=True, forbid_unknown_fields=True):
    """What is asked of an operation that needs to be told nothing."""


class IndexRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """What to index: what is converted and not indexed yet, or with ``anew`` everything."""

    anew: bool = False


class RecordCounts(Value, kw_only=True):
    """Records of a source by what became of them; ``forgotten`` ones are of a session, or a text,
    that a person had forgotten, and are not kept.
    """

    parsed: int = 0
    duplicate: int = 0
    skipped: int = 0
    bad: int = 0
    forgotten: int = 0


class ImportFailure(Value, kw_only=True):
    """A file that could not be imported, and why."""

    path: str
    reason: str


NO_SOURCE: Final = "unknown"
"""What a report calls the source of a path that no source is answerable for."""


class SourceReport(Value, kw_only=True):
    """What an import did with one source.

    ``bytes`` is what was read of its files; ``bytes_by`` says what became of every one of them,
    with ``waiting`` for a torn last line that is taken when it is whole.
    """

    source: str
    files_found: int = 0
    files_imported: int = 0
    files_unchanged: int = 0
    files_skipped: int = 0
    files_failed: int = 0
    messages_new: int = 0
    bytes: int = 0
    bytes_by: dict[str, int] = {}
    records: RecordCounts = RecordCounts()
    failures: tuple[ImportFailure, ...] = ()
    skipped: tuple[ImportFailure, ...] = ()


class ImportReport(Value, kw_only=True):
    """What an import did. ``secrets_redacted`` counts by kind. ``secrets_missed`` counts files of
    which something was imported before and not read again, where a person named secrets: in that,
    these secrets still stand as they are.
    """

    messages_new: int
    sessions_new: int
    sources: tuple[SourceReport, ...]
    secrets_redacted: dict[str, int]
    took_ms: float
    secrets_missed: int = 0


class ConvertReport(Value, kw_only=True):
    """What converting archived sessions did, and how many sessions were then indexed."""

    sessions_converted: int
    records_converted: int
    events_new: int
    messages_new: int
    sessions_indexed: int
    took_ms: float


class IndexReport(Value, kw_only=True):
    """What indexing did: sessions brought up to date, messages written, and whether the index was
    found damaged and begun anew.
    """

    sessions_indexed: int
    messages_indexed: int
    begun_anew: bool
    took_ms: float


class SessionView(Value, kw_only=True):
    """One session in a list."""

    session: str
    source: str
    workspace: str | None
    title: str | None
    messages: int
    created_at: str | None
    last_at: str | None
    origin: Origin
    private: bool
    source_available: bool


class SessionList(Value, kw_only=True):
    """Sessions, newest first; ``total`` counts all that the filter lets through."""

    sessions: tuple[SessionView, ...]
    total: int


class TranscriptMessage(Value, kw_only=True):
    """One message of a transcript, whole."""

    position: int
    role: Role
    kind: MessageKind
    text: str
    at: str | None
    turn: str
    anchor: str
    flags: tuple[str, ...]
    materials: tuple[Material, ...]


class TranscriptView(Value, kw_only=True):
    """A page of a session's messages by position; ``total`` counts all of them."""

    session: str
    messages: tuple[TranscriptMessage, ...]
    total: int
    gaps: tuple[Gap, ...]


class HealthCheck(Value, kw_only=True):
    """One thing the doctor looked at: what was found in a sentence, and one by one in ``items``;
    ``fix`` is what to do when it is not ok.
    """

    name: str
    ok: bool
    detail: str
    items: tuple[str, ...] = ()
    fix: str = ""


class SettingView(Value, kw_only=True):
    """A setting, its value and where it came from."""

    name: str
    value: str
    origin: Literal["default", "file", "environment", "flag"]


class SessionSecrets(Value, kw_only=True):
    """How many secrets were redacted in a session, by kind; never which."""

    session: str
    kinds: dict[str, int]


class SourceRetention(Value, kw_only=True):
    """What an agent does with its session files on this machine.

    ``days`` after its last change a file is ``fate``. Of the ``files`` there are, ``not_imported``
    were never imported or grew since, and ``at_risk`` of those will be deleted soon.
    ``first_deadline`` is the first of those not imported, else of all. ``kept_here_only`` counts
    sessions whose file is gone.
    """

    source: str
    fate: Literal["deleted", "compressed"]
    days: int
    files: int
    not_imported: int
    at_risk: int
    first_deadline: str | None
    kept_here_only: int


class Health(Value, kw_only=True):
    """The doctor's report. ``secrets`` names sessions with most first."""

    ok: bool
    checks: tuple[HealthCheck, ...]
    paths: dict[str, str]
    counts: dict[str, int]
    settings: tuple[SettingView, ...]
    secrets: tuple[SessionSecrets, ...] = ()
    retention: tuple[SourceRetention, ...] = ()


class Digest(Value, kw_only=True):
    """The digest of a store: equal digests mean equal sessions, events, messages and blobs."""

    digest: str
    sessions: int
    events: int
    messages: int
    blobs: int
