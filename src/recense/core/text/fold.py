"""Folding: the one form in which texts and terms are compared.

Laws, for every string:

- ``fold(x)`` is NFKC(casefold(NFKC(x))) after U+0000, U+FFFF and lone surrogates have become
  U+FFFD; so it holds no U+0000 (at which full-text engines stop), no U+FFFF (which joins the
  runs of a message) and no surrogate, and it is never empty unless ``x`` is.
- Of more than MARKS_TOGETHER_MAX combining marks in a row the rest become U+FFFD: no script writes
  them, and normalising takes time by the square of their number.
- Folding twice is folding once. (Checked over every code point and every cased character under the
  combining marks; no iteration is needed.)
- Where `starts_segment` holds for ``x[i]``, ``fold(x) == fold(x[:i]) + fold(x[i:])``: what comes
  before cannot reach across. This is what the offset map and the fast way rest on.

No stemming and no removal of accents: what is written differently stays different.
"""

import unicodedata
from functools import lru_cache
from typing import Final

from recense.core.late_patterns import late_pattern, late_regex
from recense.limits import MARKS_TOGETHER_MAX

FOLD_VERSION: Final = f"1/{unicodedata.unidata_version}"
"""Images folded under another version are not comparable: the rule or Unicode itself has
changed."""

_REPLACED: Final = late_pattern("[\x00\uffff\ud800-\udfff]")
_ASCII: Final = bytes(range(128))
_EXCESS_MARKS: Final = late_regex(rf"(\p{{M}}{{{MARKS_TOGETHER_MAX}}})(\p{{M}}+)")

_STILL: Final = late_pattern(
    "[\u2190-\u21ff\u2500-\u25ff\u3001\u3002\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]+"
)
"""Frequent characters that fold to themselves and start segments: arrows and boxes, kana, Han,
Hangul syllables. Setting them aside first is what keeps text in these scripts fast."""

_CHANGING_MAX: Final = 12
"""Distinct characters to replace one by one; beyond this the formula over the whole is cheaper."""

_STRIDES_CODE_POINTS: Final = (2_048, 64, 1)
"""How far the offset map strides, and then each time it looks closer."""


def fold(text: str) -> str:
    """Return the folded form of a text; see the laws at the top of this file."""
    if text.isascii():
        folded = text.lower()
        return folded.replace("\x00", "\ufffd") if "\x00" in folded else folded
    return _folded(text)[0]


def _folded(text: str) -> tuple[str, bool]:
    """Return the folded form of a text that is not ASCII alone, and whether it is known to keep
    offsets: each character is a segment and has become one character.
    """
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        return _fold_by_formula(text), False
    changed: list[tuple[str, str]] = []
    for character in set(_STILL.sub("", encoded.translate(None, _ASCII).decode())):
        folded = _fold_alone(character)
        if folded is None or len(changed) == _CHANGING_MAX:
            return _fold_by_formula(text), False
        if folded != character:
            changed.append((character, folded))
    if changed:
        for character, folded in changed:
            text = text.replace(character, folded)
        encoded = text.encode()
    return encoded.lower().decode(), all(len(folded) == 1 for _, folded in changed)


def folded_length(text: str) -> int:
    """Return the code points of the folded form of a text; of ASCII without folding it."""
    return len(text) if text.isascii() else len(fold(text))


def starts_segment(character: str) -> bool:
    """Whether nothing before this character can fold together with it.

    False also for some characters of which it would be true: marks, and letters that compose with a
    letter before them. ASCII always starts a segment.
    """
    if character.isascii():
        return True
    first = unicodedata.normalize("NFKD", character)[0]
    if "\ufe00" <= first <= "\ufe0f":  # variation selectors: marks that compose with nothing
        return True
    return not (
        unicodedata.combining(first)
        or unicodedata.category(first).startswith("M")
        or "\u1160" <= first <= "\u11ff"  # Hangul vowels and finals
        or "\U00016d63" <= first <= "\U00016d6a"  # Kirat Rai vowels, letters since Unicode 16
    )


class FoldedText:
    """A text with its folded form, and the way back from folded offsets to original ones.

    The way back is computed when it is asked for and not kept: where offsets are not known to be
    the same in both, by one more fold of what lies before the offset.
    """

    __slots__ = ("_keeps_offsets", "folded", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded, self._keeps_offsets = (fold(text), True) if text.isascii() else _folded(text)

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the smallest span of whole segments of the text that holds folded [start, end).

        ``0 <= start <= end <= len(folded)``; an empty span is empty in the original too. Spans that
        follow each other in the folded text never step back in the original.
        """
        if self._keeps_offsets:
            return start, end
        first, folded_first = self._last_stop(0, 0, start)
        if start == end:
            return first, first
        last, _ = self._last_stop(first, folded_first, end - 1)
        return first, _segment_end(self.text, last + 1)

    def _last_stop(self, at: int, folded_at: int, target: int) -> tuple[int, int]:
        """Return the last start of a segment from ``at`` on whose folded offset is not past
        ``target``, and that folded offset.
        """
        for step in _STRIDES_CODE_POINTS:
            at, folded_at = self._stride(at, folded_at, target, step)
        return at, folded_at

    def _stride(self, at: int, folded_at: int, target: int, step: int) -> tuple[int, int]:
        """Return the last stop, ``step`` or more code points apart, whose folded offset is not past
        ``target``, and that folded offset.
        """
        text = self.text
        while at < len(text):
            stop = _segment_end(text, min(at + step, len(text)))
            folded_stop = folded_at + folded_length(text[at:stop])
            if folded_stop > target:
                break
            at, folded_at = stop, folded_stop
        return at, folded_at


def _segment_end(text: str, at: int) -> int:
    """Return the first offset from ``at`` on where a segment starts, or the text's end."""
    while at < len(text) and not starts_segment(text[at]):
        at += 1
    return at


def _fold_by_formula(text: str) -> str:
    text = _without_excess(_REPLACED.sub("\ufffd", text))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _without_excess(folded)  # one mark may have become several


def _without_excess(text: str) -> str:
    if len(text) <= MARKS_TOGETHER_MAX:
        return text
    return _EXCESS_MARKS.sub(lambda found: found[1] + "\ufffd" * len(found[2]), text)


@lru_cache(maxsize=8_192)
def _fold_alone(character: str) -> str | None:
    """Return what a character folds to wherever it stands, or None where neighbours matter."""
    return _fold_by_formula(character) if starts_segment(character) else None
