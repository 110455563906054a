"""A server in a process of its own, as benchmarks start, watch and kill it."""

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

import msgspec

from recense.bench.children import PYTHON, RECENSE, Children, decoded_as
from recense.bench.load import Load, LoadReport
from recense.client.clients import Client
from recense.errors import RecenseError
from recense.operations.facts import GetFacts, RememberFact
from recense.operations.keys import KeyIssued

HOST: Final = "127.0.0.1"
STARTED_SECONDS_MAX: Final = 30.0
ENDED_SECONDS_MAX: Final = 30.0
_LOOK_SECONDS: Final = 0.05
_TOLD_BEFORE_KILL: Final = 100
_CALLERS: Final = 4


class RunningServer:
    """A server that answers."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int) -> None:
        self.host: Final = HOST
        self.port: Final = port
        self._process: Final = process

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{self.host}:{self.port}"

    def resident_bytes(self) -> int:
        """Return how much memory it has resident; 0 where the system does not say."""
        try:
            with open(f"/proc/{self._process.pid}/status", encoding="ascii") as status:
                rows = [line.split() for line in status if line.startswith("VmRSS")]
        except FileNotFoundError:
            return 0
        return int(rows[0][1]) * 1_024

    def killed_while_told(self, key: str, facts: Sequence[RememberFact]) -> list[RememberFact]:
        """Tell it facts from several callers, kill it, and return what it acknowledged."""
        acknowledged: list[RememberFact] = []
        enough = threading.Event()

        def tell(some: Sequence[RememberFact]) -> None:
            with Client(self.url, key) as client, suppress(RecenseError):
                for fact in some:
                    client.remember_fact(fact)
                    acknowledged.append(fact)
                    if len(acknowledged) >= _TOLD_BEFORE_KILL:
                        enough.set()

        callers = [
            threading.Thread(target=tell, args=[facts[first::_CALLERS]])
            for first in range(_CALLERS)
        ]
        for caller in callers:
            caller.start()
        enough.wait(STARTED_SECONDS_MAX)
        self._process.send_signal(signal.SIGKILL)
        for caller in callers:
            caller.join(ENDED_SECONDS_MAX)
        return acknowledged

    def missing(self, key: str, facts: Sequence[RememberFact]) -> list[RememberFact]:
        """Return which of some facts it does not know, as what holds or as what held."""
        with Client(self.url, key) as client:
            return [
                fact
                for fact in facts
                if fact.value
                not in {
                    each.value
                    for each in client.recall_facts(
                        GetFacts(subject=fact.subject, predicate=fact.predicate)
                    ).beliefs
                }
            ]


@contextmanager
def running_server(children: Children) -> Generator[RunningServer]:
    """Run a server for a block, and end it politely. Raises AssertionError where it does not start
    or does not end in time.
    """
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = int(free.getsockname()[1])
    process = children.started([*RECENSE, "serve", "--host", HOST, "--port", str(port)])
    try:
        _wait_for(process, port)
        yield RunningServer(process, port)
        if process.poll() is None:
            process.terminate()
            process.wait(ENDED_SECONDS_MAX)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(ENDED_SECONDS_MAX)


def issued_key(children: Children) -> str:
    """Return a new key that may do what the benchmark does."""
    words = [*RECENSE, "keys", "issue", "--scopes", "recall,remember", "--json"]
    return decoded_as(KeyIssued, children.run(words).out).key


def loaded(load: Load) -> LoadReport:
    """Run a load in a process of its own, and return what came of it."""
    ran = subprocess.run(  # noqa: S603 -- a program of ours
        [PYTHON, "-m", "recense.bench.load"],
        input=msgspec.json.encode(load),
        stdout=subprocess.PIPE,
        env={**os.environ, "NO_PROXY": HOST, "no_proxy": HOST},
        timeout=3_600,
        check=False,
    )
    if ran.returncode != 0:
        raise AssertionError(f"the generator of load ended with {ran.returncode}")
    return msgspec.json.decode(ran.stdout, type=LoadReport)


def _wait_for(process: "subprocess.Popen[bytes]", port: int) -> None:
    """Return when a server takes connections. Raises AssertionError where it does not."""
    for _ in range(round(STARTED_SECONDS_MAX / _LOOK_SECONDS)):
        if _answers(port):
            return
        with suppress(subprocess.TimeoutExpired):
            code = process.wait(_LOOK_SECONDS)
            raise AssertionError(f"the server ended with {code} as it started")
    raise AssertionError(f"the server takes no connection after {STARTED_SECONDS_MAX} s")


def _answers(port: int) -> bool:
    """Whether a server takes connections."""
    try:
        with socket.create_connection((HOST, port), timeout=1.0):
            return True
    except OSError:
        return False
