"""MadeTexts of a made corpus: what people say, and what tools print.

Words are drawn by rank from a made-up vocabulary, so that a few are everywhere and most are rare,
and some are new each time: real text has a long tail of names, numbers and slips. Three in ten
texts of people are Chinese. What tools print is code, logs with colours, lock files, diffs,
listings and JSON: lines are drawn from pools, so that a corpus is made faster than it is read, and
numbered, so that few are equal; some are new each time too.
"""

import random
from collections.abc import Callable, Sequence
from itertools import accumulate, product
from typing import Final

_ONSETS: Final = "b c d f g h l m n p r s t v w br ch cl gr pl pr sh st th tr".split()
_NUCLEI: Final = "a e i o u ea ou".split()
_CODAS: Final = ["", "", "d", "l", "m", "n", "r", "s", "t", "ck", "nd", "ng", "rt", "x"]

SYLLABLES: Final = tuple(map("".join, product(_ONSETS, _NUCLEI, _CODAS)))
"""So many that three letters in a row are as rare as in real text: an index of grams finds a word
as easily as there.
"""

HAN: Final = "数据库迁移部署会议纪要日志缓存接口测试服务标本温室植物记录分析请求超时重试"

CHINESE_SHARE: Final = 0.3

NEW_EVERY: Final = 40
"""Of so many words, or printed lines, one was not there before."""

_VOCABULARY: Final = 4_000
_GUESTS_FROM: Final = 1_000
_HAN_GUESTS_FROM: Final = 500
"""The rank of the first word that a caller adds; tools print hardly any Chinese."""

_HAN_FROM: Final = 0x4E00
_HAN_CHARACTERS: Final = 3_000
_POOL_LINES: Final = 600
_HEX: Final = "0123456789abcdef"


class MadeTexts:
    """Draws texts; equal dice give equal texts.

    ``guests`` are words that the vocabularies have beside those made up, frequent ones; those that
    are not ASCII join the Chinese one.
    """

    def __init__(self, dice: random.Random, guests: Sequence[str] = ()) -> None:
        self._dice = dice
        self._words = [self._new_word(dice.randint(1, 3)) for _ in range(_VOCABULARY)]
        self._han_words = [self._new_han_word() for _ in range(_VOCABULARY)]
        latin = [word for word in guests if word.isascii()]
        han = [word for word in guests if not word.isascii()]
        self._words[_GUESTS_FROM : _GUESTS_FROM + len(latin)] = latin
        self._han_words[_HAN_GUESTS_FROM : _HAN_GUESTS_FROM + len(han)] = han
        self._weights = list(accumulate(1 / rank for rank in range(1, _VOCABULARY + 1)))
        kinds = (self._code, self._log, self._lock, self._diff, self._listing, self._json)
        self._pools = [[make() for _ in range(_POOL_LINES)] for make in kinds]

    def words(self, count: int) -> str:
        """Return that many words in a row, frequent ones more often."""
        drawn = self._dice.choices(self._words, cum_weights=self._weights, k=count)
        return " ".join(self._with_new(drawn, lambda: self._new_word(3)))

    def han(self, count: int) -> str:
        """Return that many Chinese words of two characters in a row, frequent ones more often."""
        drawn = self._dice.choices(self._han_words, cum_weights=self._weights, k=count)
        return "".join(self._with_new(drawn, self._new_han_word))

    def said(self, count: int) -> str:
        """Return what a person or a model says: about that many words, or as much in Chinese."""
        if self._dice.random() < CHINESE_SHARE:
            return self.han(count)
        return self.words(count)

    def printed(self, size: int) -> str:
        """Return about ``size`` characters as one tool prints them, line by line."""
        pool = self._dice.choice(self._pools)
        average = sum(map(len, pool[:50])) // 50 + 6
        drawn = self._dice.choices(pool, k=max(1, size // average))
        lines = self._with_new(drawn, self._new_line)
        first = self._dice.randrange(1_000)
        return "\n".join(f"{number} {line}" for number, line in enumerate(lines, first))[:size]

    def _with_new(self, drawn: list[str], make: Callable[[], str]) -> list[str]:
        """Put something new into about one place in NEW_EVERY."""
        for _ in range(int(len(drawn) / NEW_EVERY + self._dice.random())):
            drawn[self._dice.randrange(len(drawn))] = make()
        return drawn

    def _new_word(self, syllables: int) -> str:
        return "".join(self._dice.choices(SYLLABLES, k=syllables))

    def _new_han_word(self) -> str:
        return "".join(chr(_HAN_FROM + self._dice.randrange(_HAN_CHARACTERS)) for _ in range(2))

    def _new_line(self) -> str:
        name, of = self._new_word(2), self._new_word(2)
        return f"{name}_{of}.py:{self._dice.randrange(900)}: {name}({of}=0x{self._hexadecimal(12)})"

    def _word(self) -> str:
        return self.words(1)

    def _code(self) -> str:
        indent = "    " * self._dice.randint(0, 4)
        name, of, other = self._word(), self._word(), self._word()
        return f"{indent}{name}_{of} = {other}({of}, {self._dice.randrange(99)})"

    def _log(self) -> str:
        colour = self._dice.choice(("32mINFO", "33mWARN", "31mERROR"))
        clock = f"2026-03-0{self._dice.randint(1, 9)}T10:{self._dice.randint(10, 59)}:00Z"
        return f"{clock} \x1b[{colour}\x1b[0m {self._word()}.{self._word()}: {self.words(6)}"

    def _lock(self) -> str:
        version = f"{self._dice.randint(0, 9)}.{self._dice.randint(0, 40)}"
        return f'"{self._word()}@{version}": sha256:{self._hexadecimal(64)}'

    def _diff(self) -> str:
        return f"{self._dice.choice('+- ')} {self._code()}"

    def _listing(self) -> str:
        path = "/".join(self._word() for _ in range(self._dice.randint(2, 5)))
        return f"{path}.py:{self._dice.randrange(900)}: {self.words(5)}"

    def _json(self) -> str:
        number = self._dice.randrange(10**6)
        return f'{{"{self._word()}": "{self.said(4)}", "{self._word()}": {number}}},'

    def _hexadecimal(self, count: int) -> str:
        return "".join(self._dice.choices(_HEX, k=count))
