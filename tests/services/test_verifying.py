"""Verifying says the first difference of two answers in words, and nothing where there is none."""

import pytest
from msgspec.structs import replace

from recense.core.transcript.messages import Material
from recense.operations.recall import (
    Passage,
    PassageMessage,
    RecallAnswer,
    SessionsSearched,
    UnmatchedTerm,
)
from recense.operations.texts import TextFact
from recense.services.verifying import first_difference

PASSAGE = Passage(
    anchor="a1",
    session="s:one",
    title="Garden",
    workspace="/work",
    source="s",
    origin="interactive",
    turn="e0",
    position=4,
    messages=(
        PassageMessage(
            role="user",
            kind="user",
            text="water the fern",
            at=None,
            is_anchor=True,
            trust="user_said",
            offset=0,
            length=14,
        ),
    ),
    matched_terms=("fern",),
    score=1.5,
    has_more_before=False,
    has_more_after=True,
    truncated=False,
    source_available=True,
)
OTHER = replace(PASSAGE, anchor="a2", session="s:two", position=7)
MATERIAL = Material(
    id="m1", kind="image", name="fern.png", media_type="image/png", bytes=3, sha256=None
)
ANSWER = RecallAnswer(
    facts=(),
    passages=(PASSAGE, OTHER),
    materials=(MATERIAL,),
    gaps=(UnmatchedTerm(term="moss"), SessionsSearched(n=2, oldest=None)),
    terms=("fern", "moss"),
    took_ms=1.0,
    path="narrowed",
)


def test_equal_answers_have_no_difference_however_long_they_took_and_whichever_way() -> None:
    assert first_difference(ANSWER, ANSWER) == ""
    assert first_difference(ANSWER, replace(ANSWER, took_ms=900.0, path="scan")) == ""


@pytest.mark.parametrize(
    ("scan", "words"),
    [
        pytest.param(
            replace(ANSWER, terms=("fern",)),
            "the terms are ('fern', 'moss'), by the full scan ('fern',)",
            id="terms",
        ),
        pytest.param(
            replace(ANSWER, passages=(PASSAGE,)),
            "passage 2 is missing from the full scan: message 7 of session s:two",
            id="a passage too many",
        ),
        pytest.param(
            replace(ANSWER, passages=(PASSAGE, OTHER, replace(OTHER, anchor="a3", position=8))),
            "passage 3 is missing from the answer: message 8 of session s:two",
            id="a passage that was missed",
        ),
        pytest.param(
            replace(ANSWER, passages=(OTHER, PASSAGE)),
            "passage 1 is message 4 of session s:one, by the full scan message 7 of session s:two",
            id="another order",
        ),
        pytest.param(
            replace(ANSWER, passages=(replace(PASSAGE, score=1.25), OTHER)),
            "passage 1 (message 4 of session s:one) has the score 1.5, by the full scan 1.25",
            id="a score",
        ),
        pytest.param(
            replace(ANSWER, passages=(PASSAGE, replace(OTHER, title=None, truncated=True))),
            "passage 2 (message 7 of session s:two) differs in title, truncated",
            id="what is shown of a passage",
        ),
        pytest.param(
            replace(ANSWER, gaps=ANSWER.gaps[:1]),
            'the answer says {"gap":"sessions_searched","n":2,"oldest":null}, '
            "the full scan nothing",
            id="a gap too many",
        ),
        pytest.param(
            replace(ANSWER, gaps=(ANSWER.gaps[0], SessionsSearched(n=3, oldest=None))),
            'the answer says {"gap":"sessions_searched","n":2,"oldest":null}, '
            'the full scan {"gap":"sessions_searched","n":3,"oldest":null}',
            id="a figure of a gap",
        ),
        pytest.param(
            replace(ANSWER, materials=()),
            "the answer lists 1 materials, the full scan 0, and they are not the same",
            id="materials",
        ),
        pytest.param(
            replace(
                ANSWER,
                facts=(
                    TextFact(
                        fact="e-1",
                        text="Ada likes ferns.",
                        since="2026-01-01T00:00:00.000000Z",
                        days_ago=0,
                    ),
                ),
            ),
            "the facts are not the same",
            id="facts",
        ),
    ],
)
def test_each_kind_of_difference_is_said_in_words(scan: RecallAnswer, words: str) -> None:
    assert first_difference(ANSWER, scan) == words
    assert first_difference(scan, ANSWER)


def test_the_first_difference_is_said_alone() -> None:
    scan = replace(ANSWER, passages=(replace(PASSAGE, score=2.0),), gaps=(), materials=())
    assert first_difference(ANSWER, scan).startswith("passage 1 ")


def test_every_part_of_an_answer_counts_but_time_and_way() -> None:
    changed: dict[str, object] = {
        "facts": (
            TextFact(fact="e-1", text="hm", since="2026-01-01T00:00:00.000000Z", days_ago=0),
        ),
        "passages": (),
        "materials": (),
        "gaps": (),
        "terms": (),
    }
    assert {*changed} == {*RecallAnswer.__struct_fields__} - {"took_ms", "path"}
    for name, value in changed.items():
        assert first_difference(ANSWER, replace(ANSWER, **{name: value})), name
