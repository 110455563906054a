"""One document of each kind, with an invented team's words, and every gap there is."""

from base64 import b64decode

from msgspec.structs import replace

from recense.bench.results import BenchResult, Paired, Row
from recense.core.transcript.messages import Material
from recense.operations.admin import (
    ConvertReport,
    Digest,
    Health,
    HealthCheck,
    ImportFailure,
    ImportReport,
    IndexReport,
    RecordCounts,
    SessionList,
    SessionSecrets,
    SessionView,
    SettingView,
    SourceReport,
    SourceRetention,
    TranscriptMessage,
    TranscriptView,
)
from recense.operations.grep import Columns, GrepAnswer, GrepMatch
from recense.operations.materials import MaterialBytes
from recense.operations.privacy import ForgetReport, Fork
from recense.operations.recall import (
    BranchesLeftOut,
    BudgetDropped,
    Explanation,
    FactsUnavailable,
    Gap,
    NotConverted,
    NotImported,
    OriginLeftOut,
    Passage,
    PassageMessage,
    PrivateExcluded,
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
from recense.operations.texts import TextFact

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
    score=6.75,
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
                of="session",
                term="timetable",
                tf=4.5,
                df=3,
                idf=1.5,
                length_norm=1.2,
                weight=1.0,
                score=1.25,
            ),
            TermScore(
                of="date",
                term="march 2026",
                tf=0.5,
                df=4,
                idf=0.5,
                length_norm=1.0,
                weight=4.0,
                score=1.0,
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
            TermScore(
                of="phrase",
                term="late train",
                tf=1,
                df=1,
                idf=1.5,
                length_norm=1.0,
                weight=0.5,
                score=0.75,
            ),
            TermScore(
                of="question_session",
                term="late",
                tf=2.5,
                df=2,
                idf=0.5,
                length_norm=1.2,
                weight=1.0,
                score=0.5,
            ),
        ),
        corpus_messages=120,
        corpus_length=48_000,
        corpus_sessions=12,
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
    PrivateExcluded(sessions=2),
)

ANSWER = RecallAnswer(
    facts=(
        TextFact(
            fact="e-51a2b3c4d5e6f7a8b9c0d1e2f3",
            text="The timetable is read in Europe/Oslo.",
            since="2026-03-30T07:40:00.000000Z",
            days_ago=3,
            before=("The timetable is read in UTC.",),
            anchors=(ANCHOR,),
        ),
    ),
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
    sessions_converted=2,
    records_converted=70,
    events_new=81,
    messages_new=42,
    sessions_indexed=2,
    took_ms=120.0,
)

INDEXED = IndexReport(sessions_indexed=2, messages_indexed=42, begun_anew=False, took_ms=90.0)

DIFFERENCE = "passage 1 is missing from the answer: message 3 of session claude_code:s"

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
    secrets=(
        SessionSecrets(session=SESSION, kinds={"github_token": 2, "url_password": 1}),
        *(SessionSecrets(session=f"codex:{n}", kinds={"github_token": 1}) for n in range(6)),
    ),
    retention=(
        SourceRetention(
            source="claude_code",
            fate="deleted",
            days=30,
            files=12,
            not_imported=2,
            at_risk=1,
            first_deadline="2026-04-02T06:12:00.000000Z",
            kept_here_only=3,
        ),
    ),
)

FORKS = (Fork(session="claude_code:77aa", title="A second try", shared_records=12),)

FORGOTTEN = ForgetReport(
    sessions=(SESSION, f"{SESSION}/agent-1"),
    records=310,
    events=220,
    messages=97,
    blobs=2,
    forks=FORKS,
    bytes_gone=False,
    facts=3,
)

DIGEST = Digest(digest="5d" * 16, sessions=12, events=2_000, messages=1_204, blobs=3)

MEASURED = BenchResult(
    bench="quality",
    seed=7,
    machine="x86_64 Linux, 2 cores",
    versions={"python": "3.11.7", "recense": "0.1.0"},
    rows=(
        Row(name="locomo.questions", unit="questions", value=786, runs=(786,)),
        Row(
            name="locomo.hit@1",
            unit="%",
            value=65.14,
            runs=(65.14,),
            baseline="word_bm25_stemmed",
            ratio=0.95,
            standard_error=1.7,
            paired=Paired(won=64, lost=89, equal=633, difference=-3.18, standard_error=1.57),
        ),
        Row(name="locomo.mrr", unit="", value=0.7604, runs=(0.7604,), standard_error=0.013),
        Row(name="archive_mb_s", unit="MB/s", value=8.5, runs=(8.4, 8.5, 8.7)),
    ),
    asserted=("every message of the set arrived", "every question was asked"),
)

PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC"
)
"""One black pixel."""

MATERIAL = MaterialBytes(
    material=SCREENSHOT, media_type="image/png", sha256="ef" * 32, data=PNG, changed=None
)

GREP_MATCH = GrepMatch(
    session=SESSION,
    title="Ferry times are an hour late after the clock change",
    workspace="/home/mira/work/harbour",
    anchor=ANCHOR,
    position=3,
    at="2026-03-30T06:13:10.000000Z",
    role="assistant",
    kind="assistant",
    line=2,
    text="the timetable, and again the Timetable",
    offset=120,
    length=400,
    columns=(Columns(start=124, end=133), Columns(start=149, end=158)),
    before=("The first line.",),
    after=("时区 is lost in parse_row.",),
)

GREPPED = GrepAnswer(
    matches=(
        GREP_MATCH,
        replace(
            GREP_MATCH,
            line=9,
            text="timetable",
            offset=0,
            length=9,
            columns=(Columns(start=0, end=9),),
            before=(),
            after=(),
        ),
        GrepMatch(
            session=f"{SESSION}/a1",
            title=None,
            workspace=None,
            anchor=f"{ANCHOR}x",
            position=0,
            at=None,
            role="tool",
            kind="tool_result",
            line=1,
            text="timetable.csv",
            offset=0,
            length=13,
            columns=(Columns(start=0, end=9),),
            before=(),
            after=(),
        ),
    ),
    total=1_204,
    gaps=(SessionsSearched(n=12, oldest="2026-02-02T08:00:00.000000Z"),),
    took_ms=4.5,
)

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
    "hidden tags": "a\U000e0068\U000e0069",
    "an annotation": "\ufff9a\ufffab\ufffb",
    "lone surrogate": "\udc9b2J",
}
"""Texts that would steer a terminal, by what they would do."""
