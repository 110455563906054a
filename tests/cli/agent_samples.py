"""One answer of each kind about agents: an invented deployer that was killed inside an act."""

from msgspec.structs import replace

from recense.core.agents.values import WorkingState
from recense.operations.agents import (
    ActionList,
    ActionView,
    AgentContext,
    AgentList,
    AgentSummary,
    BriefedMemory,
    Briefing,
    DecisionView,
    Omitted,
    OutputView,
    PointerView,
    StateView,
    TurnView,
)

AGENT = "deployer"
SESSION = "agent:deployer"
BEGAN = "2026-06-30T09:12:00.000000Z"
ENDED = "2026-06-30T09:14:30.000000Z"
UNKNOWN_ID = "act-5c1f"

CHARGE = ActionView(
    id=UNKNOWN_ID,
    agent=AGENT,
    tool="charge",
    action_class="unsafe",
    status="unknown",
    args={"customer": "mira", "cents": 1_200},
    occurrence=0,
    started_at=BEGAN,
    epoch=1,
    step=3,
    ended_at=ENDED,
    settled_by="reconcile",
)
OPEN = replace(
    CHARGE,
    id="act-77e0",
    tool="send_notice",
    action_class="keyed",
    status="open",
    args="The kiosk is in Oslo time now." * 40,
    args_ref="out-9",
    args_redacted=True,
    key="notice-7",
    occurrence=1,
    attempts=2,
    ended_at=None,
    settled_by=None,
)
DONE = replace(
    CHARGE,
    id="act-19aa",
    tool="write_file",
    action_class="idempotent",
    status="succeeded",
    args={"path": "timetable.txt"},
    result={"bytes": 2_048},
    result_ref="out-2",
    settled_by="agent",
)
DECIDED = replace(
    CHARGE,
    status="compensated",
    settled_by="person",
    note="refunded by hand, see the bank",
    decisions=(
        DecisionView(status="abandoned", at=BEGAN, note="the bank shows nothing"),
        DecisionView(status="abandoned", at=ENDED),
    ),
)

ACTIONS = ActionList(agent=AGENT, actions=(CHARGE, OPEN, DONE), total=7, next_after=DONE.id)

STATE = StateView(
    agent=AGENT,
    version=4,
    at=BEGAN,
    state=WorkingState(
        goal="Move the kiosk to Oslo time",
        plan=("write the timetable", "charge for the change", "tell the harbour"),
        progress="the timetable is written",
        focus="charging",
        decisions=("keep UTC in the store",),
        open_questions=("who pays for the second kiosk?",),
        notes="two lines\nof notes",
        step=3,
        milestone="written",
    ),
)

BRIEFING_TEXT = """\
# Actions of unknown outcome
charge {"cents":1200,"customer":"mira"}: nobody knows whether it was done.

# Working state
goal: Move the kiosk to Oslo time
"""

BRIEFING = Briefing(
    text=BRIEFING_TEXT,
    tokens=44,
    token_budget=8_000,
    turns=2,
    memories=1,
    outputs=1,
    omitted=Omitted(turns=12, memories=1, outputs=3),
)

CONTEXT = AgentContext(
    agent=AGENT,
    session=SESSION,
    epoch=2,
    holder="harbour:4711",
    state=STATE,
    actions=(CHARGE, OPEN),
    pointers=(
        PointerView(
            name="branch",
            type="git_ref",
            fields={"repository": "harbour", "ref": "oslo-time"},
            note="not pushed",
            at=BEGAN,
        ),
    ),
    outputs=(
        OutputView(
            ref="out-2",
            tool="write_file",
            summary="2,048 bytes",
            length=2_048,
            bytes=2_048,
            at=BEGAN,
        ),
    ),
    memories=(BriefedMemory(kind="fact", id="f1", text="Mira lives in Oslo.", at=BEGAN),),
    turns=(
        TurnView(seq=13, role="user", content="Move the kiosk\nto Oslo time.", at=BEGAN),
        TurnView(
            seq=14, role="tool", name="write_file", content="2,048 b", output_ref="out-2", at=BEGAN
        ),
        TurnView(seq=15, role="assistant", content=None, at=BEGAN),
    ),
    turns_total=15,
    outputs_total=4,
    briefing=BRIEFING,
)
"""What a full context holds."""

NEW_CONTEXT = replace(
    CONTEXT,
    epoch=0,
    holder=None,
    state=StateView(agent=AGENT, version=0, at=None, state=WorkingState()),
    actions=(),
    pointers=(),
    outputs=(),
    memories=(),
    turns=(),
    turns_total=0,
    outputs_total=0,
    briefing=replace(
        BRIEFING,
        turns=0,
        memories=0,
        outputs=0,
        omitted=Omitted(),
        memories_unavailable="the index is damaged",
    ),
)

AGENTS = AgentList(
    agents=(
        AgentSummary(
            agent=AGENT,
            session=SESSION,
            goal="Move the kiosk to Oslo time",
            step=3,
            milestone="written",
            state_version=4,
            turns=15,
            outputs=4,
            actions=7,
            unsettled=2,
            pointers=1,
            epoch=2,
            holder="harbour:4711",
            last_at=ENDED,
        ),
        AgentSummary(
            agent="sweeper",
            session="agent:sweeper",
            goal="",
            step=0,
            milestone="",
            state_version=0,
            turns=1,
            outputs=0,
            actions=0,
            unsettled=0,
            pointers=0,
            epoch=1,
            holder=None,
            last_at=None,
        ),
    ),
    total=5,
)


def with_words(words: str) -> AgentContext:
    """Return the full context with these words wherever an agent may write some."""
    turn = replace(CONTEXT.turns[0], content=words, name=words)
    pointer = replace(CONTEXT.pointers[0], name=words, note=words, fields={words: words})
    return replace(
        CONTEXT,
        holder=words,
        actions=(strange_action(words),),
        state=replace(STATE, state=replace(STATE.state, goal=words, plan=(words,), notes=words)),
        turns=(turn,),
        pointers=(pointer,),
        outputs=(replace(CONTEXT.outputs[0], tool=words, summary=words),),
        briefing=replace(BRIEFING, text=words, memories_unavailable=words),
    )


def strange_action(words: str) -> ActionView:
    """Return an action with these words wherever an agent, or a person, may write some."""
    return replace(
        CHARGE,
        tool=words,
        args={words: words},
        result=words,
        note=words,
        key=words,
        decisions=(DecisionView(status="abandoned", at=BEGAN, note=words),),
    )
