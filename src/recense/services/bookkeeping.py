"""The bookkeeping of source files: what is noted with a file, whoever else works on it."""

from collections.abc import Callable

from msgspec.structs import replace

from recense.errors import StoreConflict
from recense.limits import CONFLICTS_MAX
from recense.ports.commits import ImportFile
from recense.ports.transcripts import TranscriptStore
from recense.services.files import stored_path


def note_failure(store: TranscriptStore, source: str, stored: str, reason: str) -> None:
    """Note with a file, by its `stored_path`, why it failed where only conversion shows it.

    An empty reason takes a failure back. A file of which nothing is known stays so.
    """
    note(store, source, stored, lambda held: held and replace(held, reason=reason))


def note_unreadable(store: TranscriptStore, source: str, path: str, reason: str) -> None:
    """Note with a file or folder that it cannot be read, so that recall says what it lacks.

    How far it was read stays; it is looked at again each time.
    """
    stored = stored_path(path)

    def unread(held: ImportFile | None) -> ImportFile:
        known = held or ImportFile(source=source, path=stored)
        return replace(known, size=0, mtime_ns=0, reason=reason)

    note(store, source, stored, unread)


def note(
    store: TranscriptStore,
    source: str,
    stored: str,
    change: Callable[[ImportFile | None], ImportFile | None],
) -> None:
    """Replace a file's bookkeeping by what ``change`` makes of it, whoever else works on it."""
    for _ in range(CONFLICTS_MAX):
        with store.snapshot() as reader:
            held = reader.file(source, stored)
        noted = change(held)
        if noted is None or noted == held:
            return
        try:
            store.note_file(held, noted)
        except StoreConflict:
            continue  # another import noted something: judge by that
        return
    raise StoreConflict(
        f"another import keeps working on {stored!r}", hint="try again when it is done"
    )
