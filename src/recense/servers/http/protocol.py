"""How requests arrive: HTTP/1.1 as uvicorn reads it, with an end to waiting.

Laws: who sends nothing, or sends it slowly, holds a connection and nothing else, and not for long.
Of what the parser has made nothing of yet, no more is held than a head may be long. What is no HTTP
is answered by a problem, as everything is.
"""

import asyncio
from http import HTTPStatus
from typing import Any, Final, cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from recense.errors import InvalidRequest, RecenseError, RequestTimedOut, ServerBusy
from recense.limits import (
    REQUEST_HEAD_BYTES_MAX,
    REQUEST_HEAD_SECONDS_MAX,
    RESPONSE_PAUSE_SECONDS_MAX,
    SERVER_CONNECTIONS_MAX,
)
from recense.servers.problems import PROBLEM_TYPE, encoded, problem_headers, problem_of

_HEAD: Final = b"HTTP/1.1 "


def raw_answer(error: RecenseError) -> bytes:
    """Return a whole answer that ends its connection, for who is no further than the protocol."""
    problem = problem_of(error)
    body = encoded(problem)
    lines = [
        f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}",
        f"content-type: {PROBLEM_TYPE}",
        f"content-length: {len(body)}",
        "connection: close",
        *(f"{name}: {value}" for name, value in problem_headers(error).items()),
    ]
    return "\r\n".join((*lines, "", "")).encode("ascii") + body


class JoinedWrites:
    """A transport that sends the head of an answer together with what follows it at once.

    Each time a piece is sent, Python's lock is let go of and has to be waited for again, which in a
    process that works takes longer than the sending. A head that nothing follows at once is sent
    in the next turn of the loop.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport: Final = transport
        self._loop: Final = loop
        self._head = b""
        self._sending: asyncio.Handle | None = None

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send a piece, or hold it if it is a head."""
        if not data:
            return
        if self._sending is None and data.startswith(_HEAD):
            self._head = data
            self._sending = self._loop.call_soon(self._send_head)
            return
        head = self._taken()
        self._transport.write(head + data if head else data)

    def close(self) -> None:
        """Send what is held, then close."""
        self._send_head()
        self._transport.close()

    def _send_head(self) -> None:
        head = self._taken()
        if head:
            self._transport.write(head)

    def _taken(self) -> bytes:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None
        head, self._head = self._head, b""
        return head


class BoundedProtocol(HttpToolsProtocol):
    """One connection. A head that is late or too long ends it, and so does a caller that takes no
    byte of its answer; one beyond SERVER_CONNECTIONS_MAX is told so, and ended.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._head_timer: asyncio.TimerHandle | None = None
        self._reader_timer: asyncio.TimerHandle | None = None
        self._has_spoken = False
        self._is_head_whole = False
        self._unparsed_bytes = 0
        """What came since the last head or piece of a body: the parser may hold all of it."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for the first head."""
        joined = JoinedWrites(cast("asyncio.Transport", transport), self.loop)
        super().connection_made(cast("asyncio.Transport", joined))
        if len(self.connections) > SERVER_CONNECTIONS_MAX:
            busy = ServerBusy(
                f"{SERVER_CONNECTIONS_MAX} connections are open, as many as are taken",
                hint="try again, and use one connection for many calls",
            )
            self._end(raw_answer(busy))
            return
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_head_timer()
        self._stop_reader_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came; what is no whole head yet has until the same moment for the rest."""
        self._has_spoken = True
        if self.transport.is_closing():
            return
        self._unparsed_bytes += len(data)
        super().data_received(data)
        if self._unparsed_bytes > REQUEST_HEAD_BYTES_MAX:
            self.send_400_response("")
        elif self._is_answering():
            self._stop_head_timer()
        elif self._head_timer is None and not self.transport.is_closing():
            self._await_head()

    def on_message_begin(self) -> None:
        """Begin to read a head."""
        self._is_head_whole = False
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header of a head, without the white space around its value (RFC 9110, 5.5), which
        the parser leaves behind it. A trailer, which comes behind a body, is dropped: the request
        was handed on by then, and its headers are those that were checked.
        """
        if not self._is_head_whole:
            super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """Answer a head that is whole. Raises InvalidRequest, which the parser makes a 400, for one
        whose target is no path, or that has not exactly one ``Host``.
        """
        self._is_head_whole, self._unparsed_bytes = True, 0
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts != 1 or not self.url.startswith(b"/"):
            raise InvalidRequest("the request names no place here, or not one host")
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a piece of a body."""
        self._unparsed_bytes = 0
        super().on_body(body)

    def on_response_complete(self) -> None:
        """Stay open for the next request, if nothing of it has come."""
        self._has_spoken = False
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait for a caller that does not take its answer, and no longer than it may."""
        super().pause_writing()
        self._reader_timer = self.loop.call_later(RESPONSE_PAUSE_SECONDS_MAX, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: something was taken."""
        self._stop_reader_timer()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP by a problem."""
        refused = InvalidRequest(
            "this is no HTTP/1.1 request: its line, its headers or how its body is framed",
            hint="headers are bounded, and chunks and lengths have to be what they say",
        )
        self._end(raw_answer(refused))

    def _is_answering(self) -> bool:
        # The cycle is None until the first request, whatever its type says.
        cycle = cast("object | None", self.cycle)
        return cycle is not None and not self.cycle.response_complete

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(REQUEST_HEAD_SECONDS_MAX, self._give_up)

    def _give_up(self) -> None:
        late = RequestTimedOut(
            f"the head of a request did not come within {REQUEST_HEAD_SECONDS_MAX:g} s"
        )
        self._end(raw_answer(late) if self._has_spoken else b"")

    def _end(self, last_words: bytes) -> None:
        self._stop_head_timer()
        if not self.transport.is_closing():
            if last_words:
                self.transport.write(last_words)
            self.transport.close()

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_reader_timer(self) -> None:
        if self._reader_timer is not None:
            self._reader_timer.cancel()
            self._reader_timer = None
