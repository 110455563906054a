"""Small builders of source files and of archived records, and ways to run an importer over them.

People, projects and words are invented.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO

from recense.core.transcript.events import ConvertedEvent, Payload
from recense.core.transcript.gate import pass_gate
from recense.core.transcript.records import ArchivedRecord, SessionFacts, SourcePage, SourceRecord
from recense.core.values import Value
from recense.importers.claude_code import ClaudeCode
from recense.importers.codex import Codex
from recense.ports.sources import Importer

CLAUDE: Importer = ClaudeCode()
CODEX: Importer = Codex()

SESSION = "0a1b2c3d-0000-4000-8000-000000000001"
FOLDER = "/home/mira/herbarium"


def line(record: object) -> bytes:
    """Return one JSON line as the tools write it: compact, not escaped."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def lines(records: Iterable[object]) -> bytes:
    """Return records as the bytes of a file."""
    return b"".join(map(line, records))


# --- Claude Code ----------------------------------------------------------------------------------


def claude_record(number: int, kind: str, **fields: object) -> dict[str, object]:
    """Return a transcript record; its uuid is ``u<number>``, its parent the one before."""
    record: dict[str, object] = {
        "parentUuid": f"u{number - 1}" if number > 1 else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": FOLDER,
        "sessionId": SESSION,
        "version": "2.1.7",
        "gitBranch": "main",
        "type": kind,
        "uuid": f"u{number}",
        "timestamp": f"2026-02-03T10:{number // 60 % 60:02}:{number % 60:02}.000Z",
    }
    return record | fields


def claude_user(number: int, content: object, **fields: object) -> dict[str, object]:
    """Return a user record."""
    message = {"role": "user", "content": content}
    return claude_record(number, "user", message=message, **fields)


def claude_assistant(
    number: int, *blocks: Mapping[str, object], **fields: object
) -> dict[str, object]:
    """Return an assistant record; its blocks are those of one line, ``message_id`` names whose."""
    message = {
        "model": "claude-opus-4-5",
        "id": fields.pop("message_id", f"msg_{number}"),
        "type": "message",
        "role": "assistant",
        "content": list(blocks),
        "usage": {"output_tokens": 1},
    }
    return claude_record(number, "assistant", message=message, requestId="req_1", **fields)


def text_block(text: str) -> dict[str, object]:
    """Return a block of text."""
    return {"type": "text", "text": text}


def tool_use(call_id: str, name: str, **arguments: object) -> dict[str, object]:
    """Return a block that calls a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def tool_result(call_id: str, content: object, **fields: object) -> dict[str, object]:
    """Return a block that answers a call."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


# --- Codex ----------------------------------------------------------------------------------------


def codex_line(kind: str, payload: Mapping[str, object], at: int = 0) -> dict[str, object]:
    """Return an envelope; ``at`` is its second."""
    instant = f"2026-02-03T11:{at // 60:02}:{at % 60:02}.000Z"
    return {"timestamp": instant, "type": kind, "payload": dict(payload)}


def codex_meta(**fields: object) -> dict[str, object]:
    """Return the header of a session."""
    meta = {"id": SESSION, "cwd": FOLDER, "originator": "codex_cli_rs", "source": "cli"}
    return codex_line("session_meta", meta | fields)


def codex_message(role: str, *texts: str, at: int = 0) -> dict[str, object]:
    """Return a message among the response items."""
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return codex_line("response_item", {"type": "message", "role": role, "content": content}, at)


def codex_event(kind: str, at: int = 0, **fields: object) -> dict[str, object]:
    """Return an event for the screen."""
    return codex_line("event_msg", {"type": kind, **fields}, at)


# --- running an importer --------------------------------------------------------------------------


class Readout(Value, kw_only=True):
    """What reading a file gave: records, how far it is taken, what waits, and the last state."""

    records: tuple[SourceRecord, ...]
    offset: int
    waiting: int
    state: bytes
    pages: tuple[SourcePage, ...]


def read(
    importer: Importer,
    data: bytes,
    path: str = "session.jsonl",
    *,
    grown_at: Sequence[int] = (),
) -> Readout:
    """Read a file to its end, after having read it at each of the sizes it had on the way."""
    records: list[SourceRecord] = []
    pages: list[SourcePage] = []
    offset, waiting, state = 0, 0, b""
    for size in (*sorted(grown_at), len(data)):
        waiting = 0
        for page in importer.read(BytesIO(data[:size]), path, offset, state):
            assert page.offset - offset == sum(record.size for record in page.records)
            records += page.records
            pages.append(page)
            offset, waiting, state = page.offset, page.waiting, page.state
    return Readout(
        records=tuple(records), offset=offset, waiting=waiting, state=state, pages=tuple(pages)
    )


def archived(
    importer: Importer, records: Iterable[SourceRecord], session: str | None = None
) -> list[ArchivedRecord]:
    """Return what conversion sees of the records of one session: through the gate, parsed ones."""
    mine = [record for record in records if session in {None, record.source_session_id}]
    return [
        ArchivedRecord(
            seq=seq,
            position=record.position,
            uuid=record.uuid,
            identity=b"",
            type=record.type,
            at=record.at,
            disposition=record.disposition,
            record=pass_gate(
                record.record,
                is_structural=importer.is_structural,
                is_opaque=importer.is_opaque,
                opaque_marks=importer.opaque_marks,
                lifted=record.blobs,
            ).record,
        )
        for seq, record in enumerate(mine)
        if record.disposition == "parsed"
    ]


def without_copies(records: Iterable[SourceRecord]) -> list[SourceRecord]:
    """Return the records that an archive takes for the first of their identity, in order."""
    first: dict[tuple[object, ...], SourceRecord] = {}
    for record in records:
        named = record.uuid or record.position
        first.setdefault((record.source_session_id, named, record.content), record)
    return list(first.values())


class Converted(Value, kw_only=True):
    """What conversion gave: events, the facts of each page, and the last state."""

    events: tuple[ConvertedEvent, ...]
    facts: tuple[SessionFacts, ...]
    state: bytes

    def payloads(self) -> list[Payload]:
        """Return the payloads in order."""
        return [event.payload for event in self.events]


def converted(
    importer: Importer, records: Sequence[ArchivedRecord], *, cuts: Sequence[int] = ()
) -> Converted:
    """Convert records, cut into pages before the given indexes."""
    events: list[ConvertedEvent] = []
    facts: list[SessionFacts] = []
    state = b""
    start = 0
    for end in (*sorted(cuts), len(records)):
        conversion = importer.convert(state, records[start:end])
        events += conversion.events
        facts.append(conversion.facts)
        state, start = conversion.state, end
    return Converted(events=tuple(events), facts=tuple(facts), state=state)


def payloads_of(importer: Importer, *records: object, path: str = "session.jsonl") -> list[Payload]:
    """Return the payloads that a file of these records gives."""
    readout = read(importer, lines(records), path)
    return converted(importer, archived(importer, readout.records)).payloads()


def facts_of(importer: Importer, *records: object) -> SessionFacts:
    """Return what the records of a file say about their session, converted in one page."""
    readout = read(importer, lines(records))
    return converted(importer, archived(importer, readout.records)).facts[0]
