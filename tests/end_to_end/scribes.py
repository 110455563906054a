"""Texts that are hard to find, and what is looked for in them; drawn from one seed."""

import random
import unicodedata
from typing import Final

from recense.core.text.fold import fold
from recense.limits import TERM_CODE_POINTS_MAX, WINDOW_BYTES, WINDOW_OVERLAP_BYTES
from tests.core.recall.messages_by_hand import SECRET

_STRIDE: Final = WINDOW_BYTES - WINDOW_OVERLAP_BYTES

_WORDS: Final = (
    "fern", "Moss", "lichen", "ﬁcus", "officinalis ﬃ", "straße", "STRASSE", "İris", "ΣΑΣ", "σας",
    "ｆｅｒｎ", "ﾌﾞﾅ", "数据库", "迁移", "标本", "孢", "キノコ", "이끼", "cafe\u0301", "café",
    "\u0301", "👩‍🔬", "🌿", "C++", "100%", '"', "'", "*", "NOT", "a:b", "\\", "\\n", "\x00",
    "\\u0066ern", "\uffff", "\ufffd", "fe\x1b[31mrn\x1b[0m", "mo\x1b[1;32mss",
    '{"a": "{\\"b\\": \\"fern\\"}"}',
    "ﷺ", "㍿", "½", "ſ", "K", "\u200b", "\u00ad", "\r\n", "\n\n", "\t", "x", "zz", "[redacted:",
    "/home/mira/herbarium/press.py", "pre-edit", "don't", "v0.6.22", "_", "𝔣𝔢𝔯𝔫", "Ａ１", "ﬆ", "ŉ",
)  # fmt: skip


class Scribe:
    """Draws texts, and remembers them, so that questions can be drawn from what was said."""

    def __init__(self, chance: random.Random, *, surrogates: bool = False) -> None:
        self.chance: Final = chance
        self.said: Final[list[str]] = []
        self.surrogates = surrogates

    def words(self, count: int) -> str:
        """Return some words, apart or not."""
        chance = self.chance
        joint = chance.choice((" ", " ", " ", "", "\n"))
        return joint.join(
            f"w{chance.randrange(200)}" if chance.random() < 0.3 else chance.choice(_WORDS)
            for _ in range(count)
        )

    def text(self, *, is_long: bool = True) -> str:
        """Return a text of any of the kinds that are hard."""
        chance = self.chance
        draw = chance.random()
        if draw < 0.02 and is_long:
            text = self._over_windows()
        elif draw < 0.08:
            text = f"{self.words(2)} {SECRET} {self.words(2)}"
        elif draw < 0.11:
            text = f"{self.words(1)}password={SECRET[4:24]}{self.words(1)}"
        elif draw < 0.13:
            text = chance.choice("ﷺ数ﬃ㍿") * chance.randrange(1, 600)
        elif draw < 0.16:
            text = "".join(chr(chance.randrange(0x4E00, 0x9FA5)) for _ in range(40))
        elif draw < 0.18:
            text = "".join(chr(chance.randrange(0x20, 0x2FFF)) for _ in range(30))
        elif draw < 0.20 and self.surrogates:
            text = f"{self.words(1)}\ud83d{self.words(1)}\udc00 \ud83c\udf3f"
        else:
            text = self.words(chance.randrange(1, 9))
        self.said.append(text)
        return text

    def _over_windows(self) -> str:
        """Return a text of several windows, with something to find across each of their ends."""
        chance = self.chance
        filler = chance.choice(("ab ", "数", "é", "log 12\n", "ﬁ"))
        text = ""
        for window in range(1, chance.randrange(2, 4)):
            for end in (window * _STRIDE, window * _STRIDE + WINDOW_OVERLAP_BYTES):
                there = len(fold(text).encode())
                room = end - there - chance.randrange(24)
                text += filler * max(0, room // len(fold(filler).encode()))
                needle = f"<{chance.randrange(10**6)}{chance.choice(_WORDS)}针{window}>"
                text += needle + self.words(1)
                self.said.append(needle)
        return text + filler * chance.randrange(900)

    def term(self) -> str:
        """Return something to look for: mostly a piece of what was said, as it was or otherwise."""
        chance = self.chance
        draw = chance.random()
        text = chance.choice(self.said) if self.said else "fern"
        if draw < 0.5:
            start = chance.randrange(len(text))
            term = text[start : start + chance.choice((1, 1, 2, 3, 5, 8, 20))]
        elif draw < 0.6:
            start = chance.randrange(len(text))
            term = text[start : start + TERM_CODE_POINTS_MAX]
        elif draw < 0.85:
            term = chance.choice(
                (*_WORDS, "e", "w1", "w17", "孢子", "nowhere", "er", "针", SECRET[5:9])
            )
        elif draw < 0.9:
            term = "ﷺ" * chance.randrange(1, TERM_CODE_POINTS_MAX)
        else:
            term = self.words(2)
        return chance.choice((str, str, str, str.upper, _wide, _decomposed))(term) or "fern"


def _wide(text: str) -> str:
    return "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text)


def _decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)
