"""A failure is one document with ``--json``, words on stderr without, and never anything else."""

import json
from collections.abc import Iterator
from functools import cache

import pytest

from recense import errors
from recense.cli import main
from recense.cli.main import COMMANDS
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import WORDS, Ran, run_here, start
from tests.rows import each_row


def every_error(root: type[errors.RecenseError]) -> Iterator[type[errors.RecenseError]]:
    yield root
    for below in root.__subclasses__():
        yield from every_error(below)


def error_of(ran: Ran) -> dict[str, object]:
    assert ran.out.count("\n") == 1
    document = json.loads(ran.out)
    assert list(document) == ["error"]
    assert list(document["error"]) == ["code", "message", "hint", "retryable"]
    return document["error"]


def test_every_command_is_made_to_fail_here() -> None:
    assert {words[0] for words in WORDS.values()} == set(COMMANDS)


@pytest.fixture
def command_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test of one command parse by the same parser each time: building it takes longer than
    all that is done with it.
    """
    build = main._command  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(main, "_command", cache(build))


@pytest.mark.usefixtures("command_built_once")
@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS.keys())
@each_row("kind", every_error(errors.RecenseError), ids=lambda kind: kind.__name__)
def test_every_error_of_every_command_is_a_document(
    words: tuple[str, ...], kind: type[errors.RecenseError]
) -> None:
    memory = FakeMemory(error=kind("what was given", hint="what to do"))
    ran = run_here(*words, "--json", memory=memory)
    assert error_of(ran) == {
        "code": kind.code,
        "message": "what was given",
        "hint": "what to do",
        "retryable": kind.retryable,
    }
    assert ran.exit_code == (2 if kind is errors.InvalidRequest else 1)
    assert ran.err == ""


@each_row("words", WORDS.values(), ids=WORDS.keys())
def test_an_interruption_of_every_command_is_a_document(words: tuple[str, ...]) -> None:
    ran = run_here(*words, "--json", memory=FakeMemory(error=KeyboardInterrupt()))
    assert (ran.exit_code, error_of(ran)["code"]) == (130, "interrupted")
    assert ran.err == ""


@each_row("words", WORDS.values(), ids=WORDS.keys())
def test_a_bug_in_every_command_is_a_document_and_a_traceback_on_stderr(
    words: tuple[str, ...],
) -> None:
    ran = run_here(*words, "--json", memory=FakeMemory(error=ZeroDivisionError("\x1b[2J secret")))
    assert ran.exit_code == 1
    assert error_of(ran)["code"] == "internal_error"
    assert "ZeroDivisionError" in str(error_of(ran)["message"])
    assert "secret" not in ran.out
    assert "Traceback" in ran.err
    assert "\x1b" not in ran.err


@pytest.mark.parametrize(
    "words",
    [
        "recal x",
        "recall x --limit",
        "recall x --limit many",
        "recall x --limit -3",
        "recall x --nonsense",
        "recall x --origin human",
        "more",
        "more a b",
        "sessions erase",
        "sessions show",
        "sessions list --limit x",
        "convert now",
        "doctor --explain",
        "--nonsense",
    ],
)
def test_bad_usage_is_a_document_and_exits_with_2(words: str) -> None:
    memory = FakeMemory()
    first, *others = words.split()
    for ran in (
        run_here(first, *others, "--json", memory=memory),
        run_here("--json", first, *others, memory=memory),
    ):
        error = error_of(ran)
        assert (ran.exit_code, error["code"], ran.err) == (2, "invalid_request", "")
        assert error["hint"]
    assert memory.asked == []


def test_without_json_a_failure_is_words_on_stderr() -> None:
    memory = FakeMemory(error=errors.StoreBusy("another process \x1b[2Jholds it", hint="wait"))
    ran = run_here("recall", "x", memory=memory)
    assert ran == Ran(
        exit_code=1, out="", err="recense: another process \\x1b[2Jholds it\nhint: wait\n"
    )


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("recall x --limt 3", "recense recall"),
        ("recal x", "recense"),
        ("sessions erase", "recense sessions"),
        ("sessions show", "recense sessions show"),
        ("sessions show s --frist 3", "recense sessions show"),
        ("sessions --namespace garden list --limit x", "recense sessions list"),
        ("bench import --sessions few", "recense bench import"),
        ("import --every soon recall", "recense import"),
    ],
)
def test_without_json_bad_usage_names_the_help_of_the_command(words: str, command: str) -> None:
    ran = run_here(*words.split())
    assert (ran.exit_code, ran.out) == (2, "")
    assert f"hint: see {command} --help\n" in ran.err


@pytest.mark.parametrize(
    ("what", "exit_code", "code"),
    [
        ("refuses", 1, "store_busy"),
        ("is_interrupted", 130, "interrupted"),
        ("has_a_bug", 1, "internal_error"),
    ],
)
def test_a_process_that_fails_leaves_one_document(what: str, exit_code: int, code: str) -> None:
    finished = start(what, "recall", "x", "--json")
    assert finished.returncode == exit_code
    assert json.loads(finished.stdout)["error"]["code"] == code
    assert finished.stdout.count(b"\n") == 1


def test_what_a_library_prints_on_stdout_goes_to_stderr() -> None:
    finished = start("prints", "recall", "x", "--json")
    assert finished.returncode == 0
    assert finished.stdout.startswith(b'{"facts":')
    json.loads(finished.stdout)
    assert finished.stderr == b"a library says hello\n"
