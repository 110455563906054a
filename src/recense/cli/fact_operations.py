"""What the command line asks of a memory about facts, their registry, and texts."""

from typing import TYPE_CHECKING, Protocol

from recense.limits import FACTS_LISTED_DEFAULT

if TYPE_CHECKING:  # some thirty structs, which no question about sessions needs
    from recense.core.facts.changes import Definition
    from recense.core.facts.values import FactValue
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


class FactOperations(Protocol):
    """A memory as far as it holds facts.

    Every method raises what `recense.errors` lists and nothing else. Times are text, as in
    `recense.operations.facts`.
    """

    def remember(self, request: "RememberText") -> "RememberedText":
        """Keep a text, and file what is stated beside it."""
        ...

    def forget(self, request: "ForgetText") -> "ForgetAnswer":
        """Withdraw facts that are named; offer those that a text may mean."""
        ...

    def history(self, request: "HistoryRequest") -> "TextHistory":
        """Return how something came to be so, in sentences."""
        ...

    def remember_fact(self, request: "RememberFact") -> "Remembered":
        """Remember a statement."""
        ...

    def forget_fact(self, request: "ForgetFact") -> "ForgottenFacts":
        """Withdraw a value of a pair, or all of them."""
        ...

    def facts(self, request: "GetFacts") -> "Beliefs":
        """Return the beliefs that pass every filter."""
        ...

    def search_facts(self, request: "SearchFacts") -> "Beliefs":
        """Return the beliefs that a text finds, the best first."""
        ...

    def fact_history(
        self,
        subject: str,
        predicate: str,
        *,
        as_of: str | None = None,
        known_by: str | None = None,
        limit: int = FACTS_LISTED_DEFAULT,
    ) -> "FactHistory":
        """Return the events of a pair, in order."""
        ...

    def explain_fact(
        self,
        subject: str,
        predicate: str | None = None,
        *,
        as_of: str | None = None,
        known_by: str | None = None,
    ) -> "FactExplanation":
        """Return why something holds of a subject, pair by pair."""
        ...

    def fact_holds(
        self,
        subject: str,
        predicate: str,
        value: "FactValue",
        *,
        as_of: str | None = None,
        known_by: str | None = None,
    ) -> "FactTruth":
        """Return whether a value holds."""
        ...

    def fact_timeline(self, subject: str, predicate: str | None = None) -> "FactTimeline":
        """Return which values a subject had when."""
        ...

    def fact_difference(
        self, since: str, until: str, subject: str | None = None
    ) -> "FactDifference":
        """Return what came to hold and what ceased to, between two instants."""
        ...

    def registry(self, as_of: str | None = None) -> "RegistryView":
        """Return the registry as at an instant."""
        ...

    def registry_log(self) -> "RegistryLog":
        """Return every change of the registry, in order."""
        ...

    def define_predicate(self, definition: "Definition") -> "RegistryChanged":
        """Define a predicate."""
        ...

    def redefine_predicate(
        self, definition: "Definition", *, retroactive: bool = True
    ) -> "RegistryChanged":
        """Give a predicate other rules: from ever on, or from now on."""
        ...

    def merge_predicates(self, predicate: str, into: str) -> "RegistryChanged":
        """Let a predicate mean the same as another."""
        ...

    def split_predicate(self, predicate: str) -> "RegistryChanged":
        """Let a merged predicate be one of its own again."""
        ...

    def merge_subjects(self, subject: str, into: str) -> "RegistryChanged":
        """Let a subject be the same as another."""
        ...

    def split_subject(self, subject: str) -> "RegistryChanged":
        """Let a merged subject be one of its own again."""
        ...

    def load_registry(self, definitions: "tuple[Definition, ...]") -> "tuple[RegistryChanged, ...]":
        """Define predicates, all or none; return what became of each."""
        ...

    def promote(
        self, event_id: str, predicate: str, value: "FactValue | None" = None
    ) -> "Remembered":
        """File a note under a predicate and withdraw it."""
        ...
