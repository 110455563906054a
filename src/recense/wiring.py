"""Wiring: the only place that knows which adapters and importers exist, and how they are joined."""

import os
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Final, Literal, cast
from urllib.parse import unquote, urlsplit

from recense.adapters.memory.store import MemoryStore
from recense.adapters.sqlite.store import open_sqlite
from recense.adapters.system import SystemChance, SystemClock
from recense.core.text.redact import redact
from recense.core.transcript.messages import LoadedSession
from recense.core.transcript.records import Session
from recense.core.values import Value
from recense.errors import MissingExtra, SettingsInvalid
from recense.operations.admin import SettingView
from recense.ports.clock import Chance, Clock
from recense.ports.sources import Importer
from recense.ports.transcripts import TranscriptReader, TranscriptStore
from recense.services.candidates import FullScan
from recense.services.conversion import load_session
from recense.services.doctor import Doctor
from recense.services.importing import Importing, Machine
from recense.services.memory import Memory
from recense.services.recall import Recall
from recense.services.sessions import Sessions
from recense.settings import Settings, load_settings

IMPORTER_GROUP: Final = "recense.importers"


class Importers(Value, kw_only=True):
    """The importers that are registered, by name: those that work, and why the others do not.

    A fault is raised when that source is asked for by name, and the doctor names it; everything
    else goes on without it.
    """

    working: Mapping[str, Importer]
    faults: Mapping[str, MissingExtra] = {}


def open_memory(settings: Settings, *, create: bool = True) -> Memory:
    """Return the memory that the settings name.

    ``create`` makes a store that does not exist yet; without it a missing store is an error. Raises
    SettingsInvalid for a store URL of no known scheme, and the faults of opening the store.
    """
    store = open_store(settings, create=create, chance=SystemChance())
    return join(
        store,
        importers=load_importers(),
        clock=SystemClock(),
        machine=Machine(environment=dict(os.environ), home=os.path.expanduser("~")),
        redact_secrets=settings.store_secrets == "redact",
        keep_source=settings.keep_source,
        settings=settings.views(),
        settings_file=settings.file,
    )


def open_url(
    url: str | None = None, *, namespace: str | None = None, create: bool = True
) -> Memory:
    """Return the memory of this machine's settings: ``recense.open``.

    A URL or a namespace that is given holds over the settings. Raises as `open_memory`.
    """
    given = {"store": url, "namespace": namespace}
    flags = {name: value for name, value in given.items() if value is not None}
    home = os.path.expanduser("~")
    return open_memory(load_settings(flags, os.environ, home, os.getcwd()), create=create)


def join(
    store: TranscriptStore,
    *,
    importers: Importers,
    clock: Clock,
    machine: Machine,
    redact_secrets: bool = True,
    keep_source: Literal["compressed", "drop"] = "compressed",
    settings: tuple[SettingView, ...] = (),
    settings_file: str | None = None,
) -> Memory:
    """Return a memory over the given store and parts; closing it closes the store."""
    working, faults = importers.working, importers.faults

    def load(reader: TranscriptReader, session: Session) -> LoadedSession:
        return load_session(reader, session, working)

    return Memory(
        importing=Importing(
            store,
            working,
            clock,
            machine,
            importer_faults=faults,
            redact_secrets=redact_secrets,
            keep_source=keep_source,
        ),
        recall=Recall(store, clock, load, (FullScan(),), os.path.exists),
        sessions=Sessions(
            store,
            clock,
            load,
            os.path.exists,
            imported_sources=frozenset({*working, *faults}),
            redact_secrets=redact_secrets,
        ),
        doctor=Doctor(
            store,
            load,
            os.path.exists,
            importers=frozenset(working),
            importer_faults=faults,
            settings=settings,
            paths={"settings_file": settings_file or "none", "home": machine.home},
        ),
        close=store.close,
    )


def open_store(settings: Settings, *, create: bool, chance: Chance) -> TranscriptStore:
    """Return the store of a URL: ``sqlite:///path``, a plain path, or ``memory:``.

    Every namespace but ``default`` is a file of its own beside it.
    """
    url = settings.store
    if url == "memory:":
        return MemoryStore(chance)
    path = _file_of(url)
    if settings.namespace != "default":
        stem, suffix = os.path.splitext(path)
        path = f"{stem}.{settings.namespace}{suffix}"
    return open_sqlite(path, synchronous=settings.synchronous, chance=chance, create=create)


def load_importers() -> Importers:
    """Return every registered importer.

    Of two importers with one name neither is used: which one read a session would be chance.
    """
    importers: dict[str, Importer] = {}
    faults: dict[str, MissingExtra] = {}
    places: dict[str, str] = {}
    for entry in sorted(
        entry_points(group=IMPORTER_GROUP), key=lambda each: (each.name, each.value)
    ):
        try:
            importer = cast("type[Importer]", entry.load())()
        except (ImportError, AttributeError, SyntaxError, TypeError) as error:
            faults[entry.name] = MissingExtra(
                f"the importer {entry.name!r} ({entry.value}) cannot be loaded: {error}",
                hint="install what it needs, or remove the package that registers it",
            )
            continue
        name = importer.name
        if name in places:
            faults[name] = MissingExtra(
                f"the importer {name!r} is registered twice, by {places[name]} and {entry.value}",
                hint="remove one of the packages that register it",
            )
        places[name] = entry.value
        importers[name] = importer
    working = {name: each for name, each in importers.items() if name not in faults}
    return Importers(working=working, faults=faults)


def _file_of(url: str) -> str:
    """Return the path of a SQLite URL; ``sqlite:///tmp/a.db`` is ``/tmp/a.db`` as in a file URL."""
    scheme, separator, rest = url.partition(":")
    if not separator or len(scheme) == 1 or os.sep in scheme:  # a path; one letter is a drive
        return os.path.abspath(os.path.expanduser(url))
    if scheme != "sqlite":
        raise SettingsInvalid(
            f"store {redact(url).text!r} has the scheme {scheme!r}; expected sqlite:///path or "
            "memory:",
            hint="other backends are not part of this release",
        )
    if not rest.startswith("//"):
        return os.path.abspath(os.path.expanduser(rest))
    parts = urlsplit("file:" + rest)
    if parts.netloc:
        raise SettingsInvalid(
            f"store {redact(url).text!r} names a host; expected three slashes: sqlite:///path"
        )
    path = unquote(rest.removeprefix("//"))
    if os.name == "nt":  # /C:/store.db
        return os.path.abspath(path.lstrip("/"))
    return os.path.abspath("/" + path.lstrip("/"))
