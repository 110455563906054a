"""How requests arrive: HTTP/1.1 as uvicorn reads it, with an end to waiting.

Laws: who sends nothing, or sends it slowly, holds a connection and nothing else, and not for long.
Of what the parser has made nothing of yet, no more is held than a head may be long. What is no HTTP
is answered by a problem, as everything is. Nothing of a request is read before the one ahead of it
is answered: what comes meanwhile is held as it came, and not much of it.
"""

import asyncio
from http import HTTPStatus
from typing import Any, Final, cast

import httptools
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
_BLANK_LINE: Final = b"\r\n\r\n"
_LINE_END: Final = b"\r\n"


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
        """Send what is held, then close: at last when nobody takes it for too long."""
        self._send_head()
        self._transport.close()
        if self._transport.get_write_buffer_size():
            self._loop.call_later(RESPONSE_PAUSE_SECONDS_MAX, self._transport.abort)

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
        self._unread: Final = bytearray()
        self._body_left = 0
        """How much of a body is to come whose length was said."""

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
        self._unread.extend(data)
        self._read_on()

    def _read_on(self) -> None:
        """Have the parser read what came, as far as the request goes that is to be answered."""
        while not self._is_asked() and not self.transport.is_closing():
            piece = bytes(self._unread[: self._readable()])
            if not piece:
                break
            del self._unread[: len(piece)]
            self._unparsed_bytes += len(piece)
            self._parse(piece)
            if self._unparsed_bytes > REQUEST_HEAD_BYTES_MAX:
                self.send_400_response("")
        if self._is_answering():
            self._stop_head_timer()
            if len(self._unread) > REQUEST_HEAD_BYTES_MAX and self._is_asked():
                self.flow.pause_reading()
        elif self._head_timer is None and not self.transport.is_closing():
            self._await_head()

    def _readable(self) -> int:
        """Return how much of what came is surely of no further request: a head, or a body in
        chunks, ends with a blank line and nowhere else.
        """
        if self._body_left:
            return self._body_left
        end = self._unread.find(_BLANK_LINE)
        return len(self._unread.rstrip(_LINE_END)) if end < 0 else end + len(_BLANK_LINE)

    def _parse(self, piece: bytes) -> None:
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(piece)
        except httptools.HttpParserUpgrade:
            self._parse_plainly()
        except httptools.HttpParserError:
            self.send_400_response("")

    def _parse_plainly(self) -> None:
        """Read a head that asks for another protocol as one that does not: the parser would take
        its body for a request of its own.
        """
        line = b"%b %b HTTP/%b" % (
            self.parser.get_method(),
            self.url,
            self.parser.get_http_version().encode(),
        )
        others = [b"%b: %b" % pair for pair in self.headers if pair[0] != b"upgrade"]
        self.parser = httptools.HttpRequestParser(self)
        self._parse(_LINE_END.join((line, *others, b"", b"")))

    def on_message_begin(self) -> None:
        """Begin to read a head."""
        self._is_head_whole, self._body_left = False, 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header of a head, without the white space around its value (RFC 9110, 5.5), which
        the parser leaves behind it. A trailer, which comes behind a body, is dropped: the request
        was handed on by then, and its headers are those that were checked.
        """
        if not self._is_head_whole:
            super().on_header(name, value.strip(b" \t"))

    def on_headers_complete(self) -> None:
        """Answer a head that is whole, once it asks for no other protocol. Raises InvalidRequest,
        to the parser, for one that names no place or no host of ours, or more than one.
        """
        self._is_head_whole, self._unparsed_bytes = True, 0
        hosts = sum(name == b"host" for name, _ in self.headers)
        is_tunnel = self.parser.get_method() == b"CONNECT"
        if hosts != 1 or is_tunnel or not self.url.startswith(b"/"):
            raise InvalidRequest("the request names no place here, or not one host")
        if not self.parser.should_upgrade():
            lengths = [value for name, value in self.headers if name == b"content-length"]
            self._body_left = int(lengths[0]) if lengths else 0
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a piece of a body."""
        self._unparsed_bytes = 0
        self._body_left = max(0, self._body_left - len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Let a request be answered that is whole."""
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Stay open for the next request, and read what has come of it."""
        self._has_spoken = bool(self._unread)
        super().on_response_complete()
        if self._unread:
            self._read_on()

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

    def _is_asked(self) -> bool:
        """Whether a request that is whole is not answered yet."""
        return self._is_answering() and not self.cycle.more_body

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
            if last_words and not (self._is_answering() and self.cycle.response_started):
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
