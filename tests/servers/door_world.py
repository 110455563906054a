"""A server on a store that is filled once, and every door to it."""

import shutil
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from recense.core.values import Value
from recense.operations.admin import NothingAsked, SessionList
from recense.operations.agent_calls import (
    ListActions,
    ListAgents,
    ListPointers,
    RecentTurns,
    ShowAgent,
)
from recense.operations.fact_requests import FactHistoryRequest, ListPredicates
from recense.operations.facts import GetFacts
from recense.operations.keys import IssueKey, ListKeys, local_credential
from recense.operations.recall import RecallRequest
from recense.operations.sessions import ListSessions, ShowSession
from recense.ports.records import RecordStore
from recense.servers.catalogue import OperationCall, answer
from recense.services.keys import Keys
from recense.services.namespaces import note_namespace
from recense.settings.layers import store_file
from recense.wiring.control import open_control
from recense.wiring.machine import machine_chance, machine_clock
from tests.servers.door_scene import CLERK, SLEEPER, Scene, hand_over, prepared
from tests.servers.doors import (
    CommandDoor,
    Door,
    DoorName,
    HttpDoor,
    Json,
    LibraryDoor,
    McpDoor,
    Store,
    as_json,
)
from tests.servers.http.serving_world import EVERYTHING, RunningServer, running

_MODEL: Final = "model"
_DAY_SECONDS: Final = 86_400


class World:
    """Every door to the namespaces of one store, each of which is a copy of the same file."""

    def __init__(
        self,
        store: Store,
        server: RunningServer,
        keys: Keys,
        control: RecordStore,
        closing: ExitStack,
    ) -> None:
        self._store: Final = store
        self._control: Final = control
        self._keys: Final = keys
        self._tokens: Final[dict[str, str]] = {}
        self.mcp: Final = McpDoor(server, self._tokens)
        self.command: Final = CommandDoor(store)
        self.doors: Final[Mapping[DoorName, Door]] = {
            "library": LibraryDoor(store, keys),
            "http": HttpDoor(server, self._tokens, closing),
            "mcp": self.mcp,
        }
        with store.memory(_MODEL) as memory:
            self._model: Final = prepared(memory, store.folder)
        self.reading: Final = "reading"
        _, self.scene = self.copy(self.reading)
        self.unwritten: Final = self.everything(self.reading)

    def copy(self, namespace: str, door: DoorName = "library") -> tuple[str, Scene]:
        """Make a namespace that holds what all hold, with a key for its callers and one to spare,
        and return its name and what is in it. The agent in it is held by who asks at a door.
        """
        model, place = (
            Path(str(store_file(self._store.flags["store"], name))) for name in (_MODEL, namespace)
        )
        shutil.copyfile(model, place)
        note_namespace(self._control, namespace, machine_clock())
        asked = IssueKey(namespace=namespace, scopes=EVERYTHING)
        issued = self._keys.issue(asked)
        self._tokens[namespace] = issued.key
        if door in {"http", "mcp"}:
            with self._store.memory(namespace) as memory:
                hand_over(memory, f"key {issued.id}")
        spare = self._keys.issue(replace(asked, expires_in_seconds=_DAY_SECONDS))
        return namespace, replace(self._model, spare=spare.id)

    def everything(self, namespace: str) -> Json:
        """Return all that can be read of a namespace, through the library."""
        with self._store.memory(namespace) as memory:
            call = OperationCall(
                memory=memory, credential=local_credential(namespace), keys=self._keys
            )
            listed = answer("list_sessions", call, ListSessions())
            assert isinstance(listed, SessionList)
            shown = [ShowSession(session=each.session, everything=True) for each in listed.sessions]
            return [
                as_json(listed),
                *(as_json(answer("show_session", call, each)) for each in shown),
                *(as_json(answer(name, call, request)) for name, request in _READS),
            ]


_READS: Final[tuple[tuple[str, Value], ...]] = (
    ("digest", NothingAsked()),
    ("list_predicates", ListPredicates()),
    ("registry_log", NothingAsked()),
    ("recall", RecallRequest(terms=("bees",))),
    ("recall_facts", GetFacts()),
    ("fact_history", FactHistoryRequest(subject="mira", predicate="lives_in")),
    ("fact_history", FactHistoryRequest(subject="mira", predicate="likes")),
    ("list_agents", ListAgents()),
    *(
        (name, kind(agent=agent))
        for agent in (CLERK, SLEEPER)
        for name, kind in (
            ("show_agent", ShowAgent),
            ("list_actions", ListActions),
            ("list_pointers", ListPointers),
            ("recent_turns", RecentTurns),
        )
    ),
    ("list_keys", ListKeys()),
)


@contextmanager
def open_world(folder: Path) -> Generator[World]:
    """Hold a server that answers, and every door to it, on a store in a folder."""
    store = Store(folder)
    with (
        running(folder) as server,
        open_control(store.settings(_MODEL), create=True) as control,
        ExitStack() as closing,
    ):
        keys = Keys(control, machine_clock(), machine_chance())
        yield World(store, server, keys, control, closing)
