"""Callers that send what is no request, or send it slowly, or not at all."""

import json
import socket
import tracemalloc
from contextlib import ExitStack

import httpx2
import pytest

from recense.errors import RequestTooLarge
from recense.limits import REQUEST_BYTES_MAX, REQUEST_NESTING_MAX
from recense.servers.http import bodies, protocol
from tests.servers.http.serving_world import SECONDS_MAX, RunningServer, problem, read_all

HEAD = "POST /v1/recall_facts HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
JSON = "content-type: application/json\r\n"


def head(server: RunningServer, *more: str) -> bytes:
    lines = [HEAD, f"authorization: Bearer {server.key()}\r\n", *more, "\r\n"]
    return "".join(lines).encode()


def status_of(came: bytes) -> int:
    assert came.startswith(b"HTTP/1.1 "), came
    assert b"application/problem+json" in came or came.startswith(b"HTTP/1.1 200"), came
    return int(came.split(b" ")[1])


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"POST /v1/recall HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx: "
        + b"a" * 70_000
        + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: localhost\r\nx: " + b"a" * 300_000,
        b"\r\n" * 150_000,
        b"GET http://localhost/healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\nhost: localhost\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost : localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: a\x00b\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n folded: yes\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: gzip\r\n\r\nxx",
        b"POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked, gzip\r\n\r\nxx",
    ],
)
def test_what_is_no_request_is_a_problem_and_the_end_of_its_connection(
    server: RunningServer, sent: bytes
) -> None:
    came = server.raw(sent)
    assert came == b"" or status_of(came) in {400, 403, 413}


def test_a_length_and_chunks_together_are_refused(server: RunningServer) -> None:
    came = server.raw(
        head(server, JSON, "content-length: 2\r\n", "transfer-encoding: chunked\r\n"),
        b"2\r\n{}\r\n0\r\n\r\n",
    )
    assert status_of(came) == 400


def test_chunks_that_are_not_what_they_say_are_refused(server: RunningServer) -> None:
    came = server.raw(
        head(server, JSON, "transfer-encoding: chunked\r\n"), b"zz\r\n{}\r\n0\r\n\r\n"
    )
    assert status_of(came) == 400


def test_chunks_that_are_what_they_say_are_read(server: RunningServer) -> None:
    came = server.raw(
        head(server, JSON, "transfer-encoding: chunked\r\n"), b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
    )
    assert status_of(came) == 200


def test_white_space_around_what_a_header_says_is_none_of_it(server: RunningServer) -> None:
    spaced = "POST /v1/recall_facts HTTP/1.1\r\nhost: \t localhost \t\r\nconnection: close  \r\n"
    spaced += f"authorization:   Bearer {server.key()} \t \r\ncontent-length: 2 \r\n"
    spaced += "content-type: application/json \r\n\r\n{}"
    assert status_of(server.raw(spaced.encode())) == 200


def test_what_follows_a_body_says_nothing_of_its_request(server: RunningServer) -> None:
    chunks = b"2\r\n{}\r\n0\r\n"
    trailer = f"authorization: Bearer {server.key()}\r\n\r\n".encode()
    plain = f"{HEAD}{JSON}transfer-encoding: chunked\r\n\r\n".encode()
    assert status_of(server.raw(plain, chunks, trailer)) == 401
    keyed = head(server, JSON, "transfer-encoding: chunked\r\n")
    assert status_of(server.raw(keyed, chunks, trailer)) == 200


def test_what_follows_a_body_without_end_ends_its_connection(server: RunningServer) -> None:
    keyed = head(server, JSON, "transfer-encoding: chunked\r\n")
    came = server.raw(keyed, b"2\r\n{}\r\n0\r\nx: ", b"a" * 300_000)
    assert came == b"" or status_of(came) == 400


def test_a_caller_that_asks_for_another_protocol_is_answered_in_this_one(
    server: RunningServer,
) -> None:
    upgrade = "connection: upgrade\r\nupgrade: websocket\r\n\r\n"
    asked = f"GET /healthz HTTP/1.1\r\nhost: localhost\r\n{upgrade}".encode()
    with socket.create_connection(server.socket_address, timeout=SECONDS_MAX) as connection:
        connection.sendall(asked)
        assert status_of(connection.recv(65_536)) == 200
        connection.sendall(b"\x81\x05hello")
        assert b"101" not in read_all(connection)[:12]


def test_a_body_that_ends_early_changes_nothing(server: RunningServer) -> None:
    with socket.create_connection(server.socket_address, timeout=SECONDS_MAX) as connection:
        connection.sendall(head(server, JSON, "content-length: 100\r\n") + b"{")
        connection.shutdown(socket.SHUT_WR)
        assert b"200 OK" not in read_all(connection)


def test_a_body_that_says_it_is_too_long_is_not_waited_for(server: RunningServer) -> None:
    came = server.raw(head(server, JSON, f"content-length: {REQUEST_BYTES_MAX + 1}\r\n"))
    assert status_of(came) == 413


def test_a_body_that_becomes_too_long_is_refused(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "REQUEST_BYTES_MAX", 1_000)
    chunk = b"3e8\r\n" + b" " * 1_000 + b"\r\n"
    came = server.raw(head(server, JSON, "transfer-encoding: chunked\r\n"), chunk, chunk)
    assert status_of(came) == 413


@pytest.mark.parametrize("opening", ["[", '{"a":', "[[{"])
def test_what_is_nested_too_deeply_is_refused(server: RunningServer, opening: str) -> None:
    with server.client(server.key()) as client:
        for depth in (REQUEST_NESTING_MAX + 1, 100_000):
            refused = client.post(
                "/v1/recall_facts",
                content=opening * depth,
                headers={"content-type": "application/json"},
            )
            assert problem(refused).code == "request_too_large"


def test_brackets_in_texts_are_no_depth(server: RunningServer) -> None:
    with server.client(server.key()) as client:
        text = '\\"[' * 10_000 + "{" * 10_000
        answer = client.post("/v1/search_facts", json={"text": text[:500], "limit": 1})
        assert answer.status_code == 200
    bodies.require_shallow(json.dumps({"a": text, "b": [[1]] * 1_000}).encode())


@pytest.mark.parametrize("text", ["a", '\\"', "\\\\", "[", "é"])
@pytest.mark.parametrize("depth", [REQUEST_NESTING_MAX, REQUEST_NESTING_MAX + 1])
def test_depth_is_counted_beside_any_text(text: str, depth: int) -> None:
    inner = "[" * depth + json.dumps([text, text], ensure_ascii=False)[1:-1] + "]" * depth
    wide = f"[{','.join([inner] * 3)}]"[1:-1].encode()
    if depth <= REQUEST_NESTING_MAX:
        bodies.require_shallow(wide)
    else:
        with pytest.raises(RequestTooLarge):
            bodies.require_shallow(wide)


@pytest.mark.parametrize("piece", [b"a", b'\\"', b'","', b'",[],"'])
def test_the_depth_of_a_long_body_is_counted_in_little_memory(piece: bytes) -> None:
    body = b'{"a":["' + piece * (1_000_000 // len(piece)) + b'"],"b":[' + b"[]," * 80 + b"1]}"
    tracemalloc.start()
    try:
        bodies.require_shallow(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    bytes_max = 4_000_000
    assert peak < bytes_max


@pytest.mark.parametrize(
    "body",
    [b"\xff", b'{"subject":"\xc3\x28"}', b"{", b"[]", b'"x"', b"1", b"null", b"{}x", b"\x00"],
)
def test_what_is_no_json_object_in_utf8_is_refused(server: RunningServer, body: bytes) -> None:
    with server.client(server.key()) as client:
        refused = client.post(
            "/v1/recall_facts", content=body, headers={"content-type": "application/json"}
        )
        assert problem(refused).code == "invalid_request"


@pytest.mark.parametrize(
    "media_type",
    ["", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"],
)
def test_what_does_not_say_that_it_is_json_is_refused(
    server: RunningServer, media_type: str
) -> None:
    with server.client(server.key()) as client:
        refused = client.post(
            "/v1/recall_facts", content=b"{}", headers={"content-type": media_type}
        )
        assert problem(refused).code == "content_type_refused"


def test_a_body_that_is_compressed_is_refused(server: RunningServer) -> None:
    with server.client(server.key()) as client:
        refused = client.post(
            "/v1/recall_facts",
            content=b"{}",
            headers={"content-type": "application/json", "content-encoding": "gzip"},
        )
        assert problem(refused).code == "content_type_refused"


def test_a_head_that_does_not_come_ends_its_connection(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "REQUEST_HEAD_SECONDS_MAX", 0.05)
    assert server.raw(b"GET /healthz HTTP/1.1\r\nhost: loc").startswith(b"HTTP/1.1 408 ")
    assert server.raw() == b""


@pytest.mark.parametrize("path", [b"/v1/recall_facts", b"/mcp"])
def test_a_body_that_does_not_come_is_not_waited_for_forever(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch, path: bytes
) -> None:
    monkeypatch.setattr(bodies, "REQUEST_BODY_SECONDS_MAX", 0.05)
    asked = head(server, JSON, "content-length: 100\r\n") + b"{"
    came = server.raw(asked.replace(b"/v1/recall_facts", path))
    assert status_of(came) == 408


def test_connections_beyond_those_that_are_taken_are_told_so(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "SERVER_CONNECTIONS_MAX", 0)
    assert status_of(server.raw()) == 503


def test_two_hundred_slow_callers_keep_nobody_from_being_answered(
    server: RunningServer, namespace: str
) -> None:
    begun = head(server, JSON, "content-length: 100\r\n") + b"{"
    with ExitStack() as held:
        for number in range(200):
            slow = held.enter_context(
                socket.create_connection(server.socket_address, timeout=SECONDS_MAX)
            )
            slow.sendall(begun if number % 2 else begun[:20])
        with server.client(server.key(namespace)) as client:
            for _ in range(20):
                assert client.post("/v1/recall_facts", json={}).status_code == 200


def test_requests_that_are_sent_together_are_answered_in_order(server: RunningServer) -> None:
    one = f"GET /healthz HTTP/1.1\r\nhost: {server.place}\r\n\r\n".encode()
    two = f"GET /none HTTP/1.1\r\nhost: {server.place}\r\nconnection: close\r\n\r\n".encode()
    came = server.raw(one + two)
    assert came.index(b" 200 OK") < came.index(b" 401 Unauthorized")


def test_a_client_that_goes_away_leaves_the_server_well(server: RunningServer) -> None:
    for _ in range(5):
        with socket.create_connection(server.socket_address, timeout=SECONDS_MAX) as connection:
            connection.sendall(head(server, JSON, "content-length: 2\r\n") + b"{}")
    with server.client() as client:
        assert client.get("/readyz").status_code == 200
    assert isinstance(client, httpx2.Client)
