"""The operations as methods; written by scripts/write_client.py from the catalogue."""

from abc import ABC, abstractmethod
from typing import TypeVar

from recense.core.facts.changes import Definition
from recense.core.values import Value
from recense.operations import (
    agent_operations,
    key_operations,
    registry_operations,
    session_operations,
    text_operations,
    typed_operations,
    upkeep_operations,
)
from recense.operations.admin import (
    ConvertReport,
    Digest,
    Health,
    IndexReport,
    IndexRequest,
    NothingAsked,
    SessionList,
    SessionView,
    TranscriptView,
)
from recense.operations.agent_calls import (
    AcquireAgent,
    AgentLease,
    BeginAgentAction,
    EndAgentAction,
    ListActions,
    ListAgents,
    ListPointers,
    PointerList,
    RecentTurns,
    ReconcileActions,
    RecordTurn,
    ReleaseAgent,
    ReleasedAgent,
    RemovedPointer,
    RemovePointer,
    RenewAgent,
    SetAgentPointer,
    ShowAgent,
    StoreOutput,
    UpdateWorkingState,
)
from recense.operations.agents import (
    ActionList,
    ActionView,
    AddedTurn,
    AgentContext,
    AgentList,
    BegunAction,
    DecideAction,
    OutputPiece,
    OutputView,
    PointerView,
    ReadOutput,
    Reconciled,
    ResumeAgent,
    StateView,
    TurnPage,
)
from recense.operations.extraction import (
    ExtractionStatus,
    ExtractReport,
    ExtractRequest,
    StatusRequest,
)
from recense.operations.fact_requests import (
    DifferenceRequest,
    ExplainFact,
    FactHistoryRequest,
    FactHolds,
    ListPredicates,
    PromoteNote,
    RememberedFacts,
    RememberFacts,
    TimelineRequest,
)
from recense.operations.facts import (
    Beliefs,
    FactDifference,
    FactExplanation,
    FactHistory,
    FactTimeline,
    FactTruth,
    ForgetFact,
    ForgottenFacts,
    GetFacts,
    RegistryChanged,
    RegistryLog,
    RegistryView,
    RememberedFact,
    RememberFact,
    SearchFacts,
)
from recense.operations.grep import (
    GrepAnswer,
    GrepRequest,
)
from recense.operations.keys import (
    IssueKey,
    KeyIssued,
    KeyList,
    KeyView,
    ListKeys,
    RenewKey,
    RevokeKey,
)
from recense.operations.materials import (
    MaterialBytes,
    MaterialRequest,
)
from recense.operations.operation import Operation
from recense.operations.privacy import (
    ForgetPlan,
    ForgetReport,
    ForgetSession,
    HiddenSession,
    HideSession,
)
from recense.operations.recall import (
    MoreRequest,
    Passage,
    RecallAnswer,
    RecallRequest,
)
from recense.operations.registry import (
    DefinedPredicates,
    LoadRegistry,
    MergePredicates,
    MergeSubjects,
    RedefinePredicate,
    SplitPredicate,
    SubjectToSplit,
)
from recense.operations.sessions import (
    AppendReport,
    AppendSession,
    ClosedSession,
    CloseSession,
    ListSessions,
    OpenSession,
    ShowSession,
    StreamReport,
    StreamSession,
)
from recense.operations.texts import (
    ForgetAnswer,
    ForgetText,
    HistoryRequest,
    RememberedText,
    RememberText,
    RememberWords,
    TextHistory,
)

_Request = TypeVar("_Request", bound=Value)
_Answer = TypeVar("_Answer", bound=Value)


class Methods(ABC):
    """Every operation there is, blocking."""

    @abstractmethod
    def _answer(
        self,
        operation: Operation[_Request, _Answer],
        request: _Request,
        idempotency_key: str | None = None,
    ) -> _Answer:
        """Return the answer of an operation to a request."""

    def recall(self, request: RecallRequest) -> RecallAnswer:
        """Find what was said in earlier sessions, word for word, and the facts that hold now."""
        return self._answer(text_operations.RECALL, request)

    def recall_more(self, request: MoreRequest) -> Passage:
        """Show more of what surrounds a passage that recall gave, by its anchor."""
        return self._answer(text_operations.RECALL_MORE, request)

    def recall_material(self, request: MaterialRequest) -> MaterialBytes:
        """Give the bytes of an image or file that recall named, by its id."""
        return self._answer(text_operations.RECALL_MATERIAL, request)

    def remember(
        self, request: RememberWords, *, idempotency_key: str | None = None
    ) -> RememberedText:
        """Keep a text, or the messages of a conversation, so that recall finds it."""
        return self._answer(text_operations.REMEMBER, request, idempotency_key)

    def forget(self, request: ForgetText, *, idempotency_key: str | None = None) -> ForgetAnswer:
        """Withdraw facts by their ids; words alone are answered with those that may be meant."""
        return self._answer(text_operations.FORGET, request, idempotency_key)

    def history(self, request: HistoryRequest) -> TextHistory:
        """Tell how something came to be as it is: what was so before, and until when."""
        return self._answer(text_operations.HISTORY, request)

    def list_predicates(self, request: ListPredicates) -> RegistryView:
        """List the predicates there are, their rules and the values that are allowed."""
        return self._answer(typed_operations.LIST_PREDICATES, request)

    def remember_fact(
        self, request: RememberFact, *, idempotency_key: str | None = None
    ) -> RememberedFact:
        """Remember that a subject has a value under a predicate."""
        return self._answer(typed_operations.REMEMBER_FACT, request, idempotency_key)

    def remember_facts(
        self, request: RememberFacts, *, idempotency_key: str | None = None
    ) -> RememberedFacts:
        """Remember several statements in turn, up to the first that is refused."""
        return self._answer(typed_operations.REMEMBER_FACTS, request, idempotency_key)

    def remember_statements(
        self, request: RememberText, *, idempotency_key: str | None = None
    ) -> RememberedText:
        """Keep a text, and file statements that its words are the evidence of."""
        return self._answer(typed_operations.REMEMBER_STATEMENTS, request, idempotency_key)

    def recall_facts(self, request: GetFacts) -> Beliefs:
        """List what holds, now or at an instant, by subject, predicate and other filters."""
        return self._answer(typed_operations.RECALL_FACTS, request)

    def search_facts(self, request: SearchFacts) -> Beliefs:
        """Find what holds, in words."""
        return self._answer(typed_operations.SEARCH_FACTS, request)

    def forget_fact(
        self, request: ForgetFact, *, idempotency_key: str | None = None
    ) -> ForgottenFacts:
        """Withdraw a value of a pair, or with all_values every value of it."""
        return self._answer(typed_operations.FORGET_FACT, request, idempotency_key)

    def fact_history(self, request: FactHistoryRequest) -> FactHistory:
        """List the events of a pair in order, as they were written."""
        return self._answer(typed_operations.FACT_HISTORY, request)

    def explain(self, request: ExplainFact) -> FactExplanation:
        """Tell why it holds what holds: the rules, and what each event did."""
        return self._answer(typed_operations.EXPLAIN, request)

    def fact_holds(self, request: FactHolds) -> FactTruth:
        """Tell whether a value holds: yes, no, or unknown."""
        return self._answer(typed_operations.FACT_HOLDS, request)

    def fact_timeline(self, request: TimelineRequest) -> FactTimeline:
        """List which values a subject had when."""
        return self._answer(typed_operations.FACT_TIMELINE, request)

    def fact_difference(self, request: DifferenceRequest) -> FactDifference:
        """List what came to hold and what ceased to, between two instants."""
        return self._answer(typed_operations.FACT_DIFFERENCE, request)

    def promote_note(
        self, request: PromoteNote, *, idempotency_key: str | None = None
    ) -> RememberedFact:
        """File a note under a predicate, and withdraw it."""
        return self._answer(typed_operations.PROMOTE_NOTE, request, idempotency_key)

    def agent_resume(
        self, request: ResumeAgent, *, idempotency_key: str | None = None
    ) -> AgentContext:
        """Take an agent, and get what it goes on from: its briefing, and the epoch to write by."""
        return self._answer(agent_operations.AGENT_RESUME, request, idempotency_key)

    def agent_acquire(
        self, request: AcquireAgent, *, idempotency_key: str | None = None
    ) -> AgentLease:
        """Take an agent that was resumed with defer_lease, before its first write."""
        return self._answer(agent_operations.AGENT_ACQUIRE, request, idempotency_key)

    def agent_renew(self, request: RenewAgent, *, idempotency_key: str | None = None) -> AgentLease:
        """Keep an agent while there is nothing to write: each write keeps it too."""
        return self._answer(agent_operations.AGENT_RENEW, request, idempotency_key)

    def agent_release(
        self, request: ReleaseAgent, *, idempotency_key: str | None = None
    ) -> ReleasedAgent:
        """Give an agent back, so that another may resume it at once."""
        return self._answer(agent_operations.AGENT_RELEASE, request, idempotency_key)

    def update_working_state(
        self, request: UpdateWorkingState, *, idempotency_key: str | None = None
    ) -> StateView:
        """Write where the agent stands: the fields that are given change, the others stay."""
        return self._answer(agent_operations.UPDATE_WORKING_STATE, request, idempotency_key)

    def record_turn(self, request: RecordTurn, *, idempotency_key: str | None = None) -> AddedTurn:
        """Keep what was said; with a message_id it is kept once, however often it is sent."""
        return self._answer(agent_operations.RECORD_TURN, request, idempotency_key)

    def recent_turns(self, request: RecentTurns) -> TurnPage:
        """List the newest turns of an agent, page by page into the past."""
        return self._answer(agent_operations.RECENT_TURNS, request)

    def store_output(
        self, request: StoreOutput, *, idempotency_key: str | None = None
    ) -> OutputView:
        """Keep what a tool gave, to be read again in pieces."""
        return self._answer(agent_operations.STORE_OUTPUT, request, idempotency_key)

    def fetch_output(self, request: ReadOutput) -> OutputPiece:
        """Read a piece of an output."""
        return self._answer(agent_operations.FETCH_OUTPUT, request)

    def set_pointer(
        self, request: SetAgentPointer, *, idempotency_key: str | None = None
    ) -> PointerView:
        """Keep where something outside lies that the agent will need."""
        return self._answer(agent_operations.SET_POINTER, request, idempotency_key)

    def remove_pointer(
        self, request: RemovePointer, *, idempotency_key: str | None = None
    ) -> RemovedPointer:
        """Remove a pointer."""
        return self._answer(agent_operations.REMOVE_POINTER, request, idempotency_key)

    def list_pointers(self, request: ListPointers) -> PointerList:
        """List the pointers of an agent, by name."""
        return self._answer(agent_operations.LIST_POINTERS, request)

    def begin_action(
        self, request: BeginAgentAction, *, idempotency_key: str | None = None
    ) -> BegunAction:
        """Write down a tool's call before it is made, and learn whether to make it."""
        return self._answer(agent_operations.BEGIN_ACTION, request, idempotency_key)

    def end_action(
        self, request: EndAgentAction, *, idempotency_key: str | None = None
    ) -> ActionView:
        """Write down what a call came to, after it was made."""
        return self._answer(agent_operations.END_ACTION, request, idempotency_key)

    def reconcile_actions(
        self, request: ReconcileActions, *, idempotency_key: str | None = None
    ) -> Reconciled:
        """Say what was found out of actions that a holder before left open, and close the rest."""
        return self._answer(agent_operations.RECONCILE_ACTIONS, request, idempotency_key)

    def list_actions(self, request: ListActions) -> ActionList:
        """List the actions of an agent, newest first, or those alone that are not settled."""
        return self._answer(agent_operations.LIST_ACTIONS, request)

    def list_agents(self, request: ListAgents) -> AgentList:
        """List the agents that wrote something down, by their id."""
        return self._answer(agent_operations.LIST_AGENTS, request)

    def show_agent(self, request: ShowAgent) -> AgentContext:
        """Show what an agent was doing, and what it does not know. It is not taken."""
        return self._answer(agent_operations.SHOW_AGENT, request)

    def decide_action(
        self, request: DecideAction, *, idempotency_key: str | None = None
    ) -> ActionView:
        """Say, as a person, what became of an action whose outcome nobody knows."""
        return self._answer(agent_operations.DECIDE_ACTION, request, idempotency_key)

    def grep(self, request: GrepRequest) -> GrepAnswer:
        """Find every line that holds a text or a regular expression, newest first."""
        return self._answer(session_operations.GREP, request)

    def list_sessions(self, request: ListSessions) -> SessionList:
        """List sessions, newest first; those that are hidden for who keeps the store alone."""
        return self._answer(session_operations.LIST_SESSIONS, request)

    def show_session(self, request: ShowSession) -> TranscriptView:
        """Show a page of a session's messages; a hidden one to who keeps the store alone."""
        return self._answer(session_operations.SHOW_SESSION, request)

    def open_session(
        self, request: OpenSession, *, idempotency_key: str | None = None
    ) -> SessionView:
        """Open a session to write to; one that exists is returned as it is."""
        return self._answer(session_operations.OPEN_SESSION, request, idempotency_key)

    def append_session(
        self, request: AppendSession, *, idempotency_key: str | None = None
    ) -> AppendReport:
        """Append events to a session; those it holds already are left out."""
        return self._answer(session_operations.APPEND_SESSION, request, idempotency_key)

    def stream_session(
        self, request: StreamSession, *, idempotency_key: str | None = None
    ) -> StreamReport:
        """Append the next piece of a text that is still arriving."""
        return self._answer(session_operations.STREAM_SESSION, request, idempotency_key)

    def close_session(
        self, request: CloseSession, *, idempotency_key: str | None = None
    ) -> ClosedSession:
        """Close a session: nothing more is appended to it."""
        return self._answer(session_operations.CLOSE_SESSION, request, idempotency_key)

    def hide_session(
        self, request: HideSession, *, idempotency_key: str | None = None
    ) -> HiddenSession:
        """Hide a session from every search."""
        return self._answer(session_operations.HIDE_SESSION, request, idempotency_key)

    def unhide_session(
        self, request: HideSession, *, idempotency_key: str | None = None
    ) -> HiddenSession:
        """Show a hidden session again."""
        return self._answer(session_operations.UNHIDE_SESSION, request, idempotency_key)

    def plan_forgetting(self, request: ForgetSession) -> ForgetPlan:
        """Tell what forgetting a session would remove, and what would still hold its text."""
        return self._answer(session_operations.PLAN_FORGETTING, request)

    def forget_session(
        self, request: ForgetSession, *, idempotency_key: str | None = None
    ) -> ForgetReport:
        """Remove a session for good; this cannot be undone."""
        return self._answer(session_operations.FORGET_SESSION, request, idempotency_key)

    def convert(
        self, request: NothingAsked, *, idempotency_key: str | None = None
    ) -> ConvertReport:
        """Convert what is archived and not converted yet, and index it."""
        return self._answer(upkeep_operations.CONVERT, request, idempotency_key)

    def index(self, request: IndexRequest, *, idempotency_key: str | None = None) -> IndexReport:
        """Index what is converted and not indexed yet, or everything anew."""
        return self._answer(upkeep_operations.INDEX, request, idempotency_key)

    def extract_status(self, request: StatusRequest) -> ExtractionStatus:
        """Tell how far sessions are read for facts, and what reading the rest takes."""
        return self._answer(upkeep_operations.EXTRACT_STATUS, request)

    def extract_run(
        self, request: ExtractRequest, *, idempotency_key: str | None = None
    ) -> ExtractReport:
        """Read sessions for facts, those named or all of them."""
        return self._answer(upkeep_operations.EXTRACT_RUN, request, idempotency_key)

    def doctor(self, request: NothingAsked) -> Health:
        """Examine the store, and tell what is wrong and what to do."""
        return self._answer(upkeep_operations.DOCTOR, request)

    def digest(self, request: NothingAsked) -> Digest:
        """Give the digest of the store: equal digests mean equal sessions."""
        return self._answer(upkeep_operations.DIGEST, request)

    def registry_log(self, request: NothingAsked) -> RegistryLog:
        """List every change of the registry, in order."""
        return self._answer(registry_operations.REGISTRY_LOG, request)

    def define_predicate(
        self, request: Definition, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Define a predicate."""
        return self._answer(registry_operations.DEFINE_PREDICATE, request, idempotency_key)

    def load_registry(
        self, request: LoadRegistry, *, idempotency_key: str | None = None
    ) -> DefinedPredicates:
        """Define several predicates, all or none."""
        return self._answer(registry_operations.LOAD_REGISTRY, request, idempotency_key)

    def redefine_predicate(
        self, request: RedefinePredicate, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Give a predicate other rules, from its first definition on or from now on."""
        return self._answer(registry_operations.REDEFINE_PREDICATE, request, idempotency_key)

    def merge_predicates(
        self, request: MergePredicates, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Let a predicate mean the same as another."""
        return self._answer(registry_operations.MERGE_PREDICATES, request, idempotency_key)

    def split_predicate(
        self, request: SplitPredicate, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Let a merged predicate be one of its own again."""
        return self._answer(registry_operations.SPLIT_PREDICATE, request, idempotency_key)

    def merge_subjects(
        self, request: MergeSubjects, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Let a subject be the same as another."""
        return self._answer(registry_operations.MERGE_SUBJECTS, request, idempotency_key)

    def split_subject(
        self, request: SubjectToSplit, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Let a merged subject be one of its own again."""
        return self._answer(registry_operations.SPLIT_SUBJECT, request, idempotency_key)

    def issue_key(self, request: IssueKey, *, idempotency_key: str | None = None) -> KeyIssued:
        """Issue a key that exceeds yours in nothing; it is shown this once."""
        return self._answer(key_operations.ISSUE_KEY, request, idempotency_key)

    def list_keys(self, request: ListKeys) -> KeyList:
        """List the keys of your namespace, the newest first: never the keys themselves."""
        return self._answer(key_operations.LIST_KEYS, request)

    def renew_key(self, request: RenewKey, *, idempotency_key: str | None = None) -> KeyView:
        """Let a key hold until later, at most as long as yours."""
        return self._answer(key_operations.RENEW_KEY, request, idempotency_key)

    def revoke_key(self, request: RevokeKey, *, idempotency_key: str | None = None) -> KeyView:
        """Let a key hold no more, for good."""
        return self._answer(key_operations.REVOKE_KEY, request, idempotency_key)


class AsyncMethods(ABC):
    """Every operation there is, as coroutines."""

    @abstractmethod
    async def _answer(
        self,
        operation: Operation[_Request, _Answer],
        request: _Request,
        idempotency_key: str | None = None,
    ) -> _Answer:
        """Return the answer of an operation to a request."""

    async def recall(self, request: RecallRequest) -> RecallAnswer:
        """Find what was said in earlier sessions, word for word, and the facts that hold now."""
        return await self._answer(text_operations.RECALL, request)

    async def recall_more(self, request: MoreRequest) -> Passage:
        """Show more of what surrounds a passage that recall gave, by its anchor."""
        return await self._answer(text_operations.RECALL_MORE, request)

    async def recall_material(self, request: MaterialRequest) -> MaterialBytes:
        """Give the bytes of an image or file that recall named, by its id."""
        return await self._answer(text_operations.RECALL_MATERIAL, request)

    async def remember(
        self, request: RememberWords, *, idempotency_key: str | None = None
    ) -> RememberedText:
        """Keep a text, or the messages of a conversation, so that recall finds it."""
        return await self._answer(text_operations.REMEMBER, request, idempotency_key)

    async def forget(
        self, request: ForgetText, *, idempotency_key: str | None = None
    ) -> ForgetAnswer:
        """Withdraw facts by their ids; words alone are answered with those that may be meant."""
        return await self._answer(text_operations.FORGET, request, idempotency_key)

    async def history(self, request: HistoryRequest) -> TextHistory:
        """Tell how something came to be as it is: what was so before, and until when."""
        return await self._answer(text_operations.HISTORY, request)

    async def list_predicates(self, request: ListPredicates) -> RegistryView:
        """List the predicates there are, their rules and the values that are allowed."""
        return await self._answer(typed_operations.LIST_PREDICATES, request)

    async def remember_fact(
        self, request: RememberFact, *, idempotency_key: str | None = None
    ) -> RememberedFact:
        """Remember that a subject has a value under a predicate."""
        return await self._answer(typed_operations.REMEMBER_FACT, request, idempotency_key)

    async def remember_facts(
        self, request: RememberFacts, *, idempotency_key: str | None = None
    ) -> RememberedFacts:
        """Remember several statements in turn, up to the first that is refused."""
        return await self._answer(typed_operations.REMEMBER_FACTS, request, idempotency_key)

    async def remember_statements(
        self, request: RememberText, *, idempotency_key: str | None = None
    ) -> RememberedText:
        """Keep a text, and file statements that its words are the evidence of."""
        return await self._answer(typed_operations.REMEMBER_STATEMENTS, request, idempotency_key)

    async def recall_facts(self, request: GetFacts) -> Beliefs:
        """List what holds, now or at an instant, by subject, predicate and other filters."""
        return await self._answer(typed_operations.RECALL_FACTS, request)

    async def search_facts(self, request: SearchFacts) -> Beliefs:
        """Find what holds, in words."""
        return await self._answer(typed_operations.SEARCH_FACTS, request)

    async def forget_fact(
        self, request: ForgetFact, *, idempotency_key: str | None = None
    ) -> ForgottenFacts:
        """Withdraw a value of a pair, or with all_values every value of it."""
        return await self._answer(typed_operations.FORGET_FACT, request, idempotency_key)

    async def fact_history(self, request: FactHistoryRequest) -> FactHistory:
        """List the events of a pair in order, as they were written."""
        return await self._answer(typed_operations.FACT_HISTORY, request)

    async def explain(self, request: ExplainFact) -> FactExplanation:
        """Tell why it holds what holds: the rules, and what each event did."""
        return await self._answer(typed_operations.EXPLAIN, request)

    async def fact_holds(self, request: FactHolds) -> FactTruth:
        """Tell whether a value holds: yes, no, or unknown."""
        return await self._answer(typed_operations.FACT_HOLDS, request)

    async def fact_timeline(self, request: TimelineRequest) -> FactTimeline:
        """List which values a subject had when."""
        return await self._answer(typed_operations.FACT_TIMELINE, request)

    async def fact_difference(self, request: DifferenceRequest) -> FactDifference:
        """List what came to hold and what ceased to, between two instants."""
        return await self._answer(typed_operations.FACT_DIFFERENCE, request)

    async def promote_note(
        self, request: PromoteNote, *, idempotency_key: str | None = None
    ) -> RememberedFact:
        """File a note under a predicate, and withdraw it."""
        return await self._answer(typed_operations.PROMOTE_NOTE, request, idempotency_key)

    async def agent_resume(
        self, request: ResumeAgent, *, idempotency_key: str | None = None
    ) -> AgentContext:
        """Take an agent, and get what it goes on from: its briefing, and the epoch to write by."""
        return await self._answer(agent_operations.AGENT_RESUME, request, idempotency_key)

    async def agent_acquire(
        self, request: AcquireAgent, *, idempotency_key: str | None = None
    ) -> AgentLease:
        """Take an agent that was resumed with defer_lease, before its first write."""
        return await self._answer(agent_operations.AGENT_ACQUIRE, request, idempotency_key)

    async def agent_renew(
        self, request: RenewAgent, *, idempotency_key: str | None = None
    ) -> AgentLease:
        """Keep an agent while there is nothing to write: each write keeps it too."""
        return await self._answer(agent_operations.AGENT_RENEW, request, idempotency_key)

    async def agent_release(
        self, request: ReleaseAgent, *, idempotency_key: str | None = None
    ) -> ReleasedAgent:
        """Give an agent back, so that another may resume it at once."""
        return await self._answer(agent_operations.AGENT_RELEASE, request, idempotency_key)

    async def update_working_state(
        self, request: UpdateWorkingState, *, idempotency_key: str | None = None
    ) -> StateView:
        """Write where the agent stands: the fields that are given change, the others stay."""
        return await self._answer(agent_operations.UPDATE_WORKING_STATE, request, idempotency_key)

    async def record_turn(
        self, request: RecordTurn, *, idempotency_key: str | None = None
    ) -> AddedTurn:
        """Keep what was said; with a message_id it is kept once, however often it is sent."""
        return await self._answer(agent_operations.RECORD_TURN, request, idempotency_key)

    async def recent_turns(self, request: RecentTurns) -> TurnPage:
        """List the newest turns of an agent, page by page into the past."""
        return await self._answer(agent_operations.RECENT_TURNS, request)

    async def store_output(
        self, request: StoreOutput, *, idempotency_key: str | None = None
    ) -> OutputView:
        """Keep what a tool gave, to be read again in pieces."""
        return await self._answer(agent_operations.STORE_OUTPUT, request, idempotency_key)

    async def fetch_output(self, request: ReadOutput) -> OutputPiece:
        """Read a piece of an output."""
        return await self._answer(agent_operations.FETCH_OUTPUT, request)

    async def set_pointer(
        self, request: SetAgentPointer, *, idempotency_key: str | None = None
    ) -> PointerView:
        """Keep where something outside lies that the agent will need."""
        return await self._answer(agent_operations.SET_POINTER, request, idempotency_key)

    async def remove_pointer(
        self, request: RemovePointer, *, idempotency_key: str | None = None
    ) -> RemovedPointer:
        """Remove a pointer."""
        return await self._answer(agent_operations.REMOVE_POINTER, request, idempotency_key)

    async def list_pointers(self, request: ListPointers) -> PointerList:
        """List the pointers of an agent, by name."""
        return await self._answer(agent_operations.LIST_POINTERS, request)

    async def begin_action(
        self, request: BeginAgentAction, *, idempotency_key: str | None = None
    ) -> BegunAction:
        """Write down a tool's call before it is made, and learn whether to make it."""
        return await self._answer(agent_operations.BEGIN_ACTION, request, idempotency_key)

    async def end_action(
        self, request: EndAgentAction, *, idempotency_key: str | None = None
    ) -> ActionView:
        """Write down what a call came to, after it was made."""
        return await self._answer(agent_operations.END_ACTION, request, idempotency_key)

    async def reconcile_actions(
        self, request: ReconcileActions, *, idempotency_key: str | None = None
    ) -> Reconciled:
        """Say what was found out of actions that a holder before left open, and close the rest."""
        return await self._answer(agent_operations.RECONCILE_ACTIONS, request, idempotency_key)

    async def list_actions(self, request: ListActions) -> ActionList:
        """List the actions of an agent, newest first, or those alone that are not settled."""
        return await self._answer(agent_operations.LIST_ACTIONS, request)

    async def list_agents(self, request: ListAgents) -> AgentList:
        """List the agents that wrote something down, by their id."""
        return await self._answer(agent_operations.LIST_AGENTS, request)

    async def show_agent(self, request: ShowAgent) -> AgentContext:
        """Show what an agent was doing, and what it does not know. It is not taken."""
        return await self._answer(agent_operations.SHOW_AGENT, request)

    async def decide_action(
        self, request: DecideAction, *, idempotency_key: str | None = None
    ) -> ActionView:
        """Say, as a person, what became of an action whose outcome nobody knows."""
        return await self._answer(agent_operations.DECIDE_ACTION, request, idempotency_key)

    async def grep(self, request: GrepRequest) -> GrepAnswer:
        """Find every line that holds a text or a regular expression, newest first."""
        return await self._answer(session_operations.GREP, request)

    async def list_sessions(self, request: ListSessions) -> SessionList:
        """List sessions, newest first; those that are hidden for who keeps the store alone."""
        return await self._answer(session_operations.LIST_SESSIONS, request)

    async def show_session(self, request: ShowSession) -> TranscriptView:
        """Show a page of a session's messages; a hidden one to who keeps the store alone."""
        return await self._answer(session_operations.SHOW_SESSION, request)

    async def open_session(
        self, request: OpenSession, *, idempotency_key: str | None = None
    ) -> SessionView:
        """Open a session to write to; one that exists is returned as it is."""
        return await self._answer(session_operations.OPEN_SESSION, request, idempotency_key)

    async def append_session(
        self, request: AppendSession, *, idempotency_key: str | None = None
    ) -> AppendReport:
        """Append events to a session; those it holds already are left out."""
        return await self._answer(session_operations.APPEND_SESSION, request, idempotency_key)

    async def stream_session(
        self, request: StreamSession, *, idempotency_key: str | None = None
    ) -> StreamReport:
        """Append the next piece of a text that is still arriving."""
        return await self._answer(session_operations.STREAM_SESSION, request, idempotency_key)

    async def close_session(
        self, request: CloseSession, *, idempotency_key: str | None = None
    ) -> ClosedSession:
        """Close a session: nothing more is appended to it."""
        return await self._answer(session_operations.CLOSE_SESSION, request, idempotency_key)

    async def hide_session(
        self, request: HideSession, *, idempotency_key: str | None = None
    ) -> HiddenSession:
        """Hide a session from every search."""
        return await self._answer(session_operations.HIDE_SESSION, request, idempotency_key)

    async def unhide_session(
        self, request: HideSession, *, idempotency_key: str | None = None
    ) -> HiddenSession:
        """Show a hidden session again."""
        return await self._answer(session_operations.UNHIDE_SESSION, request, idempotency_key)

    async def plan_forgetting(self, request: ForgetSession) -> ForgetPlan:
        """Tell what forgetting a session would remove, and what would still hold its text."""
        return await self._answer(session_operations.PLAN_FORGETTING, request)

    async def forget_session(
        self, request: ForgetSession, *, idempotency_key: str | None = None
    ) -> ForgetReport:
        """Remove a session for good; this cannot be undone."""
        return await self._answer(session_operations.FORGET_SESSION, request, idempotency_key)

    async def convert(
        self, request: NothingAsked, *, idempotency_key: str | None = None
    ) -> ConvertReport:
        """Convert what is archived and not converted yet, and index it."""
        return await self._answer(upkeep_operations.CONVERT, request, idempotency_key)

    async def index(
        self, request: IndexRequest, *, idempotency_key: str | None = None
    ) -> IndexReport:
        """Index what is converted and not indexed yet, or everything anew."""
        return await self._answer(upkeep_operations.INDEX, request, idempotency_key)

    async def extract_status(self, request: StatusRequest) -> ExtractionStatus:
        """Tell how far sessions are read for facts, and what reading the rest takes."""
        return await self._answer(upkeep_operations.EXTRACT_STATUS, request)

    async def extract_run(
        self, request: ExtractRequest, *, idempotency_key: str | None = None
    ) -> ExtractReport:
        """Read sessions for facts, those named or all of them."""
        return await self._answer(upkeep_operations.EXTRACT_RUN, request, idempotency_key)

    async def doctor(self, request: NothingAsked) -> Health:
        """Examine the store, and tell what is wrong and what to do."""
        return await self._answer(upkeep_operations.DOCTOR, request)

    async def digest(self, request: NothingAsked) -> Digest:
        """Give the digest of the store: equal digests mean equal sessions."""
        return await self._answer(upkeep_operations.DIGEST, request)

    async def registry_log(self, request: NothingAsked) -> RegistryLog:
        """List every change of the registry, in order."""
        return await self._answer(registry_operations.REGISTRY_LOG, request)

    async def define_predicate(
        self, request: Definition, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Define a predicate."""
        return await self._answer(registry_operations.DEFINE_PREDICATE, request, idempotency_key)

    async def load_registry(
        self, request: LoadRegistry, *, idempotency_key: str | None = None
    ) -> DefinedPredicates:
        """Define several predicates, all or none."""
        return await self._answer(registry_operations.LOAD_REGISTRY, request, idempotency_key)

    async def redefine_predicate(
        self, request: RedefinePredicate, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Give a predicate other rules, from its first definition on or from now on."""
        return await self._answer(registry_operations.REDEFINE_PREDICATE, request, idempotency_key)

    async def merge_predicates(
        self, request: MergePredicates, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Let a predicate mean the same as another."""
        return await self._answer(registry_operations.MERGE_PREDICATES, request, idempotency_key)

    async def split_predicate(
        self, request: SplitPredicate, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Let a merged predicate be one of its own again."""
        return await self._answer(registry_operations.SPLIT_PREDICATE, request, idempotency_key)

    async def merge_subjects(
        self, request: MergeSubjects, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Let a subject be the same as another."""
        return await self._answer(registry_operations.MERGE_SUBJECTS, request, idempotency_key)

    async def split_subject(
        self, request: SubjectToSplit, *, idempotency_key: str | None = None
    ) -> RegistryChanged:
        """Let a merged subject be one of its own again."""
        return await self._answer(registry_operations.SPLIT_SUBJECT, request, idempotency_key)

    async def issue_key(
        self, request: IssueKey, *, idempotency_key: str | None = None
    ) -> KeyIssued:
        """Issue a key that exceeds yours in nothing; it is shown this once."""
        return await self._answer(key_operations.ISSUE_KEY, request, idempotency_key)

    async def list_keys(self, request: ListKeys) -> KeyList:
        """List the keys of your namespace, the newest first: never the keys themselves."""
        return await self._answer(key_operations.LIST_KEYS, request)

    async def renew_key(self, request: RenewKey, *, idempotency_key: str | None = None) -> KeyView:
        """Let a key hold until later, at most as long as yours."""
        return await self._answer(key_operations.RENEW_KEY, request, idempotency_key)

    async def revoke_key(
        self, request: RevokeKey, *, idempotency_key: str | None = None
    ) -> KeyView:
        """Let a key hold no more, for good."""
        return await self._answer(key_operations.REVOKE_KEY, request, idempotency_key)
