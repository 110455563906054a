"""The doctor: what is kept, whether it is whole, what is stale, and what to do about it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from recense.core.text.redact import redact
from recense.core.transcript.digest import TranscriptDigest
from recense.core.transcript.records import Session
from recense.core.values import Value
from recense.errors import MissingExtra
from recense.operations.admin import Digest, Health, HealthCheck, SessionSecrets, SettingView
from recense.ports.commits import ImportFile, SecretsFound
from recense.ports.records import RecordStore
from recense.ports.sources import Importer
from recense.ports.transcripts import TranscriptStore
from recense.services.conversion import Load, install_importer, waits
from recense.services.fact_health import count_facts
from recense.services.retention import Retentions, retention_check


class StoreSurroundings(Value, kw_only=True):
    """What a person should know beside the store: the settings in force, where things are, and how
    the control file is, where there can be one.
    """

    settings: tuple[SettingView, ...] = ()
    paths: Mapping[str, str] = {}
    examine_control: Callable[[], HealthCheck] | None = None


class Doctor:
    """Examines one store; it reads and never repairs."""

    def __init__(
        self,
        store: TranscriptStore,
        records: RecordStore,
        load: Load,
        is_available: Callable[[str], bool],
        retentions: Retentions,
        *,
        importers: Mapping[str, Importer],
        importer_faults: Mapping[str, MissingExtra],
        surroundings: StoreSurroundings,
    ) -> None:
        self._store = store
        self._records = records
        self._load = load
        self._is_available = is_available
        self._retentions = retentions
        self._importers = importers
        self._importer_faults = importer_faults
        self._surroundings = surroundings

    def health(self, *, everywhere: bool = False) -> Health:
        """Return every check; the store is ok when all of them are. With ``everywhere`` the control
        file is looked at too, which is of all namespaces: for who runs the process.

        ``counts["sources_gone"]`` is how many sessions are kept whose source file is no longer on
        disk: nothing is wrong with that, and nothing can be read again from them.
        """
        faults = self._store.check()
        index_faults = self._store.check_index()
        with self._store.snapshot() as reader:
            sessions = list(reader.sessions())
            waiting = [
                session
                for session in sessions
                if session.source in self._importers and waits(reader, session, self._importers)
            ]
            files = list(reader.files())
            index = reader.message_index()
            unindexed = None if index is None else len(index.waiting())
            blobs = sum(1 for _ in reader.blob_ids())
            secrets = _secrets_by_session(reader.secrets_found())
        facts = count_facts(self._records)
        retentions = self._retentions(files, sessions)
        checks = (
            _store_integrity(faults),
            self._importers_check(sessions),
            _conversion(waiting),
            _index(index_faults, unindexed),
            _imports(files),
            retention_check(retentions),
            _secrets(secrets),
            facts.check(),
            *self._control_checks(everywhere=everywhere),
        )
        gone = sum(
            session.source_path is not None and not self._is_available(session.source_path)
            for session in sessions
        )
        places = {**self._surroundings.paths, **self._store.description()}
        return Health(
            ok=all(check.ok for check in checks),
            checks=checks,
            paths={name: redact(text).text for name, text in places.items()},
            counts={
                "sessions": len(sessions),
                "events": sum(session.events for session in sessions),
                "messages": sum(session.owned_messages for session in sessions),
                "records": sum(session.records for session in sessions),
                "blobs": blobs,
                "files": len(files),
                "sources_gone": gone,
                "fact_events": facts.events,
            },
            settings=self._surroundings.settings,
            secrets=secrets,
            retention=retentions,
        )

    def _control_checks(self, *, everywhere: bool) -> tuple[HealthCheck, ...]:
        examine = self._surroundings.examine_control
        return () if examine is None or not everywhere else (examine(),)

    def _importers_check(self, sessions: Iterable[Session]) -> HealthCheck:
        """Check that every importer works of which sessions wait or that somebody installed."""
        missing = {
            session.source
            for session in sessions
            if _waits(session)
            and session.source not in self._importers
            and session.source not in self._importer_faults
        }
        details = [fault.message for _, fault in sorted(self._importer_faults.items())]
        fixes = [fault.hint for _, fault in sorted(self._importer_faults.items())]
        for source in sorted(missing):
            details.append(f"sessions of {source!r} wait for an importer that is not installed")
            fixes.append(install_importer(source))
        return HealthCheck(
            name="importers",
            ok=not details,
            detail=f"installed: {', '.join(sorted(self._importers))}",
            items=tuple(details),
            fix="; ".join(dict.fromkeys(fixes)),
        )

    def digest(self) -> Digest:
        """Return the digest of everything kept; see `recense.core.transcript.digest`."""
        digest = TranscriptDigest()
        with self._store.snapshot() as reader:
            for session in sorted(reader.sessions(), key=lambda each: each.session_id):
                loaded = self._load(reader, session)
                digest.add_session(
                    loaded.session, reader.events(session.session_id), loaded.transcript.messages
                )
            for blob_sha256 in reader.blob_ids():
                digest.add_blob(blob_sha256)
        return Digest(
            digest=digest.hexdigest(),
            sessions=digest.sessions,
            events=digest.events,
            messages=digest.messages,
            blobs=digest.blobs,
        )


def _store_integrity(faults: Sequence[str]) -> HealthCheck:
    return HealthCheck(
        name="store_integrity",
        ok=not faults,
        detail="; ".join(faults) or "the store's own bytes are whole",
        fix="keep a copy of the file, then import into a new store" if faults else "",
    )


def _imports(files: Sequence[ImportFile]) -> HealthCheck:
    failed = [f"{redact(file.path).text}: {file.reason}" for file in files if file.reason]
    return HealthCheck(
        name="imports",
        ok=not failed,
        detail=f"{len(failed)} of {len(files)} source files failed",
        items=tuple(failed),
        fix="mend or remove these files, then import again from where they are:"
        " recense import SOURCE PATH"
        if failed
        else "",
    )


def _secrets_by_session(found: Iterable[SecretsFound]) -> tuple[SessionSecrets, ...]:
    """Return what was redacted by session, those with most first."""
    sessions: dict[str, dict[str, int]] = {}
    for each in found:
        sessions.setdefault(each.session_id, {})[each.kind] = each.count
    return tuple(
        SessionSecrets(session=session, kinds=kinds)
        for session, kinds in sorted(
            sessions.items(), key=lambda item: (-sum(item[1].values()), item[0])
        )
    )


def _secrets(sessions: Sequence[SessionSecrets]) -> HealthCheck:
    """Say how many secrets were redacted, by kind: what the gate does is no fault."""
    kinds: Counter[str] = Counter()
    for session in sessions:
        kinds.update(session.kinds)
    totals = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return HealthCheck(
        name="secrets",
        ok=True,
        detail=f"sessions with redacted secrets: {len(sessions)}; {totals}"
        if kinds
        else "none was redacted",
    )


def _conversion(waiting: Sequence[Session]) -> HealthCheck:
    """Check that all is converted that could be, by the importers that are installed."""
    records = sum(session.records - session.converted_through for session in waiting)
    anew = sum(session.converted_through == session.records for session in waiting)
    detail = f"{records} archived records wait for conversion"
    if anew:
        detail += f", and {anew} sessions for a later version of their importer"
    return HealthCheck(
        name="conversion",
        ok=not records and not anew,
        detail=detail,
        fix="recense convert" if records or anew else "",
    )


def _index(faults: Sequence[str], unindexed: int | None) -> HealthCheck:
    """Check that the message index is whole. What waits for it is no fault: it is read in full."""
    if unindexed is None:
        return HealthCheck(name="index", ok=True, detail="this store keeps no message index")
    detail = (
        f"sessions that wait to be indexed: {unindexed}"
        if unindexed
        else "every session is indexed"
    )
    return HealthCheck(
        name="index",
        ok=not faults,
        detail=detail,
        items=tuple(faults),
        fix="recense index --anew" if faults else "recense index" if unindexed else "",
    )


def _waits(session: Session) -> bool:
    return session.converted_through < session.records
