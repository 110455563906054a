"""Writing facts: read what can change, decide, append in one record, say what that did.

Law: what is acknowledged is kept, and what was read when it was decided had not changed when it was
written; else it is read and decided anew. A request with a key of its own is done once, and answers
the same when it comes again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from recense.core.facts.belief import value_words
from recense.core.facts.changes import NOTE, Definition
from recense.core.facts.event import FactEvent, ReplacedBelief
from recense.core.facts.registry import Registry
from recense.core.facts.typed_values import as_kept, require_typed
from recense.core.facts.values import ANY_VALUE, FactValue, require_predicate, value_key
from recense.core.facts.writing import AdmittedStatement, Decision
from recense.core.text.quoting import quoted
from recense.errors import InvalidRequest, NeedsConfirmation, NotFound, RecenseError
from recense.limits import STATEMENTS_AT_ONCE_MAX, STATEMENTS_READ_AHEAD_MAX
from recense.operations.facts import (
    EvidenceRequest,
    ForgetFact,
    ForgottenFacts,
    RememberedFact,
    RememberFact,
    ReplaceRequest,
)
from recense.ports.clock import Clock
from recense.ports.records import RecordStore
from recense.services.admission import require_identifier, typed
from recense.services.conflicts import in_spite_of_conflicts
from recense.services.fact_admission import FactAdmission, observed_instant
from recense.services.fact_answers import remembered_answer
from recense.services.fact_collections import MEMORY
from recense.services.fact_counters import Basis, basis_of
from recense.services.fact_drafts import Draft, DraftReader
from recense.services.fact_planning import StatedWords, draft_of, planned, read_ahead
from recense.services.fact_reading import FactMoment, Registries, open_moment
from recense.services.fact_records import event_of
from recense.services.fact_requests import admit_key, known_answer
from recense.services.fact_statements import StatedFact, Statements
from recense.services.fact_views import belief_views, kept_excerpts
from recense.services.predicates import Predicates


class _BatchSizes:
    """How many statements are tried at once."""

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._tried = self._next = most

    def tried(self, count: int) -> int:
        """Return how many of so many to try now; the next time it is half of that."""
        self._tried = min(self._next, count)
        self._next = max(1, self._tried // 2)
        return self._tried

    def grow(self) -> None:
        """Try twice as many as were tried last."""
        self._next = min(self._most, 2 * self._tried)


class FactWriting:
    """Remembers and withdraws facts in one store."""

    def __init__(
        self,
        store: RecordStore,
        clock: Clock,
        registries: Registries,
        predicates: Predicates,
        *,
        store_key: Callable[[], bytes],
        redact_secrets: bool,
    ) -> None:
        self._store: Final = store
        self._clock: Final = clock
        self._registries: Final = registries
        self._predicates: Final = predicates
        self._admission: Final = FactAdmission(redact_secrets=redact_secrets)
        self._statements: Final = Statements(self._admission, clock, store_key=store_key)

    def remember_fact(
        self,
        request: RememberFact,
        *,
        may_replace_notes: bool = False,
        spares_stated: bool = False,
        is_trial: bool = False,
    ) -> RememberedFact:
        """Remember one statement with its corrections, as one event or, where it says nothing new,
        as none; and return what that makes of beliefs, or with ``is_trial`` what it would make.

        Repeating it changes nothing, and a trial never does. Raises InvalidRequest for what cannot
        be kept, CredentialShaped for names that are secrets, NeedsConfirmation with
        ``spares_stated`` where an inference would end what the person stated, and StoreConflict
        when others were always faster.
        """
        stated = self._statements.stated(
            request, may_replace_notes=may_replace_notes, spares_stated=spares_stated
        )

        def attempt() -> RememberedFact:
            with self._store.snapshot() as reader:
                moment = open_moment(reader, self._registries, self._clock.now())
                answer, draft = self._drafted(moment, stated, None, with_related=not is_trial)
            if not is_trial:
                self._write(draft)
            return answer

        return in_spite_of_conflicts(attempt)

    def remember_facts(self, requests: Sequence[RememberFact]) -> tuple[RememberedFact, ...]:
        """Remember many statements, as `remember_fact` does one after the other, and return their
        answers, in order; but ``related``, which is for people, is empty, and ``ended_by`` of an
        event of the same commit does not say when that was received.

        STATEMENTS_AT_ONCE_MAX are kept in one commit, or as many as there are before one that
        defines a predicate; half as many are tried after each time that others were faster, so that
        who writes about one of them again and again does not keep all of them waiting, and twice as
        many after each commit. Where one is refused, those before it are kept and none after it,
        and the error is raised.
        """
        answers: list[RememberedFact] = []
        sizes = _BatchSizes(STATEMENTS_AT_ONCE_MAX)
        while len(answers) < len(requests):
            rest = requests[len(answers) : len(answers) + STATEMENTS_AT_ONCE_MAX]
            answers += in_spite_of_conflicts(
                lambda rest=rest: self._remember_batch(rest[: sizes.tried(len(rest))])
            )
            sizes.grow()
        return tuple(answers)

    def forget_fact(self, request: ForgetFact) -> ForgottenFacts:
        """Withdraw a value, or every value, that is held; what was held is kept as history.

        Returns what was withdrawn: nothing where nothing was held, and then nothing is written.
        Raises as `remember_fact`.
        """
        request = typed(request, ForgetFact)
        require_predicate(request.predicate)
        admit_key(request.idempotency_key)
        if (request.value is None) != request.all_values:
            raise InvalidRequest(
                "what to withdraw is not clear: give a value, or say that every value is meant",
                hint="recense fact forget SUBJECT PREDICATE VALUE, or --all",
            )
        subject = self._admission.subject(request.subject)
        value = request.value
        if value is not None:
            value = self._admission.stated(subject, request.predicate, value)
        at = observed_instant(request.observed_at, self._clock.now())

        def attempt() -> ForgottenFacts:
            with self._store.snapshot() as reader:
                known = known_answer(reader, request)
                if known is not None:
                    return msgspec.json.decode(known, type=ForgottenFacts)
                moment = open_moment(reader, self._registries, self._clock.now())
                kept = value
                if kept is not None:
                    kept = as_kept(kept, moment.registry.definition(request.predicate))
                statement = AdmittedStatement(
                    subject=subject,
                    predicate=request.predicate,
                    value=kept,
                    value_key=ANY_VALUE if kept is None else value_key(kept),
                    source=request.source,
                    writer=self._admission.writer(request.writer),
                    observed_at=at,
                    retraction=True,
                )
                plan = planned(moment, statement, None, basis_of(moment, statement))
                ended = plan.decision.ended
                event = plan.decision.event
                answer = ForgottenFacts(
                    event_id=None if event is None else event.event_id,
                    withdrawn=belief_views(reader, moment.registry, ended),
                )
            self._write(draft_of(plan, StatedWords(), request, answer))
            return answer

        return in_spite_of_conflicts(attempt)

    def promote(
        self, event_id: str, predicate: str, value: FactValue | None = None
    ) -> RememberedFact:
        """File a note under a predicate and withdraw it, as one event; without a value, as what the
        note says.

        Raises NotFound for an event that is no note, and as `remember_fact`.
        """
        require_identifier("the id of the note", event_id)
        with self._store.snapshot() as reader:
            record = reader.get(MEMORY, [event_id]).get(event_id)
            note = None if record is None else event_of(record)
            words = {} if note is None else kept_excerpts(reader, note.evidence)
        if note is None or note.predicate != NOTE.predicate or note.value is None:
            raise NotFound(
                f"the event {event_id!r} is no note",
                hint="a note is what was said under the predicate note, by the id it was given:"
                " recense fact list --predicate note",
            )
        request = RememberFact(
            subject=note.subject,
            predicate=predicate,
            value=note.value if value is None else value,
            kind=note.kind,
            confidence=note.confidence,
            source=note.source,
            writer=note.writer,
            evidence=tuple(
                EvidenceRequest(
                    excerpt=words[piece.excerpt], episode=piece.episode, anchor=piece.anchor
                )
                for piece in note.evidence
                if piece.excerpt in words
            ),
            replaces=(ReplaceRequest(event_id=event_id),),
        )
        return self.remember_fact(request, may_replace_notes=True)

    def _remember_batch(self, requests: Sequence[RememberFact]) -> list[RememberedFact]:
        """Remember the first statements of some, one at least, in one commit."""
        answers: list[RememberedFact] = []
        with self._store.snapshot() as reader:
            drafts = DraftReader(reader)
            try:
                for answer, draft in self._drafted_in_turn(drafts, requests):
                    drafts.add(draft)
                    answers.append(answer)
                    if draft.defines:
                        break
            except RecenseError:
                if not answers:
                    raise
            append = drafts.append()
        if append is not None:
            self._store.append(append, now=self._clock.now())
        return answers

    def _drafted_in_turn(
        self, drafts: DraftReader, requests: Sequence[RememberFact]
    ) -> Iterator[tuple[RememberedFact, Draft]]:
        """Yield what each request is answered and what is written for it, if those before it are
        read among the drafts; raise what refuses one when it is its turn.
        """
        moment = open_moment(drafts, self._registries, self._clock.now())
        for begin in range(0, len(requests), STATEMENTS_READ_AHEAD_MAX):
            part = requests[begin : begin + STATEMENTS_READ_AHEAD_MAX]
            stated, refusal = self._statements.stated_first(part)
            bases = read_ahead(drafts, moment, [each.statement for each in stated])
            for each, basis in zip(stated, bases, strict=True):
                moment = replace(moment, now=max(self._clock.now(), moment.log.newest))
                yield self._drafted(moment, each, basis, with_related=False)
            if refusal is not None:
                raise refusal

    def _drafted(
        self, moment: FactMoment, stated: StatedFact, basis: Basis | None, *, with_related: bool
    ) -> tuple[RememberedFact, Draft]:
        """Return what a statement is answered, and what is written for it. ``basis`` is what it is
        decided by if it is as it was admitted and its predicate is defined; without one it is
        found out.
        """
        request, statement = stated.request, stated.statement
        known = known_answer(moment.reader, request)
        if known is not None:
            return msgspec.json.decode(known, type=RememberedFact), Draft()
        new = self._predicates.resolved(
            moment, request.predicate, stated.value, request.cardinality
        )
        if new is not None:
            moment, basis = replace(moment, registry=new.registry), None
        kept = require_typed(stated.value, _definition(moment.registry, request.predicate))
        if kept is not stated.value:
            statement, basis = replace(statement, value=kept, value_key=value_key(kept)), None
        if request.replaces:
            wanted = self._wanted(moment, request, statement.subject)
            statement, basis = replace(statement, replaces=wanted), None
        plan = planned(moment, statement, new, basis or basis_of(moment, statement))
        if stated.spares_stated:
            _require_spared(plan.decision, request)
        answer = remembered_answer(plan, stated.words, with_related=with_related)
        return answer, draft_of(plan, stated.words, request, answer)

    def _write(self, draft: Draft) -> None:
        """Append what was decided, or nothing where nothing is to be written."""
        if draft.records:
            self._store.append(draft.append(), now=self._clock.now())

    def _wanted(
        self, moment: FactMoment, request: RememberFact, subject: str
    ) -> tuple[ReplacedBelief | None, ...]:
        """Return what is to be replaced, each by what it says; None where that is not known."""
        ids = {each.event_id for each in request.replaces if each.event_id is not None}
        events = {
            key: event_of(record)
            for key, record in (moment.reader.get(MEMORY, ids) if ids else {}).items()
        }
        return tuple(
            self._replaced(each, events, moment.registry, subject, request.predicate)
            for each in request.replaces
        )

    def _replaced(
        self,
        wanted: ReplaceRequest,
        events: Mapping[str, FactEvent],
        registry: Registry,
        subject: str,
        predicate: str,
    ) -> ReplacedBelief | None:
        if wanted.event_id is not None:
            event = events.get(wanted.event_id)
            if event is None or event.retraction:
                return None
            return ReplacedBelief(
                subject=event.subject,
                predicate=event.predicate,
                value_key=event.value_key,
                event_id=event.event_id,
            )
        if wanted.value is None:
            raise InvalidRequest(
                "a belief to replace has neither an event's id nor a value",
                hint="name the event that stated it, or the value it says",
            )
        if wanted.subject is not None:
            subject = self._admission.subject(wanted.subject)
        if wanted.predicate is not None:
            predicate = require_predicate(wanted.predicate)
        value = self._admission.stated(subject, predicate, wanted.value)
        kept = as_kept(value, registry.definition(predicate))
        return ReplacedBelief(subject=subject, predicate=predicate, value_key=value_key(kept))


def _require_spared(decision: Decision, request: RememberFact) -> None:
    """Refuse an inference that would end what the person stated (NeedsConfirmation)."""
    if request.source == "user_stated":
        return
    for belief in decision.ended:
        if belief.source == "user_stated":
            raise NeedsConfirmation(
                f"the person stated {quoted(value_words(belief.value))}, and an inference does not "
                "take its place",
                hint="ask the person; recense fact set states it",
            )


def _definition(registry: Registry, predicate: str) -> Definition:
    """Return the rules of a predicate that was resolved, so that it is defined."""
    return registry.definition(predicate) or Definition(predicate=predicate)
