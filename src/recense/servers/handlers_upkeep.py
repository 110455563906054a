"""What answers the operations that keep a store and its registry in order."""

from recense.core.facts.changes import Definition
from recense.operations import registry_operations as ruled
from recense.operations import upkeep_operations as asked
from recense.operations.admin import (
    ConvertReport,
    Digest,
    Health,
    IndexReport,
    IndexRequest,
    NothingAsked,
)
from recense.operations.extraction import (
    ExtractionStatus,
    ExtractReport,
    ExtractRequest,
    StatusRequest,
)
from recense.operations.facts import RegistryChanged, RegistryLog
from recense.operations.registry import (
    DefinedPredicates,
    LoadRegistry,
    MergePredicates,
    MergeSubjects,
    RedefinePredicate,
    SplitPredicate,
    SubjectToSplit,
)
from recense.servers.handling import Handled, OperationCall, handled


def _convert(call: OperationCall, _request: NothingAsked) -> ConvertReport:
    return call.memory.convert(call.told)


def _index(call: OperationCall, request: IndexRequest) -> IndexReport:
    return call.memory.index(call.told, anew=request.anew)


def _extract_status(call: OperationCall, request: StatusRequest) -> ExtractionStatus:
    return call.memory.extraction.status(request.sessions, call.told)


def _extract_run(call: OperationCall, request: ExtractRequest) -> ExtractReport:
    return call.memory.extraction.run(request, call.told)


def _doctor(call: OperationCall, _request: NothingAsked) -> Health:
    return call.memory.doctor()


def _digest(call: OperationCall, _request: NothingAsked) -> Digest:
    return call.memory.digest()


def _registry_log(call: OperationCall, _request: NothingAsked) -> RegistryLog:
    return call.memory.registry_log()


def _define_predicate(call: OperationCall, request: Definition) -> RegistryChanged:
    return call.memory.define_predicate(request)


def _load_registry(call: OperationCall, request: LoadRegistry) -> DefinedPredicates:
    return DefinedPredicates(changes=call.memory.load_registry(request.definitions))


def _redefine_predicate(call: OperationCall, request: RedefinePredicate) -> RegistryChanged:
    return call.memory.redefine_predicate(request.definition, retroactive=request.retroactive)


def _merge_predicates(call: OperationCall, request: MergePredicates) -> RegistryChanged:
    return call.memory.merge_predicates(request.predicate, request.into)


def _split_predicate(call: OperationCall, request: SplitPredicate) -> RegistryChanged:
    return call.memory.split_predicate(request.predicate)


def _merge_subjects(call: OperationCall, request: MergeSubjects) -> RegistryChanged:
    return call.memory.merge_subjects(request.subject, request.into)


def _split_subject(call: OperationCall, request: SubjectToSplit) -> RegistryChanged:
    return call.memory.split_subject(request.subject)


UPKEEP_HANDLERS: tuple[Handled, ...] = (
    handled(asked.CONVERT, _convert),
    handled(asked.INDEX, _index),
    handled(asked.EXTRACT_STATUS, _extract_status),
    handled(asked.EXTRACT_RUN, _extract_run),
    handled(asked.DOCTOR, _doctor),
    handled(asked.DIGEST, _digest),
    handled(ruled.REGISTRY_LOG, _registry_log),
    handled(ruled.DEFINE_PREDICATE, _define_predicate),
    handled(ruled.LOAD_REGISTRY, _load_registry),
    handled(ruled.REDEFINE_PREDICATE, _redefine_predicate),
    handled(ruled.MERGE_PREDICATES, _merge_predicates),
    handled(ruled.SPLIT_PREDICATE, _split_predicate),
    handled(ruled.MERGE_SUBJECTS, _merge_subjects),
    handled(ruled.SPLIT_SUBJECT, _split_subject),
)
