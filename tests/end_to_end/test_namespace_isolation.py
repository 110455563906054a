"""Isolation, in one process: six tenants with names that look alike, each with two threads that
write, import, recall and look at materials through the one way in. What one says is in no answer
and in no file of another.
"""

import base64
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from recense.core.values import Value
from recense.errors import IdentityMismatch, NotFound
from recense.operations.admin import NothingAsked
from recense.operations.facts import RememberFact, SearchFacts
from recense.operations.grep import GrepRequest
from recense.operations.keys import IssueKey, ListKeys
from recense.operations.materials import MaterialBytes, MaterialRequest
from recense.operations.recall import MoreRequest, RecallAnswer, RecallRequest
from recense.operations.sessions import ListSessions
from recense.operations.texts import RememberWords
from recense.servers.catalogue import OperationCall, answer
from recense.settings.layers import store_file
from recense.settings.loading import Settings, load_settings
from recense.wiring.namespaces import Namespaces, open_namespaces
from tests.importers.builders import claude_user, lines, text_block

CANARIES: dict[str, str] = {
    "a": "quartz",
    "ab": "ribbon",
    "a.b": "saffron",
    "a_b": "thimble",
    "A": "umber",
    "a:b": "velvet",
    "default": "walnut",
}
TENANTS = tuple(CANARIES)
ROUNDS = 3
THREADS_OF_A_TENANT = 2
SECONDS_MAX = 120
TERM = "fern"


def canary(tenant: str) -> str:
    """Return a word that this tenant alone says, whatever it says it in."""
    return f"{CANARIES[tenant]}canary"


def image(tenant: str) -> bytes:
    """Return an image that holds the canary, and noise that no compression takes away."""
    noise = random.Random(tenant).randbytes(3_000)
    return b"\x89PNG\r\n\x1a\n" + canary(tenant).encode() + noise


def write_session(folder: Path, tenant: str, name: str) -> Path:
    """Write a session of an agent, with an image."""
    picture = {
        "type": "image",
        "source": {
            "type": "base64",
            "media_type": "image/png",
            "data": base64.b64encode(image(tenant)).decode(),
        },
    }
    record = claude_user(
        1,
        [text_block(f"press the {TERM} of {canary(tenant)}"), picture],
        sessionId=f"{canary(tenant)}-{name}",
    )
    path = folder / f"{name}-{canary(tenant)}.jsonl"
    path.write_bytes(lines([record | {"uuid": f"u-{canary(tenant)}-{name}"}]))
    return path


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"store": str(tmp_path / "kept.db")}, {}, str(tmp_path), str(tmp_path))


@pytest.fixture
def namespaces(settings: Settings) -> Iterator[Namespaces]:
    opened = open_namespaces(settings)
    try:
        yield opened
    finally:
        assert opened.close() == ()


class Tenant:
    """A tenant that knows nothing but its key, and remembers every byte that it was answered."""

    def __init__(self, namespaces: Namespaces, name: str, folder: Path) -> None:
        scopes = ("recall", "remember", "import", "admin")
        self.name = name
        self.answered: list[bytes] = []
        self.materials: list[str] = []
        self.anchors: list[str] = []
        self._namespaces = namespaces
        self._folder = folder
        self._key = namespaces.keys.issue(IssueKey(namespace=name, scopes=scopes)).key

    def ask(self, operation: str, request: Value) -> Value:
        credential = self._namespaces.keys.check(self._key)
        with self._namespaces.memory(credential.namespace) as memory:
            call = OperationCall(memory=memory, credential=credential, keys=self._namespaces.keys)
            answered = answer(operation, call, request)
        self.answered.append(msgspec.json.encode(answered))
        if isinstance(answered, MaterialBytes):
            self.answered.append(answered.data)
        return answered

    def bring_in(self, name: str) -> None:
        path = write_session(self._folder, self.name, name)
        credential = self._namespaces.keys.check(self._key)
        with self._namespaces.memory(credential.namespace) as memory:
            report = memory.import_sessions("claude_code", [str(path)])
        self.answered.append(msgspec.json.encode(report))

    def work(self, name: str) -> None:
        self.bring_in(name)
        self.ask(
            "remember", RememberWords(text=f"The {TERM} {name} stands at {canary(self.name)}.")
        )
        self.ask(
            "remember_fact",
            RememberFact(subject=TERM, predicate=f"place_{name}", value=canary(self.name)),
        )
        found = self.ask("recall", RecallRequest(terms=(TERM,), limit=25))
        assert isinstance(found, RecallAnswer)
        self.anchors = [passage.anchor for passage in found.passages]
        self.materials = [material.id for material in found.materials]
        for material in self.materials:
            self.ask("recall_material", MaterialRequest(material=material))
        self.ask("recall_more", MoreRequest(anchor=self.anchors[0]))
        self.ask("grep", GrepRequest(pattern="canary"))
        self.ask("search_facts", SearchFacts(text=f"where does the {TERM} stand"))
        self.ask("list_sessions", ListSessions(limit=50))
        self.ask("list_keys", ListKeys())
        self.ask("doctor", NothingAsked())


def test_no_byte_of_one_tenant_is_in_an_answer_or_a_file_of_another(
    namespaces: Namespaces, settings: Settings, tmp_path: Path
) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    tenants = [Tenant(namespaces, name, sources) for name in TENANTS]
    start = threading.Barrier(len(tenants) * THREADS_OF_A_TENANT)

    def run(tenant: Tenant, thread: int) -> None:
        start.wait(SECONDS_MAX)
        for number in range(ROUNDS):
            tenant.work(f"t{thread}n{number}")

    with ThreadPoolExecutor(start.parties) as pool:
        running = [
            pool.submit(run, tenant, thread)
            for tenant in tenants
            for thread in range(THREADS_OF_A_TENANT)
        ]
        for each in running:
            each.result(SECONDS_MAX)
    for tenant in tenants:
        said = b"".join(tenant.answered)
        assert said.count(canary(tenant.name).encode()) > ROUNDS
        assert image(tenant.name) in tenant.answered
        _assert_only(said, tenant.name)
    _assert_no_door_to_another(tenants)
    _assert_files_apart(settings, tmp_path)
    assert namespaces.close() == ()
    _assert_files_apart(settings, tmp_path)


def _assert_only(content: bytes, mine: str) -> None:
    """No canary of another stands in these bytes, nor the noise of its image."""
    foreign = [name for name in TENANTS if name != mine]
    assert [name for name in foreign if canary(name).encode() in content] == []
    assert [name for name in foreign if image(name)[-64:] in content] == []


def _assert_no_door_to_another(tenants: list[Tenant]) -> None:
    for mine, other in zip(tenants, [*tenants[1:], tenants[0]], strict=True):
        for operation, request in (
            ("recall_material", MaterialRequest(material=other.materials[0])),
            ("recall_more", MoreRequest(anchor=other.anchors[0])),
        ):
            with pytest.raises(NotFound):
                mine.ask(operation, request)
        for request in (IssueKey(namespace=other.name), ListKeys(namespace=other.name)):
            with pytest.raises(IdentityMismatch):
                mine.ask("issue_key" if isinstance(request, IssueKey) else "list_keys", request)


def _assert_files_apart(settings: Settings, folder: Path) -> None:
    files = {name: Path(store_file(settings.store, name) or "") for name in TENANTS}
    for name, file in files.items():
        beside = sorted(file.parent.glob(f"{file.name}*"))
        mine = [path for path in beside if path.is_file() and ".control." not in path.name]
        content = b"".join(path.read_bytes() for path in mine)
        assert canary(name).encode() in content
        assert image(name)[-64:] in content
        _assert_only(content, name)
    for path in folder.glob("kept.db.control.db*"):
        content = path.read_bytes()
        assert b"canary" not in content
