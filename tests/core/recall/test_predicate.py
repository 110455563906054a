"""The predicate: what matches, and what never may."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.predicate import Match, matching, redacted_runs
from recense.core.text.fold import fold
from recense.core.text.redact import redact
from recense.core.transcript.messages import Run, visible_text
from recense.core.transcript.visible import JOINT, image
from tests.core.recall.messages_by_hand import SECRET, message, runs, texts


def match(text: str, *terms: str) -> Match | None:
    return matching(message(0, text), [fold(term) for term in terms])


@given(runs, st.lists(texts.filter(str.strip), min_size=1, max_size=4))
def test_a_match_is_the_fold_in_both_images(drawn: list[Run], terms: list[str]) -> None:
    folded = [fold(term) for term in terms]
    told = message(0, *drawn)
    stored, redacted = image(told.runs), image(redacted_runs(told))
    found = matching(told, folded)
    expected = [redacted.count(term) if term in stored else 0 for term in folded]
    if any(expected):
        assert found == Match(frequencies=tuple(expected), length=len(redacted))
    else:
        assert found is None


@given(runs)
def test_redacted_runs_are_the_redacted_text(drawn: list[Run]) -> None:
    told = message(0, *drawn)
    shown = redacted_runs(told)
    assert "".join(run.text for run in shown) == redact(visible_text(told)).text
    assert all(run.text for run in shown)


@given(runs)
def test_own_text_stays_own_and_synthetic_text_synthetic(drawn: list[Run]) -> None:
    told = message(0, *drawn)
    own = "".join(run.text for run in told.runs if not run.synthetic)
    shown = "".join(run.text for run in redacted_runs(told) if not run.synthetic)
    rest = iter(own)
    assert all(each in rest for each in shown)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Use C++ here", "c++"),
        ("a pre-edit hook", "pre-edit"),
        ('she said "yes"', '"'),
        ("2 * 3", "*"),
        ("100% sure", "100%"),
        ("do NOT", "not"),
        ("GB/s", "gb/S"),
        ("a\x00b", "a\x00B"),
        ("我们决定使用数据库迁移", "迁移"),
        ("ｐｇｂｏｕｎｃｅｒ", "PgBouncer"),
        ("der STRASSE", "straße"),
        ("line one\nline two", "one\nline"),
    ],
)
def test_any_string_is_found_as_it_stands(text: str, term: str) -> None:
    assert match(text, term) is not None


def test_a_term_never_matches_across_two_runs() -> None:
    told = message(0, "deploy ", Run(text="[image]", synthetic=True), "pgbouncer")
    assert matching(told, ["deploy pgbouncer"]) is None
    assert matching(told, [fold("y \uffffp")]) is None
    assert matching(told, ["image"]) is None
    assert image(told.runs) == f"deploy {JOINT}pgbouncer"


def test_a_secret_and_its_parts_never_match() -> None:
    text = f"the token {SECRET} is old"
    assert match(text, "token", "old") == Match(frequencies=(1, 1), length=len("the token ") + 8)
    for size in range(5, len(SECRET) + 1):
        assert match(text, SECRET[:size]) is None
        assert match(text, SECRET[-size:]) is None


def test_a_marker_never_matches() -> None:
    assert match(f"token {SECRET}", "redacted") is None
    assert match(f"token {SECRET}", "[") is None


def test_a_match_needs_the_stored_text_as_well_as_the_redacted_one() -> None:
    text = f"left {SECRET} right"
    assert match(text, f"left {JOINT} right") is None
    assert match(text, "left  right") is None


def test_frequency_counts_without_overlap_and_length_counts_code_points() -> None:
    assert match("abababa", "aba") == Match(frequencies=(2,), length=7)


def test_terms_that_do_not_match_count_zero() -> None:
    assert match("deploy", "deploy", "rollback") == Match(frequencies=(1, 0), length=6)
