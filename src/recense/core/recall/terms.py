"""Terms: what a request asks for, admitted or refused, and what a question is searched by.

Laws:

- Any string is a legal term, or it is refused as blank, as too long, or as credential-shaped. A
  refusal names the position and the kind, never the text: substring search that answers hit or no
  hit would otherwise tell a caller a secret character by character.
- Terms are compared by their fold; of two that fold alike the first spelling stays.
- The terms of a question derive from the question and from tables shipped in the code alone.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from recense.core.late_patterns import late_pattern, late_regex
from recense.core.recall.pairs import weighted_pairs
from recense.core.recall.stems import stem, without_possessive
from recense.core.recall.stopwords import CHINESE, CHINESE_PARTICLES, ENGLISH
from recense.core.text.fold import fold
from recense.core.text.redact import is_credential_shaped, redact
from recense.core.text.words import UNSPACED, words
from recense.core.values import Value
from recense.errors import CredentialShaped, InvalidRequest
from recense.limits import (
    QUESTION_CODE_POINTS_MAX,
    QUESTION_TERMS_MAX,
    TERM_CODE_POINTS_MAX,
    TERMS_MAX,
)


class Term(Value, kw_only=True):
    """A term as the caller spelled it (or the question gave it), the form that is searched, and
    what it counts beside others: 1, or less where it shares its letters with its neighbours.
    """

    spelled: str
    folded: str
    weight: float = 1.0


class AdmittedTerms(Value, kw_only=True):
    """The distinct terms that are searched, and how many more a question gave."""

    terms: tuple[Term, ...]
    left_out: int = 0


def admit_terms(terms: Sequence[str], question: str | None) -> AdmittedTerms:
    """Return the terms that are searched: the caller's, or else those of the question.

    ``question`` is one that `admit_question` let through. Raises InvalidRequest when there is
    neither, when there are more than TERMS_MAX, or when one is blank or longer than
    TERM_CODE_POINTS_MAX; CredentialShaped when redaction would change one. Positions in messages
    count from 1.
    """
    if not terms and question is None:
        raise InvalidRequest(
            "neither terms nor a question: there is nothing to look for",
            hint=f"give 1 to {TERMS_MAX} terms, a question, or both",
        )
    if len(terms) > TERMS_MAX:
        raise InvalidRequest(
            f"{len(terms)} terms given; at most {TERMS_MAX} are searched at once",
            hint="keep the rarest words, or ask them as a question",
        )
    if not terms and question is not None:
        return derive_terms(question)
    return AdmittedTerms(
        terms=_distinct(
            admitted_text(term, f"term {position}", TERM_CODE_POINTS_MAX)
            for position, term in enumerate(terms, start=1)
        )
    )


def admit_question(question: str | None) -> str | None:
    """Return the question trimmed; None stays None.

    Raises InvalidRequest when it is blank or longer than QUESTION_CODE_POINTS_MAX, CredentialShaped
    when redaction would change it.
    """
    if question is None:
        return None
    return admitted_text(question, "the question", QUESTION_CODE_POINTS_MAX)


def admitted_text(text: str, name: str, code_points_max: int) -> str:
    """Return a text to search for, trimmed, lone surrogates as U+FFFD.

    ``name`` is what a refusal calls it. Raises InvalidRequest when it is blank or too long, and
    CredentialShaped when redaction would change it.
    """
    trimmed = _SURROGATE.sub("\ufffd", text).strip()
    if not trimmed:
        raise InvalidRequest(f"{name} is blank", hint="leave it out, or write what to look for")
    if len(trimmed) > code_points_max:
        raise InvalidRequest(
            f"{name} has {len(trimmed)} code points; at most {code_points_max} are searched",
            hint="a part of it that is rare finds the same",
        )
    findings = redact(trimmed).findings
    if findings:
        raise CredentialShaped(
            f"{name} looks like a secret ({findings[0].kind}), and secrets are not searched for",
            hint="stored text holds a marker where a secret was; search for the words around it",
        )
    return trimmed


def _distinct(spellings: Iterator[str]) -> tuple[Term, ...]:
    terms: dict[str, Term] = {}
    for spelled in spellings:
        folded = fold(spelled)
        terms.setdefault(folded, Term(spelled=spelled, folded=folded))
    return tuple(terms.values())


# --- a question's terms ---------------------------------------------------------------------------

_SURROGATE: Final = late_pattern("[\ud800-\udfff]")

_QUOTED: Final = late_regex(
    r"""(?x)
      "([^"\n]{2,})" | “([^”\n]{2,})” | „([^“”\n]{2,})[“”] | «([^»\n]{2,})» | `([^`\n]{2,})`
    | 「([^」\n]{2,})」 | 『([^』\n]{2,})』 | ‘([^’\n]{2,})’ | (?<!\w)'([^'\n]{2,})'(?!\w)
    """
)

_TOKEN: Final = late_regex(
    rf"(?V1)(?:(?!{UNSPACED})[^\s,;!?\"“”‘«»`()<>{{}}|，。；！？、（）「」『』《》])+"
)
_BEFORE: Final = "'’[*…="
_AFTER: Final = ".:'’]…="

_CODE: Final = late_regex(
    r"""(?x)
      [\w][_/\\@+\#&=~^-]+[\w]      # snake_case, a/path, pre-edit, user@host
    | [\w](?:\.|::|->|:)[\w]        # module.name, std::vector, host:port
    | \p{Ll}\p{Lu}                  # camelCase
    | \p{L}\d | \d\p{L}             # http2, 3rd, v1
    | [\w][+\#*]+$                  # C++, C#
    | ^[./\\~@\#$-]+\w              # .env, /etc, --flag, @scope
    | \d[.,:]\d                     # 1.5
    """
)

_RUN: Final = late_regex(f"(?V1){UNSPACED}+")
_STOPS: Final = late_regex("|".join(sorted(CHINESE, key=len, reverse=True)))
_KOREAN: Final = late_regex(r"\p{Hangul}+")
_KOREAN_PARTICLE: Final = late_regex(
    "(?:에서는|에서|에게|으로|까지|부터|이나|은|는|이|가|을|를|에|의|로|와|과|도|만|나|요)$"
)
_KATAKANA: Final = late_regex(r"[\p{Katakana}ー]{2,}")
_HIRAGANA: Final = late_regex(r"[\p{Hiragana}ー]+")

_CJK_WORD_MAX: Final = 4
"""Characters between stop words that may well be one word; a longer stretch is several."""

_WORD_MIN: Final = 3
"""Letters of a word that is searched without further reason: two are a part of too many words."""

_QUOTE, _IDENTIFIER, _PLAIN, _PAIR = range(4)
"""What is kept first when a question has more terms than are searched."""


def derive_terms(question: str) -> AdmittedTerms:
    """Return the terms by which a question alone is searched: at least 1, at most
    QUESTION_TERMS_MAX.

    They come in the order of the question: quoted strings, tokens that look like code, words
    that are no stop words with their endings off (a term is found inside words), and for scripts
    without spaces what stands between stop words, and its bigrams. Where there are too many,
    quoted strings stay before code, code before words, words before bigrams, and the longer
    before the shorter. A question of stop words alone is searched by all its words, one without
    words by itself.

    ``question`` is one that `admit_question` let through. A part of it that looks like a secret by
    itself is left out.
    """
    found: dict[str, tuple[int, int, Term]] = {}
    for at, rank, spelled, weight in _candidates(question):
        text = spelled.strip()[:TERM_CODE_POINTS_MAX]
        folded = fold(text)
        if text and folded not in found and not is_credential_shaped(text):
            found[folded] = (rank, at, Term(spelled=text, folded=folded, weight=weight))
    if not found:
        spellings = [word for word in words(question) if not is_credential_shaped(word)]
        terms = _distinct(iter(spellings or [question[:TERM_CODE_POINTS_MAX].strip()]))
        return _first_of(terms, len(terms))
    kept = sorted(found.values(), key=lambda each: (each[0], -len(each[2].folded), each[1]))
    kept = sorted(kept[:QUESTION_TERMS_MAX], key=lambda each: (each[1], each[0]))
    return _first_of([term for _, _, term in kept], len(found))


def _first_of(terms: Sequence[Term], given: int) -> AdmittedTerms:
    """Return the first QUESTION_TERMS_MAX of the terms; the others of ``given`` are left out."""
    searched = tuple(terms[:QUESTION_TERMS_MAX])
    return AdmittedTerms(terms=searched, left_out=given - len(searched))


def _candidates(question: str) -> Iterator[tuple[int, int, str, float]]:
    """Yield (place, rank, spelling, weight) of everything in a question that may be searched."""
    for quoted in _QUOTED.finditer(question):
        yield quoted.start(), _QUOTE, quoted.group(quoted.lastindex or 0), 1.0
    for token in _TOKEN.finditer(question):
        spelled = token.group().lstrip(_BEFORE).rstrip(_AFTER)
        if _CODE.search(spelled) and fold(spelled) not in ENGLISH:
            yield token.start(), _IDENTIFIER, spelled, 1.0
        for word in words(token.group()):
            yield from ((token.start(), _PLAIN, plain, 1.0) for plain in _plain(word))
    for run in _RUN.finditer(question):
        for at, rank, spelled, weight in _unspaced(run.group()):
            yield run.start() + at, rank, spelled, weight


def _plain(word: str) -> Iterator[str]:
    """Yield a spaced script's word with its ending off, unless it is a stop word or too short."""
    folded = fold(word)
    bare = without_possessive(folded)
    if folded in ENGLISH or bare in ENGLISH:
        return
    is_name = word.isupper() and len(word) > 1  # AI, DB
    if len(bare) >= _WORD_MIN or not bare.isalpha() or is_name:
        yield stem(bare) if bare.isascii() else without_possessive(word)


def _unspaced(run: str) -> Iterator[tuple[int, int, str, float]]:
    """Yield (offset, rank, spelling, weight) for a run of letters that no space separates."""
    if _KOREAN.fullmatch(run):
        word = _KOREAN_PARTICLE.sub("", run) if len(run) >= _WORD_MIN else run
        yield 0, _PLAIN, word, 1.0
        return
    for katakana in _KATAKANA.finditer(run):
        yield katakana.start(), _PLAIN, katakana.group(), 1.0
    at = 0
    for stop in [*_STOPS.finditer(run), None]:
        end = stop.start() if stop else len(run)
        yield from _between_stops(run[at:end], at)
        at = stop.end() if stop else end


def _between_stops(stretch: str, at: int) -> Iterator[tuple[int, int, str, float]]:
    trimmed = stretch.strip("".join(CHINESE_PARTICLES))
    at += stretch.find(trimmed)
    if _HIRAGANA.fullmatch(trimmed) or not trimmed:
        return
    if len(trimmed) <= _CJK_WORD_MAX:
        yield at, _PLAIN, trimmed, 1.0
    if len(trimmed) >= _WORD_MIN:
        for offset, pair, weight in weighted_pairs(trimmed, _is_telling):
            yield at + offset, _PAIR, pair, weight


def _is_telling(pair: str) -> bool:
    return not CHINESE_PARTICLES & set(pair) and not _HIRAGANA.search(pair)
