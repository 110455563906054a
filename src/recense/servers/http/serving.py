"""Serving: from settings to a server that answers, and back.

Laws: who can be reached by others asks for keys. The first signal to stop lets calls in flight end,
for so long and no longer; a second one ends the process at once. Either loses no write that was
acknowledged: it was committed before.
"""

import asyncio
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import BinaryIO, Final, cast

import uvicorn
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from recense.core.addresses import is_of_this_machine
from recense.core.namespaces import DEFAULT_NAMESPACE
from recense.core.text.quoting import quoted
from recense.core.text.redact import redact
from recense.errors import SettingsInvalid
from recense.limits import (
    BACKGROUND_STOP_SECONDS_MAX,
    HTTP_THREADS,
    IDENTITY_EXCHANGES_MAX,
    KEEP_ALIVE_SECONDS,
    NAMESPACES_CLOSE_MS_MAX,
    SERVER_BACKLOG,
    SERVER_SLOW_THREADS,
    SERVER_SLOW_WAITING_MAX,
    SERVER_WAITING_MAX,
    SHUTDOWN_SECONDS_MAX,
)
from recense.operations.keys import LOCAL, ListKeys
from recense.servers.http.app import application
from recense.servers.http.background import Background
from recense.servers.http.exchanging import exchange_handler
from recense.servers.http.hosts import AllowedHosts
from recense.servers.http.hubs import Hubs
from recense.servers.http.logs import ForeignLog, ServerLog
from recense.servers.http.metering import Meter
from recense.servers.http.metrics import Metrics
from recense.servers.http.options import Listening, ServeOptions
from recense.servers.http.parts import ServerParts
from recense.servers.http.protocol import BoundedProtocol
from recense.servers.http.tracing import Drawn
from recense.servers.http.uploading import empty_spool
from recense.servers.workers import Workers
from recense.settings.layers import store_file
from recense.settings.loading import Settings
from recense.wiring.identity import kubernetes_exchange, kubernetes_options
from recense.wiring.machine import machine_chance, machine_clock
from recense.wiring.namespaces import Namespaces, open_namespaces

_STOPPED_BY: Final = 128
_SPOOL_SUFFIX: Final = ".uploads"
_FOREIGN_LOGS: Final = ("mcp", "uvicorn")


class Server:
    """A server on one store. It is made, served from one thread, and may be told to stop by any."""

    def __init__(
        self, settings: Settings, options: ServeOptions, *, version: str, log: BinaryIO
    ) -> None:
        """Open the store and take the address; nothing is answered yet.

        Raises SettingsInvalid for what may not be served so, or an address that cannot be had, and
        what opening the store raises.
        """
        if options.insecure and not is_of_this_machine(options.host):
            raise SettingsInvalid(
                f"--insecure is given, and {options.host!r} can be reached from elsewhere",
                hint="without keys a server answers on 127.0.0.1 alone",
            )
        self._log: Final = ServerLog(log, machine_clock().now)
        self._workers: Final = Workers("call", threads=HTTP_THREADS, waiting_max=SERVER_WAITING_MAX)
        self._slow_workers: Final = Workers(
            "slow", threads=SERVER_SLOW_THREADS, waiting_max=SERVER_SLOW_WAITING_MAX
        )
        self._exchange_workers: Final = Workers(
            "exchange", threads=IDENTITY_EXCHANGES_MAX, waiting_max=IDENTITY_EXCHANGES_MAX
        )
        self._metrics: Final = Metrics()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._socket: Final = _listening(options)
        with ExitStack() as undo:
            undo.callback(self._socket.close)
            self.namespaces: Final = open_namespaces(settings)
            undo.callback(self.namespaces.close)
            _require_keys(self.namespaces, options)
            self.listening: Final = Listening(
                address=_address(self._socket),
                store=redact(settings.store).text,
                insecure=options.insecure,
            )
            self._hubs: Final = Hubs(
                self.namespaces, self._workers, self._log, machine_chance().token
            )
            self._background: Final = Background(
                self.namespaces,
                self._log,
                self._metrics,
                self._nudge_from_elsewhere,
                watches=options.watch,
                extracts=options.extract,
            )
            app = application(
                self._parts(settings, options), self._hubs, version, *self._exchanging(options)
            )
            self._uvicorn: Final = _Uvicorn(app, self._wake, self._log)
            undo.pop_all()

    def _exchanging(self, options: ServeOptions) -> list[HTTPRouteHandler]:
        """Return what exchanges the tokens of the cluster that this process runs in, where it is
        asked to.
        """
        if options.kubernetes is None:
            return []
        cluster = kubernetes_options(
            options.kubernetes, os.environ, tenant_label=options.kubernetes_tenant_label
        )
        exchange = kubernetes_exchange(cluster, self.namespaces.keys)
        return [exchange_handler(exchange, self._exchange_workers)]

    def _parts(self, settings: Settings, options: ServeOptions) -> ServerParts:
        spool = f"{store_file(settings.store, DEFAULT_NAMESPACE)}{_SPOOL_SUFFIX}"
        empty_spool(spool, machine_clock().now())
        return ServerParts(
            namespaces=self.namespaces,
            workers=self._workers,
            slow_workers=self._slow_workers,
            hosts=AllowedHosts(options.host, hosts=options.hosts, origins=options.origins),
            meter=Meter(time.monotonic),
            log=self._log,
            metrics=self._metrics,
            draw=Drawn(machine_chance().token).token,
            spool=spool,
            open_credential=LOCAL if options.insecure else None,
            is_stopping=lambda: self._uvicorn.should_exit,
            monotonic=time.monotonic,
            touched=self._hubs.nudge,
            came_in=self._background.index,
        )

    def serve(self, ready: Callable[[Listening], None]) -> None:
        """Answer until told to stop, then let go of everything. ``ready`` is called once calls are
        answered.
        """
        with self._log.written(), _foreign_logs(self._log):
            self._log.say("listening", f"{self.listening.address} on {self.listening.store}")
            if self.listening.insecure:
                self._log.say("insecure", "every call is answered without a key", level="warning")
            try:
                asyncio.run(self._serve(ready))
            finally:
                self._let_go()

    def _let_go(self) -> None:
        self._socket.close()
        has_stopped = self._background.stop(BACKGROUND_STOP_SECONDS_MAX)
        self._workers.end()
        self._slow_workers.end()
        self._exchange_workers.end()
        left = self.namespaces.close(wait_ms=NAMESPACES_CLOSE_MS_MAX if has_stopped else 0)
        self._log.say("stopped", "all is closed" if not left else "some work was cut off")

    def stop(self) -> None:
        """Stop, from any thread: what is in flight ends first."""
        self._uvicorn.stop()

    async def _serve(self, ready: Callable[[Listening], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._background.start()
        await self._uvicorn.serve_socket(self._socket, lambda: ready(self.listening))

    def _nudge_from_elsewhere(self, namespace: str) -> None:
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop has ended: nobody follows any more
                loop.call_soon_threadsafe(self._hubs.nudge, namespace)

    def _wake(self) -> None:
        """Let who follows changes see that the server is stopping."""
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # likewise
                loop.call_soon_threadsafe(lambda: loop.create_task(self._hubs.wake_all()))


class _Uvicorn(uvicorn.Server):
    """uvicorn, stopped as we stop: ``wake`` is called once when it begins to."""

    def __init__(self, app: ASGIApp, wake: Callable[[], None], log: ServerLog) -> None:
        super().__init__(
            uvicorn.Config(
                cast("Callable[..., object]", app),
                http=BoundedProtocol,
                ws="none",
                loop="asyncio",
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=SERVER_BACKLOG,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=int(SHUTDOWN_SECONDS_MAX),
            )
        )
        self._wake: Final = wake
        self._log: Final = log
        self._ready: Callable[[], None] | None = None

    async def serve_socket(self, listening: socket.socket, ready: Callable[[], None]) -> None:
        """Serve until told to stop; ``ready`` is called once calls are answered."""
        self._ready = ready
        await self.serve([listening])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        if self.started and self._ready is not None:
            self._ready()

    def stop(self) -> None:
        """Begin to stop."""
        self.should_exit = True
        self._wake()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal: the first lets calls in flight end, a second one ends the process now."""
        if self.should_exit:
            self._log.last_words("killed", "a second signal came")
            os._exit(_STOPPED_BY + sig)
        self._log.say("stopping", "calls in flight are answered")
        self.stop()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Take signals for as long as the context lasts, where the thread may; none is raised
        again after it: who was asked to stop and did has done what was asked.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


@contextmanager
def _foreign_logs(log: ServerLog) -> Generator[None]:
    """Let what libraries log come to our log, for as long as the context lasts."""
    handler = ForeignLog(log)
    loggers = [logging.getLogger(name) for name in _FOREIGN_LOGS]
    before = [logger.propagate for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, propagates in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.propagate = propagates


def _require_keys(namespaces: Namespaces, options: ServeOptions) -> None:
    """Refuse to serve others where nobody has a key, or can get one: they could only be refused."""
    if is_of_this_machine(options.host) or options.kubernetes is not None:
        return
    if namespaces.keys.list(ListKeys(limit=1, everywhere=True)).total:
        return
    raise SettingsInvalid(
        f"{options.host!r} can be reached from elsewhere, and no key was ever issued",
        hint="issue one first: recense keys issue",
    )


def _listening(options: ServeOptions) -> socket.socket:
    """Return a socket that listens. Raises SettingsInvalid for an address that cannot be had."""
    host = options.host.strip("[]")
    try:
        found = socket.getaddrinfo(host, options.port, type=socket.SOCK_STREAM)
        family, _, _, _, address = found[0]
        return socket.create_server(
            address[:2],
            family=family,
            backlog=SERVER_BACKLOG,
            reuse_port=False,
        )
    except (OSError, OverflowError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise SettingsInvalid(
            f"nothing can listen at {quoted(options.host)}, port {options.port}: {why}",
            hint="name an address of this machine, and a port that is free",
        ) from error


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"
