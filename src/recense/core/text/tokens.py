"""The one estimate of tokens: what a text costs a model, near enough to plan with.

Law: the estimate is a plain function of the text and of nothing else, whatever the model: no
vocabulary is loaded, and the same text counts the same on every machine. It never grows by cutting:
a text's estimate is at most the sum of its parts'.

English and code take about four bytes a token in the vocabularies in use; Chinese, with three bytes
an ideograph, comes out at three quarters of a token each, and Cyrillic at a half.
"""

from typing import Final

BYTES_PER_TOKEN: Final = 4


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a model reads in this text: its bytes in UTF-8 by four, rounded
    up; 0 for no text.
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)
