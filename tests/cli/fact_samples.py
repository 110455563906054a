"""One document of each kind about facts, with an invented team's words."""

from msgspec.structs import replace

from recense.core.facts.changes import Definition
from recense.operations.facts import (
    Beliefs,
    BeliefView,
    ContestedView,
    ElsewhereView,
    EventView,
    EvidenceView,
    ExplainedPair,
    ExplainedRule,
    ExplainedStep,
    FactDifference,
    FactExplanation,
    FactHistory,
    FactTimeline,
    FactTruth,
    ForgottenFacts,
    RegistryChanged,
    RegistryLog,
    RegistryView,
    RememberedFact,
    ReplacedView,
    Unreplaced,
    ValueSpan,
)
from recense.operations.texts import (
    ForgetAnswer,
    HistoryThread,
    NotFiled,
    RememberedText,
    StatementRefused,
    TextFact,
    TextHistory,
    ThreadStep,
)

BERGEN_ID = "e-0b6f1c2d3e4f5a6b7c8d9e0f1a"
OSLO_ID = "e-51a2b3c4d5e6f7a8b9c0d1e2f3"
TEA_ID = "e-77aa88bb99cc00dd11ee22ff33"
NOTE_ID = "e-9f8e7d6c5b4a39281706f5e4d3"
CHANGE_ID = "e-c0ffee00c0ffee00c0ffee00c0"
EPISODE = "p-5d5d5d5d5d5d5d5d5d5d5d5d5d"
AS_OF = "2026-06-01T12:00:00.000000Z"

BERGEN = BeliefView(
    kind="fact",
    subject="mira",
    predicate="lives_in",
    value="Bergen",
    sentence="mira lives in Bergen",
    since="2019-03-01T08:00:00.000000Z",
    last_stated="2019-03-01T08:00:00.000000Z",
    confidence=1.0,
    source="imported",
    writer="",
    event_id=BERGEN_ID,
    last_event_id=BERGEN_ID,
)

OSLO = replace(
    BERGEN,
    value="Oslo",
    sentence="mira lives in Oslo",
    since="2026-05-01T09:30:00.000000Z",
    last_stated="2026-05-20T07:00:00.000000Z",
    confidence=0.9,
    source="user_stated",
    writer="harbour-agent",
    event_id=OSLO_ID,
    last_event_id="e-52a2b3c4d5e6f7a8b9c0d1e2f3",
    evidence=(
        EvidenceView(
            excerpt="I moved to Oslo in May.\nMy 时区 stays the same.",
            episode=EPISODE,
            anchor="YWJjZGVmZ2hpamtsbW5vcHFyc3R1",
        ),
        EvidenceView(excerpt=None),
    ),
    replaced=(ReplacedView(value="Bergen", since=BERGEN.since, event_id=BERGEN_ID),),
    elsewhere=(ElsewhereView(predicate="works_in", since=BERGEN.since, event_id=TEA_ID),),
    contested=ContestedView(value="Trondheim", writer="ferry-agent", event_id=NOTE_ID),
)

TEA = replace(
    BERGEN,
    kind="preference",
    predicate="likes",
    value="tea",
    sentence="mira likes tea",
    since="2026-04-02T10:00:00.000000Z",
    last_stated="2026-04-02T10:00:00.000000Z",
    source="agent_inferred",
    writer="harbour-agent",
    event_id=TEA_ID,
    last_event_id=TEA_ID,
    via="captain mira",
)

BELIEFS = Beliefs(beliefs=(OSLO, TEA), total=7, as_of=AS_OF, next_after=TEA_ID)

LIVES_IN = Definition(
    predicate="lives_in",
    cardinality="single",
    description="where a person lives",
    template="{subject} lives in {value}",
)

REMEMBERED = RememberedFact(
    event_id=OSLO_ID,
    stored=True,
    already_known=False,
    current=True,
    belief=OSLO,
    superseded=(BERGEN,),
    unreplaced=(Unreplaced(position=1, reason="nothing that holds now"),),
    related=(TEA,),
    defined=LIVES_IN,
)

KNOWN_ALREADY = RememberedFact(
    event_id=None, stored=False, already_known=True, current=True, belief=OSLO
)

OUTRANKED = RememberedFact(
    event_id=BERGEN_ID,
    stored=True,
    already_known=False,
    current=False,
    belief=None,
    outranked_by=(OSLO,),
)

WITHDRAWN = ForgottenFacts(event_id=NOTE_ID, withdrawn=(OSLO,))

NOTHING_WITHDRAWN = ForgottenFacts(event_id=None, withdrawn=())

BERGEN_SAID = EventView(
    event_id=BERGEN_ID,
    sentence="mira lives in Bergen",
    kind="fact",
    subject="mira",
    predicate="lives_in",
    value="Bergen",
    retraction=False,
    confidence=1.0,
    source="imported",
    writer="",
    observed_at=BERGEN.since,
    recorded_at="2026-01-01T00:00:00.000000Z",
)

OSLO_SAID = replace(
    BERGEN_SAID,
    event_id=OSLO_ID,
    sentence="mira lives in Oslo",
    value="Oslo",
    confidence=0.9,
    source="user_stated",
    writer="harbour-agent",
    observed_at=OSLO.since,
    recorded_at=OSLO.since,
    evidence=OSLO.evidence,
    replaces=(TEA_ID,),
)

TRONDHEIM_WITHDRAWN = replace(
    BERGEN_SAID,
    event_id=NOTE_ID,
    sentence="not: mira lives in Trondheim",
    value="Trondheim",
    retraction=True,
    source="tool_result",
    observed_at="2026-05-30T09:30:00.000000Z",
    recorded_at=None,
)

HISTORY = FactHistory(events=(BERGEN_SAID, OSLO_SAID, TRONDHEIM_WITHDRAWN), total=12)

RULES = (
    ExplainedRule(
        event_id=CHANGE_ID,
        text="lives_in holds one value at a time, of type string",
        since=None,
    ),
    ExplainedRule(
        event_id=CHANGE_ID,
        text="without effect: lives_in holds any number of values, of type string",
        since="2026-01-01T00:00:00.000000Z",
        is_effective=False,
    ),
)

EXPLANATION = FactExplanation(
    pairs=(
        ExplainedPair(
            subject="mira",
            predicate="lives_in",
            names=("resides_in",),
            rules=RULES,
            steps=(
                ExplainedStep(
                    event=BERGEN_SAID, effect="holds from here on: Bergen", stated="Bergen"
                ),
                ExplainedStep(
                    event=OSLO_SAID,
                    effect="holds from here on: Oslo; takes the place of Bergen",
                    stated="Oslo",
                    displaced=("Bergen",),
                ),
                ExplainedStep(
                    event=TRONDHEIM_WITHDRAWN,
                    effect="changes nothing here: what it withdraws does not hold here",
                ),
            ),
            beliefs=(OSLO,),
        ),
        ExplainedPair(subject="mira", predicate="plans", names=(), rules=(), steps=(), beliefs=()),
    ),
    as_of=AS_OF,
)

HOLDS = FactTruth(holds="yes", belief=OSLO, as_of=AS_OF)

HOLDS_NOT = FactTruth(holds="no", instead=(OSLO,), as_of=AS_OF)

HOLDS_NO_MORE = FactTruth(holds="no", as_of=AS_OF)

UNKNOWN = FactTruth(holds="unknown", as_of=AS_OF)

TIMELINE = FactTimeline(
    subject="mira",
    spans=(
        ValueSpan(
            predicate="lives_in",
            value="Bergen",
            since="2019-03-01T08:00:00.000000Z",
            until="2024-02-01T08:00:00.000000Z",
            ended_by="mira lives in 时区",
        ),
        ValueSpan(
            predicate="lives_in",
            value="时区",
            since="2024-02-01T08:00:00.000000Z",
            until="2026-05-01T09:30:00.000000Z",
            ended_by="not: mira lives in 时区",
        ),
        ValueSpan(
            predicate="lives_in",
            value="a houseboat that lies in the harbour of Bodo",
            since="2026-05-01T09:30:00.000000Z",
            until=None,
            ended_by="",
        ),
        ValueSpan(
            predicate="budget",
            value=8_000,
            since="2022-01-01T00:00:00.000000Z",
            until=None,
            ended_by="",
        ),
        ValueSpan(
            predicate="drives",
            value=True,
            since="2020-06-01T00:00:00.000000Z",
            until="2020-06-03T00:00:00.000000Z",
            ended_by="",
        ),
    ),
)

DIFFERENCE = FactDifference(
    since="2025-12-31T23:59:59.999999Z",
    until="2026-06-30T23:59:59.999999Z",
    added=(OSLO, TEA),
    removed=(BERGEN,),
)

CHANGED = RegistryChanged(event_id=CHANGE_ID, stored=True)

UNCHANGED = RegistryChanged(event_id=CHANGE_ID, stored=False)

REGISTRY = RegistryView(
    definitions=(
        Definition(predicate="budget", cardinality="single", value_type="number"),
        Definition(predicate="did", historical=True),
        Definition(predicate="dislikes", excludes=("likes",)),
        Definition(predicate="drives", cardinality="single", value_type="boolean"),
        LIVES_IN,
        Definition(predicate="note", template="{value}"),
        Definition(predicate="size", value_type="enum", allowed=("small", "large")),
    ),
    names={"lives_in": ("lives_in", "resides_in")},
    subjects={"mira": ("mira", "mira okafor")},
    is_open=True,
)

REGISTRY_LOG = RegistryLog(changes=RULES)

TEXT_FACT = TextFact(
    fact=OSLO_ID,
    text="Mira lives in Oslo.",
    since=OSLO.since,
    days_ago=31,
    before=("Mira lives in Bergen.",),
    elsewhere=("Mira works in Oslo.",),
    anchors=("YWJjZGVmZ2hpamtsbW5vcHFyc3R1",),
)

NEW_TEXT_FACT = TextFact(fact=TEA_ID, text="Mira likes tea.", since=AS_OF, days_ago=0)

TEXT_REMEMBERED = RememberedText(
    episode=EPISODE,
    is_new=True,
    filed=(TEXT_FACT,),
    known=(NEW_TEXT_FACT,),
    ended=("Mira lives in Bergen.",),
)

TEXT_IN_PART = RememberedText(
    episode=EPISODE,
    is_new=False,
    refused=(StatementRefused(position=0, reason="its evidence is not in the text"),),
)

TEXT_NOT_READ = RememberedText(
    episode=EPISODE,
    is_new=True,
    filed=(NEW_TEXT_FACT,),
    not_filed=(
        NotFiled(evidence="I moved to Oslo", reason="the person stated otherwise", to_confirm=True),
        NotFiled(evidence="the key is [redacted:token]", reason="it holds a secret"),
    ),
    unread="openai:gpt-quay is overloaded; it asked to be left alone for 7 seconds",
)

UNDECIDED = ForgetAnswer(offers=(TEXT_FACT,), undecided="no whole answer came within 120 seconds")

OFFERED = ForgetAnswer(offers=(TEXT_FACT, NEW_TEXT_FACT))

NAMED = ForgetAnswer(withdrawn=("Mira lives in Oslo.",), not_held=(BERGEN_ID,))

TEXT_HISTORY = TextHistory(
    threads=(
        HistoryThread(
            now=("Mira lives in Oslo.",),
            steps=(
                ThreadStep(
                    text="Mira lives in Bergen.",
                    since=BERGEN.since,
                    until=OSLO.since,
                    ended_by="Mira lives in Oslo.",
                ),
                ThreadStep(text="Mira lives in Oslo.", since=OSLO.since, until=None),
            ),
        ),
        HistoryThread(
            now=(),
            steps=(
                ThreadStep(
                    text="Mira drives.",
                    since=BERGEN.since,
                    until=OSLO.since,
                    ended_by="a withdrawal",
                ),
            ),
        ),
    )
)
