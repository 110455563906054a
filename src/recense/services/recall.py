"""Recall: terms and a question go in; ranked passages and a statement of how far we looked come
out.

Laws: storage narrows, the predicate decides: whichever sessions the candidate sources name, the
answer is that of reading every eligible session, row for row and score for score. A request is
admitted or refused before anything is read. All of an answer comes from one snapshot, and
nothing is written. The answer's JSON is at most ENVELOPE_BYTES_MAX bytes; what had to be dropped
for that is a gap.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from recense.core.ids import anchor as anchor_of
from recense.core.ids import split_anchor, unknown_anchor
from recense.core.recall.echo import is_echo
from recense.core.recall.hits import Hit
from recense.core.recall.passages import fair_shares, surroundings
from recense.core.text.redact import redact
from recense.core.transcript.materials import shown
from recense.core.transcript.messages import LoadedSession, Material, Message, can_match
from recense.core.transcript.records import Session
from recense.errors import InvalidRequest
from recense.limits import (
    ENVELOPE_BYTES_MAX,
    MATERIALS_BYTES_MAX,
    NEIGHBOURS_MAX,
    PASSAGE_BYTES_MAX,
    PASSAGE_BYTES_MIN,
)
from recense.operations.recall import (
    BudgetDropped,
    Gap,
    MoreRequest,
    Passage,
    RecallAnswer,
    RecallRequest,
)
from recense.ports.clock import Clock
from recense.ports.search import CandidateSource
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.conversion import Load
from recense.services.eligibility import readable_rows, readable_session
from recense.services.gaps import (
    gaps_of_channels,
    gaps_of_files,
    gaps_of_privacy,
    gaps_of_sessions,
    gaps_of_terms,
    in_contract_order,
)
from recense.services.presenting import (
    Focus,
    PassageDraft,
    draft_passage,
    fit,
    json_size,
    materials_within,
)
from recense.services.ranking import Placement, Ranking, by_session, explanation_of, rank
from recense.services.requests import Query, admit, admit_more, require_recall_allowed
from recense.services.searching import (
    Excluded,
    Searched,
    excluded_turn,
    search,
)

_LATER_BYTES: Final = 128
"""Room for what is known last: how long it took, and what was dropped."""


class _Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """A hit that is shown: its draft, and the materials of its turn."""

    draft: PassageDraft
    materials: tuple[Material, ...]


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
        incognito: bool,
    ) -> None:
        self._store = store
        self._clock = clock
        self._load = load
        self._sources = sources
        self._is_available = is_available
        self._incognito = incognito

    def recall(self, request: RecallRequest, *, explain: bool = False) -> RecallAnswer:
        """Answer a request from one snapshot of the store; asking again changes nothing.

        ``explain`` says for each passage why it stands where it stands. Raises Incognito,
        InvalidRequest or CredentialShaped for a request refused before anything is read, NotFound
        for a session that is not there, and the faults of the store.
        """
        began = self._clock.elapsed_ms()
        require_recall_allowed(incognito=self._incognito)
        query = admit(request)
        with self._store.snapshot() as reader:
            found = search(reader, query, self._load, self._sources)
            ranking = rank(reader, query, found, self._load)
            chosen = self._chosen(reader, query, found, ranking, is_explained=explain)
            gaps = (
                *gaps_of_terms(query.terms, ranking.figures, left_out=query.terms_left_out),
                *gaps_of_sessions(
                    found.eligible,
                    found.left_out,
                    unconverted=found.unconverted,
                    unsearched=found.unsearched,
                ),
                *gaps_of_privacy(found.private),
                *gaps_of_channels(asked_a_question=query.question is not None),
                *gaps_of_files(reader.files()),
            )
        answer = _envelope(chosen, gaps, query, found)
        return replace(answer, took_ms=round(self._clock.elapsed_ms() - began, 3))

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
        session_id, event_id = split_anchor(asked.anchor)
        with self._store.snapshot() as reader:
            loaded = readable_session(reader, self._load, session_id)
            if loaded is None:
                raise unknown_anchor()
            rows = readable_rows(reader) if asked.exclude is not None else {}
            excluded = excluded_turn(reader, rows, asked.exclude, self._load)
        messages = loaded.transcript.messages
        is_visible = _visibility(session_id, excluded)
        place = next(
            (
                message.position
                for message in messages
                if message.event_id == event_id and is_visible(message)
            ),
            None,
        )
        if place is None:
            raise unknown_anchor()
        around = surroundings(messages, place, asked.before, asked.after, is_visible)
        frame = self._frame(loaded.session, messages[place])
        draft = draft_passage(
            frame, messages, place, around, focus=Focus(), offset=asked.offset or 0
        )
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
                hint=f"read the session: recense sessions show {session_id}",
            )
        return passage

    def _chosen(
        self,
        reader: TranscriptReader,
        query: Query,
        found: Searched,
        ranking: Ranking,
        *,
        is_explained: bool,
    ) -> list[_Chosen]:
        """Return what is shown, in order; every session of it is loaded once."""
        focus = Focus(
            folded_terms=query.folded_terms(),
            weights=tuple(figures.idf for figures in ranking.figures),
        )
        places = {place.scored.hit: place for place in ranking.places}
        chosen: dict[Hit, _Chosen] = {}
        for session_id, hits in by_session(list(places)).items():
            loaded = self._load(reader, found.rows[session_id])
            is_visible = _visibility(session_id, found.excluded)
            messages = loaded.transcript.messages
            for hit in hits:
                frame = self._frame(loaded.session, messages[hit.position])
                frame = _ranked(frame, query, places[hit])
                if is_explained:
                    why = explanation_of(query, ranking, places[hit])
                    frame = replace(frame, explanation=why)
                around = surroundings(
                    messages, hit.position, NEIGHBOURS_MAX, NEIGHBOURS_MAX, is_visible
                )
                chosen[hit] = _Chosen(
                    draft=draft_passage(frame, messages, hit.position, around, focus=focus),
                    materials=_materials_of_turn(loaded, hit.turn, is_visible),
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


def _materials_of_turn(
    loaded: LoadedSession, turn: str, is_visible: Callable[[Message], bool]
) -> tuple[Material, ...]:
    """Return the materials of a turn as they may leave."""
    return tuple(
        shown(material, loaded.session.session_id)
        for message in loaded.transcript.messages
        if message.turn == turn and is_visible(message)
        for material in message.materials
    )


def _envelope(
    chosen: Sequence[_Chosen], gaps: tuple[Gap, ...], query: Query, found: Searched
) -> RecallAnswer:
    """Return the answer within its bytes: passages share what the rest leaves, in fair parts."""
    materials = {material.id: material for each in chosen for material in each.materials}
    views = tuple(materials_within(materials.values(), MATERIALS_BYTES_MAX))
    answer = RecallAnswer(
        facts=(),
        passages=(),
        materials=views,
        gaps=in_contract_order(gaps),
        terms=tuple(term.spelled for term in query.terms),
        took_ms=0.0,
        path=found.path,
    )
    room = ENVELOPE_BYTES_MAX - _LATER_BYTES - json_size(answer) - len(chosen)
    drafts = [each.draft for each in chosen[: max(0, room // PASSAGE_BYTES_MIN)]]
    whole = [fit(draft, PASSAGE_BYTES_MAX) for draft in drafts]
    sizes = [0 if passage is None else json_size(passage) for passage in whole]
    if sum(sizes) > room:
        shares = fair_shares(sizes, room)
        whole = [
            passage if share == size else fit(draft, share)
            for draft, passage, share, size in zip(drafts, whole, shares, sizes, strict=True)
        ]
    passages = tuple(passage for passage in whole if passage is not None)
    dropped = BudgetDropped(n=len(chosen) - len(passages), materials=len(materials) - len(views))
    if dropped.n or dropped.materials:
        gaps = (*gaps, dropped)
    return replace(answer, passages=passages, gaps=in_contract_order(gaps))
