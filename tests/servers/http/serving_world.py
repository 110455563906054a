"""A server of ours on loopback, in a thread, and who asks it."""

import io
import socket
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
import msgspec
from typing_extensions import Buffer

from recense.operations.keys import IssueKey, KeyScope, RevokeKey
from recense.servers.http.options import Listening, ServeOptions
from recense.servers.http.serving import Server
from recense.services.keys import Keys
from recense.settings.loading import load_settings
from recense.wiring.control import open_control
from recense.wiring.machine import machine_chance, machine_clock

SECONDS_MAX = 30.0
EVERYTHING: tuple[KeyScope, ...] = ("recall", "remember", "agent", "import", "admin")


class SomeError(msgspec.Struct):
    """What is read of a problem."""

    code: str
    status: int
    detail: str = ""
    hint: str = ""


class Log(io.BytesIO):
    """What a server logs, to be waited for: it is written in a thread of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()

    def write(self, data: Buffer) -> int:
        with self._changed:
            self._changed.notify_all()
            return super().write(data)

    def line_with(self, text: str) -> bytes:
        """Return the first line that holds a text, once it is written."""

        def found() -> bytes | None:
            lines = self.getvalue().splitlines()
            return next((line for line in lines if text.encode() in line), None)

        with self._changed:
            assert self._changed.wait_for(lambda: found() is not None, SECONDS_MAX), text
            return found() or b""


class RunningServer:
    """A server that answers, until its context ends."""

    def __init__(self, server: Server, log: Log) -> None:
        self.server = server
        self.log = log
        self.address = server.listening.address
        self.place = self.address.removeprefix("http://")
        host, _, port = self.place.rpartition(":")
        self.socket_address = (host, int(port))

    def key(
        self,
        namespace: str = "default",
        scopes: Sequence[KeyScope] = EVERYTHING,
        agent: str | None = None,
    ) -> str:
        """Issue a key."""
        asked = IssueKey(namespace=namespace, scopes=tuple(scopes), agent=agent)
        return self.server.namespaces.keys.issue(asked).key

    @contextmanager
    def client(self, key: str | None = None, **headers: str) -> Generator[httpx2.Client]:
        """Hold a client with a key."""
        sent = {**headers, **({} if key is None else {"authorization": f"Bearer {key}"})}
        with httpx2.Client(base_url=self.address, headers=sent, timeout=SECONDS_MAX) as client:
            yield client

    def raw(self, *pieces: bytes) -> bytes:
        """Return all that comes back for bytes as they are, until the server closes, be it before
        all of them were sent.
        """
        with socket.create_connection(self.socket_address, timeout=SECONDS_MAX) as connection:
            with suppress(ConnectionError):
                for piece in pieces:
                    connection.sendall(piece)
            return read_all(connection)


def revoked_elsewhere(server: RunningServer, key: str) -> None:
    """Revoke a key as another process on the same store does: the server is not told."""
    place = server.server.listening.store.removeprefix("sqlite://")
    settings = load_settings({"store": f"sqlite://{place}"}, {}, "/", "/")
    with open_control(settings, create=False) as control:
        keys = Keys(control, machine_clock(), machine_chance())
        keys.revoke(RevokeKey(id=key.split("_")[1]))


def read_all(connection: socket.socket) -> bytes:
    """Return what comes until the other side closes."""
    came = b""
    try:
        while piece := connection.recv(65_536):
            came += piece
    except ConnectionResetError:
        return came
    return came


def problem(answer: httpx2.Response) -> SomeError:
    """Return the problem of an answer, which has to be one."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    found = msgspec.json.decode(answer.content, type=SomeError)
    assert found.status == answer.status_code
    return found


@contextmanager
def running(
    folder: Path, options: ServeOptions | None = None, **more_settings: str
) -> Generator[RunningServer]:
    """Hold a server that answers, on a store in a folder."""
    log = Log()
    flags = {"store": f"sqlite:///{folder}/store.db", **more_settings}
    settings = load_settings(flags, {}, str(folder), str(folder))
    given = options or ServeOptions()
    given = msgspec.structs.replace(given, port=0)
    server = Server(settings, given, version="0.0.0", log=log)
    is_ready = threading.Event()

    def ready(_listening: Listening) -> None:
        is_ready.set()

    thread = threading.Thread(target=server.serve, args=(ready,), name="server under test")
    thread.start()
    try:
        assert is_ready.wait(SECONDS_MAX)
        yield RunningServer(server, log)
    finally:
        server.stop()
        thread.join(SECONDS_MAX)
        assert not thread.is_alive()
