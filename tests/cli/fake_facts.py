"""The half of a fake memory that holds facts: every operation answers with a sample."""

from recense.core.facts.changes import Definition
from recense.core.facts.values import FactValue
from recense.core.values import Value
from recense.limits import FACTS_LISTED_DEFAULT
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
    Remembered,
    RememberFact,
    SearchFacts,
)
from recense.operations.texts import (
    ForgetAnswer,
    ForgetText,
    HistoryRequest,
    RememberedText,
    RememberText,
    TextHistory,
)
from tests.cli import fact_samples


class FactAnswers(Value, kw_only=True):
    """What a fake memory answers about facts."""

    beliefs: Beliefs = fact_samples.BELIEFS
    remembered: Remembered = fact_samples.REMEMBERED
    forgotten: ForgottenFacts = fact_samples.WITHDRAWN
    truth: FactTruth = fact_samples.HOLDS
    history: FactHistory = fact_samples.HISTORY
    explanation: FactExplanation = fact_samples.EXPLANATION
    timeline: FactTimeline = fact_samples.TIMELINE
    difference: FactDifference = fact_samples.DIFFERENCE
    changed: RegistryChanged = fact_samples.CHANGED
    view: RegistryView = fact_samples.REGISTRY
    log: RegistryLog = fact_samples.REGISTRY_LOG
    text_remembered: RememberedText = fact_samples.TEXT_REMEMBERED
    forget_answer: ForgetAnswer | None = None
    text_history: TextHistory = fact_samples.TEXT_HISTORY


class FakeFacts:
    """Records what it was asked, in ``asked``; a memory adds to it."""

    def __init__(self, answers: FactAnswers, error: BaseException | None) -> None:
        self.asked: list[object] = []
        self._answers = answers
        self._error = error

    def _take(self, *question: object) -> None:
        self.asked.append(question)
        if self._error is not None:
            raise self._error

    def remember(self, request: RememberText) -> RememberedText:
        self._take("remember", request)
        return self._answers.text_remembered

    def forget(self, request: ForgetText) -> ForgetAnswer:
        self._take("forget", request)
        offered = fact_samples.NAMED if request.facts else fact_samples.OFFERED
        return self._answers.forget_answer or offered

    def history(self, request: HistoryRequest) -> TextHistory:
        self._take("history", request)
        return self._answers.text_history

    def remember_fact(self, request: RememberFact) -> Remembered:
        self._take("remember_fact", request)
        return self._answers.remembered

    def forget_fact(self, request: ForgetFact) -> ForgottenFacts:
        self._take("forget_fact", request)
        return self._answers.forgotten

    def facts(self, request: GetFacts) -> Beliefs:
        self._take("facts", request)
        return self._answers.beliefs

    def search_facts(self, request: SearchFacts) -> Beliefs:
        self._take("search_facts", request)
        return self._answers.beliefs

    def fact_history(
        self,
        subject: str,
        predicate: str,
        *,
        as_of: str | None = None,
        known_by: str | None = None,
        limit: int = FACTS_LISTED_DEFAULT,
    ) -> FactHistory:
        self._take("fact_history", subject, predicate, as_of, known_by, limit)
        return self._answers.history

    def explain_fact(
        self,
        subject: str,
        predicate: str | None = None,
        *,
        as_of: str | None = None,
        known_by: str | None = None,
    ) -> FactExplanation:
        self._take("explain_fact", subject, predicate, as_of, known_by)
        return self._answers.explanation

    def fact_holds(
        self,
        subject: str,
        predicate: str,
        value: FactValue,
        *,
        as_of: str | None = None,
        known_by: str | None = None,
    ) -> FactTruth:
        self._take("fact_holds", subject, predicate, value, as_of, known_by)
        return self._answers.truth

    def fact_timeline(self, subject: str, predicate: str | None = None) -> FactTimeline:
        self._take("fact_timeline", subject, predicate)
        return self._answers.timeline

    def fact_difference(self, since: str, until: str, subject: str | None = None) -> FactDifference:
        self._take("fact_difference", since, until, subject)
        return self._answers.difference

    def registry(self, as_of: str | None = None) -> RegistryView:
        self._take("registry", as_of)
        return self._answers.view

    def registry_log(self) -> RegistryLog:
        self._take("registry_log")
        return self._answers.log

    def define_predicate(self, definition: Definition) -> RegistryChanged:
        self._take("define_predicate", definition)
        return self._answers.changed

    def redefine_predicate(
        self, definition: Definition, *, retroactive: bool = True
    ) -> RegistryChanged:
        self._take("redefine_predicate", definition, retroactive)
        return self._answers.changed

    def merge_predicates(self, predicate: str, into: str) -> RegistryChanged:
        self._take("merge_predicates", predicate, into)
        return self._answers.changed

    def split_predicate(self, predicate: str) -> RegistryChanged:
        self._take("split_predicate", predicate)
        return self._answers.changed

    def merge_subjects(self, subject: str, into: str) -> RegistryChanged:
        self._take("merge_subjects", subject, into)
        return self._answers.changed

    def split_subject(self, subject: str) -> RegistryChanged:
        self._take("split_subject", subject)
        return self._answers.changed

    def load_registry(self, definitions: tuple[Definition, ...]) -> tuple[RegistryChanged, ...]:
        self._take("load_registry", definitions)
        return tuple(self._answers.changed for _ in definitions)

    def promote(self, event_id: str, predicate: str, value: FactValue | None = None) -> Remembered:
        self._take("promote", event_id, predicate, value)
        return self._answers.remembered
