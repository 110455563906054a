"""What stands beside the operations: MCP, and the exchange of identities."""

import httpx2
import pytest

from recense.operations.keys import RevokeKey
from recense.servers.http import following, hubs, proving
from tests.servers.http.serving_world import SECONDS_MAX, RunningServer, problem, revoked_elsewhere
from tests.servers.http.test_changes import followed

MCP = {"mcp-protocol-version": "2025-11-25", "accept": "application/json, text/event-stream"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def call(method: str, number: int, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def begun_session(client: httpx2.Client) -> dict[str, str]:
    """Begin a session of the protocol, and return the header that names it."""
    client_info = {"name": "test", "version": "0"}
    begin = call(
        "initialize", 1, protocolVersion="2025-11-25", capabilities={}, clientInfo=client_info
    )
    begun = client.post("/mcp", json=begin)
    assert begun.status_code == 200, begun.text
    session = {"mcp-session-id": begun.headers["mcp-session-id"]}
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    client.post("/mcp", json=initialized, headers=session)
    return session


def test_a_model_is_offered_tools_by_its_key(server: RunningServer, namespace: str) -> None:
    with server.client(server.key(namespace, ["recall"]), **MCP) as client:
        session = begun_session(client)
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
    with server.client(server.key(namespace), **MCP) as client, followed(client) as events:
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


@pytest.mark.parametrize("named", ["1.5", "2.0", "null", "true", "{}", "[1]"])
def test_a_request_of_mcp_whose_id_can_be_none_is_answered(
    server: RunningServer, namespace: str, named: str
) -> None:
    """And not taken for a notification, which nobody answers."""
    asked = f'{{"jsonrpc":"2.0","id":{named},"method":"tools/list"}}'
    with server.client(server.key(namespace), **MCP) as client:
        refused = client.post("/mcp", content=asked, headers={"content-type": "application/json"})
    assert refused.status_code == 400
    answer = refused.json()
    assert answer["id"] is None
    assert answer["error"]["code"] == -32600
    assert "the id of a request" in answer["error"]["message"]


@pytest.mark.parametrize("revoked_here", [True, False])
def test_an_open_stream_of_mcp_ends_with_its_key(
    server: RunningServer, namespace: str, monkeypatch: pytest.MonkeyPatch, revoked_here: bool
) -> None:
    monkeypatch.setattr(proving, "STREAM_PROOF_SECONDS", 0.05)
    key = server.key(namespace, ["recall"])
    with server.client(key, **MCP) as client:
        session = begun_session(client)
        with client.stream("GET", "/mcp", headers=session) as stream:
            assert stream.status_code == 200
            if revoked_here:
                server.server.namespaces.keys.revoke(RevokeKey(id=key.split("_")[1]))
            else:
                revoked_elsewhere(server, key)
            for _ in stream.iter_raw():  # it comes to an end, and is whole
                pass
        assert problem(client.get("/mcp", headers=session)).code == "key_refused"


def test_mcp_stands_behind_the_same_door(server: RunningServer) -> None:
    with server.client(**MCP) as client:
        assert problem(client.post("/mcp", json={})).code == "key_missing"
    with server.client(server.key(), origin="https://evil.example", **MCP) as client:
        assert problem(client.post("/mcp", json={})).code == "origin_refused"


def test_tokens_are_exchanged_where_that_was_asked_for_alone(server: RunningServer) -> None:
    with server.client(server.key()) as client:
        refused = client.post("/v1/identity/kubernetes", json={"token": "a.b.c"})
        assert problem(refused).code == "not_found"
