import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.ids import anchor, split_anchor
from recense.core.recall.echo import is_echo
from recense.core.text.redact import redact
from recense.core.transcript.messages import Message, MessageKind, Run
from recense.errors import NotFound

ANCHOR = anchor("claude_code:4f0c6f1e-5f0b-4a53-9d35-0b8c8b6a7e01", "0f" * 16)


def message(text: str, kind: MessageKind = "tool_result") -> Message:
    return Message(
        position=0,
        event_id="e",
        ordinal=0,
        turn="e",
        kind=kind,
        at=None,
        runs=(Run(text=text),),
    )


@pytest.mark.parametrize(
    "text",
    [
        f'{{"facts":[],"passages":[{{"anchor":"{ANCHOR}","session":"s"}}]}}',
        f'{{\\"passages\\":[{{\\"anchor\\":\\"{ANCHOR}\\"}}]}}',
        f"1. The timetable\n   recense more {ANCHOR}\n",
        f"timetable\n{ANCHOR}\ninteractive",
    ],
)
@pytest.mark.parametrize("kind", ["tool_result", "user", "assistant", "note"])
def test_an_answer_of_ours_is_an_echo_in_every_form(text: str, kind: MessageKind) -> None:
    assert is_echo(message(text, kind))


def test_redaction_leaves_an_anchor_by_which_an_echo_is_known() -> None:
    text = f'{{"anchor":"{ANCHOR}"}} recense more {ANCHOR}'
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "mcp__recense__recall\nharbour timetable",
        "Bash\nrecense recall harbour",
        "shell\nuv run recense grep --regex harbour",
    ],
)
def test_a_question_to_us_is_an_echo(text: str) -> None:
    assert is_echo(message(text, "tool_call"))


@pytest.mark.parametrize(
    "text",
    [
        "Bash\npytest tests/recense",
        "we recall that the recense project has a grep",
        "0f" * 40,
        "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQgaGVsbG8gd29ybGQK",
    ],
)
@pytest.mark.parametrize("kind", ["tool_call", "assistant"])
def test_what_only_resembles_an_answer_is_none(text: str, kind: MessageKind) -> None:
    assert not is_echo(message(text, kind))


@given(st.text(max_size=300))
def test_no_text_breaks_the_look_for_an_echo(text: str) -> None:
    assert is_echo(message(text)) in {True, False}


def names_a_session(word: str) -> bool:
    try:
        session_id, _ = split_anchor(word)
    except NotFound:
        return False
    return ":" in session_id


@given(st.lists(st.sampled_from(["a" * 47, "a", "-", "_", " ", "é", ":", "\n", ANCHOR])))
def test_a_text_is_an_echo_where_a_whole_run_of_letters_is_an_anchor(pieces: list[str]) -> None:
    text = "".join(pieces)
    words = re.findall(r"[A-Za-z0-9_-]+", text)
    assert is_echo(message(text)) == any(map(names_a_session, words))
