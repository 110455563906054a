"""Changes as they come, and to who comes back."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import msgspec
import pytest

from recense.operations.keys import IssueKey, RevokeKey
from recense.servers.http import following, proving
from tests.servers.http.serving_world import (
    EVERYTHING,
    RunningServer,
    problem,
    revoked_elsewhere,
    running,
)

HOME = {"subject": "mira", "predicate": "lives_in", "value": "Oslo"}

Event = tuple[str, str, dict[str, object]]


@contextmanager
def followed(client: httpx2.Client, last: str | None = None) -> Generator[Iterator[Event]]:
    """Hold the events of a stream, each as name, id and data."""
    headers = {} if last is None else {"last-event-id": last}
    with client.stream("GET", "/v1/changes", headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        assert next(lines).startswith(":")
        yield events_of(lines)


def events_of(lines: Iterator[str]) -> Iterator[Event]:
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if name and line[:1] != ":":
            fields[name] = value
        elif not line and "event" in fields:
            yield fields["event"], fields.get("id", ""), json.loads(fields["data"])
            fields = {}


def value_of(event: Event) -> object:
    return msgspec.convert(event[2]["fact"], type=dict[str, object])["value"]


def test_a_fact_is_told_as_it_is_remembered(server: RunningServer, namespace: str) -> None:
    with server.client(server.key(namespace)) as client, followed(client) as events:
        client.post("/v1/remember_fact", json=HOME)
        told = next(events)
        assert told[0] == "fact"
        assert value_of(told) == "Oslo"


def test_who_comes_back_is_told_what_it_missed_and_nothing_twice(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        with followed(client) as events:
            client.post("/v1/remember_fact", json=HOME)
            _, last, _ = next(events)
        for value in ("Bergen", "Lund"):
            client.post("/v1/remember_fact", json={**HOME, "value": value})
        with followed(client, last) as events:
            assert [value_of(next(events)), value_of(next(events))] == ["Bergen", "Lund"]


def test_a_session_is_told_as_it_grows_and_when_it_is_forgotten(
    server: RunningServer, namespace: str
) -> None:
    opened = {"session": "notes"}
    event = {"event_id": "e1", "payload": {"kind": "text", "role": "user", "text": "hello"}}
    with server.client(server.key(namespace)) as client, followed(client) as events:
        client.post("/v1/open_session", json=opened)
        name, _, data = next(events)
        assert (name, data["session"]) == ("session", "api:notes")
        sent = client.post("/v1/append_session", json={"session": "api:notes", "events": [event]})
        assert sent.status_code == 200, sent.text
        grown = next(events)[2]
        assert grown["events"] == 1
        client.post("/v1/forget_session", json={"session": "api:notes"})
        assert next(events)[2]["gone"] is True


def test_who_comes_back_to_another_run_is_told_that_sessions_may_have_changed(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        client.post("/v1/remember_fact", json=HOME)
        with followed(client, f"0.{'0' * 16}.0") as events:
            assert value_of(next(events)) == "Oslo"
            assert next(events)[0] == "lost"


def test_who_was_told_more_than_there_is_hears_so_and_what_comes(
    server: RunningServer, namespace: str
) -> None:
    """As after a backup was put back: else it would wait for the facts that it was told."""
    with server.client(server.key(namespace)) as client:
        client.post("/v1/remember_fact", json=HOME)
        with followed(client) as events:
            client.post("/v1/remember_fact", json={**HOME, "value": "Bergen"})
            stamp, run, sessions = next(events)[1].split(".")
        for ahead in (int(stamp) + 1, 10**18 - 1):
            with followed(client, f"{ahead}.{run}.{sessions}") as events:
                told = next(events)
                assert (told[0], told[2]) == ("lost", {"of": "facts"})
                assert told[1].split(".")[0] == stamp
                client.post("/v1/remember_fact", json={**HOME, "value": f"Hamar {ahead}"})
                came = next(events)
                assert value_of(came) == f"Hamar {ahead}"
                stamp = came[1].split(".")[0]


def test_sessions_ahead_of_what_a_server_remembers_are_lost(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        with followed(client) as events:
            client.post("/v1/remember_fact", json=HOME)
            stamp, run, _ = next(events)[1].split(".")
        with followed(client, f"{stamp}.{run}.999") as events:
            told = next(events)
            assert (told[0], told[2]) == ("lost", {"of": "sessions"})


@pytest.mark.parametrize("last", ["x", "1", "-1.0.0", "1.zz.1", f"{'9' * 30}.{'0' * 16}.0"])
def test_an_id_that_is_none_of_an_event_is_refused(server: RunningServer, last: str) -> None:
    with server.client(server.key(), **{"last-event-id": last}) as client:
        assert problem(client.get("/v1/changes")).code == "invalid_request"


def test_a_stream_without_changes_beats_and_ends_with_its_key(
    server: RunningServer, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "CHANGES_HEARTBEAT_SECONDS", 0.05)
    key = server.key(namespace)
    with server.client(key) as client, client.stream("GET", "/v1/changes") as answer:
        lines = answer.iter_lines()
        assert next(lines) == ": changes"
        assert next(each for each in lines if each == ": beat")
        server.server.namespaces.keys.revoke(RevokeKey(id=key.split("_")[1]))
        (ended,) = events_of(lines)
    assert (ended[0], ended[2]) == ("ended", {"why": "key_refused"})


def test_a_stream_ends_with_a_key_that_was_revoked_elsewhere(
    server: RunningServer, namespace: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """This process remembers a key as verified, and is not told what another one revoked."""
    monkeypatch.setattr(following, "STREAM_PROOF_SECONDS", 0.05)
    monkeypatch.setattr(proving, "STREAM_PROOF_SECONDS", 0.05)
    key = server.key(namespace)
    with server.client(key) as client, followed(client) as events:
        revoked_elsewhere(server, key)
        assert client.post("/v1/recall_facts", json={}).status_code in {200, 401}
        ended = next(events)
    assert (ended[0], ended[2]) == ("ended", {"why": "key_refused"})


def test_a_stream_ends_when_its_key_expires(
    server: RunningServer, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "STREAM_PROOF_SECONDS", 0.05)
    asked = IssueKey(namespace=namespace, scopes=EVERYTHING, expires_in_seconds=1)
    key = server.server.namespaces.keys.issue(asked).key
    with server.client(key) as client, followed(client) as events:
        ended = next(events)
    assert (ended[0], ended[2]) == ("ended", {"why": "key_refused"})


def test_a_revoked_key_is_told_of_no_change_however_much_changes(
    server: RunningServer, namespace: str
) -> None:
    key = server.key(namespace)
    with (
        server.client(server.key(namespace)) as writer,
        server.client(key) as client,
        followed(client) as events,
    ):
        writer.post("/v1/remember_fact", json=HOME)
        assert next(events)[0] == "fact"
        server.server.namespaces.keys.revoke(RevokeKey(id=key.split("_")[1]))
        writer.post("/v1/remember_fact", json=HOME | {"value": "Bergen"})
        ended = next(events)
    assert (ended[0], ended[2]) == ("ended", {"why": "key_refused"})


def test_followers_beyond_those_that_are_taken_are_told_so(
    server: RunningServer, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "CHANGES_FOLLOWERS_MAX", 0)
    with server.client(server.key(namespace)) as client:
        assert problem(client.get("/v1/changes")).code == "server_busy"


def test_a_slow_reader_is_told_so_and_ended(
    server: RunningServer, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "CHANGES_SLOW_SECONDS_MAX", -1.0)
    with server.client(server.key(namespace)) as client, followed(client) as events:
        client.post("/v1/remember_fact", json=HOME)
        assert [each[0] for each in events] == ["fact", "ended"]


def test_a_server_that_stops_says_so_to_who_follows(tmp_path: Path) -> None:
    with (
        running(tmp_path) as server,
        server.client(server.key()) as client,
        followed(client) as events,
    ):
        server.server.stop()
        assert [(each[0], each[2]) for each in events] == [("ended", {"why": "stopping"})]
