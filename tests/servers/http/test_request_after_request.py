"""Many requests on one connection, and what is asked for beside HTTP/1.1."""

import asyncio
import re
import socket
import struct
from collections.abc import Callable
from typing import cast

import pytest
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from recense.servers.http import protocol
from tests.servers.http.serving_world import SECONDS_MAX, RunningServer, read_all

UPGRADE = "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAQAAP\r\n"
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
BODY = b'{"subject":"mira","predicate":"likes","value":"tea"}'


def asking(server: RunningServer, path: str, *headers: str, body: bytes = b"") -> bytes:
    """Return a call with a key."""
    lines = [
        f"POST {path} HTTP/1.1",
        f"host: {server.place}",
        f"authorization: Bearer {server.key()}",
        "content-type: application/json",
        *(line for each in headers for line in each.split("\r\n") if line),
        *([f"content-length: {len(body)}"] if body else []),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def health(server: RunningServer, *headers: str) -> bytes:
    return "\r\n".join(
        ["GET /healthz HTTP/1.1", f"host: {server.place}", *headers, "", ""]
    ).encode()


def statuses(came: bytes) -> list[int]:
    """Return the status of each answer."""
    return [int(each) for each in _STATUS.findall(came)]


@pytest.mark.parametrize("cut", [None, 0, 10])
@pytest.mark.parametrize("in_chunks", [False, True])
def test_a_body_is_read_whatever_protocol_is_asked_for(
    server: RunningServer, cut: int | None, in_chunks: bool
) -> None:
    if in_chunks:
        head = asking(server, "/v1/remember_fact", UPGRADE, "transfer-encoding: chunked")
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
    else:
        whole = asking(server, "/v1/remember_fact", UPGRADE, body=BODY)
        head, body = whole[: -len(BODY)], BODY
    pieces = [head + body] if cut is None else [head + body[:cut], body[cut:]]
    with socket.create_connection(server.socket_address, timeout=SECONDS_MAX) as connection:
        for piece in pieces:
            connection.sendall(piece)
        came = connection.recv(65_536)
        assert statuses(came) == [200], came
        assert b"tea" in came
        connection.sendall(health(server, "connection: close"))
        assert statuses(read_all(connection)) == [200]


def test_what_stands_in_a_body_is_no_request_whatever_protocol_is_asked_for(
    server: RunningServer,
) -> None:
    hidden = health(server)
    came = server.raw(
        asking(server, "/v1/recall_facts", UPGRADE, body=hidden),
        health(server, "connection: close"),
    )
    assert statuses(came) == [400, 200], came


def test_a_tunnel_is_refused(server: RunningServer) -> None:
    came = server.raw(b"CONNECT / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}")
    assert statuses(came) == [400]


def test_thousands_of_requests_sent_together_are_answered_and_read_one_at_a_time(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[int] = []
    begin = HttpToolsProtocol.on_headers_complete

    def counted(self: HttpToolsProtocol) -> None:
        begin(self)
        waiting.append(len(self.pipeline))

    monkeypatch.setattr(HttpToolsProtocol, "on_headers_complete", counted)
    count = 3_000
    sent = health(server) * (count - 1) + health(server, "connection: close")
    came = server.raw(sent)
    assert statuses(came) == [200] * count
    assert max(waiting) == 0


def test_bodies_of_requests_sent_together_are_each_their_own(server: RunningServer) -> None:
    one = asking(server, "/v1/remember_fact", body=BODY)
    chunks = (
        b"5;a=b\r\n" + BODY[:5] + b"\r\n%x\r\n" % len(BODY[5:]) + BODY[5:] + b"\r\n0\r\nx: y\r\n"
    )
    two = asking(server, "/v1/remember_fact", "transfer-encoding: chunked") + chunks + b"\r\n"
    last = asking(server, "/v1/recall_facts", "connection: close", body=b'{"subject":"nobody"}')
    for piece_bytes in (1_000_000, 97, 1):
        sent = one + two + one + last
        pieces = [sent[at : at + piece_bytes] for at in range(0, len(sent), piece_bytes)]
        assert statuses(server.raw(*pieces)) == [200] * 4


def test_what_is_no_request_is_refused_after_what_came_before_it_is_answered(
    server: RunningServer,
) -> None:
    came = server.raw(asking(server, "/v1/remember_fact", body=BODY) + b"nonsense\r\n\r\n")
    assert statuses(came) == [200, 400]


def test_a_follower_that_sent_more_is_missed_when_it_goes(server: RunningServer) -> None:
    follow = asking(server, "/v1/changes").replace(b"POST", b"GET", 1)
    with socket.create_connection(server.socket_address, timeout=SECONDS_MAX) as connection:
        connection.sendall(follow)
        assert statuses(connection.recv(65_536)) == [200]
        connection.sendall(health(server))
        linger = struct.pack("ii", 1, 0)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    assert server.log.line_with('"route":"/v1/changes"')


class _Untaken:
    """A transport of which nobody takes what is sent."""

    def __init__(self, gone: Callable[[], None]) -> None:
        self.abort = gone

    def write(self, data: bytes) -> None:
        """Hold it."""

    def close(self) -> None:
        """Wait until it is taken."""

    def get_write_buffer_size(self) -> int:
        return 1


def test_a_connection_that_is_closed_ends_though_nobody_takes_its_last_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "RESPONSE_PAUSE_SECONDS_MAX", 0.01)

    async def closed() -> bool:
        gone = asyncio.Event()
        transport = cast("asyncio.Transport", _Untaken(gone.set))
        joined = protocol.JoinedWrites(transport, asyncio.get_running_loop())
        joined.write(b"HTTP/1.1 200 OK\r\n\r\n")
        joined.close()
        return await asyncio.wait_for(gone.wait(), SECONDS_MAX)

    assert asyncio.run(closed())
