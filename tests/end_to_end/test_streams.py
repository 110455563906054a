"""Streams into a file: no byte of it ever holds a part of a secret; what is acknowledged stays."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from recense.core.text.redact import redact
from recense.operations.recall import RecallRequest
from recense.operations.sessions import AppendedEvent, OpenSession, StreamDelta
from recense.services.memory import Memory
from tests.core.text.secret_shapes import SHAPES, SecretShape
from tests.end_to_end.streaming_child import PIECE
from tests.end_to_end.worlds import on_sqlite

PROJECT = Path(__file__).parents[2]
SESSION = "api:s"
PART = 4
ACKNOWLEDGED_BEFORE_THE_KILL = 20


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A memory over a file, with one open session."""
    memory = on_sqlite(tmp_path)
    memory.session_open(OpenSession(session="s"))
    return memory


def _files_of(folder: Path) -> dict[str, bytes]:
    """Return every file of the store, its log included."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def _bytes_of(folder: Path) -> bytes:
    return b"".join(_files_of(folder).values())


def _fresh_bytes(before: dict[str, bytes], now: dict[str, bytes]) -> bytes:
    """Return what files hold that they did not hold before; one that was rewritten is all fresh."""
    return b"".join(data.removeprefix(before.get(name, b"")) for name, data in now.items())


def _cuts(shape: SecretShape, number: int) -> list[str]:
    """Return a shape in pieces, cut before, in and after its secret, each time elsewhere."""
    start = shape.text.index(shape.secret)
    middle = start + 1 + number % max(1, len(shape.secret) - 1)
    return [shape.text[:start], shape.text[start:middle], shape.text[middle:]]


def test_no_byte_of_the_store_ever_holds_a_part_of_a_secret(tmp_path: Path, memory: Memory) -> None:
    assert len(SHAPES) >= 60
    for number, shape in enumerate(SHAPES):
        whole = redact(shape.text).text
        parts = {shape.secret[at : at + PART] for at in range(len(shape.secret) - PART + 1)}
        telling = [part.encode() for part in parts if part not in whole and len(part) == PART]
        files = _files_of(tmp_path)
        before = b"".join(files.values())
        stream = f"stream-{number}"
        for piece in [*_cuts(shape, number), "\n"]:
            memory.session_stream(SESSION, StreamDelta(stream=stream, delta=piece))
            now = _files_of(tmp_path)
            fresh = _fresh_bytes(files, now)
            survivors = [part for part in telling if part in fresh and part not in before]
            assert survivors == [], shape.name
            files = now
    memory.session_close(SESSION)
    kept = _bytes_of(tmp_path)
    assert [shape.name for shape in SHAPES if shape.secret.encode() in kept] == []
    read = "".join(message.text for message in memory.transcript(SESSION, count=1_000).messages)
    assert read.count("[redacted:") >= len(SHAPES)


def test_a_key_block_streamed_line_by_line_leaves_no_line_behind(
    tmp_path: Path, memory: Memory
) -> None:
    block = next(shape for shape in SHAPES if shape.name == "openssh key")
    for line in f"here it is:\n{block.text}\nthat was it\n".splitlines(keepends=True):
        memory.session_stream(SESSION, StreamDelta(stream="reply", delta=line))
        assert block.secret[:16].encode() not in _bytes_of(tmp_path)
    (message,) = memory.transcript(SESSION).messages
    assert message.text == "here it is:\n[redacted:private-key]\nthat was it\n"


def test_what_was_acknowledged_survives_a_kill_and_the_stream_goes_on(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.end_to_end.streaming_child", str(tmp_path)],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as child:
        assert child.stdout is not None
        acknowledged = [int(child.stdout.readline()) for _ in range(ACKNOWLEDGED_BEFORE_THE_KILL)]
        child.kill()
        child.wait(timeout=60)
        assert child.returncode == -signal.SIGKILL
    sent = "".join(PIECE.format(number=number) for number in range(10_000))
    with on_sqlite(tmp_path) as memory:
        (message,) = memory.transcript(SESSION).messages
        assert len(message.text) >= acknowledged[-1]
        assert sent.startswith(message.text)
        report = memory.session_stream(SESSION, StreamDelta(stream="reply", delta="the end\n"))
        assert report.stored == len(message.text) + len("the end\n")
        assert memory.doctor().ok


def test_a_stream_is_found_while_it_arrives_and_once_when_it_is_complete(
    tmp_path: Path, memory: Memory
) -> None:
    for piece in ("deploy ", "in progress"):
        memory.session_stream(SESSION, StreamDelta(stream="reply", delta=piece))
    request = RecallRequest(terms=("deploy in progress",))
    (open_passage,) = memory.recall(request).passages
    payload = b'{"kind":"text","role":"model","text":"deploy in progress, and done"}'
    event = AppendedEvent(event_id="reply", stream="reply", payload=payload)
    memory.session_append(SESSION, [event])
    (passage,) = memory.recall(request).passages
    assert passage.anchor == open_passage.anchor
    with on_sqlite(tmp_path) as other:
        late = StreamDelta(stream="reply", delta=" too late")
        assert other.session_stream(SESSION, late).dropped
        assert memory.recall(request).passages == (passage,)
