import json
from collections.abc import Generator
from pathlib import Path

import pytest
from msgspec.structs import replace

from recense.errors import Cancelled, IdentityMismatch, InvalidRequest, NotFound, ScopeMissing
from recense.operations.admin import NothingAsked, Progress, SessionList
from recense.operations.catalogue import OPERATIONS
from recense.operations.fact_requests import RememberedFacts, RememberFacts
from recense.operations.facts import RememberedFact, RememberFact
from recense.operations.keys import LOCAL, Credential
from recense.operations.privacy import HideSession
from recense.operations.recall import RecallAnswer, RecallRequest
from recense.operations.sessions import (
    AppendReport,
    AppendSession,
    ListSessions,
    OpenSession,
    ShowSession,
)
from recense.operations.wire import read_wire
from recense.servers.catalogue import HANDLED, OperationCall, answer
from recense.services.memory import Memory
from tests.servers.mcp.serving import memory_in

READER = Credential(namespace="default", scopes=frozenset({"recall"}), key_id="k")
AGENT = Credential(
    namespace="default", agent="ada", scopes=frozenset({"recall", "remember"}), key_id="k"
)
OSLO = RememberFact(subject="mira", predicate="lives_in", value="Oslo")


@pytest.fixture
def memory(tmp_path: Path) -> Generator[Memory]:
    with memory_in(tmp_path) as memory:
        yield memory


def by(memory: Memory, credential: Credential = LOCAL) -> OperationCall:
    return OperationCall(memory=memory, credential=credential)


def test_every_operation_is_answered_by_one_handler_in_the_order_of_the_catalogue() -> None:
    assert [each.operation for each in HANDLED.values()] == [*OPERATIONS]


def test_an_operation_that_there_is_not_is_not_found(memory: Memory) -> None:
    with pytest.raises(NotFound):
        answer("forget_everything", by(memory), NothingAsked())


def test_a_request_of_another_operation_is_a_bug(memory: Memory) -> None:
    with pytest.raises(TypeError, match="RecallRequest"):
        answer("recall", by(memory), NothingAsked())


@pytest.mark.parametrize("name", [each.name for each in OPERATIONS if each.scope != "recall"])
def test_a_key_without_the_scope_is_refused_before_anything_is_done(
    memory: Memory, name: str
) -> None:
    with pytest.raises(ScopeMissing):
        answer(name, by(memory, READER), NothingAsked())


@pytest.mark.parametrize("name", [each.name for each in OPERATIONS if each.changes])
def test_a_read_only_key_changes_nothing(memory: Memory, name: str) -> None:
    reader = replace(LOCAL, scopes=LOCAL.scopes | {"read-only"})
    with pytest.raises(ScopeMissing):
        answer(name, by(memory, reader), NothingAsked())


def test_who_keeps_the_store_alone_sees_what_is_hidden(memory: Memory) -> None:
    answer("open_session", by(memory), OpenSession(session="a"))
    answer("hide_session", by(memory), HideSession(session="a"))
    kept = answer("list_sessions", by(memory), ListSessions())
    seen = answer("list_sessions", by(memory, READER), ListSessions())
    assert isinstance(kept, SessionList)
    assert isinstance(seen, SessionList)
    assert (kept.total, seen.total) == (1, 0)
    answer("show_session", by(memory), ShowSession(session="a"))
    with pytest.raises(NotFound):
        answer("show_session", by(memory, READER), ShowSession(session="a"))


def test_the_key_of_an_agent_writes_in_its_name(memory: Memory) -> None:
    one = answer("remember_fact", by(memory, AGENT), OSLO)
    assert isinstance(one, RememberedFact)
    assert one.belief is not None
    assert one.belief.writer == "ada"
    many = answer("remember_facts", by(memory, AGENT), RememberFacts(facts=(OSLO,)))
    assert isinstance(many, RememberedFacts)
    with pytest.raises(IdentityMismatch):
        answer("remember_fact", by(memory, AGENT), replace(OSLO, writer="bea"))
    with pytest.raises(IdentityMismatch):
        answer(
            "remember_facts",
            by(memory, AGENT),
            RememberFacts(facts=(OSLO, replace(OSLO, writer="bea"))),
        )


def test_the_payload_of_an_event_is_kept_as_it_was_sent(memory: Memory) -> None:
    answer("open_session", by(memory), OpenSession(session="a"))
    asked = {
        "session": "api:a",
        "events": [
            {
                "event_id": "e",
                "payload": {"kind": "text", "role": "user", "text": "a tern", "other": [1.50]},
            }
        ],
    }
    request = read_wire(AppendSession, json.dumps(asked).encode())
    report = answer("append_session", by(memory), request)
    assert isinstance(report, AppendReport)
    assert report.appended == 1
    found = answer("recall", by(memory), RecallRequest(terms=("tern",)))
    assert isinstance(found, RecallAnswer)
    assert len(found.passages) == 1


@pytest.mark.parametrize("name", ["recall", "grep"])
def test_a_search_that_is_cancelled_ends_before_it_has_read_the_next_session(
    memory: Memory, name: str
) -> None:
    for number in range(3):
        answer("open_session", by(memory), OpenSession(session=f"s{number}"))
        request = {
            "session": f"api:s{number}",
            "events": [
                {"event_id": "e", "payload": {"kind": "text", "role": "user", "text": "a tern"}}
            ],
        }
        answer("append_session", by(memory), read_wire(AppendSession, json.dumps(request).encode()))
    looks: list[int] = []

    def is_cancelled() -> bool:
        looks.append(len(looks))
        return len(looks) > 2

    call = replace(by(memory), is_cancelled=is_cancelled)
    asked = {"recall": b'{"terms":["tern"]}', "grep": b'{"pattern":"tern"}'}[name]
    with pytest.raises(Cancelled):
        answer(name, call, read_wire(HANDLED[name].operation.request, asked))
    assert len(looks) == 3


def test_long_work_ends_at_its_next_word_when_nobody_waits(memory: Memory) -> None:
    told: list[Progress] = []
    call = replace(by(memory), tell=told.append, is_cancelled=lambda: len(told) > 0)
    progress = Progress(phase="indexing", done=1, total=2, unit="sessions", label="")
    call.told(progress)
    with pytest.raises(Cancelled):
        call.told(progress)
    assert told == [progress]


def test_a_request_that_is_not_read_says_what_it_may_have() -> None:
    with pytest.raises(InvalidRequest, match="the nearest is 'terms'"):
        read_wire(RecallRequest, b'{"term":[]}')
    with pytest.raises(InvalidRequest, match="no field") as inside:
        read_wire(RecallRequest, b'{"exclude":{"session":"a","turn":"b","c":1}}')
    assert inside.value.hint.endswith(", exclude, turn, explain")
    for outermost in (b'{"trun":"b"}', b'{"limit":"b"}'):  # a turn is none of a recall's own
        with pytest.raises(InvalidRequest) as outside:
            read_wire(RecallRequest, outermost)
        assert outside.value.hint.endswith(", exclude, explain")
