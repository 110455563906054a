"""The hook: it archives one session after a turn, says nothing on stdout, and never gets in the
way.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import apsw
import pytest

from recense.adapters.sqlite.driver import Connection
from recense.errors import SettingsInvalid
from recense.hook.asked import Asked, asked_by_json, asked_by_words
from recense.operations.recall import RecallRequest
from recense.services.namespaces import known_namespaces
from recense.settings.loading import load_settings
from recense.wiring import open_url
from recense.wiring.control import open_control
from tests.hook.hooks import SECONDS_MAX, Home, Pause, archived_records, ended
from tests.importers.builders import (
    SESSION,
    claude_assistant,
    claude_user,
    codex_message,
    codex_meta,
    lines,
    text_block,
)

THREAD = "0199a213-81c0-7800-8aa1-bbab2a035a53"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A machine on which Claude Code has kept a session."""
    made = Home(tmp_path)
    made.transcript.write_bytes(lines([claude_user(1, "press the fern")]))
    return made


def test_what_claude_code_tells_after_a_turn_archives_the_session_and_converts_nothing(
    home: Home,
) -> None:
    ran = home.run(told=home.told("Stop", stop_hook_active=True))
    assert (ran.exit_code, ran.out, ran.err) == (0, b"", "")
    with home.memory() as memory:
        checks = {check.name: check for check in memory.doctor().checks}
        assert "1 archived record" in checks["conversion"].detail
        assert len(memory.recall(RecallRequest(terms=("fern",))).passages) == 1


def test_a_hook_archives_into_the_namespace_that_is_set_and_puts_it_on_the_list(home: Home) -> None:
    for _ in range(2):
        ran = home.run(told=home.told(), RECENSE_NAMESPACE="a.B")
        assert (ran.exit_code, ran.out, ran.err) == (0, b"", "")
    assert not home.store.exists()
    with open_url(str(home.store), namespace="a.B", create=False) as memory:
        assert memory.sessions().total == 1
    flags = {"store": str(home.store)}
    settings = load_settings(flags, {}, str(home.folder), str(home.folder))
    with open_control(settings, create=False) as control:
        assert known_namespaces(control) == ("default", "a.B")


def test_what_is_no_namespace_stops_a_hook_with_one_line(home: Home) -> None:
    ran = home.run(told=home.told(), RECENSE_NAMESPACE="a%")
    assert (ran.exit_code, ran.out) == (1, b"")
    assert ran.err.startswith("recense-hook: the namespace in environment is 'a%'; expected")


def test_a_session_that_grew_is_archived_from_where_it_was_read(home: Home) -> None:
    home.archive(home.transcript)
    with home.transcript.open("ab") as growing:
        growing.write(lines([claude_assistant(2, text_block("pressed"))]))
    assert home.archive(home.transcript) == []
    assert archived_records(home) == 2


def test_the_sub_agents_of_a_session_are_archived_with_it(home: Home) -> None:
    below = home.projects / SESSION / "subagents" / "workflows" / "w1"
    below.mkdir(parents=True)
    agent = claude_user(1, "count the sheets", isSidechain=True, agentId="a1")
    (below / "agent-a1.jsonl").write_bytes(lines([agent]))
    (below / "journal.jsonl").write_bytes(b'{"type":"started"}\n')
    (home.projects / SESSION / "tool-results").mkdir()
    (home.projects / SESSION / "tool-results" / "t.txt").write_bytes(b"long")
    assert home.archive(home.transcript) == []
    with home.memory() as memory:
        listed = {session.session for session in memory.sessions().sessions}
    assert listed == {f"claude_code:{SESSION}", f"claude_code:{SESSION}/a1"}


def test_a_new_file_of_a_sub_agent_is_noticed_beside_an_unchanged_transcript(home: Home) -> None:
    home.archive(home.transcript)
    below = home.projects / SESSION / "subagents"
    below.mkdir(parents=True)
    agent = claude_user(1, "count the sheets", isSidechain=True, agentId="a1")
    (below / "agent-a1.jsonl").write_bytes(lines([agent]))
    home.archive(home.transcript)
    assert archived_records(home) == 2


def test_what_is_in_the_session_folder_by_a_link_is_not_followed(home: Home) -> None:
    elsewhere = home.folder / "elsewhere.jsonl"
    elsewhere.write_bytes(lines([claude_user(1, "somebody else's", sessionId="other")]))
    (home.projects / SESSION).mkdir()
    (home.projects / SESSION / "a.jsonl").symlink_to(elsewhere)
    (home.projects / SESSION / "loop").symlink_to(home.projects)
    os.mkfifo(home.projects / SESSION / "pipe.jsonl")
    assert home.archive(home.transcript) == []
    assert archived_records(home) == 1


def test_a_codex_thread_is_found_by_its_id_the_newest_day_first(home: Home) -> None:
    for day in ("2025/12/30", "2026/02/03"):
        folder = home.rollouts / day
        folder.mkdir(parents=True)
        (folder / f"rollout-{day.replace('/', '-')}T11-00-00-other.jsonl").write_bytes(b"")
    name = f"rollout-2026-02-03T11-00-00-{THREAD}.jsonl"
    (home.rollouts / "2026/02/03" / name).write_bytes(
        lines([codex_meta(id=THREAD), codex_message("user", "how many sheets?", at=1)])
    )
    assert home.archive(thread=THREAD) == []
    with home.memory() as memory:
        assert [each.session for each in memory.sessions().sessions] == [f"codex:{THREAD}"]


def test_a_thread_that_codex_does_not_keep_is_a_failure(home: Home) -> None:
    assert home.archive(thread=THREAD) == [f"Codex keeps no rollout of the thread {THREAD}"]


def test_paths_may_be_words(home: Home) -> None:
    home.archive(home.transcript)
    ran = home.run(str(home.transcript))
    assert (ran.exit_code, ran.out, ran.err) == (0, b"", "")


def test_an_unchanged_session_is_not_opened_and_loads_neither_the_engine_nor_a_command_line(
    home: Home,
) -> None:
    home.archive(home.transcript)
    program = (
        "import sys\n"
        "from recense.hook.main import main\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, what: event == 'open' and opened.append(str(what[0])))\n"
        "code = main()\n"
        "heavy = {'typer', 'rich', 'click', 'msgspec', 're2', 'zstandard', 'pydantic', 'asyncio'}\n"
        "sys.stderr.write(repr((code, heavy & set(sys.modules),"
        " [name for name in opened if name.endswith('.jsonl')])))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        input=home.told(),
        capture_output=True,
        check=True,
        timeout=SECONDS_MAX,
        env=home.environment({}),
    )
    assert ran.stderr.decode() == "(0, set(), [])"


def test_a_hook_below_a_hook_does_nothing(home: Home) -> None:
    ran = home.run(told=home.told(), RECENSE_HOOK_RUNNING="1")
    assert (ran.exit_code, ran.out, ran.err) == (0, b"", "")
    assert not home.store.exists()


def test_a_hook_that_a_signal_or_a_bug_stops_says_which_in_one_line(home: Home) -> None:
    program = (
        "import sys\n"
        "from recense.hook import main\n"
        "def fail(*_): raise RuntimeError('quoting a transcript')\n"
        "main.archive_asked = fail\n"
        "sys.exit(main.main())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(home.transcript)],
        check=False,
        capture_output=True,
        timeout=SECONDS_MAX,
        env=home.environment({}),
    )
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert ran.stderr == b"recense-hook: a bug in recense: RuntimeError\n"


def test_a_sub_agent_may_be_told_of_by_a_path_of_its_own(home: Home) -> None:
    told = home.told("SubagentStop", agent_transcript_path="~/agent-a1.jsonl")
    assert asked_by_json(told).paths == (
        str(home.transcript),
        os.path.expanduser("~/agent-a1.jsonl"),
    )


def test_what_codex_tells_besides_finished_turns_is_nothing_to_do() -> None:
    assert asked_by_words(['{"type": "approval-requested"}']) == Asked()
    assert asked_by_words(["a.jsonl", "b.jsonl"]).paths == ("a.jsonl", "b.jsonl")


@pytest.mark.parametrize(
    ("told", "exit_code"),
    [
        (b"", 0),
        (b" \n", 0),
        (b'{"transcript_path": null}', 0),
        (b"not JSON", 1),
        (b"\xff\xfe\x00", 1),
        (b"[1]", 1),
        (b"{}", 1),
        (b'{"transcript_path": 7}', 1),
        (b'{"transcript_path": "a\\u0000b"}', 1),
        (b'{"transcript_path": "/nowhere/at/all.jsonl"}', 1),
        (b'{"transcript_path": "\\ud800.jsonl"}', 1),
        (b'{"thread-id": "../../etc/passwd"}', 1),
        (b'{"transcript_path": "' + b"x" * 100_000 + b'"}', 1),
        (b"[" * 100_000, 1),
        (b'{"a": "' + b"x" * 5_000_000 + b'"}', 1),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_whatever_it_is_told_it_says_at_most_one_line_and_that_on_stderr(
    home: Home, told: bytes, exit_code: int
) -> None:
    ran = home.run(told=told)
    assert (ran.exit_code, ran.out) == (exit_code, b"")
    assert ran.err.count("\n") == exit_code
    assert "Traceback" not in ran.err
    assert "bug" not in ran.err


@pytest.mark.parametrize("closed", ["<&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_stop_nothing(home: Home, closed: str) -> None:
    words = (
        f'"$0" -c "import sys; from recense.hook.main import main; sys.exit(main())" "$1" {closed}'
    )
    ran = subprocess.run(
        ["/bin/sh", "-c", words, sys.executable, str(home.transcript)],
        check=False,
        capture_output=True,
        timeout=SECONDS_MAX,
        env=home.environment({}),
        stdin=subprocess.DEVNULL,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert archived_records(home) == 1


def test_a_terminal_is_not_waited_for(home: Home) -> None:
    ours, theirs = os.openpty()
    try:
        ran = subprocess.run(
            [sys.executable, "-c", "from recense.hook.main import main; exit(main())"],
            stdin=theirs,
            check=False,
            capture_output=True,
            timeout=SECONDS_MAX,
            env=home.environment({}),
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert b"recense-hook PATH" in ran.stderr


def test_a_person_who_asks_for_help_is_told_what_it_is(home: Home) -> None:
    ran = home.run("--help")
    assert (ran.exit_code, ran.out) == (1, b"")
    assert "recense-hook PATH" in ran.err


def test_only_regular_files_that_an_importer_recognises_are_read(home: Home) -> None:
    pipe, notes, odd = (home.projects / name for name in ("p.jsonl", "notes.md", "odd.jsonl"))
    os.mkfifo(pipe)
    notes.write_bytes(home.transcript.read_bytes())
    odd.write_bytes(b"no session\n")
    for path, reason in (
        (home.projects / "gone.jsonl", "no such file"),
        (pipe, "not a regular file"),
        (home.projects, "not a regular file"),
        (Path(os.devnull), "not a regular file"),
        (notes, "its name is that of no agent's session"),
        (odd, "not in a format of"),
    ):
        (fault,) = home.archive(path)
        assert fault.startswith((str(path), repr(str(path))))
        assert reason in fault
    with home.memory() as memory:
        imports = {check.name: check for check in memory.doctor().checks}["imports"]
    assert any("odd.jsonl" in item for item in imports.items)
    assert not any("notes.md" in item for item in imports.items)


def test_a_failure_stays_one_until_it_is_mended(home: Home) -> None:
    home.transcript.write_bytes(b"no session\n")
    assert [len(home.archive(home.transcript)) for _ in range(2)] == [1, 1]
    home.transcript.write_bytes(lines([claude_user(1, "press the fern")]))
    assert home.archive(home.transcript) == []


def test_one_session_that_fails_stops_no_other(home: Home) -> None:
    assert len(home.archive(home.projects / "gone.jsonl", home.transcript)) == 1
    assert archived_records(home) == 1


def test_a_store_that_is_something_else_is_said_and_left_alone(home: Home) -> None:
    home.store.parent.mkdir()
    home.store.write_bytes(b"something else")
    ran = home.run(told=home.told())
    assert (ran.exit_code, ran.out, ran.err.count("\n")) == (1, b"", 1)
    assert home.store.read_bytes() == b"something else"


def test_a_store_that_stays_locked_is_said_after_a_bounded_wait(home: Home) -> None:
    home.archive(home.transcript)
    with home.transcript.open("ab") as growing:
        growing.write(lines([claude_user(2, "and the moss")]))
    program = (
        "import sys\n"
        "from recense.adapters.sqlite.store import open_sqlite\n"
        "open_sqlite.__kwdefaults__['busy_wait_ms'] = 20\n"
        "from recense.hook.main import main\n"
        "sys.exit(main())"
    )
    holding = cast("Connection", apsw.Connection(str(home.store)))
    holding.execute("BEGIN IMMEDIATE")
    try:
        ran = subprocess.run(
            [sys.executable, "-c", program, str(home.transcript)],
            check=False,
            capture_output=True,
            timeout=SECONDS_MAX,
            env=home.environment({}),
        )
    finally:
        holding.close()
    assert (ran.returncode, ran.stdout, ran.stderr.count(b"\n")) == (1, b"", 1)
    assert b"busy" in ran.stderr
    assert home.archive(home.transcript) == []
    assert archived_records(home) == 2


@pytest.mark.parametrize("place", ["memory:", "postgresql://mira:hunter2@db/recense"])
def test_a_store_that_is_no_file_is_refused_without_naming_it(home: Home, place: str) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        home.archive(home.transcript, store=place)
    assert "hunter2" not in refused.value.message


def test_a_working_folder_that_is_gone_stops_nothing(home: Home) -> None:
    gone = home.folder / "gone"
    gone.mkdir()
    words = 'cd "$2" && rmdir "$2" && "$0" -c "$3" "$1"'
    program = "import sys; from recense.hook.main import main; sys.exit(main())"
    ran = subprocess.run(
        ["/bin/sh", "-c", words, sys.executable, str(home.transcript), str(gone), program],
        check=False,
        capture_output=True,
        timeout=SECONDS_MAX,
        env=home.environment({}),
        stdin=subprocess.DEVNULL,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_path_that_would_steer_a_terminal_is_told_harmlessly(home: Home) -> None:
    ran = home.run("\x1b]0;owned\x07\nsecond line.jsonl")
    assert ran.exit_code == 1
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err


def test_the_transcript_is_left_as_it_was(home: Home) -> None:
    os.utime(home.transcript, ns=(1_000_000_007, 1_000_000_009))
    content = home.transcript.read_bytes()
    home.archive(home.transcript)
    assert home.transcript.read_bytes() == content
    assert home.transcript.stat().st_mtime_ns == 1_000_000_009


def test_nothing_is_left_beside_the_store_but_an_empty_folder(home: Home) -> None:
    home.archive(home.transcript)
    assert sorted(path.name for path in home.store.parent.iterdir()) == [
        "recense.db",
        "recense.db.hook",
    ]
    assert list((home.store.parent / "recense.db.hook").iterdir()) == []
    for folder in (home.store.parent, home.store.parent / "recense.db.hook"):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_of_eight_hooks_at_once_one_does_the_work(home: Home) -> None:
    home.transcript.write_bytes(lines(claude_user(n, f"prompt {n}") for n in range(1, 2_000)))
    counted = home.folder / "counted"
    started = [
        home.start(str(home.transcript), program="tests.hook.counted_hook", COUNTED=str(counted))
        for _ in range(8)
    ]
    for ran in [ended(process) for process in started]:
        assert (ran.exit_code, ran.out, ran.err) == (0, b"", "")
    opened = counted.read_text(encoding="ascii").split()
    assert len(set(opened)) == 1
    assert len(opened) == 3  # its head, its records, and what was read before
    assert archived_records(home) == 1_999


def test_what_changes_while_a_hook_works_is_archived_when_all_have_ended(home: Home) -> None:
    pause = Pause(home.folder)
    worker = home.start(
        str(home.transcript),
        program="tests.hook.counted_hook",
        COUNTED=str(home.folder / "counted"),
        PAUSED=pause.names,
    )
    pause.wait()  # the worker has archived what there was
    with home.transcript.open("ab") as growing:
        growing.write(lines([claude_user(2, "and the moss")]))
    other = home.run(told=home.told())
    assert (other.exit_code, other.err) == (0, "")
    assert archived_records(home) == 1
    pause.end()
    assert ended(worker).exit_code == 0
    assert archived_records(home) == 2


def test_the_lock_of_a_killed_hook_holds_up_nobody(home: Home) -> None:
    pause = Pause(home.folder)
    worker = home.start(
        str(home.transcript),
        program="tests.hook.counted_hook",
        COUNTED=str(home.folder / "counted"),
        PAUSED=pause.names,
    )
    pause.wait()
    worker.kill()
    ended(worker)
    with home.transcript.open("ab") as growing:
        growing.write(lines([claude_user(2, "and the moss")]))
    assert home.run(told=home.told()).exit_code == 0
    assert archived_records(home) == 2
