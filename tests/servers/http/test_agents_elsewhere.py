"""Agents over HTTP: held by who names the epoch, whatever becomes of the server."""

from pathlib import Path

import httpx2

from tests.servers.http.serving_world import RunningServer, problem, running

AGENT = "clerk"


def acquired(client: httpx2.Client, agent: str = AGENT) -> int:
    return int(client.post("/v1/agent_acquire", json={"agent": agent}).json()["epoch"])


def said(client: httpx2.Client, epoch: int, content: str) -> httpx2.Response:
    turn = {"agent": AGENT, "epoch": epoch, "role": "user", "content": content}
    return client.post("/v1/record_turn", json={**turn, "message_id": content})


def test_a_second_client_can_neither_write_to_nor_release_nor_take_an_agent(
    server: RunningServer, namespace: str
) -> None:
    with (
        server.client(server.key(namespace)) as one,
        server.client(server.key(namespace)) as other,
    ):
        first = acquired(one)
        one.post("/v1/agent_release", json={"agent": AGENT, "epoch": first})
        epoch = acquired(one)
        for refused in (
            said(other, first, "late"),
            said(other, epoch + 1, "guessed"),
            other.post("/v1/agent_release", json={"agent": AGENT, "epoch": first}),
        ):
            assert (problem(refused).status, problem(refused).code) == (409, "lease_lost")
            assert "'key " in problem(refused).detail
        for name in ("agent_resume", "agent_acquire"):
            refused = other.post(f"/v1/{name}", json={"agent": AGENT})
            assert (problem(refused).status, problem(refused).code) == (409, "lease_held")
            assert "retry-after" in refused.headers
        assert said(one, epoch, "still mine").status_code == 200
        turns = other.post("/v1/recent_turns", json={"agent": AGENT}).json()["turns"]
        assert [each["content"] for each in turns] == ["still mine"]


def test_a_server_that_begins_anew_and_one_beside_it_go_on_with_the_same_epoch(
    tmp_path: Path,
) -> None:
    with running(tmp_path) as first:
        key = first.key()
        with first.client(key) as client:
            epoch = acquired(client)
            said(client, epoch, "one")
    with (
        running(tmp_path) as second,
        running(tmp_path) as beside,
        second.client(key) as client,
        beside.client(key) as same,
    ):
        assert said(client, epoch, "two").status_code == 200
        assert said(same, epoch, "three").status_code == 200
        again = said(client, epoch, "three")  # the answer was lost, and it asks elsewhere
        assert again.json()["is_new"] is False
        turns = same.post("/v1/recent_turns", json={"agent": AGENT}).json()["turns"]
        assert [each["content"] for each in turns] == ["one", "two", "three"]
        assert problem(same.post("/v1/agent_acquire", json={"agent": AGENT})).code == ("lease_held")
