"""The operations of the typed surface: for who knows the registry."""

from typing import Final

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
from recense.operations.operation import AnyOperation, Operation
from recense.operations.texts import RememberedText, RememberText

LIST_PREDICATES: Final = Operation(
    name="list_predicates",
    summary="List the predicates there are, their rules and the values that are allowed.",
    request=ListPredicates,
    answer=RegistryView,
    surface="typed",
    scope="recall",
)
REMEMBER_FACT: Final = Operation(
    name="remember_fact",
    summary="Remember that a subject has a value under a predicate.",
    request=RememberFact,
    answer=RememberedFact,
    surface="typed",
    scope="remember",
    changes=True,
)
REMEMBER_FACTS: Final = Operation(
    name="remember_facts",
    summary="Remember several statements in turn, up to the first that is refused.",
    request=RememberFacts,
    answer=RememberedFacts,
    surface="typed",
    scope="remember",
    changes=True,
    convergent=True,
)
REMEMBER_STATEMENTS: Final = Operation(
    name="remember_statements",
    summary="Keep a text, and file statements that its words are the evidence of.",
    request=RememberText,
    answer=RememberedText,
    surface="typed",
    scope="remember",
    changes=True,
    convergent=True,
)
RECALL_FACTS: Final = Operation(
    name="recall_facts",
    summary="List what holds, now or at an instant, by subject, predicate and other filters.",
    request=GetFacts,
    answer=Beliefs,
    surface="typed",
    scope="recall",
)
SEARCH_FACTS: Final = Operation(
    name="search_facts",
    summary="Find what holds, in words.",
    request=SearchFacts,
    answer=Beliefs,
    surface="typed",
    scope="recall",
)
FORGET_FACT: Final = Operation(
    name="forget_fact",
    summary="Withdraw a value of a pair, or with all_values every value of it.",
    request=ForgetFact,
    answer=ForgottenFacts,
    surface="typed",
    scope="remember",
    changes=True,
    destructive=True,
)
FACT_HISTORY: Final = Operation(
    name="fact_history",
    summary="List the events of a pair in order, as they were written.",
    request=FactHistoryRequest,
    answer=FactHistory,
    surface="typed",
    scope="recall",
)
EXPLAIN: Final = Operation(
    name="explain",
    summary="Tell why it holds what holds: the rules, and what each event did.",
    request=ExplainFact,
    answer=FactExplanation,
    surface="typed",
    scope="recall",
)
FACT_HOLDS: Final = Operation(
    name="fact_holds",
    summary="Tell whether a value holds: yes, no, or unknown.",
    request=FactHolds,
    answer=FactTruth,
    surface="typed",
    scope="recall",
)
FACT_TIMELINE: Final = Operation(
    name="fact_timeline",
    summary="List which values a subject had when.",
    request=TimelineRequest,
    answer=FactTimeline,
    surface="typed",
    scope="recall",
)
FACT_DIFFERENCE: Final = Operation(
    name="fact_difference",
    summary="List what came to hold and what ceased to, between two instants.",
    request=DifferenceRequest,
    answer=FactDifference,
    surface="typed",
    scope="recall",
)
PROMOTE_NOTE: Final = Operation(
    name="promote_note",
    summary="File a note under a predicate, and withdraw it.",
    request=PromoteNote,
    answer=RememberedFact,
    surface="typed",
    scope="remember",
    changes=True,
    repeatable=False,
)

TYPED_OPERATIONS: Final[tuple[AnyOperation, ...]] = (
    LIST_PREDICATES,
    REMEMBER_FACT,
    REMEMBER_FACTS,
    REMEMBER_STATEMENTS,
    RECALL_FACTS,
    SEARCH_FACTS,
    FORGET_FACT,
    FACT_HISTORY,
    EXPLAIN,
    FACT_HOLDS,
    FACT_TIMELINE,
    FACT_DIFFERENCE,
    PROMOTE_NOTE,
)
