"""Operations over HTTP: asked, answered, refused."""

import msgspec
import pytest

from recense.operations.catalogue import OPERATIONS
from tests.servers.http.serving_world import RunningServer, problem

HOME = {"subject": "mira", "predicate": "lives_in", "value": "Oslo"}


def test_what_is_remembered_is_recalled(server: RunningServer, namespace: str) -> None:
    with server.client(server.key(namespace)) as client:
        kept = client.post("/v1/remember_fact", json=HOME)
        assert kept.status_code == 200
        assert kept.json()["stored"] is True
        (belief,) = client.post("/v1/recall_facts", json={"subject": "mira"}).json()["beliefs"]
        assert belief["value"] == "Oslo"
        facts = client.post("/v1/recall", json={"question": "where does mira live"}).json()["facts"]
        assert [each["text"] for each in facts] == ["mira lives in Oslo"]


def test_an_answer_says_that_it_is_json_that_nobody_guesses_or_keeps(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        answer = client.post("/v1/recall_facts", json={})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert "server" not in answer.headers


def test_a_body_that_is_empty_asks_for_nothing_in_particular(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        assert client.post("/v1/recall_facts").json()["beliefs"] == []


@pytest.mark.parametrize("operation", [each.name for each in OPERATIONS])
def test_every_operation_has_its_address_and_refuses_a_field_that_there_is_not(
    server: RunningServer, operation: str
) -> None:
    with server.client(server.key()) as client:
        refused = problem(client.post(f"/v1/{operation}", json={"nonsense_of_mira": 1}))
        assert refused.code == "invalid_request"
        other = problem(client.get(f"/v1/{operation}"))
        assert other.code == "method_refused"


def test_a_field_that_is_misspelt_is_refused_with_the_nearest_name(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        refused = problem(client.post("/v1/recall_facts", json={"subjct": "mira"}))
    assert (refused.status, refused.code) == (400, "invalid_request")
    assert "'subject'" in refused.detail


def test_an_address_that_there_is_not_is_not_found(server: RunningServer) -> None:
    with server.client(server.key()) as client:
        for path in ("/v1/no_such_thing", "/v1/", "/v2/recall", "/../../etc/passwd"):
            assert problem(client.post(path, json={})).code == "not_found"


def test_a_trace_that_comes_is_the_trace_of_its_problem_and_of_its_line_in_the_log(
    server: RunningServer, namespace: str
) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    key = server.key(namespace)
    with server.client(key, traceparent=f"00-{trace}-00f067aa0ba902b7-01") as client:
        refused = client.post("/v1/recall_facts", json={"limit": -1})
    assert refused.json()["trace"] == trace
    said = msgspec.json.decode(server.log.line_with(trace), type=dict[str, object])
    assert (said["route"], said["status"]) == ("/v1/recall_facts", 400)
    assert said["key"] == key.split("_")[1]


def test_neither_content_nor_a_key_is_in_a_log_or_a_metric(
    server: RunningServer, namespace: str
) -> None:
    word, key = "heliotrope-" + namespace, server.key(namespace)
    with server.client(key) as client:
        client.post("/v1/remember", json={"text": f"the password of the {word} is unknown"})
        client.post("/v1/recall", json={"terms": [word]})
        client.get(f"/v1/sessions/{word}")
        client.get(f"/v1/{word}?{word}={word}")
        problem(client.post("/v1/remember_fact", json={word: word}))
        metrics = client.get("/metrics").text
    server.log.line_with("/metrics")
    secret = key.split("_")[2]
    for said in (server.log.getvalue().decode(), metrics):
        assert word not in said
        assert secret not in said
    assert "recense_http_calls_total" in metrics
