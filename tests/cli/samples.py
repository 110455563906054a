"""One document of each kind, with an invented team's words, and every gap there is."""

from recense.core.transcript.messages import Material
from recense.operations.admin import (
    ConvertReport,
    Digest,
    Health,
    HealthCheck,
    ImportFailure,
    ImportReport,
    RecordCounts,
    SessionList,
    SessionView,
    SettingView,
    SourceReport,
    TranscriptMessage,
    TranscriptView,
)
from recense.operations.recall import (
    BranchesLeftOut,
    BudgetDropped,
    Explanation,
    Fact,
    FactsUnavailable,
    Gap,
    NotConverted,
    NotImported,
    OriginLeftOut,
    Passage,
    PassageMessage,
    RecallAnswer,
    SemanticUnavailable,
    SessionsSearched,
    SessionUnreadable,
    SpilledBodyMissing,
    TermScore,
    TermsLeftOut,
    TextBeyondLimit,
    UnmatchedTerm,
)

SESSION = "claude_code:4f0c6f1e-5f0b-4a53-9d35-0b8c8b6a7e01"
ANCHOR = "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoKY2xhdWRlX2NvZGU6NGYwYw"

SCREENSHOT = Material(
    id="m1", kind="image", name="kiosk.png", media_type="image/png", bytes=2_931, sha256="ab" * 32
)

PASTED = Material(
    id="m2", kind="image", name="", media_type="image/png", bytes=1_024, sha256="cd" * 32
)

PASSAGE = Passage(
    anchor=ANCHOR,
    session=SESSION,
    title="Ferry times are an hour late after the clock change",
    workspace="/home/mira/work/harbour",
    source="claude_code",
    origin="interactive",
    turn="turnoneturnoneturnoneturno",
    position=3,
    messages=(
        PassageMessage(
            role="user",
            kind="user",
            text="why are the ferry times late?",
            at="2026-03-30T06:12:00.000000Z",
            is_anchor=False,
            trust="user_said",
            offset=0,
            length=29,
            materials=(SCREENSHOT, PASTED),
        ),
        PassageMessage(
            role="assistant",
            kind="assistant",
            text="The Timetable is read as UTC.\n时区 is lost in parse_row.",
            at="2026-03-30T06:13:10.000000Z",
            is_anchor=True,
            trust="agent_said",
            offset=120,
            length=4_000,
        ),
        PassageMessage(
            role="assistant",
            kind="tool_call",
            text="Bash\npytest -k timetable",
            at=None,
            is_anchor=False,
            trust="agent_said",
            offset=0,
            length=24,
        ),
    ),
    matched_terms=("timetable", "时区"),
    score=3.25,
    has_more_before=True,
    has_more_after=True,
    truncated=True,
    source_available=False,
    explanation=Explanation(
        terms=(
            TermScore(
                term="timetable", tf=2, df=5, idf=2.5, length_norm=1.1, weight=1.0, score=2.5
            ),
            TermScore(
                of="question",
                term="late",
                tf=1,
                df=2,
                idf=1.25,
                length_norm=0.9,
                weight=0.3,
                score=0.25,
            ),
        ),
        corpus_messages=120,
        corpus_length=48_000,
        kind_weight=1.0,
        support=0.5,
        quota="filled",
    ),
)

GAPS: tuple[Gap, ...] = (
    UnmatchedTerm(term="hovercraft"),
    TermsLeftOut(n=3),
    SessionsSearched(n=12, oldest="2026-02-02T08:00:00.000000Z"),
    SessionUnreadable(session=SESSION, events=1),
    OriginLeftOut(origin="subagent", sessions=2),
    TextBeyondLimit(sessions=1, bytes=2_048),
    SpilledBodyMissing(sessions=1, bodies=3),
    BranchesLeftOut(sessions=1, messages=4),
    BudgetDropped(n=2, materials=1),
    FactsUnavailable(reason="this release keeps no facts"),
    SemanticUnavailable(reason="no model is set up"),
    NotConverted(n=7),
    NotImported(source="codex", files=1),
)

ANSWER = RecallAnswer(
    facts=(Fact(sentence="The timetable is read in Europe/Oslo."),),
    passages=(PASSAGE,),
    materials=(SCREENSHOT,),
    gaps=GAPS,
    terms=("timetable", "时区", "hovercraft"),
    took_ms=4.5,
    path="narrowed",
)

IMPORTED = ImportReport(
    messages_new=42,
    sessions_new=3,
    sources=(
        SourceReport(
            source="claude_code",
            files_found=3,
            files_imported=2,
            files_unchanged=1,
            messages_new=42,
            bytes=9_000,
            bytes_by={"parsed": 8_000, "skipped": 1_000},
            records=RecordCounts(parsed=60, duplicate=1, skipped=9, bad=0),
        ),
        SourceReport(source="codex"),
    ),
    secrets_redacted={"github_token": 1, "url_password": 2},
    took_ms=812.5,
)

PARTLY_IMPORTED = ImportReport(
    messages_new=0,
    sessions_new=0,
    sources=(
        SourceReport(
            source="codex",
            files_found=4,
            files_failed=1,
            files_skipped=3,
            records=RecordCounts(bad=2),
            failures=(ImportFailure(path="/backup/rollout.jsonl", reason="permission denied"),),
            skipped=(
                ImportFailure(path="/backup/pipe", reason="not a regular file"),
                ImportFailure(path="/backup/notes.txt", reason="no session of this agent"),
                ImportFailure(path="/backup/readme.txt", reason="no session of this agent"),
            ),
        ),
    ),
    secrets_redacted={},
    took_ms=3.0,
)

CONVERTED = ConvertReport(
    sessions_converted=2, records_converted=70, events_new=81, messages_new=42, took_ms=120.0
)

SESSIONS = SessionList(
    sessions=(
        SessionView(
            session=SESSION,
            source="claude_code",
            workspace="/home/mira/work/harbour",
            title="Ferry times are an hour late after the clock change",
            messages=12,
            created_at="2026-03-30T06:12:00.000000Z",
            last_at="2026-03-30T07:40:00.000000Z",
            origin="interactive",
            private=False,
            source_available=True,
        ),
        SessionView(
            session=f"{SESSION}/a1",
            source="claude_code",
            workspace=None,
            title=None,
            messages=1,
            created_at=None,
            last_at=None,
            origin="subagent",
            private=True,
            source_available=False,
        ),
    ),
    total=7,
)

TRANSCRIPT = TranscriptView(
    session=SESSION,
    messages=(
        TranscriptMessage(
            position=0,
            role="user",
            kind="user",
            text="why are the ferry times late?",
            at="2026-03-30T06:12:00.000000Z",
            turn="turnoneturnoneturnoneturno",
            anchor=ANCHOR,
            flags=("abandoned",),
            materials=(SCREENSHOT,),
        ),
        TranscriptMessage(
            position=1,
            role="system",
            kind="note",
            text="context was compacted",
            at=None,
            turn="turnoneturnoneturnoneturno",
            anchor=ANCHOR,
            flags=(),
            materials=(),
        ),
    ),
    total=12,
    gaps=(BranchesLeftOut(sessions=1, messages=4),),
)

HEALTHY = Health(
    ok=True,
    checks=(
        HealthCheck(name="store_integrity", ok=True, detail="the store's own bytes are whole"),
    ),
    paths={"store": "/home/mira/.local/share/recense/recense.db"},
    counts={"sessions": 12, "messages": 1_204},
    settings=(SettingView(name="namespace", value="default", origin="default"),),
)

UNHEALTHY = Health(
    ok=False,
    checks=(
        HealthCheck(
            name="conversion",
            ok=False,
            detail="7 archived records wait for conversion",
            fix="recense convert",
        ),
    ),
    paths={},
    counts={},
    settings=(),
)

DIGEST = Digest(digest="5d" * 16, sessions=12, events=2_000, messages=1_204, blobs=3)

HOSTILE = {
    "colour": "\x1b[31mred",
    "clear the screen": "\x1b[2J\x1b[H",
    "set the title": "\x1b]0;owned\x07",
    "write to the clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "a hyperlink": "\x1b]8;;https://example.org\x1b\\click\x1b]8;;\x1b\\",
    "one-byte CSI": "\x9b2J",
    "one-byte OSC": "\x9d0;owned\x9c",
    "backspace over": "safe\x08\x08\x08\x08evil",
    "carriage return over": "safe\revil",
    "delete": "\x7f",
    "nul": "\x00",
    "override of direction": "\u202egnp.exe",
    "isolate": "\u2066a\u2069",
    "line separator": "a\u2028b",
    "lone surrogate": "\udc9b2J",
}
"""Texts that would steer a terminal, by what they would do."""
