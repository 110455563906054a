"""Wiring: the only place that knows which adapters and importers exist, and how they are joined."""

import functools
import os
from collections.abc import Callable, Iterable, KeysView, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from recense.adapters.memory.records import MemoryRecords
from recense.adapters.memory.store import MemoryStore
from recense.adapters.sqlite.file import open_sqlite_file
from recense.adapters.sqlite.records import SqliteRecords
from recense.adapters.sqlite.store import SqliteStore
from recense.adapters.system import SystemChance, SystemClock, SystemUptime
from recense.core.namespaces import DEFAULT_NAMESPACE
from recense.core.text.known_secrets import NOTHING_KNOWN
from recense.core.transcript.messages import LoadedSession
from recense.core.transcript.records import Session
from recense.core.values import Value
from recense.errors import MissingExtra
from recense.operations.admin import SourceRetention
from recense.operations.texts import TextFact
from recense.ports.clock import Chance, Clock
from recense.ports.commits import ImportFile
from recense.ports.images import ImageScaler
from recense.ports.records import RecordStore as RecordStore
from recense.ports.sources import Importer
from recense.ports.transcripts import TranscriptReader
from recense.ports.transcripts import TranscriptStore as TranscriptStore
from recense.services.candidates import LedgerScan
from recense.services.conversion import Load, load_session
from recense.services.doctor import Doctor, StoreSurroundings
from recense.services.extraction_forgetting import forget_extraction
from recense.services.fact_collections import is_without_facts
from recense.services.fact_memory import FactServices
from recense.services.grepping import Grep
from recense.services.importing import Importing, Machine
from recense.services.indexing import Indexing
from recense.services.materials import Materials
from recense.services.memory import Memory, Services
from recense.services.namespaces import note_namespace
from recense.services.privacy import Privacy
from recense.services.recall import Recall
from recense.services.recalled_facts import FindFacts
from recense.services.requests import require_recall_allowed
from recense.services.retention import source_retentions
from recense.services.sessions import Sessions
from recense.services.streams import Streams
from recense.services.transcript_archive import TranscriptArchive
from recense.services.watching import Watching
from recense.services.writing import Writing
from recense.settings.layers import home_folder, store_file
from recense.settings.loading import Settings, load_settings
from recense.wiring.control import no_file, open_control
from recense.wiring.control_health import examined_control
from recense.wiring.late import LateMapping, Stores, late_stores, once
from recense.wiring.policy import Policy, extraction_policy

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from recense.services.agents import Agents
    from recense.services.extraction import Extraction
    from recense.services.filing import Filing
    from recense.services.remembering import TextModels
    from recense.services.serving import Serving
    from recense.wiring.agents import MakeAgents
    from recense.wiring.extraction import MakeExtraction, MakeTextModels
    from recense.wiring.facts import MakeFactServices
    from recense.wiring.serving import MakeServing

IMPORTER_GROUP: Final = "recense.importers"


class Importers(Value, kw_only=True):
    """The importers that are registered, by name: those that work, and why the others do not.

    A fault is raised when that source is asked for by name, and the doctor names it; everything
    else goes on without it.
    """

    working: Mapping[str, Importer]
    faults: Mapping[str, MissingExtra] = {}


_DEFAULT_POLICY: Final = Policy()


def open_memory(settings: Settings, *, create: bool = True) -> Memory:
    """Return the memory that the settings name.

    ``create`` makes a store that does not exist yet; without it a missing store is an error. Who is
    incognito is refused before anything is touched: then the first operation that is none of recall
    opens the store. Raises SettingsInvalid for a store URL of no known scheme, and the faults of
    opening the store.
    """
    opened = functools.partial(open_stores, settings, create=create, chance=SystemChance())
    is_incognito = settings.incognito == "on"
    return join(
        late_stores(opened) if is_incognito else opened(),
        importers=late_importers(),
        clock=SystemClock(),
        machine=this_machine(),
        policy=Policy(
            redact_secrets=settings.store_secrets == "redact",
            keep_source=settings.keep_source,
            incognito=is_incognito,
            registry=settings.registry,
            extraction=extraction_policy(settings),
            settings=settings.views(),
            settings_file=settings.file,
            examine_control=functools.partial(examined_control, settings),
        ),
    )


def open_archive(settings: Settings) -> TranscriptArchive:
    """Return what archives single files in the store of the settings, made when it is missing.

    Raises as `open_memory`.
    """
    return TranscriptArchive(
        open_stores(settings, create=True, chance=SystemChance()).transcripts,
        load_importers().working,
        this_machine(),
        known=NOTHING_KNOWN if settings.store_secrets == "redact" else None,
    )


def this_machine() -> Machine:
    """Return what importers need to know of the machine that this process runs on."""
    return Machine(environment=dict(os.environ), home=home_folder(os.environ))


def open_url(
    url: str | None = None, *, namespace: str | None = None, create: bool = True
) -> Memory:
    """Return the memory of this machine's settings: ``recense.open``.

    A URL or a namespace that is given holds over the settings. Raises as `open_memory`.
    """
    given = {"store": url, "namespace": namespace}
    flags = {name: value for name, value in given.items() if value is not None}
    home = home_folder(os.environ)
    return open_memory(load_settings(flags, os.environ, home, os.getcwd()), create=create)


def join(
    stores: Stores,
    *,
    importers: Importers,
    clock: Clock,
    machine: Machine,
    policy: Policy = _DEFAULT_POLICY,
) -> Memory:
    """Return a memory over the given stores and parts; closing it closes the stores."""
    store = stores.transcripts
    working, faults = importers.working, importers.faults

    def load(reader: TranscriptReader, session: Session) -> LoadedSession:
        return load_session(reader, session, working)

    importing = Importing(
        store,
        working,
        clock,
        machine,
        importer_faults=faults,
        redact_secrets=policy.redact_secrets,
        keep_source=policy.keep_source,
    )
    narrowing = (LedgerScan(),)
    streams = Streams(store, clock, redact_secrets=policy.redact_secrets)
    facts = _late_facts(stores, clock, policy, machine)
    recall = Recall(
        store,
        clock,
        load,
        narrowing,
        os.path.exists,
        find_facts=_find_facts(stores.records, facts),
        incognito=policy.incognito,
    )

    def made_agents() -> "Agents":
        make = cast("MakeAgents", import_module("recense.wiring.agents").agents_of)
        return make(stores, recall, clock, redact_secrets=policy.redact_secrets)

    reading = functools.partial(_extraction, stores, clock, load, facts)
    services = Services(
        importing=importing,
        indexing=Indexing(store, clock),
        watching=Watching(importing, working, machine),
        recall=recall,
        grep=Grep(store, clock, load, narrowing, incognito=policy.incognito),
        materials=Materials(store, load, load_image_scaler, incognito=policy.incognito),
        sessions=Sessions(store, load, os.path.exists),
        writing=Writing(
            store,
            clock,
            streams,
            imported_sources=KeysView(LateMapping(lambda: {**working, **faults})),
            redact_secrets=policy.redact_secrets,
        ),
        streams=streams,
        privacy=Privacy(store),
        doctor=_doctor(stores, load, importers, clock=clock, machine=machine, policy=policy),
        facts=facts,
        has_facts=lambda: not is_without_facts(stores.records),
        agents=once(made_agents),
        extraction=once(functools.partial(reading, policy=policy, machine=machine)),
        serving=once(functools.partial(_serving, stores, clock, policy)),
        forget_extraction=functools.partial(forget_extraction, stores.records),
        incognito=policy.incognito,
    )
    return Memory(services, close=store.close)


def _serving(stores: Stores, clock: Clock, policy: Policy) -> "Serving":
    """Return what a server needs of stores."""
    make = cast("MakeServing", import_module("recense.wiring.serving").serving_of)
    return make(stores, clock, SystemChance(), incognito=policy.incognito)


def _extraction(
    stores: Stores,
    clock: Clock,
    load: Load,
    facts: Callable[[], FactServices],
    *,
    policy: Policy,
    machine: Machine,
) -> "Extraction":
    """Return what reads sessions and texts for facts."""
    make = cast("MakeExtraction", import_module("recense.wiring.extraction").extraction_of)
    return make(stores, clock, load, facts, policy=policy.extraction, machine=machine)


def _doctor(
    stores: Stores,
    load: Load,
    importers: Importers,
    *,
    clock: Clock,
    machine: Machine,
    policy: Policy,
) -> Doctor:
    """Return the doctor of a store."""

    def retentions(
        files: Iterable[ImportFile], sessions: Iterable[Session]
    ) -> tuple[SourceRetention, ...]:
        now, working = clock.now(), importers.working
        return source_retentions(
            working, machine, files, sessions, is_available=os.path.exists, now=now
        )

    return Doctor(
        stores.transcripts,
        stores.records,
        load,
        os.path.exists,
        retentions,
        importers=importers.working,
        importer_faults=importers.faults,
        surroundings=StoreSurroundings(
            settings=policy.settings,
            paths={"settings_file": policy.settings_file or "none", "home": machine.home},
            examine_control=policy.examine_control,
        ),
    )


def _late_facts(
    stores: Stores, clock: Clock, policy: Policy, machine: Machine
) -> Callable[[], FactServices]:
    """Return what makes the services of the facts of a store when it is first called.

    `recense.wiring.facts` is loaded here alone: most answers are from stores without facts, and
    what reads, folds and writes them takes longer to load than such an answer.
    """

    def store_key() -> bytes:
        return stores.transcripts.key()  # asked for late: a late store is not opened for it

    def text_models(filing: "Filing") -> "TextModels":
        require_recall_allowed(incognito=policy.incognito)
        make = cast("MakeTextModels", import_module("recense.wiring.extraction").text_models_of)
        return make(stores.records, clock, filing, policy=policy.extraction, machine=machine)

    def made() -> FactServices:
        module = import_module("recense.wiring.facts")
        make = cast("MakeFactServices", module.fact_services)
        return make(
            stores.records,
            clock,
            store_key=store_key,
            is_open=policy.registry == "open",
            redact_secrets=policy.redact_secrets,
            text_models=text_models if policy.extraction.asks_a_model else None,
        )

    return once(made)


def _find_facts(records: RecordStore, facts: Callable[[], FactServices]) -> FindFacts:
    """Return what finds the facts of an answer of recall."""

    def found(text: str | None) -> tuple[TextFact, ...]:
        return () if is_without_facts(records) else facts().remembering.recalled(text)

    return found


def open_stores(settings: Settings, *, create: bool, chance: Chance) -> Stores:
    """Return the stores of a URL: ``sqlite:///path``, a plain path, or ``memory:``.

    Raises SettingsInvalid for any other, and the faults of opening the store.
    """
    url = settings.store
    if url == "memory:":
        in_memory = MemoryRecords(SystemUptime())
        return Stores(MemoryStore(chance, in_memory), in_memory)
    path = store_file(url, settings.namespace)
    if path is None:
        raise no_file(url)
    if create and settings.namespace != DEFAULT_NAMESPACE and not os.path.exists(path):
        with open_control(settings, create=True) as control:  # no file without a name on record
            note_namespace(control, settings.namespace, SystemClock())
    file = open_sqlite_file(path, synchronous=settings.synchronous, chance=chance, create=create)
    records = SqliteRecords(file, SystemUptime())
    return Stores(SqliteStore(file, records), records)


def load_image_scaler() -> ImageScaler | None:
    """Return what scales images, or None where Pillow is not installed (the extra ``images``).

    `recense.adapters.pillow` alone imports it, and is loaded here alone, when there is an image to
    scale.
    """
    try:
        scaler = import_module("recense.adapters.pillow").PillowScaler
    except ModuleNotFoundError as error:
        if error.name != "PIL":
            raise
        return None
    return cast("type[ImageScaler]", scaler)()


def late_importers() -> Importers:
    """Return what `load_importers` does, which runs when something is asked of it for the first
    time.

    Most answers need none: a session waits for its importer only until it is converted. To find
    and to load all of them takes longer than such an answer.
    """
    loaded = functools.cache(load_importers)
    return Importers(
        working=LateMapping(lambda: loaded().working),
        faults=LateMapping(lambda: loaded().faults),
    )


def load_importers() -> Importers:
    """Return every registered importer.

    Of two importers with one name neither is used: which one read a session would be chance.
    """
    importers: dict[str, Importer] = {}
    faults: dict[str, MissingExtra] = {}
    places: dict[str, str] = {}
    for entry in _registered():
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


def _registered() -> list["EntryPoint"]:
    """Return what packages register as importers, in order. What reads their metadata is loaded
    here alone.
    """
    metadata = import_module("importlib.metadata")
    found = cast("Iterable[EntryPoint]", metadata.entry_points(group=IMPORTER_GROUP))
    return sorted(found, key=lambda each: (each.name, each.value))
