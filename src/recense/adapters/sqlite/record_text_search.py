"""Searching the texts of records: the best candidates, without a look at all that a common word
finds.

Laws: a word counts by how rare it is (the logarithm of records by found ones, as in BM25 of
Robertson and Zaragoza 2009, without the length of the text). Of each word the newest _CANDIDATES
are found, and of a common one besides those that also have a rare one, or all the common ones. So
each record that has a word is found unless more than that have it, and no word costs more than
that.
"""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import islice
from math import log
from typing import Any, Final

import msgspec

from recense.adapters.sqlite.driver import Connection, Row
from recense.adapters.sqlite.record_listing import (
    TEXT,
    WHOLE,
    Collection,
    matching_count_up_to,
    matching_rows,
    waiting_rows,
    whole_rows,
)
from recense.adapters.sqlite.record_plans import Clause, has_term, joined, plan_of
from recense.adapters.sqlite.record_terms import decode_fields
from recense.adapters.sqlite.record_words import all_of, any_of, asked_words, token
from recense.core.recall.index_words import index_words
from recense.limits import RECORD_TERMS_COMPARED_MAX
from recense.ports.record_rules import is_met
from recense.ports.records import Where

_CANDIDATES: Final = 256
"""Records that one word finds; more when more are asked for."""

_LOOKED_AT_MAX: Final = 256
"""Records that match whose texts are looked at one by one."""

_FIND: Final = (
    "SELECT json_group_array(rowid) FROM (SELECT rowid FROM record_words"
    " WHERE record_words MATCH ? ORDER BY rowid DESC LIMIT ?)"
)
"""Keys come in one row: the driver lets go of Python's lock for every row, and in a process that
answers many callers it waits for it as often."""

_DECODE_KEYS: Final = msgspec.json.Decoder(list[int])
_FIND_WITH_FIELDS: Final = (
    "SELECT r.record_key, r.recorded_at, r.fields FROM record_words w"
    " CROSS JOIN records r ON r.record_key = w.rowid"
    " WHERE record_words MATCH ?"
)


def best_rows(
    connection: Connection, collection: Collection, words: Sequence[str], limit: int, where: Where
) -> list[Row]:
    """Return at most ``limit`` records that have one of the words, WHOLE, the best first."""
    asked = asked_words(words)
    if not asked or limit == 0:
        return []
    most = max(_CANDIDATES, limit)
    plan = plan_of(where)
    if where and matching_count_up_to(connection, collection, plan, _LOOKED_AT_MAX) is not None:
        rows = list(matching_rows(connection, collection, where, WHOLE, plan))
        found = _looked_at(rows, asked)
    else:
        rows = waiting_rows(connection, collection, where, WHOLE)
        found = _looked_at(rows, asked)
        for word, by_index in _indexed(connection, collection, asked, most, where).items():
            found[word] = [*found.get(word, ()), *by_index]
    best = _ranked(found, collection.records, limit)
    read = {row[0]: row for row in rows}
    unread = [key for key in best if key not in read]
    read.update((row[0], row) for row in whole_rows(connection, unread))
    return [read[key] for key in best]


def _looked_at(rows: Iterable[Row], asked: Sequence[str]) -> dict[str, list[int]]:
    """Return the keys of the records that have each word, by looking at their texts."""
    wanted = set(asked)
    found: dict[str, list[int]] = {}
    for row in rows:
        text = row[TEXT]
        if text is not None:
            for word in wanted.intersection(index_words(text)):
                found.setdefault(word, []).append(row[0])
    return found


def _indexed(
    connection: Connection, collection: Collection, asked: Sequence[str], most: int, where: Where
) -> dict[str, list[int]]:
    """Return the keys of indexed records that have each word, the newest ``most`` of it."""
    found: dict[str, list[int]] = {}
    common: list[str] = []
    tokens = {word: token(collection.key, word) for word in asked}
    for word in asked:
        keys = _keys(connection, collection, any_of([tokens[word]]), most, where)
        if keys:
            found[word] = keys
        if len(keys) == most:
            common.append(word)
    rare = [word for word in found if word not in common]
    for word in common if rare else ():
        question = f"({any_of([tokens[each] for each in rare])}) AND {any_of([tokens[word]])}"
        both = _keys(connection, collection, question, most, where)
        found[word] = list(dict.fromkeys((*found[word], *both)))
    if len(common) > 1:
        together = all_of([tokens[word] for word in common])
        keys = _keys(connection, collection, together, most, where)
        for word in common:
            found[word] = list(dict.fromkeys((*found[word], *keys)))
    return found


def _keys(
    connection: Connection, collection: Collection, question: str, most: int, where: Where
) -> list[int]:
    """Return the keys of the newest ``most`` records that a question to the index finds and that
    match.
    """
    if not where:
        ((keys,),) = connection.execute(_FIND, (question, most))
        return _DECODE_KEYS.decode(keys)
    plan = plan_of(where, RECORD_TERMS_COMPARED_MAX)
    conditions = joined(
        [Clause("1"), *(has_term(collection.key, term, "w.rowid") for term in plan.terms)]
    )
    rest = (*plan.bounds, *plan.rest)
    rows = connection.execute(
        f"{_FIND_WITH_FIELDS} AND {conditions.text} ORDER BY w.rowid DESC",
        (question, *conditions.bindings),
    )
    met = (
        key
        for key, recorded_at, kept in rows
        if not rest or _all_met(decode_fields.decode(kept), recorded_at, rest)
    )
    return list(islice(met, most))


def _all_met(fields: Mapping[str, Any], recorded_at: int, conditions: Where) -> bool:
    return all(is_met(fields, recorded_at, condition) for condition in conditions)


def _ranked(found: dict[str, list[int]], records: int, limit: int) -> list[int]:
    """Return the keys of the best, at most ``limit``, the best first; of equals the newest."""
    scores: dict[int, float] = {}
    for keys in found.values():
        weight = log(1 + records / len(keys)) if keys else 0.0
        for key in keys:
            scores[key] = scores.get(key, 0.0) + weight
    least = min(nlargest(limit, scores.values()), default=0.0)
    best = [(score, key) for key, score in scores.items() if score >= least]
    best.sort(reverse=True)
    return [key for _, key in best[:limit]]
