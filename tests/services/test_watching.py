"""Watching: what changes in a file is imported in the next round, and nothing else is opened."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from recense.adapters.memory.store import MemoryStore
from recense.core.text.known_secrets import KnownSecrets
from recense.errors import InvalidRequest, RecenseError, StoreBusy, StoreFull
from recense.operations.admin import ImportReport
from recense.operations.recall import RecallRequest
from recense.services.memory import Memory
from recense.testing import Boundary, Fault, FaultyStore, SeededChance
from tests.end_to_end.worlds import memory_over
from tests.importers.builders import claude_user, codex_message, codex_meta, lines


class Watched:
    """A home whose files a memory follows, and what it told of each round."""

    def __init__(self, home: Path, *, faults: Sequence[Fault] = ()) -> None:
        self.home = home
        self.projects = home / ".claude" / "projects" / "p"
        self.projects.mkdir(parents=True)
        self.memory: Memory = memory_over(
            FaultyStore(MemoryStore(SeededChance(1)), list(faults)), home
        )
        self.rounds: list[ImportReport] = []
        self.troubles: list[str] = []

    def tell(self, told: ImportReport | RecenseError) -> None:
        if isinstance(told, RecenseError):
            self.troubles.append(told.code)
        else:
            self.rounds.append(told)

    def write(self, name: str, *numbers: int, session: str = "s") -> Path:
        path = self.projects / name
        path.write_bytes(lines(claude_user(n, f"prompt {n}", sessionId=session) for n in numbers))
        return path

    def watch(
        self, *between: Callable[[], object], source: str | None = None, paths: Sequence[str] = ()
    ) -> ImportReport:
        """Follow the files; each of these happens between two rounds, and then it stops."""
        left = list(between)

        def wait(seconds: float) -> bool:
            assert seconds == 2
            if not left:
                return True
            left.pop(0)()
            return False

        return self.memory.watch_sessions(source, paths, every=2, wait=wait, tell=self.tell)

    def messages(self) -> list[int]:
        return [report.messages_new for report in self.rounds]


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    """A home with one session."""
    made = Watched(tmp_path)
    made.write("a.jsonl", 1)
    return made


def _nothing() -> None:
    """Let a round pass."""


def test_what_is_added_to_a_file_is_imported_in_the_next_round(watched: Watched) -> None:
    report = watched.watch(
        lambda: watched.write("a.jsonl", 1, 2, 3),
        _nothing,
        lambda: watched.write("a.jsonl", *range(1, 5)),
    )
    assert watched.messages() == [1, 2, 1]
    assert (report.messages_new, report.sessions_new) == (4, 1)
    assert {source.source: source.messages_new for source in report.sources}["claude_code"] == 4


def test_the_sum_of_all_rounds_counts_each_file_once(watched: Watched) -> None:
    bad = watched.projects / "bad.jsonl"
    bad.write_bytes(b"no session\n")
    report = watched.watch(
        lambda: watched.write("a.jsonl", 1, 2),
        lambda: watched.write("a.jsonl", 1, 2, 3),
        lambda: (
            watched.write("bad.jsonl", 7, session="b"),
            os.utime(watched.projects / "a.jsonl"),
        ),
    )
    claude = {source.source: source for source in report.sources}["claude_code"]
    assert (claude.files_found, claude.files_imported, claude.files_failed) == (2, 2, 0)
    assert (claude.messages_new, claude.failures, report.sessions_new) == (4, (), 2)
    assert claude.bytes == sum(path.stat().st_size for path in watched.projects.iterdir())


def test_a_folder_without_a_file_has_failed_until_there_is_one(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    folder = str(watched.projects)
    (failed,) = watched.watch(source="claude_code", paths=[folder]).sources
    assert [each.path for each in failed.failures] == [folder]
    (mended,) = watched.watch(
        lambda: watched.write("a.jsonl", 1), source="claude_code", paths=[folder]
    ).sources
    assert (mended.files_imported, mended.failures) == (1, ())


def test_files_known_by_how_they_begin_are_followed_and_others_are_not(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    talk: list[object] = [{"role": "user", "content": "where do ferns grow"}]
    (watched.projects / "talk.jsonl").write_bytes(lines(talk))
    (watched.projects / "package.json").write_bytes(b"{}")
    (report,) = watched.watch(
        lambda: (watched.projects / "talk.jsonl").write_bytes(lines([*talk, *talk])),
        lambda: (watched.projects / "package.json").write_bytes(b'{"name": "ferry"}'),
        lambda: (watched.projects / "later.jsonl").write_bytes(lines(talk)),
        source="openai_messages",
        paths=[str(watched.projects)],
    ).sources
    assert watched.messages() == [1, 1, 1]
    assert (report.files_found, report.files_imported, report.failures) == (2, 2, ())


def test_a_round_in_which_nothing_changed_opens_nothing_and_is_silent(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise AssertionError("a file was opened, or all sessions were listed")

    def forbid() -> None:
        monkeypatch.setattr("builtins.open", refuse)
        monkeypatch.setattr(MemoryStore, "snapshot", refuse)

    watched.watch(forbid, _nothing, monkeypatch.undo)
    assert watched.messages() == [1]


def test_new_files_and_folders_are_found_and_only_the_changed_are_read(watched: Watched) -> None:
    def add() -> None:
        (watched.projects.parent / "q").mkdir()
        watched.write("../q/b.jsonl", 7, session="b")

    watched.watch(add)
    assert watched.messages() == [1, 1]
    assert sum(source.files_found for source in watched.rounds[1].sources) == 1


def test_a_rollout_of_codex_is_imported_as_what_it_is(watched: Watched) -> None:
    def add() -> None:
        folder = watched.home / ".codex" / "sessions"
        folder.mkdir(parents=True)
        (folder / "rollout-2026-02-03T11-00-00-x.jsonl").write_bytes(
            lines([codex_meta(), codex_message("user", "how many?", at=1)])
        )

    watched.watch(add)
    assert [source.source for source in watched.rounds[1].sources] == ["codex"]


def test_a_file_that_is_deleted_or_renamed_doubles_and_loses_nothing(watched: Watched) -> None:
    path = watched.projects / "a.jsonl"
    report = watched.watch(
        lambda: path.rename(watched.projects / "b.jsonl"),
        (watched.projects / "b.jsonl").unlink,
        _nothing,
    )
    assert report.messages_new == 1
    assert len(watched.memory.recall(RecallRequest(terms=("prompt",))).passages) == 1


def test_a_file_that_is_cut_and_written_anew_keeps_what_was_and_adds_what_is(
    watched: Watched,
) -> None:
    path = watched.write("a.jsonl", 1, 2)
    report = watched.watch(lambda: os.truncate(path, 10), lambda: watched.write("a.jsonl", 1, 3))
    assert report.messages_new == 3


def test_a_torn_line_is_taken_in_the_round_after_it_is_whole(watched: Watched) -> None:
    path = watched.projects / "a.jsonl"
    whole = lines([claude_user(1, "prompt 1"), claude_user(2, "prompt 2")])
    path.write_bytes(whole[:-9])
    watched.watch(lambda: path.write_bytes(whole))
    assert watched.messages() == [1, 1]


def test_loops_pipes_and_links_to_nothing_are_passed_over(watched: Watched) -> None:
    os.mkfifo(watched.projects / "pipe.jsonl")
    (watched.projects / "loop").symlink_to(watched.projects.parent)
    (watched.projects / "gone.jsonl").symlink_to(watched.projects / "nowhere")
    watched.watch(_nothing, lambda: watched.write("a.jsonl", 1, 2))
    assert [messages for messages in watched.messages() if messages] == [1, 1]


def test_paths_that_a_person_named_are_followed_whatever_their_name(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    named = watched.write("session.txt", 1)
    watched.watch(lambda: watched.write("session.txt", 1, 2), paths=[str(named)])
    assert watched.messages() == [1, 1]


@pytest.mark.parametrize("call", [1, 2])
def test_a_store_that_is_busy_is_told_and_tried_again_in_the_next_round(
    tmp_path: Path, call: int
) -> None:
    boundary = Boundary(method="archive", call=call, moment="before")
    watched = Watched(tmp_path, faults=[Fault.raising(boundary, StoreBusy("held"))])
    watched.write("a.jsonl", 1)
    report = watched.watch(lambda: watched.write("a.jsonl", 1, 2), _nothing)
    assert watched.troubles == ["store_busy"]
    assert report.messages_new == 2


def test_what_does_not_pass_ends_it(tmp_path: Path) -> None:
    boundary = Boundary(method="archive", call=1, moment="before")
    watched = Watched(tmp_path, faults=[Fault.raising(boundary, StoreFull("the disk is full"))])
    watched.write("a.jsonl", 1)
    with pytest.raises(StoreFull):
        watched.watch()
    with pytest.raises(InvalidRequest):
        watched.watch(source="nobody")


def test_a_failure_is_told_once_and_not_again_until_the_file_changes(watched: Watched) -> None:
    odd = watched.projects / "odd.jsonl"
    odd.write_bytes(b"no session\n")
    report = watched.watch(
        _nothing, _nothing, lambda: odd.write_bytes(lines([claude_user(9, "mended")]))
    )
    assert len(watched.rounds) == 2
    told, mended = (
        [failure.path for source in each.sources for failure in source.failures]
        for each in (watched.rounds[0], report)
    )
    assert (told, mended) == ([str(odd)], [])


def test_named_secrets_are_hidden_in_every_round(watched: Watched) -> None:
    secret = "Tulip7" + "Harbour91"

    def say() -> None:
        watched.projects.joinpath("b.jsonl").write_bytes(
            lines([claude_user(1, f"it is {secret} today", sessionId="b")])
        )

    left: list[Callable[[], None]] = [say]

    def wait(_seconds: float) -> bool:
        return not left or bool(left.pop()())

    report = watched.memory.watch_sessions(
        None, (), every=2, wait=wait, tell=watched.tell, known_secrets=KnownSecrets.of([secret])
    )
    assert report.secrets_redacted == {"known_secret": 1}
