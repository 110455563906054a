"""What every model behind HTTP needs: one request, its deadline, and what became of it.

Laws:

- Who asks is free again at the deadline, whatever the other side does: resolves no name, accepts
  nothing, sends a byte now and then. The exchange runs on a thread of its own; at the deadline its
  socket is shut down, which wakes it wherever it waits. It is never closed from outside: its number
  might be another file's by then.
- A connection serves one request, so that none is sent on one that the other side gave up.
- No redirect is followed, so that a key goes to the host that was configured and to no other. It
  stands in a header; no message of ours and no representation has it.
"""

import re
import socket
import ssl
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from threading import Lock, Thread
from typing import Final, Protocol, TypeVar, cast

import msgspec

from recense.adapters.models.replies import (
    Reply,
    fault_of,
    is_answer,
    retry_after,
    shown,
    tells_an_error,
)
from recense.core.addresses import is_near, is_of_this_machine
from recense.core.text.json_text import settled
from recense.core.text.quoting import quoted
from recense.errors import (
    MissingExtra,
    ModelAnswerUnusable,
    ModelTimedOut,
    ModelUnavailable,
    SettingsInvalid,
)
from recense.limits import (
    MODEL_CONNECT_SECONDS,
    MODEL_ERROR_BYTES_MAX,
    MODEL_REPLY_BYTES_MAX,
)
from recense.ports.clock import Clock

try:
    import httpx2
except ImportError as error:
    raise MissingExtra(
        f"models behind an endpoint need httpx2, which is not installed: {error}",
        hint="install the extra: pip install 'recense[models]'",
    ) from error

Read = TypeVar("Read")

_HEADER_TEXT: Final = re.compile(r"[!-~]+")
_NOBODY: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Trusts no certificate, for where none is shown: to load what the system trusts takes 60 ms."""


class Endpoint:
    """An address that models are asked at; may be used by several threads.

    Raises SettingsInvalid for an address that is none, or one to which a key may not be sent, and
    for a key that no header can carry.
    """

    def __init__(
        self, base_url: str, *, key: str | None, key_header: tuple[str, str], clock: Clock
    ) -> None:
        self._url: Final = _checked_url(base_url)
        _check_key(key, self._url)
        self._key: Final = key
        self._clock: Final = clock
        name, prefix = key_header
        headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        if key is not None:
            headers[name] = prefix + key
        is_here = is_of_this_machine(self._url.host)
        is_plain = is_here and self._url.scheme == "http"
        self._client: Final = httpx2.Client(
            headers=headers,
            follow_redirects=False,
            trust_env=not is_here,  # no proxy leads back to this machine
            verify=_NOBODY if is_plain else httpx2.create_ssl_context(),
            limits=httpx2.Limits(max_keepalive_connections=0),
        )

    @property
    def host(self) -> str:
        """The name of the host, in lower case."""
        return self._url.host

    def post(
        self,
        path: str,
        payload: object,
        *,
        deadline_seconds: float,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Return what came back for one request, whatever its status.

        ``path`` goes behind the path of the base address, a part that both have once. Raises
        ModelTimedOut, ModelUnavailable where nothing whole came back, and ModelAnswerUnusable for
        more bytes than MODEL_REPLY_BYTES_MAX. ``is_cost_known``, and not ``was_sent``, where not a
        byte of it was sent.
        """
        if deadline_seconds <= 0:
            fault = _timed_out(self.host, deadline_seconds)
            fault.is_cost_known, fault.was_sent = True, False
            raise fault
        base = self._url.path.rstrip("/")
        first = path[: path.index("/", 1)]  # "/v1" of "/v1/messages"
        request = self._client.build_request(
            "POST",
            self._url.copy_with(path=base.removesuffix(first) + path),
            content=msgspec.json.encode(payload),
            headers=dict(headers or {}),
            timeout=httpx2.Timeout(
                deadline_seconds, connect=min(deadline_seconds, MODEL_CONNECT_SECONDS)
            ),
        )
        exchange = _Exchange(self._client, request, self._clock)
        try:
            return exchange.reply(deadline_seconds)
        except (TimeoutError, httpx2.HTTPError) as error:
            fault = self._fault(error, deadline_seconds)
            fault.was_sent = exchange.may_have_arrived
            fault.is_cost_known = not fault.was_sent
            raise fault from error

    def _fault(
        self, error: TimeoutError | httpx2.HTTPError, deadline_seconds: float
    ) -> ModelTimedOut | ModelUnavailable:
        """Return what it means that no reply came."""
        if isinstance(error, httpx2.ConnectTimeout) and deadline_seconds > MODEL_CONNECT_SECONDS:
            return ModelUnavailable(
                f"{self.host} accepts no connection within {MODEL_CONNECT_SECONDS} s"
            )
        if isinstance(error, TimeoutError | httpx2.TimeoutException):
            return _timed_out(self.host, deadline_seconds)
        return ModelUnavailable(
            f"no whole answer from {self.host}: {shown(str(error), self._key)}",
            hint="look whether the address is right and the endpoint is running",
        )

    def read(self, reply: Reply, form: type[Read]) -> Read:
        """Return the body of an answer in a form.

        Raises the fault that its status means, ModelUnavailable where an error is told inside, and
        ModelAnswerUnusable for a body of any other form.
        """
        if not reply.is_ok:
            raise fault_of(self.host, reply, key=self._key)
        try:
            return msgspec.json.decode(settled(reply.body), type=form)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if tells_an_error(reply):
                raise fault_of(self.host, reply, key=self._key) from error
            raise ModelAnswerUnusable(
                f"{self.host} sent {len(reply.body)} bytes that are no answer of its kind: {error}",
                hint="the base address may lead to another program, or to a sign-in page",
            ) from error


def require_model_name(name: str) -> str:
    """Return a model's name. Raises SettingsInvalid for one that is empty or not printable."""
    if not name.strip() or not name.isprintable():
        raise SettingsInvalid(f"the model {quoted(name)} is no name; expected one line of text")
    return name


def refused(host: str) -> ModelAnswerUnusable:
    """Return the fault of a model that answers, and will not do what it was asked."""
    return ModelAnswerUnusable(
        f"the model at {host} refuses to read this",
        hint="what it was shown stays unread; another model may read it",
    )


def _timed_out(host: str, deadline_seconds: float) -> ModelTimedOut:
    return ModelTimedOut(f"no whole answer from {host} within {max(deadline_seconds, 0.0):.3g} s")


class _Stream(Protocol):
    """A connection, as httpx2 shows it to those who trace a request."""

    def get_extra_info(self, info: str) -> object: ...


class _Exchange:
    """One request and its reply, on a thread of its own."""

    def __init__(self, client: httpx2.Client, request: httpx2.Request, clock: Clock) -> None:
        self._client: Final = client
        self._request: Final = request
        self._clock: Final = clock
        self._outcome: Final[Future[Reply]] = Future()
        self._lock: Final = Lock()  # of the three below
        self._socket: socket.socket | None = None
        self._is_over = False
        self._is_sent = False
        request.extensions = {**request.extensions, "trace": self._traced}

    @property
    def may_have_arrived(self) -> bool:
        """Whether anything was sent; nothing is any more once `reply` has returned or raised."""
        with self._lock:
            return self._is_sent

    def reply(self, deadline_seconds: float) -> Reply:
        """Return the reply. Raises TimeoutError at the deadline, and what httpx2 raises before."""
        Thread(target=self._run, name="recense-model", daemon=True).start()
        try:
            return self._outcome.result(deadline_seconds)
        finally:
            with self._lock:
                self._is_over = True
                self._shut_down()

    def _run(self) -> None:
        try:
            reply = self._exchanged()
        except BaseException as error:  # noqa: BLE001 -- who asked raises it again
            self._outcome.set_exception(error)
        else:
            self._outcome.set_result(reply)

    def _exchanged(self) -> Reply:
        response = self._client.send(self._request, stream=True)
        try:
            is_ok = is_answer(response.status_code)
            if is_ok and response.headers.get("Content-Encoding", "identity") != "identity":
                raise ModelAnswerUnusable(
                    f"{self._request.url.host} sent a compressed answer, which nobody asked for"
                )
            bytes_max = MODEL_REPLY_BYTES_MAX if is_ok else MODEL_ERROR_BYTES_MAX
            body = bytearray()
            for piece in response.iter_raw():
                body += piece
                if len(body) > bytes_max:
                    break
        finally:
            response.close()
        if is_ok and len(body) > bytes_max:
            raise ModelAnswerUnusable(
                f"{self._request.url.host} sent more than {bytes_max} bytes, and was stopped"
            )
        return Reply(
            status=response.status_code,
            body=bytes(body),
            retry_after_seconds=retry_after(response.headers.get("Retry-After"), self._clock),
        )

    def _traced(self, event: str, told: Mapping[str, object]) -> None:
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            connection = cast("_Stream", told["return_value"]).get_extra_info("socket")
            with self._lock:
                self._socket = connection if isinstance(connection, socket.socket) else None
                if self._is_over:
                    self._shut_down()
        elif event.endswith("send_request_headers.started"):
            with self._lock:
                self._is_sent = self._is_sent or not self._is_over

    def _shut_down(self) -> None:
        """Wake whoever waits for the socket. One that is closed, or that TLS took over, is none."""
        if self._socket is not None:
            with suppress(OSError):
                # Below TLS: its own `shutdown` changes what the other thread is using.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


def _checked_url(base_url: str) -> httpx2.URL:
    try:
        url = httpx2.URL(base_url)
    except (httpx2.InvalidURL, UnicodeError) as error:
        raise _bad_url(base_url, "it is no URL") from error
    if url.userinfo:
        raise SettingsInvalid(
            "the base address of the model holds a user name or a password",
            hint="leave them out; a key has a setting of its own",
        )
    if url.scheme not in {"http", "https"}:
        raise _bad_url(base_url, "it begins with neither https:// nor http://")
    if not url.host:
        raise _bad_url(base_url, "it names no host")
    if url.query or url.fragment:
        raise _bad_url(base_url, "it has a query or a fragment")
    return url


def _bad_url(base_url: str, why: str) -> SettingsInvalid:
    return SettingsInvalid(
        f"the base address of the model is {quoted(base_url)}: {why}",
        hint="for example https://api.openai.com/v1",
    )


def _check_key(key: str | None, url: httpx2.URL) -> None:
    if key is None:
        return
    if not _HEADER_TEXT.fullmatch(key):
        raise SettingsInvalid(
            "the key of the model is empty, or holds blanks or characters beyond ASCII",
            hint="look for a line break or a quotation mark that was copied along",
        )
    if url.scheme == "http" and not is_near(url.host):
        raise SettingsInvalid(
            f"a key would go to {quoted(url.host)} over http, where anybody on the way reads it",
            hint="use https",
        )
