"""Exports of ChatGPT through the whole of an import, on both stores."""

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest

from recense.operations.admin import ImportReport
from recense.operations.recall import BranchesLeftOut, RecallRequest
from recense.services.memory import Memory
from tests.end_to_end.worlds import on_reference, on_sqlite
from tests.importers.trees import (
    BACK,
    FIRST,
    MOSSES,
    NEWER,
    OLDER,
    START,
    conversation,
    export,
    node,
    nodes_of,
    root,
)

MEMORY_BYTES_MAX = 150 * 1024 * 1024
SESSION = "chatgpt:c-1"
EXPORTS = {"older": OLDER, "newer": NEWER, "back": BACK}

World = Callable[[Path], Memory]
both_stores = pytest.mark.parametrize("world", [on_sqlite, on_reference])


def write(folder: Path, name: str, *conversations: object) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    path = folder / name
    path.write_bytes(export(*conversations))
    return path


def bring(memory: Memory, *paths: Path) -> ImportReport:
    return memory.import_sessions(None, [str(path) for path in paths])


def found(memory: Memory, term: str) -> int:
    return len(memory.recall(RecallRequest(terms=(term,))).passages)


def shown(memory: Memory, *, everything: bool = False) -> list[str]:
    view = memory.transcript(SESSION, everything=everything)
    return [message.text for message in view.messages]


ACTIVE = ["where do ferns grow", "in damp shade", "and mosses", "upon granite"]


@both_stores
def test_the_active_branch_answers_and_the_others_are_counted_and_shown_on_request(
    world: World, tmp_path: Path
) -> None:
    with world(tmp_path) as memory:
        report = bring(memory, write(tmp_path, "conversations.json", NEWER))
        assert (report.messages_new, report.sessions_new) == (4, 1)
        assert [found(memory, term) for term in ("granite", "shade", "mountains")] == [1, 1, 0]
        gaps = memory.recall(RecallRequest(terms=("granite",))).gaps
        assert [gap for gap in gaps if isinstance(gap, BranchesLeftOut)] == [
            BranchesLeftOut(sessions=1, messages=2)
        ]
        assert shown(memory) == ACTIVE
        everything = shown(memory, everything=True)
        assert sorted(everything) == sorted([*ACTIVE, "and orchids", "on mountains"])
        (listed,) = memory.sessions().sessions
        assert (listed.title, listed.workspace, listed.messages) == ("Ferns", None, 4)
        assert all(check.ok for check in memory.doctor().checks)


@both_stores
@pytest.mark.parametrize("order", [*permutations(EXPORTS)], ids="-".join)
def test_exports_in_any_order_and_under_any_name_give_each_message_once_and_the_newest_path(
    world: World, order: tuple[str, ...], tmp_path: Path
) -> None:
    with world(tmp_path) as memory:
        for place, name in enumerate(order):
            bring(memory, write(tmp_path / name, f"{place}.json", EXPORTS[name]))
        assert [found(memory, term) for term in ("welcome", "mountains", "granite")] == [1, 1, 0]
        active = shown(memory)
        assert sorted(active) == sorted(
            [*ACTIVE[:2], "and orchids", "on mountains", "thanks", "welcome"]
        )
        assert len(shown(memory, everything=True)) == 8
        again = bring(memory, *(tmp_path / name / f"{n}.json" for n, name in enumerate(order)))
        assert again.messages_new == 0
        (source,) = [each for each in again.sources if each.source == "chatgpt"]
        assert (source.files_unchanged, source.records.parsed) == (3, 0)


@both_stores
def test_standing_orders_of_a_branch_that_is_taken_back_still_never_count(
    world: World, tmp_path: Path
) -> None:
    orders = node("s1", "a1", "system", "standing orders")
    branch = [*FIRST, orders, node("u2", "s1", "user", "and orchids")]
    exports = [
        conversation(branch, "u2", updated=START + 10),
        conversation([*branch, *MOSSES], "a3", updated=START + 20),
        conversation([*branch, *MOSSES], "u2", updated=START + 30),
    ]
    with world(tmp_path) as memory:
        for number, made in enumerate(exports):
            bring(memory, write(tmp_path, f"{number}.json", made))
        assert memory.sessions().sessions[0].messages == 3
        assert found(memory, "standing") == 0
        assert all(check.ok for check in memory.doctor().checks)


@both_stores
def test_a_newer_export_adds_exactly_the_new_messages(world: World, tmp_path: Path) -> None:
    second = conversation([root(), node("x", "root", "user", "hello")], "x", session="c-2")
    with world(tmp_path) as memory:
        bring(memory, write(tmp_path, "conversations.json", OLDER))
        report = bring(memory, write(tmp_path, "conversations.json", second, OLDER))
        (source,) = [each for each in report.sources if each.source == "chatgpt"]
        assert (report.messages_new, report.sessions_new) == (1, 1)
        assert (source.records.parsed, source.records.duplicate) == (2, 6)
        grown = [*nodes_of(OLDER), node("u9", "a2", "user", "and lichens")]
        report = bring(
            memory,
            write(tmp_path, "more.json", conversation(grown, "u9", updated=START + 99), second),
        )
        assert (report.messages_new, report.sessions_new) == (1, 0)
        assert shown(memory)[-1] == "and lichens"


@both_stores
def test_a_torn_export_fails_keeps_what_is_whole_and_loses_nothing_when_it_is_mended(
    world: World, tmp_path: Path
) -> None:
    second = conversation([root(), node("x", "root", "user", "hello")], "x", session="c-2")
    data = export(second, OLDER)
    path = tmp_path / "conversations.json"
    with world(tmp_path) as memory:
        for size in (20, len(data) - 200, len(data) - 1):
            path.write_bytes(data[:size])
            report = bring(memory, path)
            (source,) = [each for each in report.sources if each.source == "chatgpt"]
            assert [failure.reason for failure in source.failures] == [
                "the list ends before it is closed"
            ]
            assert bring(memory, path).sources[0].files_failed == 1
        assert found(memory, "hello") == 1
        path.write_bytes(data)
        report = bring(memory, path)
        assert report.sources[0].failures == ()
        assert sorted(each.session for each in memory.sessions().sessions) == [
            "chatgpt:c-1",
            "chatgpt:c-2",
        ]
        assert len(shown(memory)) == 4
        assert all(check.ok for check in memory.doctor().checks)


@both_stores
def test_an_export_without_any_message_has_failed(world: World, tmp_path: Path) -> None:
    with world(tmp_path) as memory:
        for name, made in [("a.json", [root()]), ("b.json", [])]:
            report = bring(memory, write(tmp_path, name, conversation(made, None)))
            (source,) = [each for each in report.sources if each.source == "chatgpt"]
            assert [failure.reason for failure in source.failures] == [
                "its records gave no message"
            ]


def test_files_of_an_export_are_found_in_its_folder_and_the_rest_left_alone(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "export"
    write(folder, "conversations-000.json", OLDER)
    write(folder, "conversations-001.json", conversation([root(), node("x", "root")], "x"))
    (folder / "user.json").write_text("{}", encoding="utf-8")
    (folder / "chat.html").write_text("<html>", encoding="utf-8")
    with on_sqlite(tmp_path) as memory:
        report = memory.import_sessions(None, [str(folder)])
    (source,) = [each for each in report.sources if each.source == "chatgpt"]
    assert (source.files_found, source.files_imported, source.files_failed) == (2, 2, 0)


def test_a_forgotten_conversation_does_not_come_back_with_a_newer_export(tmp_path: Path) -> None:
    with on_sqlite(tmp_path) as memory:
        bring(memory, write(tmp_path, "conversations.json", OLDER))
        memory.forget_session(SESSION)
        bring(memory, write(tmp_path, "conversations.json", NEWER))
        assert memory.sessions().total == 0
        assert found(memory, "ferns") == 0


IMPORT_SCRIPT = """
import sys
from pathlib import Path
from tests.end_to_end.peaks import peak_bytes
from tests.end_to_end.worlds import on_sqlite

with on_sqlite(Path(sys.argv[1])) as memory:
    report = memory.import_sessions("chatgpt", [sys.argv[2]])
sys.stdout.write(f"{report.messages_new} {peak_bytes()}")
"""


def test_an_export_is_read_as_a_stream(tmp_path: Path) -> None:
    """Thirty megabytes, of which one conversation is six, in a process of its own."""
    path = tmp_path / "conversations.json"
    words = json.dumps("damp shade under ferns " * 50)
    with path.open("w", encoding="ascii") as file:
        file.write("[")
        for number in range(5):
            nodes = [root(), node(f"only-{number}", "root", "assistant", "WORDS")]
            made = json.dumps(conversation(nodes, None, session=f"c-{number}", padding="PADDING"))
            file.write(
                "," * bool(number) + made.partition('"PADDING"')[0].replace('"WORDS"', words)
            )
            file.write('"' + "x y " * 1_500_000 + '"}')
        file.write("]")
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_SCRIPT, str(tmp_path), str(path)],
        check=True,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        cwd=Path(__file__).parents[2],
    )
    messages, peak = map(int, done.stdout.split())
    assert messages == 5
    assert peak < MEMORY_BYTES_MAX
