"""The one estimate of tokens: what a text costs a model, near enough to plan with.

Law: the estimate is a plain function of the text and of nothing else, whatever the model: no
vocabulary is loaded, and the same text counts the same on every machine. It never grows by cutting:
a text's estimate is at most the sum of its parts'.

Recall's budgets are bytes, so nothing plans by it yet. What hands text to a model will (briefings,
and what is cut into pieces for embedding), so that there is one estimate and not one for each.
"""

from typing import Final

from recense.core.late_patterns import late_pattern

ASCII_PER_TOKEN: Final = 4
"""English and code take about four characters a token in the vocabularies in use."""

OTHER_PER_TOKEN: Final = 2
"""Letters of other alphabets (Cyrillic, Greek, accented Latin) take about two."""

_ASCII: Final = bytes(range(128))
_IDEOGRAPHIC: Final = late_pattern(
    "[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00010000-\U0010ffff]"
)


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a model reads in this text, rounded up; 0 for no text.

    ASCII counts a quarter of a token a character, ideographs, kana, Hangul and whatever lies beyond
    the basic plane one, and everything else a half.
    """
    if text.isascii():
        return -(-len(text) // ASCII_PER_TOKEN)
    rest = text.encode("utf-8", "replace").translate(None, _ASCII).decode()
    others = len(_IDEOGRAPHIC.sub("", rest))
    quarters = (len(text) - len(rest)) + 2 * others + 4 * (len(rest) - others)
    return -(-quarters // ASCII_PER_TOKEN)
