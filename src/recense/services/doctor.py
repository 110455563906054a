"""The doctor: what is kept, whether it is whole, what is stale, and what to do about it."""

from collections.abc import Callable, Mapping

from recense.core.transcript.digest import TranscriptDigest
from recense.core.transcript.messages import LoadedSession
from recense.core.transcript.records import Session
from recense.operations.admin import Digest, Health, HealthCheck, SettingView
from recense.ports.transcripts import TranscriptReader, TranscriptStore

Load = Callable[[TranscriptReader, Session], LoadedSession]


class Doctor:
    """Examines one store; it reads and never repairs."""

    def __init__(
        self,
        store: TranscriptStore,
        load: Load,
        is_available: Callable[[str], bool],
        settings: tuple[SettingView, ...],
        paths: Mapping[str, str],
    ) -> None:
        self._store = store
        self._load = load
        self._is_available = is_available
        self._settings = settings
        self._paths = paths

    def health(self) -> Health:
        """Return every check; the store is ok when all of them are."""
        faults = self._store.check()
        with self._store.snapshot() as reader:
            sessions = list(reader.sessions())
            files = list(reader.files())
            blobs = sum(1 for _ in reader.blob_ids())
        waiting = sum(session.records - session.converted_through for session in sessions)
        failed = [file.path for file in files if file.reason]
        gone = sum(
            session.source_path is not None and not self._is_available(session.source_path)
            for session in sessions
        )
        checks = (
            HealthCheck(
                name="store_integrity",
                ok=not faults,
                detail="; ".join(faults) or "the store's own bytes are whole",
                fix="keep a copy of the file, then import into a new store" if faults else "",
            ),
            HealthCheck(
                name="conversion",
                ok=waiting == 0,
                detail=f"{waiting} archived records wait for conversion",
                fix="recense convert" if waiting else "",
            ),
            HealthCheck(
                name="imports",
                ok=not failed,
                detail=f"{len(failed)} of {len(files)} source files failed"
                + "".join(f"\n  {path}" for path in failed),
                fix="see the reasons: recense import" if failed else "",
            ),
            HealthCheck(
                name="sources_on_disk",
                ok=True,
                detail=f"{gone} sessions are kept whose source file is no longer on disk",
            ),
        )
        return Health(
            ok=all(check.ok for check in checks),
            checks=checks,
            paths={**self._paths, **self._store.description()},
            counts={
                "sessions": len(sessions),
                "events": sum(session.events for session in sessions),
                "messages": sum(session.owned_messages for session in sessions),
                "records": sum(session.records for session in sessions),
                "blobs": blobs,
                "files": len(files),
            },
            settings=self._settings,
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
