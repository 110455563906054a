"""What comes in is read for facts, where that was asked for."""

from pathlib import Path

import httpx2
import pytest

from recense.servers.http.options import ServeOptions
from tests.servers.http.serving_world import running

SAID = "I live in Oslo. The quay needs a new ladder before the winter. " * 20
NAMESPACE = "the namespace 'default' are read for facts"


def say(client: httpx2.Client, role: str, text: str) -> None:
    event = {"event_id": role, "payload": {"kind": "text", "role": role, "text": text}}
    asked = {"session": "api:notes", "events": [event]}
    assert client.post("/v1/append_session", json=asked).status_code == 200


def test_a_session_that_is_sent_is_read_for_facts_also_where_nothing_is_watched(
    tmp_path: Path,
) -> None:
    options = ServeOptions(extract=True)
    with (
        running(tmp_path, options, extraction_chunk_tokens="100") as server,
        server.client(server.key()) as client,
    ):
        begun = server.log.line_with('"extracting"').decode()
        assert NAMESPACE in begun
        assert "none is imported from agents on this machine without --watch" in begun
        client.post("/v1/open_session", json={"session": "notes"})
        say(client, "user", SAID)
        say(client, "model", "Noted.")
        server.log.line_with("a session was read for facts")
        beliefs = client.post("/v1/recall_facts", json={}).json()["beliefs"]
    assert ("lives_in", "Oslo") in {(each["predicate"], each["value"]) for each in beliefs}


def test_a_server_that_watches_says_what_it_does_besides_answering(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # no agent ever ran there
    with running(tmp_path, ServeOptions(watch=True, extract=True)) as server:
        watching = server.log.line_with('"watching"').decode()
        assert "comes to the namespace 'default'" in watching
        extracting = server.log.line_with('"extracting"').decode()
    assert NAMESPACE in extracting
    assert "--watch" not in extracting


def test_a_server_that_only_answers_says_of_nothing_else(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        server.log.line_with('"listening"')
    said = server.log.getvalue()
    assert b"extracting" not in said
    assert b"watching" not in said
