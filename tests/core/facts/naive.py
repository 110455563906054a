"""The fold once more, as plainly as the specification says it: slow, and from the log each time.

Nothing is shared with the fold but the structs of what it reads: names, timelines and exclusions
are worked out anew for each question. An answer is a list of plain dictionaries.
"""

from typing import cast

import msgspec

from recense.core.facts.changes import (
    Define,
    Definition,
    Merge,
    MergeSubject,
    Redefine,
    Split,
    SplitSubject,
)
from recense.core.facts.event import Evidence, FactEvent
from recense.core.facts.values import FactValue, value_key

REGISTRY = "recense:registry"
CONTESTED_WITHIN = 1_000_000
EVIDENCE = 20
Change = Define | Redefine | Merge | Split | MergeSubject | SplitSubject
CHANGES = msgspec.json.Decoder(Change)
Answer = list[dict[str, object]]


def known(everything: list[FactEvent], known_by: int | None) -> list[FactEvent]:
    """Return each event once, in the total order, of those that were recorded by an instant."""
    found: list[FactEvent] = []
    ids: set[str] = set()
    for event in everything:
        if known_by is not None and not (event.recorded_at or 0) <= known_by:
            continue
        if event.event_id not in ids:
            ids.add(event.event_id)
            found.append(event)
    return sorted(found, key=lambda one: (one.observed_at, one.retraction, one.event_id))


class NaiveRegistry:
    """What the log of changes says at an instant."""

    def __init__(self, events: list[FactEvent], as_of: int) -> None:
        self.timelines: dict[str, list[tuple[float, Definition]]] = {
            "note": [(float("-inf"), Definition(predicate="note"))]
        }
        self.predicate_parent: dict[str, str] = {}
        self.subject_parent: dict[str, str] = {}
        log = [event for event in events if event.subject == REGISTRY]
        changes = [(event.observed_at, CHANGES.decode(str(event.value))) for event in log]
        for _at, change in changes:
            if isinstance(change, Define):
                definition = change.definition
                self.timelines.setdefault(definition.predicate, [(float("-inf"), definition)])
        for at, change in changes:
            if at <= as_of:
                self.change(at, change)

    def change(self, at: int, change: Change) -> None:
        if isinstance(change, Redefine):
            name = change.definition.predicate
            if name == "note" or name not in self.timelines:
                return
            if change.retroactive:
                self.timelines[name] = [(float("-inf"), change.definition)]
            else:
                self.timelines[name].append((at, change.definition))
        elif isinstance(change, Merge):
            self.merge_predicate(change.predicate, self.predicate(change.into))
        elif isinstance(change, Split):
            self.predicate_parent.pop(change.predicate, None)
        elif isinstance(change, MergeSubject):
            into = self.subject(change.into)
            if self.subject(change.subject) == change.subject and change.subject != into:
                self.subject_parent[change.subject] = into
        elif isinstance(change, SplitSubject):
            self.subject_parent.pop(change.subject, None)

    def merge_predicate(self, name: str, into: str) -> None:
        if self.predicate(name) != name or name == into:
            return
        if name not in self.timelines or into not in self.timelines:
            return
        if "note" in (name, into):
            return
        one, other = self.newest(name), self.newest(into)
        if one.historical != other.historical or one.value_type != other.value_type:
            return
        if set(one.excludes) == set(other.excludes):
            self.predicate_parent[name] = into

    def predicate(self, name: str) -> str:
        while name in self.predicate_parent:
            name = self.predicate_parent[name]
        return name

    def subject(self, name: str) -> str:
        while name in self.subject_parent:
            name = self.subject_parent[name]
        return name

    def pair(self, subject: str, predicate: str) -> tuple[str, str]:
        return self.subject(subject), self.predicate(predicate)

    def newest(self, name: str) -> Definition:
        if name not in self.timelines:
            return Definition(predicate=name)
        return self.timelines[name][-1][1]

    def is_single(self, name: str, instant: int) -> bool:
        if name not in self.timelines:
            return False
        governing = [definition for at, definition in self.timelines[name] if at <= instant]
        return governing[-1].cardinality == "single"

    def excludes(self, one: str, other: str) -> bool:
        """Say whether one canonical name excludes another."""
        if one == other:
            return False
        return any(self.predicate(name) == other for name in self.newest(one).excludes)

    def key(self, predicate: str, key: str) -> str:
        """Return the key by which a value of a canonical name compares."""
        if self.newest(predicate).value_type == "ref":
            for subject in self.subject_parent:
                if value_key(subject) == key:
                    return value_key(self.subject(subject))
        return key


class Walked:
    """What a walk over a history leaves: what is held, in its order, and what was mentioned."""

    def __init__(self, registry: NaiveRegistry, subject: str, predicate: str, as_of: int) -> None:
        self.registry = registry
        self.subject = subject
        self.predicate = predicate
        self.as_of = as_of
        self.held: list[dict[str, object]] = []
        self.mentioned: list[str] = []

    def key_held(self, key: str) -> list[dict[str, object]]:
        return [one for one in self.held if one["compared"] == key]

    def withdraw(self, key: str) -> list[dict[str, object]]:
        gone = self.key_held(key)
        self.held = [one for one in self.held if one["compared"] != key]
        return gone


def naive_beliefs(walked: Walked) -> Answer:
    """Return what a walk left, in held order, as dictionaries."""
    inner = ("compared", "newest", "all_evidence")
    return [{name: one[name] for name in one if name not in inner} for one in walked.held]


def naive_holds(walked: Walked, value: FactValue) -> str:
    """Say whether a value holds: yes, no or unknown."""
    key = walked.registry.key(walked.predicate, value_key(value))
    if walked.key_held(key):
        return "yes"
    if key in walked.mentioned or "*" in walked.mentioned:
        return "no"
    is_single = walked.registry.is_single(walked.predicate, walked.as_of)
    return "no" if walked.held and is_single else "unknown"


def naive_walk(
    everything: list[FactEvent],
    subject: str,
    predicate: str,
    as_of: int,
    known_by: int | None = None,
) -> Walked:
    """Walk through all that is known of a pair by an instant, up to an instant."""
    events = known(everything, known_by)
    registry = NaiveRegistry(events, as_of)
    here = registry.pair(subject, predicate)
    walked = Walked(registry, subject, here[1], as_of)
    for event in events:
        if event.subject == REGISTRY or event.observed_at > as_of:
            continue
        if event.retraction:
            _retract(walked, registry, here, event)
        else:
            taken = _assert(walked, registry, here, event)
            taken += _replace(walked, registry, here, event)
            own = registry.pair(event.subject, event.predicate)
            if own == here and taken:
                (stated,) = walked.key_held(registry.key(here[1], event.value_key))
                stated["replaced"] = [
                    {"value": one["value"], "since": one["since"], "event_id": one["event_id"]}
                    for one in taken
                ]
            if own[0] == here[0] and registry.excludes(own[1], here[1]):
                key = registry.key(here[1], event.value_key)
                walked.mentioned.append(key)
                if not registry.newest(here[1]).historical:
                    walked.withdraw(key)
    return walked


def _retract(
    walked: Walked, registry: NaiveRegistry, here: tuple[str, str], event: FactEvent
) -> None:
    reached = [(event.subject, event.predicate, event.value_key)]
    reached += [(touch.subject, touch.predicate, touch.value_key) for touch in event.touches]
    for subject, predicate, value in reached:
        if registry.pair(subject, predicate) == here:
            if value == "*":
                walked.mentioned.append("*")
                walked.held = []
            else:
                key = registry.key(here[1], value)
                walked.mentioned.append(key)
                walked.withdraw(key)


def _assert(
    walked: Walked, registry: NaiveRegistry, here: tuple[str, str], event: FactEvent
) -> list[dict[str, object]]:
    """Hold what an event states; return what it displaces, in held order."""
    if registry.pair(event.subject, event.predicate) != here:
        return []
    key = registry.key(here[1], event.value_key)
    walked.mentioned.append(key)
    displaced: list[dict[str, object]] = []
    if registry.is_single(here[1], event.observed_at):
        displaced = [one for one in walked.held if one["compared"] != key]
        walked.held = walked.key_held(key)
    if not walked.key_held(key):
        walked.held.append(
            {
                "compared": key,
                "subject": walked.subject,
                "predicate": here[1],
                "since": event.observed_at,
                "event_id": event.event_id,
                "all_evidence": [],
                "replaced": [],
                "contested": None,
            }
        )
    (stated,) = walked.key_held(key)
    evidence = _with_new(stated["all_evidence"], event)
    stated.update(
        kind=event.kind,
        value=event.value,
        value_key=event.value_key,
        last_stated=event.observed_at,
        confidence=event.confidence,
        source=event.source,
        writer=event.writer,
        last_event_id=event.event_id,
        all_evidence=evidence,
        evidence=evidence[:EVIDENCE],
        newest=event,
    )
    for one in displaced:
        loser = one["newest"]
        assert isinstance(loser, FactEvent)
        if (
            event.observed_at - loser.observed_at <= CONTESTED_WITHIN
            and loser.writer != event.writer
            and "imported" not in (loser.source, event.source)
        ):
            stated["contested"] = {
                "value": loser.value,
                "writer": loser.writer,
                "event_id": loser.event_id,
            }
    return displaced


def _replace(
    walked: Walked, registry: NaiveRegistry, here: tuple[str, str], event: FactEvent
) -> list[dict[str, object]]:
    """Withdraw what an event replaces here; return it, in the order of the entries."""
    own = registry.pair(event.subject, event.predicate)
    gone: list[dict[str, object]] = []
    for entry in event.replaces:
        if registry.pair(entry.subject, entry.predicate) != here:
            continue
        key = registry.key(here[1], entry.value_key)
        walked.mentioned.append(key)
        if own == here and registry.key(here[1], event.value_key) == key:
            continue
        if not registry.newest(here[1]).historical:
            gone += walked.withdraw(key)
    return gone


def _with_new(before: object, event: FactEvent) -> list[Evidence]:
    """Return the evidence of a value after one more statement of it, newest first."""
    after = list(cast("list[Evidence]", before))
    for piece in event.evidence:
        if all(other.excerpt != piece.excerpt for other in after):
            after.insert(0, piece)
    return after
