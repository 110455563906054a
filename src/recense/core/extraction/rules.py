"""Explicit statements: what a person says of themselves or the work in so many words.

This is no understanding of language. It is closed tables of how people begin such sentences
("remember that…", "I prefer…", "my … is…", "we decided…", 「记住…」「我喜欢…」) in English and in
Chinese, and it finds few facts. It is there so that sessions can be read for facts with no model,
no key and no network.

Laws:

- Only words of the person count, and of these only their own prose (`rules_prose`).
- Nothing rather than something doubtful: a question, a condition, a report, the past, a wish, an
  order, a sentence with a secret or beside the name of one gives nothing.
- A value is a piece of its sentence, and the sentence, whole, is the evidence.
- Equal views give equal proposals. The time is linear in the view: a message that is longer than
  its bounds is not looked into, and no pattern sees more than one sentence.
"""

from collections.abc import Iterator
from typing import Final

from recense.core.extraction import rules_chinese, rules_english
from recense.core.extraction.proposals import Proposal
from recense.core.extraction.rules_prose import Sentence, own_sentences
from recense.core.extraction.rules_statements import Stated
from recense.core.extraction.views import ExtractorView
from recense.core.facts.event import Kind
from recense.core.text.markers import MARKER_START
from recense.core.text.redact import redact

RULES_VERSION: Final = 1
"""Raised by whoever changes what the rules find; a test holds their sources to it."""

PERSON: Final = "user"
"""Whom what a person says of themselves is filed about."""

PROJECT: Final = "project"
"""What is filed about the work, and not about the person."""

_OF_PROJECT: Final = frozenset(
    """decided deployment_target project_constraint project_name repository_url project_status
    uses_technology avoids""".split()
)
_PREFERENCES: Final = frozenset({"likes", "dislikes", "avoids"})


def rule_proposals(view: ExtractorView) -> tuple[Proposal, ...]:
    """Return the explicit statements of the person in a view, in the order of its text, each once.

    A statement made twice keeps the sentence that said it first.
    """
    found: dict[tuple[str, str, str], Proposal] = {}
    for message in view.messages:
        for part in message.parts:
            if part.author == "user":
                for each in _proposals(part.text):
                    key = (each.subject, each.predicate, str(each.value).casefold())
                    found.setdefault(key, each)
    return tuple(found.values())


def _proposals(text: str) -> Iterator[Proposal]:
    sentences = own_sentences(text)
    if any(_is_other_voice(each.text) for each in sentences):
        return
    for sentence in sentences:
        statements = _statements(sentence)
        if statements and not _holds_secret(sentence.verbatim):
            for each in statements:
                yield _proposal(each, sentence)


def _is_other_voice(text: str) -> bool:
    return rules_english.is_other_voice(text) or (
        not text.isascii() and rules_chinese.is_other_voice(rules_chinese.simplified(text))
    )


def _statements(sentence: Sentence) -> tuple[Stated, ...]:
    """Return what a sentence says, its values as they are written in it."""
    text = sentence.text
    found = rules_english.english_statements(text)
    if not found and not text.isascii():
        text = rules_chinese.simplified(text)
        found = rules_chinese.chinese_statements(text)
    return tuple(
        Stated(predicate=each.predicate, value=sentence.verbatim[at : at + len(each.value)])
        for each in found
        if (at := text.find(each.value)) >= 0
    )


def _holds_secret(sentence: str) -> bool:
    return MARKER_START in sentence or bool(redact(sentence).findings)


def _proposal(statement: Stated, sentence: Sentence) -> Proposal:
    predicate = statement.predicate
    is_preference = predicate.startswith("prefers_") or predicate in _PREFERENCES
    kind: Kind = "preference" if is_preference else "fact"
    return Proposal(
        subject=PROJECT if predicate in _OF_PROJECT else PERSON,
        predicate=predicate,
        value=statement.value,
        evidence=sentence.verbatim,
        kind=kind,
    )
