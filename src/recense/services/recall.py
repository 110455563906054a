"""Recall: terms and a question go in; ranked passages and a statement of how far we looked come
out.

Laws: storage narrows, the predicate decides: whatever the index and the other sources leave out,
the answer is that of reading every eligible session, row for row and score for score; what of them
fails is done without. A request is
admitted or refused before anything is read. All of an answer comes from one snapshot, and
nothing is written. The answer's JSON is at most ENVELOPE_BYTES_MAX bytes; what had to be dropped
for that is a gap.
"""

import functools
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from recense.core.ids import anchor as anchor_of
from recense.core.ids import split_anchor, unknown_anchor
from recense.core.recall.echo import is_echo
from recense.core.recall.hits import Hit
from recense.core.recall.passages import surroundings
from recense.core.text.redact import redact
from recense.core.transcript.materials import shown
from recense.core.transcript.messages import Message, can_match
from recense.core.transcript.records import Session
from recense.errors import InvalidRequest, StoreFault
from recense.limits import (
    NEIGHBOURS_MAX,
    PASSAGE_BYTES_MAX,
    RERANKED_HITS_MAX,
)
from recense.operations.recall import (
    MoreRequest,
    Passage,
    RecallAnswer,
    RecallRequest,
    ScanVerification,
)
from recense.ports.clock import Clock
from recense.ports.index import IndexedMessages
from recense.ports.search import CandidateSource
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.cancelling import IsCancelled, never
from recense.services.conversion import Load
from recense.services.eligibility import Scope
from recense.services.envelope import ChosenHit, envelope
from recense.services.gaps import (
    gaps_of_channels,
    gaps_of_files,
    gaps_of_privacy,
    gaps_of_sessions,
    gaps_of_terms,
)
from recense.services.presenting import (
    Focus,
    PassageDraft,
    draft_passage,
    fit,
)
from recense.services.ranking import Placement, Ranking, by_session, explanation_of, rank
from recense.services.recalled_facts import FactsFound, FindFacts, facts_found
from recense.services.requests import (
    Query,
    admit,
    admit_limit,
    admit_more,
    require_recall_allowed,
)
from recense.services.searching import (
    Excluded,
    Searched,
    excluded_turn,
    search,
)
from recense.services.texts import Texts
from recense.services.verifying import first_difference


class Recall:
    """Recall over one store."""

    def __init__(
        self,
        store: TranscriptStore,
        clock: Clock,
        load: Load,
        sources: Sequence[CandidateSource],
        is_available: Callable[[str], bool],
        *,
        find_facts: FindFacts,
        incognito: bool,
    ) -> None:
        self._find_facts = find_facts
        self._store = store
        self._clock = clock
        self._load = load
        self._sources = sources
        self._is_available = is_available
        self._incognito = incognito

    def recall(
        self,
        request: RecallRequest,
        *,
        reranked_max: int = RERANKED_HITS_MAX,
        is_cancelled: IsCancelled = never,
    ) -> RecallAnswer:
        """Answer a request from one snapshot of the store; asking again changes nothing. One with
        neither terms nor a question is answered with a profile.

        ``reranked_max`` is how many hits a question re-ranks, the best by its terms. Raises
        Cancelled; Incognito, InvalidRequest or CredentialShaped for a request refused before
        anything is read, NotFound for a session that is not there, and the faults of the store.
        """
        began = self._clock.elapsed_ms()
        if not request.terms and request.question is None:
            return self._timed(self._profile(request), began)
        query = replace(self._admitted(request), reranked_max=reranked_max)
        facts = self._facts(query)
        with self._store.snapshot() as reader:
            answer = self._narrowed(
                reader, query, facts, is_explained=request.explain, is_cancelled=is_cancelled
            )
        return self._timed(answer, began)

    def recall_by_scan(self, request: RecallRequest) -> RecallAnswer:
        """Answer a request by reading every eligible session: what `recall` has to be equal to.

        Raises as `recall`.
        """
        began = self._clock.elapsed_ms()
        query = self._admitted(request)
        facts = self._facts(query)
        with self._store.snapshot() as reader:
            answer = self._answer(reader, query, facts, None, (), is_explained=request.explain)
        return self._timed(answer, began)

    def verify_scan(self, request: RecallRequest) -> ScanVerification:
        """Answer a request both ways from one snapshot, and compare. Raises as `recall`."""
        began = self._clock.elapsed_ms()
        query = self._admitted(request)
        facts = self._facts(query)
        with self._store.snapshot() as reader:
            answer = self._narrowed(reader, query, facts, is_explained=request.explain)
            answer = self._timed(answer, began)
            began = self._clock.elapsed_ms()
            by_scan = self._answer(reader, query, facts, None, (), is_explained=request.explain)
        difference = first_difference(answer, by_scan)
        return ScanVerification(
            answer=answer,
            is_equal=not difference,
            difference=difference,
            scan_took_ms=round(self._clock.elapsed_ms() - began, 3),
        )

    def _admitted(self, request: RecallRequest) -> Query:
        require_recall_allowed(incognito=self._incognito)
        return admit(request, self._clock.now())

    def _timed(self, answer: RecallAnswer, began: float) -> RecallAnswer:
        return replace(answer, took_ms=round(self._clock.elapsed_ms() - began, 3))

    def _profile(self, request: RecallRequest) -> RecallAnswer:
        """Return the facts that hold now, most recently stated first; no session is searched."""
        require_recall_allowed(incognito=self._incognito)
        admit_limit(request.limit)
        found = facts_found(self._find_facts, None)
        return RecallAnswer(
            facts=found.facts,
            passages=(),
            materials=(),
            gaps=tuple(gaps_of_channels(found.unavailable, asked_a_question=False)),
            terms=(),
            took_ms=0.0,
            path="narrowed",
        )

    def _facts(self, query: Query) -> FactsFound:
        asked = (*(term.spelled for term in query.given_terms()), query.question or "")
        return facts_found(self._find_facts, " ".join(asked))

    def _narrowed(
        self,
        reader: TranscriptReader,
        query: Query,
        facts: FactsFound,
        *,
        is_explained: bool,
        is_cancelled: IsCancelled = never,
    ) -> RecallAnswer:
        """Return the answer by the index and the sources, and without them where they fail: were
        the store itself at fault, reading says so.
        """
        answer = functools.partial(
            self._answer,
            reader,
            query,
            facts,
            is_explained=is_explained,
            is_cancelled=is_cancelled,
        )
        try:
            return answer(reader.message_index(), self._sources)
        except StoreFault:
            return answer(None, ())

    def _answer(
        self,
        reader: TranscriptReader,
        query: Query,
        facts: FactsFound,
        index: IndexedMessages | None,
        sources: Sequence[CandidateSource],
        *,
        is_explained: bool,
        is_cancelled: IsCancelled = never,
    ) -> RecallAnswer:
        found = search(reader, query, self._load, index, sources, is_cancelled=is_cancelled)
        ranking = rank(query, found)
        chosen = self._chosen(query, found, ranking, facts, is_explained=is_explained)
        gaps = (
            *gaps_of_terms(query.terms, ranking.figures, left_out=query.terms_left_out),
            *gaps_of_sessions(
                found.totals,
                found.left_out,
                unconverted=found.unconverted,
                unsearched=found.unsearched,
            ),
            *gaps_of_privacy(found.private),
            *gaps_of_channels(facts.unavailable, asked_a_question=query.question is not None),
            *gaps_of_files(reader.failed_files()),
        )
        return envelope(chosen, gaps, query, found, facts)

    def recall_more(self, request: MoreRequest) -> Passage:
        """Return the passage of an anchor with more of its turn, or further on in a long text.

        With ``offset`` the anchor's text begins at that code point; text by text from where the
        last one ended gives the whole. Raises InvalidRequest for a value outside its bounds, an
        offset beyond the text among them, or for a passage whose frame alone is longer than
        PASSAGE_BYTES_MAX, and NotFound for an anchor that is unknown, private,
        excluded or not shown, which are one answer.
        """
        require_recall_allowed(incognito=self._incognito)
        asked = admit_more(request)
        with self._store.snapshot() as reader:
            draft = self._more(reader, asked)
        length = draft.anchor.view.length
        if asked.offset and asked.offset >= length:
            raise InvalidRequest(
                f"offset is {asked.offset}, and the text ends at {length}",
                hint="go on from the offset of a message plus the code points of its text",
            )
        passage = fit(draft, PASSAGE_BYTES_MAX)
        if passage is None:
            raise InvalidRequest(
                f"the passage does not fit into {PASSAGE_BYTES_MAX} bytes: the title and the folder"
                " of its session take them",
                hint=f"read the session: recense sessions show {draft.frame.session}",
            )
        return passage

    def _more(self, reader: TranscriptReader, asked: MoreRequest) -> PassageDraft:
        """Return the draft of a passage of `recall_more`, by the index or, where that fails,
        without it.
        """
        try:
            return self._more_of(reader, asked, reader.message_index())
        except StoreFault:
            return self._more_of(reader, asked, None)

    def _more_of(
        self, reader: TranscriptReader, asked: MoreRequest, index: IndexedMessages | None
    ) -> PassageDraft:
        session_id, event_id = split_anchor(asked.anchor)
        texts = Texts(reader, self._load, index)
        scope = Scope(reader, self._load, session=None, workspace=None, origin="all")
        row = reader.outline(session_id)
        if row is None or not scope.is_readable(row):
            raise unknown_anchor()
        place = texts.position_of(session_id, event_id)
        if place is None or not scope.is_readable(texts.session(session_id)):
            raise unknown_anchor()
        excluded = excluded_turn(reader, texts, asked.exclude, scope)
        is_visible = _visibility(session_id, excluded)
        turn = texts.around(session_id, place, asked.before, asked.after, is_visible)
        if not is_visible(turn.messages[turn.anchor]):
            raise unknown_anchor()
        around = surroundings(turn.messages, turn.anchor, asked.before, asked.after, is_visible)
        frame = self._frame(turn.session, turn.messages[turn.anchor])
        return draft_passage(frame, turn, around, focus=Focus(), offset=asked.offset or 0)

    def _chosen(
        self,
        query: Query,
        found: Searched,
        ranking: Ranking,
        facts: FactsFound,
        *,
        is_explained: bool,
    ) -> list[ChosenHit]:
        """Return what is shown, in order; every session of it is asked for once."""
        focus = Focus(
            folded_terms=query.folded_terms(),
            weights=tuple(figures.idf for figures in ranking.figures),
        )
        places = {place.scored.hit: place for place in ranking.places}
        chosen: dict[Hit, ChosenHit] = {}
        for session_id, hits in by_session(list(places)).items():
            is_visible = _visibility(session_id, found.excluded)
            for hit in hits:
                turn = found.texts.around(
                    session_id, hit.position, NEIGHBOURS_MAX, NEIGHBOURS_MAX, is_visible
                )
                frame = self._frame(turn.session, turn.messages[turn.anchor])
                frame = _ranked(frame, query, places[hit])
                if facts.facts:
                    anchors = (anchor_of(session_id, each.event_id) for each in turn.messages)
                    frame = replace(frame, supports=facts.supported_by(frozenset(anchors)))
                if is_explained:
                    why = explanation_of(query, ranking, places[hit])
                    frame = replace(frame, explanation=why)
                around = surroundings(
                    turn.messages, turn.anchor, NEIGHBOURS_MAX, NEIGHBOURS_MAX, is_visible
                )
                chosen[hit] = ChosenHit(
                    draft=draft_passage(frame, turn, around, focus=focus),
                    materials=tuple(
                        shown(material, session_id)
                        for message in found.texts.with_materials(session_id, hit.turn)
                        if is_visible(message)
                        for material in message.materials
                    ),
                )
        return [chosen[hit] for hit in places]

    def _frame(self, session: Session, anchor: Message) -> Passage:
        """Return the passage of a message without messages; its flags are as long as any."""
        path = session.source_path
        return Passage(
            anchor=anchor_of(session.session_id, anchor.event_id),
            session=session.session_id,
            title=None if session.title is None else redact(session.title).text,
            workspace=session.workspace,
            source=session.source,
            origin=session.origin,
            turn=anchor.turn,
            position=anchor.position,
            messages=(),
            matched_terms=(),
            score=0.0,
            has_more_before=False,
            has_more_after=False,
            truncated=False,
            source_available=path is None or self._is_available(path),
            echo=is_echo(anchor),
        )


def _ranked(frame: Passage, query: Query, place: Placement) -> Passage:
    """Return the frame with the terms that matched, as the caller spelled them, and the score."""
    frequencies = place.scored.hit.frequencies
    return replace(
        frame,
        matched_terms=tuple(
            term.spelled
            for term, frequency in zip(query.terms, frequencies, strict=True)
            if frequency
        ),
        score=place.scored.score,
    )


def _visibility(session_id: str, excluded: Excluded) -> Callable[[Message], bool]:
    """Return which messages of a session may be seen in this answer."""

    def is_visible(message: Message) -> bool:
        return can_match(message) and not excluded.covers(session_id, message)

    return is_visible
