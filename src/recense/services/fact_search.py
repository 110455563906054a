"""Finding facts by words, with no model.

Law: the store names candidates, we rank them; what is shown holds now, and was meant. A text that
once said something and no longer holds says only which pair is meant. Nothing unrelated fills a
page: what shares none but the commonest words with a question is not shown.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from recense.core.facts.belief import Belief, value_words
from recense.core.facts.changes import NOTE
from recense.core.facts.order import known
from recense.core.recall.bm25 import K1, B
from recense.core.recall.index_words import index_words
from recense.core.recall.stems import word_form
from recense.core.recall.stopwords import CHINESE_PARTICLES, ENGLISH
from recense.core.recall.when import AskedPeriod
from recense.core.values import Value
from recense.limits import FACT_CANDIDATES_MIN
from recense.ports.records import RECORDED_AT, Between, Condition, ContainsAny, OneOf, Record
from recense.services.fact_collections import MEMORY
from recense.services.fact_reading import FactMoment, Unit
from recense.services.fact_records import event_of, subject_key

CANDIDATES_EACH: Final = 4
"""Candidates that are read for each belief that is asked for."""

RELEVANCE_FLOOR: Final = 0.35
"""What is worth less than this part of the best is not shown."""

NOTE_WEIGHT: Final = 0.9
"""A note comes after what a predicate says as well."""

_COMMON: Final = frozenset({*map(word_form, ENGLISH), *ENGLISH, *CHINESE_PARTICLES})


class FoundBelief(Value, kw_only=True):
    """A current belief and what it is worth for what was asked."""

    belief: Belief
    score: float


def found_beliefs(
    moment: FactMoment,
    text: str,
    limit: int,
    *,
    subject: str | None = None,
    periods: Sequence[AskedPeriod] = (),
) -> list[FoundBelief]:
    """Return the current beliefs that a text asks for, the best first, at most ``limit``.

    Beliefs that were stated in a period that the text names come before all others; none is left
    out for that.
    """
    where = () if subject is None else (_of_subject(moment, subject),)
    scores = unit_scores(moment, text, limit, where)
    best = max(scores.values(), default=0.0)
    found = _held(moment, {unit: worth for unit, worth in scores.items() if worth == best})
    # Where the best is held, what is worth less than its floor cannot be shown, and is not read.
    floor = _floor(found)
    found += _held(moment, {unit: worth for unit, worth in scores.items() if floor <= worth < best})
    floor = _floor(found)
    shown = [each for each in found if each.score >= floor]
    return sorted(shown, key=lambda each: _rank(each, periods))[:limit]


def related_beliefs(
    moment: FactMoment, belief: Belief, limit: int, ended: Collection[str]
) -> list[Belief]:
    """Return current beliefs about the subject of one, under other predicates, that speak of what
    it speaks of; the best first. ``ended`` are the ids of those that it has ended.

    Of a subject there may be any number of notes: a note is not compared with the others.
    """
    if not isinstance(belief.value, str):
        return []
    about = _of_subject(moment, belief.subject)
    if belief.predicate == NOTE.predicate:
        keys = map(subject_key, sorted(moment.registry.subject_names(belief.subject)))
        about = ContainsAny(field="pairs", values=tuple(keys))
    said, candidates = value_words(belief.value), limit + 1 + len(ended)
    scores = relevant(unit_scores(moment, said, candidates, (about,)))
    others = {unit: worth for unit, worth in scores.items() if unit.predicate != belief.predicate}
    found = sorted(_held(moment, others), key=lambda each: _rank(each, ()))
    beliefs = [each.belief for each in found]
    return [each for each in beliefs if each.event_id not in ended][:limit]


def _held(moment: FactMoment, scores: Mapping[Unit, float]) -> list[FoundBelief]:
    """Return the beliefs that hold of units, each with what its unit is worth."""
    if not scores:
        return []
    events = moment.history(scores)
    folded = moment.folded(scores, events, moment.instant(events))
    return [
        FoundBelief(belief=belief, score=scores[unit] * _weight(belief))
        for unit, each in folded.items()
        for belief in each.beliefs
    ]


def _floor(found: Iterable[FoundBelief]) -> float:
    """Return the least score that is shown beside these; 0 where there are none."""
    return max((each.score for each in found), default=0.0) * RELEVANCE_FLOOR


def _of_subject(moment: FactMoment, subject: str) -> Condition:
    names = moment.registry.subject_names(subject)
    return OneOf(field="subject", values=tuple(sorted(names)))


def relevant(scores: Mapping[Unit, float]) -> dict[Unit, float]:
    """Return the units that are worth enough beside the best to be shown."""
    floor = max(scores.values(), default=0.0) * RELEVANCE_FLOOR
    return {unit: score for unit, score in scores.items() if score >= floor}


def telling_words(text: str) -> list[str]:
    """Return the words of a text that can tell one belief from another; all where none can."""
    words = index_words(text)
    return [word for word in words if word not in _COMMON] or list(words)


def unit_scores(
    moment: FactMoment, text: str, limit: int, where: Sequence[Condition] = ()
) -> dict[Unit, float]:
    """Return the units of which an event that meets conditions speaks of what a text asks for, and
    what each is worth by the best of its events.
    """
    words = telling_words(text)
    if not words:
        return {}
    candidates = max(CANDIDATES_EACH * limit, FACT_CANDIDATES_MIN)
    conditions = (*where, *_as_at(moment))
    records = moment.reader.search_text(MEMORY, words, candidates, conditions)
    worth = text_scores(records, words)
    scores: dict[Unit, float] = {}
    for event in known(map(event_of, records), moment.known_by):
        unit = moment.unit(event)
        scores[unit] = max(worth[event.event_id], scores.get(unit, 0.0))
    return scores


def _as_at(moment: FactMoment) -> Iterator[Condition]:
    if moment.as_of is not None:
        yield Between(field="observed_at", at_most=moment.as_of)
    if moment.known_by is not None:
        yield Between(field=RECORDED_AT, at_most=moment.known_by)


def text_scores(records: Sequence[Record], words: Sequence[str]) -> dict[str, float]:
    """Return what the text of each record is worth for words, by BM25 among these records, by id;
    each word of a text counts once.
    """
    asked = frozenset(words)
    said = [index_words(record.text or "") for record in records]
    held = [asked.intersection(each) for each in said]
    frequency = Counter(chain.from_iterable(held))
    count = len(records)
    mean = sum(map(len, said)) / count if count else 1.0
    rarity = {word: math.log(1 + (count - df + 0.5) / (df + 0.5)) for word, df in frequency.items()}
    return {
        record.record_id: (K1 + 1)
        * math.fsum(rarity[word] for word in some)
        / (1 + K1 * (1 - B + B * len(each) / mean))
        for record, each, some in zip(records, said, held, strict=True)
    }


def _weight(belief: Belief) -> float:
    return NOTE_WEIGHT if belief.predicate == NOTE.predicate else 1.0


def _rank(found: FoundBelief, periods: Sequence[AskedPeriod]) -> tuple[bool, float, int, str]:
    belief = found.belief
    is_then = any(
        period.holds(at) for period in periods for at in (belief.since, belief.last_stated)
    )
    return not is_then, -found.score, -belief.last_stated, belief.event_id
