"""What stands beside the operations: MCP, and the exchange of identities."""

import pytest

from recense.servers.http import following, hubs
from tests.servers.http.serving_world import SECONDS_MAX, RunningServer, problem
from tests.servers.http.test_changes import followed

STATELESS = {"mcp-protocol-version": "2025-11-25", "accept": "application/json, text/event-stream"}


META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def call(method: str, number: int, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def test_a_model_is_offered_tools_by_its_key(server: RunningServer, namespace: str) -> None:
    client_info = {"name": "test", "version": "0"}
    begin = call(
        "initialize", 1, protocolVersion="2025-11-25", capabilities={}, clientInfo=client_info
    )
    with server.client(server.key(namespace, ["recall"]), **STATELESS) as client:
        begun = client.post("/mcp", json=begin)
        assert begun.status_code == 200, begun.text
        session = {"mcp-session-id": begun.headers["mcp-session-id"]}
        client.post(
            "/mcp",
            json={"jsonrpc": "2.0", "method": "notifications/initialized"},
            headers=session,
        )
        listed = client.post("/mcp", json=call("tools/list", 2), headers=session)
        assert '"recall"' in listed.text
        assert '"remember"' not in listed.text
        other = client.post(
            "/mcp",
            json=call("tools/list", 3),
            headers={**session, "authorization": f"Bearer {server.key(namespace)}"},
        )
        assert other.status_code == 404  # a session is of the key that opened it


def test_a_write_of_a_model_is_told_at_once_to_who_follows(
    server: RunningServer, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name in ((hubs, "CHANGES_LOOK_SECONDS"), (following, "CHANGES_HEARTBEAT_SECONDS")):
        monkeypatch.setattr(module, name, 2 * SECONDS_MAX)  # nobody looks by themselves
    fact = {"subject": "mira", "predicate": "lives_in", "value": "Oslo"}
    with server.client(server.key(namespace), **STATELESS) as client, followed(client) as events:
        called = client.post(
            "/mcp",
            json=call("tools/call", 1, name="remember_fact", arguments=fact, _meta=META),
            headers={
                "mcp-protocol-version": "2026-07-28",
                "mcp-method": "tools/call",
                "mcp-name": "remember_fact",
            },
        )
        assert called.status_code == 200, called.text
        assert '"isError":true' not in called.text
        assert next(events)[0] == "fact"


def test_mcp_stands_behind_the_same_door(server: RunningServer) -> None:
    with server.client(**STATELESS) as client:
        assert problem(client.post("/mcp", json={})).code == "key_missing"
    with server.client(server.key(), origin="https://evil.example", **STATELESS) as client:
        assert problem(client.post("/mcp", json={})).code == "origin_refused"


def test_tokens_are_exchanged_where_that_was_asked_for_alone(server: RunningServer) -> None:
    with server.client(server.key()) as client:
        refused = client.post("/v1/identity/kubernetes", json={"token": "a.b.c"})
        assert problem(refused).code == "not_found"
