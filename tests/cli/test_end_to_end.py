"""The real program on the sessions of the demonstration, in a home folder with an awkward name."""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from recense.cli.outcome import ErrorEnvelope
from recense.operations.admin import (
    ConvertReport,
    Digest,
    Health,
    ImportReport,
    SessionList,
    TranscriptView,
)
from recense.operations.grep import GrepAnswer
from recense.operations.recall import OriginLeftOut, Passage, RecallAnswer, SessionsSearched
from recense.services.control_health import CONTROL_FILE
from tests.cli.running import PROJECT, SECONDS_MAX, environment_with

SESSIONS = PROJECT / "demo" / "home"
KIOSK = "claude_code:51d2e7b4-93c1-4d0a-a6f8-0c4e9b7d1a03"

Document = TypeVar("Document")


class Home:
    """A home folder, and the program run by its owner."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self._environment = environment_with({"HOME": str(folder), **(environment or {})})

    def recense(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "recense", *words],
            check=False,
            capture_output=True,
            timeout=SECONDS_MAX,
            cwd=self.folder,
            env=self._environment,
        )

    def ask(self, kind: type[Document], *words: str) -> Document:
        finished = self.recense(*words, "--json")
        assert finished.stderr == b""
        assert finished.stdout.count(b"\n") == 1
        return msgspec.json.decode(finished.stdout, type=kind)

    def files(self) -> set[Path]:
        return {path for path in self.folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Return a home into which everything is imported."""
    folder = tmp_path_factory.mktemp("homes") / "Mira O'Kåfor 林悦"
    shutil.copytree(SESSIONS, folder)
    home = Home(folder)
    before = home.files()
    report = home.ask(ImportReport, "import")
    made = {str(path.relative_to(folder)) for path in home.files() - before}
    assert {path for path in made if not path.endswith(("-wal", "-shm"))} == {
        str(Path(".local", "share", "recense", "recense.db"))
    }
    assert report.sessions_new == 9
    found = [source for source in report.sources if source.files_found]
    assert [(source.source, source.files_imported) for source in found] == [
        ("claude_code", 8),
        ("codex", 1),
    ]
    assert sum(source.files_failed for source in report.sources) == 0
    return home


def test_importing_again_adds_nothing(home: Home) -> None:
    report = home.ask(ImportReport, "import", "claude_code")
    assert (report.messages_new, report.sessions_new) == (0, 0)
    assert [source.files_unchanged for source in report.sources] == [8]


def test_a_term_finds_a_passage_that_can_be_extended(home: Home) -> None:
    answer = home.ask(RecallAnswer, "recall", "econnreset", "--explain")
    (passage,) = answer.passages
    assert passage.title == "Flaky nightly import of the harbour feed"
    assert passage.explanation is not None
    assert OriginLeftOut(origin="subagent", sessions=1) in answer.gaps
    more = home.ask(Passage, "more", passage.anchor, "--before", "1", "--after", "1")
    assert [message.is_anchor for message in more.messages].count(True) == 1


def test_a_chinese_term_finds_a_passage_in_text_on_a_pipe(home: Home) -> None:
    finished = home.recense("recall", "离线检票", "--limit", "1")
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert "72 小时失效" in finished.stdout.decode()
    assert b"\x1b" not in finished.stdout


def test_filters_by_date_and_origin_narrow_an_answer(home: Home) -> None:
    words = ("recall", "free_seats", "--since", "2026-03-18", "--until", "2026-03-18")
    assert home.ask(RecallAnswer, *words).passages == ()
    found = home.ask(RecallAnswer, *words, "--origin", "subagent").passages
    assert {passage.origin for passage in found} == {"subagent"}


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("x", "--since", "yesterday"), "since is 'yesterday'"),
        (("x", "--until", "2026-13-01"), "until is '2026-13-01'"),
        (("x", "--since", "2026-03-02", "--until", "2026-03-01"), "since '2026-03-02' is after"),
        (("x", "--limit", "26"), "limit is 26"),
    ],
)
def test_a_question_that_is_refused_exits_with_2(
    home: Home, words: tuple[str, ...], what: str
) -> None:
    finished = home.recense("recall", *words, "--json")
    assert (finished.returncode, finished.stderr) == (2, b"")
    error = msgspec.json.decode(finished.stdout, type=ErrorEnvelope).error
    assert error.code == "invalid_request"
    assert error.message.startswith(what)


def test_sessions_are_listed_and_shown_with_their_materials(home: Home) -> None:
    page = home.ask(SessionList, "sessions", "list", "--source", "claude_code", "--limit", "3")
    assert (len(page.sessions), page.total) == (3, 8)
    transcript = home.ask(TranscriptView, "sessions", "show", KIOSK, "--count", "1")
    (message,) = transcript.messages
    assert [material.media_type for material in message.materials] == ["image/png"]


def test_a_material_that_is_listed_is_saved_and_piped_byte_for_byte(
    home: Home, tmp_path: Path
) -> None:
    transcript = home.ask(TranscriptView, "sessions", "show", KIOSK, "--count", "1")
    ((material,),) = (message.materials for message in transcript.messages)
    piped = home.recense("material", material.id)
    assert (piped.returncode, piped.stderr) == (0, b"")
    assert hashlib.sha256(piped.stdout).hexdigest() == material.sha256
    path = tmp_path / "kiosk.png"
    assert home.recense("material", material.id, "-o", str(path)).returncode == 0
    assert path.read_bytes() == piped.stdout
    listed = home.ask(RecallAnswer, "recall", "kiosk", "--session", KIOSK).materials
    assert material.id in {each.id for each in listed}


def test_grep_finds_every_line_and_counts_it(home: Home) -> None:
    answer = home.ask(GrepAnswer, "grep", "econnreset", "--limit", "1")
    assert len(answer.matches) == 1
    assert answer.total > 1
    assert OriginLeftOut(origin="subagent", sessions=1) in answer.gaps
    (match,) = answer.matches
    first = match.columns[0]
    assert match.text[first.start : first.end].casefold() == "econnreset"
    assert home.ask(GrepAnswer, "grep", "^ECONN[A-Z]+$", "--regex", "--case").total <= answer.total
    more = home.ask(Passage, "more", match.anchor)
    assert more.session == match.session


def test_everything_is_converted_and_the_doctor_is_content(home: Home) -> None:
    assert home.ask(ConvertReport, "convert").records_converted == 0
    health = home.ask(Health, "doctor")
    assert health.ok
    assert CONTROL_FILE in {each.name for each in health.checks}
    digest = home.ask(Digest, "doctor", "--digest")
    assert (digest.sessions, digest.blobs) == (9, 1)
    assert digest == home.ask(Digest, "doctor", "--digest")


def test_an_import_of_a_missing_path_is_partial(home: Home) -> None:
    finished = home.recense("import", "./nowhere", "--json")
    assert finished.returncode == 1
    report = msgspec.json.decode(finished.stdout, type=ImportReport)
    failures = [failure.path for source in report.sources for failure in source.failures]
    assert failures == [str(home.folder / "nowhere")]


def test_another_store_and_namespace_are_empty_until_something_is_imported(
    home: Home, tmp_path: Path
) -> None:
    store = tmp_path / "store of its own.db"
    where = ("--store", str(store), "--namespace", "crew")
    error = home.ask(ErrorEnvelope, "recall", "x", *where).error
    assert error.code == "store_unavailable"
    assert list(tmp_path.iterdir()) == []
    assert home.ask(ImportReport, "import", "codex", *where).sessions_new == 1
    answer = home.ask(RecallAnswer, "recall", "pgbouncer", *where)
    assert SessionsSearched(n=1, oldest="2026-03-12T10:04:31.000000Z") in answer.gaps


@pytest.mark.parametrize(
    "words",
    [
        ("recall", "x"),
        ("more", "x"),
        ("material", "x"),
        ("grep", "x"),
        ("sessions",),
        ("sessions", "show", "x"),
        ("convert",),
        ("doctor",),
        ("doctor", "--digest"),
    ],
    ids=" ".join,
)
def test_a_command_that_brings_nothing_in_makes_no_store(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    newcomer = Home(tmp_path)
    finished = newcomer.recense(*words, "--json")
    assert finished.returncode == 1
    error = msgspec.json.decode(finished.stdout, type=ErrorEnvelope).error
    assert error.code == "store_unavailable"
    assert "recense import" in error.hint
    assert newcomer.files() == set()


def test_settings_that_are_wrong_are_an_error_that_names_them(home: Home, tmp_path: Path) -> None:
    wrong = Home(tmp_path, {"RECENSE_NAMESPACE": "Not A Name"})
    error = wrong.ask(ErrorEnvelope, "recall", "x").error
    assert error.code == "namespace_invalid"
    assert "'Not A Name'" in error.message


def test_a_working_directory_that_is_gone_is_an_error(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = (
        "import os, sys\n"
        "os.rmdir(os.getcwd())\n"
        "from recense.cli.main import run\n"
        "sys.exit(run(['recall', 'x', '--json']))\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        timeout=SECONDS_MAX,
        cwd=gone,
        env=environment_with({"HOME": str(tmp_path)}),
    )
    assert finished.returncode == 1
    error = msgspec.json.decode(finished.stdout, type=ErrorEnvelope).error
    assert (error.code, error.hint) == ("settings_invalid", "change to one that does")
