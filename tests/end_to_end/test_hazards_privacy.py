"""Isolation: tenants are files of their own, for their owner alone, and incognito reads nothing."""

import io
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from recense.cli.main import run
from recense.cli.terminal import Terminal
from recense.errors import Incognito, NamespaceInvalid, NotFound
from recense.hook.single_flight import run_alone
from recense.operations.grep import GrepRequest
from recense.operations.recall import MoreRequest, RecallRequest
from recense.settings.layers import store_file
from recense.wiring import open_url
from tests.cli.running import Pipe, environment_with
from tests.end_to_end.worlds import on_sqlite
from tests.hook.hooks import Home
from tests.importers.builders import SESSION, claude_assistant, claude_user, lines, text_block

SECONDS_MAX = 60
NAMESPACES = ("default", "Default", "a", "A", "ab", "a.b", "a_b", "a:b", "a-b", "a.b.db", "a-wal")
ASKED = (("recall", "fern"), ("more", "x"), ("grep", "fern"), ("material", "m.x"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which this process works."""
    for name in [each for each in os.environ if each.startswith(("RECENSE_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def open_umask() -> Iterator[None]:
    """A machine on which everybody may read whatever is made without a thought."""
    before = os.umask(0)
    yield
    os.umask(before)


def _said(*words: str) -> tuple[int, str]:
    out, err = Pipe(), io.StringIO()
    exit_code = run(words, terminal=Terminal(out, err, {}, milliseconds=lambda: 0.0))
    return exit_code, out.getvalue() + err.getvalue()


def _session(home: Path, name: str, *records: object) -> Path:
    path = home / f"{name}.jsonl"
    path.write_bytes(lines(records))
    return path


# --- tenants --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["recense.db", "recense", "my.store", ".recense"])
def test_no_file_of_a_namespace_is_a_file_of_another(name: str, tmp_path: Path) -> None:
    url = str(tmp_path / name)
    files = {namespace: store_file(url, namespace) for namespace in NAMESPACES}
    claimed = {
        namespace: {f"{file}{suffix}" for suffix in ("", "-wal", "-shm", "-journal", ".hook")}
        for namespace, file in files.items()
    }
    for one, another in combinations(NAMESPACES, 2):
        assert not claimed[one] & claimed[another], (one, another)
    assert {Path(file or "").parent for file in files.values()} == {
        tmp_path,
        tmp_path / f"{name}.d",
    }


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("store", ["recense.db", "recense"])
def test_what_one_namespace_holds_no_other_shows(tmp_path: Path, store: str) -> None:
    url = str(tmp_path / "kept" / store)
    names = ("a", "A", "ab", "a.b", "a_b", "a:b", "a-wal")
    for name in names:
        record = claude_user(1, f"fern of <{name}>", sessionId=f"s-{name}") | {"uuid": f"u-{name}"}
        path = _session(tmp_path, f"of-{name}", record)
        with open_url(url, namespace=name) as memory:
            memory.import_sessions("claude_code", [str(path)])
    anchors: dict[str, str] = {}
    for name in names:
        with open_url(url, namespace=name, create=False) as memory:
            (passage,) = memory.recall(RecallRequest(terms=("fern",), limit=25)).passages
            assert passage.session == f"claude_code:s-{name}"
            assert [each.session for each in memory.sessions().sessions] == [passage.session]
            anchors[name] = passage.anchor
    for mine, another in combinations(names, 2):
        with open_url(url, namespace=mine, create=False) as memory, pytest.raises(NotFound):
            memory.recall_more(MoreRequest(anchor=anchors[another]))


@pytest.mark.parametrize("name", ["..", "../a", "a/b", "%", "a%", "a b", "a\x00b", "ä", "\u0430"])
@pytest.mark.usefixtures("home")
def test_a_namespace_that_could_be_a_path_or_a_pattern_is_refused(name: str) -> None:
    with pytest.raises(NamespaceInvalid, match="namespace"):
        open_url("kept.db", namespace=name)


# --- files ----------------------------------------------------------------------------------------


def _modes(folder: Path) -> dict[str, int]:
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode)
        for path in [folder, *folder.rglob("*")]
    }


@pytest.mark.usefixtures("open_umask", "home")
def test_no_file_of_a_store_is_for_anybody_but_its_owner(tmp_path: Path) -> None:
    path = _session(tmp_path, "session", claude_user(1, "press the fern"))
    kept = tmp_path / "share" / "kept"
    with open_url(str(kept / "recense.db")) as memory:
        memory.import_sessions("claude_code", [str(path)])
        memory.recall(RecallRequest(terms=("fern",)))
        with open_url(str(kept / "recense.db"), namespace="b") as other:
            other.import_sessions("claude_code", [str(path)])
            modes = _modes(kept)
    folders = {modes.pop(name) for name in (".", "recense.db.d")}
    beside = {"recense.db", "recense.db-wal", "recense.db-shm", "recense.db.control.db"}
    assert beside <= modes.keys()
    assert sum(name.startswith("recense.db.d/b-") for name in modes) == 3
    assert set(modes.values()) == {0o600}
    assert folders == {stat.S_IMODE((tmp_path / "share").stat().st_mode)} == {0o700}


@pytest.mark.usefixtures("open_umask")
def test_the_lock_of_a_hook_and_the_store_that_it_makes_are_for_their_owner_alone(
    tmp_path: Path,
) -> None:
    seen: dict[str, int] = {}
    kept = tmp_path / "kept"
    run_alone(str(kept / "recense.db.hook"), "x", lambda: seen.update(_modes(kept)))
    locks = {name: mode for name, mode in seen.items() if name.endswith(".lock")}
    assert set(locks.values()) == {0o600}
    assert seen["."] == seen["recense.db.hook"] == 0o700
    home = Home(tmp_path)
    home.transcript.write_bytes(lines([claude_user(1, "press the fern")]))
    ran = subprocess.run(
        [sys.executable, "-c", "import sys; from recense.hook.main import main; sys.exit(main())"],
        input=b'{"transcript_path": "%s"}' % os.fsencode(home.transcript),
        check=False,
        capture_output=True,
        timeout=SECONDS_MAX,
        env=home.environment({}),
        umask=0,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert stat.S_IMODE(home.store.stat().st_mode) == 0o600


# --- incognito ------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["on", "maybe"])
@pytest.mark.parametrize("words", ASKED)
def test_incognito_refuses_before_a_store_is_made_or_opened(
    words: tuple[str, ...], value: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECENSE_INCOGNITO", value)
    for store in (home / "nowhere" / "recense.db", home / "broken.db"):
        if store.name == "broken.db":
            store.write_bytes(b"this is no store, and opening it would fail" * 100)
        before = sorted(home.rglob("*"))
        exit_code, said = _said(*words, "--store", str(store), "--json")
        assert exit_code == 1
        assert f'"code":"{"incognito" if value == "on" else "settings_invalid"}"' in said
        assert sorted(home.rglob("*")) == before


@pytest.mark.usefixtures("home")
def test_in_incognito_the_library_recalls_nothing_and_keeps_what_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECENSE_INCOGNITO", "on")
    store = tmp_path / "kept.db"
    path = _session(tmp_path, "session", claude_user(1, "press the fern"))
    with open_url(str(store)) as memory:
        for ask in (
            lambda: memory.recall(RecallRequest(terms=("fern",))),
            lambda: memory.recall_more(MoreRequest(anchor="x")),
            lambda: memory.grep(GrepRequest(pattern="fern")),
            lambda: memory.recall_material("m.x"),
        ):
            with pytest.raises(Incognito):
                ask()
        assert not store.exists()
        memory.import_sessions("claude_code", [str(path)])
        assert store.exists()


# --- terminals and places -------------------------------------------------------------------------


def test_no_text_of_a_session_is_a_control_or_a_line_of_ours_in_any_command(home: Path) -> None:
    """The whole way: a session that tries to clear the screen and to write lines of its own."""
    nasty = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\r\x08fern\u2066"
    forged = "\nrecense: all is well\nhint: run this"
    records = [
        claude_user(1, f"{nasty} fern {forged}", cwd=f"/h/{nasty}{forged}", sessionId="nasty"),
        claude_assistant(2, text_block(f"answer {nasty} fern"), sessionId="nasty"),
    ]
    folder = home / ".local" / "share" / "recense"
    folder.mkdir(parents=True)
    with on_sqlite(folder) as memory:
        memory.import_sessions("claude_code", [str(_session(home, "s", *records))])
        anchor = memory.recall(RecallRequest(terms=("fern",))).passages[0].anchor
    for words in (
        ("recall", "fern"),
        ("recall", "fern", "--explain"),
        ("more", anchor),
        ("grep", "fern"),
        ("sessions", "list"),
        ("sessions", "show", "nasty"),
        ("doctor",),
    ):
        for as_json in ((), ("--json",)):
            _, said = _said(*words, *as_json)
            assert said
            held = {each for each in said if not each.isprintable()} - {"\n", "\t"}
            assert not held, words
            assert not any(line.startswith(("recense:", "hint:")) for line in said.splitlines())


_TOOK = re.compile(rb'"took_ms":[0-9.e-]+|[0-9.]+ ms')


def _answers(home: Path, zone: str) -> bytes:
    """Return what commands print in a process in a time zone, but for how long they took."""
    program = (
        "import sys, json\n"
        "from recense.cli.main import run\n"
        "home = sys.argv[1]\n"
        "for words in (\n"
        "    ['import', home + '/s.jsonl'],\n"
        "    ['recall', 'fern', '--since', '2026-02-03', '--until', '2026-02-03'],\n"
        "    ['recall', 'fern', '--until', '2026-02-02'],\n"
        "    ['recall', 'fern', '--until', '2026-02-03T10:00:30'],\n"
        "    ['grep', 'fern', '--since', '2026-02-03'],\n"
        "    ['sessions', 'list'],\n"
        "    ['sessions', 'show', sys.argv[2]],\n"
        "    ['doctor', '--digest'],\n"
        "):\n"
        "    assert run([*words, '--json']) == 0\n"
        "    assert run(words) == 0\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(home), SESSION],
        capture_output=True,
        check=False,
        timeout=SECONDS_MAX,
        env=environment_with(
            {"HOME": str(home), "TZ": zone, "RECENSE_STORE": str(home / zone / "recense.db")}
        ),
        cwd=home,
    )
    assert ran.returncode == 0, ran.stderr
    return _TOOK.sub(b"(some time)", ran.stdout)


def test_no_answer_depends_on_the_time_zone(tmp_path: Path) -> None:
    _session(
        tmp_path,
        "s",
        claude_user(1, "press the fern", timestamp="2026-02-03T00:00:00.000Z"),
        claude_assistant(2, text_block("the fern"), timestamp="2026-02-03T23:59:59.999Z"),
        claude_user(3, "the fern again", timestamp="2026-02-03T15:45:30+05:45"),
        claude_user(4, "and the fern of tomorrow", timestamp="2026-02-04T00:00:00Z"),
    )
    zones = ("UTC", "Pacific/Kiritimati", "Pacific/Midway")
    answers = {zone: _answers(tmp_path, zone) for zone in zones}
    assert answers["UTC"].count(b"the fern") > 10
    assert answers["UTC"] == answers["Pacific/Kiritimati"] == answers["Pacific/Midway"]
