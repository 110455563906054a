"""The operations on the registry of predicates; `list_predicates` of the typed surface reads it."""

from typing import Final

from recense.core.facts.changes import Definition
from recense.operations.admin import NothingAsked
from recense.operations.facts import RegistryChanged, RegistryLog
from recense.operations.operation import AnyOperation, Operation
from recense.operations.registry import (
    DefinedPredicates,
    LoadRegistry,
    MergePredicates,
    MergeSubjects,
    RedefinePredicate,
    SplitPredicate,
    SubjectToSplit,
)

REGISTRY_LOG: Final = Operation(
    name="registry_log",
    summary="List every change of the registry, in order.",
    request=NothingAsked,
    answer=RegistryLog,
    surface="admin",
    scope="recall",
)
DEFINE_PREDICATE: Final = Operation(
    name="define_predicate",
    summary="Define a predicate.",
    request=Definition,
    answer=RegistryChanged,
    surface="admin",
    scope="admin",
    changes=True,
)
LOAD_REGISTRY: Final = Operation(
    name="load_registry",
    summary="Define several predicates, all or none.",
    request=LoadRegistry,
    answer=DefinedPredicates,
    surface="admin",
    scope="admin",
    changes=True,
)
REDEFINE_PREDICATE: Final = Operation(
    name="redefine_predicate",
    summary="Give a predicate other rules, from its first definition on or from now on.",
    request=RedefinePredicate,
    answer=RegistryChanged,
    surface="admin",
    scope="admin",
    changes=True,
)
MERGE_PREDICATES: Final = Operation(
    name="merge_predicates",
    summary="Let a predicate mean the same as another.",
    request=MergePredicates,
    answer=RegistryChanged,
    surface="admin",
    scope="admin",
    changes=True,
)
SPLIT_PREDICATE: Final = Operation(
    name="split_predicate",
    summary="Let a merged predicate be one of its own again.",
    request=SplitPredicate,
    answer=RegistryChanged,
    surface="admin",
    scope="admin",
    changes=True,
)
MERGE_SUBJECTS: Final = Operation(
    name="merge_subjects",
    summary="Let a subject be the same as another.",
    request=MergeSubjects,
    answer=RegistryChanged,
    surface="admin",
    scope="admin",
    changes=True,
)
SPLIT_SUBJECT: Final = Operation(
    name="split_subject",
    summary="Let a merged subject be one of its own again.",
    request=SubjectToSplit,
    answer=RegistryChanged,
    surface="admin",
    scope="admin",
    changes=True,
)

REGISTRY_OPERATIONS: Final[tuple[AnyOperation, ...]] = (
    REGISTRY_LOG,
    DEFINE_PREDICATE,
    LOAD_REGISTRY,
    REDEFINE_PREDICATE,
    MERGE_PREDICATES,
    SPLIT_PREDICATE,
    MERGE_SUBJECTS,
    SPLIT_SUBJECT,
)
