"""What is asked of the typed surface beside a statement: `recense.operations.facts` has the rest,
and how instants are written.
"""

from recense.core.facts.values import FactValue
from recense.core.values import Value
from recense.limits import FACTS_LISTED_DEFAULT
from recense.operations.facts import RememberedFact, RememberFact


class ListPredicates(Value, kw_only=True, forbid_unknown_fields=True):
    """The registry as at an instant, or as it is now."""

    as_of: str | None = None


class RememberFacts(Value, kw_only=True, forbid_unknown_fields=True):
    """Statements to remember in turn; where one is refused, those before it are remembered."""

    facts: tuple[RememberFact, ...]


class RememberedFacts(Value, kw_only=True):
    """What became of each statement, in order."""

    facts: tuple[RememberedFact, ...]


class FactHistoryRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """The pair whose events are asked for: those observed until ``as_of``, and received by
    ``known_by``, the newest ``limit`` of them.
    """

    subject: str
    predicate: str
    as_of: str | None = None
    known_by: str | None = None
    limit: int = FACTS_LISTED_DEFAULT


class ExplainFact(Value, kw_only=True, forbid_unknown_fields=True):
    """The subject of which it is asked why it holds what holds: of one predicate, or of each."""

    subject: str
    predicate: str | None = None
    as_of: str | None = None
    known_by: str | None = None


class FactHolds(Value, kw_only=True, forbid_unknown_fields=True):
    """A value of which it is asked whether it holds."""

    subject: str
    predicate: str
    value: FactValue
    as_of: str | None = None
    known_by: str | None = None


class TimelineRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """The subject of which it is asked which values it had when: of one predicate, or of each."""

    subject: str
    predicate: str | None = None


class DifferenceRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """Two instants between which it is asked what changed: of one subject, or of all."""

    since: str
    until: str
    subject: str | None = None


class PromoteNote(Value, kw_only=True, forbid_unknown_fields=True):
    """A note to file under a predicate, by the id of the event that made it; without a ``value``
    its text is the value.
    """

    event_id: str
    predicate: str
    value: FactValue | None = None
