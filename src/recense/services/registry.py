"""Changing the registry: each change is an event, refused when it would have no effect.

Law: what is written has an effect on every reader; a change that says what is so already is not
written, and one that contradicts what is there is refused with the reason. A change from now on
comes after all that was said before it, also by a clock that stands still or was ahead.
"""

from collections.abc import Callable, Sequence
from typing import Final

from recense.core.facts.changes import (
    NOTE,
    Change,
    Define,
    Definition,
    Merge,
    MergeSubject,
    Redefine,
    Split,
    SplitSubject,
    change_text,
    registry_event,
)
from recense.core.facts.registry import Registry, effects, merge_obstacle
from recense.core.facts.values import normal_subject, require_predicate
from recense.core.text.quoting import quoted
from recense.core.text.redact import redact
from recense.errors import InvalidRequest
from recense.limits import (
    ALLOWED_VALUES_MAX,
    DEFINITION_TEXT_CODE_POINTS_MAX,
    DEFINITIONS_LOADED_MAX,
    EXCLUDES_MAX,
    FACT_TEXT_BYTES_MAX,
)
from recense.operations.facts import RegistryChanged, RegistryLog, RegistryView
from recense.ports.clock import Clock
from recense.ports.records import Append, OneOf, RecordReader, RecordStore
from recense.services.admission import require_no_credential, typed
from recense.services.conflicts import in_spite_of_conflicts
from recense.services.fact_admission import asked_instant
from recense.services.fact_collections import MEMORY
from recense.services.fact_reading import NEWEST_FIRST, Registries, open_moment
from recense.services.fact_records import REGISTRY_COUNTER, event_of, event_record
from recense.services.fact_rules import rule_view

_Decide = Callable[[Registry], Sequence[Change]]
"""What changes a registry needs; it raises InvalidRequest where they contradict it."""


class RegistryService:
    """Reads and changes the registry of one store."""

    def __init__(
        self, store: RecordStore, clock: Clock, registries: Registries, *, is_open: bool
    ) -> None:
        self._store: Final = store
        self._clock: Final = clock
        self._registries: Final = registries
        self._is_open: Final = is_open

    def view(self, as_of: str | None = None) -> RegistryView:
        """Return the registry as at an instant, now where none is given."""
        with self._store.snapshot() as reader:
            moment = open_moment(
                reader,
                self._registries,
                self._clock.now(),
                as_of=asked_instant("as_of", as_of),
            )
        registry = moment.registry
        return RegistryView(
            definitions=registry.definitions(),
            names=_sorted_groups(registry.predicate_groups()),
            subjects=_sorted_groups(registry.subject_groups()),
            is_open=self._is_open,
        )

    def log(self) -> RegistryLog:
        """Return every change of the registry, in order."""
        with self._store.snapshot() as reader:
            log = self._registries.log(reader)
        changes = effects(log.events, max(self._clock.now(), log.newest))
        return RegistryLog(changes=tuple(map(rule_view, changes)))

    def define(self, definition: Definition) -> RegistryChanged:
        """Define a predicate. Raises InvalidRequest for one that has other rules already."""
        wanted = [_admitted(definition)]
        return self._changed(lambda registry: _definitions(registry, wanted))[0]

    def load(self, definitions: Sequence[Definition]) -> tuple[RegistryChanged, ...]:
        """Define several predicates, all or none, in their order.

        Raises InvalidRequest, and defines nothing, where one of them contradicts what is there.
        """
        if len(definitions) > DEFINITIONS_LOADED_MAX:
            raise InvalidRequest(
                f"{len(definitions)} definitions; expected at most {DEFINITIONS_LOADED_MAX}"
            )
        wanted = [_admitted(definition) for definition in definitions]
        return self._changed(lambda registry: _definitions(registry, wanted))

    def redefine(self, definition: Definition, *, retroactive: bool = True) -> RegistryChanged:
        """Give a predicate other rules: from its first definition on, or from now on.

        Raises InvalidRequest for a predicate that is not defined.
        """
        wanted = _admitted(definition)

        def decided(registry: Registry) -> Sequence[Change]:
            present = registry.definition(wanted.predicate)
            if present is None or registry.canonical(wanted.predicate) != wanted.predicate:
                raise _undefined(registry, wanted.predicate)
            was_ever_so = registry.rules(wanted.predicate).always_single is not None
            if present == wanted and (was_ever_so or not retroactive):
                return []
            return [Redefine(definition=wanted, retroactive=retroactive)]

        return self._changed(decided)[0]

    def merge(self, predicate: str, into: str) -> RegistryChanged:
        """Make a predicate another name of a second one. Raises InvalidRequest where they are not
        alike, and for a name that is no predicate of its own.
        """

        def decided(registry: Registry) -> Sequence[Change]:
            one, other = registry.definition(predicate), registry.definition(into)
            if one is None:
                raise _undefined(registry, predicate)
            if other is None:
                raise _undefined(registry, into)
            if into in registry.names(predicate):
                return []
            _require_own_name(registry.canonical(predicate), predicate)
            obstacle = merge_obstacle(one, other)
            if obstacle:
                raise InvalidRequest(
                    f"{predicate} and {into} cannot be one: {obstacle}",
                    hint="recense registry redefine makes them alike",
                )
            return [Merge(predicate=predicate, into=into)]

        return self._changed(decided)[0]

    def split(self, predicate: str) -> RegistryChanged:
        """Make a merged predicate one of its own again. Raises InvalidRequest for one that was not
        merged.
        """

        def decided(registry: Registry) -> Sequence[Change]:
            if registry.canonical(require_predicate(predicate)) == predicate:
                raise InvalidRequest(
                    f"{predicate} is a predicate of its own, so there is nothing to split",
                    hint="recense registry list says which names mean the same",
                )
            return [Split(predicate=predicate)]

        return self._changed(decided)[0]

    def merge_subjects(self, subject: str, into: str) -> RegistryChanged:
        """Make a subject another name of a second one. Raises InvalidRequest, CredentialShaped."""
        name, target = normal_subject(subject), normal_subject(into)
        for each in (subject, into, name, target):
            require_no_credential("subject", each)

        def decided(registry: Registry) -> Sequence[Change]:
            if target in registry.subject_names(name):
                return []
            _require_own_name(registry.canonical_subject(name), name)
            return [MergeSubject(subject=name, into=target)]

        return self._changed(decided)[0]

    def split_subject(self, subject: str) -> RegistryChanged:
        """Make a merged subject one of its own again. Raises InvalidRequest."""
        name = normal_subject(subject)

        def decided(registry: Registry) -> Sequence[Change]:
            if registry.canonical_subject(name) == name:
                raise InvalidRequest(
                    f"{quoted(name)} is a subject of its own, so there is nothing to split",
                    hint="recense registry list says which names mean the same",
                )
            return [SplitSubject(subject=name)]

        return self._changed(decided)[0]

    def _changed(self, decide: _Decide) -> tuple[RegistryChanged, ...]:
        """Write what changes are needed, in one commit, and return them in order; one entry that
        nothing was stored where none is.
        """

        def attempt() -> tuple[RegistryChanged, ...]:
            with self._store.snapshot() as reader:
                expected = reader.counters([REGISTRY_COUNTER])
                log = self._registries.log(reader)
                registry = self._registries.newest(log)
                changes = decide(registry)
                stated = _newest_stated(reader, registry, changes)
            if not changes:
                return (RegistryChanged(event_id=None, stored=False),)
            at = max(self._clock.now(), log.newest + 1, stated + 1)
            events = [registry_event(change, at + place) for place, change in enumerate(changes)]
            records = [event_record(event, ()) for event in (*log.unwritten, *events)]
            append = Append(
                records=tuple(records), expected=expected, bump=frozenset({REGISTRY_COUNTER})
            )
            self._store.append(append, now=self._clock.now())
            return tuple(RegistryChanged(event_id=each.event_id, stored=True) for each in events)

        return in_spite_of_conflicts(attempt)


def _definitions(registry: Registry, definitions: Sequence[Definition]) -> list[Change]:
    """Return the definitions that are not there yet; refuse those that contradict what is."""
    wanted: dict[str, Definition] = {}
    for definition in definitions:
        name = definition.predicate
        present = wanted.get(name) or registry.definition(name)
        if present is not None and present != definition:
            raise InvalidRequest(
                f"{name} is defined already, and otherwise",
                hint="recense registry redefine gives it other rules",
            )
        if present is None:
            wanted[name] = definition
    return [Define(definition=each) for each in wanted.values()]


def _newest_stated(reader: RecordReader, registry: Registry, changes: Sequence[Change]) -> int:
    """Return the instant of the newest event whose place a change from now on must come after."""
    names = [
        name
        for change in changes
        if isinstance(change, Redefine) and not change.retroactive
        for name in registry.names(change.definition.predicate)
    ]
    if not names:
        return 0
    where = (OneOf(field="predicate", values=tuple(sorted(names))),)
    listing = reader.list(MEMORY, where, limit=1, order=NEWEST_FIRST, counted=False)
    return max((event_of(record).observed_at for record in listing.records), default=0)


def _admitted(definition: Definition) -> Definition:
    """Return rules that can be kept; raises InvalidRequest for others, and CredentialShaped."""
    admitted = typed(definition, Definition)
    _require_definition(admitted)
    try:
        size = len(change_text(Redefine(definition=admitted)).encode())
    except UnicodeEncodeError as error:
        raise InvalidRequest(
            f"a text of {admitted.predicate} is no Unicode text: it has a lone surrogate"
        ) from error
    if size > FACT_TEXT_BYTES_MAX:
        raise InvalidRequest(
            f"the rules of {admitted.predicate} take {size} bytes; expected at most "
            f"{FACT_TEXT_BYTES_MAX}",
            hint="shorten the description, or the allowed values",
        )
    return admitted


def _require_definition(definition: Definition) -> None:
    """Refuse rules that cannot be (InvalidRequest), and a secret for a name."""
    name = require_predicate(definition.predicate)
    require_no_credential("predicate", name)
    if name == NOTE.predicate:
        raise InvalidRequest(f"{name} is always there, and its rules are always the same")
    for each in definition.excludes:
        require_predicate(each)
    if name in definition.excludes or NOTE.predicate in definition.excludes:
        raise InvalidRequest(f"{name} excludes itself or notes, which no predicate does")
    if (definition.value_type == "enum") != bool(definition.allowed):
        raise InvalidRequest(
            f"{name} is of type {definition.value_type} and allows {len(definition.allowed)} "
            "values; expected some for an enum, and none for any other type"
        )
    text_max = DEFINITION_TEXT_CODE_POINTS_MAX
    for what, count, most in (
        ("allowed values", len(definition.allowed), ALLOWED_VALUES_MAX),
        ("excluded predicates", len(definition.excludes), EXCLUDES_MAX),
        ("characters of description", len(definition.description), text_max),
        ("characters of template", len(definition.template or ""), text_max),
        ("characters of a value", max(map(len, definition.allowed), default=0), text_max),
    ):
        if count > most:
            raise InvalidRequest(f"{name} has {count} {what}; expected at most {most}")
    if definition.template is not None and "{value}" not in definition.template:
        raise InvalidRequest(f"the template of {name} has no {{value}}")
    texts = (definition.description, definition.template or "", *definition.allowed)
    if any(redact(text).findings for text in texts):
        raise InvalidRequest(f"a text of {name} looks like a secret, and would be kept as it is")


def _require_own_name(canonical: str, name: str) -> None:
    """Refuse (InvalidRequest) to merge a name that was merged already."""
    if canonical != name:
        raise InvalidRequest(
            f"{quoted(name)} is another name of {quoted(canonical)}",
            hint="merge that one, or split this one off first",
        )


def _undefined(registry: Registry, predicate: str) -> InvalidRequest:
    names = ", ".join(each.predicate for each in registry.definitions())
    return InvalidRequest(
        f"{quoted(predicate)} is no predicate of its own; the registry has: {names}",
        hint="recense registry define adds one",
    )


def _sorted_groups(groups: dict[str, frozenset[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(groups[name])) for name in sorted(groups)}
