"""What the commands of texts ask of a memory."""

import io
import json
import sys
from pathlib import Path

import pytest

from recense.limits import INPUT_BYTES_MAX
from recense.operations.recall import RecallRequest
from recense.operations.texts import (
    ForgetText,
    HistoryRequest,
    RememberText,
    Statement,
    TextMessage,
)
from tests.cli import fact_samples
from tests.cli.fact_asking import asked_by, refused
from tests.cli.fake_facts import FactAnswers
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import run_here


def test_a_text_is_remembered_in_a_store_that_is_made_for_it() -> None:
    words = ("remember", "Mira moved.", "--observed-at", "2026-05-01")
    assert asked_by(*words) == [
        ("open", {}, True),
        ("remember", RememberText(text="Mira moved.", observed_at="2026-05-01")),
    ]


class Stdin(io.TextIOWrapper):
    def __init__(self, content: bytes, *, is_terminal: bool = False) -> None:
        super().__init__(io.BytesIO(content), encoding="ascii")
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize("words", [("remember",), ("remember", "-")])
def test_what_is_piped_in_is_remembered_without_the_line_breaks_at_its_end(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin("\ufeffMira\nmoved 时区.\r\n\n".encode()))
    assert asked_by(*words)[1] == ("remember", RememberText(text="Mira\nmoved 时区."))


def test_a_terminal_is_read_only_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(b"typed\n", is_terminal=True))
    assert "nothing is piped in" in refused("remember")
    assert asked_by("remember", "-")[1] == ("remember", RememberText(text="typed"))


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"Mira \xff", "byte 5"), (b"x" * (INPUT_BYTES_MAX + 1), f"more than {INPUT_BYTES_MAX}")],
    ids=["no UTF-8", "too long"],
)
def test_a_pipe_that_holds_no_text_to_keep_is_refused(
    content: bytes, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(content))
    assert why in refused("remember")


def test_without_a_stdin_a_text_has_to_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "TEXT is missing" in refused("remember", "-")


def test_statements_and_messages_come_from_files(tmp_path: Path) -> None:
    statements, messages = tmp_path / "statements.json", tmp_path / "messages.json"
    stated = {"subject": "mira", "predicate": "lives_in", "value": "Oslo", "evidence": "in Oslo"}
    statements.write_text(json.dumps([{**stated, "replaces": ["Bergen"]}]), encoding="utf-8")
    messages.write_text(json.dumps([{"role": "user", "text": "I live in Oslo"}]), encoding="utf-8")
    words = ("remember", "--messages", str(messages), "--statements", str(statements))
    assert asked_by(*words)[1] == (
        "remember",
        RememberText(
            messages=(TextMessage(role="user", text="I live in Oslo"),),
            statements=(
                Statement(
                    subject="mira",
                    predicate="lives_in",
                    value="Oslo",
                    evidence="in Oslo",
                    replaces=("Bergen",),
                ),
            ),
        ),
    )
    assert "expected one of them" in refused("remember", "Mira", "--messages", str(messages))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1]",
        b'[{"subject": "mira"}]',
        b'[{"subject": "m", "predicate": "p", "value": [], "evidence": ""}]',
        b'[{"subject": "m", "predicate": "p", "value": 1, "evidence": "", "extra": 1}]',
        b'["\xff"]',
        b"[" * 100_000,
    ],
)
def test_a_file_that_holds_something_else_is_refused_by_its_name(
    content: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "statements.json"
    file.write_bytes(content)
    assert "statements.json' does not hold a list of statements: " in refused(
        "remember", "x", "--statements", str(file)
    )


def test_a_file_that_cannot_be_read_or_is_too_long_is_said_to_be_so(tmp_path: Path) -> None:
    long = tmp_path / "long.json"
    long.write_bytes(b" " * (INPUT_BYTES_MAX + 1))
    for path, why in (
        (str(tmp_path / "none"), "cannot be read"),
        (str(tmp_path), "cannot be read"),
        ("a\0b", "no path of a file"),
        (str(long), f"is longer than {INPUT_BYTES_MAX} bytes"),
    ):
        memory = FakeMemory()
        ran = run_here("registry", "load", path, memory=memory)
        assert (ran.exit_code, ran.out, memory.asked) == (1, "", [])
        assert why in ran.err


def test_a_text_whose_statements_are_filed_in_part_exits_with_1_and_its_report() -> None:
    memory = FakeMemory(facts=FactAnswers(text_remembered=fact_samples.TEXT_IN_PART))
    ran = run_here("remember", "x", memory=memory)
    assert (ran.exit_code, ran.err) == (1, "")
    assert "not filed: statement 1: its evidence is not in the text\n" in ran.out


def test_a_text_that_is_not_read_exits_with_1_and_says_why_and_what_reads_it() -> None:
    memory = FakeMemory(facts=FactAnswers(text_remembered=fact_samples.TEXT_NOT_READ))
    ran = run_here("remember", "x", memory=memory)
    assert (ran.exit_code, ran.err) == (1, "")
    assert "Its facts are not all read: openai:gpt-quay is overloaded" in ran.out
    assert f"recense extract run {fact_samples.TEXT_NOT_READ.episode}\n" in ran.out


def test_forgetting_finds_by_words_and_withdraws_what_is_named() -> None:
    assert asked_by("forget", "where Mira lives", "--limit", "3") == [
        ("open", {}, False),
        ("forget", ForgetText(text="where Mira lives", limit=3)),
    ]
    assert asked_by("forget", "--fact", "a", "--fact", "b")[1] == (
        "forget",
        ForgetText(facts=("a", "b")),
    )


@pytest.mark.parametrize("words", [("forget",), ("forget", "where", "--fact", "a")])
def test_forgetting_needs_either_words_or_names(words: tuple[str, ...]) -> None:
    assert "expected either TEXT or --fact ID" in refused(*words)


def test_what_may_be_meant_is_offered_with_what_to_type() -> None:
    page = run_here("forget", "where Mira lives").out
    assert page.startswith("Nothing is withdrawn yet.")
    assert f"   recense forget --fact {fact_samples.OSLO_ID}\n" in page


def test_history_asks_a_question_and_recall_without_words_asks_for_a_profile() -> None:
    assert asked_by("history", "where?", "--limit", "2")[1] == (
        "history",
        HistoryRequest(question="where?", limit=2),
    )
    assert asked_by("recall")[1] == ("recall", RecallRequest())
