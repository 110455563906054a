"""Reading facts: what holds, what held, and why.

Law: one answer has one instant and one registry, and folds whole histories; what it leaves out it
says. Reading never writes.
"""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from recense.core.facts.belief import Belief
from recense.core.facts.fold import holds
from recense.core.facts.typed_values import as_kept
from recense.core.facts.values import (
    FactValue,
    normal_subject,
    require_predicate,
    require_value,
    value_key,
)
from recense.core.instants import text_from_instant
from recense.core.recall.terms import admitted_text
from recense.core.recall.when import asked_periods
from recense.errors import InvalidRequest
from recense.limits import (
    FACT_PAGE_EVENTS,
    FACTS_FOUND_MAX,
    FACTS_LISTED_DEFAULT,
    FACTS_LISTED_MAX,
    FOLLOWED_SUBJECTS_MAX,
    QUESTION_CODE_POINTS_MAX,
)
from recense.operations.facts import (
    Beliefs,
    BeliefView,
    FactHistory,
    FactTruth,
    GetFacts,
    SearchFacts,
)
from recense.ports.clock import Clock
from recense.ports.records import (
    RecordReader,
    RecordStore,
)
from recense.services.admission import typed
from recense.services.fact_admission import asked_instant
from recense.services.fact_cache import FactCache, PairAnswer
from recense.services.fact_elsewhere import held_elsewhere, shown_beliefs
from recense.services.fact_pages import listed_page, passes, referred, require_page
from recense.services.fact_reading import (
    FactMoment,
    Registries,
    Unit,
    newest_instant,
    open_moment,
)
from recense.services.fact_search import found_beliefs
from recense.services.fact_views import belief_views, event_views, shown


class Facts:
    """Reads the facts of one store."""

    def __init__(self, store: RecordStore, clock: Clock, registries: Registries) -> None:
        self._store: Final = store
        self._clock: Final = clock
        self._registries: Final = registries
        self._cache: Final = FactCache(store, clock)

    def forget_kept(self) -> None:
        """Read anew from here on: this memory has written."""
        self._cache.clear()

    def get(self, request: GetFacts) -> Beliefs:
        """Return what holds: of a pair in the order in which values came to be held, else most
        recently stated first, a page of at most ``limit``.

        Raises InvalidRequest for what is outside its bounds.
        """
        request = typed(request, GetFacts)
        require_page(request)
        is_pair = request.subject is not None and request.predicate is not None
        if not is_pair or request.after is not None or request.known_by is not None:
            with self._store.snapshot() as reader:
                return self._read(reader, request).beliefs
        as_of = asked_instant("as_of", request.as_of)
        present = request if as_of is None else replace(request, as_of=None)
        kept = self._cache.kept(present, as_of)
        if kept is None:
            return self._cache.read(present, lambda reader: self._read(reader, request))
        instant = max(self._clock.now(), kept.newest) if as_of is None else as_of
        return replace(kept.beliefs, as_of=text_from_instant(instant))

    def search(self, request: SearchFacts) -> Beliefs:
        """Return the current beliefs that a text asks for, the best first.

        Raises InvalidRequest for a blank text and a limit outside its bounds, CredentialShaped for
        a text that looks like a secret.
        """
        request = typed(request, SearchFacts)
        text = admitted_text(request.text, "the text", QUESTION_CODE_POINTS_MAX)
        if not 1 <= request.limit <= FACTS_FOUND_MAX:
            raise InvalidRequest(f"limit is {request.limit}; expected 1 to {FACTS_FOUND_MAX}")
        subject = None if request.subject is None else normal_subject(request.subject)
        with self._store.snapshot() as reader:
            moment = self._moment(reader, request.as_of, request.known_by)
            periods = asked_periods(text, moment.now)
            found = found_beliefs(moment, text, request.limit, subject=subject, periods=periods)
            beliefs = [each.belief for each in found]
            return Beliefs(
                beliefs=shown_beliefs(moment, beliefs),
                total=len(beliefs),
                as_of=text_from_instant(moment.instant(())),
            )

    def history(
        self,
        subject: str,
        predicate: str,
        *,
        as_of: str | None = None,
        known_by: str | None = None,
        limit: int = FACTS_LISTED_DEFAULT,
    ) -> FactHistory:
        """Return the newest ``limit`` events that touch a pair, under any of its names, in order.

        ``total`` counts all of them. Raises InvalidRequest.
        """
        if not 1 <= limit <= FACTS_LISTED_MAX:
            raise InvalidRequest(f"limit is {limit}; expected 1 to {FACTS_LISTED_MAX}")
        with self._store.snapshot() as reader:
            moment = self._moment(reader, as_of, known_by)
            unit = moment.unit_of(normal_subject(subject), require_predicate(predicate), None)
            _, folded, _ = moment.pair_history(unit)
            touching = [step.event for step in folded.steps]
            return FactHistory(events=event_views(reader, touching[-limit:]), total=len(touching))

    def truth(
        self,
        subject: str,
        predicate: str,
        value: FactValue,
        *,
        as_of: str | None = None,
        known_by: str | None = None,
    ) -> FactTruth:
        """Return whether a value holds: yes, no or unknown, and what holds in its place.

        Raises InvalidRequest.
        """
        given = require_value(value)
        with self._store.snapshot() as reader:
            moment = self._moment(reader, as_of, known_by)
            key = value_key(as_kept(given, moment.registry.definition(predicate)))
            unit = moment.unit_of(normal_subject(subject), require_predicate(predicate), key)
            events = moment.history([unit])
            instant = moment.instant(events)
            folded = moment.folded([unit], events, instant)[unit]
            registry = moment.registry
            wanted = registry.held_key(unit.predicate, key)
            mine = [
                belief
                for belief in folded.beliefs
                if registry.held_key(unit.predicate, belief.value_key) == wanted
            ]
            others = [belief for belief in folded.beliefs if belief not in mine]
            views = belief_views(reader, registry, mine)
            return FactTruth(
                holds=holds(folded, registry, unit.predicate, key, instant),
                belief=views[0] if views else None,
                instead=() if views else belief_views(reader, registry, others),
                as_of=text_from_instant(instant),
            )

    def _moment(self, reader: RecordReader, as_of: str | None, known_by: str | None) -> FactMoment:
        return open_moment(
            reader,
            self._registries,
            self._clock.now(),
            as_of=asked_instant("as_of", as_of),
            known_by=asked_instant("known_by", known_by),
        )

    def _read(self, reader: RecordReader, request: GetFacts) -> PairAnswer:
        moment = self._moment(reader, request.as_of, request.known_by)
        unit = self._pair_unit(moment, request)
        answer = None if unit is None else self._pair(moment, unit, request)
        return answer or PairAnswer(beliefs=self._page_view(moment, request))

    def _pair_unit(self, moment: FactMoment, request: GetFacts) -> Unit | None:
        """Return the pair that is asked for, if it is one that is read whole; None else."""
        if request.subject is None or request.predicate is None or request.after is not None:
            return None
        subject = normal_subject(request.subject)
        unit = moment.unit_of(subject, require_predicate(request.predicate), None)
        if moment.registry.was_ever_single(unit.predicate):
            return unit
        many = FACT_PAGE_EVENTS + 1
        return unit if moment.own_events(unit, enough=many) < many else None

    def _pair(self, moment: FactMoment, unit: Unit, request: GetFacts) -> PairAnswer | None:
        """Return what holds of a pair, None where that is more than one page."""
        events = moment.history([unit])
        instant = moment.instant(events)
        beliefs = [
            belief
            for belief in moment.folded([unit], events, instant)[unit].beliefs
            if passes(moment, belief, request)
        ]
        if len(beliefs) > request.limit:
            return None
        elsewhere = held_elsewhere(moment, beliefs)
        views = belief_views(moment.reader, moment.registry, beliefs, elsewhere=elsewhere.held)
        if request.follow_refs:
            views = (*views, *self._followed(moment, beliefs))
        return PairAnswer(
            beliefs=Beliefs(beliefs=views, total=len(beliefs), as_of=text_from_instant(instant)),
            newest=max(moment.log.newest, newest_instant(events)),
            serves_from=max(instant, elsewhere.instant),
            may_be_kept=moment.as_of is None and not request.follow_refs,
        )

    def _page_view(self, moment: FactMoment, request: GetFacts) -> Beliefs:
        page = listed_page(moment, request)
        views = shown_beliefs(moment, page.beliefs)
        if request.follow_refs:
            views = (*views, *self._followed(moment, page.beliefs))
        is_whole = page.next_after is None and request.after is None
        return Beliefs(
            beliefs=views,
            total=len(page.beliefs) if is_whole else None,
            as_of=text_from_instant(page.instant),
            next_after=page.next_after,
        )

    def _followed(self, moment: FactMoment, beliefs: Sequence[Belief]) -> tuple[BeliefView, ...]:
        """Return what is believed of the subjects that values refer to, one step."""
        views: list[BeliefView] = []
        seen: set[str] = {belief.subject for belief in beliefs}
        for belief in beliefs:
            subject = referred(moment, belief)
            if subject is None or subject in seen or len(seen) > FOLLOWED_SUBJECTS_MAX:
                continue
            seen.add(subject)
            page = listed_page(moment, GetFacts(subject=subject))
            via = f"{belief.predicate} {shown(belief.value)}"
            views += belief_views(moment.reader, moment.registry, page.beliefs, via=via)
        return tuple(views)
