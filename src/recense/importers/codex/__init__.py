"""Sessions of the Codex CLI: one rollout file each, plain or compressed.

Laws:

- A file is one session: that of its first ``session_meta`` line (or of the first line of the older
  form), else the one its name ends in. A fork copies lines of its parent, their ``session_meta``
  too; they stay part of the fork.
- A record has no id of its own: its session and place identify it.
- A rollout in the folder of archived sessions is shelved: a record of ours before its first says
  so. Bringing it back does not unshelve it; that is done here.
- Offsets into a compressed file count the bytes it decodes to. Such a file is never appended to.
- What ``codex exec --json`` prints is another format, and not recognised.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import BinaryIO, Final

from recense.core.transcript.records import ArchivedRecord, SourcePage
from recense.importers.codex.compressed import MAGIC_BYTES, Decoded, decoded_head, is_compressed
from recense.importers.codex.conversion import convert
from recense.importers.codex.reading import CodexReader, is_codex_record, shelving
from recense.importers.lines import (
    LineReader,
    SourceLine,
    claimed,
    head_objects,
    is_cut_record,
    pages,
)
from recense.importers.places import codex_folders, is_rollout, why_passed_over
from recense.ports.sources import Conversion, Parentage, Retention

_COMPRESSED_AFTER_DAYS: Final = 7

# A first record may be longer than the head we are shown; it begins with one of these.
_OWN_FIELD: Final = re.compile(rb'"(?:payload|record_type|instructions)"\s*:')

_STRUCTURAL: Final = frozenset(
    {
        ("timestamp",),
        ("id",),
        ("call_id",),
        ("payload", "id"),
        ("payload", "call_id"),
        ("payload", "cwd"),
        ("payload", "forked_from_id"),
        ("payload", "parent_thread_id"),
        ("payload", "session_id"),
        ("payload", "timestamp"),
        ("payload", "turn_id"),
        ("payload", "source", "subagent", "thread_spawn", "parent_thread_id"),
    }
)
"""Where Codex itself writes an id, an instant or its folder, and nowhere else: a secret may stand
in any field that a person, a model or a tool can fill."""

_OPAQUE: Final = frozenset(
    {
        ("encrypted_content",),
        ("payload", "encrypted_content"),
        ("payload", "content", "encrypted_content"),
        ("payload", "replacement_history", "encrypted_content"),
        ("payload", "replacement_history", "content", "encrypted_content"),
    }
)


class Codex:
    """The importer of the Codex CLI; see `recense.ports.sources.Importer`."""

    name = "codex"
    version = 2
    opaque_marks: tuple[bytes, ...] = (b'"encrypted_content"',)
    suffixes: tuple[str, ...] = ()

    def roots(self, environment: Mapping[str, str], home: str) -> tuple[str, ...]:
        """Return the folders of live and archived sessions, below CODEX_HOME, else ``~/.codex``."""
        return codex_folders(environment, home)

    def retention(self, environment: Mapping[str, str], home: str) -> Retention | None:
        """Return that Codex compresses a session when nothing was added to it for a week."""
        return Retention(days=_COMPRESSED_AFTER_DAYS, fate="compressed")

    def claims(self, path: str) -> bool:
        """Whether the name is that of a rollout, plain or compressed."""
        return is_rollout(path)

    def passes_over(self, path: str) -> str:
        """Return why a file beside sessions holds none: see `why_passed_over`."""
        return why_passed_over(path)

    def recognises(self, head: bytes) -> bool:
        """Whether the first object at the head is a line of a rollout, in either form."""
        head = decoded_head(head)
        objects = head_objects(head)
        if objects is None:
            return is_cut_record(head, _OWN_FIELD)
        return any(map(is_codex_record, islice(objects, 1)))

    def read(self, file: BinaryIO, path: str, offset: int, state: bytes) -> Iterator[SourcePage]:
        """Yield the pages of a file; a compressed one that is damaged ends in a bad record."""
        records = CodexReader(PurePath(path), state)
        file.seek(0)
        if is_compressed(file.read(MAGIC_BYTES)):
            file.seek(0)
            source = Decoded(file)
            reader = LineReader(source, offset, fault=source.fault)
        else:
            reader = LineReader(file, offset)
        lines: Iterable[SourceLine] = reader
        if not state:
            lines = claimed(reader, records.session_named_by, records.claim)
            if records.is_shelved:
                lines = _shelved(lines)
        return pages(reader, lines, offset, records.record_of, records.state)

    def is_structural(self, path: tuple[str, ...]) -> bool:
        """Whether Codex itself writes an id, an instant or its folder at this path."""
        return path in _STRUCTURAL

    def is_opaque(self, path: tuple[str, ...]) -> bool:
        """Whether encrypted reasoning stands at this path."""
        return path in _OPAQUE

    def parentage(self, source_session_id: str) -> Parentage:
        """Return that a session is one of its own: only its records know of a parent."""
        return Parentage(origin="interactive", parent_source_session_id=None)

    def convert(self, state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
        """Return the events of the next records of one session; see `conversion`."""
        return convert(state, records)


def _shelved(lines: Iterable[SourceLine]) -> Iterator[SourceLine]:
    """Yield the lines of a shelved session, if there are any, behind one that says so."""
    is_first = True
    for line in lines:
        if is_first:
            yield shelving()
        is_first = False
        yield line
