"""The other ways to read a text: without what nobody sees in it, and with what it spells.

Law: a secret that one of them shows is a secret of the text. Each knows where its characters stand
in the text, so that what is hidden there is hidden whole.
"""

from collections.abc import Iterable, Iterator

import msgspec

from recense.core.text.hidden_characters import PlainView, plain_view
from recense.core.text.spelled_characters import SpelledView, spelled_view
from recense.limits import SPELLED_LEVELS_MAX


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What a text reads as, and the layers through which it does, the outermost first."""

    text: str
    layers: tuple[PlainView | SpelledView, ...]

    def spans(self, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Where spans of the view, none of them empty, stand in the text, in the same order."""
        below = iter(spans)
        for layer in reversed(self.layers):
            below = layer.spans(below)
        return below


def views(text: str) -> Iterator[View]:
    """The views of a text that differ from it. Linear in the text.

    What is spelled may spell something again, up to SPELLED_LEVELS_MAX times.
    """
    plain = plain_view(text)
    if plain is not None:
        yield View(text=plain.text, layers=(plain,))
    layers: tuple[SpelledView, ...] = ()
    for _ in range(SPELLED_LEVELS_MAX):
        spelled = spelled_view(text)
        if spelled is None:
            return
        text, layers = spelled.text, (*layers, spelled)
        yield View(text=text, layers=layers)
        plain = plain_view(text)
        if plain is not None:
            yield View(text=plain.text, layers=(*layers, plain))
