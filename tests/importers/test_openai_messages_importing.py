"""Files of messages through the whole of an import, on both stores; and real ones."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recense.importers.chatgpt import ChatGpt
from recense.importers.openai_messages import OpenAiMessages
from recense.limits import HEAD_BYTES
from recense.operations.admin import ImportReport, SourceReport
from recense.operations.recall import RecallRequest
from recense.ports.sources import Importer
from recense.services.memory import Memory
from tests.end_to_end.worlds import grow, on_reference, on_sqlite
from tests.importers.builders import CLAUDE, CODEX, archived, converted, line, lines, read

OPENAI: Importer = OpenAiMessages()
CHATGPT: Importer = ChatGpt()

TALK: list[dict[str, object]] = [
    {"role": "system", "content": "be kind"},
    {"role": "user", "content": "where do ferns grow"},
    {"role": "assistant", "content": "in damp shade"},
    {"role": "user", "content": "and mosses"},
    {"role": "assistant", "content": "upon granite"},
]

World = Callable[[Path], Memory]
both_stores = pytest.mark.parametrize("world", [on_sqlite, on_reference])


def bring(memory: Memory, path: Path) -> tuple[ImportReport, SourceReport]:
    report = memory.import_sessions("openai_messages", [str(path)])
    return report, report.sources[0]


def found(memory: Memory, term: str) -> int:
    return len(memory.recall(RecallRequest(terms=(term,))).passages)


def as_list(talk: list[dict[str, object]]) -> bytes:
    return json.dumps(talk).encode()


def as_object(talk: list[dict[str, object]]) -> bytes:
    return json.dumps({"messages": talk}, indent=1).encode()


def as_log(talk: list[dict[str, object]]) -> bytes:
    return b"".join(line({"messages": talk[: size + 1]}) for size in range(1, len(talk)))


@both_stores
@pytest.mark.parametrize("form", [lines, as_list, as_object, as_log])
def test_a_file_written_longer_gives_exactly_what_is_new(
    world: World, form: Callable[[list[dict[str, object]]], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "talk.json"
    with world(tmp_path) as memory:
        path.write_bytes(form(TALK[:3]))
        report, _ = bring(memory, path)
        assert (report.messages_new, report.sessions_new) == (2, 1)
        path.write_bytes(form(TALK))
        report, source = bring(memory, path)
        assert (report.messages_new, report.sessions_new) == (2, 0)
        path.write_bytes(form(TALK) + b"\n")
        report, source = bring(memory, path)
        assert (report.messages_new, source.records.parsed, source.failures) == (0, 0, ())
        assert [found(memory, term) for term in ("granite", "shade", "kind")] == [1, 1, 0]
        (listed,) = memory.sessions().sessions
        assert (listed.title, listed.messages) == ("where do ferns grow", 4)


@both_stores
def test_lines_that_grow_are_read_on(world: World, tmp_path: Path) -> None:
    source = tmp_path / "whole.jsonl"
    source.write_bytes(lines(TALK))
    with world(tmp_path) as memory:
        grow(source, tmp_path / "talk.jsonl", [10, 90, 91, 130, 200], memory)
        (listed,) = memory.sessions().sessions
        assert listed.messages == 4


@both_stores
def test_a_torn_list_fails_and_is_mended(world: World, tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    with world(tmp_path) as memory:
        path.write_bytes(as_list(TALK)[:-10])
        _, source = bring(memory, path)
        assert [failure.reason for failure in source.failures] == [
            "the list ends before it is closed"
        ]
        assert found(memory, "shade") == 1
        path.write_bytes(as_list(TALK))
        report, source = bring(memory, path)
        assert (report.messages_new, source.failures) == (1, ())
        assert all(check.ok for check in memory.doctor().checks)


@both_stores
def test_a_file_of_orders_alone_has_failed(world: World, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(lines(TALK[:1]))
    with world(tmp_path) as memory:
        _, source = bring(memory, path)
        assert [failure.reason for failure in source.failures] == ["no record names a session"]


@both_stores
def test_runs_that_begin_alike_are_kept_apart_and_nothing_of_them_is_lost(
    world: World, tmp_path: Path
) -> None:
    paths = [tmp_path / "runs" / str(run) / "messages.json" for run in range(3)]
    for run, path in enumerate(paths):
        path.parent.mkdir(parents=True)
        path.write_bytes(as_list([*TALK[:3], {"role": "user", "content": f"run {run}"}]))
    with world(tmp_path) as memory:
        report = memory.import_sessions("openai_messages", [str(path) for path in paths])
        assert (report.messages_new, report.sessions_new) == (9, 3)
        paths[1].write_bytes(as_list(TALK))
        report, _ = bring(memory, paths[1])
        assert (report.messages_new, report.sessions_new) == (2, 0)
        assert found(memory, "granite") == 1


def test_nothing_of_a_path_but_the_files_name_is_in_a_session(tmp_path: Path) -> None:
    folder = tmp_path / "hidden-folder"
    folder.mkdir()
    path = folder / "talk.json"
    path.write_bytes(as_list(TALK))
    with on_sqlite(tmp_path) as memory:
        bring(memory, path)
        (listed,) = memory.sessions().sessions
        assert listed.session.startswith("openai_messages:talk-")
        assert "hidden" not in listed.session


def test_a_folder_gives_the_files_that_are_named_for_it(tmp_path: Path) -> None:
    folder = tmp_path / "talks"
    folder.mkdir()
    (folder / "ferns.messages.json").write_bytes(as_list(TALK))
    (folder / "package.json").write_text("{}", encoding="utf-8")
    with on_sqlite(tmp_path) as memory:
        report = memory.import_sessions(None, [str(folder)])
    assert sum(source.files_found for source in report.sources) == 1
    assert report.messages_new == 4


# --- real files: counts alone, never a word -------------------------------------------------------


def _heads(shared_data: Path) -> Iterator[tuple[str, bytes]]:
    folder = shared_data / "transcripts"
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size:
            with path.open("rb") as file:
                yield str(path.relative_to(folder)), file.read(HEAD_BYTES)


def test_no_real_file_of_another_tool_is_taken(shared_data: Path) -> None:
    """Six files are plain messages under some tool's name, and are read when a person names
    them.
    """
    taken: dict[str, list[str]] = {}
    for name, head in _heads(shared_data):
        who = [
            importer.name
            for importer in (CHATGPT, CLAUDE, CODEX, OPENAI)
            if importer.recognises(head)
        ]
        assert len(who) <= 1, name
        for each in who:
            taken.setdefault(each, []).append(name)
    assert "chatgpt" not in taken
    assert len(taken["openai_messages"]) == 6
    assert not any(CHATGPT.claims(name) or OPENAI.claims(name) for name, _ in _heads(shared_data))


def test_plain_messages_of_real_tools_convert(shared_data: Path) -> None:
    folder = shared_data / "transcripts"
    for name, head in _heads(shared_data):
        if OPENAI.recognises(head):
            data = (folder / name).read_bytes()
            readout = read(OPENAI, data, name)
            assert readout.waiting == 0, name
            assert {record.disposition for record in readout.records} <= {"parsed", "skipped"}
            events = converted(OPENAI, archived(OPENAI, readout.records)).events
            assert len(events) >= 2, name


BODY = re.compile(r"^    body: '(\{.*?\})'$", re.MULTILINE | re.DOTALL)


def test_bodies_of_real_requests_are_read(shared_data: Path) -> None:
    """The recordings are YAML; a request's body in them is one quoted, folded line of JSON."""
    bodies = 0
    for path in sorted((shared_data / "transcripts" / "openai-messages").rglob("*.yaml")):
        for folded in BODY.findall(path.read_text(encoding="utf-8")):
            body = re.sub(r"\n *\n *", r"\\n", folded.replace("''", "'"))
            data = re.sub(r"\n *", " ", body).encode()
            if OPENAI.recognises(data[:HEAD_BYTES]):
                bodies += 1
                readout = read(OPENAI, data, path.name)
                assert {record.disposition for record in readout.records} == {"parsed"}
                records = archived(OPENAI, readout.records)
                assert converted(OPENAI, records).events
    assert bodies >= 5
