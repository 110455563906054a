"""What can be read of a model's answer, and that the rest is said."""

import json
import sys
from contextlib import suppress
from types import FrameType
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.salvage import SalvagedAnswer, proposals_in
from recense.errors import ModelAnswerUnusable
from recense.limits import DROPPED_REASONS_MAX, PROPOSALS_MAX

OSLO: Final = Proposal(
    subject="user", predicate="lives_in", value="Oslo", evidence="I live in Oslo now"
)
NYNORSK: Final = Proposal(
    subject="user",
    predicate="prefers_language",
    value="nynorsk",
    evidence="answer me in nynorsk",
    kind="preference",
    confidence=0.5,
    replaces=("bokmål", 7, True),
)
BOTH: Final = (OSLO, NYNORSK)


def _item(proposal: Proposal, **changed: object) -> dict[str, object]:
    fields: dict[str, object] = {
        "subject": proposal.subject,
        "predicate": proposal.predicate,
        "value": proposal.value,
        "kind": proposal.kind,
        "confidence": proposal.confidence,
        "evidence": proposal.evidence,
        "replaces": list(proposal.replaces),
    }
    return {name: value for name, value in (fields | changed).items() if value is not ...}


def _facts(*items: object) -> str:
    return json.dumps({"facts": items})


BOTH_AS_JSON: Final = _facts(*map(_item, BOTH))

_words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).map(
    lambda text: text.strip() or "x"
)
_values = st.one_of(
    _words,
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
)
_proposals = st.lists(
    st.builds(
        Proposal,
        subject=_words,
        predicate=_words,
        value=_values,
        evidence=_words,
        kind=st.sampled_from(["fact", "preference"]),
        confidence=st.floats(0, 1),
        replaces=st.lists(_values, max_size=3).map(tuple),
    ),
    max_size=5,
    unique_by=repr,
)
_WRAPPINGS = (
    "{}",
    "```json\n{}\n```",
    "```\n{}\n```",
    "~~~~ JSON\n{}\n~~~~",
    "Here is what I found:\n\n{}\n\nTell me if you want more.",
    'The words "I live" {{about travel}} say [so]: {} as {{ever}}.',
    "<think>\nIt may be [ {{ or not</think>\n{}",
    '{{"answer": {}}}',
    "[{}]",
    "\ufeff{}\n{{}}",
)


@given(
    _proposals,
    st.sampled_from(_WRAPPINGS),
    st.booleans(),
    st.sampled_from([None, 2]),
)
def test_what_was_encoded_is_read_again_from_any_wrapping(
    proposals: list[Proposal], wrapping: str, is_ascii: bool, indent: int | None
) -> None:
    encoded = json.dumps(
        {"facts": list(map(_item, proposals))}, ensure_ascii=is_ascii, indent=indent
    )
    answer = wrapping.format(encoded)
    assert proposals_in(answer) == SalvagedAnswer(proposals=tuple(proposals))


@given(_proposals.filter(bool), st.data())
def test_a_cut_answer_gives_its_whole_items_and_says_that_it_was_cut(
    proposals: list[Proposal], data: st.DataObject
) -> None:
    items = [json.dumps(_item(each)) for each in proposals]
    whole = data.draw(st.integers(0, len(items) - 1))
    before = '{"facts": [' + "".join(f"{each}, " for each in items[:whole])
    end = data.draw(st.integers(0, len(items[whole]) - 1))
    answer = before + items[whole][:end]
    if whole == 0:
        with pytest.raises(ModelAnswerUnusable, match="ends in the middle"):
            proposals_in(answer)
    else:
        assert proposals_in(answer) == SalvagedAnswer(
            proposals=tuple(proposals[:whole]), is_cut=True
        )


@given(st.text(alphabet='{}[]":,\\ \n1etru`facsu-', max_size=200))
def test_whatever_the_answer_it_is_read_or_refused_by_name(answer: str) -> None:
    with suppress(ModelAnswerUnusable):
        salvaged = proposals_in(answer)
        assert salvaged.proposals or not salvaged.dropped


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(list(map(_item, BOTH))),
        "\n".join(json.dumps(_item(each)) for each in BOTH),
        f"```json\n{_facts(_item(OSLO))}\n```\nand\n```json\n{_facts(_item(NYNORSK))}\n```",
        json.dumps({"facts": json.dumps(list(map(_item, BOTH)))}),
        json.dumps({"result": {"answer": json.loads(BOTH_AS_JSON)}}),
        BOTH_AS_JSON.replace("}]", "},]"),
        f"<think>Perhaps {_facts(_item(OSLO, value='Bergen'))}?</think>{BOTH_AS_JSON}",
        _facts(_item(OSLO), _item(OSLO), _item(NYNORSK)),
        _facts(_item(OSLO, mood="glad", id=4), _item(NYNORSK)),
        _facts(_item(OSLO, kind=None, confidence=None, replaces=None), _item(NYNORSK)),
        _facts(_item(OSLO, kind=..., confidence=..., replaces=...), _item(NYNORSK)),
    ],
    ids=[
        "a list by itself",
        "objects by themselves",
        "two fences",
        "a list written as text",
        "wrapped twice",
        "a needless comma",
        "a thought before",
        "one twice",
        "unknown fields",
        "optional fields that are null",
        "optional fields left out",
    ],
)
def test_an_answer_in_another_form_is_read(answer: str) -> None:
    assert proposals_in(answer) == SalvagedAnswer(proposals=BOTH)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"half \uD8 an escape", r"half \uD8 an escape"),
        (r"C:\Users\mira", r"C:\Users\mira"),
        ("a line\nand\ta tab", "a line\nand\ta tab"),
        ('er sagte „Haus“ und „Hof" dazu', 'er sagte „Haus“ und „Hof" dazu'),
        (r"lone \ud83d surrogate", "lone \ufffd surrogate"),
        (r"nul \u0000 here", "nul \ufffd here"),
        (r"a \"quoted\" word", 'a "quoted" word'),
    ],
)
def test_a_fault_inside_a_string_is_mended_and_costs_no_other_item(written: str, read: str) -> None:
    answer = BOTH_AS_JSON.replace("I live in Oslo now", written)
    first, second = proposals_in(answer).proposals
    assert first.evidence == read
    assert second == NYNORSK


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ("words", "it is text; expected an object"),
        (None, "it is absent; expected an object"),
        (_item(OSLO, subject=...), "'subject' is absent; expected words"),
        (_item(OSLO, predicate=["a"]), "'predicate' is a list; expected words"),
        (_item(OSLO, evidence=" \n"), "'evidence' is empty text; expected words"),
        (_item(OSLO, value={}), "'value' is an object; expected words, a number or a boolean"),
        (_item(OSLO, value=2**70), "'value' is a number; expected words, a number or a boolean"),
        (
            _item(OSLO, kind="rumour"),
            "'kind' is text that is none; expected one of fact, preference",
        ),
        (_item(OSLO, confidence="high"), "'confidence' is text; expected a number"),
        (_item(OSLO, confidence=True), "'confidence' is a boolean; expected a number"),
        (_item(OSLO, confidence=1.5), "'confidence' is out of bounds; expected 0 to 1"),
        (_item(OSLO, replaces=[["Bergen"]]), "'replaces' is no list of values"),
    ],
)
def test_an_item_that_is_no_proposal_is_dropped_with_its_reason(item: object, reason: str) -> None:
    salvaged = proposals_in(_facts(_item(OSLO), item, _item(NYNORSK)))
    assert salvaged == SalvagedAnswer(proposals=BOTH, dropped=(f"item 2: {reason}",))


def test_an_item_that_is_no_json_is_dropped_with_its_place() -> None:
    answer = BOTH_AS_JSON.replace("}, {", '}, {"subject": nobody}, {')
    salvaged = proposals_in(answer)
    assert salvaged.proposals == BOTH
    assert salvaged.dropped == (f"no JSON at character {answer.index('nobody')}: expected a value",)


def test_a_number_too_large_to_be_finite_is_no_value() -> None:
    salvaged = proposals_in(
        _facts(_item(OSLO), _item(OSLO, value=1)).replace('"value": 1', '"value": 1e999')
    )
    assert salvaged.dropped[0].startswith("item 2: 'value' is a number")


def test_values_of_different_types_are_different_proposals() -> None:
    items = [_item(OSLO, value=value) for value in (True, 1, 1.0, "1")]
    assert [type(each.value) for each in proposals_in(_facts(*items)).proposals] == [
        bool,
        int,
        float,
        str,
    ]


def test_more_proposals_than_one_answer_may_hold_are_dropped_and_counted() -> None:
    items = [_item(OSLO, value=number) for number in range(PROPOSALS_MAX + DROPPED_REASONS_MAX + 5)]
    salvaged = proposals_in(_facts(*items))
    assert len(salvaged.proposals) == PROPOSALS_MAX
    assert salvaged.dropped[0] == f"item {PROPOSALS_MAX + 1}: beyond the 32 of one answer"
    assert salvaged.dropped[-1] == "and 5 more"


@pytest.mark.parametrize(
    "answer", ['{"facts": []}', "[]", "```json\n[]\n```", "Nothing.\n\n[ ]\n", '{"facts": "[]"}']
)
def test_an_empty_list_says_that_there_is_nothing(answer: str) -> None:
    assert proposals_in(answer) == SalvagedAnswer(proposals=())


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ("", "has no text"),
        ("<think>I wonder.</think>\n", "has no text"),
        ("I found nothing worth keeping.", "has no list"),
        ("- [ ] look at the letter\n- [x] answer it", "has no list"),
        ("{}", "has no list"),
        ("<!doctype html><html><body>[502]</body></html>", "has no list"),
        ('{"error": {"message": "overloaded"}}', "has no list"),
        ('{"facts": null}', "'facts' is absent; expected a list"),
        ('{"facts": {}}', "'facts' is an object; expected a list"),
        ('{"facts": ["Mira lives in Oslo"]}', "item 1: it is text"),
        ('{"facts": [{"predicate": "lives_in", "value": nowhere}]}', "no JSON at character 46"),
        ('{"facts": [', "ends in the middle"),
        ('{"facts": [{"subject": "user"', "ends in the middle"),
    ],
)
def test_an_answer_in_which_nothing_can_be_read_is_refused_by_name(answer: str, what: str) -> None:
    with pytest.raises(ModelAnswerUnusable, match=what):
        proposals_in(answer)


def test_a_reason_never_repeats_what_the_answer_said() -> None:
    said = "marzipan"
    items = [_item(OSLO, **{name: said}) for name in ("kind", "confidence")]
    with pytest.raises(ModelAnswerUnusable) as caught:
        proposals_in(_facts(said, {said: said}, *items))
    assert said not in caught.value.message


@pytest.mark.parametrize(
    "unit",
    [
        "{",
        "[",
        '"',
        "\\",
        '{"facts":[',
        '{"predicate":{},',
        '["a',
        '[{"a":',
        "[ ",
        "[1,",
        '["",',
        "```",
        "[]",
        "<think>",
    ],
)
def test_the_work_for_hostile_answers_grows_with_their_length_alone(unit: str) -> None:
    def calls(size: int) -> int:
        answer = unit * (size // len(unit))
        count = 0

        def counted(_frame: FrameType, _event: str, _argument: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(counted)
        try:
            with suppress(ModelAnswerUnusable):
                proposals_in(answer)
        finally:
            sys.setprofile(None)
        return count

    assert calls(16_000) < 10 * calls(2_000)  # a quadratic reading takes 64 times as many


@pytest.mark.parametrize("answer", ["{" * 100_000, "[" * 100_000, '"' * 1_000_000])
def test_depth_and_length_are_no_error_of_their_own(answer: str) -> None:
    with pytest.raises(ModelAnswerUnusable, match="has no list"):
        proposals_in(answer)
