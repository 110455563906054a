"""The typed surface of facts: what is asked and what is answered, as it leaves on the wire.

Instants are text here (`recense.core.instants.text_from_instant`), null where unknown. What asks
for an instant takes an RFC 3339 instant or an ISO 8601 date; a date is its first instant in UTC,
and the last one where it ends something (``as_of``, ``known_by``, ``until``).
"""

from recense.core.facts.changes import Cardinality, Definition
from recense.core.facts.event import Kind, Source
from recense.core.facts.values import FactValue, Truth
from recense.core.values import Value
from recense.limits import FACTS_FOUND_DEFAULT, FACTS_LISTED_DEFAULT


class EvidenceView(Value, kw_only=True):
    """The words in which a statement was read; ``excerpt`` is null where they were erased."""

    excerpt: str | None
    episode: str | None = None
    anchor: str | None = None


class ReplacedView(Value, kw_only=True):
    """A value that a belief's own assertion displaced or withdrew."""

    value: FactValue
    since: str
    event_id: str


class ContestedView(Value, kw_only=True):
    """A value that another writer stated within a second of this one."""

    value: FactValue
    writer: str
    event_id: str


class ElsewhereView(Value, kw_only=True):
    """The same value, current about the same subject under another predicate."""

    predicate: str
    since: str
    event_id: str


class BeliefView(Value, kw_only=True):
    """What holds of a pair, as `recense.core.facts.belief.Belief` says it. ``via`` is the predicate
    and value by which a reference led here.
    """

    kind: Kind
    subject: str
    predicate: str
    value: FactValue
    sentence: str
    since: str
    last_stated: str
    confidence: float
    source: Source
    writer: str
    event_id: str
    last_event_id: str
    evidence: tuple[EvidenceView, ...] = ()
    replaced: tuple[ReplacedView, ...] = ()
    elsewhere: tuple[ElsewhereView, ...] = ()
    contested: ContestedView | None = None
    via: str | None = None


class ReplaceRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """A belief to withdraw: by the id of an event that stated it, or by what it says."""

    event_id: str | None = None
    subject: str | None = None
    predicate: str | None = None
    value: FactValue | None = None


class EvidenceRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """Words in which a statement was read, verbatim, and where they stand."""

    excerpt: str
    episode: str | None = None
    anchor: str | None = None


class RememberFact(Value, kw_only=True, forbid_unknown_fields=True):
    """A statement to remember. ``confidence`` is 0 to 1, ``writer`` names who states it, empty for
    the person. ``cardinality`` defines a predicate that is new to an open registry. Without
    ``observed_at`` it is observed now, or just after all it can change. What has a key
    (``idempotency_key``) is done once, and answered the same when it comes again.
    """

    subject: str
    predicate: str
    value: FactValue
    kind: Kind = "fact"
    confidence: float = 1.0
    source: Source = "user_stated"
    writer: str = ""
    observed_at: str | None = None
    evidence: tuple[EvidenceRequest, ...] = ()
    replaces: tuple[ReplaceRequest, ...] = ()
    cardinality: Cardinality | None = None
    idempotency_key: str | None = None


class Unreplaced(Value, kw_only=True):
    """A belief that could not be withdrawn, by its place in the request, and why."""

    position: int
    reason: str


class EventView(Value, kw_only=True):
    """One event as it was written, and its sentence. ``value`` is null in a retraction of every
    value; ``recorded_at`` is when this store received it; ``replaces`` are the ids of the events
    whose values it withdraws, or the keys of the values where none was named.
    """

    event_id: str
    sentence: str
    kind: Kind
    subject: str
    predicate: str
    value: FactValue | None
    retraction: bool
    confidence: float
    source: Source
    writer: str
    observed_at: str
    recorded_at: str | None
    evidence: tuple[EvidenceView, ...] = ()
    replaces: tuple[str, ...] = ()


class RememberedFact(Value, kw_only=True):
    """What became of a statement.

    ``stored`` says that an event was written; ``already_known`` that nothing was, since the value
    is held and nothing about it is new. ``current`` says whether the value holds now; where it does
    not, ``ended_by`` came later and took it away, and ``outranked_by`` holds. ``superseded`` holds
    no longer because of this statement.
    ``related`` are current beliefs about the subject that may be about the same thing, to be shown
    and never acted on.
    """

    event_id: str | None
    stored: bool
    already_known: bool
    current: bool
    belief: BeliefView | None
    outranked_by: tuple[BeliefView, ...] = ()
    ended_by: EventView | None = None
    superseded: tuple[BeliefView, ...] = ()
    unreplaced: tuple[Unreplaced, ...] = ()
    related: tuple[BeliefView, ...] = ()
    defined: Definition | None = None


class ForgetFact(Value, kw_only=True, forbid_unknown_fields=True):
    """A value to withdraw, or with ``all_values`` every value of the pair. The other fields are as
    in `RememberFact`.
    """

    subject: str
    predicate: str
    value: FactValue | None = None
    all_values: bool = False
    source: Source = "user_stated"
    writer: str = ""
    observed_at: str | None = None
    idempotency_key: str | None = None


class ForgottenFacts(Value, kw_only=True):
    """What was withdrawn; nothing where nothing was held, and then nothing was written."""

    event_id: str | None
    withdrawn: tuple[BeliefView, ...]


class GetFacts(Value, kw_only=True, forbid_unknown_fields=True):
    """What to read: a pair, or all beliefs that pass every filter given.

    ``refers_to`` is a subject that the value refers to. ``value_at_least`` and ``value_at_most``
    compare numbers with numbers, and texts (dates) with texts. ``stated_since`` and
    ``stated_until`` compare ``last_stated``. ``follow_refs`` adds what is believed of the subjects
    that values refer to. ``after`` is an event id: where a page before this one ended.
    """

    subject: str | None = None
    predicate: str | None = None
    kind: Kind | None = None
    refers_to: str | None = None
    value_at_least: str | int | float | None = None
    value_at_most: str | int | float | None = None
    min_confidence: float = 0.0
    stated_since: str | None = None
    stated_until: str | None = None
    as_of: str | None = None
    known_by: str | None = None
    follow_refs: bool = False
    limit: int = FACTS_LISTED_DEFAULT
    after: str | None = None


class Beliefs(Value, kw_only=True):
    """Beliefs of one instant. ``total`` counts all that match, null for a page of more than one;
    ``next_after`` is what the next page comes after, null where there is none.
    """

    beliefs: tuple[BeliefView, ...]
    total: int | None
    as_of: str
    next_after: str | None = None


class SearchFacts(Value, kw_only=True, forbid_unknown_fields=True):
    """What to find among all beliefs, in words."""

    text: str
    subject: str | None = None
    limit: int = FACTS_FOUND_DEFAULT
    as_of: str | None = None
    known_by: str | None = None


class FactHistory(Value, kw_only=True):
    """The newest events of a pair, in order; ``total`` counts all there are."""

    events: tuple[EventView, ...]
    total: int


class ExplainedStep(Value, kw_only=True):
    """What one event did to a pair, in words for people (``effect``) and by value."""

    event: EventView
    effect: str
    stated: FactValue | None = None
    was_held: bool = False
    displaced: tuple[FactValue, ...] = ()
    retracted: tuple[FactValue, ...] = ()
    replaced: tuple[FactValue, ...] = ()
    excluded: tuple[FactValue, ...] = ()


class ExplainedRule(Value, kw_only=True):
    """An event of the registry that an answer depends on, in words, and the instant at which it was
    written, null for what every registry begins with.
    """

    event_id: str | None
    text: str
    since: str | None
    is_effective: bool = True


class ExplainedPair(Value, kw_only=True):
    """Why something holds of a pair, or does not: the rules, each event in order, what is left."""

    subject: str
    predicate: str
    names: tuple[str, ...]
    rules: tuple[ExplainedRule, ...]
    steps: tuple[ExplainedStep, ...]
    beliefs: tuple[BeliefView, ...]


class FactExplanation(Value, kw_only=True):
    """Why it holds what holds, pair by pair, at an instant, by what the store had received by
    another, or by all of it.
    """

    pairs: tuple[ExplainedPair, ...]
    as_of: str
    known_by: str | None = None


class FactTruth(Value, kw_only=True):
    """Whether a value holds; ``belief`` where it does, ``instead`` what holds in its place."""

    holds: Truth
    belief: BeliefView | None = None
    instead: tuple[BeliefView, ...] = ()
    as_of: str


class ValueSpan(Value, kw_only=True):
    """A stretch in which a value was held; ``until`` is null while it is."""

    predicate: str
    value: FactValue
    since: str
    until: str | None
    ended_by: str


class FactTimeline(Value, kw_only=True):
    """Which values a subject had when, by instant."""

    subject: str
    spans: tuple[ValueSpan, ...]


class FactDifference(Value, kw_only=True):
    """What came to hold and what ceased to, between two instants."""

    since: str
    until: str
    added: tuple[BeliefView, ...]
    removed: tuple[BeliefView, ...]


class RegistryChanged(Value, kw_only=True):
    """What became of a change of the registry; one that says nothing new is not written."""

    event_id: str | None
    stored: bool


class RegistryView(Value, kw_only=True):
    """The registry as at an instant: rules by name, and which names mean the same: ``names`` of a
    predicate and ``subjects`` of a subject by the name it is known under, that one among them.
    """

    definitions: tuple[Definition, ...]
    names: dict[str, tuple[str, ...]]
    subjects: dict[str, tuple[str, ...]]
    is_open: bool


class RegistryLog(Value, kw_only=True):
    """Every change of the registry, in order."""

    changes: tuple[ExplainedRule, ...]
