"""A program that keeps facts in a store beside ours, and says what each piece of work took.

``python -m recense.bench.fact_peer NAME FOLDER EMBEDDER``: reads one `PeerJob` a line, answers with
one `PeerAnswer` a line. A process of its own, since a peer may read its surroundings when it is
loaded, and so that nothing of it is in ours.
"""

import os
import sys
from collections.abc import Callable
from http.client import HTTPConnection
from importlib import import_module
from time import perf_counter
from typing import Any, Final, Literal, Protocol
from urllib.parse import urlsplit

import msgspec

from recense.bench.stub_embedder import DIMENSIONS
from recense.core.values import Value

LANGGRAPH: Final = "langgraph_sqlite"
MEM0: Final = "mem0"
MODULES: Final = {LANGGRAPH: "langgraph.store.sqlite", MEM0: "mem0"}
_FOUND: Final = 10
_USER: Final = "bench"


class PeerFact(Value, kw_only=True):
    """A fact as every peer is given it; ``text`` says all of it."""

    subject: str
    predicate: str
    value: str
    text: str


class PeerJob(Value, kw_only=True):
    """Work to do for each of some facts, one after the other."""

    work: Literal["remember", "read", "search"]
    facts: tuple[PeerFact, ...]


class PeerAnswer(Value, kw_only=True):
    """The seconds of each piece of work, and how many gave what was right."""

    seconds: tuple[float, ...]
    right: int


class _Peer(Protocol):
    def remember(self, fact: PeerFact) -> bool: ...

    def read(self, fact: PeerFact) -> bool: ...

    def search(self, fact: PeerFact) -> bool: ...


class _LangGraph:
    """LangGraph's store in SQLite: a namespace for a subject, a key for a predicate."""

    def __init__(self, folder: str, embedder: str) -> None:
        module: Any = import_module(MODULES[LANGGRAPH])

        address = urlsplit(embedder)
        connection = HTTPConnection(address.hostname or "", address.port)

        def embed(texts: list[str]) -> list[list[float]]:
            body = msgspec.json.encode({"input": texts, "model": "stub"})
            connection.request("POST", f"{address.path}/embeddings", body)
            with connection.getresponse() as answer:
                return [each["embedding"] for each in msgspec.json.decode(answer.read())["data"]]

        index = {"dims": DIMENSIONS, "embed": embed, "fields": ["text"]}
        path = os.path.join(folder, "langgraph.db")
        self._opened: Final = module.SqliteStore.from_conn_string(path, index=index)
        self._store: Final[Any] = self._opened.__enter__()
        self._store.setup()

    def remember(self, fact: PeerFact) -> bool:
        told = {"text": fact.text, "value": fact.value}
        self._store.put((fact.subject,), fact.predicate, told)
        return True

    def read(self, fact: PeerFact) -> bool:
        item: Any = self._store.get((fact.subject,), fact.predicate)
        return bool(item.value["value"] == fact.value)

    def search(self, fact: PeerFact) -> bool:
        found: Any = self._store.search((), query=fact.text, limit=_FOUND)
        return any(item.value["text"] == fact.text for item in found)


class _Mem0:
    """mem0 without inference, over its local vector store."""

    def __init__(self, folder: str, embedder: str) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder}
        module: Any = import_module(MODULES[MEM0])
        reached = {"api_key": "none", "openai_base_url": embedder}
        self._memory: Final[Any] = module.Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "collection_name": "facts",
                        "embedding_model_dims": DIMENSIONS,
                        "path": os.path.join(folder, "qdrant"),
                        "on_disk": True,
                    },
                },
                "embedder": {
                    "provider": "openai",
                    "config": {**reached, "model": "stub", "embedding_dims": DIMENSIONS},
                },
                "llm": {"provider": "openai", "config": {**reached, "model": "stub"}},
                "history_db_path": os.path.join(folder, "history.db"),
            }
        )
        self._ids: Final[dict[str, str]] = {}

    def remember(self, fact: PeerFact) -> bool:
        added: Any = self._memory.add(fact.text, user_id=_USER, infer=False)
        self._ids[fact.text] = added["results"][0]["id"]
        return True

    def read(self, fact: PeerFact) -> bool:
        return bool(self._memory.get(self._ids[fact.text])["memory"] == fact.text)

    def search(self, fact: PeerFact) -> bool:
        found: Any = self._memory.search(fact.text, filters={"user_id": _USER}, top_k=_FOUND)
        return any(item["memory"] == fact.text for item in found["results"])


def _done(peer: _Peer, job: PeerJob) -> PeerAnswer:
    work: Callable[[PeerFact], bool] = getattr(peer, job.work)
    seconds: list[float] = []
    right = 0
    for fact in job.facts:
        began = perf_counter()
        right += work(fact)
        seconds.append(perf_counter() - began)
    return PeerAnswer(seconds=tuple(seconds), right=right)


def main(name: str, folder: str, embedder: str) -> None:
    """Do jobs until there are no more."""
    out, sys.stdout = sys.stdout, sys.stderr
    peer = _LangGraph(folder, embedder) if name == LANGGRAPH else _Mem0(folder, embedder)
    for line in sys.stdin:
        answer = _done(peer, msgspec.json.decode(line, type=PeerJob))
        out.write(msgspec.json.encode(answer).decode() + "\n")
        out.flush()


if __name__ == "__main__":
    main(*sys.argv[1:4])
