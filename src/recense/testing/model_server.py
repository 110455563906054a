"""A model behind an endpoint on this machine, that behaves as a test says.

Laws: nothing leaves the machine; a request is answered in the form of the provider whose path it
uses; every wait of the server ends with the server.
"""

from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Final, Literal, Self, assert_never, cast

import msgspec

from recense.core.extraction.proposals import Proposal
from recense.core.values import Value

Provider = Literal["openai", "anthropic", "ollama"]

_HOST: Final = "127.0.0.1"
_POLL_SECONDS: Final = 0.01

_PROVIDERS: Final[Mapping[str, Provider]] = {
    "/v1/chat/completions": "openai",
    "/v1/messages": "anthropic",
    "/api/chat": "ollama",
}


class Received(Value, kw_only=True):
    """A request as it came: ``headers`` by their names in lower case, ``body`` decoded."""

    provider: Provider
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, object]

    @property
    def instructions(self) -> str:
        """What stands in the place of instructions."""
        if self.provider == "anthropic":
            return str(self.body["system"])
        return self._message(0)

    @property
    def text(self) -> str:
        """What stands in the place of the person."""
        return self._message(0 if self.provider == "anthropic" else 1)

    def _message(self, index: int) -> str:
        messages = cast("list[dict[str, object]]", self.body["messages"])
        return str(messages[index]["content"])


class Spoken(Value, kw_only=True):
    """The model says a text. It is put into the provider's form, with a tool call where the
    provider has one and the text is an object. With ``pause_seconds`` each byte waits that long.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    is_cut: bool = False
    pause_seconds: float = 0.0


class Sent(Value, kw_only=True):
    """Bytes come back, whatever they are.

    ``content_length`` is what the header says where that is not the truth. The connection is closed
    after ``breaks_after`` bytes of the body. Bytes of the head wait ``head_pause_seconds`` each,
    those of the body ``pause_seconds``.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = {}
    content_length: int | None = None
    breaks_after: int | None = None
    head_pause_seconds: float = 0.0
    pause_seconds: float = 0.0


class Hung(Value, kw_only=True):
    """Nothing comes back, for as long as the server runs."""


class Closed(Value, kw_only=True):
    """The connection is closed before a byte comes back."""


Behaviour = Spoken | Sent | Hung | Closed


def proposing(*proposals: Proposal) -> Spoken:
    """Return a model that proposes facts as it was asked to."""
    return Spoken(text=msgspec.json.encode({"facts": proposals}).decode())


def believing(received: Received) -> Spoken:
    """Return a model that answers with the last JSON object that stands on a line of its own in
    what it is shown: one that does what its material tells it to.
    """
    lines = [line.strip() for line in received.text.splitlines()]
    planted = [line for line in lines if line.startswith("{") and line.endswith("}")]
    return Spoken(text=planted[-1] if planted else '{"facts": []}')


class ModelServer:
    """Serves while it is entered, at a port of its own.

    ``script`` is what to do with each request in turn, or a function that says so; a request after
    the last of a script is refused with status 500. ``received`` is what came, in order.
    """

    def __init__(self, script: Iterable[Behaviour] | Callable[[Received], Behaviour] = ()) -> None:
        self.received: Final[list[Received]] = []
        self._script: Final = script if callable(script) else _in_turn(script)
        self._stopping: Final = Event()
        self._lock: Final = Lock()
        self._server: Final = _Server((_HOST, 0), _Handler, self)
        self._thread: Final = Thread(
            target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://{_HOST}:{self._server.server_port}"

    def base_url(self, provider: Provider) -> str:
        """Return the address as an adapter is told it."""
        return f"{self.url}/v1" if provider == "openai" else self.url

    def behaviour(self, received: Received) -> Behaviour:
        """Keep what was received, and return what to do with it."""
        with self._lock:
            self.received.append(received)
            return self._script(received)

    def paused(self, seconds: float) -> bool:
        """Wait, and return whether the server goes on."""
        return not self._stopping.wait(seconds)


def _in_turn(script: Iterable[Behaviour]) -> Callable[[Received], Behaviour]:
    remaining = iter(script)
    over = Sent(status=500, body=b'{"error": {"message": "nothing more was expected"}}')
    return lambda _received: next(remaining, over)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(
        self, address: tuple[str, int], handler: "type[_Handler]", model: ModelServer
    ) -> None:
        self.model: Final = model
        super().__init__(address, handler)


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Answer one request, and close."""
        self.close_connection = True
        provider = _PROVIDERS.get(self.path)
        if provider is None:
            self._send(Sent(status=404, body=b'{"error": "no such path"}'))
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        model = cast("_Server", self.server).model
        behaviour = model.behaviour(
            Received(
                provider=provider,
                path=self.path,
                headers={name.lower(): value for name, value in self.headers.items()},
                body=msgspec.json.decode(body, type=dict[str, object]),
            )
        )
        match behaviour:
            case Spoken():
                answer = msgspec.json.encode(_IN_FORM[provider](behaviour))
                self._send(Sent(body=answer, pause_seconds=behaviour.pause_seconds))
            case Sent():
                self._send(behaviour)
            case Hung():
                while model.paused(1.0):
                    pass
            case Closed():
                pass
            case _:
                assert_never(behaviour)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name of the base
        """Say nothing."""

    def _send(self, sent: Sent) -> None:
        length = len(sent.body) if sent.content_length is None else sent.content_length
        fields = {
            "Content-Type": sent.content_type,
            "Content-Length": str(length),
            "Connection": "close",
            **sent.headers,
        }
        head = [f"HTTP/1.1 {sent.status} Scripted", *(f"{k}: {v}" for k, v in fields.items())]
        try:
            if self._write("\r\n".join([*head, "", ""]).encode(), sent.head_pause_seconds):
                self._write(sent.body[: sent.breaks_after], sent.pause_seconds)
        except OSError:  # who asked has gone
            return

    def _write(self, data: bytes, pause_seconds: float) -> bool:
        """Write bytes, one at a time where each has to wait; return whether the server goes on."""
        if not pause_seconds:
            self.wfile.write(data)
            return True
        model = cast("_Server", self.server).model
        for byte in data:
            if not model.paused(pause_seconds):
                return False
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
        return True


def _as_openai(said: Spoken) -> dict[str, object]:
    message = {"role": "assistant", "content": said.text}
    reason = "length" if said.is_cut else "stop"
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": said.tokens_in, "completion_tokens": said.tokens_out},
    }


def _as_anthropic(said: Spoken) -> dict[str, object]:
    try:
        given = msgspec.json.decode(said.text, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        block: dict[str, object] = {"type": "text", "text": said.text}
        reason = "end_turn"
    else:
        block = {"type": "tool_use", "id": "toolu_1", "name": "answer", "input": given}
        reason = "tool_use"
    return {
        "type": "message",
        "role": "assistant",
        "content": [block],
        "stop_reason": "max_tokens" if said.is_cut else reason,
        "usage": {"input_tokens": said.tokens_in, "output_tokens": said.tokens_out},
    }


def _as_ollama(said: Spoken) -> dict[str, object]:
    return {
        "message": {"role": "assistant", "content": said.text},
        "done": True,
        "done_reason": "length" if said.is_cut else "stop",
        "prompt_eval_count": said.tokens_in,
        "eval_count": said.tokens_out,
    }


_IN_FORM: Final[Mapping[Provider, Callable[[Spoken], dict[str, object]]]] = {
    "openai": _as_openai,
    "anthropic": _as_anthropic,
    "ollama": _as_ollama,
}
