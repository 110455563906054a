"""One answer of each kind about reading sessions for facts."""

from msgspec.structs import replace

from recense.core.extraction.proposals import Proposal
from recense.core.ids import anchor
from recense.operations.extraction import (
    CoverageTotal,
    DayBudget,
    DayMoney,
    ExtractionStatus,
    ExtractReport,
    FailedSpan,
    FiledProposal,
    ReadingCost,
    SessionCoverage,
    SessionRun,
)

HARBOUR = "claude_code:7d1e"
SHORT = "codex:9b40"
EMPTY = "chatgpt:0001"
FAILED_AT = anchor(HARBOUR, "a3")

_LIVES = Proposal(subject="mira", predicate="lives_in", value="Oslo", evidence="I live in Oslo.")
_OSLO = Proposal(subject="kiosk", predicate="uses", value="Oslo 时区", evidence="用 Oslo 时区。")
_PORT = Proposal(
    subject="harbour", predicate="uses", value="port 8080", evidence="It listens on 8080."
)
_WORKS = Proposal(
    subject="mira", predicate="works_at", value="Fjord Lines", evidence="since you work there"
)

FILED = FiledProposal(
    proposal=_LIVES, outcome="filed", anchor=anchor(HARBOUR, "u1"), event_id="f-1"
)
KNOWN = FiledProposal(proposal=_OSLO, outcome="known", anchor=anchor(HARBOUR, "u2"), event_id="f-2")
REFUSED = FiledProposal(
    proposal=_PORT, outcome="refused", reason="the evidence stands in nothing that was read"
)
TO_CONFIRM = FiledProposal(
    proposal=_WORKS,
    outcome="needs_confirmation",
    anchor=anchor(HARBOUR, "a2"),
    reason="'mira works_at Rederi' was stated by a person",
)

_READ_IN_PART = SessionCoverage(
    session=HARBOUR,
    title="Move the kiosk to Oslo time",
    workspace="/home/mira/harbour",
    messages=1_204,
    covered=1_100,
    uncovered=102,
    failed=2,
    tokens_uncovered=48_210,
    tokens_omitted=120_000,
    strip="cccccccccfcccuuu",
    failures=(
        FailedSpan(
            anchor=FAILED_AT,
            tokens=3_100,
            attempts=2,
            reason="the model's answer is no JSON, twice: expected an object",
        ),
    ),
    to_confirm=(TO_CONFIRM,),
)
_READ = SessionCoverage(
    session=SHORT,
    title=None,
    workspace=None,
    messages=1,
    covered=1,
    uncovered=0,
    failed=0,
    tokens_uncovered=0,
    tokens_omitted=0,
    strip="c",
)
TEXT = "t-5f1c0d8e2b9a47c3a1d6e4f7b8c90a12"
_NO_WORDS = replace(_READ, session=EMPTY, messages=0, covered=0, strip="")

STATUS = ExtractionStatus(
    extractor="openai:gpt-quay",
    version="prompt-5d41402a",
    sessions=(_READ_IN_PART, _READ, _NO_WORDS),
    workspaces={
        "": CoverageTotal(
            sessions=2,
            messages=1,
            covered=1,
            uncovered=0,
            failed=0,
            tokens_uncovered=0,
            tokens_omitted=0,
        ),
        "/home/mira/harbour": CoverageTotal(
            sessions=1,
            messages=1_204,
            covered=1_100,
            uncovered=102,
            failed=2,
            tokens_uncovered=48_210,
            tokens_omitted=120_000,
        ),
    },
    total=CoverageTotal(
        sessions=3,
        messages=1_205,
        covered=1_101,
        uncovered=102,
        failed=2,
        tokens_uncovered=48_210,
        tokens_omitted=120_000,
    ),
    cost=ReadingCost(calls=13, tokens=142_500, micros=98_400),
    budget=DayBudget(
        day="2026-06-30",
        limit=1_000_000,
        spent=210_400,
        reserved=9_000,
        money=DayMoney(limit=2_000_000, spent=121_003, reserved=5_400),
    ),
    texts=(
        replace(
            _READ,
            session=TEXT,
            title="We moved to Oslo in May.",
            covered=0,
            uncovered=1,
            failed=1,
            tokens_uncovered=6,
            strip="f",
            failures=(
                FailedSpan(anchor=TEXT, tokens=6, attempts=1, reason="gpt-quay is overloaded"),
            ),
        ),
    ),
    texts_total=CoverageTotal(
        sessions=9,
        messages=9,
        covered=8,
        uncovered=1,
        failed=1,
        tokens_uncovered=6,
        tokens_omitted=0,
    ),
)
"""Sessions that a model read: one in part, one whole, and one without a word."""

_NO_BUDGET = DayBudget(day="2026-06-30", limit=1_000_000, spent=0, reserved=0)

ONE_UNREAD = ExtractionStatus(
    extractor="rules",
    version="1",
    sessions=(
        replace(
            _READ_IN_PART,
            covered=0,
            uncovered=1_204,
            failed=0,
            strip="uuuu",
            tokens_omitted=0,
            failures=(),
            to_confirm=(),
        ),
    ),
    workspaces={"/home/mira/harbour": STATUS.total},
    total=replace(
        STATUS.total,
        sessions=1,
        messages=1_204,
        covered=0,
        uncovered=1_204,
        failed=0,
        tokens_omitted=0,
    ),
    cost=ReadingCost(calls=0, tokens=0),
    budget=_NO_BUDGET,
)
"""One session that the rules have not read."""

NO_SESSION = ExtractionStatus(
    extractor="rules",
    version="1",
    sessions=(),
    workspaces={},
    total=replace(ONE_UNREAD.total, sessions=0, messages=0, uncovered=0, tokens_uncovered=0),
    cost=ReadingCost(calls=0, tokens=0),
    budget=_NO_BUDGET,
)
"""Of a store without a session."""

_WHOLE = SessionRun(
    session=HARBOUR,
    end="complete",
    batches=13,
    replayed=1,
    tokens_read=48_210,
    tokens_taken=98_400,
    proposals=(FILED, KNOWN, REFUSED, TO_CONFIRM),
    dropped=("'predicate' is missing",),
)
ALL_READ = ExtractReport(
    extractor=STATUS.extractor,
    version=STATUS.version,
    sessions=(_WHOLE, SessionRun(session=SHORT, end="complete")),
    budget=replace(STATUS.budget, spent=308_800, reserved=0),
    texts=(
        SessionRun(
            session=TEXT,
            end="complete",
            batches=1,
            tokens_read=6,
            tokens_taken=2_100,
            proposals=(replace(FILED, anchor=None),),
        ),
    ),
)
"""A run that read everything, with a proposal of every outcome."""

NOT_ALL_READ = replace(
    ALL_READ,
    sessions=(
        replace(_WHOLE, end="part", batches=12, replayed=0, failed=1, dropped=()),
        SessionRun(
            session=SHORT, end="held", reason="session 'codex:9b40' is held by 'process 4711'"
        ),
        SessionRun(
            session="codex:9b41",
            end="budget",
            batches=1,
            tokens_read=4_000,
            tokens_taken=9_000,
            reason="the budget of this run has 800 tokens left, and the next call may take 9,000",
        ),
        SessionRun(session="codex:9b42", end="unavailable", reason="api.example: HTTP status 503"),
    ),
)
"""A run that ended in every way in which something is left."""

NOTHING_LEFT = ExtractReport(
    extractor="rules",
    version="1",
    sessions=(SessionRun(session=HARBOUR, end="complete"),),
    budget=_NO_BUDGET,
)
"""A run that found everything read."""
