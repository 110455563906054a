"""Many statements in one commit are what they are one after the other."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.instants import text_from_instant
from recense.errors import InvalidRequest, StoreConflict
from recense.limits import STATEMENTS_AT_ONCE_MAX
from recense.operations.facts import (
    EvidenceRequest,
    GetFacts,
    RememberedFact,
    RememberFact,
    ReplaceRequest,
)
from recense.ports.records import Append, Appended, Record
from recense.services import fact_writing
from recense.services.fact_collections import CONTROL, MEMORY
from recense.services.fact_requests import RequestOutcome
from tests.services.watched_facts import BEGIN, FactWorld


def one_by_one(world: FactWorld, requests: list[RememberFact]) -> list[RememberedFact]:
    """Remember statements until one is refused, and return the answers as bulk gives them."""
    answers: list[RememberedFact] = []
    for request in requests:
        try:
            answers.append(as_decided(world.writing.remember_fact(request)))
        except InvalidRequest:
            break
    return answers


def as_decided(answer: RememberedFact) -> RememberedFact:
    """Return an answer without what only the commit gives: related facts, and when the event that
    took the value away was received, which in one commit is not known before it.
    """
    ended_by = answer.ended_by and replace(answer.ended_by, recorded_at=None)
    return replace(answer, related=(), ended_by=ended_by)


def without_related(world: FactWorld) -> dict[tuple[str, str], Record]:
    """Return what a world keeps, answers to requests with a key without what is for people."""
    kept = world.kept()
    for (collection, key), record in world.kept().items():
        if collection == CONTROL:
            outcome = msgspec.json.decode(record.body, type=RequestOutcome)
            answer = as_decided(msgspec.json.decode(outcome.answer, type=RememberedFact))
            told = replace(outcome, answer=msgspec.Raw(msgspec.json.encode(answer)))
            kept[collection, key] = replace(record, body=msgspec.json.encode(told))
    return kept


def is_refused(world: FactWorld, requests: list[RememberFact]) -> bool:
    try:
        world.writing.remember_facts(requests)
    except InvalidRequest:
        return True
    return False


_SUBJECTS = st.sampled_from(("Mira", "mira", "Tove"))
_STATEMENTS = st.builds(
    RememberFact,
    subject=_SUBJECTS,
    predicate=st.sampled_from(("lives_in", "likes", "dislikes", "note", "spouse", "hums", "hum")),
    value=st.sampled_from(("Oslo", "oslo", "coffee", "Tove", " tove ", 3, "sk-" + "9f" * 24)),
    source=st.sampled_from(("user_stated", "imported")),
    observed_at=st.sampled_from(
        (None, None, text_from_instant(BEGIN - 5), text_from_instant(BEGIN + 30_000_000))
    ),
    evidence=st.sampled_from(((), (EvidenceRequest(excerpt="so she said"),))),
    replaces=st.sampled_from(
        ((), (ReplaceRequest(value="coffee"), ReplaceRequest(predicate="likes", value="Oslo")))
    ),
    idempotency_key=st.sampled_from((None, None, None, "first", "second")),
)


@given(st.lists(_STATEMENTS, max_size=6), st.integers(1, 5), st.integers(1, 5))
def test_many_statements_at_once_give_the_answers_and_the_store_of_one_after_the_other(
    requests: list[RememberFact], at_once: int, ahead: int
) -> None:
    single, accepted, bulk = FactWorld(), FactWorld(), FactWorld()
    expected = one_by_one(single, requests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fact_writing, "STATEMENTS_AT_ONCE_MAX", at_once)
        patch.setattr(fact_writing, "STATEMENTS_READ_AHEAD_MAX", ahead)
        answers = accepted.writing.remember_facts(requests[: len(expected)])
        assert [*map(as_decided, answers)] == expected
        assert is_refused(bulk, requests) == (len(expected) < len(requests))
    assert without_related(bulk) == without_related(accepted) == without_related(single)


def people(count: int) -> list[RememberFact]:
    return [
        RememberFact(subject=f"person {number}", predicate="lives_in", value="Oslo")
        for number in range(count)
    ]


def test_what_comes_before_a_refused_statement_is_kept_and_nothing_after_it() -> None:
    world = FactWorld()
    wrong = RememberFact(subject="mira", predicate="lives_in", value=3)
    later = RememberFact(subject="tove", predicate="lives_in", value="Lund")
    with pytest.raises(InvalidRequest):
        world.writing.remember_facts([*people(2), wrong, later])
    held = [
        world.facts.get(GetFacts(subject=name, predicate="lives_in")).total
        for name in ("person 0", "person 1", "mira", "tove")
    ]
    assert held == [1, 1, 0, 0]


class Rival:
    """Writes about the same pair before the first append of another, once."""

    def __init__(self, world: FactWorld) -> None:
        self._world = world
        self._append = world.store.append
        self.appends = 0

    def append(self, append: Append, *, now: int) -> Appended:
        self.appends += 1
        if self.appends == 1:
            self._world.store.append = self._append
            self._world.writing.remember_fact(
                RememberFact(subject="person 1", predicate="lives_in", value="Lund")
            )
            self._world.store.append = self.append
        return self._append(append, now=now)


def test_statements_are_decided_anew_where_another_write_came_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = FactWorld()
    world.writing.remember_fact(RememberFact(subject="x", predicate="lives_in", value="y"))
    rival = Rival(world)
    monkeypatch.setattr(world.store, "append", rival.append)
    answers = world.writing.remember_facts(people(3))
    assert rival.appends == 3  # refused, then half of them, then the rest
    assert [view.value for view in answers[1].superseded] == ["Lund"]


def test_who_writes_about_one_of_many_statements_again_and_again_does_not_keep_them_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = FactWorld()
    append, tried = world.store.append, list[int]()

    def faster(given: Append, *, now: int) -> Appended:
        about = [record for record in given.records if record.collection == MEMORY]
        tried.append(len(about))
        if len(about) > 3:
            raise StoreConflict(f"something changed at {now}")
        return append(given, now=now)

    world.writing.remember_fact(RememberFact(subject="x", predicate="lives_in", value="y"))
    monkeypatch.setattr(world.store, "append", faster)
    answers = world.writing.remember_facts(people(13))
    assert [answer.stored for answer in answers] == [True] * 13
    assert tried[:5] == [13, 6, 3, 6, 3]
    assert sum(count for count in tried if count <= 3) == 13
    assert sum(tried) < 4 * 13


def test_many_statements_take_few_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    world = FactWorld()
    append, commits = world.store.append, list[int]()

    def counted(given: Append, *, now: int) -> Appended:
        commits.append(len(given.records))
        return append(given, now=now)

    monkeypatch.setattr(world.store, "append", counted)
    world.writing.remember_facts(people(STATEMENTS_AT_ONCE_MAX + 2))
    assert len(commits) == 3  # the first begins the registry
    assert len(world.kept()) >= STATEMENTS_AT_ONCE_MAX + 2


def test_a_store_that_always_changes_is_said_to_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    world = FactWorld()

    def refuse(_: Append, *, now: int) -> Appended:
        raise StoreConflict(f"something changed at {now}")

    monkeypatch.setattr(world.store, "append", refuse)
    with pytest.raises(StoreConflict):
        world.writing.remember_facts(people(2))
