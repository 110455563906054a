"""Secrets: whatever way they come in, they are in no byte of the store and of no answer."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from recense.core.transcript.events import Payload, Text, ToolCall, ToolResult, encode_payload
from recense.errors import CredentialShaped
from recense.operations.recall import RecallRequest
from recense.operations.sessions import AppendedEvent, OpenSession
from recense.ports.transcripts import TranscriptStore
from recense.services.memory import Memory
from tests.core.text.secret_shapes import SHAPES, SecretShape
from tests.end_to_end.worlds import on_sqlite, sqlite_store
from tests.hook.hooks import Home
from tests.importers.builders import (
    claude_assistant,
    claude_user,
    codex_event,
    codex_message,
    codex_meta,
    lines,
    text_block,
    tool_result,
    tool_use,
)
from tests.importers.trees import conversation, node, root
from tests.rows import each_row


def _claude(shape: SecretShape, start: int) -> Iterator[object]:
    """Yield records in which a person, a model and a tool each say the secret."""
    yield claude_user(start, f"please look at this: {shape.text}")
    yield claude_assistant(start + 1, text_block(f"I see {shape.text}"))
    yield claude_assistant(
        start + 2, tool_use(f"c{start}", "Write", content=shape.text, description=shape.text)
    )
    yield claude_user(
        start + 3,
        [tool_result(f"c{start}", [text_block(shape.text)])],
        toolUseResult={"stdout": shape.text, "file": {"content": shape.text}},
    )


def _bytes_of(folder: Path) -> bytes:
    """Return every byte of every file of the store, its log included."""
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


def _shown(memory: Memory) -> bytes:
    """Return everything that lists, transcripts and health say, as JSON."""
    sessions = memory.sessions(limit=1_000)
    said: list[object] = [sessions, memory.doctor()]
    said += [
        memory.transcript(session.session, count=100_000, everything=True)
        for session in sessions.sessions
    ]
    said.append(memory.recall(RecallRequest(terms=("look", "see"), limit=25, origin="all")))
    return msgspec.json.encode(said)


def _kept(store: TranscriptStore) -> bytes:
    """Return everything the store keeps as it was given: what a file holds compressed is in it."""
    pieces: list[bytes] = []
    with store.snapshot() as reader:
        for session in reader.sessions():
            pieces.append(msgspec.json.encode(session))
            after = 0
            while page := reader.records(session.session_id, after, 1_000, 10**8):
                after = page[-1].seq + 1
                pieces += [f"{each.type} {each.uuid}".encode() for each in page]
                pieces += [each.record for each in page]
            pieces += [event.payload for event in reader.events(session.session_id)]
            pieces += [stream.text.encode() for stream in reader.streams(session.session_id)]
        pieces += [reader.blob(blob) or b"" for blob in reader.blob_ids()]
        pieces += [msgspec.json.encode(file) for file in reader.files()]
    return b"\n".join(pieces)


def _survivors(data: bytes) -> list[str]:
    return [shape.name for shape in SHAPES if _stands_in(shape.secret, data)]


def _stands_in(secret: str, data: bytes) -> bool:
    """Whether a secret is there; a few digits are not that amid the digits of a digest."""
    if not secret.isdecimal():
        return secret.encode() in data
    return re.search(rb"(?<![0-9a-f])" + secret.encode() + rb"(?![0-9a-f])", data) is not None


def test_there_are_as_many_shapes_as_the_gate_promises() -> None:
    assert len(SHAPES) >= 60
    assert all(shape.secret in shape.text for shape in SHAPES)


@pytest.mark.parametrize("archive_only", [True, False])
def test_no_secret_survives_an_import_in_any_byte_of_the_store(
    tmp_path: Path, archive_only: bool
) -> None:
    source, store = tmp_path / "source", tmp_path / "store"
    source.mkdir()
    store.mkdir()
    records = [
        record for number, shape in enumerate(SHAPES) for record in _claude(shape, 1 + 4 * number)
    ]
    (source / "session.jsonl").write_bytes(lines(records))
    said: list[object] = [codex_meta()]
    for number, shape in enumerate(SHAPES):
        said.append(codex_message("user", shape.text, at=number))
        said.append(codex_event("user_message", at=number, message=shape.text))
    (source / "rollout-2026-02-03T11-00-00-x.jsonl").write_bytes(lines(said))
    with on_sqlite(store) as memory:
        report = memory.import_sessions(None, [str(source)], archive_only=archive_only)
        assert report.messages_new > 0 or archive_only
        assert sum(report.secrets_redacted.values()) >= 5 * len(SHAPES)
        assert _survivors(_bytes_of(store)) == []
        assert _survivors(_shown(memory)) == []
    assert _survivors(_bytes_of(store)) == []
    assert _survivors(_kept(sqlite_store(store))) == []


@pytest.mark.parametrize("source", ["chatgpt", "openai_messages"])
def test_no_secret_survives_an_export_of_messages(tmp_path: Path, source: str) -> None:
    store, folder = tmp_path / "store", tmp_path / "source"
    store.mkdir()
    folder.mkdir()
    if source == "chatgpt":
        nodes = [root()]
        for number, shape in enumerate(SHAPES):
            role = ("user", "assistant", "tool")[number % 3]
            parent = str(nodes[-1]["id"])
            nodes.append(node(f"n{number}", parent, role, shape.text, author={"role": role}))
        title = f"about {SHAPES[0].text}"
        document: object = [conversation(nodes, str(nodes[-1]["id"]), title=title)]
    else:
        document = [
            {"role": ("user", "assistant")[number % 2], "content": shape.text}
            for number, shape in enumerate(SHAPES)
        ]
    (folder / "conversations.json").write_text(json.dumps(document), encoding="utf-8")
    with on_sqlite(store) as memory:
        report = memory.import_sessions(source, [str(folder / "conversations.json")])
        assert report.messages_new >= len(SHAPES)
        assert _survivors(_bytes_of(store)) == []
        assert _survivors(_shown(memory)) == []
    assert _survivors(_kept(sqlite_store(store))) == []


def test_no_secret_survives_in_what_the_hook_archives(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.transcript.write_bytes(lines(_claude(SHAPES[0], 1)))
    told = home.run(told=home.told())
    records = [
        record for number, shape in enumerate(SHAPES) for record in _claude(shape, 5 + 4 * number)
    ]
    with home.transcript.open("ab") as growing:
        growing.write(lines(records))
    again = home.run(told=home.told())
    said = b"".join((told.out, told.err.encode(), again.out, again.err.encode()))
    assert _survivors(said) == []
    assert _survivors(_bytes_of(home.store.parent)) == []
    with home.memory() as memory:
        assert _survivors(_shown(memory)) == []
    assert _survivors(_kept(sqlite_store(home.store.parent))) == []


def test_no_secret_survives_in_what_is_watched(tmp_path: Path) -> None:
    store, folder = tmp_path / "store", tmp_path / "source"
    store.mkdir()
    folder.mkdir()
    file = folder / "session.jsonl"
    file.write_bytes(lines([claude_user(1, "a session begins")]))
    waiting = iter(enumerate(SHAPES))

    def grows(_seconds: float) -> bool:
        number, shape = next(waiting, (0, None))
        if shape is None:
            return True
        with file.open("ab") as growing:
            growing.write(lines(_claude(shape, 2 + 4 * number)))
        return False

    with on_sqlite(store) as memory:
        report = memory.watch_sessions(
            "claude_code", [str(folder)], every=1.0, wait=grows, tell=lambda _: None
        )
        assert report.messages_new > len(SHAPES)
        assert _survivors(_bytes_of(store)) == []
        assert _survivors(_shown(memory)) == []
    assert _survivors(_kept(sqlite_store(store))) == []


def test_no_secret_survives_an_append_in_any_byte_of_the_store(tmp_path: Path) -> None:
    with on_sqlite(tmp_path) as memory:
        session = memory.session_open(OpenSession(session="s")).session
        for number, shape in enumerate(SHAPES):
            payloads: list[Payload] = [
                Text(role="user", text=shape.text),
                Text(role="model", text=shape.text),
                ToolCall(call_id="c", name="Write", arguments={"content": shape.text}),
                ToolResult(call_id="c", content={"output": [shape.text]}),
            ]
            memory.session_append(
                session,
                [
                    AppendedEvent(event_id=f"{number}-{place}", payload=encode_payload(payload))
                    for place, payload in enumerate(payloads)
                ],
            )
        assert _survivors(_bytes_of(tmp_path)) == []
        assert _survivors(_shown(memory)) == []
    assert _survivors(_kept(sqlite_store(tmp_path))) == []


def test_no_secret_survives_in_the_title_of_an_opened_session(tmp_path: Path) -> None:
    with on_sqlite(tmp_path) as memory:
        for number, shape in enumerate(SHAPES):
            memory.session_open(OpenSession(session=f"s{number}", title=f"see {shape.text}"))
            cut = f"{'long ' * 20}{shape.text}"
            memory.session_open(OpenSession(session=f"cut{number}", title=cut))
        assert _survivors(_bytes_of(tmp_path)) == []
        assert _survivors(_shown(memory)) == []


def test_a_secret_by_the_name_of_its_key_is_hidden_in_structure(tmp_path: Path) -> None:
    secret = "correct" + "-horse-battery"
    call = ToolCall(call_id="c", name="login", arguments={"user": "mira", "password": secret})
    with on_sqlite(tmp_path) as memory:
        session = memory.session_open(OpenSession(session="s")).session
        memory.session_append(session, [AppendedEvent(event_id="e", payload=encode_payload(call))])
        assert secret.encode() not in _bytes_of(tmp_path)


def test_asking_for_a_secret_is_refused_by_its_place_and_never_by_its_text(
    tmp_path: Path,
) -> None:
    @each_row("shape", SHAPES, ids=lambda shape: shape.name)
    def is_refused(memory: Memory, shape: SecretShape) -> None:
        with pytest.raises(CredentialShaped) as refused:
            memory.recall(RecallRequest(terms=("harmless", shape.text[:500])))
        assert shape.secret not in f"{refused.value.message} {refused.value.hint}"

    with on_sqlite(tmp_path) as memory:
        is_refused(memory=memory)
