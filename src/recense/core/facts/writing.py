"""What a statement or a retraction writes, by what is held in its place.

Law: one statement is one event, and its corrections are part of it. What would change nothing is
not written. The rules are looked up in the registry as it is when the statement is written; held is
what the fold says at the statement's own instant.
"""

from collections.abc import Iterable, Sequence

from recense.core.facts.belief import Belief
from recense.core.facts.changes import NOTE
from recense.core.facts.event import (
    Evidence,
    FactEvent,
    Kind,
    ReplacedBelief,
    Source,
    Touch,
    identified,
)
from recense.core.facts.fold import Folded, OpenFold, fold
from recense.core.facts.registry import Pair, Registry
from recense.core.facts.values import ANY_VALUE, FactValue, value_key
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import PAIR_EVENTS_MAX, RESTATED_MAX


class AdmittedStatement(Value, kw_only=True):
    """A statement, or a retraction, that was admitted. Without ``observed_at`` it is observed when
    it is written, or just after everything that it can change or be changed by.

    ``replaces`` are what the caller wants withdrawn, in the caller's order; None is one that was
    not found. ``may_replace_notes`` is for a promotion alone.
    """

    subject: str
    predicate: str
    value: FactValue | None
    value_key: str = ANY_VALUE
    kind: Kind = "fact"
    confidence: float = 1.0
    source: Source = "user_stated"
    writer: str = ""
    observed_at: int | None = None
    evidence: tuple[Evidence, ...] = ()
    replaces: tuple[ReplacedBelief | None, ...] = ()
    retraction: bool = False
    may_replace_notes: bool = False


class Refused(Value, kw_only=True):
    """A belief that could not be withdrawn, by its place among ``replaces``, and why."""

    position: int
    reason: str


class Decision(Value, kw_only=True):
    """What is written (None: nothing, it is known or not held), and what that makes of beliefs.

    All of it is as at ``instant``. ``belief`` is the stated value as it holds then, None where it
    does not; ``rest`` is what else holds of its pair. ``ended`` holds no longer because of the
    event; of a retraction, it is what was held at its own instant. ``ended_by`` is the event that
    took away a stated value that does not hold.
    """

    event: FactEvent | None
    instant: int
    belief: Belief | None = None
    rest: tuple[Belief, ...] = ()
    ended: tuple[Belief, ...] = ()
    refused: tuple[Refused, ...] = ()
    ended_by: FactEvent | None = None


def affected_pairs(statement: AdmittedStatement, registry: Registry) -> tuple[Pair, ...]:
    """Return the pairs that a statement can change, its own first, each once."""
    own = registry.canonical_pair(statement.subject, statement.predicate)
    excluded = () if statement.retraction else registry.rules(statement.predicate).excluded
    if not (statement.replaces or excluded):
        return (own,)
    pairs: dict[Pair, None] = {own: None}
    for each in statement.replaces:
        if each is not None:
            pairs[registry.canonical_pair(each.subject, each.predicate)] = None
    pairs |= dict.fromkeys([(own[0], predicate) for predicate in excluded])
    return tuple(pairs)


def decide(
    statement: AdmittedStatement, events: Sequence[FactEvent], registry: Registry, now: int
) -> Decision:
    """Return what a statement writes. ``events`` are the histories of all `affected_pairs`, or of
    the values in question; ``registry`` is the newest.

    Raises InvalidRequest for an assertion about a pair that has as many events as are read.
    """
    if not (events or statement.replaces):
        return _decide_first(statement, registry, now)
    pairs = affected_pairs(statement, registry)
    own = pairs[0]
    newest = max([event.observed_at for event in events], default=now - 1)
    at = statement.observed_at if statement.observed_at is not None else max(now, newest + 1)
    instant = max(now, newest, at)
    folds = {pair: OpenFold(events, registry, pair, at) for pair in pairs}
    before = {pair: each.folded for pair, each in folds.items()}
    replaces, refused = _resolved(statement, before, registry)
    event = _event(statement, replaces, registry, at)
    after = {pair: each.then(event) for pair, each in folds.items()}
    ended = _ended(before, after, registry)
    if statement.retraction:
        return Decision(event=event if ended else None, instant=instant, ended=ended)
    held = _belief(before[own], registry, own, event.value_key)
    if held is not None and not ended and not _is_news(event, held, events, registry, own):
        event, after = None, before
    else:
        _require_room(events, registry, own)
    if at < instant:
        before = _folded(events, registry, pairs, instant)
        after = before
        if event is not None:
            after = _folded((*events, event), registry, pairs, instant)
        ended = _ended(before, after, registry)
    belief = _belief(after[own], registry, own, statement.value_key)
    return Decision(
        event=event,
        instant=instant,
        belief=belief,
        rest=tuple([each for each in after[own].beliefs if each is not belief]),
        ended=ended,
        refused=refused,
        ended_by=None
        if belief is not None or event is None
        else _ended_by(event, (*events, event), registry, own, instant),
    )


def _decide_first(statement: AdmittedStatement, registry: Registry, now: int) -> Decision:
    """Return what a statement writes where nothing was said before of what it can change: it ends
    nothing, and holds.
    """
    at = now if statement.observed_at is None else statement.observed_at
    instant = max(now, at)
    if statement.retraction:
        return Decision(event=None, instant=instant)
    event = _event(statement, (), registry, at)
    own = registry.canonical_pair(statement.subject, statement.predicate)
    (belief,) = fold((event,), registry, *own, instant).beliefs
    return Decision(event=event, instant=instant, belief=belief)


def withdrawal(said: tuple[str, str, FactValue], registry: Registry, at: int) -> FactEvent:
    """Return the event that withdraws a value of a subject and a predicate at an instant, whatever
    holds: for who takes out of a history what had ended it.
    """
    subject, predicate, value = said
    statement = AdmittedStatement(
        subject=subject,
        predicate=predicate,
        value=value,
        value_key=value_key(value),
        retraction=True,
    )
    return _event(statement, (), registry, at)


def _folded(
    events: Sequence[FactEvent], registry: Registry, pairs: Iterable[Pair], instant: int
) -> dict[Pair, Folded]:
    """Return what holds of each pair at an instant."""
    return {pair: fold(events, registry, *pair, instant) for pair in pairs}


def _ended_by(
    event: FactEvent, events: Sequence[FactEvent], registry: Registry, own: Pair, instant: int
) -> FactEvent | None:
    """Return the first event behind one that took away the value that this states."""
    steps = fold(events, registry, *own, instant, with_steps=True).steps
    place = next(at for at, step in enumerate(steps) if step.event.event_id == event.event_id)
    wanted = registry.held_key(own[1], event.value_key)
    for step in steps[place:]:
        gone = (*step.displaced, *step.retracted, *step.replaced, *step.excluded)
        if any(registry.held_key(own[1], value_key(value)) == wanted for value in gone):
            return step.event
    return None


def _event(
    statement: AdmittedStatement, replaces: tuple[ReplacedBelief, ...], registry: Registry, at: int
) -> FactEvent:
    touched = (
        (statement.subject, statement.predicate, statement.value_key),
        *((each.subject, each.predicate, each.value_key) for each in replaces),
    )
    touches = {
        Touch(subject=subject, predicate=predicate, value_key=key): None
        for subject_name, predicate_name, key in touched
        for subject in sorted(registry.subject_names(subject_name))
        for predicate in sorted(registry.rules(predicate_name).names)
    }
    return identified(
        FactEvent(
            kind=statement.kind,
            subject=statement.subject,
            predicate=statement.predicate,
            value=statement.value,
            value_key=statement.value_key,
            confidence=statement.confidence,
            source=statement.source,
            writer=statement.writer,
            retraction=statement.retraction,
            observed_at=at,
            evidence=statement.evidence,
            replaces=replaces,
            touches=tuple(touches),
        )
    )


def _resolved(
    statement: AdmittedStatement, held: dict[Pair, Folded], registry: Registry
) -> tuple[tuple[ReplacedBelief, ...], tuple[Refused, ...]]:
    """Return the beliefs that the statement withdraws, and those that it cannot, with reasons."""
    resolved: dict[ReplacedBelief, None] = {}
    refused: list[Refused] = []
    for position, each in enumerate(statement.replaces):
        reason = "no such fact is known" if each is None else ""
        if each is not None:
            reason = _obstacle(statement, each, held, registry)
            if not reason:
                resolved[each] = None
        if reason:
            refused.append(Refused(position=position, reason=reason))
    return tuple(resolved), tuple(refused)


def _obstacle(
    statement: AdmittedStatement,
    wanted: ReplacedBelief,
    held: dict[Pair, Folded],
    registry: Registry,
) -> str:
    """Return what keeps a belief from being withdrawn by a statement; empty where nothing does."""
    pair = registry.canonical_pair(wanted.subject, wanted.predicate)
    own = registry.canonical_pair(statement.subject, statement.predicate)
    predicate = pair[1]
    definition = registry.definition(predicate)
    if pair == own and wanted.value_key == statement.value_key:
        return "it is what the statement says itself"
    if definition is not None and definition.historical:
        return "what has happened stays so; it can be forgotten explicitly"
    if predicate == NOTE.predicate and not statement.may_replace_notes:
        return "a note gives way only to being filed under a predicate"
    if _belief(held[pair], registry, pair, wanted.value_key) is None:
        return "it is not held"
    return ""


def _belief(folded: Folded, registry: Registry, pair: Pair, key: str) -> Belief | None:
    """Return the belief of a value, a reference by any name of its subject."""
    wanted = registry.held_key(pair[1], key)
    for belief in folded.beliefs:
        if registry.held_key(pair[1], belief.value_key) == wanted:
            return belief
    return None


def _ended(
    before: dict[Pair, Folded], after: dict[Pair, Folded], registry: Registry
) -> tuple[Belief, ...]:
    """Return the beliefs of which the value holds before and not after, in order.

    A statement of an earlier instant may make another event the first of what is held: the value
    holds all the same.
    """
    return tuple(
        [
            belief
            for pair, folded in before.items()
            if folded is not after[pair]
            for belief in folded.beliefs
            if _belief(after[pair], registry, pair, belief.value_key) is None
        ]
    )


def _is_news(
    event: FactEvent,
    held: Belief,
    events: Iterable[FactEvent],
    registry: Registry,
    own: Pair,
) -> bool:
    """Whether a statement of what is held says something new about it, and may still say so."""
    known = {piece.excerpt for piece in held.evidence}
    is_new = (
        any(piece.excerpt not in known for piece in event.evidence)
        or event.source != held.source
        or event.value != held.value
        or event.confidence > held.confidence
    )
    if not is_new:
        return False
    key = registry.held_key(own[1], event.value_key)
    restated = {
        each.event_id
        for each in events
        if registry.held_key(own[1], each.value_key) == key
        and not each.retraction
        and each.observed_at >= held.since
        and registry.canonical_pair(each.subject, each.predicate) == own
    }
    return len(restated) - 1 < RESTATED_MAX


def _require_room(events: Sequence[FactEvent], registry: Registry, own: Pair) -> None:
    """Refuse (InvalidRequest) an event more where a pair has as many as are read for one answer."""
    if len(events) < PAIR_EVENTS_MAX or not registry.was_ever_single(own[1]):
        return
    ids = {
        event.event_id
        for event in events
        if registry.canonical_pair(event.subject, event.predicate) == own
    }
    if len(ids) >= PAIR_EVENTS_MAX:
        raise InvalidRequest(
            f"this was said of {own[0]!r} in {len(ids)} events, as many as are read for one answer",
            hint="keep what changes this often under a subject for each day, or as notes",
        )
