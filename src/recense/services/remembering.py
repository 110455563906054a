"""The text surface: texts are kept, filed, found again and withdrawn in words.

Laws: a text is kept before anything is filed from it, so that no refusal loses it. Proposals are
not trusted: each is looked at as any statement is, its words must stand in the text, and one that
is refused keeps none of the others. What to forget is named by whoever asks, or by a model among
what was found for it and where the words leave no doubt; nothing else is withdrawn. No predicate is
named in what leaves.
"""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from recense.core.extraction.proposals import Proposal, presentable
from recense.core.extraction.quotation import span_of
from recense.core.facts.belief import Belief
from recense.core.facts.event import FactEvent
from recense.core.facts.values import is_reserved
from recense.core.instants import text_from_instant
from recense.core.recall.terms import admitted_text
from recense.core.recall.when import asked_periods
from recense.core.values import Value
from recense.errors import Incognito, InvalidRequest, MissingExtra, RequestRefused, SettingsInvalid
from recense.limits import (
    FACTS_FOUND_MAX,
    PROFILE_FACTS_MAX,
    QUESTION_CODE_POINTS_MAX,
    RECALLED_FACTS_MAX,
    STATEMENTS_MAX,
)
from recense.operations.extraction import FiledProposal
from recense.operations.facts import (
    EvidenceRequest,
    ForgetFact,
    GetFacts,
    RememberedFact,
)
from recense.operations.texts import (
    ForgetAnswer,
    ForgetText,
    HistoryRequest,
    NotFiled,
    RememberedText,
    RememberText,
    Statement,
    StatementRefused,
    TextFact,
    TextHistory,
)
from recense.ports.clock import Clock
from recense.ports.records import RecordReader, RecordStore
from recense.services.admission import require_identifier, typed
from recense.services.episodes import (
    Episode,
    episode_id,
    found_episodes,
    is_episode_id,
    keep_episode,
    shown_text,
    withdraw_episode,
)
from recense.services.fact_admission import FactAdmission, observed_instant
from recense.services.fact_collections import MEMORY
from recense.services.fact_pages import listed_page
from recense.services.fact_reading import FactMoment, Registries, open_moment
from recense.services.fact_records import event_of
from recense.services.fact_search import found_beliefs, relevant, unit_scores
from recense.services.fact_sentences import DAY, current_facts, text_facts, thread_of
from recense.services.fact_writing import FactWriting
from recense.services.filing import Filing
from recense.services.selecting import Choice, Selecting
from recense.services.text_extraction import TextReading
from recense.services.told_texts import told_text

_NO_STATEMENT: Final = "a part of the model's answer was no statement"


class TextModels(Value, kw_only=True):
    """What asks a model about texts: what they say, and what is to be forgotten."""

    reading: TextReading
    selecting: Selecting


class Remembering:
    """Remembers, forgets and tells in words, in one store."""

    def __init__(
        self,
        store: RecordStore,
        clock: Clock,
        registries: Registries,
        writing: FactWriting,
        filing: Filing,
        *,
        redact_secrets: bool,
        text_models: Callable[[], TextModels] | None,
    ) -> None:
        """``text_models`` makes what asks a model about texts, the same at each call; None where
        none is asked.
        """
        self._store: Final = store
        self._clock: Final = clock
        self._registries: Final = registries
        self._writing: Final = writing
        self._filing: Final = filing
        self._text_models: Final = text_models
        self._admission: Final = FactAdmission(redact_secrets=redact_secrets)

    def remember(self, request: RememberText) -> RememberedText:
        """Keep a text and file the statements that came with it, each as far as it can be; without
        any a model reads the text, where one is asked at all.

        Keeping it again keeps nothing anew, and filing again what is known neither; what a model
        said of it is filed from where it was recorded. Raises InvalidRequest for a text that is
        blank or too long, and for too many statements.
        """
        request = typed(request, RememberText)
        told = told_text(request, self._admission)
        text = told.text
        now = self._clock.now()
        at = observed_instant(request.observed_at, now)
        if len(request.statements) > STATEMENTS_MAX:
            raise InvalidRequest(
                f"{len(request.statements)} statements; expected at most {STATEMENTS_MAX}"
            )
        writer = self._admission.writer(request.writer)
        episode = Episode(
            text=text,
            observed_at=now if at is None else at,
            writer=writer,
            spoken=told.spoken,
            is_stated=bool(request.statements),
        )
        with self._store.snapshot() as reader:
            is_new = keep_episode(self._store, reader, episode)
        if self._text_models is not None and not request.statements:
            return self._read(episode, self._text_models, is_new=is_new)
        filed: list[RememberedFact] = []
        refused: list[StatementRefused] = []
        for position, statement in enumerate(request.statements):
            try:
                when = None if at is None else text_from_instant(at + position)
                filed.append(self._filed(statement, text, when, writer))
            except RequestRefused as error:
                refused.append(StatementRefused(position=position, reason=error.message))
        return self._remembered(episode, is_new=is_new, filed=filed, refused=refused)

    def forget(self, request: ForgetText) -> ForgetAnswer:
        """Withdraw the facts that are named by their ids; without any, those among the current ones
        that a text asks for which a model says are meant beyond doubt, and else return what it may
        mean.

        Raises InvalidRequest where neither is given, CredentialShaped for a text that looks like a
        secret.
        """
        request = typed(request, ForgetText)
        for fact in request.facts:
            require_identifier("the id of a fact", fact)
        if request.facts:
            return self._withdrawn(request)
        if request.text is None:
            raise InvalidRequest(
                "nothing to forget is named", hint="say what it is about, or name facts by id"
            )
        text = admitted_text(request.text, "the text", QUESTION_CODE_POINTS_MAX)
        _require_limit(request.limit)
        offers = self.found(text, request.limit)
        choice = self._meant(text, [each for each in offers if not is_episode_id(each.fact)])
        if choice.facts:
            return self._withdrawn(replace(request, facts=choice.facts))
        return ForgetAnswer(offers=offers, undecided=choice.reason)

    def history(self, request: HistoryRequest) -> TextHistory:
        """Return how what a question is about came to be as it is, thread by thread.

        Raises InvalidRequest, and CredentialShaped.
        """
        request = typed(request, HistoryRequest)
        question = admitted_text(request.question, "the question", QUESTION_CODE_POINTS_MAX)
        _require_limit(request.limit)
        with self._store.snapshot() as reader:
            moment = open_moment(reader, self._registries, self._clock.now())
            scores = relevant(unit_scores(moment, question, request.limit))
            units = sorted(scores, key=lambda unit: (-scores[unit], unit.subject, unit.predicate))
            threads = [thread_of(moment, unit) for unit in units[: request.limit]]
        return TextHistory(threads=tuple(each for each in threads if each.steps))

    def found(self, text: str, limit: int) -> tuple[TextFact, ...]:
        """Return the current facts that a text asks for, then the texts that were kept, the best of
        each first, at most ``limit`` in all.
        """
        with self._store.snapshot() as reader:
            moment = open_moment(reader, self._registries, self._clock.now())
            periods = asked_periods(text, moment.now)
            beliefs = [each.belief for each in found_beliefs(moment, text, limit, periods=periods)]
            facts = text_facts(moment, beliefs)
            episodes = found_episodes(reader, text, limit)
            kept = tuple(_episode_fact(moment, each) for each in episodes)
        return (*facts, *kept)[:limit]

    def recalled(self, text: str | None) -> tuple[TextFact, ...]:
        """Return the facts for an answer of recall: those that a text asks for, or without one the
        current ones, most recently stated first.
        """
        if text is not None:
            return self.found(text, RECALLED_FACTS_MAX)
        with self._store.snapshot() as reader:
            moment = open_moment(reader, self._registries, self._clock.now())
            return text_facts(moment, _profile(moment))

    def _filed(
        self, statement: Statement, text: str, observed_at: str | None, writer: str
    ) -> RememberedFact:
        """File one proposal. Raises InvalidRequest where its words do not stand in the text."""
        proposal = Proposal(
            subject=statement.subject,
            predicate=statement.predicate,
            value=statement.value,
            evidence=self._admission.text(statement.evidence),
            kind=statement.kind,
            replaces=statement.replaces,
        )
        excerpt = span_of(text, proposal.evidence)
        if excerpt is None:
            raise InvalidRequest("its evidence does not stand in the text")
        return self._filing.file(
            proposal,
            EvidenceRequest(excerpt=excerpt, episode=episode_id(text)),
            source="agent_inferred" if writer else "user_stated",
            writer=writer,
            observed_at=observed_at,
        )

    def _read(
        self, episode: Episode, text_models: Callable[[], TextModels], *, is_new: bool
    ) -> RememberedText:
        """Return what a model makes of a text that is kept."""
        key = episode_id(episode.text)
        try:
            read = text_models().reading.read(key)
        except (SettingsInvalid, MissingExtra, Incognito) as error:
            return RememberedText(episode=key, is_new=is_new, unread=error.message)
        new = [each.event_id for each in read.now if each.outcome == "filed"]
        proposals = (*read.before, *read.now)
        known = [each.event_id for each in proposals if each.event_id not in new]
        not_filed = [_not_filed(each) for each in proposals if each.reason]
        not_filed += [NotFiled(evidence="", reason=_NO_STATEMENT)] * read.dropped
        with self._store.snapshot() as reader:
            moment = open_moment(reader, self._registries, self._clock.now())
            return RememberedText(
                episode=key,
                is_new=is_new,
                filed=current_facts(moment, new),
                known=current_facts(moment, known),
                ended=tuple(text for each in read.now for text in each.ended),
                not_filed=tuple(not_filed),
                unread=read.unread,
            )

    def _meant(self, text: str, offers: Sequence[TextFact]) -> Choice:
        """Return which facts a text asks to forget, by a model; none where none is asked."""
        if self._text_models is None or not offers:
            return Choice()
        try:
            return self._text_models().selecting.meant(text, offers)
        except (SettingsInvalid, MissingExtra) as error:
            return Choice(reason=error.message)

    def _remembered(
        self,
        episode: Episode,
        *,
        is_new: bool,
        filed: Sequence[RememberedFact],
        refused: Sequence[StatementRefused],
    ) -> RememberedText:
        with self._store.snapshot() as reader:
            moment = open_moment(reader, self._registries, self._clock.now())
            stored = current_facts(moment, [_held(each) for each in filed if each.stored])
            known = current_facts(moment, [_held(each) for each in filed if not each.stored])
            return RememberedText(
                episode=episode_id(episode.text),
                is_new=is_new,
                filed=stored,
                known=known,
                ended=tuple(view.sentence for each in filed for view in each.superseded),
                refused=tuple(refused),
            )

    def _withdrawn(self, request: ForgetText) -> ForgetAnswer:
        withdrawn: list[str] = []
        not_held: list[str] = []
        for fact in request.facts:
            ended = self._end(fact, self._admission.writer(request.writer))
            withdrawn += ended
            if not ended:
                not_held.append(fact)
        return ForgetAnswer(withdrawn=tuple(withdrawn), not_held=tuple(not_held))

    def _end(self, fact: str, writer: str) -> list[str]:
        """Withdraw one fact or text by its id; return what was withdrawn, in words."""
        with self._store.snapshot() as reader:
            if is_episode_id(fact):
                episode = withdraw_episode(self._store, reader, fact)
                return [] if episode is None else [shown_text(episode)]
            stated = _statement(reader, fact)
        if stated is None:
            return []
        forgotten = self._writing.forget_fact(
            ForgetFact(
                subject=stated.subject,
                predicate=stated.predicate,
                value=stated.value,
                writer=writer,
            )
        )
        return [view.sentence for view in forgotten.withdrawn]


def _statement(reader: RecordReader, fact: str) -> FactEvent | None:
    """Return the event of this id that states a fact; None where there is no such event."""
    record = reader.get(MEMORY, [fact]).get(fact)
    event = None if record is None else event_of(record)
    if event is None or event.retraction or is_reserved(event.subject):
        return None
    return event


def _profile(moment: FactMoment) -> list[Belief]:
    """Return the current beliefs of a profile, page after page until there are enough."""
    beliefs: list[Belief] = []
    after: str | None = None
    while True:
        request = GetFacts(limit=PROFILE_FACTS_MAX - len(beliefs), after=after)
        page = listed_page(moment, request)
        beliefs += page.beliefs
        after = page.next_after
        if after is None or len(beliefs) == PROFILE_FACTS_MAX:
            return beliefs


def _episode_fact(moment: FactMoment, episode: Episode) -> TextFact:
    return TextFact(
        fact=episode_id(episode.text),
        text=shown_text(episode),
        since=text_from_instant(episode.observed_at),
        days_ago=max(0, (moment.now - episode.observed_at) // DAY),
    )


def _held(filed: RememberedFact) -> str | None:
    return None if filed.belief is None else filed.belief.event_id


def _not_filed(each: FiledProposal) -> NotFiled:
    return NotFiled(
        evidence=presentable(each.proposal).evidence,
        reason=each.reason,
        to_confirm=each.outcome == "needs_confirmation",
    )


def _require_limit(limit: int) -> None:
    if not 1 <= limit <= FACTS_FOUND_MAX:
        raise InvalidRequest(f"limit is {limit}; expected 1 to {FACTS_FOUND_MAX}")
