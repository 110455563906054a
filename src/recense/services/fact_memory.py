"""The facts of a memory: every operation on them, as the object a user holds has it."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import msgspec

from recense.core.facts.changes import Definition
from recense.core.facts.values import FactValue
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
    RememberedFact,
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
from recense.services.requests import require_recall_allowed

if TYPE_CHECKING:  # loaded when facts are first asked for, by whoever makes the services
    from recense.services.fact_explaining import FactExplaining
    from recense.services.fact_forgetting import FactForgetting
    from recense.services.fact_writing import FactWriting
    from recense.services.facts import Facts
    from recense.services.filing import Filing
    from recense.services.registry import RegistryService
    from recense.services.remembering import Remembering


class FactServices(msgspec.Struct, frozen=True, kw_only=True):
    """The services of the facts of one store."""

    reading: "Facts"
    writing: "FactWriting"
    explaining: "FactExplaining"
    registry: "RegistryService"
    remembering: "Remembering"
    filing: "Filing"
    forgetting: "FactForgetting"


class FactMemory:
    """Facts in text and typed, and the registry that rules over them.

    Methods are safe to call from several threads; each is one operation of its own.
    """

    def __init__(self, services: Callable[[], FactServices], *, incognito: bool) -> None:
        """``services`` returns the same at each call; ``incognito`` refuses every read."""
        self._facts: Final = services
        self._incognito: Final = incognito

    def _recalled(self) -> FactServices:
        """Return the services for a read, unless the person wants nothing recalled."""
        require_recall_allowed(incognito=self._incognito)
        return self._facts()

    @contextmanager
    def _changing(self) -> Generator[None]:
        """Forget what was kept of reads, whatever became of a write."""
        try:
            yield
        finally:
            self._facts().reading.forget_kept()

    def remember(self, request: RememberText) -> RememberedText:
        """Keep a text and file what is said of it; see `Remembering.remember`."""
        with self._changing():
            return self._facts().remembering.remember(request)

    def forget(self, request: ForgetText) -> ForgetAnswer:
        """Withdraw facts by their ids, or offer those that may be meant; see
        `Remembering.forget`.
        """
        with self._changing():
            return self._recalled().remembering.forget(request)

    def history(self, request: HistoryRequest) -> TextHistory:
        """Return how something came to be as it is; see `Remembering.history`."""
        return self._recalled().remembering.history(request)

    def remember_fact(self, request: RememberFact) -> RememberedFact:
        """Remember one statement; see `FactWriting.remember_fact`."""
        with self._changing():
            return self._facts().writing.remember_fact(request)

    def remember_facts(self, requests: Sequence[RememberFact]) -> tuple[RememberedFact, ...]:
        """Remember many statements; see `FactWriting.remember_facts`."""
        with self._changing():
            return self._facts().writing.remember_facts(requests)

    def forget_fact(self, request: ForgetFact) -> ForgottenFacts:
        """Withdraw a value, or every value; see `FactWriting.forget_fact`."""
        with self._changing():
            return self._facts().writing.forget_fact(request)

    def promote(
        self, event_id: str, predicate: str, value: FactValue | None = None
    ) -> RememberedFact:
        """File a note under a predicate; see `FactWriting.promote`."""
        with self._changing():
            return self._facts().writing.promote(event_id, predicate, value)

    def facts(self, request: GetFacts) -> Beliefs:
        """Return what holds; see `Facts.get`."""
        return self._recalled().reading.get(request)

    def search_facts(self, request: SearchFacts) -> Beliefs:
        """Return the beliefs that a text asks for; see `Facts.search`."""
        return self._recalled().reading.search(request)

    def fact_history(
        self,
        subject: str,
        predicate: str,
        *,
        as_of: str | None = None,
        known_by: str | None = None,
        limit: int = FACTS_LISTED_DEFAULT,
    ) -> FactHistory:
        """Return the events of a pair; see `Facts.history`."""
        return self._recalled().reading.history(
            subject, predicate, as_of=as_of, known_by=known_by, limit=limit
        )

    def fact_holds(
        self,
        subject: str,
        predicate: str,
        value: FactValue,
        *,
        as_of: str | None = None,
        known_by: str | None = None,
    ) -> FactTruth:
        """Return whether a value holds; see `Facts.truth`."""
        return self._recalled().reading.truth(
            subject, predicate, value, as_of=as_of, known_by=known_by
        )

    def explain_fact(
        self,
        subject: str,
        predicate: str | None = None,
        *,
        as_of: str | None = None,
        known_by: str | None = None,
    ) -> FactExplanation:
        """Return why it holds what holds; see `FactExplaining.explain`."""
        return self._recalled().explaining.explain(
            subject, predicate, as_of=as_of, known_by=known_by
        )

    def fact_timeline(self, subject: str, predicate: str | None = None) -> FactTimeline:
        """Return which values a subject had when; see `FactExplaining.timeline`."""
        return self._recalled().explaining.timeline(subject, predicate)

    def fact_difference(self, since: str, until: str, subject: str | None = None) -> FactDifference:
        """Return what changed between two instants; see `FactExplaining.difference`."""
        return self._recalled().explaining.difference(since, until, subject)

    def registry(self, as_of: str | None = None) -> RegistryView:
        """Return the registry as at an instant; see `RegistryService.view`."""
        return self._facts().registry.view(as_of)

    def registry_log(self) -> RegistryLog:
        """Return every change of the registry; see `RegistryService.log`."""
        return self._facts().registry.log()

    def define_predicate(self, definition: Definition) -> RegistryChanged:
        """Define a predicate; see `RegistryService.define`."""
        with self._changing():
            return self._facts().registry.define(definition)

    def load_registry(self, definitions: Sequence[Definition]) -> tuple[RegistryChanged, ...]:
        """Define several predicates, all or none; see `RegistryService.load`."""
        with self._changing():
            return self._facts().registry.load(definitions)

    def redefine_predicate(
        self, definition: Definition, *, retroactive: bool = True
    ) -> RegistryChanged:
        """Give a predicate other rules; see `RegistryService.redefine`."""
        with self._changing():
            return self._facts().registry.redefine(definition, retroactive=retroactive)

    def merge_predicates(self, predicate: str, into: str) -> RegistryChanged:
        """Make a predicate another name of a second one; see `RegistryService.merge`."""
        with self._changing():
            return self._facts().registry.merge(predicate, into)

    def split_predicate(self, predicate: str) -> RegistryChanged:
        """Make a merged predicate one of its own; see `RegistryService.split`."""
        with self._changing():
            return self._facts().registry.split(predicate)

    def merge_subjects(self, subject: str, into: str) -> RegistryChanged:
        """Make a subject another name of a second one; see `RegistryService.merge_subjects`."""
        with self._changing():
            return self._facts().registry.merge_subjects(subject, into)

    def split_subject(self, subject: str) -> RegistryChanged:
        """Make a merged subject one of its own; see `RegistryService.split_subject`."""
        with self._changing():
            return self._facts().registry.split_subject(subject)
