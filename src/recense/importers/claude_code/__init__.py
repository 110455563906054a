"""Sessions of Claude Code: one JSON Lines file a session, and one for each of its sub-agents.

Laws:

- A record belongs to the session that it names, whatever file it stands in; order is the order of
  the file, never a timestamp or a chain of parents.
- A record is identified by its uuid and by what it says, not by what a resume or a fork writes anew
  when it copies the record (`reading`).
- Unknown kinds of records are kept and left out of conversion; they never fail a file.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import BinaryIO, Final

from recense.core.transcript.records import ArchivedRecord, SourcePage
from recense.importers.claude_code.conversion import convert
from recense.importers.claude_code.reading import ClaudeCodeReader, are_of_claude_code
from recense.importers.claude_code.retention import retention
from recense.importers.claude_code.spilled import with_spilled_outputs
from recense.importers.lines import (
    LineReader,
    claimed,
    head_objects,
    is_cut_record,
    pages,
)
from recense.importers.places import claude_code_home, is_session_file, why_passed_over
from recense.ports.sources import Conversion, Parentage, Retention

# A first record may be longer than the head we are shown; it begins with one of these.
_OWN_FIELD: Final = re.compile(rb'"(?:sessionId|parentUuid|leafUuid|messageId)"\s*:')

# What the cousins of the format write (`reading`), and letters that are written as escapes, with
# which they could. Two patterns, so that each begins with bytes that are searched for at once.
_COUSINS_FIELD: Final = re.compile(rb'"p(?:arts|rojectHash|ayload)"')
_ESCAPED_LETTER: Final = re.compile(rb"\\u00[4-7]")

_STRUCTURAL: Final = frozenset(
    {
        ("uuid",),
        ("parentUuid",),
        ("logicalParentUuid",),
        ("sessionId",),
        ("session_id",),
        ("agentId",),
        ("timestamp",),
        ("cwd",),
        ("requestId",),
        ("promptId",),
        ("leafUuid",),
        ("messageId",),
        ("toolUseID",),
        ("parentToolUseID",),
        ("sourceToolUseID",),
        ("sourceToolAssistantUUID",),
        ("tool_use_id",),
        ("message", "id"),
        ("message", "content", "id"),
        ("message", "content", "tool_use_id"),
        ("attachment", "toolUseID"),
    }
)
"""Where the agent itself writes an id, an instant or its folder, and nowhere else: a person, a
model or a tool can put a secret into any other field, also into one that is named like an id."""

_OPAQUE: Final = frozenset(
    {
        ("message", "content", "signature"),
        ("message", "content", "data"),  # of a redacted_thinking block; an image's is below source
        ("data", "message", "message", "content", "signature"),
        ("data", "message", "message", "content", "data"),
    }
)


class ClaudeCode:
    """The importer of Claude Code; see `recense.ports.sources.Importer`."""

    name = "claude_code"
    version = 2
    opaque_marks: tuple[bytes, ...] = (b'"signature"', b"redacted_thinking")
    suffixes: tuple[str, ...] = ()

    def roots(self, environment: Mapping[str, str], home: str) -> tuple[str, ...]:
        """Return the folder of projects: below CLAUDE_CONFIG_DIR, else below ``~/.claude``."""
        return (str(PurePath(claude_code_home(environment, home), "projects")),)

    def retention(self, environment: Mapping[str, str], home: str) -> Retention | None:
        """Return after how many days Claude Code deletes a session: see `retention`."""
        return retention(claude_code_home(environment, home))

    def claims(self, path: str) -> bool:
        """Whether the name is that of a session's or a sub-agent's file."""
        return is_session_file(path)

    def passes_over(self, path: str) -> str:
        """Return why a file beside sessions holds none: see `why_passed_over`."""
        return why_passed_over(path)

    def recognises(self, head: bytes) -> bool:
        """Whether the objects at the head are records of Claude Code."""
        objects = head_objects(head)
        if objects is None:
            return is_cut_record(head, _OWN_FIELD)
        signs = (_COUSINS_FIELD, _ESCAPED_LETTER)
        may_be_of_a_cousin = any(sign.search(head) is not None for sign in signs)
        return are_of_claude_code(objects, may_be_of_a_cousin=may_be_of_a_cousin)

    def read(self, file: BinaryIO, path: str, offset: int, state: bytes) -> Iterator[SourcePage]:
        """Yield the pages of a file.

        Records at its head that name no session wait for the first that does (`claimed`); past the
        bound the file's own name is the session's. Outputs that the agent keeps in files of their
        own are read with the records that refer to them (`spilled`).
        """
        records = ClaudeCodeReader(PurePath(path), state)
        reader = LineReader(file, offset)
        lines = reader if state else claimed(reader, records.session_named_by, records.claim)
        lines = with_spilled_outputs(lines, PurePath(path), records.session_named_by)
        return pages(reader, lines, offset, records.record_of, records.state)

    def is_structural(self, path: tuple[str, ...]) -> bool:
        """Whether the agent writes an id, an instant or its folder at this path."""
        return path in _STRUCTURAL

    def is_opaque(self, path: tuple[str, ...]) -> bool:
        """Whether a signature or encrypted thinking stands at this path."""
        return path in _OPAQUE

    def parentage(self, source_session_id: str) -> Parentage:
        """Return that ``a/b`` is sub-agent b of session a; any other id is a session of its own."""
        parent, slash, _ = source_session_id.partition("/")
        if slash:
            return Parentage(origin="subagent", parent_source_session_id=parent)
        return Parentage(origin="interactive", parent_source_session_id=None)

    def convert(self, state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
        """Return the events of the next records of one session; see `conversion`."""
        return convert(state, records)
