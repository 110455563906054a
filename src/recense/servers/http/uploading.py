"""``POST /v1/import``: sessions as lines of JSON, as an agent keeps them.

What arrives lies in a file of its own until it is imported, then it is gone. Nothing is imported of
an upload that did not arrive whole. What was imported is in the report, and so is what failed:
``partial`` says that something did.

Laws: what can be refused without an upload is refused before anything of it is read. The name of an
upload is a name and no path. An upload of the same name is the same file to the importer: of one
that has grown only what is new is read.
"""

import os
import re
import shutil
from collections.abc import AsyncIterator, Collection, Generator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from typing import BinaryIO, Final

from litestar import Response, post
from litestar.handlers import HTTPRouteHandler
from msgspec.structs import replace

from recense.core.text.quoting import quoted
from recense.core.values import Value
from recense.errors import (
    InvalidRequest,
    RequestInProgress,
    ServerBusy,
    StoreFull,
)
from recense.limits import UPLOAD_SECONDS_MAX, UPLOAD_WRITE_BYTES, UPLOADS_AT_ONCE_MAX
from recense.operations.admin import ImportReport
from recense.operations.keys import Credential
from recense.operations.wire import read_words
from recense.servers.authorization import require_scope
from recense.servers.http.answers import Asked, json_answer
from recense.servers.http.bodies import NDJSON_TYPES, require_type, upload_pieces
from recense.servers.http.calling import encoded_answer
from recense.servers.http.parts import ServerParts, call_state
from recense.servers.http.paths import query_words
from recense.servers.workers import Workers
from recense.services.held_file import held_file
from recense.wiring.namespaces import Namespaces

IMPORT: Final = "/v1/import"

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_FOLDER_DIGITS: Final = 32
_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600
_MICROSECONDS: Final = 1_000_000


class ImportUpload(Value, kw_only=True, forbid_unknown_fields=True):
    """What is said of an upload in its address: the ``source`` whose sessions it holds, where it is
    not to be guessed from its beginning, and the ``name`` of the file.
    """

    source: str | None = None
    name: str = "upload.jsonl"


class ImportedUpload(Value, kw_only=True):
    """What became of an upload: ``bytes`` is its length, ``partial`` says that something of it
    could not be imported, and ``report`` what and why.
    """

    bytes: int
    partial: bool
    report: ImportReport


def import_handler(parts: ServerParts) -> HTTPRouteHandler:
    """Return what answers uploads."""
    arriving: set[str] = set()

    @post(IMPORT, status_code=200)
    async def import_upload(request: Asked) -> Response[bytes]:
        """Take an upload and import it."""
        scope, credential = request.scope, call_state(request.scope).credential
        require_scope(credential, "import", "importing", changes=True)
        wanted = _admitted(read_words(ImportUpload, query_words(scope["query_string"])))
        require_type(scope, *NDJSON_TYPES)
        await parts.workers.run(lambda: _require_source(parts.namespaces, credential, wanted))
        spool = _Spool(parts.spool, credential.namespace, wanted.name)
        _require_room(arriving, spool.folder)
        arriving.add(spool.folder)
        try:
            with spool.held():
                length = await spool.fill(upload_pieces(scope, request.receive), parts.workers)
                report = await parts.slow_workers.run(
                    lambda: _imported(parts.namespaces, credential, wanted, spool.path)
                )
        finally:
            arriving.discard(spool.folder)
        parts.touched(credential.namespace)
        parts.came_in(credential.namespace)
        is_partial = any(each.files_failed or each.failures for each in report.sources)
        return json_answer(
            encoded_answer(ImportedUpload(bytes=length, partial=is_partial, report=report))
        )

    return import_upload


def empty_spool(folder: str, now: int) -> None:
    """Remove from the folder of uploads what a process that was killed left there: what is older
    than an upload may take. Another server on the same store may be filling the rest.
    """
    try:
        left = [each.path for each in os.scandir(folder) if _is_old(each, now)]
    except OSError:
        return  # nothing was ever uploaded
    for path in left:
        shutil.rmtree(path, ignore_errors=True)


def _is_old(entry: "os.DirEntry[str]", now: int) -> bool:
    return now - entry.stat().st_mtime * _MICROSECONDS > UPLOAD_SECONDS_MAX * _MICROSECONDS


def _admitted(wanted: ImportUpload) -> ImportUpload:
    if _NAME.fullmatch(wanted.name) is None:
        raise InvalidRequest(
            f"the name {quoted(wanted.name)} is no name of a file",
            hint="letters, digits, '.', '_' and '-', at most 128, no path",
        )
    return wanted


def _require_source(namespaces: Namespaces, credential: Credential, wanted: ImportUpload) -> None:
    with namespaces.memory(credential.namespace) as memory:
        memory.require_source(wanted.source)


def _require_room(arriving: Collection[str], folder: str) -> None:
    if len(arriving) >= UPLOADS_AT_ONCE_MAX:
        raise ServerBusy(
            f"{len(arriving)} uploads are arriving or imported, as many as may",
            hint="send it a little later",
        )
    if folder in arriving:
        raise _in_progress()


def _in_progress() -> RequestInProgress:
    return RequestInProgress(
        "an upload of this name is arriving or imported just now",
        hint="wait for it, or give this one another name",
    )


def _unwritable() -> StoreFull:
    return StoreFull(
        "the upload cannot be written", hint="see that there is room where the store lies"
    )


def _imported(
    namespaces: Namespaces, credential: Credential, wanted: ImportUpload, path: str
) -> ImportReport:
    """Import a file, and return the report; the file has in it the name that it was sent under."""
    with namespaces.memory(credential.namespace) as memory:
        report = memory.import_sessions(wanted.source, (path,))
    return replace(
        report,
        sources=tuple(
            replace(
                each,
                failures=tuple(replace(one, path=wanted.name) for one in each.failures),
                skipped=tuple(replace(one, path=wanted.name) for one in each.skipped),
            )
            for each in report.sources
        ),
    )


class _Spool:
    """The file of one upload, in a folder of its own."""

    def __init__(self, root: str, namespace: str, name: str) -> None:
        digest = sha256(f"{namespace}/{name}".encode()).hexdigest()[:_FOLDER_DIGITS]
        self.folder: Final = os.path.join(root, digest)
        self.path: Final = os.path.join(self.folder, name)

    @contextmanager
    def held(self) -> Generator[None]:
        """Keep every other upload of this name away, also those of another server on the store, and
        remove the file in the end. Raises RequestInProgress, and StoreFull where there is no room.
        """
        with ExitStack() as holding:
            try:
                root = os.path.dirname(self.folder)
                os.makedirs(root, mode=_FOLDER_MODE, exist_ok=True)
                os.chmod(root, _FOLDER_MODE)  # one that was there may have been open to others
                is_held = holding.enter_context(held_file(f"{self.folder}.lock"))
            except OSError as error:
                raise _unwritable() from error
            if not is_held:
                raise _in_progress()
            holding.callback(shutil.rmtree, self.folder, ignore_errors=True)
            yield

    async def fill(self, pieces: AsyncIterator[bytes], workers: Workers) -> int:
        """Write what arrives, and return its length. Raises StoreFull where there is no room."""
        length = 0
        try:
            with self._opened() as file:
                waiting: list[bytes] = []
                size = 0
                async for piece in pieces:
                    waiting.append(piece)
                    size += len(piece)
                    if size >= UPLOAD_WRITE_BYTES:
                        await _write(file, waiting, workers)
                        length, size = length + size, 0
                        waiting = []
                await _write(file, waiting, workers)
                return length + size
        except OSError as error:
            raise _unwritable() from error

    def _opened(self) -> BinaryIO:
        os.makedirs(self.folder, mode=_FOLDER_MODE, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        return os.fdopen(os.open(self.path, flags, _FILE_MODE), "wb")


async def _write(file: BinaryIO, pieces: list[bytes], workers: Workers) -> None:
    await workers.run(lambda: file.write(b"".join(pieces)))
