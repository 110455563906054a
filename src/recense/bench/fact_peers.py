"""What stands beside the facts: other stores, each in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final, Literal

import msgspec

from recense.bench.fact_peer import MODULES, PeerAnswer, PeerFact, PeerJob

PROGRAM: Final = ("-m", "recense.bench.fact_peer")
"""What is run as a peer."""


def is_installed(name: str) -> bool:
    """Whether the library of a peer can be loaded."""
    try:
        return find_spec(MODULES[name]) is not None
    except ModuleNotFoundError:
        return False


class PeerEnded(Exception):
    """A peer ended instead of answering; it has said why on stderr."""


class FactPeer:
    """A running peer."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process: Final = process

    def do(
        self, work: Literal["remember", "read", "search"], facts: Sequence[PeerFact]
    ) -> PeerAnswer:
        """Do a job. Raises PeerEnded."""
        into, out = self._process.stdin, self._process.stdout
        if into is None or out is None:
            raise PeerEnded
        try:
            into.write(msgspec.json.encode(PeerJob(work=work, facts=tuple(facts))) + b"\n")
            into.flush()
        except BrokenPipeError as error:
            raise PeerEnded from error
        line = out.readline()
        if not line.endswith(b"\n"):
            raise PeerEnded
        return msgspec.json.decode(line, type=PeerAnswer)


@contextmanager
def running_peer(name: str, folder: str, embedder: str) -> Generator[FactPeer]:
    """Run a peer for a block; its proxies are not asked for the loopback."""
    mine = os.path.join(folder, name)
    os.mkdir(mine)
    process = subprocess.Popen(  # noqa: S603 -- a program of ours
        [sys.executable, *PROGRAM, name, mine, embedder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"},
    )
    try:
        yield FactPeer(process)
    finally:
        process.kill()
        process.communicate()
