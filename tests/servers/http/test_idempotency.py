"""A write with an idempotency key is done once, however often it comes."""

import threading
from collections.abc import Mapping

import httpx2
import pytest

from recense.servers.http import calling
from tests.servers.http.serving_world import SECONDS_MAX, RunningServer, problem

HOME = {"subject": "mira", "predicate": "lives_in", "value": "Oslo"}
SESSION = {"session": "notes", "title": "Notes"}


def posted(
    client: httpx2.Client, operation: str, key: str, asked: Mapping[str, object]
) -> httpx2.Response:
    return client.post(f"/v1/{operation}", json=asked, headers={"idempotency-key": key})


def test_a_fact_that_comes_again_is_answered_the_same_whatever_came_between(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        first = posted(client, "remember_fact", "k1", HOME)
        client.post("/v1/remember_fact", json={**HOME, "value": "Bergen"})
        again = posted(client, "remember_fact", "k1", HOME)
        assert again.content == first.content
        (belief,) = client.post("/v1/recall_facts", json={"subject": "mira"}).json()["beliefs"]
        assert belief["value"] == "Bergen"


@pytest.mark.parametrize(
    ("operation", "asked", "other"),
    [
        ("remember_fact", HOME, {**HOME, "value": "Lund"}),
        ("remember_facts", {"facts": [HOME]}, {"facts": [HOME, {**HOME, "value": "Lund"}]}),
        ("open_session", SESSION, {**SESSION, "title": "Others"}),
        ("remember", {"text": "tea at four"}, {"text": "tea at five"}),
    ],
)
def test_a_key_is_for_one_request(
    server: RunningServer,
    namespace: str,
    operation: str,
    asked: dict[str, object],
    other: dict[str, object],
) -> None:
    with server.client(server.key(namespace)) as client:
        first = posted(client, operation, "k1", asked)
        assert first.status_code == 200
        assert posted(client, operation, "k1", asked).content == first.content
        refused = problem(posted(client, operation, "k1", other))
        assert (refused.status, refused.code) == (422, "idempotency_mismatch")
        assert refused.detail == "the idempotency key was used for another request"
        assert "use a new one" in refused.hint
        assert posted(client, operation, "k2", other).status_code == 200


def test_the_keys_of_two_callers_are_two(server: RunningServer, namespace: str) -> None:
    for value in ("Oslo", "Lund"):
        with server.client(server.key(namespace)) as client:
            kept = posted(client, "remember_fact", "k1", {**HOME, "value": value})
            assert kept.status_code == 200


def test_a_request_that_was_refused_leaves_its_key_free(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        refused = posted(client, "hide_session", "k1", {"session": "api:notes"})
        assert problem(refused).code == "not_found"
        client.post("/v1/open_session", json=SESSION)
        assert posted(client, "hide_session", "k1", {"session": "api:notes"}).status_code == 200


def test_a_key_that_is_issued_twice_under_one_idempotency_key_is_issued_once(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        first = posted(client, "issue_key", "k1", {})
        again = problem(posted(client, "issue_key", "k1", {}))
        assert again.code == "outcome_unknown"
        assert first.json()["key"].encode() not in server.log.getvalue()
        assert client.post("/v1/list_keys", json={}).json()["total"] == 2


def test_a_read_takes_no_note_of_a_key(server: RunningServer, namespace: str) -> None:
    with server.client(server.key(namespace)) as client:
        for subject in ("mira", "ola"):
            answer = posted(client, "recall_facts", "k1", {"subject": subject})
            assert answer.status_code == 200


@pytest.mark.parametrize("key", ["", "k" * 256, "a b"])
def test_a_key_that_is_none_is_refused(server: RunningServer, namespace: str, key: str) -> None:
    with server.client(server.key(namespace)) as client:
        assert problem(posted(client, "remember_fact", key, HOME)).code == "invalid_request"


def test_a_fact_with_a_key_of_its_own_takes_no_second(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        refused = posted(client, "remember_fact", "k1", {**HOME, "idempotency_key": "mine"})
        assert problem(refused).code == "invalid_request"


def test_the_same_key_at_once_does_it_once(
    server: RunningServer, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_begun, may_go_on = threading.Event(), threading.Event()
    real = calling.answer
    calls: list[str] = []

    def held(name: str, call: calling.OperationCall, request: calling.Value) -> calling.Value:
        calls.append(name)
        is_begun.set()
        assert may_go_on.wait(SECONDS_MAX)
        return real(name, call, request)

    answers: list[httpx2.Response] = []

    def ask() -> None:
        with server.client(key) as client:
            answers.append(posted(client, "open_session", "k1", SESSION))

    key = server.key(namespace)
    monkeypatch.setattr(calling, "answer", held)
    first = threading.Thread(target=ask)
    first.start()
    try:
        assert is_begun.wait(SECONDS_MAX)
        with server.client(key) as client:
            meanwhile = posted(client, "open_session", "k1", SESSION)
        assert problem(meanwhile).code == "request_in_progress"
        assert meanwhile.headers["retry-after"] == "1"
    finally:
        may_go_on.set()
        first.join(SECONDS_MAX)
    assert [each.status_code for each in answers] == [200]
    assert calls == ["open_session"]


def test_a_key_in_the_request_is_said_as_it_was_given(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        for value in ("Oslo", "Lund"):
            asked = {**HOME, "value": value, "idempotency_key": "my-key"}
            last = client.post("/v1/remember_fact", json=asked)
        assert "the idempotency key 'my-key' was used" in problem(last).detail
