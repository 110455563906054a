"""Quotations: the words of a proposal stand in what was read, or it is worth nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.extraction.proposals import Proposal
from recense.core.extraction.quotation import quotation, span_of
from recense.core.extraction.views import Author, ExtractorView, ViewMessage, ViewPart
from recense.core.text.redact import MARKER, redact
from recense.errors import InvalidRequest
from recense.limits import EXCERPT_BYTES_MAX
from tests.core.text.secret_shapes import SHAPES, SecretShape
from tests.rows import each_row

WORDS = st.lists(st.text("ab木🌲é", min_size=1, max_size=3), min_size=1, max_size=8)
BLANKS = st.sampled_from([" ", "\n", "  ", "\t", " \u3000 ", "\r\n"])


def _view(*parts: tuple[Author, str]) -> ExtractorView:
    return ExtractorView(
        messages=tuple(
            ViewMessage(parts=(ViewPart(author=author, text=text, event_id=f"e{place}"),), at=place)
            for place, (author, text) in enumerate(parts)
        )
    )


def _proposal(evidence: str) -> Proposal:
    return Proposal(subject="user", predicate="lives_in", value="Oslo", evidence=evidence)


@given(WORDS, st.data())
def test_words_are_found_whatever_white_space_is_between_them_and_returned_as_they_stand(
    words: list[str], data: st.DataObject
) -> None:
    text = data.draw(st.sampled_from(["", "x "]))
    for word in words:
        text += word + data.draw(BLANKS)
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    wanted = words[first : last + 1]
    span = span_of(text, data.draw(BLANKS).join(wanted))
    assert span is not None
    assert span in text
    assert span.split() == wanted


@given(st.text("ab \n", max_size=12), st.text("ab \n", max_size=6))
def test_a_span_is_found_exactly_where_the_words_stand(text: str, words: str) -> None:
    wanted = " ".join(words.split())
    span = span_of(text, words)
    stands = bool(wanted) and wanted in " ".join(text.split())
    assert (span is not None) == stands
    assert span is None or (span in text and " ".join(span.split()) == wanted)


@pytest.mark.parametrize("evidence", ["", " \n", "I live in Oslo", "oslo now", "Bergen. Oslo"])
def test_words_that_stand_nowhere_are_no_evidence(evidence: str) -> None:
    view = _view(("user", "I live in Bergen."), ("user", "Oslo is far."))
    with pytest.raises(InvalidRequest, match="does not stand"):
        quotation(view, _proposal(evidence))


def test_of_equal_words_those_of_the_person_count_then_the_agents_then_a_tools() -> None:
    text = "lives in Oslo"
    every: list[tuple[Author, str]] = [("tool", text), ("agent", text), ("user", text)]
    for view, author, event in (
        (_view(*every), "user", "e2"),
        (_view(*every[:2]), "agent", "e1"),
        (_view(*every[:1]), "tool", "e0"),
    ):
        quoted = quotation(view, _proposal(text))
        assert (quoted.author, quoted.event_id) == (author, event)


def test_evidence_that_is_too_long_is_refused_and_so_is_a_span_that_is() -> None:
    long = "a" * (EXCERPT_BYTES_MAX + 1)
    with pytest.raises(InvalidRequest, match="longer"):
        quotation(_view(("user", long)), _proposal(long))
    wide = "a" + "\n" * EXCERPT_BYTES_MAX + "b"
    with pytest.raises(InvalidRequest, match="longer"):
        quotation(_view(("user", wide)), _proposal("a b"))


@each_row("shape", SHAPES, ids=[shape.name for shape in SHAPES])
def test_a_proposal_that_holds_a_secret_anywhere_is_refused(shape: SecretShape) -> None:
    text = shape.text
    view = _view(("user", f"I live in Oslo. {text}"))
    said = _proposal("I live in Oslo")
    assert quotation(view, said).excerpt == "I live in Oslo"
    for proposal in (
        _proposal(text),
        replace(said, value=text),
        replace(said, subject=text),
        replace(said, predicate=text),
        replace(said, replaces=(text,)),
    ):
        with pytest.raises(InvalidRequest, match="secret"):
            quotation(view, proposal)


def test_a_proposal_that_quotes_what_redaction_hid_is_refused() -> None:
    for shape in SHAPES:
        shown = redact(f"I live in Oslo.\n{shape.text}").text
        hidden = MARKER.search(shown)
        assert hidden is not None
        for evidence in (shown, hidden[0]):
            with pytest.raises(InvalidRequest, match="secret"):
                quotation(_view(("user", shown)), _proposal(evidence))
