"""What scripts rely on: the shape of every document, and that it stands alone on stdout."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.cli.outcome import HelpText
from recense.cli.terminal import document_text
from recense.errors import CredentialShaped
from tests.cli import samples
from tests.cli.answered import ANSWERED, Case, golden_text
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import Ran, run_here

GOLDEN = Path(__file__).with_name("golden")

REFUSING = FakeMemory(
    error=CredentialShaped("term 1 looks like a secret", hint="search for what stood beside it")
)

DOCUMENTS: dict[str, Case] = {
    **ANSWERED,
    "sessions_hide": (("sessions", "hide", samples.SESSION), FakeMemory()),
    "sessions_forget": (("sessions", "forget", samples.SESSION, "--yes"), FakeMemory()),
    "material": (("material", samples.SCREENSHOT.id), FakeMemory()),
    "doctor": (("doctor",), FakeMemory(health=samples.UNHEALTHY)),
    "error": (("recall", "timetable"), REFUSING),
}


def only_document(ran: Ran) -> object:
    """Return the JSON on stdout, which holds exactly one document on one line."""
    assert ran.out.endswith("\n")
    assert ran.out.count("\n") == 1
    return json.loads(ran.out)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_as_its_golden_file(name: str) -> None:
    words, memory = DOCUMENTS[name]
    document = only_document(run_here(*words, "--json", memory=memory))
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    assert document == json.loads(golden_text(GOLDEN / f"{name}.json", text))


def test_there_is_no_golden_file_without_a_test() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(DOCUMENTS)


@pytest.mark.parametrize(
    "words",
    [
        ("--json", "recall", "x"),
        ("recall", "--json", "x"),
        ("recall", "x", "--json"),
        ("sessions", "--json"),
        ("sessions", "--json", "list"),
        ("sessions", "list", "--json"),
        ("recall", "--json", "--", "--json"),
        ("recall", "--json", "x", "--json"),
    ],
)
def test_json_may_be_asked_for_anywhere(words: tuple[str, ...]) -> None:
    only_document(run_here(*words))


def test_json_after_two_dashes_is_a_term() -> None:
    ran = run_here("recall", "--", "--json")
    assert ran.out.startswith("The timetable")


@pytest.mark.parametrize("words", [("--help",), ("recall", "--help"), ("--version",), ()])
def test_help_and_version_are_documents_too_when_json_is_asked_for(words: tuple[str, ...]) -> None:
    document = only_document(run_here("--json", *words))
    assert msgspec.convert(document, HelpText).text


WORDS = st.one_of(
    st.sampled_from(
        "import recall more sessions list show convert doctor fact set registry agent resume decide"
        " --json --help --version --store --namespace -q --limit --since --origin --explain"
        " --all --digest -- - -x --no 3 -3 all 2026-03-01".split()
    ),
    st.text(st.characters(codec=None, exclude_characters="\0"), max_size=5),
)


@given(st.lists(WORDS, max_size=6))
def test_any_command_line_that_asks_for_json_leaves_one_document(words: list[str]) -> None:
    ran = run_here("--json", *words)
    only_document(ran)
    assert ran.exit_code in {0, 1, 2}
    assert "Traceback" not in ran.err


@given(st.text(st.characters(codec=None)), st.booleans())
def test_any_text_survives_in_a_document_but_for_halves_of_surrogate_pairs(
    text: str, ascii_only: bool
) -> None:
    written = document_text(HelpText(text=text), ascii_only=ascii_only)
    expected = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    assert json.loads(written) == {"text": expected}
    assert written.isascii() or not ascii_only
    written.encode()


@given(st.text(st.characters(codec=None)))
def test_a_document_cannot_steer_a_terminal(text: str) -> None:
    written = document_text(HelpText(text=text), ascii_only=False)
    assert not any(c < " " or "\x7f" <= c <= "\x9f" or c in "\u202e\u2066" for c in written)
