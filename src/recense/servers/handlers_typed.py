"""What answers the typed surface."""

from recense.operations import typed_operations as asked
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
    RegistryView,
    RememberedFact,
    RememberFact,
    SearchFacts,
)
from recense.operations.texts import RememberedText, RememberText
from recense.servers.handling import Handled, OperationCall, handled


def _list_predicates(call: OperationCall, request: ListPredicates) -> RegistryView:
    return call.memory.registry(request.as_of)


def _remember_fact(call: OperationCall, request: RememberFact) -> RememberedFact:
    return call.memory.remember_fact(request)


def _remember_facts(call: OperationCall, request: RememberFacts) -> RememberedFacts:
    return RememberedFacts(facts=call.memory.remember_facts(request.facts))


def _remember_statements(call: OperationCall, request: RememberText) -> RememberedText:
    return call.memory.remember(request)


def _recall_facts(call: OperationCall, request: GetFacts) -> Beliefs:
    return call.memory.facts(request)


def _search_facts(call: OperationCall, request: SearchFacts) -> Beliefs:
    return call.memory.search_facts(request)


def _forget_fact(call: OperationCall, request: ForgetFact) -> ForgottenFacts:
    return call.memory.forget_fact(request)


def _fact_history(call: OperationCall, request: FactHistoryRequest) -> FactHistory:
    return call.memory.fact_history(
        request.subject,
        request.predicate,
        as_of=request.as_of,
        known_by=request.known_by,
        limit=request.limit,
    )


def _explain(call: OperationCall, request: ExplainFact) -> FactExplanation:
    return call.memory.explain_fact(
        request.subject, request.predicate, as_of=request.as_of, known_by=request.known_by
    )


def _fact_holds(call: OperationCall, request: FactHolds) -> FactTruth:
    return call.memory.fact_holds(
        request.subject,
        request.predicate,
        request.value,
        as_of=request.as_of,
        known_by=request.known_by,
    )


def _fact_timeline(call: OperationCall, request: TimelineRequest) -> FactTimeline:
    return call.memory.fact_timeline(request.subject, request.predicate)


def _fact_difference(call: OperationCall, request: DifferenceRequest) -> FactDifference:
    return call.memory.fact_difference(request.since, request.until, request.subject)


def _promote_note(call: OperationCall, request: PromoteNote) -> RememberedFact:
    return call.memory.promote(request.event_id, request.predicate, request.value)


TYPED_HANDLERS: tuple[Handled, ...] = (
    handled(asked.LIST_PREDICATES, _list_predicates),
    handled(asked.REMEMBER_FACT, _remember_fact),
    handled(asked.REMEMBER_FACTS, _remember_facts),
    handled(asked.REMEMBER_STATEMENTS, _remember_statements),
    handled(asked.RECALL_FACTS, _recall_facts),
    handled(asked.SEARCH_FACTS, _search_facts),
    handled(asked.FORGET_FACT, _forget_fact),
    handled(asked.FACT_HISTORY, _fact_history),
    handled(asked.EXPLAIN, _explain),
    handled(asked.FACT_HOLDS, _fact_holds),
    handled(asked.FACT_TIMELINE, _fact_timeline),
    handled(asked.FACT_DIFFERENCE, _fact_difference),
    handled(asked.PROMOTE_NOTE, _promote_note),
)
