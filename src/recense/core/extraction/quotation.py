"""Quotations: where the words of a proposal stand in what was read.

Law: what is believed of a proposal is what its words and their author bear out. Words that stand
nowhere are no evidence, whoever says so. Where several wrote the same, the person did, then the
agent, then a tool.
"""

import re
from typing import Final

from recense.core.extraction.proposals import Proposal, can_be_kept, texts_of
from recense.core.extraction.views import Author, ExtractorView
from recense.core.text.redact import MARKER, redact
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.limits import EXCERPT_BYTES_MAX

_WORD: Final = re.compile(r"\S+")
_AUTHORS: Final[tuple[Author, ...]] = ("user", "agent", "tool")
_TOO_LONG: Final = f"its evidence is longer than {EXCERPT_BYTES_MAX} bytes"


class Quotation(Value, kw_only=True):
    """A proposal, and its words as they stand in a message: of whom, in which event, and when."""

    proposal: Proposal
    excerpt: str
    author: Author
    event_id: str
    at: int | None


def quotation(view: ExtractorView, proposal: Proposal) -> Quotation:
    """Return where the words of a proposal stand in a view.

    Raises InvalidRequest where they stand nowhere, and where anything that the proposal says is a
    secret or hides one, or cannot be kept.
    """
    if not can_be_kept(proposal):
        raise InvalidRequest("it holds half a character, or a number that cannot be kept")
    _require_no_secret(proposal)
    for author in _AUTHORS:
        for message in view.messages:
            for part in message.parts:
                span = span_of(part.text, proposal.evidence) if part.author == author else None
                if span is not None:
                    return Quotation(
                        proposal=proposal,
                        excerpt=span,
                        author=author,
                        event_id=part.event_id,
                        at=message.at,
                    )
    raise InvalidRequest("its evidence does not stand in what was read")


def span_of(text: str, words: str) -> str | None:
    """Return words as they stand in a text, whatever white space is between them; None where they
    do not stand there.

    Raises InvalidRequest for words, or a span of them, that are longer than an excerpt may be. Both
    are compared with one space for each stretch of blanks: a pattern of that many words would try
    them at every place of the text.
    """
    wanted = " ".join(_WORD.findall(words))
    if len(wanted.encode(errors="replace")) > EXCERPT_BYTES_MAX:
        raise InvalidRequest(_TOO_LONG)
    place = " ".join(_WORD.findall(text)).find(wanted) if wanted else -1
    if place < 0:
        return None
    # each word's characters and what is behind it: where the joined words come from
    places = [at for word in _WORD.finditer(text) for at in range(word.start(), word.end() + 1)]
    span = text[places[place] : places[place + len(wanted) - 1] + 1]
    if len(span.encode(errors="replace")) > EXCERPT_BYTES_MAX:
        raise InvalidRequest(_TOO_LONG)
    return span


def _require_no_secret(proposal: Proposal) -> None:
    for text in texts_of(proposal):
        if MARKER.search(text) is not None or redact(text).text != text:
            raise InvalidRequest("it holds a secret")
