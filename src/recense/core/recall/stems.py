"""Stems: what the forms of a word have in common, by tables shipped in the code alone.

Two of them, since they serve two purposes. The *beginning* of a word is searched as a substring, so
it must stand in every form that is to be found; the *form* of a word is compared whole, so it may
end otherwise than the word does (``studied`` and ``study`` both have the form ``studi``). Words are
given folded; only words of ASCII letters have other stems than themselves.
"""

from typing import Final

_ENDINGS: Final = (
    ("ies", 3),
    ("ied", 3),
    ("ions", 5),
    ("ion", 5),
    ("ing", 4),
    ("ed", 4),
    ("ly", 4),
    ("es", 4),
    ("s", 3),
    ("y", 4),
    ("e", 4),
)
"""Endings in the order in which they are tried, and how much of a word must be left: a shorter stem
is a part of too many words."""

_VOWEL_Y: Final = ("ay", "ey", "oy", "uy")
_VOWELS: Final = frozenset("aeiouy")
_POSSESSIVES: Final = ("'s", "’s")
_SIBILANT_PLURALS: Final = ("sses", "shes", "ches", "xes", "zes")
_FORM_MIN: Final = 3
"""Letters that a form keeps: ``red`` and ``ring`` have no ending."""


def without_possessive(word: str) -> str:
    """Return a folded word without the ``'s`` that says whose something is."""
    return word[: -len(_POSSESSIVES[0])] if word.endswith(_POSSESSIVES) else word


def stem(word: str) -> str:
    """Return the beginning of a folded word that its other forms share.

    The result is a beginning of the word, so that it is found in every form that keeps it.
    """
    if not _is_plain(word):
        return word
    for ending, rest_min in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest == word or len(rest) < rest_min or word.endswith(("ss", *_VOWEL_Y)):
            continue
        if ending in {"ion", "ions"} and rest[-1] not in "st":
            continue
        return _undoubled(rest) if ending in {"ing", "ed"} else rest
    return word


def word_form(word: str) -> str:
    """Return the form of a folded word that is compared with those of other words."""
    form = without_possessive(word)
    if not _is_plain(form) or len(form) < _FORM_MIN:
        return form
    form = _without_verb_ending(_singular(form))
    if form.endswith("ly") and len(form) > 5 and form[-3] not in _VOWELS:  # noqa: PLR2004 -- only
        form = form[:-2]
    if form.endswith(("sion", "tion")) and len(form) > 6:  # noqa: PLR2004 -- adopt, not act
        form = form[:-3]
    if len(form) > _FORM_MIN:
        form = form.removesuffix("e")
    if len(form) > _FORM_MIN and form.endswith("y"):
        form = form[:-1] + "i"
    return form


def _is_plain(word: str) -> bool:
    return word.isascii() and word.isalpha()


def _undoubled(word: str) -> str:
    """Return ``run`` for ``runn``, and ``install`` as it is."""
    return word[:-1] if word[-1:] == word[-2:-1] and word[-1] not in "lsz" else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > _FORM_MIN + 1:
        return word[:-3] + "y"
    if word.endswith(_SIBILANT_PLURALS):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > _FORM_MIN:
        return word[:-1]
    return word


def _without_verb_ending(word: str) -> str:
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _FORM_MIN and not _VOWELS.isdisjoint(rest):
            return _undoubled(rest)
    return word
