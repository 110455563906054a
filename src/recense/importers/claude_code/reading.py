"""Which session a record belongs to, what identifies it, and what becomes of it.

**Session.** A record belongs to the ``sessionId`` it names; with an ``agentId``, its own or that of
the file's name (``agent-<id>.jsonl``), to ``sessionId/agentId``. Older files write sub-agents
between the lines of the main file (``isSidechain`` and no agent): those belong to ``sessionId/<uuid
of the record at their root>``, found by parent links. A record that names no session belongs to
that of the record before it.

**Identity.** Copying a record into a resumed or forked session stamps it anew: session, slug, cwd,
version, branch and links to other records change, and a later release may add empty fields to its
message (three real resumes did). So a record with a message is identified by its type, its instant
and its message's id, role and content; the second copy of a tool's result (``toolUseResult``) is
left out with the rest. A progress record is identified by its instant, the body of a spilled output
by its call, any other by all it says but for the stamp. ``agentId`` is no part of the stamp: no
copy was seen to change it.
"""

from collections.abc import Iterable
from pathlib import PurePath
from typing import Final

import msgspec

from recense.core.instants import instant_from_text
from recense.core.transcript.records import SourceRecord
from recense.core.transcript.remembering import forget_oldest, stand_in
from recense.core.values import Value
from recense.importers.claude_code.kinds import kind_of, names_a_session
from recense.importers.claude_code.materials import with_texts_lifted
from recense.importers.claude_code.spilled import SPILLED_OUTPUT, session_above
from recense.importers.lines import (
    SourceLine,
    identifier_of,
    list_of,
    mapping_of,
    text_of,
)
from recense.limits import DROPPED_AGENTS_MAX, SIDECHAIN_LINKS_MAX, SIDECHAINS_MAX

_STAMP: Final = frozenset(
    {
        "sessionId",
        "session_id",
        "slug",
        "parentUuid",
        "logicalParentUuid",
        "forkedFrom",
        "cwd",
        "version",
        "gitBranch",
        "entrypoint",
        "userType",
    }
)

_LINK_BYTES: Final = 8

_AGENT_FILE: Final = "agent-"

_UNHEARD_AGENTS: Final = ("acompact-", "aprompt_suggestion-", "aprompt-suggestion-")
"""Agents that the harness runs for itself: the writer of a summary, whose text the main session
has, and the guesser of what a person might type next."""

_WARM_UP: Final = "Warmup"
"""The whole prompt of sub-agents that are started for nothing but a warm cache."""


class _ReadingState(Value, kw_only=True, array_like=True):
    """What reading must know of the records before: see the fields of `ClaudeCodeReader`."""

    position: int = 0
    session: str = ""
    at: int | None = None
    dropped: tuple[str, ...] = ()
    roots: dict[int, str] = {}
    links: dict[bytes, int] = {}


_encoder: Final = msgspec.json.Encoder(order="sorted")
_state_encoder: Final = msgspec.msgpack.Encoder()
_state_decoder: Final = msgspec.msgpack.Decoder(_ReadingState)


class ClaudeCodeReader:
    """Makes source records of the lines of one file, in order."""

    def __init__(self, path: PurePath, state: bytes) -> None:
        start = _state_decoder.decode(state) if state else _ReadingState()
        self._stem = identifier_of(path.stem) or f"file-{stand_in(path.name, 8).hex()}"
        self._agent: str | None = None
        if path.stem.startswith(_AGENT_FILE):
            self._agent = identifier_of(path.stem.removeprefix(_AGENT_FILE))
        self._parent = session_above(path)
        self._position = start.position
        self._session = start.session
        self._at = start.at
        self._dropped = list(start.dropped)
        self._sidechains = _Sidechains(start.roots, start.links)
        self._last_names: tuple[object, object] = (None, None)
        self._last_named: str | None = None

    def state(self) -> bytes:
        """Return what a later reader needs to read on; b"" until it is known whose the file is."""
        if not self._session:
            return b""
        return _state_encoder.encode(
            _ReadingState(
                position=self._position,
                session=self._session,
                at=self._at,
                dropped=tuple(self._dropped),
                roots=self._sidechains.roots,
                links=self._sidechains.links,
            )
        )

    def session_named_by(self, line: SourceLine) -> str | None:
        """Return the session that a line names by itself."""
        if line.value is None:
            return None
        names = line.value.get("sessionId"), line.value.get("agentId")
        if names != self._last_names:
            session = identifier_of(names[0])
            agent = identifier_of(names[1]) or self._agent
            self._last_names = names
            self._last_named = session
            if session is not None and agent is not None:
                self._last_named = f"{self._parent_of(session, agent)}/{agent}"
        return self._last_named

    def claim(self, session: str | None) -> None:
        """Take records that name no session to be of this one; None: of the file's own name."""
        self._session = session or self._stem

    def record_of(self, line: SourceLine) -> SourceRecord:
        """Return the record of the next line.

        A body that was spilled takes no bytes of the file, and the place of its preview.
        """
        position = self._position
        self._position += line.size > 0
        value = line.value
        if value is None:
            return SourceRecord(
                source_session_id=self._session,
                position=position,
                type="bad",
                at=self._at,
                disposition="bad",
                record=line.record,
                content=line.record,
                size=line.size,
                reason=line.reason,
                blobs=line.blobs,
            )
        instant = instant_from_text(text_of(value.get("timestamp")))
        if instant is not None:
            self._at = instant
        session = self._session_of(line, value)
        kind, disposition = kind_of(value)
        kept = with_texts_lifted(line)
        return SourceRecord(
            source_session_id=session,
            position=position,
            uuid=identifier_of(value.get("uuid")),
            type=kind,
            at=self._at,
            disposition="skipped" if self._is_unheard(session, value) else disposition,
            record=kept.record,
            content=identifying_content(value),
            size=line.size,
            blobs=kept.blobs,
        )

    def _session_of(self, line: SourceLine, value: dict[str, object]) -> str:
        named = self.session_named_by(line)
        if named is None:
            return self._session
        self._session = named
        if value.get("isSidechain") is True and "/" not in named:
            uuid = identifier_of(value.get("uuid"))
            if uuid is not None:
                root = self._sidechains.root_of(uuid, text_of(value.get("parentUuid")))
                return f"{named}/{root}"
        return named

    def _parent_of(self, session: str, agent: str) -> str:
        """Return the session that started an agent: the one its records name, but for releases that
        name the agent's own (``agent-<id>``, behind the parent's and ``#`` or alone).
        """
        own = f"{_AGENT_FILE}{agent}"
        if session == own:
            return self._parent or session
        return session.removesuffix(f"#{own}")

    def _is_unheard(self, session: str, value: dict[str, object]) -> bool:
        """Whether the session is a sub-agent's that did no work anybody asked for."""
        _, slash, agent = session.partition("/")
        if not slash:
            return False
        if agent.startswith(_UNHEARD_AGENTS) or session in self._dropped:
            return True
        if value.get("parentUuid") is None and _is_warm_up(value):
            self._dropped = [*self._dropped, session][-DROPPED_AGENTS_MAX:]
            return True
        return False


class _Sidechains:
    """Finds the root of a sub-agent that is written between the lines of the main file."""

    def __init__(self, roots: dict[int, str], links: dict[bytes, int]) -> None:
        self.roots = dict(roots)
        self.links = dict(links)

    def root_of(self, uuid: str, parent: str) -> str:
        """Return the root of a record's sidechain: its own uuid where its parent is in none."""
        number = self.links.get(stand_in(parent, _LINK_BYTES))
        if number is None or number not in self.roots:
            number = max(self.roots, default=-1) + 1
            self.roots[number] = uuid
            forget_oldest(self.roots, SIDECHAINS_MAX)
        self.links[stand_in(uuid, _LINK_BYTES)] = number
        forget_oldest(self.links, SIDECHAIN_LINKS_MAX)
        return self.roots[number]


def are_of_claude_code(values: Iterable[dict[str, object]], *, may_be_of_a_cousin: bool) -> bool:
    """Whether these objects, the first of a file, are records of Claude Code.

    One that carries its ids is enough, unless another is in the shape of a cousin of the format:
    those carry the same ids. Where none may be, no object after the first that does is asked for.
    """
    if not may_be_of_a_cousin:
        return any(map(_carries_ids, values))
    values = list(values)
    return any(map(_carries_ids, values)) and not any(map(_is_of_a_cousin, values))


def _carries_ids(value: dict[str, object]) -> bool:
    if not isinstance(value.get("type"), str):
        return False
    if identifier_of(value.get("sessionId")) is not None:
        return "uuid" in value or names_a_session(value)
    return "leafUuid" in value or ("messageId" in value and "snapshot" in value)


def _is_of_a_cousin(value: dict[str, object]) -> bool:
    return (
        "parts" in mapping_of(value.get("message")) or "projectHash" in value or "payload" in value
    )


def identifying_content(value: dict[str, object]) -> bytes:
    """Return the bytes that identify a record beside its uuid; see the top of this file."""
    message = mapping_of(value.get("message"))
    said: object
    if value.get("type") == "progress":
        said = ("progress", value.get("timestamp"))
    elif value.get("type") == SPILLED_OUTPUT:
        said = (SPILLED_OUTPUT, value.get("tool_use_id"))
    elif message:
        said = (
            value.get("type"),
            value.get("timestamp"),
            message.get("id"),
            message.get("role"),
            message.get("content"),
        )
    else:
        said = {key: item for key, item in value.items() if key not in _STAMP}
    return _encoder.encode(said)


def _is_warm_up(value: dict[str, object]) -> bool:
    content = mapping_of(value.get("message")).get("content")
    blocks = list_of(content)
    if len(blocks) == 1:
        content = mapping_of(blocks[0]).get("text")
    return content == _WARM_UP
