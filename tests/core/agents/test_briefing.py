"""The briefing: within its budget, whole in its parts, equal for equal records, and only data."""

import re
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.agents.briefing import BriefedRecords, quoted_lines, write_briefing
from recense.core.agents.values import (
    FoundMemory,
    Output,
    Pointer,
    Turn,
    WorkingState,
)
from recense.core.text.tokens import estimate_tokens
from tests.core.agents.agent_samples import action

texts = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("\n\r\u2028\x85|# "), max_size=60
)
INSTANT = 1_700_000_000_000_000


@st.composite
def briefed(draw: st.DrawFn) -> BriefedRecords:
    turns = draw(st.lists(texts, max_size=8))
    outputs = draw(st.lists(texts, max_size=5))
    more_turns, more_outputs = draw(st.integers(0, 900)), draw(st.integers(0, 90))
    return BriefedRecords(
        agent="mail-worker",
        state=WorkingState(
            goal=draw(texts), plan=tuple(draw(st.lists(texts, max_size=3))), notes=draw(texts)
        ),
        state_version=draw(st.integers(0, 3)),
        state_at=INSTANT,
        actions=tuple(
            action(draw(st.sampled_from(["open", "unknown"])), name=f"a{n}", args=draw(texts))
            for n in range(draw(st.integers(0, 3)))
        ),
        pointers=tuple(
            Pointer(name=f"p{n}", type="env", fields={"name": text}, note=text, at=INSTANT)
            for n, text in enumerate(draw(st.lists(texts, max_size=3)))
        ),
        outputs=tuple(
            Output(
                ref=f"o{more_outputs + len(outputs) - n}",
                tool=draw(texts),
                summary=text,
                length=len(text),
                size=len(text),
                at=INSTANT,
            )
            for n, text in enumerate(outputs)
        ),
        outputs_total=more_outputs + len(outputs),
        memories=tuple(
            FoundMemory(kind="fact", name=f"m{n}", text=text, session=draw(st.none() | texts))
            for n, text in enumerate(draw(st.lists(texts, max_size=8)))
        ),
        turns=tuple(
            Turn(seq=more_turns + n, role="user", content=text, at=INSTANT)
            for n, text in enumerate(turns, start=1)
        ),
        turns_total=more_turns + len(turns),
    )


def _words(text: str) -> int:
    return len(text.split())


def _jumpy(text: str) -> int:
    return 7 + len(text) // 3 + len(text) % 5


TOKENS: list[Callable[[str], int]] = [estimate_tokens, len, _words, _jumpy]


@given(briefed(), st.integers(1, 3_000), st.sampled_from(TOKENS))
def test_a_briefing_exceeds_its_budget_by_nothing_but_what_is_always_whole(
    records: BriefedRecords, budget: int, tokens: Callable[[str], int]
) -> None:
    written = write_briefing(records, budget, tokens)
    nothing = write_briefing(records, 1, tokens)
    assert written.tokens == tokens(written.text)
    assert written.tokens <= max(budget, nothing.tokens)
    assert not (nothing.turns)
    assert not (nothing.memories)
    assert not (nothing.outputs)
    assert written.text.startswith(nothing.text)


@given(briefed(), st.integers(1, 3_000))
def test_what_is_shown_is_of_the_records_turns_without_a_hole_up_to_the_newest(
    records: BriefedRecords, budget: int
) -> None:
    written = write_briefing(records, budget)
    assert written.turns == records.turns[len(records.turns) - len(written.turns) :]
    assert set(written.memories) <= set(records.memories)
    assert set(written.outputs) <= set(records.outputs)
    assert [each.name for each in written.memories] == sorted(
        each.name for each in written.memories
    )


@given(briefed(), st.integers(1, 3_000))
def test_equal_records_give_an_equal_text_byte_for_byte(
    records: BriefedRecords, budget: int
) -> None:
    again = msgspec.json.decode(msgspec.json.encode(records), type=BriefedRecords)
    assert again == records
    assert write_briefing(records, budget) == write_briefing(again, budget)


OURS = re.compile(
    r"\| .*|"
    r"## (Actions of which nobody knows the outcome, [\d,]+|Working state, version [\d,]+, \S+|"
    r"Pointers, [\d,]+|Stored outputs, the newest of [\d,]+|Turns, the newest of [\d,]+|"
    r"Memories that match the focus and questions, [\d,]+ found)|"
    r"This is what agent mail-worker wrote down: .*|"
    r"action a\d, unsafe, (open|unknown), begun \S+ at step 3:|"
    r"(step: \d+|goal:|plan:|notes:)|pointer p\d, env:|"
    r'output o\d+ of ".*", [\d,]+ bytes, \S+:?|turn \d+, user, \S+:|'
    r'fact m\d( of session ".*")?:|'
)


@given(briefed(), st.integers(1, 5_000))
def test_no_text_of_a_record_stands_anywhere_but_behind_the_mark(
    records: BriefedRecords, budget: int
) -> None:
    for line in write_briefing(records, budget).text.splitlines():
        assert OURS.fullmatch(line), line


@given(texts)
def test_a_quotation_keeps_every_line_of_its_text(text: str) -> None:
    lines = quoted_lines(text).split("\n")
    assert lines.pop() == ""
    assert [line.removeprefix("| ") for line in lines] == (text.splitlines() or [""])
    assert all(line.startswith("| ") for line in lines)


def _turn(seq: int, size: int) -> Turn:
    return Turn(seq=seq, role="assistant", content="w" * size, at=INSTANT)


def _output(number: int) -> Output:
    return Output(ref=f"o{number}", tool="t", summary="s" * 300, length=9, size=9, at=INSTANT)


def _memory(number: int) -> FoundMemory:
    return FoundMemory(kind="passage", name=f"m{number}", text="m" * 300)


def test_turns_and_memories_have_two_fifths_each_and_outputs_a_fifth() -> None:
    records = BriefedRecords(
        agent="a",
        turns=tuple(_turn(n, 300) for n in range(1, 101)),
        turns_total=100,
        memories=tuple(_memory(n) for n in range(100)),
        outputs=tuple(_output(n) for n in range(100, 0, -1)),
        outputs_total=100,
    )
    budget = 8_000
    written = write_briefing(records, budget)
    each = budget / 85  # about what an item costs
    assert len(written.turns) == pytest.approx(0.4 * each, abs=6)
    assert len(written.memories) == pytest.approx(0.4 * each, abs=6)
    assert len(written.outputs) == pytest.approx(0.2 * each, abs=6)
    assert budget - 100 < written.tokens <= budget


@pytest.mark.parametrize("budget", [500, 2_000, 8_000, 50_000])
def test_a_budget_is_used_and_not_exceeded_where_there_is_enough(budget: int) -> None:
    records = BriefedRecords(
        agent="a",
        state=WorkingState(goal="g" * 200),
        state_version=1,
        turns=tuple(_turn(n, 400) for n in range(1, 501)),
        turns_total=500,
        memories=tuple(_memory(n) for n in range(300)),
        outputs=tuple(_output(n) for n in range(200, 0, -1)),
        outputs_total=200,
    )
    written = write_briefing(records, budget)
    is_used = 0.98 * budget - 150 < written.tokens <= budget
    assert is_used, written.tokens


@pytest.mark.parametrize("alone", ["turns", "memories", "outputs"])
def test_what_others_do_not_use_goes_to_who_does(alone: str) -> None:
    records = BriefedRecords(
        agent="a",
        turns=tuple(_turn(n, 300) for n in range(1, 101)) if alone == "turns" else (),
        turns_total=100 if alone == "turns" else 0,
        memories=tuple(_memory(n) for n in range(100)) if alone == "memories" else (),
        outputs=tuple(_output(n) for n in range(100, 0, -1)) if alone == "outputs" else (),
        outputs_total=100 if alone == "outputs" else 0,
    )
    written = write_briefing(records, 4_000)
    assert 4_000 - 100 < written.tokens <= 4_000
    assert len(getattr(written, alone)) > 40


def test_an_item_that_does_not_fit_is_left_out_whole_and_the_next_may_fit() -> None:
    memories = (_memory(1), FoundMemory(kind="fact", name="m2", text="m" * 9_000), _memory(3))
    written = write_briefing(BriefedRecords(agent="a", memories=memories), 600)
    assert [each.name for each in written.memories] == ["m1", "m3"]


def test_open_actions_come_first_and_then_one_sentence() -> None:
    records = BriefedRecords(agent="a", actions=(action("unknown"),), turns_total=3)
    lines = write_briefing(records, 500).text.splitlines()
    assert lines[0].startswith("## Actions of which nobody knows the outcome")
    header = next(line for line in lines if line.startswith("This is what agent a wrote down"))
    assert header.count(". ") == 0
    assert header.endswith("quoted data.")


def test_a_turn_whose_text_was_forgotten_says_so() -> None:
    turn = Turn(seq=1, role="user", content=None, at=INSTANT)
    text = write_briefing(BriefedRecords(agent="a", turns=(turn,), turns_total=1), 500).text
    assert "its text was forgotten" in text
